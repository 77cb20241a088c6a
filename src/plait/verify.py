"""Whether an index is what a clean one of the same folder would be."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path

from plait.dump import TABLES, table
from plait.engine import Engine
from plait.errors import BrokenIndex, IndexBusy, NotIndexed, Unstable
from plait.freshness import is_fresh
from plait.protocols import Snapshot
from plait.scip.files import remember, remembered
from plait.source import discover
from plait.store.folders import folder_of

SHOWN = 20
"""Lines that are shown of one table."""


@dataclass(frozen=True, slots=True)
class Compared:
    """One table of both dumps."""

    table: str
    lines: int
    """in the index"""
    clean: int
    """in the clean one"""
    surplus: int
    """lines that only the index has"""
    missing: int
    """lines that only the clean one has"""
    shown: tuple[str, ...]
    """the first of both, sorted; `-` stands before one that only the index has, `+` before one that it lacks"""


@dataclass(frozen=True, slots=True)
class Verdict:
    root: Path
    index: Path
    tables: tuple[Compared, ...]
    """in the order of the dump; empty with a problem"""
    problem: str = ""
    """why the index cannot be read; empty if it can"""

    @property
    def equal(self) -> bool:
        return not self.problem and not any(one.surplus or one.missing for one in self.tables)


def verify(engine: Engine) -> Verdict:
    """Compare the index with one that is built aside, with nothing taken from any cache.

    An index that is not fresh is renewed first, as a question would do it, and where the flow of values is still to be
    followed, it is. Raises NotIndexed without an index, IndexBusy
    if another process goes on writing it, and Unstable if a file changes meanwhile.
    """
    found = engine.status()
    if found.index is None:
        raise NotIndexed(str(engine.root))
    try:
        if found.info is None:
            raise BrokenIndex(str(engine.path), "damaged")
        present = engine.snapshot()
        if present.info.pending:
            engine.index()
            present = engine.snapshot()
        if engine.writer:
            raise IndexBusy(str(engine.root), engine.writer)
        with tempfile.TemporaryDirectory(prefix="plait-verify-") as aside:
            anew = _clean(engine, Path(aside))
            anew.index()
            clean = anew.snapshot()
            tables = tuple(_compared(present, clean, name) for name in TABLES)
            joined = remembered(folder_of(engine.settings.cache, engine.root))
            settings = engine.settings
            listing = discover(engine.root, submodules=settings.submodules, reasons=False, content=settings.content)
            fresh = is_fresh(listing, clean, joined)
            if not fresh or clean.files() != present.files():
                raise Unstable(str(engine.root))
    except BrokenIndex as error:
        return Verdict(engine.root, engine.path, (), str(error))
    return Verdict(engine.root, engine.path, tables)


def _clean(engine: Engine, cache: Path) -> Engine:
    """Open the same folder with the same settings and SCIP indexes, but an empty cache."""
    joined = remembered(folder_of(engine.settings.cache, engine.root))
    if joined:
        folder = folder_of(cache, engine.root)
        folder.mkdir(parents=True)
        remember(folder, joined)
    return Engine(engine.root, replace(engine.settings, cache=cache), engine.progress)


def _compared(present: Snapshot, clean: Snapshot, name: str) -> Compared:
    counts, difference = _difference(table(present, name), table(clean, name))
    surplus = {line: count for line, count in difference.items() if count > 0}
    missing = {line: -count for line, count in difference.items() if count < 0}
    marked = sorted([(line, "-") for line in surplus] + [(line, "+") for line in missing])
    return Compared(
        *(name, *counts, sum(surplus.values()), sum(missing.values())),
        tuple(f"{mark} {line}" for line, mark in marked[:SHOWN]),
    )


def _difference(present: Iterable[str], clean: Iterable[str]) -> tuple[tuple[int, int], Counter[str]]:
    """Return how many lines both have, and how many times more often each line is in the first.

    Since both come in the same order, what is noted of a line goes again as soon as the other side has it, too.
    """
    difference: Counter[str] = Counter()
    lines = [0, 0]

    def note(side: int, line: str | None, sign: int) -> None:
        if line is not None:
            lines[side] += 1
            difference[line] += sign
            if not difference[line]:
                del difference[line]

    for one, other in zip_longest(present, clean):
        if one == other:
            lines[0] += 1
            lines[1] += 1
        else:
            note(0, one, 1)
            note(1, other, -1)
    return (lines[0], lines[1]), difference
