"""Questions to the call graph; most are those of the command line."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from plait.doors import render_graph
from plait.doors.http.faults import bad
from plait.doors.http.parameters import Given
from plait.doors.http.served import Served
from plait.doors.render import Json, edge_json, symbol_json, unresolved_json
from plait.engine import Engine
from plait.graph import entries
from plait.model import Direction, Edge, EdgeKind, Evidence, ReferenceKind, SymbolId, Unknown, Unresolved
from plait.protocols import Snapshot
from plait.questions import ends, symbols_of

CALLS = (EdgeKind.CALLS,)

WALKED = 20_000
"""Symbols after which a walk ends; the neighbourhood then says that it is not complete."""

SITES = 50
"""Unresolved sites of a neighbourhood's symbol that are shown."""


def evidence(given: Given) -> Evidence:
    return Evidence[given["min_evidence"].upper()]


def graph(service: Served, given: Given) -> Json:
    name = service.chosen(given)
    with service.reading(name) as engine:
        hubs = service.remembered(name, "hubs", engine, lambda: _hubs(engine.snapshot()))
        return _neighbourhood(engine, name, hubs, given)


def _hubs(snapshot: Snapshot) -> frozenset[SymbolId]:
    ids = [symbol.id for symbol in snapshot.symbols()]
    return frozenset(entries.folded(snapshot.edges(ids, CALLS, Direction.OUT)))


def _neighbourhood(engine: Engine, repository: str, hubs: Collection[SymbolId], given: Given) -> Json:
    snapshot, symbol, limit, weakest = engine.snapshot(), engine.find(given["symbol"]), given["limit"], evidence(given)
    starts = [one.id for one in ends(snapshot, symbol)]
    expand = frozenset(map(SymbolId, given["expand"]))
    walk = _Walk(snapshot, weakest, given["tests"], frozenset(hubs) - expand)
    hop = dict.fromkeys(starts, 0)
    for sign, direction in ((1, Direction.OUT), (-1, Direction.IN)):
        if given["direction"] in ("both", direction):
            for depth in range(1, given["depth"] + 1):
                walk.step(hop, [one for one, at in hop.items() if at == sign * (depth - 1)], direction, sign, starts)
    # What is next to an opened node comes before what is only far away.
    asked = {one: abs(at) for one, at in hop.items()}
    waiting = sorted(expand & hop.keys())
    while waiting:
        opened = waiting.pop()
        for sign, direction in ((1, Direction.OUT), (-1, Direction.IN)):
            before = set(hop)
            walk.step(hop, [opened], direction, sign, [opened])
            new = [one for one in hop if one not in before]
            asked |= dict.fromkeys(new, asked[opened])
            waiting += [one for one in new if one in expand]
    kept = sorted(hop, key=lambda one: (asked[one], abs(hop[one]), one))[:limit]
    own = _sites(snapshot, starts)
    return {
        "schema": "plait.graph.v1",
        "repository": repository,
        "symbol": symbol_json(symbol),
        "depth": given["depth"],
        "direction": given["direction"],
        "limit": limit,
        "total": len(hop),
        "complete": not walk.ended,
        **_drawn(snapshot, kept, hop, hubs, [*starts, *sorted(expand)], weakest),
        "unresolved_total": len(own),
        "unresolved": [unresolved_json(site) for site in own[:SITES]],
    }


class _Walk:
    """Goes from symbols to their neighbours, not on through a hub and not to what tests are asked to be."""

    def __init__(self, snapshot: Snapshot, weakest: Evidence, tests: bool | None, stops: Collection[SymbolId]) -> None:
        self._snapshot, self._weakest, self._tests, self._stops = snapshot, weakest, tests, stops
        self.ended = False
        """whether more was there than is walked to"""

    def step(
        self,
        hop: dict[SymbolId, int],
        sources: Iterable[SymbolId],
        direction: Direction,
        sign: int,
        through: Collection[SymbolId],
    ) -> None:
        """Add the neighbours of the sources; `through` are those that are gone on from whatever they are."""
        if len(hop) > WALKED:
            self.ended = True
            return
        onward = [one for one in sources if one in through or one not in self._stops]
        edges = [edge for edge in self._snapshot.edges(onward, CALLS, direction) if edge.evidence >= self._weakest]
        reached = [
            (edge.target, edge.source) if direction is Direction.OUT else (edge.source, edge.target) for edge in edges
        ]
        new = {one: origin for one, origin in reached if one not in hop}
        if self._tests is not None:
            symbols = symbols_of(self._snapshot, new)
            new = {one: origin for one, origin in new.items() if symbols[one].is_test == self._tests}
        for one in sorted(new):
            hop[one] = hop[new[one]] + sign


