"""The call graph by scopes, imports, class hierarchy, types and, last, the flow of values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from plait.facts import Outline, ParsedFile
from plait.graph.confidence import ABSTRACT, EXACT, OVERRIDES, SYNTAX, confidence
from plait.graph.edges import Edges
from plait.graph.flow import Flow
from plait.graph.inference import Inference
from plait.graph.program import Program
from plait.graph.sites import MAX_CANDIDATES, Target, resolve, settle
from plait.graph.values import Class, Function
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


class ScopedGraph:
    """What scopes, imports, the class hierarchy and declared types tell, each site by itself."""

    in_part: frozenset[str] = frozenset()
    apart = frozenset(("python",))

    def build(self, files: Sequence[ParsedFile]) -> Graph:
        return self.build_with(files, {})

    def build_with(self, files: Sequence[ParsedFile], known: Mapping[Position, Known]) -> Graph:
        program = Program(files)
        return assemble(program, Inference(program), None, known)

    def relink(self, files: Sequence[ParsedFile], around: Sequence[Outline], opened: Opened) -> Graph:
        """Return what building all would give for these files alone."""
        program = Program(files, around, opened)
        return assemble(program, Inference(program), None, {})


class FlowGraph:
    """The same, and where that leaves a site open, the values that flow into it from anywhere in the repository."""

    in_part = frozenset(("python",))
    apart = in_part

    def build(self, files: Sequence[ParsedFile]) -> Graph:
        return self.build_with(files, {})

    def build_with(self, files: Sequence[ParsedFile], known: Mapping[Position, Known]) -> Graph:
        program = Program(files)
        inference = Inference(program)
        flow = Flow(program, inference)
        flow.solve()
        return assemble(program, inference, flow, known)

    def relink(self, files: Sequence[ParsedFile], around: Sequence[Outline], opened: Opened) -> Graph:
        """Return what scopes, imports and types give: values flow through all files, or are not followed at all."""
        return ScopedGraph().relink(files, around, opened)


def assemble(program: Program, inference: Inference, flow: Flow | None, known: Mapping[Position, Known]) -> Graph:
    edges = Edges()
    unresolved: list[Unresolved] = []
    for file in program.files:
        for reference in file.references:
            site = resolve(reference, inference, flow)
            said = known.get((file.path, reference.line, reference.column))
            if said is not None:
                site = settle(site, said, reference, inference)
            for target in site.targets:
                edges.add(edge_of(reference, target, file.path, site.candidates))
            if site.unknown is not None:
                reason, detail = site.unknown
                unresolved.append(Unresolved(reference, file.path, reason, detail))
        declared = (*_contains(file), *_imports(file, program), *_overrides(file, inference))
        for edge in (*declared, *_references(file, inference)):
            edges.add(edge)
    for method, wanted in flow.dispatch.structural.overriding() if flow is not None else ():
        line, sure = method.span.start_line, confidence(Via.OVERRIDE)
        edges.add(_declared(method.id, wanted.id, EdgeKind.OVERRIDES, Via.OVERRIDE, method.path, line, sure=sure))
    for edge in _implicit(flow, program) if flow is not None else ():
        edges.add(edge)
    return Graph(edges.sorted(), tuple(unresolved))


def _implicit(flow: Flow, program: Program) -> Iterator[Edge]:
    """Calls without a call expression: properties, operators, iteration, `with`, what a decorator's result does."""
    for (source, line), found in flow.implicit.items():
        for (target, via), count in _alternatives(found, program):
            yield Edge(
                source=source,
                target=target,
                kind=EdgeKind.CALLS,
                via=via,
                evidence=Evidence.AMBIGUOUS if count > 1 else Evidence.FLOWED,
                confidence=confidence(via, count, flowed=True),
                path=program.file_of[source].path,
                line=line,
                candidates=count,
            )


def _alternatives(
    found: Mapping[tuple[SymbolId, Via], None], program: Program
) -> Iterator[tuple[tuple[SymbolId, Via], int]]:
    """Each target with how many of the line's have its name and way of calling; those with too many are left out."""
    names = Counter((program.symbols[target].name, via) for target, via in found)
    for target, via in found:
        count = names[program.symbols[target].name, via]
        if count <= MAX_CANDIDATES:
            yield (target, via), count


