"""Exact nearest neighbours over the codes of passage vectors, the same for every store."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from plait.vectors import codes as codes_of
from plait.vectors import squares

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from plait.model import Codes, Vector

_ROWS = 8192
"""Rows that are widened at once where simsimd is not installed."""


@dataclass(frozen=True, slots=True)
class Matrix:
    """The passages of one template, row by row, in the order of the documents."""

    codes: Codes
    squares: NDArray[np.int32]
    """squared length of each row"""
    owners: NDArray[np.uint32]
    """number of the document that each row belongs to, ascending"""


def best_passages(matrix: Matrix, vector: Vector) -> tuple[NDArray[np.uint32], NDArray[np.float64], NDArray[np.int64]]:
    """Return, for each document with a passage: its number, ascending; its cosine; the row of its best passage.

    Cosines are those of the codes, exact and then rounded to 6 places, so that equal texts tie; of equal passages the
    first counts.
    """
    if not len(matrix.owners) or not vector.any():
        return np.zeros(0, np.uint32), np.zeros(0), np.zeros(0, np.int64)
    asked = codes_of(vector[None, :])
    lengths = np.sqrt(matrix.squares.astype(np.float64) * float(squares(asked)[0]))
    products = _products(matrix.codes, asked)
    cosines = np.divide(products, lengths, out=np.zeros_like(products), where=lengths > 0).round(6)
    starts = np.flatnonzero(np.diff(matrix.owners.astype(np.int64), prepend=-1))
    if len(starts) == len(cosines):
        return matrix.owners, cosines, starts
    best = np.maximum.reduceat(cosines, starts)
    counts = np.diff(np.append(starts, len(cosines)))
    place = np.where(cosines == np.repeat(best, counts), np.arange(len(cosines)), len(cosines))
    return matrix.owners[starts], best, np.minimum.reduceat(place, starts)


def _products(rows: Codes, asked: Codes) -> NDArray[np.float64]:
    """Return the product of each row with the one that is asked for. Whole numbers, so any order of adding is exact."""
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
