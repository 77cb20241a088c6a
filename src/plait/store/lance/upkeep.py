"""What a fleet needs now and then: each build adds small pieces, which questions would have to look at one by one."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from plait.store.lance.registry import GRACE, sweep
from plait.store.lance.tables import BEGUN, HEADS, INDEXED, OF_BUILDS, Tables, persistent


@dataclass(frozen=True, slots=True)
class Upkeep:
    builds: int
    """old ones whose rows were deleted"""
    fragments: int
    """pieces that were joined with others"""
    indexes: int
    """that were made or renewed"""


def optimize(tables: Tables, grace: float = GRACE) -> Upkeep:
    """Questions and builds can go on meanwhile."""
    builds = sweep(tables, grace)
    fragments = indexes = 0
    for name in (*OF_BUILDS, HEADS, BEGUN):
        before = len(tables.latest(name).get_fragments())
        persistent(tables.uri, lambda name=name: tables.latest(name).optimize.compact_files())  # type: ignore[misc]
        fragments += max(0, before - len(tables.latest(name).get_fragments()))
        indexes += _indexes(tables, name)
        tables.latest(name).cleanup_old_versions(older_than=timedelta(seconds=max(0.0, grace)))
    return Upkeep(builds, fragments, indexes)


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
