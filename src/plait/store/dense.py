"""Exact nearest neighbours over the codes of passage vectors, the same for every store."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from plait.vectors import codes as codes_of
from plait.vectors import squares

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from plait.model import Codes, Vector

_ROWS = 8192
"""Rows that are widened at once where simsimd is not installed."""


@dataclass(frozen=True)
class Matrix:
    """The passages of one template, row by row, in the order of the documents."""

    codes: Codes
    squares: NDArray[np.int32]
    """squared length of each row"""
    owners: NDArray[np.uint32]
    """number of the document that each row belongs to, ascending"""

    @cached_property
    def lengths(self) -> NDArray[np.float64]:
        """Of each row; 1 for a row of zeros, whose products are 0."""
        return np.sqrt(np.maximum(self.squares, 1).astype(np.float64))

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """The first row of each document that has one."""
        return np.flatnonzero(np.diff(self.owners.astype(np.int64), prepend=-1))

    @cached_property
    def documents(self) -> NDArray[np.int64]:
        """The numbers of the documents that have a row, ascending."""
        return self.owners[self.starts].astype(np.int64)

    @cached_property
    def several(self) -> NDArray[np.int64]:
        """The places in `starts` of documents with more than one row."""
        return np.flatnonzero(np.diff(self.starts, append=len(self.owners)) > 1)

    @cached_property
    def of_several(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The rows of those documents, and where among these each document's begin."""
        counts = np.diff(self.starts, append=len(self.owners))[self.several]
        first = np.cumsum(counts) - counts
        return np.repeat(self.starts[self.several] - first, counts) + np.arange(counts.sum()), first


def best_passages(matrix: Matrix, vector: Vector) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]]:
    """Return, for each document with a passage: its number, ascending; its cosine; the row of its best passage.

    Cosines are those of the codes; equal passages have equal ones, and the first of them counts. None are returned for
    a question of zeros.
    """
    if not len(matrix.owners) or not vector.any():
        return np.zeros(0, np.int64), np.zeros(0), np.zeros(0, np.int64)
    asked = codes_of(vector[None, :])
    cosines = products(matrix.codes, asked) / matrix.lengths / float(squares(asked)[0]) ** 0.5
    best, rows = cosines[matrix.starts], matrix.starts.copy()
    several = matrix.several
    if len(several):
        own, first = matrix.of_several
        some = cosines[own]
        highest = np.maximum.reduceat(some, first)
        counts = np.diff(first, append=len(own))
        place = np.where(some == np.repeat(highest, counts), own, len(cosines))
        best[several], rows[several] = highest, np.minimum.reduceat(place, first)
    return matrix.documents, best, rows


def products(rows: Codes, asked: Codes) -> NDArray[np.float64]:
    """Return the product of each row with the one that is asked for. Whole numbers, so any order of adding is exact."""
    if not len(rows):
        return np.zeros(0)
    try:
        from simsimd import cdist
    except ImportError:  # no wheel for this platform
        wide = asked[0].astype(np.float64)
        found = np.empty(len(rows))
        for start in range(0, len(rows), _ROWS):
            found[start : start + _ROWS] = rows[start : start + _ROWS].astype(np.float64) @ wide
        return found
    products: NDArray[np.float64] = np.asarray(cdist(asked, rows, metric="dot"), dtype=np.float64)[0]
    return products
