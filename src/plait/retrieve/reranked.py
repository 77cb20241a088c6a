"""Another strategy's best candidates, read once more by a reranker: one more reason for each of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from plait import plugins
from plait.model import Query, Ranking, Reason, Source
from plait.plugins import at_least, describe
from plait.protocols import Reranker, Snapshot
from plait.ranking import rank


@dataclass(frozen=True, slots=True)
class Reranked:
    """What the reranker says adds up to `weight` times the distance between the first and the last that it reads.

    Nothing is taken from anybody, so those that it does not read stay below, as they were.
    """

    name: ClassVar[str] = "reranked"
    of: str = "additive"
    """the strategy's description"""
    by: str = "nearest"
    """the reranker's"""
    first: int = 30
    """candidates that are read"""
    weight: float = 1.0
    """1: as much as the strategy itself; 0: nothing"""

    def __post_init__(self) -> None:
        at_least(self, first=1, weight=0)
        plugins.described("reranker", self.by)

    def retrieve(self, query: Query, snapshot: Snapshot) -> Ranking:
        reranker: Reranker = plugins.build("reranker", self.by)
        found: Ranking = plugins.build("strategy", self.of).retrieve(query, snapshot)
        read = found.candidates[: self.first]
        if not read:
            return found
        texts = snapshot.texts([candidate.symbol for candidate in read])
        said = reranker.scores(query.text, [texts[candidate.symbol] for candidate in read])
        least, most = min(said), max(said)
        worth = self.weight * (read[0].score - read[-1].score) / (most - least) if most > least else 0.0
        name = plugins.described("reranker", self.by)
        again = [
            replace(
                candidate,
                reasons=(
                    *candidate.reasons,
                    Reason(Source.RERANK, round(worth * (score - least), 6), f"{name} {score:.3f}"),
                ),
            )
            for candidate, score in zip(read, said, strict=True)
        ]
        every = found.pool or found.candidates
        return rank([*again, *every[len(read) :]], limit=len(found.candidates), trace=found.trace)

    def __str__(self) -> str:
        return describe(self)
