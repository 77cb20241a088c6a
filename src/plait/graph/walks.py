"""Walks along calls, nearest first: neighbours to a depth, and the shortest chain from one symbol to another.

A walk takes a layer at a time, so a cycle ends it and a long chain takes no stack. It never goes on *through* a class:
the calls of a class are those of its body, which runs once when the class is defined, and calls of a class run its
constructor, which is a symbol of its own. A class that is asked about is its two ends, see `plait.questions.ends`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

from plait.model import Direction, Edge, EdgeKind, Evidence, SymbolId

Edges = Callable[[Collection[SymbolId], Collection[EdgeKind], Direction], Sequence[Edge]]
"""`Snapshot.edges`"""

CALLS = (EdgeKind.CALLS,)


@dataclass(frozen=True, slots=True)
class Reach:
    """A symbol that a walk came to, with the edge that led to it."""

    symbol: SymbolId
    hop: int
    """1 for a neighbour of a start"""
    edge: Edge


@dataclass(frozen=True, slots=True)
class Chain:
    """What a search for a path found."""

    steps: tuple[Edge, ...] | None
    """the calls (or overriding, see `shortest`) from first to last; None if no chain is known"""
    reached: tuple[SymbolId, ...]
    """the starts and all that they reach, nearest first; where a chain was found, only what was seen until then"""


def is_class(symbol: SymbolId) -> bool:
    return symbol.endswith("#")


def trust(edge: Edge) -> tuple[object, ...]:
    """A key that puts the edge to be shown first: strongest evidence, then confidence, then site and ids."""
    return (-edge.evidence, -edge.confidence, edge.path, edge.line, edge.source, edge.target, edge.via)


def end(edge: Edge, direction: Direction) -> SymbolId:
    """The symbol to which a walk in that direction comes over the edge."""
    return edge.target if direction is Direction.OUT else edge.source


def best(edges: Iterable[Edge], direction: Direction, weakest: Evidence = Evidence.AMBIGUOUS) -> dict[SymbolId, Edge]:
    """For each end the most trusted of the edges that lead to it; edges with less than that evidence are left out."""
    found: dict[SymbolId, Edge] = {}
    for edge in edges:
        if edge.evidence >= weakest:
            other = end(edge, direction)
            if other not in found or trust(edge) < trust(found[other]):
                found[other] = edge
    return found


def nearest_first(found: Iterable[Reach]) -> list[Reach]:
    return sorted(found, key=lambda reach: (reach.hop, reach.edge.path, reach.edge.line, reach.symbol))


def walk(
    edges: Edges,
    starts: Iterable[SymbolId],
    direction: Direction,
    *,
    depth: int | None = 1,
    weakest: Evidence = Evidence.AMBIGUOUS,
    stops: Collection[SymbolId] = (),
) -> list[Reach]:
    """Return each symbol within that many calls once, nearest first, then by the site of its edge.

    A start is among them if it is reached from a start, by recursion. `stops` are reached, but not gone on from.
    Without a depth the walk ends when nothing new is found.
    """
    layer = sorted(dict.fromkeys(starts))
    taken = set(layer)
    found: dict[SymbolId, Reach] = {}
    hop = 0
    while layer and (depth is None or hop < depth):
        hop += 1
        new = best(edges(layer, CALLS, direction), direction, weakest)
        found.update({symbol: Reach(symbol, hop, edge) for symbol, edge in new.items() if symbol not in found})
        layer = sorted(one for one in new if one not in taken and not is_class(one) and one not in stops)
        taken.update(layer)
    return nearest_first(found.values())


def shortest(edges: Edges, starts: Iterable[SymbolId], goals: Iterable[SymbolId], *, dispatch: bool = False) -> Chain:
    """Return the shortest chain of at least one step; among equally short ones that with the smallest ids in order.

    A chain from a symbol to itself is recursion. With dispatch a step also leads from a method to what overrides it,
    which a call of the first may run; its edge is the OVERRIDES edge, read from its target.
    """
    wanted = frozenset(goals)
    layer = sorted(dict.fromkeys(starts))
    led: dict[SymbolId, tuple[SymbolId, Edge] | None] = dict.fromkeys(layer)
    while layer:
        steps: dict[SymbolId, dict[SymbolId, Edge]] = {symbol: {} for symbol in layer}
        found = [(edge.source, edge.target, edge) for edge in edges(layer, CALLS, Direction.OUT)]
        if dispatch:
            overriding = edges(layer, (EdgeKind.OVERRIDES,), Direction.IN)
            found += [(edge.target, edge.source, edge) for edge in overriding]
        for source, target, edge in found:
            known = steps[source].get(target)
            if known is None or trust(edge) < trust(known):
                steps[source][target] = edge
        following: list[SymbolId] = []
        # Sources stand in the order of their chains, so the first one to reach a symbol does so by the smallest.
        for source in layer:
            for target in sorted(steps[source]):
                if target in wanted:
                    return Chain(_back(source, steps[source][target], led), tuple(led))
            for target in sorted(steps[source]):
                if target not in led and not is_class(target):
                    led[target] = (source, steps[source][target])
                    following.append(target)
        layer = following
    return Chain(None, tuple(led))


def _back(source: SymbolId, last: Edge, led: dict[SymbolId, tuple[SymbolId, Edge] | None]) -> tuple[Edge, ...]:
    steps = [last]
    while (before := led[source]) is not None:
        source, edge = before
        steps.append(edge)
    return tuple(reversed(steps))
