"""From the terms of documents to postings: for each term the documents that have it, and how often."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import count
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from plait.batch import Terms

Rows: TypeAlias = "NDArray[np.uint32]"
"""(document, count), ascending"""

_MANY = 4_000_000
"""Occurrences that are kept apart before equal ones are counted together."""


class PostingsBuilder:
    def __init__(self) -> None:
        self._numbers: defaultdict[str, int] = defaultdict(count().__next__)
        self._terms = array("I")
        """of each occurrence, in the order of the documents"""
        self._ends: list[tuple[int, int]] = []
        """document and where its occurrences end"""
        self._counted: list[tuple[NDArray[np.int64], Rows]] = []
        """where the rows of each term known by then begin, and the rows by term"""
        self._given: defaultdict[int, list[Rows]] = defaultdict(list)

    def add(self, document: int, terms: Sequence[str]) -> None:
        """Add a document; each only once."""
        numbers = self._numbers
        self._terms.extend([numbers[term] for term in terms])
        self._ends.append((document, len(self._terms)))
        if len(self._terms) >= _MANY:
            self._count()

    def add_all(self, documents: Sequence[int], terms: Terms) -> None:
        """As `add`, of several documents."""
        numbers = np.array([self._numbers[name] for name in terms.names], dtype=np.uint32)
        ends = np.cumsum(terms.counts, dtype=np.int64) + len(self._terms)
        self._terms.frombytes(numbers[terms.places].tobytes())
        self._ends += zip(documents, ends.tolist(), strict=True)
        if len(self._terms) >= _MANY:
            self._count()

    def add_postings(self, term: str, rows: Rows) -> None:
        """Add rows of documents that are not added otherwise."""
        self._given[self._numbers[term]].append(rows)

    def __iter__(self) -> Iterator[tuple[str, bytes]]:
        """Yield each term, in order, with its rows, ascending."""
        self._count()
        counted = [(starts.tolist(), rows) for starts, rows in self._counted]
        for term in sorted(self._numbers):
            number = self._numbers[term]
            parts = [rows[starts[number] : starts[number + 1]] for starts, rows in counted if number + 1 < len(starts)]
            parts += self._given.get(number, ())
            if len(parts) == 1:
                yield term, parts[0].tobytes()
            else:
                rows = np.concatenate(parts)
                yield term, rows[np.argsort(rows[:, 0], kind="stable")].tobytes()

    def _count(self) -> None:
        if self._terms:
            documents, ends = np.array(self._ends, dtype=np.int64).T
            owners = np.repeat(documents, np.diff(ends, prepend=0)).astype(np.uint64)
            terms = np.frombuffer(self._terms, dtype=np.uint32).astype(np.uint64)
            keys, counts = np.unique((terms << np.uint64(32)) | owners, return_counts=True)
            starts = np.searchsorted(keys >> np.uint64(32), np.arange(len(self._numbers) + 1, dtype=np.uint64))
            self._counted.append((starts, np.stack([keys.astype(np.uint32), counts.astype(np.uint32)], axis=1)))
        self._terms, self._ends = array("I"), []
