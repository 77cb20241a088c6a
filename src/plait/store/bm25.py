"""BM25 over postings, the same for every store.

Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009, with the never negative
ln(1 + (n - df + 0.5) / (df + 0.5)) of Lucene for the inverse document frequency.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

K1 = 1.2
B = 0.75
"""Both: the usual defaults (Robertson and Zaragoza 2009, section 3.2; Lucene)."""


def scores(
    terms: Sequence[str],
    postings: Callable[[str], NDArray[np.uint32]],
    lengths: NDArray[np.uint32],
    alive: NDArray[np.bool_] | None = None,
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the numbers, ascending, of the documents with at least one of the terms, and their scores to 6 places.

    A term that is given twice counts once. lengths[i] is the number of terms in document i. postings(term) has a row
    (document number, occurrences) for each document with the term. Documents that are not alive are as if they were
    not there.
    """
    count = len(lengths) if alive is None else int(alive.sum())
    total = int(lengths.sum() if alive is None else lengths[alive].sum())
    average = total / count if count else 0.0
    norms = K1 * (1 - B + B * lengths / average) if average else np.zeros(len(lengths))
    found = np.zeros(len(lengths))
    hit = np.zeros(len(lengths), dtype=np.bool_)
    for term in dict.fromkeys(terms):
        containing = postings(term)
        if alive is not None:
            containing = containing[alive[containing[:, 0]]]
        documents, occurrences = containing[:, 0], containing[:, 1].astype(np.float64)
        weight = math.log(1 + (count - len(documents) + 0.5) / (len(documents) + 0.5))
        found[documents] += weight * occurrences * (K1 + 1) / (occurrences + norms[documents])
        hit[documents] = True
    numbers = np.flatnonzero(hit)
    return numbers, found[numbers].round(6)
