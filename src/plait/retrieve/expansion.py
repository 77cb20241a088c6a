"""Graph evidence that adds and never removes: what a symbol gains from being next to a good candidate."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from plait.model import Direction, Edge, EdgeKind, Evidence, Filter, Reason, Source, Step, Symbol, SymbolId
from plait.protocols import Snapshot

_CALLS = (EdgeKind.CALLS,)


class Walk(Enum):
    CALLS = (Direction.OUT,)
    CALLED_BY = (Direction.IN,)
    BOTH = (Direction.OUT, Direction.IN)


@dataclass(frozen=True, slots=True)
class Expansion:
    steps: tuple[Step, ...] = ()
    """by hop, callees before callers; one for each symbol that gained something"""
    reasons: Mapping[SymbolId, Reason] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Expander:
    """Walks from seeds and gives each symbol that it reaches one reason.

    A step is worth weight * score of its start * confidence of the edge / log2(1 + d), where d is how many symbols call
    the one reached (walking to a caller: how many symbols that one calls): what everybody calls says little about this
    seed. Of several steps to one symbol the best counts, not the sum. The next hop starts from what was passed on.
    """

    walk: Walk
    hops: int
    same_module: bool
    """only edges whose ends lie in one module"""
    hub_degree: int
    """a symbol with so many callers is a hub: it can be reached, but its callers are not walked to, nor is anything
    beyond it"""
    min_evidence: Evidence
    weight: float

    def expand(self, seeds: Mapping[SymbolId, float], snapshot: Snapshot, where: Filter = Filter()) -> Expansion:
        """Return what the symbols that `where` accepts gain from the seeds (symbol -> score above 0).

        On the first hop seeds can gain from each other.
        """
        if self.weight <= 0:
            return Expansion()
        known = _by_id(snapshot, list(seeds))
        strength = {symbol: score for symbol, score in seeds.items() if symbol in known and score > 0}
        frontier = list(strength)
        gained: dict[SymbolId, Step] = {}
        reasons: dict[SymbolId, Reason] = {}
        for hop in range(1, self.hops + 1):
            if not frontier:
                break
            callers = snapshot.degree(frontier, _CALLS, Direction.IN)
            found: dict[SymbolId, Step] = {}
            for direction in self.walk.value:
                starts = [
                    symbol
                    for symbol in frontier
                    if callers[symbol] < self.hub_degree or (hop == 1 and direction is Direction.OUT)
                ]
                steps = [Step(edge, direction, hop) for edge in self._edges(snapshot, starts, direction)]
                ends = sorted({step.reached for step in steps})
                known |= _by_id(snapshot, ends)
                degree = snapshot.degree(ends, _CALLS, _opposite(direction))
                for step in steps:
                    start, end = _start(step), step.reached
                    if end in gained or (hop > 1 and end in seeds) or not self._may(known[start], known[end], where):
                        continue
                    value = self.weight * strength[start] * step.edge.confidence / math.log2(1 + degree[end])
                    if end not in found or value > reasons[end].value:
                        reasons[end] = Reason(Source.EDGE, value, _told(step, known), edge=step.edge)
                        found[end] = step
            gained |= found
            strength |= {symbol: reasons[symbol].value for symbol in found if symbol not in seeds}
            frontier = [symbol for symbol in found if symbol not in seeds]
        return Expansion(tuple(gained.values()), reasons)

    def _edges(self, snapshot: Snapshot, starts: list[SymbolId], direction: Direction) -> list[Edge]:
        return [
            edge
            for edge in snapshot.edges(starts, _CALLS, direction)
            if edge.evidence >= self.min_evidence and edge.source != edge.target
        ]

    def _may(self, start: Symbol, end: Symbol, where: Filter) -> bool:
        return where.accepts(end) and (not self.same_module or start.module == end.module)


def _by_id(snapshot: Snapshot, ids: list[SymbolId]) -> dict[SymbolId, Symbol]:
    return {symbol.id: symbol for symbol in snapshot.symbols(ids)}


def _opposite(direction: Direction) -> Direction:
    return Direction.IN if direction is Direction.OUT else Direction.OUT


def _start(step: Step) -> SymbolId:
    return step.edge.source if step.direction is Direction.OUT else step.edge.target


def _told(step: Step, known: Mapping[SymbolId, Symbol]) -> str:
    verb = "called by" if step.direction is Direction.OUT else "calls"
    return f"{verb} {known[_start(step)].name} ({step.edge.path}:{step.edge.line})"
