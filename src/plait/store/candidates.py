"""From many scored documents to a ranking of the best: nothing is looked up about the others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from plait.model import Candidate, Ranking, Reason, Source, Span, SymbolId
from plait.ranking import ordered

if TYPE_CHECKING:
    from numpy.typing import NDArray

PLACES = 6
"""Decimals of a cosine: what differs less counts as equal."""

Ids = Callable[[list[int]], Sequence[SymbolId]]


def dense_ranking(
    numbers: NDArray[np.int64],
    cosines: NDArray[np.float64],
    k: int,
    template: str,
    *,
    allowed: NDArray[np.bool_] | None,
    ids: Ids,
    spans: Callable[[list[int]], Sequence[Span]],
) -> Ranking:
    """Return the k best documents by (-cosine, id), cosines rounded. `spans` is asked by place in `numbers`."""
    places = _best(numbers, cosines, k, allowed, margin=10.0**-PLACES)
    candidates = (
        Candidate(symbol, (Reason(Source.DENSE, cosine, template, span=span),))
        for symbol, cosine, span in zip(
            ids(numbers[places].tolist()), cosines[places].round(PLACES).tolist(), spans(places.tolist()), strict=True
        )
    )
    return _ranking(ordered(candidates)[:k])


def lexical_ranking(
    numbers: NDArray[np.int64],
    scores: NDArray[np.float64],
    k: int,
    *,
    allowed: NDArray[np.bool_] | None,
    ids: Ids,
) -> Ranking:
    """Return the k best documents by (-score, id)."""
    places = _best(numbers, scores, k, allowed)
    candidates = (
        Candidate(symbol, (Reason(Source.LEXICAL, score, "bm25"),))
        for symbol, score in zip(ids(numbers[places].tolist()), scores[places].tolist(), strict=True)
    )
    return _ranking(ordered(candidates)[:k])


def _ranking(best: tuple[Candidate, ...]) -> Ranking:
    return Ranking(best, best)


def _best(
    numbers: NDArray[np.int64],
    scores: NDArray[np.float64],
    k: int,
    allowed: NDArray[np.bool_] | None,
    margin: float = 0.0,
) -> NDArray[np.int64]:
    """Return the places of the k highest scores and of all that tie with the last of them: ids decide among those.

    Those that are lower by no more than the margin tie as well.
    """
    places = np.arange(len(numbers)) if allowed is None else np.flatnonzero(allowed[numbers])
    if k < len(places):
        found = scores[places]
        least = np.partition(found, len(found) - k)[len(found) - k]
        places = places[found >= least - margin]
    return places
