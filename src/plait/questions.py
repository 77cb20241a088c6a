"""Questions to the graph of a snapshot: values with the symbols in them, and what is not known beside what is.

A class that is asked about stands for itself and its constructor: who calls it makes one, what it calls is what making
one runs, inherited or not, and what its body calls.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from plait.graph import impact, walks
from plait.graph.impact import Affected
from plait.model import (
    Direction,
    Edge,
    EdgeKind,
    Evidence,
    ReferenceKind,
    Symbol,
    SymbolId,
    SymbolKind,
    Unresolved,
)
from plait.protocols import Snapshot

if TYPE_CHECKING:
    from plait.changes import Changed

_ONE_BY_ONE = 200
"""More names or sources than this are looked for in one pass over all unresolved sites."""


@dataclass(frozen=True, slots=True)
class Reached:
    symbol: Symbol
    hop: int
    """1 for those next to the symbol asked about"""
    edge: Edge
    """the most trusted one that leads to it from the hop before"""


@dataclass(frozen=True, slots=True)
class Relations:
    """The callers or callees of a symbol, and what is not known about them."""

    symbol: Symbol
    direction: Direction
    """IN: callers; OUT: callees"""
    reached: tuple[Reached, ...]
    """each symbol once, by (hop, path and line of the edge, id)"""
    unresolved: tuple[Unresolved, ...]
    """callers: sites that call the name of the symbol, or of a caller that was gone on from, and could mean it;
    callees: sites in the symbol, or in a callee that was gone on from, that could stay in the repository"""
    overridden: tuple[tuple[Edge, Symbol], ...] = ()
    """callers of a method: calls of a method that it overrides, each with its caller, by path and line: at run time any
    of them can be a call of this one"""

    @property
    def edges(self) -> tuple[tuple[Edge, Symbol], ...]:
        return tuple((one.edge, one.symbol) for one in self.reached)


@dataclass(frozen=True, slots=True)
class CallPath:
    """How one symbol comes to call another."""

    source: Symbol
    target: Symbol
    steps: tuple[tuple[Edge, Symbol], ...] | None
    """each call with the symbol it leads to, the first from the source; None if no chain is known. Empty between a
    class and the constructor it runs. Where calls alone lead nowhere, an OVERRIDES edge leads from a method to one that
    replaces it"""
    is_sure: bool
    """whether every step is a call"""
    start: Symbol
    """where the first step begins: the source or, for a class, its constructor"""
    searched: int
    """symbols that the search came to"""
    unresolved: tuple[tuple[Unresolved, bool], ...]
    """without a chain: the sites in what the source reaches that could go on, those first (True) that call the name of
    the target or of a symbol that is known to reach it; then by path and line. None of them: there is no such path"""


@dataclass(frozen=True, slots=True)
class Impact:
    """What may break when something changes."""

    changed: tuple[Symbol, ...]
    """by id"""
    affected: tuple[tuple[Affected, Symbol], ...]
    """without tests, by (hop, path and line of the edge, id)"""
    tests: tuple[tuple[Affected, Symbol], ...]
    """the tests among what is affected, in the same order"""
    unresolved: tuple[Unresolved, ...]
    """sites that could mean a changed or deleted symbol, by path and line"""
    edit: Changed | None
    """the difference that was asked about"""


def ends(snapshot: Snapshot, symbol: Symbol) -> list[Symbol]:
    """The symbol and, for a class, its own constructor."""
    if symbol.kind is not SymbolKind.CLASS:
        return [symbol]
    return [symbol, *(method for method in snapshot.named("__init__") if method.parent == symbol.id)]


def inherited_constructor(snapshot: Snapshot, symbol: Symbol) -> Symbol | None:
    """The constructor that a class without one of its own takes from the nearest base; None for anything else."""
    if symbol.kind is not SymbolKind.CLASS or len(ends(snapshot, symbol)) > 1:
        return None
    constructors = {method.parent: method for method in snapshot.named("__init__")}
    layer, seen = [symbol.id], {symbol.id}
    while layer:
        bases = [edge.target for edge in snapshot.edges(layer, [EdgeKind.INHERITS], Direction.OUT)]
        layer = sorted(dict.fromkeys(base for base in bases if base not in seen))
        seen.update(layer)
        for base in layer:
            if base in constructors:
                return constructors[base]
    return None


def relations(
    snapshot: Snapshot, symbol: Symbol, direction: Direction, depth: int, weakest: Evidence, tests: bool | None
) -> Relations:
    """Return what is within `depth` calls; `tests` keeps only tests (True) or none, wherever the calls lead through."""
    starts = [end.id for end in ends(snapshot, symbol)]
    if direction is Direction.OUT and (inherited := inherited_constructor(snapshot, symbol)):
        starts.append(inherited.id)
    found = walks.walk(snapshot.edges, starts, direction, depth=depth, weakest=weakest)
    symbols = symbols_of(snapshot, (reach.symbol for reach in found))
    onward = [one.symbol for one in found if one.hop < depth and not walks.is_class(one.symbol)]
    passed = list(dict.fromkeys([*starts, *onward]))
    sites = calling(snapshot, passed) if direction is Direction.IN else _within(snapshot, passed)
    return Relations(
        symbol=symbol,
        direction=direction,
        reached=tuple(
            Reached(symbols[one.symbol], one.hop, one.edge)
            for one in found
            if tests is None or symbols[one.symbol].is_test == tests
        ),
        unresolved=tuple(site for site in sites if site.reference.kind is not ReferenceKind.BASE),
        overridden=tuple(_calls_of_overridden(snapshot, symbol, weakest)) if direction is Direction.IN else (),
    )


def _calls_of_overridden(snapshot: Snapshot, symbol: Symbol, weakest: Evidence) -> list[tuple[Edge, Symbol]]:
    bases: dict[SymbolId, None] = {}
    frontier = [symbol.id]
    while frontier:
        edges = snapshot.edges(frontier, [EdgeKind.OVERRIDES], Direction.OUT)
        frontier = [base for base in dict.fromkeys(edge.target for edge in edges) if base not in bases]
        bases |= dict.fromkeys(frontier)
    calls = [edge for edge in snapshot.edges(list(bases), [EdgeKind.CALLS], Direction.IN) if edge.evidence >= weakest]
    callers = symbols_of(snapshot, [edge.source for edge in calls])
    calls.sort(key=lambda edge: (edge.path, edge.line, edge.source))
    return [(edge, callers[edge.source]) for edge in calls]


def call_path(snapshot: Snapshot, source: Symbol, target: Symbol) -> CallPath:
    starts = [end.id for end in (*ends(snapshot, source), inherited_constructor(snapshot, source)) if end]
    goals = [end.id for end in ends(snapshot, target)]
    found = walks.shortest(snapshot.edges, starts, goals)
    is_sure = found.steps is not None
    if found.steps is None:
        found = walks.shortest(snapshot.edges, starts, goals, dispatch=True)
    steps = found.steps
    if source != target and any(start in goals for start in starts):
        steps, is_sure = (), True
    symbols = symbols_of(snapshot, [end for edge in steps or () for end in (edge.source, edge.target)])
    return CallPath(
        source=source,
        target=target,
        steps=None if steps is None else tuple((edge, symbols[_called(edge)]) for edge in steps),
        is_sure=is_sure,
        start=symbols[_calling_end(steps[0])] if steps else source,
        searched=len(found.reached),
        unresolved=() if steps is not None else _going_on(snapshot, found.reached, goals),
    )


def _calling_end(edge: Edge) -> SymbolId:
    """Where a step of a chain begins; an override is read from what it overrides."""
    return edge.target if edge.kind is EdgeKind.OVERRIDES else edge.source


def _called(edge: Edge) -> SymbolId:
    """Where a step of a chain leads."""
    return edge.source if edge.kind is EdgeKind.OVERRIDES else edge.target


def _going_on(
    snapshot: Snapshot, reached: Sequence[SymbolId], goals: Sequence[SymbolId]
) -> tuple[tuple[Unresolved, bool], ...]:
    sites = [site for site in _within(snapshot, reached) if site.reference.kind is not ReferenceKind.BASE]
    if not sites:
        return ()
    before = walks.walk(snapshot.edges, goals, Direction.IN, depth=None)
    names = frozenset(_names(snapshot, [*goals, *(reach.symbol for reach in before)]))
    marked = [(site, site.reference.name in names) for site in sites]
    return tuple(sorted(marked, key=lambda one: not one[1]))


def impact_of(snapshot: Snapshot, changed: Iterable[Symbol], weakest: Evidence, edit: Changed | None) -> Impact:
    starts = {symbol.id: symbol for symbol in changed}
    found = impact.affected(snapshot.edges, starts, weakest)
    symbols = symbols_of(snapshot, (one.symbol for one in found))
    pairs = [(one, symbols[one.symbol]) for one in found]
    deleted = edit.deleted if edit else ()
    return Impact(
        changed=tuple(starts[one] for one in sorted(starts)),
        affected=tuple(pair for pair in pairs if not pair[1].is_test),
        tests=tuple(pair for pair in pairs if pair[1].is_test),
        unresolved=tuple(_named(snapshot, [*_names(snapshot, sorted(starts)), *(symbol.name for symbol in deleted)])),
        edit=edit,
    )


def with_contents(snapshot: Snapshot, symbol: Symbol) -> list[Symbol]:
    """The symbol and everything that is defined in it, by id."""
    found = {symbol.id: None}
    layer = [symbol.id]
    while layer:
        inside = [edge.target for edge in snapshot.edges(layer, [EdgeKind.CONTAINS], Direction.OUT)]
        layer = [one for one in inside if one not in found]
        found.update(dict.fromkeys(layer))
    return snapshot.symbols(sorted(found))


def symbols_of(snapshot: Snapshot, ids: Iterable[SymbolId]) -> dict[SymbolId, Symbol]:
    return {symbol.id: symbol for symbol in snapshot.symbols(list(dict.fromkeys(ids)))}


def _names(snapshot: Snapshot, ids: Iterable[SymbolId]) -> list[str]:
    """What calls of the symbols are written with; a constructor by its class's name, too."""
    symbols = symbols_of(snapshot, ids)
    classes = symbols_of(
        snapshot, (one.parent for one in symbols.values() if one.name == "__init__" and one.parent is not None)
    )
    return list(dict.fromkeys([*(one.name for one in symbols.values()), *(one.name for one in classes.values())]))


