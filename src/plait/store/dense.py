"""Exact nearest neighbours over one matrix of passage vectors, the same for every store."""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from plait.model import Vector, Vectors


def nearest(
    matrix: Vectors, owners: Sequence[int], vector: Vector, k: int, allowed: Container[int] | None
) -> list[tuple[int, float, int]]:
    """Return (symbol number, cosine, row of its best passage), the k best by (-cosine, number).

    owners[row] is the number of the row's symbol, ascending. Cosines are rounded to 6 places, so that equal texts tie.
    """
    if not len(owners) or not vector.any():
        return []
    # einsum sums in a fixed order on one thread; a BLAS product may differ with the number of threads.
    cosines = np.einsum("ij,j->i", matrix, vector).round(6)
    of_row = np.asarray(owners, dtype=np.int64)
    starts = np.flatnonzero(np.diff(of_row, prepend=-1))
    best = np.maximum.reduceat(cosines, starts)
    chosen = np.arange(len(starts))
    if allowed is not None:
        chosen = np.array([place for place in chosen if int(of_row[starts[place]]) in allowed], dtype=np.int64)
    # A stable sort of numbers that ascend: equal cosines stay in the order of the symbol numbers.
    chosen = chosen[np.argsort(-best[chosen], kind="stable")][:k]
    ends = np.append(starts[1:], len(of_row))
    return [
        (
            int(of_row[starts[place]]),
            float(round(float(best[place]), 6)),
            int(starts[place] + np.argmax(cosines[starts[place] : ends[place]])),
        )
        for place in chosen
    ]
