"""Plain vector search: the base that every other strategy is compared with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from plait.model import Query, Ranking
from plait.plugins import at_least, describe
from plait.protocols import Snapshot


@dataclass(frozen=True, slots=True)
class Vector:
    """Cosine between the question and the raw code of each symbol."""

    name: ClassVar[str] = "vector"
    depth: int = 1000
    """symbols ranked at most"""

    def __post_init__(self) -> None:
        at_least(self, depth=1)

    def retrieve(self, query: Query, snapshot: Snapshot) -> Ranking:
        return snapshot.nearest(query.vector, self.depth, query.where)

    def __str__(self) -> str:
        return describe(self)
