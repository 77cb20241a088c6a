"""BM25 over postings, the same for every store.

Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009, with the never negative
ln(1 + (n - df + 0.5) / (df + 0.5)) of Lucene for the inverse document frequency.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

K1 = 1.2
B = 0.75
"""Both: the usual defaults (Robertson and Zaragoza 2009, section 3.2; Lucene)."""


@dataclass(frozen=True, slots=True)
class TermScores:
    rarity: float
    """inverse document frequency"""
    documents: NDArray[np.uint32]
    """numbers of those that have the term, ascending"""
    addends: NDArray[np.float64]
    """what the term adds to the score of each"""


def term_scores(
    terms: Sequence[str],
    postings: Callable[[str], NDArray[np.uint32]],
    lengths: NDArray[np.uint32],
    alive: NDArray[np.bool_] | None = None,
) -> list[TermScores]:
    """Return what each term, given once, says about the documents that have it.

    lengths[i] is the number of terms in document i. postings(term) has a row (document number, occurrences) for each
    document with the term. Documents that are not alive are as if they were not there.
    """
    count = len(lengths) if alive is None else int(alive.sum())
    total = int(lengths.sum() if alive is None else lengths[alive].sum())
    average = total / count if count else 0.0
    found: list[TermScores] = []
    for term in terms:
        containing = postings(term)
        if alive is not None:
            containing = containing[alive[containing[:, 0]]]
        documents, occurrences = containing[:, 0], containing[:, 1].astype(np.float64)
        rarity = math.log(1 + (count - len(documents) + 0.5) / (len(documents) + 0.5))
        norms = K1 * (1 - B + B * lengths[documents] / average) if average else np.zeros(len(documents))
        addends = rarity * occurrences * (K1 + 1) / (occurrences + norms)
        found.append(TermScores(rarity, documents, addends))
    return found


def scores(
    terms: Sequence[str],
    postings: Callable[[str], NDArray[np.uint32]],
    lengths: NDArray[np.uint32],
    alive: NDArray[np.bool_] | None = None,
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the numbers, ascending, of the documents with at least one of the terms, and their scores to 6 places.

    A term that is given twice counts once; else as `term_scores`.
    """
    return total(term_scores(tuple(dict.fromkeys(terms)), postings, lengths, alive), len(lengths))


def total(parts: Sequence[TermScores], count: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Add up what terms say about `count` documents, as `scores` returns it."""
    found = np.zeros(count)
    hit = np.zeros(count, dtype=np.bool_)
    for part in parts:
        found[part.documents] += part.addends
        hit[part.documents] = True
    numbers = np.flatnonzero(hit)
    return numbers, found[numbers].round(6)
