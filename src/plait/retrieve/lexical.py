"""Search by words: BM25 over identifier-split terms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from plait.model import Query, Ranking
from plait.plugins import at_least, describe
from plait.protocols import Snapshot


@dataclass(frozen=True, slots=True)
class Lexical:
    """BM25 over the terms of code, qualified name and path."""

    name: ClassVar[str] = "lexical"
    depth: int = 1000
    """symbols ranked at most"""

    def __post_init__(self) -> None:
        at_least(self, depth=1)

    def retrieve(self, query: Query, snapshot: Snapshot) -> Ranking:
        return snapshot.matching(query.terms, self.depth, query.where)

    def __str__(self) -> str:
        return describe(self)
