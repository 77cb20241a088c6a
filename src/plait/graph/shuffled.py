"""A placebo: a call graph in which every symbol calls and is called as often as before, but not whom it does."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from plait import plugins
from plait.facts import ParsedFile
from plait.model import Edge, EdgeKind, Graph, Known, Position, SymbolId
from plait.protocols import JoiningGraphBuilder

TRIES = 100
"""Tried swaps for each pair of caller and callee: Milo and others, "On the uniform generation of random graphs with
prescribed degree sequences" (2003), find so many more than adequate."""


@dataclass(frozen=True, slots=True)
class ShuffledGraph:
    """The graph of another builder with the targets of its calls swapped, two pairs at a time.

    A pair is a caller and a callee, whatever the sites between them; a swap makes no pair twice and nobody call itself.
    So each symbol keeps how many others it calls and how many call it, and each site its line and evidence. Edges that
    are no calls stay.
    """

    name: ClassVar[str] = "shuffled"
    of: str = "flow"
    """the builder's description"""
    seed: int = 1

    def build(self, files: Sequence[ParsedFile]) -> Graph:
        return shuffled(plugins.build("graph", self.of).build(files), self.seed)

    def build_with(self, files: Sequence[ParsedFile], known: Mapping[Position, Known]) -> Graph:
        builder = plugins.build("graph", self.of)
        if isinstance(builder, JoiningGraphBuilder):
            return shuffled(builder.build_with(files, known), self.seed)
        return shuffled(builder.build(files), self.seed)

    def __str__(self) -> str:
        return plugins.describe(self)


def shuffled(graph: Graph, seed: int) -> Graph:
    sites: dict[tuple[SymbolId, SymbolId], list[Edge]] = {}
    others = []
    for edge in graph.edges:
        if edge.kind is EdgeKind.CALLS and edge.source != edge.target:
            sites.setdefault((edge.source, edge.target), []).append(edge)
        else:
            others.append(edge)
    before = sorted(sites)
    pairs, taken = list(before), set(before)
    chance = random.Random(seed)
    for _ in range(TRIES * len(pairs) if len(pairs) > 1 else 0):
        one, other = chance.randrange(len(pairs)), chance.randrange(len(pairs))
        (a, b), (c, d) = pairs[one], pairs[other]
        if a == d or c == b or (a, d) in taken or (c, b) in taken:
            continue
        taken -= {(a, b), (c, d)}
        taken |= {(a, d), (c, b)}
        pairs[one], pairs[other] = (a, d), (c, b)
    moved = [
        replace(edge, target=target) for old, (_, target) in zip(before, pairs, strict=True) for edge in sites[old]
    ]
    edges = sorted((*moved, *others), key=lambda edge: (edge.source, edge.target, edge.kind, edge.via))
    return Graph(tuple(edges), graph.unresolved)
