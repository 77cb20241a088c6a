"""The call graph by scopes, imports, class hierarchy, types and flow. No edge is made by a name alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from plait.graph.confidence import ABSTRACT, SYNTAX, confidence
from plait.graph.flow import Flow
from plait.graph.inference import Inference
from plait.graph.program import Program
from plait.graph.values import Absent, Builtin, BuiltinInstance, Class, External, Function, Instance, Opaque, Value
from plait.model import (
    Edge,
    EdgeKind,
    Evidence,
    Graph,
    ParsedFile,
    Receiver,
    Reference,
    ReferenceKind,
    SymbolId,
    SymbolKind,
    Unknown,
    Unresolved,
    Via,
)

MAX_CANDIDATES = 4
"""A site with more possible targets has none: each of five would be wrong four times of five."""

MAX_REPLACING = 16
"""Methods that can run in the place of one that does nothing. Not tuned: the most in flask, werkzeug and rich is 10."""

_REASONS = (Unknown.RECEIVER, Unknown.DYNAMIC, Unknown.MEMBER, Unknown.NAME, Unknown.EXTERNAL, Unknown.BUILTIN)
"""Which reason stands for a site with several: the first that leaves most open."""


class ScopedGraph:
    """What scopes, imports, the class hierarchy and declared types tell, each site by itself."""

    def build(self, files: Sequence[ParsedFile]) -> Graph:
        program = Program(files)
        return assemble(program, Inference(program), None)


class FlowGraph:
    """The same, and where that leaves a site open, the values that flow into it from anywhere in the repository."""

    def build(self, files: Sequence[ParsedFile]) -> Graph:
        program = Program(files)
        inference = Inference(program)
        flow = Flow(program, inference)
        flow.solve()
        return assemble(program, inference, flow)


def assemble(program: Program, inference: Inference, flow: Flow | None) -> Graph:
    edges = _Edges()
    unresolved: list[Unresolved] = []
    for file in program.files:
        for reference in file.references:
            site = resolve(reference, inference, flow)
            for target in site.targets:
                edges.add(edge_of(reference, target, file.path, site.candidates))
            if site.unknown is not None:
                reason, detail = site.unknown
                unresolved.append(Unresolved(reference, file.path, reason, detail))
        for edge in (*_contains(file), *_imports(file, program), *_overrides(file, inference)):
            edges.add(edge)
    for edge in _implicit(flow, program) if flow is not None else ():
        edges.add(edge)
    return Graph(edges.sorted(), tuple(unresolved))


def _flowing(reference: Reference, flow: Flow, declared: Site) -> Site | None:
    """What flows into the site; None if nothing does, or so much that it tells nothing.

    At a call that leads out of the repository it is what the function called out there calls back.
    """
    outside = declared.unknown if declared.unknown and not declared.unknown[0].could_be_here else None
    found = flow.sites.get((reference.source, reference.line, reference.column), {})
    if outside and outside[0] is Unknown.BUILTIN:
        # The receiver is declared to be a builtin object: a method of that name here is not what it calls back.
        names = {target: flow.program.symbols[target].name for target, _ in found}
        found = {one: None for one in found if names[one[0]] != reference.name}
    families = {flow.dispatch.family(target) for target, _ in found}
    functions = sum(flow.program.is_function(target) for target in families)
    alternatives = max(functions, len(families) - functions)
    few = 0 < alternatives <= MAX_CANDIDATES and len(found) <= MAX_REPLACING
    if reference.kind is ReferenceKind.BASE or not few:
        return None
    given = Via.CALLBACK if outside else Via.DECORATOR if reference.kind is ReferenceKind.DECORATOR else None
    targets = (Target(target, given or via, typed=True, flowed=True) for target, via in found)
    return Site(tuple(targets), alternatives, outside)


def _implicit(flow: Flow, program: Program) -> Iterator[Edge]:
    """Calls without a call expression: properties, operators, iteration, `with`, what a decorator's result does."""
    for (source, line), found in flow.implicit.items():
        for (target, via), count in _alternatives(found, program):
            yield Edge(
                source=source,
                target=target,
                kind=EdgeKind.CALLS,
                via=via,
                evidence=Evidence.AMBIGUOUS if count > 1 else Evidence.TYPED,
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


@dataclass(frozen=True, slots=True)
class Target:
    id: SymbolId
    via: Via
    typed: bool
    flowed: bool = False
    """found by the values that flow to the site"""
    receiver: SymbolId | None = None
    """the class of the object whose method it is, where a class below may have another in its place"""
    replaced: int = 0
    """how many methods of the site run in its place"""


@dataclass(frozen=True, slots=True)
class Site:
    """What one reference can lead to: targets, or a reason for having none, or both."""

    targets: tuple[Target, ...]
    candidates: int
    """how many answers exclude one another; constructing a class that inherits its constructor reaches both at once"""
    unknown: tuple[Unknown, str] | None


def resolve(reference: Reference, inference: Inference, flow: Flow | None = None) -> Site:
    """Declarations first; what they leave open, by the values that flow to the site; then by the name alone."""
    site = _declared_site(reference, inference)
    if flow is None:
        return site
    flowing = _flowing(reference, flow, site)
    if flowing is not None:
        open_ = not site.targets or site.unknown is not None
        site = flowing if open_ else _narrowed(site, flowing, reference, inference.program)
    if not site.targets and site.unknown is not None and site.unknown[0].could_be_here:
        named = flow.by_name.find(reference)
        return Site((Target(named, Via.NAME, typed=False),), 1, site.unknown) if named is not None else site
    return _replaced(site, reference, flow)


def _replaced(site: Site, reference: Reference, flow: Flow) -> Site:
    """The site with the methods that run in the place of those that it names.

    They are those of the objects that flow there and, for a method that does nothing itself, all. Others are left to
    questions: in benchmarks/results/callgraph-executed.txt two of five such calls, taken for granted, were executed.
    """
    found = {target.id: target for target in site.targets}
    flowed = {target for target, _ in flow.sites.get((reference.source, reference.line, reference.column), ())}
    for target in site.targets:
        abstract = flow.dispatch.is_abstract(target.id)
        methods = flow.dispatch.replacing(target.id, target.receiver) if target.receiver is not None else ()
        for method in methods:
            if method in flowed:
                found.setdefault(method, Target(method, Via.CALL, typed=True, flowed=True))
            elif abstract and len(methods) <= MAX_REPLACING:
                found.setdefault(method, Target(method, Via.OVERRIDE, typed=True))
        instead = sum(flow.dispatch.replaces(one, target.id) for one in found) if abstract else 0
        if instead and target.via is Via.CALL:
            found[target.id] = replace(target, via=Via.DECLARATION, replaced=instead)
    return Site(tuple(found.values()), site.candidates, site.unknown)


def _narrowed(site: Site, flowing: Site, reference: Reference, program: Program) -> Site:
    """What declarations allow, less what has been overwritten when control arrives, and with what decorates it."""
    declared = {target.id: target for target in site.targets}
    flowed = {target.id for target in flowing.targets}
    if site.candidates > 1 and flowed < declared.keys():
        left = tuple(target for target in site.targets if target.id in flowed)
        return Site(left, flowing.candidates, None)
    if flowed.isdisjoint(declared):
        root = reference.expression.partition(".")[0]
        if len(program.bindings(reference.source, root)) > 1:
            return flowing
        if any(program.decorators(target) for target in declared):
            # What decorates runs first, and then what it decorates.
            return Site((*site.targets, *flowing.targets), site.candidates, None)
    return site


def _declared_site(reference: Reference, inference: Inference) -> Site:
    scope = reference.source
    if reference.kind is ReferenceKind.BASE:
        scope = inference.program.symbols[scope].parent or scope
    found: dict[SymbolId, Target] = {}
    alternatives = 0
    unknown: list[tuple[Unknown, str]] = []
    lacking: list[tuple[Unknown, str]] = []
    for value in inference.evaluate(reference.expression, scope) or (Opaque(),):
        targets = _targets(value, reference, inference)
        new = [target for target in targets if target.id not in found]
        found |= {target.id: target for target in new}
        whole = isinstance(value, Class) and reference.kind is not ReferenceKind.BASE
        alternatives += bool(new) if whole else len(new)
        if not targets:
            reason = _reason(value, reference, inference)
            (lacking if isinstance(value, Absent) or reason[0] is Unknown.MEMBER else unknown).append(reason)
    # A type without the member would fail at run time, so it is no alternative to one that has it.
    if not found and not unknown:
        unknown = lacking
    unknown.sort(key=lambda one: _REASONS.index(one[0]))
    if alternatives > MAX_CANDIDATES:
        return Site((), 0, (Unknown.RECEIVER, f"{alternatives} candidates"))
    if not found:
        return Site((), 0, unknown[0])
    open_ = next((one for one in unknown if one[0].could_be_here), None)
    return Site(tuple(found.values()), alternatives + len(unknown), open_)


def _targets(value: Value, reference: Reference, inference: Inference) -> list[Target]:
    kind = reference.kind
    if kind is ReferenceKind.BASE:
        return [Target(value.id, Via.DECLARATION, typed=False)] if isinstance(value, Class) else []
    decorated = kind is ReferenceKind.DECORATOR
    match value:
        case Function(id=function, receiver=receiver, typed=typed, replaceable=replaceable):
            below = receiver if replaceable or reference.receiver is Receiver.CLS else None
            return [Target(function, Via.DECORATOR if decorated else Via.CALL, typed, receiver=below)]
        case Class(id=class_, typed=typed):
            via = Via.DECORATOR if decorated else Via.CONSTRUCT
            found = inference.classes.member(class_, "__init__")
            inherited = [] if found and found[0] == class_ else [Target(class_, via, typed)]
            return [*inherited, *(Target(one.id, via, typed) for one in found[1])] if found else inherited
        case Instance(id=class_, typed=typed):
            found = inference.classes.member(class_, "__call__")
            return [Target(one.id, Via.DUNDER, typed) for one in found[1]] if found else []
    return []


def _reason(value: Value, reference: Reference, inference: Inference) -> tuple[Unknown, str]:
    """Why a value is no target."""
    match value:
        case External():
            return Unknown.EXTERNAL, value.package
        case Builtin(name=name):
            return Unknown.BUILTIN, name
        case BuiltinInstance(type=name):
            return Unknown.BUILTIN, name
        case Absent(type=name):
            return Unknown.RECEIVER, name
        case Opaque(reason=reason, detail=detail):
            if reason is Unknown.RECEIVER and reference.receiver is Receiver.NONE:
                return Unknown.DYNAMIC, detail
            if not detail and reason is Unknown.DYNAMIC and reference.receiver is not Receiver.NONE and reference.name:
                return Unknown.RECEIVER, detail
            return reason, detail
        case Instance(id=class_):
            return Unknown.MEMBER, f"{inference.program.symbols[class_].qualified_name}.__call__"
    return Unknown.DYNAMIC, ""


class _Edges:
    """Each (source, target, kind, via) once: the line of its first site, the evidence of its best one."""

    def __init__(self) -> None:
        self._found: dict[tuple[SymbolId, SymbolId, EdgeKind, Via], Edge] = {}

    def add(self, edge: Edge) -> None:
        key = (edge.source, edge.target, edge.kind, edge.via)
        known = self._found.get(key)
        if known is None:
            self._found[key] = edge
            return
        best = max(known, edge, key=lambda one: (one.evidence, -one.candidates, -one.line))
        self._found[key] = Edge(
            edge.source,
            edge.target,
            edge.kind,
            edge.via,
            best.evidence,
            best.confidence,
            best.path,
            min(known.line, edge.line),
            best.candidates,
        )

    def sorted(self) -> tuple[Edge, ...]:
        return tuple(self._found[key] for key in sorted(self._found))


def edge_of(reference: Reference, target: Target, path: str, candidates: int) -> Edge:
    kind = EdgeKind.INHERITS if reference.kind is ReferenceKind.BASE else EdgeKind.CALLS
    abstract = kind is EdgeKind.CALLS and target.via is Via.DECLARATION
    candidates = max(candidates, target.replaced + 1)
    sure = Evidence.TYPED if target.typed else Evidence.SCOPED
    evidence = Evidence.NAME if target.via is Via.NAME else Evidence.AMBIGUOUS if candidates > 1 else sure
    return Edge(
        source=reference.source,
        target=target.id,
        kind=kind,
        via=target.via,
        evidence=evidence,
        confidence=ABSTRACT if abstract else confidence(target.via, candidates, flowed=target.flowed),
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
                yield _declared(symbol.id, target.id, EdgeKind.OVERRIDES, Via.OVERRIDE, file.path, line)
