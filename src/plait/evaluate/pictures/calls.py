"""The picture of a module's calls, from left to right: what is drawn."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from plait.evaluate.pictures.layout import place_nodes, way
from plait.evaluate.pictures.sheet import (
    BLUE,
    BODY,
    FAINT,
    FLOW_TINT,
    GREY,
    HEAD,
    INK,
    MARGIN,
    ORANGE,
    OTHER_TINT,
    PALE,
    PAPER,
    RELEVANT_TINT,
    SMALL,
    WIDTH,
    Sheet,
    fit,
    styled,
    width_of,
)
from plait.graph.analyse import flows
from plait.model import Edge, EdgeKind, Evidence, Symbol, SymbolId, SymbolKind

if TYPE_CHECKING:
    from plait.evaluate.pictures.sheet import Figure

MOST_BOXES = 30
MOST_AROUND = 12


@dataclass(frozen=True, slots=True)
class _Box:
    """A function as it is drawn."""

    name: str
    module: str
    """empty for a function of the module that the picture is about"""
    relevant: bool
    in_flow: bool
    width: float
    height: float


def call_graph(
    module: str,
    symbols: Sequence[Symbol],
    edges: Sequence[Edge],
    names: Mapping[SymbolId, str],
    relevant: Collection[SymbolId] = (),
    asked: str = "",
) -> Figure:
    """Draw which functions call which in a module and at its border, from left to right.

    The part of the module that hangs together by calls and holds most of the relevant symbols (without relevant ones:
    the biggest) is marked as the flow. `symbols` and `edges` may be those of the whole repository, of which tests
    outside the module are left out; `asked` is the topic, to stand under the title.
    """
    functions = {
        symbol.id: symbol
        for symbol in symbols
        if symbol.kind in (SymbolKind.FUNCTION, SymbolKind.METHOD) and (symbol.module == module or not symbol.is_test)
    }
    inside = dict.fromkeys(symbol.id for symbol in functions.values() if symbol.module == module)
    calls = [e for e in edges if e.kind is EdgeKind.CALLS and e.source != e.target and {e.source, e.target} & {*inside}]
    between = [edge for edge in calls if edge.source in functions and edge.target in functions]
    found = flows(edge for edge in between if edge.source in inside and edge.target in inside)
    flow = set(max(found, key=lambda one: sum(s in relevant for s in one.symbols)).symbols) if found else set()
    own = sorted(inside, key=lambda symbol: symbol not in flow and symbol not in relevant)
    around = dict.fromkeys(
        end
        for edge in sorted(between, key=lambda e: (e.source not in flow and e.target not in flow, e.source, e.target))
        for end in (edge.source, edge.target)
        if end not in inside
    )
    shown = [*own[:MOST_BOXES], *list(around)[:MOST_AROUND]]
    best: dict[tuple[SymbolId, SymbolId], Edge] = {}
    for edge in between:
        pair = (edge.source, edge.target)
        if {*pair} <= {*shown} and (pair not in best or edge.evidence > best[pair].evidence):
            best[pair] = edge
    with styled():
        return _call_graph(
            module,
            asked,
            {
                symbol: _box_of(
                    names[symbol],
                    "" if symbol in inside else functions[symbol].module,
                    symbol in relevant,
                    symbol in flow,
                )
                for symbol in shown
            },
            best,
            {end for edge in calls for end in (edge.source, edge.target)},
            len(own) + len(around) - len(shown),
        )


def _box_of(name: str, module: str, relevant: bool, in_flow: bool) -> _Box:
    name, module = fit(name, 150, BODY, relevant), fit(module, 150, SMALL)
    width = max(width_of(name, BODY, relevant), width_of(module, SMALL)) + 16
    return _Box(name, module, relevant, in_flow, width, 31 if module else 24)


def _call_graph(
    module: str,
    asked: str,
    boxes: Mapping[SymbolId, _Box],
    calls: Mapping[tuple[SymbolId, SymbolId], Edge],
    calling: Collection[SymbolId],
    left_out: int,
) -> Figure:
    """Draw the boxes; `calling` are all symbols that have an edge, drawn or not."""
    linked = {symbol: box for symbol, box in boxes.items() if any(symbol in pair for pair in calls)}
    nodes, routes = place_nodes({symbol: (box.width, box.height) for symbol, box in linked.items()}, calls)
    columns = max((node.layer for node in nodes), default=-1) + 1
    wide = [max(node.width for node in nodes if node.layer == layer) for layer in range(columns)]
    gap = min(max((WIDTH - 2 * MARGIN - sum(wide)) / max(columns - 1, 1), 44.0), 110.0)
    lefts = [MARGIN + sum(wide[:layer]) + gap * layer for layer in range(columns)]
    width = max(WIDTH, lefts[-1] + wide[-1] + MARGIN if lefts else 0)
    highest = min((node.y - node.height / 2 for node in nodes), default=0.0)
    for node in nodes:
        node.y += 62 - highest
    y = max((node.y + node.height / 2 for node in nodes), default=50.0) + 22

    titles: list[tuple[float, str]] = []
    apart: list[tuple[float, float, _Box]] = []
    for title, without in (("no edges", True), ("only calls that are not drawn", False)):
        group = [box for symbol, box in boxes.items() if symbol not in linked and (symbol not in calling) is without]
        if group:
            titles.append((y + 4, title))
            x, y = MARGIN, y + 28
            for box in group:
                if x > MARGIN and x + box.width > width - MARGIN:
                    x, y = MARGIN, y + 32
                apart.append((x, y, box))
                x += box.width + 10
            y += 32
    foot = y + 12 + (16 if left_out else 0)

    sheet = Sheet(width, foot + 14, f"Call graph of {module}")
    sheet.title(f"Calls in {module}")
    sheet.text(MARGIN, 36, fit(asked, width - 2 * MARGIN, BODY), BODY, GREY)
    for (source, target), route in routes.items():
        colour, thick = (BLUE, 1.5) if linked[source].in_flow and linked[target].in_flow else (FAINT, 1.0)
        *points, tip = way([nodes[number] for number in route], lefts, wide, gap)
        back = tip[0] < points[-1][0]
        dashed = calls[source, target].evidence < Evidence.FLOWED
        sheet.curve([*points, (tip[0] + (HEAD if back else -HEAD), tip[1])], colour, thick, dashed)
        sheet.head(*tip, colour, back)
    for node in nodes:
        if node.symbol is not None:
            _function(sheet, lefts[node.layer], node.y, linked[node.symbol])
    for at, title in titles:
        sheet.text(MARGIN, at, title, SMALL, GREY, bold=True)
    for x, at, box in apart:
        _function(sheet, x, at, box)
    if left_out:
        sheet.text(MARGIN, foot - 18, f"{left_out} more functions are not drawn", SMALL, GREY)
    x = MARGIN
    for fill, line, text in (
        (RELEVANT_TINT, ORANGE, "relevant"),
        (FLOW_TINT, BLUE, "same flow"),
        (OTHER_TINT, PALE, "other module"),
    ):
        sheet.box(x, foot - 5, 16, 10, fill, line)
        x = sheet.key(x + 21, foot, text)
    for dashed, text in ((False, "call resolved by scope or better"), (True, "call matched by name only")):
        sheet.curve([(x, foot), (x + 22, foot)], GREY, 1.2, dashed)
        x = sheet.key(x + 27, foot, text)
    return sheet.figure


def _function(sheet: Sheet, x: float, y: float, box: _Box) -> None:
    if box.relevant:
        fill, line = RELEVANT_TINT, ORANGE
    elif box.in_flow:
        fill, line = FLOW_TINT, BLUE
    else:
        fill, line = (OTHER_TINT, PALE) if box.module else (PAPER, GREY)
    thick = 1.6 if box.relevant or box.in_flow else 1
    sheet.box(x, y - box.height / 2, box.width, box.height, fill, line, thick)
    middle = x + box.width / 2
    colour = GREY if box.module and not box.relevant else INK
    sheet.text(middle, y - (6 if box.module else 0), box.name, BODY, colour, box.relevant, "center")
    sheet.text(middle, y + 7, box.module, SMALL, GREY, align="center")
