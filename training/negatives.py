"""Negatives beyond chance: pairs of one file side by side, or for a documentation a function that BM25 prefers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from plait.store import bm25

if TYPE_CHECKING:
    from training.train import Pairs

WAYS = ("package", "file", "words")
FEWEST = 8
"""Functions with documentation that a package must have."""


def by_words(pairs: Pairs, kept: Path) -> Any:
    """Return for each pair the row of its negative, or -1: of its package's documented functions the second best.

    The best is often the same function once more, in another class or for another type. Only `doc` pairs have one.
    """
    if not kept.exists():
        negatives = np.full(len(pairs.kinds), -1, dtype=np.int64)
        groups: dict[str, list[int]] = {}
        for row, (kind, group) in enumerate(zip(pairs.kinds, pairs.groups, strict=True)):
            if kind == "doc":
                groups.setdefault(group, []).append(row)
        for rows in groups.values():
            if len(rows) >= FEWEST:
                negatives[rows] = _second(pairs, rows)
        np.save(kept, negatives)
    found = np.load(kept)
    if len(found) != len(pairs.kinds):
        raise SystemExit(f"{kept} is of other pairs; remove it")
    return found


def _second(pairs: Pairs, rows: Sequence[int]) -> list[int]:
    postings: dict[str, list[tuple[int, int]]] = {}
    lengths = np.zeros(len(rows), dtype=np.uint32)
    for number, row in enumerate(rows):
        found = Counter(map(str, pairs.code.of(row)))
        lengths[number] = found.total()
        for token, count in found.items():
            postings.setdefault(token, []).append((number, count))
    arrays = {token: np.array(counts, dtype=np.uint32) for token, counts in postings.items()}
    nothing = np.zeros((0, 2), dtype=np.uint32)
    chosen = []
    for row in rows:
        asked = list(dict.fromkeys(map(str, pairs.questions.of(row))))
        scores = np.zeros(len(rows))
        numbers, values = bm25.scores(asked, lambda token: arrays.get(token, nothing), lengths)
        scores[numbers] = values
        scores[pairs.asked[rows] == pairs.asked[row]] = -1.0
        second = int(np.argsort(-scores, kind="stable")[1])
        chosen.append(rows[second] if scores[second] > 0 else -1)
    return chosen
