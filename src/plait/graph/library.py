"""What calls of builtins, of the standard library and of other outside code do to the values that pass through them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from plait.graph import coroutines
from plait.graph.calls import Call

if TYPE_CHECKING:
    from plait.graph.flow import Flow
    from plait.graph.points_to import Value

LONGEST_PATH = 80
"""Characters of the name of something outside of the repository; loops would lengthen it without end."""

_WRAPPERS = {"property": "property", "staticmethod": "static", "classmethod": "classmethod"}
_CACHED_PROPERTIES = ("functools.cached_property", "cached_property.cached_property")
_CONVERSIONS = {
    "len": ("__len__",),
    "bool": ("__bool__", "__len__"),
    "str": ("__str__", "__repr__"),
    "repr": ("__repr__",),
    "format": ("__format__", "__str__", "__repr__"),
    "hash": ("__hash__",),
    "int": ("__int__", "__index__"),
    "float": ("__float__",),
    "bytes": ("__bytes__", "__iter__"),
    "abs": ("__abs__",),
    "round": ("__round__",),
    "divmod": ("__divmod__",),
}
_COLLECTORS = {"list": "list", "tuple": "tuple", "set": "set", "frozenset": "set", "sorted": "list", "reversed": "list"}


def called(flow: Flow, value: Value, call: Call) -> None:
    match value:
        case ("builtin", name):
            _builtin(flow, name, call)
        case ("method", container, name):
            _method(flow, container, name, call)
        case ("external", path):
            _external(flow, path, call)


def _builtin(flow: Flow, name: str, call: Call) -> None:
    first = call.positional[0] if call.positional else -1
    if name in _WRAPPERS:
        flow.watch(first, "wrap", _WRAPPERS[name], call.result)
    elif name in ("map", "filter"):
        _mapped(flow, name, call)
    elif name in _COLLECTORS:
        made = flow.container(_COLLECTORS[name])
        flow.add(call.result, made)
        element = flow.node()
        flow.watch(first, "each", element, call.at)
        flow.put(made, None, element)
        _keyed(flow, call, element)
    elif name == "dict":
        made = flow.container("dict")
        flow.add(call.result, made)
        for key, node in call.keywords:
            flow.put(made, key, node)
        flow.watch(first, "extend", made)
    elif name in ("min", "max"):
        element = flow.node()
        flow.watch(first, "each", element, call.at)
        for node in call.positional if len(call.positional) > 1 else ():
            flow.copy(node, element)
        flow.copy(element, call.result)
        _keyed(flow, call, element)
    elif name in _CONVERSIONS:
        flow.watch(first, "operate", call.result, _CONVERSIONS[name], (), call.at)
    elif name == "iter":
        flow.copy(first, call.result)
    elif name == "next":
        flow.watch(first, "next", call.result, call.at)
    elif name in ("enumerate", "zip"):
        _paired(flow, name, call)
    elif name == "getattr" and len(call.names) > 1 and call.names[1]:
        flow.watch(first, "load", call.result, call.names[1], call.at)
        for node in call.positional[2:]:
            flow.copy(node, call.result)
    elif name == "setattr" and len(call.positional) > 2 and call.names[1]:
        flow.watch(first, "store", call.names[1], call.positional[2], call.at)
    elif name == "type" and len(call.positional) == 1:
        flow.watch(first, "type of", call.result)


def _mapped(flow: Flow, name: str, call: Call) -> None:
    elements = []
    for node in call.positional[1:]:
        element = flow.node()
        flow.watch(node, "each", element, call.at)
        elements.append(element)
    result = flow.node()
    flow.watch(call.positional[0] if call.positional else -1, "call", Call(result, tuple(elements), where=call.where))
    made = flow.container("generator")
    flow.add(call.result, made)
    flow.put(made, None, result if name == "map" else elements[0] if elements else -1)


def _keyed(flow: Flow, call: Call, element: int) -> None:
    for name, node in call.keywords:
        if name == "key":
            flow.watch(node, "call", Call(-1, (element,), where=call.where))


def _paired(flow: Flow, name: str, call: Call) -> None:
    pair, made = flow.container("tuple"), flow.container("generator")
    flow.add(call.result, made)
    held = flow.node()
    flow.add(held, pair)
    flow.put(made, None, held)
    for place, node in enumerate(call.positional, start=1 if name == "enumerate" else 0):
        element = flow.node()
        flow.watch(node, "each", element, call.at)
        flow.put(pair, place, element)


def _method(flow: Flow, container: Value, name: str, call: Call) -> None:
    if container[0] == "coroutine":
        if name == "result":
            flow.copy(flow.slot("result", container), call.result)
        return
    every = flow.slot(container, ("every key",))
    last = call.positional[-1] if call.positional else -1
    key = call.names[0] if call.names else None
    match name:
        case "append" | "add" | "appendleft" | "insert":
            flow.put(container, None, last)
        case "extend" | "update" | "extendleft" | "union":
            for node in call.positional:
                flow.watch(node, "extend", container)
            for keyword, node in call.keywords:
                flow.put(container, keyword, node)
            if name == "union":
                flow.add(call.result, container)
        case "get" | "pop" | "setdefault" if container[2] == "dict":
            flow.taken(container, key, call.result)
            for node in call.positional[1:]:
                flow.copy(node, call.result)
                if name == "setdefault":
                    flow.put(container, key, node)
        case "pop" | "popleft" | "__getitem__":
            flow.copy(every, call.result)
        case "values":
            made = flow.container("list")
            flow.add(call.result, made)
            flow.put(made, None, every)
        case "items":
            pair, made, held = flow.container("tuple"), flow.container("list"), flow.node()
            flow.add(call.result, made)
            flow.add(held, pair)
            flow.put(made, None, held)
            flow.put(pair, 1, every)
        case "copy":
            flow.add(call.result, container)
        case "send" | "__next__":
            flow.copy(every, call.result)


def _external(flow: Flow, path: str, call: Call) -> None:
    if path in ("functools.partial", "functools.partialmethod"):
        number = len(flow.partials)
        flow.partials.append(replace(call, positional=call.positional[1:]))
        flow.watch(call.positional[0] if call.positional else -1, "partial", call.result, number)
        return
    if path in _CACHED_PROPERTIES or path.rpartition(".")[2].endswith("property"):
        flow.watch(call.positional[0] if call.positional else -1, "wrap", "property", call.result)
        return
    if path.startswith("asyncio.") and coroutines.called(flow, path.rpartition(".")[2], call):
        return
    # What decorates leaves a function as it is, as far as can be known: `@wraps(f)`, `@app.route("/")`, `@cache`.
    if call.decorates:
        flow.watch(call.positional[0], "decorated", call.result)
    if len(path) < LONGEST_PATH:
        flow.add(call.result, ("external", f"{path}()"))