def calling(snapshot: Snapshot, ids: Iterable[SymbolId]) -> list[Unresolved]:
    return _named(snapshot, _names(snapshot, ids))


def _named(snapshot: Snapshot, names: Iterable[str]) -> list[Unresolved]:
    """The sites that call one of the names and could stay in the repository, by path and line."""
    wanted = list(dict.fromkeys(names))
    if len(wanted) > _ONE_BY_ONE:
        among = frozenset(wanted)
        return [site for site in snapshot.unresolved() if site.reference.name in among and site.reason.could_be_here]
    return _in_order(site for name in wanted for site in snapshot.unresolved(name=name))


def _within(snapshot: Snapshot, ids: Iterable[SymbolId]) -> list[Unresolved]:
    """The sites in the symbols that could stay in the repository, by path and line."""
    wanted = list(dict.fromkeys(ids))
    if len(wanted) > _ONE_BY_ONE:
        among = frozenset(wanted)
        return [site for site in snapshot.unresolved() if site.reference.source in among and site.reason.could_be_here]
    return _in_order(site for source in wanted for site in snapshot.unresolved(source=source))


def _in_order(sites: Iterable[Unresolved]) -> list[Unresolved]:
    found = [site for site in sites if site.reason.could_be_here]
    return sorted(found, key=lambda site: (site.path, site.reference.line, site.reference.column))
