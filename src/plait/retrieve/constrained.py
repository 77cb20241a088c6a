"""Vector search with careful graph evidence: one hop along CALLS, within the module, mindful of hubs, only adding."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from plait.model import Evidence, Query, Ranking, Trace
from plait.plugins import at_least, describe
from plait.protocols import Snapshot
from plait.ranking import merge, rank
from plait.retrieve.expansion import Expander, Walk


@dataclass(frozen=True, slots=True)
class Constrained:
    """The plain vector ranking, in which neighbours of the first few symbols gain a part of their score.

    Do no harm: every symbol of the vector ranking stays a candidate with its full score, so one can leave the top k
    only because others above it carry an edge as their reason.
    """

    name: ClassVar[str] = "constrained"
    seeds: int = 3
    walk: Walk = Walk.CALLS
    hops: int = 1
    same_module: bool = True
    hub_degree: int = 10
    min_evidence: Evidence = Evidence.NAME
    weight: float = 0.5
    """part of a seed's score that a certain edge to an otherwise unconnected symbol passes on; not tuned"""
    depth: int = 1000
    """symbols of the vector ranking taken at most"""

    def __post_init__(self) -> None:
        at_least(self, seeds=0, hops=0, hub_degree=1, weight=0, depth=1)

    def retrieve(self, query: Query, snapshot: Snapshot) -> Ranking:
        base = snapshot.nearest(query.vector, self.depth, query.where).candidates
        seeds = {candidate.symbol: candidate.score for candidate in base[: self.seeds]}
        expander = Expander(
            walk=self.walk,
            hops=self.hops,
            same_module=self.same_module,
            hub_degree=self.hub_degree,
            min_evidence=self.min_evidence,
            weight=self.weight,
        )
        expansion = expander.expand(seeds, snapshot, query.where)
        vector = {candidate.symbol: candidate.reasons[0] for candidate in base}
        return rank(merge([vector, expansion.reasons]), trace=Trace(tuple(seeds), expansion.steps))

    def __str__(self) -> str:
        return describe(self)
