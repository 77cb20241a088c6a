"""Where the functions of a call graph stand on a page, and which way its edges take. Points, the origin top left."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from plait.graph.analyse import layers
from plait.model import Edge, SymbolId


@dataclass(slots=True)
class Node:
    """A function in its layer, or a bend of an edge that crosses a layer."""

    symbol: SymbolId | None
    """none for a bend"""
    layer: int
    """0 is the leftmost"""
    width: float
    height: float
    y: float = 0.0
    """of the middle; only differences count until the picture has a top"""
    before: list[int] = field(default_factory=list)
    """the neighbours in the layers to the left, as numbers of nodes"""
    after: list[int] = field(default_factory=list)
    """the neighbours in the layers to the right"""


def place_nodes(
    sizes: Mapping[SymbolId, tuple[float, float]], calls: Mapping[tuple[SymbolId, SymbolId], Edge]
) -> tuple[list[Node], dict[tuple[SymbolId, SymbolId], list[int]]]:
    """Return nodes with their heights on the page, and for each pair the numbers of the nodes its edge leads through.

    `sizes` holds width and height of every symbol with a call, `calls` is keyed by caller and callee. Layers start in
    the order of `sizes`, which so decides ties; the order of `calls` decides nothing.
    The nodes are the symbols as in `sizes`, then the bends; the pairs are sorted.

    Sugiyama's way: bends where an edge crosses a layer, order in the layers by the mean place of the neighbours, then
    each node as near to its neighbours as the order lets it.
    """
    layer = _layer(sizes, calls.values())
    nodes = [Node(symbol, layer[symbol], width, height) for symbol, (width, height) in sizes.items()]
    index = {node.symbol: number for number, node in enumerate(nodes) if node.symbol}
    routes: dict[tuple[SymbolId, SymbolId], list[int]] = {}
    for source, target in sorted(calls):
        route = [index[source]]
        for between in range(layer[source] + 1, layer[target]):
            nodes.append(Node(None, between, 0, 8))
            route.append(len(nodes) - 1)
        route.append(index[target])
        routes[source, target] = route
        for one, two in pairwise(route):
            if nodes[one].layer < nodes[two].layer:
                nodes[one].after.append(two)
                nodes[two].before.append(one)
    order: list[list[int]] = [[] for _ in range(max((node.layer for node in nodes), default=-1) + 1)]
    for number, node in enumerate(nodes):
        order[node.layer].append(number)
    best, fewest = [list(column) for column in order], _crossings(order, nodes)
    for sweep in range(12):
        place = {number: i for column in order for i, number in enumerate(column)}
        forward = sweep % 2 == 0
        for column in order if forward else reversed(order):

            def mean(number: int, place: dict[int, int] = place, forward: bool = forward) -> float:
                near = nodes[number].before if forward else nodes[number].after
                return sum(place[one] for one in near) / len(near) if near else float(place[number])

            column.sort(key=mean)
            place.update({number: i for i, number in enumerate(column)})
        if (count := _crossings(order, nodes)) < fewest:
            best, fewest = [list(column) for column in order], count
    for column in best:
        y = 0.0
        for number in column:
            nodes[number].y = y + nodes[number].height / 2
            y += nodes[number].height + 12
    for _ in range(16):
        for column in best:
            _settle([nodes[number] for number in column], nodes)
    return nodes, routes


def _layer(ids: Collection[SymbolId], calls: Collection[Edge]) -> dict[SymbolId, int]:
    """As `layers`, but what nothing calls stands just before what it calls."""
    layer = layers(ids, calls)
    called = {edge.target for edge in calls}
    for symbol in layer:
        if symbol not in called:
            layer[symbol] = max(min(layer[edge.target] for edge in calls if edge.source == symbol) - 1, 0)
    return layer


def _crossings(order: Sequence[Sequence[int]], nodes: Sequence[Node]) -> int:
    place = {number: i for column in order for i, number in enumerate(column)}
    count = 0
    for column in order:
        lines = [(place[number], place[after]) for number in column for after in nodes[number].after]
        count += sum(a < c and b > d for a, b in lines for c, d in lines)
    return count


def _settle(column: Sequence[Node], nodes: Sequence[Node]) -> None:
    """Move a column's nodes to where the sum of squared distances from their neighbours' mean is least.

    The order and the gaps are kept; pooling adjacent violators solves this exactly.
    """
    offset, y = [], 0.0
    for node in column:
        offset.append(y + node.height / 2)
        y += node.height + 12
    blocks: list[tuple[float, int]] = []
    for node, shift in zip(column, offset, strict=True):
        near = [nodes[one].y for one in (*node.before, *node.after)]
        block = ((sum(near) / len(near) if near else node.y) - shift, 1)
        while blocks and blocks[-1][0] > block[0]:
            value, count = blocks.pop()
            block = ((value * count + block[0] * block[1]) / (count + block[1]), count + block[1])
        blocks.append(block)
    values = [value for value, count in blocks for _ in range(count)]
    for node, shift, value in zip(column, offset, values, strict=True):
        node.y = value + shift


def way(route: Sequence[Node], lefts: Sequence[float], wide: Sequence[float], gap: float) -> list[tuple[float, float]]:
    """Return the points of an edge from its caller to its tip: level through the layers that it crosses.

    Layer i begins at lefts[i] and is wide[i] points wide, `gap` points before the next. Within a layer the edge goes
    out and comes back, so its tip points to the left.
    """
    source, target = route[0], route[-1]
    edge = lefts[source.layer] + wide[source.layer]
    start = (lefts[source.layer] + source.width, source.y)
    if source.layer == target.layer:
        out = edge + gap / 3
        return [start, (out, source.y), (out, target.y), (lefts[target.layer] + target.width, target.y)]
    bends = [(lefts[node.layer] + x, node.y) for node in route[1:-1] for x in (0.0, wide[node.layer])]
    return [start, (edge, source.y), *bends, (lefts[target.layer], target.y)]
