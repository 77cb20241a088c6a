"""The call graph of languages that have a table instead of a builder of their own.

Each file is linked by itself, over tables that answer lazily: nothing is solved for the whole repository at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from plait.facts import Outline, ParsedFile
from plait.graph.confidence import EXACT
from plait.graph.edges import Edges
from plait.graph.generic.confidence import IMPORT, SYNTAX, confidence
from plait.graph.generic.dialects import DIALECTS, Modules, family_of
from plait.graph.generic.files import Files
from plait.graph.generic.sites import Site, Sites, Target
from plait.graph.generic.values import MOST, Class, Function
from plait.graph.script.flow import ScriptFlow
from plait.model import (
    Edge,
    EdgeKind,
    Evidence,
    Graph,
    Known,
    Position,
    Reference,
    ReferenceKind,
    SymbolId,
    SymbolKind,
    Unresolved,
    Via,
)
from plait.protocols import Opened


@dataclass(frozen=True, slots=True)
class GenericGraph:
    """Scopes, declared types, imports and packages; last, the name. Files of other languages are passed over."""

    flow: bool = False
    """whether to follow values, in languages in which that is known"""

    def build(self, files: Sequence[ParsedFile]) -> Graph:
        return self.build_with(files, {})

    def build_with(self, files: Sequence[ParsedFile], known: Mapping[Position, Known]) -> Graph:
        return self._linked(files, known)

    def _linked(
        self,
        files: Sequence[ParsedFile],
        known: Mapping[Position, Known],
        around: Sequence[Outline] = (),
        opened: Opened | None = None,
    ) -> Graph:
        families: dict[str, list[ParsedFile]] = {}
        for file in files:
            dialect = DIALECTS.get(file.symbols[0].language)
            if dialect is not None:
                families.setdefault(dialect.family, []).append(file)
        edges = Edges()
        unresolved: list[Unresolved] = []
        for family, members in sorted(families.items()):
            beside = [one for one in around if family_of(one.path) == family]
            linker = Linker(members, beside, opened, flow=self.flow)
            for file in linker.files.files:
                linker.link(file, known, edges, unresolved)
            linker.link_implicit(edges)
        unresolved.sort(key=lambda one: (one.path, one.reference.line, one.reference.column))
        return Graph(edges.sorted(), tuple(unresolved))

    def relink(self, files: Sequence[ParsedFile], around: Sequence[Outline], opened: Opened) -> Graph:
        """As `build`, for these files alone; of those around are opened the ones of which something is asked."""
        return self._linked(files, {}, around, opened)


class Linker:
    """Links the files of one family."""

    def __init__(
        self,
        files: Sequence[ParsedFile],
        around: Sequence[Outline] = (),
        opened: Opened | None = None,
        *,
        flow: bool = False,
    ) -> None:
        self.files = Files(files, around, opened)
        self.flow = ScriptFlow(self.files) if flow and any(file.flow.nodes for file in files) else None
        if self.flow is not None:
            self.flow.solve()
        self.sites = Sites(self.files, self.flow)

    def link(
        self, file: ParsedFile, known: Mapping[Position, Known], edges: Edges, unresolved: list[Unresolved]
    ) -> None:
        """Add what a file holds. It is the same whichever files were linked before."""
        self.sites.forget()
        for reference in file.references:
            site = self.site(reference, known.get((file.path, reference.line, reference.column)))
            for target in site.targets:
                edges.add(edge_of(reference, target, file.path))
            if site.unknown is not None:
                unresolved.append(Unresolved(reference, file.path, *site.unknown))
        for edge in (*self._contains(file), *self._imports(file), *self._inherits(file), *self._overrides(file)):
            edges.add(edge)

    def link_implicit(self, edges: Edges) -> None:
        """Calls that no call expression shows: of getters, of iterators."""
        for (source, line), found in self.flow.implicit.items() if self.flow is not None else ():
            if len(found) > MOST:
                continue
            evidence = Evidence.FLOWED if len(found) == 1 else Evidence.AMBIGUOUS
            for target, via in found:
                sure = confidence(evidence, via, len(found))
                path = self.files.file_of[source].path
                edges.add(Edge(source, target, EdgeKind.CALLS, via, evidence, sure, path, line, len(found)))

    def site(self, reference: Reference, said: Known | None = None) -> Site:
        """What is found for a site; what an index made by a compiler says of it stands in its place."""
        if said is None:
            return self.sites.resolve(reference)
        if said.targets:
            via = Via.DECLARATION if reference.kind is ReferenceKind.BASE else Via.CALL
            return Site(tuple(Target(one, via, Evidence.EXACT) for one in said.targets), None)
        return Site((), said.outside)

    def _contains(self, file: ParsedFile) -> Iterator[Edge]:
        for symbol in file.symbols:
            if symbol.parent is not None:
                line = symbol.span.start_line
                yield _declared(symbol.parent, symbol.id, EdgeKind.CONTAINS, Via.DECLARATION, file.path, line, SYNTAX)

    def _imports(self, file: ParsedFile) -> Iterator[Edge]:
        """From a file to the files that it names, by path or by what they define."""
        own = file.symbols[0].id
        by_name = DIALECTS[file.symbols[0].language].modules is Modules.NAMES
        for imported in file.imports:
            found: list[SymbolId] = []
            if by_name or imported.name not in (None, "*"):
                values = self.sites.inference.imports.imported(imported) if imported.name != "*" else ()
                found = [one.id for one in values if isinstance(one, (Class, Function))]
            paths = [self.files.file_of[one].path for one in found] or list(self.files.meant(imported))
            for path in dict.fromkeys(paths[:20]):
                target = self.files.file(path).symbols[0].id
                if target != own:
                    yield _declared(own, target, EdgeKind.IMPORTS, Via.DECLARATION, file.path, imported.line, IMPORT)

    def _inherits(self, file: ParsedFile) -> Iterator[Edge]:
        """Bases that a class is given outside of its definition."""
        for extension in file.extensions:
            if not extension.base:
                continue
            inference = self.sites.inference
            owners = inference.type_named(extension.type.partition("[")[0], extension.scope)
            bases = inference.type_named(extension.base, extension.scope)
            for owner in owners:
                for base in bases:
                    if isinstance(owner, Class) and isinstance(base, Class) and owner != base:
                        yield _declared(
                            owner.id, base.id, EdgeKind.INHERITS, Via.DECLARATION, file.path, extension.line, IMPORT
                        )

    def _overrides(self, file: ParsedFile) -> Iterator[Edge]:
        """From a method to the one of the nearest base that it replaces."""
        inference = self.sites.inference
        for symbol in file.symbols:
            if symbol.kind is not SymbolKind.METHOD:
                continue
            owner = inference.owner(symbol.id)
            if owner is None or symbol.name in ("constructor", self.files.symbols[owner].name, "init", "initialize"):
                continue
            for base in inference.members.order(owner)[1:]:
                found = [one.id for one in inference.members.own_member(base, symbol.name) if isinstance(one, Function)]
                fitting = [one for one in found if one != symbol.id and self._same_arity(one, symbol.id)]
                for one in fitting[:1]:
                    line = symbol.span.start_line
                    yield _declared(symbol.id, one, EdgeKind.OVERRIDES, Via.OVERRIDE, file.path, line, IMPORT)
                if fitting:
                    break

    def _same_arity(self, first: SymbolId, second: SymbolId) -> bool:
        one, other = self.files.parameters.get(first), self.files.parameters.get(second)
        return one is None or other is None or one.most == other.most


def edge_of(reference: Reference, target: Target, path: str) -> Edge:
    kind = EdgeKind.INHERITS if reference.kind is ReferenceKind.BASE else EdgeKind.CALLS
    sure = EXACT if target.evidence is Evidence.EXACT else confidence(target.evidence, target.via, target.candidates)
    return Edge(
        source=reference.source,
        target=target.id,
        kind=kind,
        via=target.via,
        evidence=target.evidence,
        confidence=sure,
        path=path,
        line=reference.line,
        candidates=target.candidates,
    )


def _declared(source: SymbolId, target: SymbolId, kind: EdgeKind, via: Via, path: str, line: int, sure: float) -> Edge:
    return Edge(source, target, kind, via, Evidence.SCOPED, sure, path, line)