def _drawn(
    snapshot: Snapshot,
    kept: list[SymbolId],
    hop: dict[SymbolId, int],
    hubs: Collection[SymbolId],
    opened: list[SymbolId],
    weakest: Evidence,
) -> Json:
    symbols = symbols_of(snapshot, kept)
    out = snapshot.edges(kept, CALLS, Direction.OUT)
    callees = _partners(out, Direction.OUT)
    callers = _partners(snapshot.edges(kept, CALLS, Direction.IN), Direction.IN)
    return {
        "nodes": [
            symbol_json(symbols[one])
            | {
                "hop": hop[one],
                "callers": len(callers.get(one, ())),
                "callees": len(callees.get(one, ())),
                "unresolved": len(_sites(snapshot, [one])),
                "is_hub": one in hubs,
                "is_folded": one in hubs and one not in opened,
                "is_test": symbols[one].is_test,
            }
            for one in kept
        ],
        "edges": [edge_json(edge) for edge in out if edge.target in symbols and edge.evidence >= weakest],
    }


def _partners(edges: Iterable[Edge], direction: Direction) -> dict[SymbolId, set[SymbolId]]:
    """Return with whom each symbol shares an edge."""
    found: dict[SymbolId, set[SymbolId]] = {}
    for edge in edges:
        one, other = (edge.source, edge.target) if direction is Direction.OUT else (edge.target, edge.source)
        found.setdefault(one, set()).add(other)
    return found


def _sites(snapshot: Snapshot, symbols: Iterable[SymbolId]) -> list[Unresolved]:
    """Return the calls in symbols that could stay in the repository and could not be resolved."""
    return [
        site
        for symbol in symbols
        for site in snapshot.unresolved(source=symbol)
        if site.reason.could_be_here and site.reference.kind is not ReferenceKind.BASE
    ]


def callers(service: Served, given: Given) -> Json:
    return _relations(service, given, Direction.IN)


def callees(service: Served, given: Given) -> Json:
    return _relations(service, given, Direction.OUT)


def _relations(service: Served, given: Given, direction: Direction) -> Json:
    name = service.chosen(given)
    with service.reading(name) as engine:
        ask = engine.callers if direction is Direction.IN else engine.callees
        found = ask(given["symbol"], depth=given["depth"], weakest=evidence(given), tests=given["tests"])
    return render_graph.relations_json(found, given["depth"], given["k"]) | {"repository": name}


def path(service: Served, given: Given) -> Json:
    name = service.chosen(given)
    with service.reading(name) as engine:
        found = engine.path_between(given["source"], given["target"])
    return render_graph.path_json(found, given["k"]) | {"repository": name}


def impact(service: Served, given: Given) -> Json:
    name = service.chosen(given)
    if bool(given["symbol"]) == bool(given["diff"]):
        raise bad("give either symbol, which may be a file, or diff, a git revision")
    with service.reading(name) as engine:
        if given["diff"]:
            found = engine.impact_of_diff(given["diff"], weakest=evidence(given))
        else:
            found = engine.impact(given["symbol"], weakest=evidence(given))
    return render_graph.impact_json(found, given["k"]) | {"repository": name}


def flows(service: Served, given: Given) -> Json:
    name = service.chosen(given)
    with service.reading(name) as engine:
        key = f"flows {given['k']} {given['tests']}"
        found = service.remembered(name, key, engine, lambda: engine.flows(k=given["k"], tests=given["tests"]))
    return render_graph.flows_json(found, given["k"]) | {"repository": name}


def hubs(service: Served, given: Given) -> Json:
    name = service.chosen(given)
    with service.reading(name) as engine:
        key = f"hubs {given['k']} {given['tests']}"
        found = service.remembered(name, key, engine, lambda: engine.hubs(k=given["k"], tests=given["tests"]))
    return render_graph.hubs_json(found, given["k"]) | {"repository": name}


def unresolved(service: Served, given: Given) -> Json:
    name = service.chosen(given)
    reason = given["reason"]
    with service.reading(name) as engine:
        found = engine.unresolved(Unknown[reason.upper()] if reason else None)
    return render_graph.sites_json(found, reason, given["k"]) | {"repository": name}
