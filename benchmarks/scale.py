"""Measure how fast plait makes a call graph of much code, and how much memory that takes.

    python benchmarks/scale.py FOLDER [--lines N]

All Python files below FOLDER are read, in the order of their paths, until N lines (all without). Processor seconds are
user and system; memory is the highest resident size of the process so far, without that before the first file, for
each line. One process, as an index build works. Linux only.
"""

from __future__ import annotations

import argparse
import os
import resource
from collections import Counter
from collections.abc import Iterator
from datetime import date
from pathlib import Path

from plait import plugins
from plait.collector import paused
from plait.facts import ParsedFile
from plait.model import EdgeKind, SourceFile
from plait.source import decode


def cpu() -> float:
    used = os.times()
    return used.user + used.system


def peak() -> int:
    """Bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def sources(folder: Path, limit: int) -> Iterator[tuple[SourceFile, int]]:
    """Files and their lines. Folders that an index would leave out, as site-packages, are read here."""
    lines = 0
    for path in sorted(folder.rglob("*.py")):
        text = decode(path.read_bytes()) if path.is_file() and lines < limit else None
        if text is not None:
            name = path.relative_to(folder).as_posix()
            count = text.count("\n")
            lines += count
            yield SourceFile(name, "python", text, name), count


def main(folder: Path, limit: int) -> None:
    parser = plugins.build("parser", "python")
    before, started = peak(), cpu()
    files: list[ParsedFile] = []
    lines = skipped = 0
    with paused():
        for file, count in sources(folder, limit):
            facts = parser.parse(file)
            if isinstance(facts, ParsedFile):
                files.append(facts)
                lines += count
            else:
                skipped += 1
    if not lines:
        raise SystemExit(f"{folder}: no Python file that can be parsed")
    parsing, parsed = cpu() - started, peak() - before
    print(f"{lines:,} lines, {len(files):,} files, {skipped} more with a syntax error; {date.today()}")
    print(f"  {'':<16}{'CPU s':>8}{'lines/s':>10}{'peak MB':>9}{'B/line':>8}{'calls':>9}{'unresolved':>12}")
    print(f"  {'parse':<16}{parsing:>8.1f}{lines / parsing:>10,.0f}{parsed / 2**20:>9,.0f}{parsed / lines:>8,.0f}")
    for graph in ("scoped", "flow"):
        started = cpu()
        with paused():
            made = plugins.build("graph", graph).build(files)
        seconds = parsing + cpu() - started
        bytes_ = peak() - before
        kinds = Counter(edge.kind for edge in made.edges)
        print(
            f"  {'parse + ' + graph:<16}{seconds:>8.1f}{lines / seconds:>10,.0f}{bytes_ / 2**20:>9,.0f}"
            f"{bytes_ / lines:>8,.0f}{kinds[EdgeKind.CALLS]:>9,}{len(made.unresolved):>12,}",
            flush=True,
        )
        del made


if __name__ == "__main__":
    arguments = argparse.ArgumentParser()
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--lines", type=int, default=10**9)
    given = arguments.parse_args()
    main(given.folder, given.lines)
