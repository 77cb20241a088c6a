"""Questions to a whole graph: its hubs, its flows, what it leaves open, and all of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from plait.graph import analyse, entries, walks
from plait.model import Direction, Edge, EdgeKind, ReferenceKind, Symbol, SymbolId, Unknown, Unresolved
from plait.protocols import Snapshot
from plait.questions import calling, symbols_of

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Listing(Generic[_T]):
    """The first of some rows."""

    rows: tuple[_T, ...]
    total: int
    edges: int
    """calls that the rows are made from: pairs of caller and callee, self-calls left out"""
    unresolved: int
    """sites that could be further calls within the repository"""


@dataclass(frozen=True, slots=True)
class HubRow:
    symbol: Symbol
    callers: int
    share: float
    """of all symbols that call something"""
    possible: int
    """unresolved sites that call this name and could mean it"""


@dataclass(frozen=True, slots=True)
class FlowRow:
    """An entry point and what it reaches; see `plait.graph.entries`."""

    entry: Symbol
    reaches: int
    """symbols, hubs included"""
    is_hub: bool
    members: tuple[tuple[Symbol, int], ...]
    """with their hop, nearest first, hubs left out"""
    hubs: tuple[Symbol, ...]
    """those that end it, nearest first"""


@dataclass(frozen=True, slots=True)
class Sites:
    """Calls that could not be resolved."""

    reasons: tuple[tuple[Unknown, int], ...]
    """of all sites, whatever was asked for; most frequent first, then in the order of the reasons"""
    sites: tuple[Unresolved, ...]
    """those with the reason asked for, else all that could be in this repository; by path and line"""
    edges: int
    """calls that were resolved, as edges: one for all sites of the same caller, callee and way"""


@dataclass(frozen=True, slots=True)
class WholeGraph:
    state: str
    """of the snapshot"""
    symbols: tuple[Symbol, ...]
    """by id"""
    edges: tuple[Edge, ...]
    """by (source, target, kind, via)"""
    unresolved: int
    """sites that could be further calls within the repository"""
    texts: Mapping[SymbolId, str]
    """own lines of each symbol"""


def hubs(snapshot: Snapshot, k: int, tests: bool | None) -> Listing[HubRow]:
    edges = _calls(snapshot, tests)
    called = analyse.call_pairs(edges)
    ranked = analyse.hubs(edges, share=1.0)
    sources = len({source for source, _ in called})
    symbols = symbols_of(snapshot, (hub.symbol for hub in ranked[:k]))
    rows = [
        HubRow(symbols[hub.symbol], hub.callers, hub.callers / sources, len(calling(snapshot, [hub.symbol])))
        for hub in ranked[:k]
    ]
    return Listing(tuple(rows), len(ranked), len(called), _open_calls(snapshot))


def flows(snapshot: Snapshot, k: int, tests: bool | None) -> Listing[FlowRow]:
    edges = _calls(snapshot, tests)
    found = entries.entries(edges)
    stops = entries.folded(edges)
    known = frozenset(edge.source for edge in edges)

    def called(ids: Collection[SymbolId], kinds: Collection[EdgeKind], direction: Direction) -> Sequence[Edge]:
        return snapshot.edges([one for one in ids if one in known], kinds, direction)

    rows: list[FlowRow] = []
    for entry in found[:k]:
        reached = walks.walk(called, [entry.symbol], Direction.OUT, depth=None, stops=stops)
        symbols = symbols_of(snapshot, [entry.symbol, *(one.symbol for one in reached)])
        others = [one for one in reached if one.symbol != entry.symbol]
        rows.append(
            FlowRow(
                entry=symbols[entry.symbol],
                reaches=entry.reaches,
                is_hub=entry.is_hub,
                members=tuple((symbols[one.symbol], one.hop) for one in others if one.symbol not in stops),
                hubs=tuple(symbols[one.symbol] for one in others if one.symbol in stops),
            )
        )
    return Listing(tuple(rows), len(found), len(analyse.call_pairs(edges)), _open_calls(snapshot))


def unresolved(snapshot: Snapshot, reason: Unknown | None) -> Sites:
    every = snapshot.unresolved()
    counts = Counter(site.reason for site in every)
    order = list(Unknown)
    return Sites(
        reasons=tuple(sorted(counts.items(), key=lambda item: (-item[1], order.index(item[0])))),
        sites=tuple(site for site in every if (site.reason is reason if reason else site.reason.could_be_here)),
        edges=len(_calls(snapshot, None)),
    )


def _calls(snapshot: Snapshot, tests: bool | None) -> list[Edge]:
    """All calls; `tests` keeps those out of tests (True) or of anything else."""
    ids = [symbol.id for symbol in snapshot.symbols() if tests is None or symbol.is_test == tests]
    return snapshot.edges(ids, [EdgeKind.CALLS], Direction.OUT)


def _open_calls(snapshot: Snapshot) -> int:
    sites = snapshot.unresolved()
    return sum(site.reason.could_be_here and site.reference.kind is not ReferenceKind.BASE for site in sites)


def whole(snapshot: Snapshot) -> WholeGraph:
    symbols = tuple(snapshot.symbols())
    ids = [symbol.id for symbol in symbols]
    edges = snapshot.edges(ids, list(EdgeKind), Direction.OUT)
    return WholeGraph(snapshot.info.state, symbols, tuple(edges), _open_calls(snapshot), snapshot.texts(ids))
