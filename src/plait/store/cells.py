"""Approximate nearest neighbours: rows of codes are kept by cell, and a question looks into the cells nearest to it.

An inverted file (Jegou, Douze and Schmid, "Product Quantization for Nearest Neighbor Search", 2011, section 4) whose
lists hold the codes themselves: what is found has its exact cosine, what lies in other cells is not found.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from plait.store.dense import products
from plait.vectors import codes as codes_of
from plait.vectors import squares, unit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from plait.model import Codes, Vector

_CELLS = 2
"""Cells for each square root of a row: of 258,283 rows (508 is the root), a question that looks at 15,000 finds .952 of
its ten best in 508 cells, .967 in 1,016, .974 in 2,032, .979 in 4,064, which are 3, 5, 14 and 25 seconds' work
(benchmarks/results/fleet-scale.txt)."""
_SAMPLE = 32
"""Rows for each cell from which the cells' centres are found."""
_ROUNDS = 8
_BLOCK = 8192

KEPT = 8192
"""The best rows that are kept of those that a question has looked at."""

Found: TypeAlias = "tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]]"
"""Documents, ascending; the cosine of each; the row of its best passage."""


@dataclass(frozen=True)
class Cells:
    codes: Codes
    """by cell, then by owner"""
    squares: NDArray[np.int32]
    """squared length of each row"""
    owners: NDArray[np.int32]
    """number of the document that each row belongs to"""
    centres: NDArray[np.float32]
    """one row a cell, of unit length"""
    starts: NDArray[np.int64]
    """the first row of each cell, and last the number of rows"""

    @cached_property
    def _by_owner(self) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        order = np.argsort(self.owners, kind="stable")
        return order, self.owners[order]

    def nearest(self, vector: Vector, least: int, allowed: NDArray[np.bool_] | None = None) -> Found:
        """Return the documents of the KEPT best rows in the nearest cells.

        So many cells are looked into that they hold `least` rows of documents that are allowed. If all cells together
        have no more than these, each of them is looked at, and nothing is missed.
        """
        if not len(self.owners) or not vector.any():
            return _nothing()
        rows, found = self._looked_at(codes_of(vector[None, :]), vector, least, allowed)
        if len(rows) > KEPT:
            best = np.argpartition(-found, KEPT)[:KEPT]
            rows, found = rows[best], found[best]
        return self._best(rows, found)

    def of(self, vector: Vector, numbers: NDArray[np.int64]) -> Found:
        """As `nearest`, of exactly these documents, given ascending; those without a row are left out."""
        order, owners = self._by_owner
        wanted = numbers.astype(owners.dtype)  # of another type, all owners would be copied
        firsts, lasts = np.searchsorted(owners, wanted, "left"), np.searchsorted(owners, wanted, "right")
        counts = lasts - firsts
        within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        rows = order[np.repeat(firsts, counts) + within]
        if not vector.any():
            return _nothing()
        asked = codes_of(vector[None, :])
        return self._best(rows, self._cosines(rows, products(self.codes[rows], asked), asked))

    def _looked_at(
        self, asked: Codes, vector: Vector, least: int, allowed: NDArray[np.bool_] | None
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        counts = np.diff(self.starts)
        fits = None
        if allowed is not None:
            fits = allowed[self.owners]
            sums = np.concatenate([[0], np.cumsum(fits)])
            counts = sums[self.starts[1:]] - sums[self.starts[:-1]]
            if sums[-1] <= least:
                rows = np.flatnonzero(fits)
                return rows, self._cosines(rows, products(self.codes[rows], asked), asked)
        # Not by BLAS: its threads go on spinning for some 30 ms after so small a product, on cores that others need.
        order = np.argsort(-np.einsum("ij,j->i", self.centres, vector.astype(np.float32)), kind="stable")
        enough = int(np.searchsorted(np.cumsum(counts[order]), least)) + 1
        cells = [cell for cell in np.sort(order[:enough]).tolist() if counts[cell]]
        spans = [(int(self.starts[cell]), int(self.starts[cell + 1])) for cell in cells]
        rows = np.concatenate([np.zeros(0, np.int64), *(np.arange(first, last) for first, last in spans)])
        made = np.concatenate([np.zeros(0), *(products(self.codes[first:last], asked) for first, last in spans)])
        if fits is not None:
            rows, made = rows[fits[rows]], made[fits[rows]]
        return rows, self._cosines(rows, made, asked)

    def _cosines(self, rows: NDArray[np.int64], made: NDArray[np.float64], asked: Codes) -> NDArray[np.float64]:
        lengths = np.sqrt(np.maximum(self.squares[rows], 1).astype(np.float64))
        found: NDArray[np.float64] = made / lengths / float(squares(asked)[0]) ** 0.5
        return found

    def _best(self, rows: NDArray[np.int64], cosines: NDArray[np.float64]) -> Found:
        owners = self.owners[rows]
        order = np.lexsort((rows, -cosines, owners))
        first = order[np.diff(owners[order], prepend=-1) != 0]
        return owners[first].astype(np.int64), cosines[first], rows[first]


def _nothing() -> Found:
    return np.zeros(0, np.int64), np.zeros(0), np.zeros(0, np.int64)


def divided(rows: Codes, cells: int = 0) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Return the centres of cells, by default twice the square root of the number of rows, and each row's cell.

    Spherical k-means on a sample (Dhillon and Modha, "Concept Decompositions for Large Sparse Text Data", 2001).
    """
    if not len(rows):
        return np.zeros((0, rows.shape[1]), np.float32), np.zeros(0, np.int64)
    count = max(1, min(cells or round(_CELLS * len(rows) ** 0.5), len(rows)))
    random = np.random.default_rng(0)
    sample = unit(rows[np.sort(random.choice(len(rows), min(len(rows), _SAMPLE * count), replace=False))])
    centres = sample[np.sort(random.choice(len(sample), count, replace=False))].copy()
    for _ in range(_ROUNDS):
        cell = _nearest_centre(sample, centres)
        order = np.argsort(cell, kind="stable")
        used, firsts = np.unique(cell[order], return_index=True)
        centres[used] = unit(np.add.reduceat(sample[order], firsts, axis=0))
    return centres, _nearest_centre(rows, centres)


def _nearest_centre(rows: NDArray[np.generic], centres: NDArray[np.float32]) -> NDArray[np.int64]:
    found = np.empty(len(rows), dtype=np.int64)
    turned = np.ascontiguousarray(centres.T)
    for start in range(0, len(rows), _BLOCK):
        found[start : start + _BLOCK] = (rows[start : start + _BLOCK].astype(np.float32) @ turned).argmax(axis=1)
    return found
