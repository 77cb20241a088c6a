"""Calls from one repository into another, and who calls a symbol across all of them.

Nothing about two repositories is stored: a build keeps what it publishes and what it names elsewhere, and both meet
when somebody asks. So one commit a repository stays true, a rebuilt repository is linked at once as a clean fleet would
be, and which repositories publish a package is decided among those that the caller may read.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from plait.errors import AmbiguousSymbol, UnknownSymbol
from plait.fleet.fleet import Fleet
from plait.fleet.names import Meant, Names, row_of
from plait.graph.outward import Outward
from plait.graph.walks import Reach, walk
from plait.model import Direction, Edge, EdgeKind, Evidence, Symbol, SymbolId, Via
from plait.store.lance.registry import Head
from plait.store.lance.snapshot import SEPARATOR, Unit
from plait.store.lance.tables import NUMBERS, OUTWARD, SYMBOLS, among, quoted

_ONWARD = 4
"""Repositories through which a name is passed on."""

_CONFIDENCE = {Evidence.SCOPED: 0.95, Evidence.TYPED: 0.9, Evidence.NAME: 0.7, Evidence.AMBIGUOUS: 0.5}
"""Chosen, not fitted: below what the same evidence has within one repository."""


@dataclass(frozen=True, slots=True)
class Crossing:
    """A site that names something in another package."""

    outward: Outward
    source: SymbolId
    path: str
    line: int
    edges: tuple[Edge, ...] = ()
    publishers: tuple[str, ...] = ()
    """repositories that publish the package; without an edge none: nobody does; one: it has no such name; several:
    it cannot be told which is meant"""


@dataclass(frozen=True, slots=True)
class Across:
    """Callers or callees of a symbol, over all repositories that the caller may read."""

    symbol: Symbol
    direction: Direction
    reached: tuple[tuple[Reach, Symbol], ...]
    open: tuple[Crossing, ...] = field(default=())
    """callees: sites of the symbol that name a package that several publish, or nobody, or a name it does not have;
    by path and line"""
    rivals: tuple[str, ...] = ()
    """callers: the other repositories that publish the symbol's package; with any of them nothing leads into it"""


