"""Arithmetic on rows of vectors, and the eight bits that are kept of each number.

What is stored, compared and computed with is always the codes of a vector: whole numbers from -127 to 127, in
proportion to its components. So products of vectors are whole numbers, the same on every machine and with any number of
threads, and a vector that is read from an index is the one that would be computed anew.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from plait.model import Codes, Vectors

LEVELS = 127


def unit(rows: NDArray[Any]) -> Vectors:
    """Return the rows scaled to unit length; rows of zeros stay as they are."""
    exact = rows.astype(np.float32, copy=False)
    norms = np.sqrt(np.einsum("ij,ij->i", exact, exact))[:, None]
    scaled: Vectors = np.divide(exact, norms, out=np.zeros_like(exact), where=norms > 0)
    return scaled


def codes(rows: Vectors) -> Codes:
    """Return the codes of each row: its components times 127 / the largest of them, rounded; `codes(unit(c)) == c`."""
    largest = np.abs(rows).max(axis=1, keepdims=True, initial=0.0)
    scaled = np.divide(rows * np.float32(LEVELS), largest, out=np.zeros_like(rows), where=largest > 0)
    found: Codes = np.rint(scaled).astype(np.int8)
    return found


def squares(rows: Codes) -> NDArray[np.int32]:
    """Return the squared length of each row of codes."""
    found = np.zeros(len(rows), dtype=np.int32)
    for start in range(0, len(rows), 8192):
        part = rows[start : start + 8192].astype(np.int32)
        found[start : start + 8192] = np.einsum("ij,ij->i", part, part)
    return found
