"""BM25 over postings, the same for every store.

Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009, with the never negative
ln(1 + (n - df + 0.5) / (df + 0.5)) of Lucene for the inverse document frequency.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Sequence

from plait.model import Candidate, Ranking, Reason, Source, SymbolId
from plait.ranking import ordered

K1 = 1.2
B = 0.75
"""Both: the usual defaults (Robertson and Zaragoza 2009, section 3.2; Lucene)."""

Posting = tuple[int, int]
"""(document number, occurrences of the term in it), by document number"""


def scores(
    terms: Sequence[str],
    postings: Callable[[str], Sequence[Posting]],
    lengths: Sequence[int],
) -> dict[int, float]:
    """Return document number -> score, rounded to 6 places, for every document with at least one of the terms.

    A term that is given twice counts once. lengths[i] is the number of terms in document i.
    """
    count = len(lengths)
    average = sum(lengths) / count if count else 0.0
    found: dict[int, float] = {}
    for term in dict.fromkeys(terms):
        containing = postings(term)
        weight = math.log(1 + (count - len(containing) + 0.5) / (len(containing) + 0.5))
        for document, occurrences in containing:
            norm = K1 * (1 - B + B * lengths[document] / average)
            found[document] = found.get(document, 0.0) + weight * occurrences * (K1 + 1) / (occurrences + norm)
    return {document: round(score, 6) for document, score in found.items()}


def matching(
    ids: Sequence[SymbolId],
    terms: Sequence[str],
    postings: Callable[[str], Sequence[Posting]],
    lengths: Sequence[int],
    k: int,
    allowed: Container[int] | None,
) -> Ranking:
    """Return the k best symbols, ids[i] being that of document i; only those whose number is allowed, if not None."""
    candidates = (
        Candidate(ids[number], (Reason(Source.LEXICAL, score, "bm25"),))
        for number, score in scores(terms, postings, lengths).items()
        if allowed is None or number in allowed
    )
    best = ordered(candidates)[:k]
    return Ranking(best, best)
