"""Which segments a fleet has: indexes of many builds at once, derived from their rows and replaceable at any time.

A segment covers some builds and never changes. Builds of no segment are read one by one, so no answer needs a segment,
and one whose builds no repository names any more is only in the way. Its tables lie below `segments/NUMBER`.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from plait.document import EMBEDDED
from plait.errors import BrokenIndex, NoFleet
from plait.store.lance.tables import Tables, arrow, lance, persistent, reaching

if TYPE_CHECKING:
    import pyarrow as pa

SEGMENTS = "segments"
DOCUMENTS = "documents"
POSTINGS = "postings"
CENTRES = "centres"
TEXTS = "texts"
LINKS = "links"
OF_SEGMENT = (DOCUMENTS, TEXTS, POSTINGS, LINKS, CENTRES, *EMBEDDED)

MAKING, READY, REPLACED = 0, 1, 2

FORMAT = 2
"""Of what is in a segment: those of another format are not read, and are replaced if they are older."""

SIZE = 1_000_000
"""Symbols of a segment at most, unless one build alone has more."""

WORN = 1 / 3
"""Part of a segment's symbols that nobody asks for any more from which it is made anew."""


@dataclass(frozen=True, slots=True)
class Covered:
    """A segment and its builds, in its own order, with the number of symbols of each."""

    segment: int
    builds: tuple[int, ...]
    counts: tuple[int, ...]

    def symbols(self, builds: Collection[int]) -> int:
        """Return how many symbols it has of these builds."""
        return sum(count for build, count in zip(self.builds, self.counts, strict=True) if build in builds)


@dataclass(frozen=True, slots=True)
class Plan:
    """What makes the segments of a fleet whole."""

    make: tuple[Mapping[int, int], ...]
    """new segments: symbols by build"""
    replaced: tuple[int, ...]
    """segments that nobody needs then"""


def version(tables: Tables) -> int:
    """Return a number that is another one after every change of the segments; 0 if there never was one."""
    try:
        found: int = tables.latest(SEGMENTS).version
    except NoFleet:
        return 0
    return found


def segments(tables: Tables) -> list[Covered]:
    """Return the segments that are ready, the oldest first."""
    rows = sorted(_rows(tables, f"state = {READY} AND format = {FORMAT}"), key=lambda row: (row["at"], row["segment"]))
    return [Covered(row["segment"], tuple(row["builds"]), tuple(row["counts"])) for row in rows]


def outdated(tables: Tables) -> list[int]:
    """Return the segments of older formats."""
    return sorted(row["segment"] for row in _rows(tables, f"state = {READY} AND format < {FORMAT}"))


def by_segment(known: Sequence[Covered], builds: Collection[int]) -> dict[int, set[int]]:
    """Return for each segment the builds that it answers for: the newest segment that has a build does."""
    left = set(builds)
    found: dict[int, set[int]] = {}
    for one in reversed(known):
        own = left.intersection(one.builds)
        if own:
            found[one.segment] = own
            left -= own
    return found


