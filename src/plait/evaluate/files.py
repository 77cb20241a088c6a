"""Judging by file: a file stands where the first of its symbols stands."""

from __future__ import annotations

from collections.abc import Sequence

from plait.model import Candidate, Ranking, SymbolId
from plait.parse.naming import module_id


def file_id(path: str) -> SymbolId:
    """The id that stands for a file: that of its module."""
    return module_id(path)


def by_file(ranking: Ranking) -> Ranking:
    """Return the ranking of files, each with the reasons of its first symbol. What was walked stays as it is."""
    pool = ranking.pool or ranking.candidates
    kept = _first(ranking.candidates)
    return Ranking(candidates=kept, pool=_first(pool), trace=ranking.trace)


def _first(candidates: Sequence[Candidate]) -> tuple[Candidate, ...]:
    found: dict[SymbolId, Candidate] = {}
    for candidate in candidates:
        file = SymbolId(f"{candidate.symbol.partition(':')[0]}:/")
        found.setdefault(file, Candidate(file, candidate.reasons))
    return tuple(found.values())
