"""From the terms of documents to postings: for each term the documents that have it, and how often."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import count
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_MANY = 4_000_000
"""Occurrences that are kept apart before equal ones are counted together."""


class PostingsBuilder:
    def __init__(self) -> None:
        self._numbers: defaultdict[str, int] = defaultdict(count().__next__)
        self._terms = array("I")
        """of each occurrence, in the order of the documents"""
        self._ends: list[tuple[int, int]] = []
        """document and where its occurrences end"""
        self._counted: list[tuple[NDArray[np.uint64], NDArray[np.uint32]]] = []
        """term number << 32 | document number, ascending, with the count"""

    def add(self, document: int, terms: Sequence[str]) -> None:
        """Add a document; each only once."""
        numbers = self._numbers
        self._terms.extend([numbers[term] for term in terms])
        self._ends.append((document, len(self._terms)))
        if len(self._terms) >= _MANY:
            self._count()

    def add_postings(self, term: str, rows: NDArray[np.uint32]) -> None:
        """Add rows (document, count) of documents that are not added otherwise."""
        key = np.uint64(self._numbers[term] << 32)
        self._counted.append((rows[:, 0].astype(np.uint64) | key, rows[:, 1]))

    def __iter__(self) -> Iterator[tuple[str, bytes]]:
        """Yield each term, in order, with its rows (document, count) of 32 bits, ascending."""
        self._count()
        if not self._counted:
            return
        keys = np.concatenate([keys for keys, _ in self._counted])
        counts = np.concatenate([counts for _, counts in self._counted])
        order = np.argsort(keys, kind="stable")
        rows = np.stack([keys[order].astype(np.uint32), counts[order]], axis=1)
        bounds = np.searchsorted(keys[order] >> np.uint64(32), np.arange(len(self._numbers) + 1, dtype=np.uint64))
        for term in sorted(self._numbers):
            number = self._numbers[term]
            yield term, rows[bounds[number] : bounds[number + 1]].tobytes()

    def _count(self) -> None:
        if self._terms:
            documents, ends = np.array(self._ends, dtype=np.int64).T
            owners = np.repeat(documents, np.diff(ends, prepend=0)).astype(np.uint64)
            terms = np.frombuffer(self._terms, dtype=np.uint32).astype(np.uint64)
            keys, counts = np.unique((terms << np.uint64(32)) | owners, return_counts=True)
            self._counted.append((keys, counts.astype(np.uint32)))
        self._terms, self._ends = array("I"), []
