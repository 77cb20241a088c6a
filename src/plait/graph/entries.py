"""Flows: what runs when something is called that nothing here calls.

The weakly connected parts of a call graph (`analyse.flows`) tell nothing about a big repository: one part holds nearly
all of it. So a flow here is an entry point with all that it reaches. What most flows would share is folded: a hub ends
the flows that reach it, is named there, and starts one of its own. Every symbol that takes part in calls is in a flow.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from plait.graph.analyse import call_pairs, components, hubs
from plait.graph.walks import is_class
from plait.model import Edge, SymbolId

FOLDED_FROM = 5
"""Callers that a hub (`analyse.hubs`) must have to be folded. Not measured: in a small repository nothing is folded."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A flow by its beginning."""

    symbol: SymbolId
    """of several that call one another in a circle the one with the smallest id"""
    reaches: int
    """symbols reached, hubs included, the entry itself not"""
    is_hub: bool


def folded(edges: Sequence[Edge]) -> list[SymbolId]:
    """The hubs that end a flow, most called first."""
    return [hub.symbol for hub in hubs(edges) if hub.callers >= FOLDED_FROM]


def entries(edges: Sequence[Edge]) -> list[Entry]:
    """The entry points that call something, by (-reaches, id).

    They are the symbols without a caller outside their own circle, and the folded hubs.
    """
    called = call_pairs(edges)
    stops = dict.fromkeys(folded(edges))
    nodes = sorted({symbol for pair in called for symbol in pair})
    # A class that is called does not run its body, so it leads nowhere but from itself.
    onward: dict[SymbolId, list[SymbolId]] = {node: [] for node in nodes}
    for source, target in called:
        onward[source].append(target)
    passing = {node: [] if node in stops or is_class(node) else onward[node] for node in nodes}
    parts = components(nodes, passing)
    part_of = {node: place for place, part in enumerate(parts) for node in part}
    inner = _reached(parts, part_of, passing)

    entered = {part_of[target] for source, target in called if part_of[source] != part_of[target]}
    starts = [min(part) for place, part in enumerate(parts) if place not in entered]
    starts += [node for node in nodes if is_class(node) and part_of[node] in entered and onward[node]]
    circles = sum(1 << place for place, part in enumerate(parts) if len(part) > 1)
    found: list[Entry] = []
    for start in dict.fromkeys([*starts, *stops]):
        if passing[start] or not onward[start]:
            bits = inner[part_of[start]]
        else:
            bits = 1 << part_of[start]
            for target in onward[start]:
                bits |= inner[part_of[target]]
        reaches = _size(bits, parts, circles) - 1
        if reaches:
            found.append(Entry(start, reaches, start in stops))
    return sorted(found, key=lambda entry: (-entry.reaches, entry.symbol))


def _reached(
    parts: Sequence[Sequence[SymbolId]], part_of: dict[SymbolId, int], calls: dict[SymbolId, list[SymbolId]]
) -> list[int]:
    """For each part the set of parts it reaches, itself included, as the bits of a number; callees come first."""
    reached: list[int] = []
    for place, part in enumerate(parts):
        bits = 1 << place
        for target in dict.fromkeys(part_of[target] for node in part for target in calls[node]):
            if target != place:
                bits |= reached[target]
        reached.append(bits)
    return reached


def _size(bits: int, parts: Sequence[Sequence[SymbolId]], circles: int) -> int:
    """How many symbols the parts hold whose bits are set; only those in `circles` hold more than one."""
    size = bits.bit_count()
    bits &= circles
    while bits:
        lowest = bits & -bits
        size += len(parts[lowest.bit_length() - 1]) - 1
        bits ^= lowest
    return size
