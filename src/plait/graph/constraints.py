"""What the files say, put into the flow: nodes are numbered on across all files, and each constraint waits at one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plait.facts import FlowFunction, ParsedFile
from plait.graph import declared
from plait.graph.calls import Call
from plait.model import SymbolId

if TYPE_CHECKING:
    from plait.graph.flow import Flow
    from plait.graph.points_to import Constraint


def enter(flow: Flow) -> None:
    for file in flow.program.files:
        _number(flow, file)
    _begin(flow)


def _number(flow: Flow, file: ParsedFile) -> None:
    start = len(flow._held)
    for _ in range(file.flow.nodes):
        flow.node()
    for scope, name, node in file.flow.names:
        flow.names[scope, name] = start + node
    for one in file.flow.functions:
        flow.functions[one.key] = FlowFunction(
            key=one.key,
            parameters=tuple((name, start + node) for name, node in one.parameters),
            positional=one.positional,
            required=one.required,
            vararg=_moved(one.vararg, start),
            kwarg=_moved(one.kwarg, start),
            result=_moved(one.result, start),
            passed=tuple(start + node for node in one.passed),
            owner=one.owner,
        )


def _begin(flow: Flow) -> None:
    """Read all constraints; the names of all files and what nodes can hold must be known before."""
    start = 0
    for file in flow.program.files:
        for constraint in file.flow.constraints:
            match constraint:
                case ("declared", int(node), str(expression), str(scope)):
                    declared.restrict(flow, start + node, expression, SymbolId(scope))
        start += file.flow.nodes
    start = 0
    for file in flow.program.files:
        for constraint in file.flow.constraints:
            _read(flow, constraint, start, file)
        start += file.flow.nodes
    for function in list(flow.functions.values()):
        _receive(flow, function)


def _receive(flow: Flow, function: FlowFunction) -> None:
    """A method's first parameter is an object of its class, whoever calls it."""
    if function.owner is None or not function.positional:
        return
    decorated = flow.program.decorated(SymbolId(function.key))
    implicit = function.key.endswith(("#__new__().", "#__init_subclass__().", "#__class_getitem__()."))
    if "staticmethod" not in decorated:
        kind = "class" if "classmethod" in decorated or implicit else "instance"
        flow.add(function.parameters[0][1], (kind, function.owner))


def _read(flow: Flow, constraint: Constraint, start: int, file: ParsedFile) -> None:
    def at(node: Any) -> int:
        return _moved(node, start)

    match constraint:
        case ("copy", source, target):
            flow.copy(at(source), at(target))
        case ("function" | "class" as kind, node, key):
            flow.add(at(node), (kind, key))
        case ("const", node, type_):
            flow.add(at(node), ("object", type_))
        case ("key", node, value):
            flow.add(at(node), ("key", value))
        case ("container", node, type_):
            flow.add(at(node), flow.container(type_))
        case ("type" | "declared", node, expression, scope):
            declared.hold_type(flow, at(node), expression, scope)
        case ("import", node, module, name, level, whole):
            declared.imported(flow, at(node), module, name, level, file, whole=whole)
        case ("global", node, name):
            declared.hold(flow, at(node), flow.inference.lookup(name, file.symbols[0].id))
        case ("load", node, owner, attribute, where):
            flow.watch(at(owner), "load", at(node), attribute, where)
        case ("reload", node, owner, attribute, stored, where):
            flow.watch(at(owner), "reload", at(node), attribute, at(stored), where)
        case ("store", owner, attribute, source, where):
            flow.watch(at(owner), "store", attribute, at(source), where)
        case ("get", node, owner, key, where):
            flow.watch(at(owner), "get", at(node), key, where)
        case ("unpack", node, owner, key, where):
            flow.watch(at(owner), "unpack", at(node), key, where)
        case ("get by", node, owner, key, where):
            flow.lookups.append((at(owner), at(key), at(node), where))
        case ("part", node, owner, begin, stop):
            flow.add(at(node), made := flow.container("list"))
            flow.watch(at(owner), "part", made, begin, stop)
        case ("put", owner, key, source):
            flow.watch(at(owner), "put", key, at(source))
        case ("set item", owner, key, source, where):
            flow.watch(at(owner), "set item", key, at(source), where)
        case ("operate", node, owner, methods, given, where):
            flow.watch(at(owner), "operate", at(node), methods, tuple(map(at, given)), where)
        case ("each" | "each async" | "await" as kind, node, owner, where):
            flow.watch(at(owner), kind, at(node), where)
        case ("coroutine", node, result):
            flow.add(at(node), flow.coroutine(at(result)))
        case ("super of", node, class_, given):
            flow.watch(at(class_), "super of", at(node), at(given))
        case ("enter", node, owner, method, where):
            flow.watch(at(owner), "enter", at(node), method, where)
        case ("super", node, class_, first):
            flow.watch(at(first), "super", at(node), class_)
        case ("raise", source, where):
            flow.watch(at(source), "raise", where)
        case ("decorate", node, callee, defined, site):
            flow.watch(at(callee), "call", Call(at(node), (at(defined),), where=site, decorates=True))
        case ("call", node, callee, positional, keywords, spread, names, site):
            call = Call(
                result=at(node),
                positional=tuple(map(at, positional)),
                keywords=tuple((name, at(one)) for name, one in keywords),
                spread=tuple(map(at, spread)),
                names=names,
                where=site,
            )
            flow.watch(at(callee), "call", call)


def _moved(node: int, start: int) -> int:
    return node + start if node >= 0 else -1
