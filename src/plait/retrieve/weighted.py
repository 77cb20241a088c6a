"""Another strategy's candidates by the same reasons, each kind of them worth more or less: what `plait tune` fits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

from plait import plugins
from plait.model import Candidate, Query, Ranking, Source
from plait.plugins import at_least, describe
from plait.protocols import Snapshot
from plait.ranking import rank


@dataclass(frozen=True, slots=True)
class Weighted:
    """Every reason of a kind times that kind's weight. All weights 1 give the strategy's own ranking.

    What is a candidate, and how many of them are kept, stays as it was; one whose reasons are all worth 0 is none.
    """

    name: ClassVar[str] = "weighted"
    of: str = "additive"
    """the strategy's description"""
    lexical: float = 1.0
    dense: float = 1.0
    structure: float = 1.0
    edge: float = 1.0
    exact_name: float = 1.0
    path: float = 1.0
    prior: float = 1.0
    penalty: float = 1.0
    file: float = 1.0
    rerank: float = 1.0

    def __post_init__(self) -> None:
        at_least(self, **dict.fromkeys(FIELDS.values(), 0.0))

    @property
    def weights(self) -> Mapping[Source, float]:
        return {source: getattr(self, field) for source, field in FIELDS.items()}

    def retrieve(self, query: Query, snapshot: Snapshot) -> Ranking:
        found: Ranking = plugins.build("strategy", self.of).retrieve(query, snapshot)
        weights = self.weights
        weighed = [
            Candidate(
                candidate.symbol,
                tuple(
                    replace(reason, value=reason.value * weights[reason.source])
                    for reason in candidate.reasons
                    if weights[reason.source]
                ),
            )
            for candidate in found.pool or found.candidates
        ]
        return rank((one for one in weighed if one.reasons), limit=len(found.candidates), trace=found.trace)

    def __str__(self) -> str:
        return describe(self)


FIELDS: Mapping[Source, str] = {source: "exact_name" if source is Source.NAME else str(source) for source in Source}
"""Source -> the field with its weight; `name` is what the strategy is called by."""


def weighted(of: str, weights: Mapping[Source, float]) -> Weighted:
    """Return the strategy with those weights; of sources that are not named, 1."""
    return Weighted(of, **{FIELDS[source]: weight for source, weight in weights.items()})
