"""Index each hostile folder of the tests, graph and all, and measure it.

    python benchmarks/hostile.py [NAME ...] > benchmarks/results/hostile.txt

Each runs in a process of its own, so that one that is killed or hangs is one line in the table. CPU seconds are those
of indexing, the start of Python left out. The last line names what took more than one and one more for each MB.
"""

from __future__ import annotations

import multiprocessing
import resource
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "integration"))

from hostile import CASES

from plait import plugins
from plait.doors.render import counted
from plait.indexing import build
from plait.store.memory import MemoryWriter

LIMIT = 60
"""Seconds after which a process is killed."""


def measure(name: str, answer: Any) -> None:
    case = CASES[name]
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for path, content in case.files().items():
            (root / path).write_bytes(content)
        begin = time.process_time()
        snapshot, report = build(
            root, MemoryWriter(), plugins.build("embedder", "hashing"), graph="flow", max_file_bytes=1_000_000
        )
        seconds = time.process_time() - begin
    first = min(case.files().keys() - {"companion.py"})
    became = "indexed"
    for one in snapshot.skipped():
        if one.path == first:
            became = f"skipped: {one.reason}"
    for one in report.recovered:
        if one.path == first:
            became = (
                f"recovered but for {counted(len(one.left_out), 'region')}" if one.left_out else "recovered, all of it"
            )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    answer.put((became, seconds, peak, report.info.symbols, sum(report.edges.values())))


def main() -> None:
    names = sys.argv[1:] or list(CASES)
    context = multiprocessing.get_context("spawn")
    slow: list[str] = []
    print(f"{'folder':42} {'MB':>6} {'CPU s':>7} {'MiB':>6} {'symbols':>8} {'edges':>8}  what becomes of it")
    for name in names:
        size = sum(map(len, CASES[name].files().values())) / 1e6
        answer = context.Queue()
        process = context.Process(target=measure, args=(name, answer))
        process.start()
        try:
            became, seconds, peak, symbols, edges = answer.get(timeout=LIMIT)
            print(f"{name:42} {size:6.2f} {seconds:7.2f} {peak:6} {symbols:8,} {edges:8,}  {became}", flush=True)
            if seconds > 1 + size:
                slow.append(f"{name} ({seconds:.1f} s)")
        except Exception:
            print(f"{name:42} {size:6.2f}  no answer in {LIMIT} s, or killed", flush=True)
            slow.append(name)
        if process.is_alive():
            process.terminate()
        process.join()
    print(f"over one second and one for each MB: {', '.join(slow) or 'none'}")


if __name__ == "__main__":
    main()
