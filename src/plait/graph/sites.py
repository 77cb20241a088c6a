"""What one site of a call, a decorator or a base can lead to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from plait.graph.flow import Flow
from plait.graph.inference import Inference
from plait.graph.program import Program
from plait.graph.values import Absent, Builtin, BuiltinInstance, Class, External, Function, Instance, Opaque, Value
from plait.model import Known, Receiver, Reference, ReferenceKind, Symbol, SymbolId, SymbolKind, Unknown, Via

MAX_CANDIDATES = 4
"""A site with more possible targets has none: each of five would be wrong four times of five."""

MAX_REPLACING = 16
"""Methods that can run in the place of one that does nothing. Not tuned: the most in flask, werkzeug and rich is 10."""

_AS_DEFINED = frozenset({"classmethod", "staticmethod", "abstractmethod", "overload", "override", "final", "setter"})
"""Decorators that put nothing else in the place of the definition."""

_REASONS = (Unknown.RECEIVER, Unknown.DYNAMIC, Unknown.MEMBER, Unknown.NAME, Unknown.EXTERNAL, Unknown.BUILTIN)
"""Which reason stands for a site with several: the first that leaves most open."""


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
    exact: bool = False
    """said by an index that a compiler made"""


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
                found.setdefault(method, Target(method, Via.OVERRIDE, typed=True, flowed=True))
        instead = sum(flow.dispatch.replaces(one, target.id) for one in found) if abstract else 0
        if instead and target.via is Via.CALL:
            found[target.id] = replace(target, via=Via.DECLARATION, replaced=instead)
    return Site(tuple(found.values()), site.candidates, site.unknown)


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


def settle(site: Site, said: Known, reference: Reference, inference: Inference) -> Site:
    """Put together what was found for a site with what an index says about it.

    Beside what is said stays what overrides it, what is called back, and all that was found where what is said is
    decorated: then something else may be called in its place. An abstract method is not what runs, though it is what is
    named. Where the index leads out of the repository everything
    stays, as methods here may override what is out there.
    """
    if said.outside is not None:
        guessed = all(target.via is Via.NAME for target in site.targets)
        return Site((), 0, said.outside) if guessed else site
    program = inference.program
    definitions = [one for one in _definitions(said, program) if not program.is_property(one.id)]
    values = [Class(one.id) if one.kind is SymbolKind.CLASS else Function(one.id) for one in definitions]
    sure = len(values) == 1
    called = [target for value in values for target in _targets(value, reference, inference)]
    told = {target.id: replace(target, exact=sure) for target in called}
    told |= {one.id: one for one in site.targets if one.id in told and one.replaced}
    if not told:
        return site
    replaced = any(program.decorated(one.id) - _AS_DEFINED for one in definitions)
    kept = [
        one
        for one in site.targets
        if one.id not in told and (replaced or _stays(one, site.candidates, definitions, inference))
    ]
    if not sure:
        return Site((*told.values(), *kept), len(values) + len(kept), None)
    left = len(kept) + any(one.id in told for one in site.targets)
    return Site((*told.values(), *kept), max(1, min(site.candidates, left)), None)


def _definitions(said: Known, program: Program) -> list[Symbol]:
    """Of several definitions of one name in one place an index may name any, also one that is only an overload."""
    found: dict[SymbolId, Symbol] = {}
    for symbol in map(program.symbols.__getitem__, said.targets):
        same = program.definitions(symbol.parent, symbol.name) if symbol.parent else [symbol]
        found |= {one.id: one for one in same}
    return list(found.values())


def _stays(target: Target, candidates: int, said: Sequence[Symbol], inference: Inference) -> bool:
    """Whether what was found can be called beside what is said.

    It can if it is called back, if it is of a further type that the receiver is declared to have (an index names one
    type of a union), and if it is of a class below that of what is said.
    """
    if target.via is Via.CALLBACK or (target.typed and not target.flowed and candidates > 1):
        return True
    owner = inference.program.symbols[target.id].parent
    if owner is None or inference.program.symbols[owner].kind is not SymbolKind.CLASS:
        return False
    order = inference.classes.order(owner)
    return any(one.kind is SymbolKind.METHOD and one.parent in order for one in said)


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
            return Unknown.EXTERNAL, value.path
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
