"""The published experiment's graph retrieval, exactly: the thing to do better than.

It is the vector ranking filtered to the neighbourhood of its seeds. Since the rerank is by the same vector score, a
symbol of the plain top k has fewer than k symbols above it in any pool; so it can be lost in one way only, by never
becoming a candidate, and never by being crowded out. (Proved by property in the tests.)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from plait.model import Direction, EdgeKind, Query, Ranking, Step, SymbolId, Trace
from plait.plugins import at_least, describe
from plait.protocols import Snapshot


@dataclass(frozen=True, slots=True)
class Naive:
    """Vector seeds, breadth-first over CALLS and CALLED_BY, everything reached reranked by vector score, cut."""

    name: ClassVar[str] = "naive"
    seeds: int = 3
    hops: int = 2
    k: int = 5
    """candidates kept"""

    def __post_init__(self) -> None:
        at_least(self, seeds=1, hops=0, k=1)

    def retrieve(self, query: Query, snapshot: Snapshot) -> Ranking:
        ranked = snapshot.nearest(query.vector, snapshot.info.symbols, query.where).candidates
        seeds = tuple(candidate.symbol for candidate in ranked[: self.seeds])
        steps = walk(seeds, self.hops, snapshot)
        reached = {*seeds, *(step.reached for step in steps)}
        pool = tuple(candidate for candidate in ranked if candidate.symbol in reached)
        return Ranking(pool[: self.k], pool, Trace(seeds, steps))

    def __str__(self) -> str:
        return describe(self)


def walk(seeds: tuple[SymbolId, ...], hops: int, snapshot: Snapshot) -> tuple[Step, ...]:
    """Return, breadth first, the edge by which each symbol was first reached.

    Within a hop, callees come before callers, and edges in the order of their ends.
    """
    seen = set(seeds)
    frontier = list(seeds)
    steps: list[Step] = []
    for hop in range(1, hops + 1):
        if not frontier:
            break
        reached: list[SymbolId] = []
        for direction in (Direction.OUT, Direction.IN):
            for edge in snapshot.edges(frontier, [EdgeKind.CALLS], direction):
                step = Step(edge, direction, hop)
                if step.reached not in seen:
                    seen.add(step.reached)
                    reached.append(step.reached)
                    steps.append(step)
        frontier = reached
    return tuple(steps)
