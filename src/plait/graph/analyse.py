"""What a graph's shape tells, from its edges alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from plait.model import Edge, EdgeKind, SymbolId

HUB_SHARE = 0.01
"""Of all symbols that take part in calls. Not measured: a cut that leaves a handful of hubs in a small repository."""


@dataclass(frozen=True, slots=True)
class Hub:
    symbol: SymbolId
    callers: int


@dataclass(frozen=True, slots=True)
class Flow:
    """Symbols that call one another, directly or through others."""

    symbols: tuple[SymbolId, ...]
    entries: tuple[SymbolId, ...]
    """those that no other symbol of the flow calls; empty when every one is in a cycle"""


def call_pairs(edges: Iterable[Edge]) -> list[tuple[SymbolId, SymbolId]]:
    """The pairs of caller and callee, each once, sorted; self-calls left out."""
    pairs = {(edge.source, edge.target) for edge in edges if edge.kind is EdgeKind.CALLS}
    return sorted(pair for pair in pairs if pair[0] != pair[1])


def hubs(edges: Iterable[Edge], share: float = HUB_SHARE) -> list[Hub]:
    """The most called symbols, by (-callers, id): that share of all symbols in calls, rounded up."""
    pairs = call_pairs(edges)
    callers = Counter(target for _, target in pairs)
    symbols = {symbol for pair in pairs for symbol in pair}
    count = -int(-len(symbols) * share // 1)
    ranked = sorted(callers.items(), key=lambda item: (-item[1], item[0]))
    return [Hub(symbol, number) for symbol, number in ranked[:count]]


def flows(edges: Iterable[Edge]) -> list[Flow]:
    """The weakly connected parts of the calls, biggest first, equal sizes by their first id."""
    pairs = call_pairs(edges)
    neighbours: dict[SymbolId, list[SymbolId]] = {}
    for source, target in pairs:
        neighbours.setdefault(source, []).append(target)
        neighbours.setdefault(target, []).append(source)
    called = {target for _, target in pairs}
    seen: set[SymbolId] = set()
    found: list[Flow] = []
    for start in sorted(neighbours):
        if start in seen:
            continue
        seen.add(start)
        part = [start]
        for symbol in part:
            new = [one for one in neighbours[symbol] if one not in seen]
            seen.update(new)
            part += dict.fromkeys(new)
        symbols = tuple(sorted(part))
        found.append(Flow(symbols, tuple(one for one in symbols if one not in called)))
    return sorted(found, key=lambda flow: (-len(flow.symbols), flow.symbols[0]))


def layers(ids: Iterable[SymbolId], edges: Iterable[Edge]) -> dict[SymbolId, int]:
    """Each id with the length of the longest path of calls that leads to it, by id; 0 without a caller among the ids.

    The symbols of a cycle share one layer.
    """
    nodes = sorted(set(ids))
    known = set(nodes)
    pairs = [pair for pair in call_pairs(edges) if pair[0] in known and pair[1] in known]
    callees: dict[SymbolId, list[SymbolId]] = {node: [] for node in nodes}
    for source, target in pairs:
        callees[source].append(target)
    layer: dict[SymbolId, int] = dict.fromkeys(nodes, 0)
    for part in reversed(components(nodes, callees)):
        depth = max(layer[node] for node in part)
        inside = set(part)
        for node in part:
            layer[node] = depth
            for target in callees[node]:
                if target not in inside:
                    layer[target] = max(layer[target], depth + 1)
    return layer


def components(nodes: Sequence[SymbolId], callees: dict[SymbolId, list[SymbolId]]) -> list[list[SymbolId]]:
    """Tarjan's strongly connected components, callees before callers, without recursion."""
    number: dict[SymbolId, int] = {}
    low: dict[SymbolId, int] = {}
    waiting: list[SymbolId] = []
    closed: set[SymbolId] = set()
    found: list[list[SymbolId]] = []
    for start in nodes:
        if start in number:
            continue
        number[start] = low[start] = len(number)
        waiting.append(start)
        work = [(start, iter(callees[start]))]
        while work:
            node, targets = work[-1]
            for target in targets:
                if target not in number:
                    number[target] = low[target] = len(number)
                    waiting.append(target)
                    work.append((target, iter(callees[target])))
                    break
                if target not in closed:
                    low[node] = min(low[node], number[target])
            else:
                work.pop()
                if work:
                    above = work[-1][0]
                    low[above] = min(low[above], low[node])
                if low[node] == number[node]:
                    part = [waiting.pop()]
                    while part[-1] != node:
                        part.append(waiting.pop())
                    closed.update(part)
                    found.append(part)
    return found
