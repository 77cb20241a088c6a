"""Arithmetic on rows of vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from plait.model import Vectors


def unit(rows: Vectors) -> Vectors:
    """Return the rows scaled to unit length; rows of zeros stay as they are."""
    norms = np.sqrt(np.einsum("ij,ij->i", rows, rows))[:, None]
    scaled: Vectors = np.divide(rows, norms, out=np.zeros_like(rows), where=norms > 0)
    return scaled
