"""Vector search over vectors with structure in them: nothing is walked when a question is asked."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from plait.errors import BadParameter
from plait.model import Candidate, Query, Ranking, Source
from plait.plugins import at_least, describe
from plait.protocols import Snapshot

TEMPLATES = ("structural", "smoothed")


@dataclass(frozen=True, slots=True)
class Structural:
    """Cosine between the question and code that was embedded with module, calls and called_by.

    `smoothed` instead takes plain vectors that were moved towards their neighbours in the call graph.
    """

    name: ClassVar[str] = "structural"
    template: str = "structural"
    depth: int = 1000
    """symbols ranked at most"""

    def __post_init__(self) -> None:
        at_least(self, depth=1)
        if self.template not in TEMPLATES:
            raise BadParameter(f"structural: template must be one of {', '.join(TEMPLATES)}, not {self.template!r}")

    def retrieve(self, query: Query, snapshot: Snapshot) -> Ranking:
        ranking = snapshot.nearest(query.vector, self.depth, query.where, self.template)
        candidates = tuple(
            Candidate(found.symbol, tuple(replace(reason, source=Source.STRUCTURE) for reason in found.reasons))
            for found in ranking.candidates
        )
        return Ranking(candidates, candidates)

    def __str__(self) -> str:
        return describe(self)
