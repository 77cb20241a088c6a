"""How long an agent waits for a warm `plait mcp` over standard streams.

    python benchmarks/agents_latency.py FOLDER [--number N] [-- OPTIONS OF plait mcp]

Asked is as a host asks, one line of JSON after another, by no client library. The questions are the first sentences of
docstrings and comments of the folder. The first answers of each tool are left out: they load the model and the index.
`wall` is what an agent waits; `server` the processor time of the server's process meanwhile, which other load on the
machine disturbs less. The bar: search's p50 below 20 ms at 100,000 functions.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from speed_queries import questions

WARM_UP = 5


class Server:
    def __init__(self, folder: Path, options: list[str]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "plait", "mcp", str(folder), *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self._number = 0
        information = {"name": "benchmark", "version": "1"}
        self.ask("initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo=information)
        self._say({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def _say(self, message: dict[str, Any]) -> None:
        assert self._process.stdin
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        self._process.stdin.flush()

    def ask(self, method: str, **parameters: Any) -> tuple[dict[str, Any], int]:
        """Return the result and its bytes."""
        self._number += 1
        self._say({"jsonrpc": "2.0", "id": self._number, "method": method, "params": parameters})
        assert self._process.stdout
        for line in self._process.stdout:
            answer = json.loads(line)
            if answer.get("id") == self._number:
                return answer["result"], len(line)
        raise SystemExit("the server has ended")

    def call(self, tool: str, **arguments: Any) -> tuple[dict[str, Any], int]:
        result, size = self.ask("tools/call", name=tool, arguments=arguments)
        return result.get("structuredContent") or result, size

    def seconds(self) -> float:
        """Of the processor, by all threads."""
        fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def end(self) -> None:
        assert self._process.stdin
        self._process.stdin.close()
        self._process.wait()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--number", type=int, default=200)
    ours, _, options = " ".join(sys.argv[1:]).partition(" -- ")
    given = parser.parse_args(ours.split())
    asked = questions(given.folder, given.number)
    began = time.perf_counter()
    server = Server(given.folder.resolve(), options.split())
    print(f"{given.folder.name}: initialized after {time.perf_counter() - began:.2f} s, load {os.getloadavg()[0]:.1f}")
    while True:
        answer, _ = server.call("search", query=asked[0])
        if answer.get("index", {}).get("state") == "ready":
            break
        time.sleep(1)
    print(f"first answer from the index after {time.perf_counter() - began:.1f} s")
    names = [hit["path"] + f":{hit['start_line']}" for hit in answer["hits"]]
    calls = {
        "search": [{"query": text} for text in asked],
        "context": [{"question": text} for text in asked[: given.number // 4]],
        "symbol": [{"symbol": names[place % len(names)]} for place in range(given.number // 10)],
    }
    print(f"{'':10}{'n':>5}{'p50 wall':>10}{'p90 wall':>10}{'p99 wall':>10}{'server':>9}   ms; bytes of a reply")
    for tool, arguments in calls.items():
        for one in arguments[:WARM_UP]:
            server.call(tool, **one)
        walls, sizes, before = [], [], server.seconds()
        for one in arguments:
            start = time.perf_counter()
            _, size = server.call(tool, **one)
            walls.append((time.perf_counter() - start) * 1000)
            sizes.append(size)
        used = (server.seconds() - before) / len(arguments) * 1000
        walls.sort()
        at = [walls[min(len(walls) - 1, len(walls) * part // 100)] for part in (50, 90, 99)]
        told = "".join(f"{value:10.1f}" for value in at)
        print(f"{tool:10}{len(walls):5}{told}{used:9.1f}   {sum(sizes) // len(sizes):,}", flush=True)
    server.end()


if __name__ == "__main__":
    main()
