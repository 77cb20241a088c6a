"""What a fleet needs now and then: each build adds small pieces, which questions would have to look at one by one."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from plait.document import EMBEDDED
from plait.store.lance.registry import GRACE, sweep
from plait.store.lance.tables import BEGUN, HEADS, INDEXED, OF_BUILDS, SYMBOLS, Tables, persistent

WORTH_AN_INDEX = 100_000
"""Vectors from which an approximate index pays; fewer are looked at one by one in a few milliseconds
(benchmarks/results/fleet.txt)."""

PER_PARTITION = 4_096
"""Vectors in each part of an approximate index, on average: Lance's own advice."""


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
    known = {field for index in dataset.list_indices() for field in index["fields"]}
    made = 0
    for column in INDEXED.get(name, ()):
        if column not in known and dataset.count_rows():
            persistent(
                tables.uri,
                lambda column=column: tables.latest(name).create_scalar_index(column, "BTREE"),  # type: ignore[misc]
            )
            made += 1
    if name == SYMBOLS and "words" not in known and dataset.count_rows():
        persistent(tables.uri, lambda: _words(tables.latest(name)))
        made += 1
    if name in EMBEDDED and "codes" not in known and dataset.count_rows() >= WORTH_AN_INDEX:
        persistent(tables.uri, lambda: _vectors(tables.latest(name)))
        made += 1
    if known:
        persistent(tables.uri, lambda: tables.latest(name).optimize.optimize_indices())
        made += len(known)
    return made


def _words(dataset: Any) -> None:
    """Terms are made by `plait.terms`, so the index takes them as they are."""
    dataset.create_scalar_index(
        "words",
        "INVERTED",
        base_tokenizer="whitespace",
        lower_case=False,
        stem=False,
        remove_stop_words=False,
        ascii_folding=False,
        with_position=False,
        max_token_length=None,
    )


def _vectors(dataset: Any) -> None:
    parts = max(1, dataset.count_rows() // PER_PARTITION)
    # RaBitQ, whose code is one bit a dimension; answers are rescored with the whole vectors.
    dataset.create_index("codes", "IVF_RQ", metric="cosine", num_partitions=parts, num_bits=1)
