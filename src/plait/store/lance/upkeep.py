"""What a fleet needs now and then: each build adds small pieces, which questions would have to look at one by one."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from plait.document import EMBEDDED
from plait.store.lance.registry import GRACE, heads, sweep
from plait.store.lance.tables import (
    BEGUN,
    BUILDS,
    EDGES,
    HEADS,
    INDEXED,
    OF_BUILDS,
    SYMBOLS,
    Tables,
    persistent,
    reaching,
)
from plait.store.lance.wide import segments
from plait.store.lance.wide.making import make
from plait.store.lance.wide.segments import SIZE


@dataclass(frozen=True, slots=True)
class Upkeep:
    builds: int
    """old ones whose rows were deleted"""
    fragments: int
    """pieces that were joined with others"""
    indexes: int
    """that were made or renewed"""
    segments: int
    """that were made: indexes of the words and vectors of many repositories"""


def optimize(tables: Tables, grace: float = GRACE, size: int = SIZE) -> Upkeep:
    """Questions and builds can go on meanwhile. A segment has no more than `size` symbols."""
    builds = sweep(tables, grace)
    fragments = indexes = 0
    for name in (*OF_BUILDS, HEADS, BEGUN):
        before = len(tables.latest(name).get_fragments())
        persistent(tables.uri, lambda name=name: tables.latest(name).optimize.compact_files())  # type: ignore[misc]
        fragments += max(0, before - len(tables.latest(name).get_fragments()))
        indexes += _indexes(tables, name)
        tables.latest(name).cleanup_old_versions(older_than=timedelta(seconds=max(0.0, grace)))
    return Upkeep(builds, fragments, indexes, segment(tables, grace, size))


def tidy(tables: Tables) -> None:
    """Join the pieces of the tables that every build reads whole: each build adds some, and pays for all of them."""
    for name in (HEADS, BEGUN):
        persistent(tables.uri, lambda name=name: tables.latest(name).optimize.compact_files())  # type: ignore[misc]


def segment(tables: Tables, grace: float = GRACE, size: int = SIZE) -> int:
    """Let segments cover all builds that repositories name now; return how many were made.

    To be run after `optimize` as often as one likes: each time only new builds, and few of the old ones, are read.
    """
    live = {one.build: one.symbols for one in heads(tables) if one.symbols}
    for name in (BUILDS, SYMBOLS, EDGES, *EMBEDDED):
        tables.latest(name)
    live = {build: live[build] for build in _as_they_lie(tables) if build in live}
    todo = segments.plan(segments.segments(tables), live, size)
    for builds in todo.make:
        make(tables, builds)
    segments.replace(tables, [*todo.replaced, *segments.outdated(tables)])
    segments.sweep(tables, grace)
    return len(todo.make)


def _as_they_lie(tables: Tables) -> list[int]:
    """Return the builds in the order of their rows: those that lie side by side are read with few requests."""
    with reaching(tables.uri):
        found: list[int] = tables.dataset(SYMBOLS).to_table(columns=["build"])["build"].unique().to_pylist()
    return found


def _indexes(tables: Tables, name: str) -> int:
    dataset = tables.latest(name)
    known = {field for index in dataset.describe_indices() for field in index.field_names}
    made = 0
    for column in INDEXED.get(name, ()):
        if column not in known and dataset.count_rows():
            persistent(
                tables.uri,
                lambda column=column: tables.latest(name).create_scalar_index(column, "BTREE"),  # type: ignore[misc]
            )
            made += 1
    if known:
        persistent(tables.uri, lambda: tables.latest(name).optimize.optimize_indices())
        made += len(known)
    return made