class Linked:
    """The graph of all repositories that the caller may read. Ids and paths begin with `REPOSITORY//`."""

    def __init__(self, fleet: Fleet, may: Collection[str] | None = None) -> None:
        self._fleet = fleet
        self._heads = {one.name: one for one in fleet.heads(may) if one.build}
        self._by_build = {one.build: one for one in self._heads.values()}
        self._names: dict[int, Names] = {}
        self._publishers: dict[str, list[Head]] = {}
        for head in self._heads.values():
            for package in head.packages:
                self._publishers.setdefault(package, []).append(head)

    def ambiguous(self) -> dict[str, tuple[str, ...]]:
        """Return the packages that several repositories publish, with these: no edge leads into them."""
        found = sorted(self._publishers.items())
        return {package: tuple(one.name for one in heads) for package, heads in found if len(heads) > 1}

    def find(self, name: str, repositories: Collection[str] | None = None) -> Symbol:
        """As Engine.find, by qualified name or id. Raises UnknownSymbol and AmbiguousSymbol."""
        repository, separator, inner = name.strip().partition(SEPARATOR)
        if separator and repository in self._heads and ":" in inner:
            found = self.symbols([SymbolId(name.strip())])
            if found:
                return found[0]
        dotted = (inner if separator else name).strip().removesuffix("()").replace("::", ".").replace("/", ".")
        heads = [
            one
            for one in self._heads.values()
            if (repositories is None or one.name in repositories) and (not separator or one.name == repository)
        ]
        last = dotted.rpartition(".")[2]
        where = f"name = {quoted(last)} AND {among('build', [one.build for one in heads])}"
        self._fleet.tables.latest(SYMBOLS)
        rows = self._fleet.tables.read(SYMBOLS, where, ["build", "id", "qualified_name"]).to_pylist()
        ending = [one for one in rows if f".{one['qualified_name']}".endswith(f".{dotted}")]
        choices = [one for one in ending if one["qualified_name"] == dotted] or ending
        ids = sorted(f"{self._by_build[one['build']].name}{SEPARATOR}{one['id']}" for one in choices)
        if not ids:
            raise UnknownSymbol(name, [])
        if len(ids) > 1:
            raise AmbiguousSymbol(name, ids)
        return self.symbols([SymbolId(ids[0])])[0]

    def symbols(self, ids: Sequence[SymbolId]) -> list[Symbol]:
        found: dict[SymbolId, Symbol] = {}
        for unit, inner in self._by_unit(ids):
            numbers = [unit.part.numbers[one] for one in inner if one in unit.part.numbers]
            found |= {one.id: one for one in unit.symbols(numbers)}
        return [found[one] for one in ids if one in found]

    def edges(self, ids: Collection[SymbolId], kinds: Collection[EdgeKind], direction: Direction) -> list[Edge]:
        """As Snapshot.edges, with those between repositories."""
        found: list[Edge] = []
        for unit, inner in self._by_unit(ids):
            numbers = [unit.part.numbers[one] for one in inner if one in unit.part.numbers]
            rows = unit.part.edge_rows(numbers, list(kinds), "source" if direction is Direction.OUT else "target")
            found += map(unit.edge, unit.part.edges(rows))
            if direction is Direction.OUT:
                crossings = self._out(unit, numbers)
            else:
                crossings = (one for number in numbers for one in self._in(unit, number))
            wanted = {unit.outer(unit.part.ids[number]) for number in numbers}
            for crossing in crossings:
                found += (
                    edge
                    for edge in crossing.edges
                    if edge.kind in kinds and (direction is Direction.OUT or edge.target in wanted)
                )
        first: dict[tuple[SymbolId, SymbolId, EdgeKind, Via], Edge] = {}
        for edge in sorted(found, key=lambda one: (one.source, one.target, one.kind, one.via, -one.evidence, one.line)):
            first.setdefault((edge.source, edge.target, edge.kind, edge.via), edge)
        return list(first.values())

    def related(self, symbol: Symbol, direction: Direction, depth: int = 1) -> Across:
        unit = self._unit(self._head_of(symbol.id))
        number = unit.part.numbers[SymbolId(symbol.id.partition(SEPARATOR)[2])]
        names = self._of(unit)
        inner = [number, *names.constructor(number)] if symbol.kind == "class" else [number]
        starts = [unit.outer(unit.part.ids[one]) for one in inner]
        found = walk(self.edges, starts, direction, depth=depth)
        known = {one.id: one for one in self.symbols([one.symbol for one in found])}
        open_: list[Crossing] = []
        rivals: set[str] = set()
        if direction is Direction.OUT:
            open_ = [one for one in self._out(unit, inner) if not one.edges]
        else:
            for package in self._published(names, inner):
                several = self._publishers_of(package)
                if len(several) > 1:
                    rivals |= {one.name for one in several} - {unit.repository}
        return Across(
            symbol=symbol,
            direction=direction,
            reached=tuple((one, known[one.symbol]) for one in found),
            open=tuple(sorted(open_, key=lambda one: (one.path, one.line, one.outward.name))),
            rivals=tuple(sorted(rivals)),
        )

    def crossings(self, repository: str) -> list[Crossing]:
        """Return all sites of a repository that name something in another package, by path and line."""
        unit = self._unit(self._heads[repository])
        found = self._out(unit, None)
        return sorted(found, key=lambda one: (one.path, one.line, one.source, one.outward.name))

    # Linking

    def _out(self, unit: Unit, numbers: Sequence[int] | None) -> Iterator[Crossing]:
        rows = unit.part.rows(OUTWARD)
        wanted = None if numbers is None else {(unit.part.build << NUMBERS) + one for one in numbers}
        for row in rows.to_pylist():
            if wanted is None or row["source"] in wanted:
                yield self._crossing(unit, row)

    def _in(self, unit: Unit, number: int) -> Iterator[Crossing]:
        names = self._of(unit)
        packages = sorted(set(self._published(names, [number])))
        if not packages:
            return
        asked = names.known_as(number)
        where = (
            f"package IN ({', '.join(map(quoted, packages))}) AND last IN ({', '.join(map(quoted, asked))})"
            f" AND {among('build', sorted(self._by_build))}"
        )
        self._fleet.tables.latest(OUTWARD)
        for row in self._fleet.tables.read(OUTWARD, where).to_pylist():
            yield self._crossing(self._unit(self._by_build[row["build"]]), row)

    @staticmethod
    def _published(names: Names, numbers: Sequence[int]) -> list[str]:
        return list(dict.fromkeys(package for one in numbers for package in names.ask(one)))

    def _crossing(self, unit: Unit, row: dict[str, Any]) -> Crossing:
        outward = row_of(row)
        source = unit.outer(unit.part.ids[row["source"] & ((1 << NUMBERS) - 1)])
        path = f"{unit.prefix}{row['path']}"
        found, publishers = self._meant(outward, unit.repository)
        edges: tuple[Edge, ...] = ()
        if found is not None:
            edges = tuple(self._edges(*found, source, path, row))
        return Crossing(outward, source, path, row["line"], edges, publishers)

    def _meant(self, outward: Outward, asker: str) -> tuple[tuple[Unit, Meant] | None, tuple[str, ...]]:
        publishers: tuple[str, ...] = ()
        for _ in range(_ONWARD):
            heads = self._publishers_of(_full(outward))
            publishers = tuple(one.name for one in heads)
            if len(heads) != 1 or heads[0].name == asker:
                return None, publishers
            unit = self._unit(heads[0])
            found = self._of(unit).meant(outward)
            if isinstance(found, Meant):
                return (unit, found), publishers
            if found is None:
                return None, publishers
            outward = found
        return None, publishers

    def _publishers_of(self, package: str) -> list[Head]:
        """Who publishes the longest package that the name begins with."""
        ecosystem, _, name = package.partition(":")
        mark = {"go": "/", "python": "."}.get(ecosystem)
        while name:
            found = self._publishers.get(f"{ecosystem}:{name}")
            if found or mark is None:
                return found or []
            name = name.rpartition(mark)[0]
        return []

    def _edges(self, unit: Unit, meant: Meant, source: SymbolId, path: str, row: dict[str, Any]) -> Iterator[Edge]:
        is_base = row["kind"] == "base"
        targets = meant.targets
        via = Via.DECORATOR if row["kind"] == "decorator" else Via.CALL
        if is_base and not meant.is_class:
            return
        if meant.is_class and not is_base:
            targets = tuple(self._of(unit).run_by(targets[0]))
            via = Via.CONSTRUCT if via is Via.CALL else via
        evidence = Evidence.TYPED if meant.is_member else Evidence.SCOPED
        if meant.only_by_name:
            evidence = Evidence.NAME
        alternatives = len(targets) - (meant.is_class and meant.targets[0] in targets and len(targets) > 1)
        if alternatives > 1:
            evidence = Evidence.AMBIGUOUS
        for target in targets:
            yield Edge(
                source=source,
                target=unit.outer(unit.part.ids[target]),
                kind=EdgeKind.INHERITS if is_base else EdgeKind.CALLS,
                via=Via.DECLARATION if is_base else via,
                evidence=evidence,
                confidence=_CONFIDENCE[evidence] if alternatives < 3 else 1 / alternatives,
                path=path,
                line=row["line"],
                candidates=max(1, alternatives),
            )

    # Repositories

    def _head_of(self, symbol: SymbolId) -> Head:
        return self._heads[symbol.partition(SEPARATOR)[0]]

    def _unit(self, head: Head) -> Unit:
        return Unit(head.name, self._fleet.parts.of(head.build))

    def _of(self, unit: Unit) -> Names:
        if unit.part.build not in self._names:
            self._names[unit.part.build] = Names(unit.part)
        return self._names[unit.part.build]

    def _by_unit(self, ids: Collection[SymbolId]) -> Iterator[tuple[Unit, list[SymbolId]]]:
        found: dict[str, list[SymbolId]] = {}
        for one in sorted(ids):
            repository, _, inner = one.partition(SEPARATOR)
            if repository in self._heads:
                found.setdefault(repository, []).append(SymbolId(inner))
        for repository, inner_ids in found.items():
            yield self._unit(self._heads[repository]), inner_ids


def _full(outward: Outward) -> str:
    """The longest name that could be a package's: of Python all of it, as packages can lie in namespaces."""
    if outward.package.startswith("python:"):
        return f"{outward.package}.{outward.name}"
    return outward.package
