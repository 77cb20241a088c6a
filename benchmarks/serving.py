"""How many searches a second `plait serve` answers over HTTP, and how long they take.

    python benchmarks/serving.py REPOSITORY [--processes 2] [--connections 16] [--rate 200] [--seconds 20]

Every question is another one: the first lines of docstrings, and names of the repository's own symbols taken apart. The
client, in this process, shares the machine with the server. First as many as are answered, over so many connections
that ask again at once; then so many a second, begun on time whatever else is under way, whose latency counts from when
they were due.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from urllib.parse import quote
from urllib.request import urlopen

import numpy as np

from plait import Engine


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repository", type=Path)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--connections", type=int, default=16)
    parser.add_argument("--rate", type=float, default=200)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--port", type=int, default=18765)
    given = parser.parse_args()
    snapshot = Engine.open(given.repository).snapshot()
    asked = _questions(snapshot.symbols())
    command = [sys.executable, "-m", "plait", "serve", str(given.repository), "--port", str(given.port)]
    server = subprocess.Popen([*command, "--processes", str(given.processes)])
    try:
        _ready(given.port)
        info = snapshot.info
        print(f"{given.repository.name}: {info.files:,} files, {info.symbols:,} symbols; {os.cpu_count()} cores")
        print(f"{given.processes} processes that answer; load of the machine before: {os.getloadavg()[0]:.1f}")
        asyncio.run(_measured(given, asked, server.pid))
    finally:
        server.terminate()
        server.wait()


def _questions(symbols: list) -> Iterator[str]:  # type: ignore[type-arg]
    """Yield questions, none twice."""
    lines = [one.docstring.strip().split("\n")[0][:120] for one in symbols if one.docstring.strip()]
    names = [" ".join(re.findall(r"[A-Za-z][a-z]+", one.name)) for one in symbols]
    known = [one for one in dict.fromkeys([*lines, *names]) if one]
    for turn in count():
        for place, one in enumerate(known):
            other = known[(place * 7 + turn * 13) % len(known)]
            yield f"{one} {other}" if turn else one


async def _measured(given: argparse.Namespace, asked: Iterator[str], server: int) -> None:
    port, k = given.port, given.connections
    await _closed(port, asked, k, 3)  # the first questions load what later ones find loaded
    before = _used(server)
    times, seconds = await _closed(port, asked, k, given.seconds)
    each = (_used(server) - before) / len(times) * 1000
    print(f"{k} connections, each asking again at once: {len(times) / seconds:.0f} a second; {_told(times)}")
    most = f"at most {2000 / each:.0f} a second on two cores"
    print(f"CPU time of the server and its processes: {each:.1f} ms an answer; {most}")
    late, failed = await _open(port, asked, given.rate, given.seconds)
    print(f"{given.rate:.0f} a second, begun on time: {_told(late)}; {failed} not answered")


def _used(server: int) -> float:
    """Return the CPU seconds that a process and its children have used (Linux)."""
    found = 0.0
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:  # it has ended
            continue
        if int(folder.name) == server or int(fields[1]) == server:
            found += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return found


def _told(times: list[float]) -> str:
    if not times:
        return "no answer"
    p50, p95, p99 = np.percentile(times, (50, 95, 99)) * 1000
    return f"p50 {p50:.1f} ms, p95 {p95:.1f} ms, p99 {p99:.1f} ms, {len(times):,} answers"


async def _closed(port: int, asked: Iterator[str], connections: int, seconds: float) -> tuple[list[float], float]:
    times: list[float] = []
    started = time.perf_counter()

    async def one() -> None:
        client = await _Client.connect(port)
        while time.perf_counter() - started < seconds:
            begun = time.perf_counter()
            if await client.ask(next(asked)) == 200:
                times.append(time.perf_counter() - begun)
        client.close()

    await asyncio.gather(*(one() for _ in range(connections)))
    return times, time.perf_counter() - started


async def _open(port: int, asked: Iterator[str], rate: float, seconds: float) -> tuple[list[float], int]:
    times: list[float] = []
    failed = 0
    free: list[_Client] = []
    started = time.perf_counter()

    async def one(due: float) -> None:
        nonlocal failed
        try:
            client = free.pop() if free else await _Client.connect(port)
            status = await client.ask(next(asked))
        except (OSError, asyncio.IncompleteReadError):  # more connections than the server takes
            failed += 1
            return
        if status == 200:
            times.append(time.perf_counter() - due)
        else:
            failed += 1
        free.append(client)

    tasks = []
    for number in range(int(rate * seconds)):
        due = started + number / rate
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        tasks.append(asyncio.create_task(one(due)))
    await asyncio.gather(*tasks)
    for client in free:
        client.close()
    return times, failed


class _Client:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer

    @classmethod
    async def connect(cls, port: int) -> _Client:
        return cls(*await asyncio.open_connection("127.0.0.1", port))

    async def ask(self, question: str) -> int:
        self._writer.write(f"GET /api/v1/search?q={quote(question)} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        head = (await self._reader.readuntil(b"\r\n\r\n")).decode().lower()
        length = re.search(r"content-length: (\d+)", head)
        if length is None:
            raise SystemExit(head)
        await self._reader.readexactly(int(length[1]))
        return int(head.split()[1])

    def close(self) -> None:
        self._writer.close()


def _ready(port: int) -> None:
    for _ in range(600):
        try:
            with urlopen(f"http://127.0.0.1:{port}/health") as reply:
                if b'"ok"' in reply.read():
                    return
        except OSError:
            pass
        time.sleep(0.2)
    raise SystemExit("the server did not become ready")


if __name__ == "__main__":
    main()
