"""The one total order of candidates, and what is built on it: rankings, cuts, fusion.

Nothing else in plait sorts candidates.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import overload

from plait.model import Candidate, Ranking, Reason, Source, SymbolId, Trace

RRF_K = 60
"""Cormack, Clarke and Büttcher, "Reciprocal rank fusion outperforms Condorcet and individual rank learning methods",
SIGIR 2009: the constant of their pilot study, used unchanged since."""


def ordered(candidates: Iterable[Candidate]) -> tuple[Candidate, ...]:
    """By (-score, symbol id): ties are broken by the id, so the order is total."""
    return tuple(sorted(candidates, key=lambda candidate: (-candidate.score, candidate.symbol)))


def rank(candidates: Iterable[Candidate], *, limit: int | None = None, trace: Trace = Trace()) -> Ranking:
    """Order the candidates and keep the first `limit` of them (all if None); the pool keeps every one."""
    pool = ordered(candidates)
    return Ranking(candidates=pool[:limit], pool=pool, trace=trace)


class Written(Sequence[Candidate]):
    """Candidates by place, best first, whose reasons are written when they are looked at."""

    def __init__(self, count: int, write: Callable[[int], Candidate]) -> None:
        self._count = count
        self._write = write

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, place: int) -> Candidate: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Candidate, ...]: ...
    def __getitem__(self, place: int | slice) -> Candidate | tuple[Candidate, ...]:
        if isinstance(place, slice):
            return tuple(map(self._write, range(*place.indices(self._count))))
        return self._write(range(self._count)[place])


def positions(candidates: Sequence[Candidate]) -> dict[SymbolId, int]:
    """Symbol -> 1-based rank."""
    return {candidate.symbol: place for place, candidate in enumerate(candidates, start=1)}


def reciprocal_ranks(ranking: Ranking, source: Source, weight: float = 1.0, k: int = RRF_K) -> dict[SymbolId, Reason]:
    """Symbol -> a reason worth weight / (k + rank), whose detail names the rank and the strand's own score."""
    return {
        candidate.symbol: Reason(
            source=source,
            value=weight / (k + place),
            detail=f"rank {place}, {candidate.score:.3f}",
            span=next((reason.span for reason in candidate.reasons if reason.span), None),
        )
        for place, candidate in enumerate(ranking.candidates, start=1)
    }


def merge(strands: Iterable[Mapping[SymbolId, Reason]]) -> list[Candidate]:
    """One candidate for each symbol of any strand, its reasons in the order of the strands."""
    reasons: dict[SymbolId, list[Reason]] = {}
    for strand in strands:
        for symbol, reason in strand.items():
            reasons.setdefault(symbol, []).append(reason)
    return [Candidate(symbol, tuple(found)) for symbol, found in reasons.items()]