def plan(known: Sequence[Covered], live: Mapping[int, int], size: int = SIZE) -> Plan:
    """Tell which segments to make of live builds (symbols by build), and which fall away.

    The logarithmic method (Bentley and Saxe, "Decomposable Searching Problems", 1980): a segment is joined with smaller
    ones and new builds once these together are as large, so a symbol is written again about log2(size / new ones)
    times; or when it is worn. New segments have their builds in the order of `live`.
    """
    own = by_segment(known, live)
    covered = {build for builds in own.values() for build in builds}
    waiting = {build: count for build, count in live.items() if build not in covered}
    gone = [one.segment for one in known if one.segment not in own]
    sizes = {one.segment: one.symbols(own[one.segment]) for one in known if one.segment in own}
    for one in sorted((one for one in known if one.segment in own), key=lambda one: (sizes[one.segment], one.segment)):
        kept = sizes[one.segment]
        is_worn = kept < (1 - WORN) * sum(one.counts)
        if is_worn or kept <= min(sum(waiting.values()), size // 2):
            waiting |= {build: live[build] for build in own[one.segment]}
            gone.append(one.segment)
    return Plan(tuple(_parted({one: live[one] for one in live if one in waiting}, size)), tuple(gone))


def _parted(builds: Mapping[int, int], size: int) -> list[dict[int, int]]:
    found: list[dict[int, int]] = []
    total = 0
    for build in builds:
        if not found or total + builds[build] > size:
            found.append({})
            total = 0
        found[-1][build] = builds[build]
        total += builds[build]
    return found


def place(segment: int, name: str) -> str:
    return f"{SEGMENTS}/{segment}/{name}"


def begin(tables: Tables) -> int:
    """Note that a segment is being made; return its number."""
    _ensure(tables)
    segment = secrets.randbits(38)
    _add(tables, {"segment": segment, "builds": [], "counts": [], "state": MAKING})
    return segment


def commit(tables: Tables, segment: int, builds: Mapping[int, int]) -> None:
    """Let a segment answer, its builds in the order of its documents.

    Raises BrokenIndex if making it took so long that it was swept.
    """
    if not _rows(tables, f"segment = {segment} AND state = {MAKING}"):
        raise BrokenIndex(tables.uri, f"segment {segment} was swept while it was made; `plait fleet optimize` again")
    row = {"segment": segment, "builds": list(builds), "counts": list(builds.values()), "state": READY}
    _add(tables, row)
    _delete(tables, f"segment = {segment} AND state = {MAKING}")


def replace(tables: Tables, gone: Sequence[int]) -> None:
    """Let segments answer no more; whoever is reading them still can."""
    for segment in gone:
        where = f"segment = {segment} AND state = {READY}"
        values = {"state": f"cast({REPLACED} as tinyint)", "at": repr(time.time())}
        persistent(
            tables.uri,
            lambda where=where, values=values: tables.latest(SEGMENTS).update(values, where=where),  # type: ignore[misc]
        )


def sweep(tables: Tables, grace: float) -> int:
    """Delete segments that were replaced, or begun and never ended, longer ago than the grace; return how many."""
    old = [row["segment"] for row in _rows(tables, f"state != {READY}") if time.time() - row["at"] > grace]
    for segment in old:
        for name in OF_SEGMENT:
            with reaching(tables.uri):
                lance().LanceDataset.drop(
                    tables.place(place(segment, name)), storage_options=dict(tables.options), ignore_not_found=True
                )
        _delete(tables, f"segment = {segment} AND state != {READY}")
    return len(old)


def _rows(tables: Tables, where: str) -> list[dict[str, Any]]:
    try:
        known = tables.latest(SEGMENTS)
    except NoFleet:
        return []
    with reaching(tables.uri):
        found: list[dict[str, Any]] = known.to_table(filter=where).to_pylist()
    return found


def _add(tables: Tables, row: Mapping[str, Any]) -> None:
    rows = arrow().Table.from_pylist([{**row, "format": FORMAT, "at": time.time()}], schema=_schema())
    tables.append(SEGMENTS, tables.write(SEGMENTS, rows))


def _delete(tables: Tables, where: str) -> None:
    persistent(tables.uri, lambda: tables.latest(SEGMENTS).delete(where))


def _ensure(tables: Tables) -> None:
    try:
        tables.dataset(SEGMENTS)
    except NoFleet:
        try:
            lance().write_dataset(
                _schema().empty_table(),
                tables.place(SEGMENTS),
                mode="create",
                storage_options=dict(tables.options),
                enable_v2_manifest_paths=True,
            )
        except OSError:  # another one was faster
            tables.dataset(SEGMENTS)


def _schema() -> pa.Schema:
    pa = arrow()
    number = pa.int64()
    return pa.schema(
        [
            *(("segment", number), ("builds", pa.list_(number)), ("counts", pa.list_(number))),
            *(("state", pa.int8()), ("format", pa.int32()), ("at", pa.float64())),
        ]
    )