def _evidence(target: Target, candidates: int) -> Evidence:
    if target.via is Via.NAME:
        return Evidence.NAME
    if candidates > 1:
        return Evidence.AMBIGUOUS
    if target.flowed:
        return Evidence.FLOWED
    return Evidence.TYPED if target.typed else Evidence.SCOPED


def edge_of(reference: Reference, target: Target, path: str, candidates: int) -> Edge:
    kind = EdgeKind.INHERITS if reference.kind is ReferenceKind.BASE else EdgeKind.CALLS
    if target.exact:
        evidence, sure, candidates = Evidence.EXACT, EXACT, 1
    else:
        candidates = max(candidates, target.replaced + 1)
        evidence = _evidence(target, candidates)
        abstract = kind is EdgeKind.CALLS and target.via is Via.DECLARATION
        sure = ABSTRACT if abstract else confidence(target.via, candidates, flowed=target.flowed)
    return Edge(
        source=reference.source,
        target=target.id,
        kind=kind,
        via=target.via,
        evidence=evidence,
        confidence=sure,
        path=path,
        line=reference.line,
        candidates=candidates,
    )


def _declared(
    source: SymbolId, target: SymbolId, kind: EdgeKind, via: Via, path: str, line: int, sure: float | None = None
) -> Edge:
    return Edge(source, target, kind, via, Evidence.SCOPED, confidence(via) if sure is None else sure, path, line)


def _contains(file: ParsedFile) -> Iterator[Edge]:
    for symbol in file.symbols:
        if symbol.parent is not None:
            line = symbol.span.start_line
            yield _declared(symbol.parent, symbol.id, EdgeKind.CONTAINS, Via.DECLARATION, file.path, line, sure=SYNTAX)


def _imports(file: ParsedFile, program: Program) -> Iterator[Edge]:
    """From the module to each module it names; `from package import module` names the module, not the package."""
    for imported in file.imports:
        name = program.modules.imported(imported, file)
        if name is None:
            continue
        package = program.modules.file(name)
        if imported.name not in (None, "*") and imported.name is not None:
            scope = package.symbols[0].id if package else None
            own = scope is not None and (
                program.definitions(scope, imported.name) or program.bindings(scope, imported.name)
            )
            child = program.modules.child(name, imported.name)
            if child is not None and not own:
                package = program.modules.file(child)
        if package is not None and package is not file:
            yield _declared(
                file.symbols[0].id,
                package.symbols[0].id,
                EdgeKind.IMPORTS,
                Via.DECLARATION,
                file.path,
                imported.line,
            )


def _references(file: ParsedFile, inference: Inference) -> Iterator[Edge]:
    """From a definition to the functions and classes that it names as values: passes, stores, returns, compares."""
    for mention in file.mentions:
        found = inference.evaluate(mention.expression, mention.scope)
        named = [one for one in found if isinstance(one, (Function, Class)) and one.id != mention.scope]
        if len(found) <= MAX_CANDIDATES:
            for one in named:
                yield Edge(
                    source=mention.scope,
                    target=one.id,
                    kind=EdgeKind.REFERENCES,
                    via=Via.DECLARATION,
                    evidence=Evidence.AMBIGUOUS if len(found) > 1 else Evidence.SCOPED,
                    confidence=confidence(Via.DECLARATION, len(found)),
                    path=file.path,
                    line=mention.line,
                    candidates=len(found),
                )


def _overrides(file: ParsedFile, inference: Inference) -> Iterator[Edge]:
    """From a method to the one it replaces, in the nearest class of the order; mangled names replace nothing."""
    for symbol in file.symbols:
        if symbol.kind is not SymbolKind.METHOD or symbol.parent is None:
            continue
        mangled = symbol.name.startswith("__") and not symbol.name.endswith("__")
        if mangled or symbol not in inference.program.definitions(symbol.parent, symbol.name):
            continue
        found = inference.classes.member(symbol.parent, symbol.name, after=True)
        for target in found[1] if found else ():
            if target.kind is SymbolKind.METHOD:
                line = symbol.span.start_line
                yield _declared(symbol.id, target.id, EdgeKind.OVERRIDES, Via.OVERRIDE, file.path, line, sure=OVERRIDES)
