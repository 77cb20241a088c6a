"""What the language's own functions and objects do to the values that pass through them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from plait.graph.generic.own_names import words

if TYPE_CHECKING:
    from plait.graph.points_to import Value
    from plait.graph.script.flow import Call, ScriptFlow

GLOBALS = frozenset({"globalThis", "window", "global", "self"})
OF_FUNCTIONS = frozenset({"call", "apply", "bind"})
_ANY, _EVERY = "*", "**"
_ITERATING = words("every filter find findIndex findLast findLastIndex flatMap forEach map some")
_MAKING = words("filter slice concat reverse sort toSorted toReversed flat flatMap map")
METHODS = {
    "array": _ITERATING
    | _MAKING
    | words("reduce reduceRight push unshift pop shift at splice values keys entries fill with")
    | words("add get set has"),
    "promise": words("then catch finally"),
    "generator": words("next return throw forEach map filter take"),
}
"""by kind of object"""
NATIVE = words(
    "Object.assign Object.create Object.values Object.entries Object.keys Object.freeze Object.seal"
    " Object.setPrototypeOf Array.from Array.of Promise.resolve Promise.all Promise.race Promise.any Reflect.apply"
    " Reflect.construct process.nextTick"
)
_CALLING = words(
    "setTimeout setInterval setImmediate queueMicrotask requestAnimationFrame requestIdleCallback process.nextTick"
)


def method(flow: ScriptFlow, owner: Value, name: str, call: Call) -> None:
    if owner[0] != "object":
        _of_function(flow, owner, name, call)
    elif owner[2] == "array":
        _of_array(flow, owner, name, call)
    elif owner[2] == "promise":
        _of_promise(flow, owner, name, call)
    elif name == "next":
        flow.add(call.result, made := flow.made("object", call))
        flow.put(made, "value", flow.slot(owner, _EVERY))
    elif name in _ITERATING:
        _of_array(flow, owner, name, call)


def _of_function(flow: ScriptFlow, callee: Value, name: str, call: Call) -> None:
    this = call.given[0] if call.given else -1
    if name == "bind":
        if callee[0] == "partial":  # a loop would nest them without end
            flow.add(call.result, callee)
            return
        number = len(flow.partials)
        flow.partials.append((this, call.given[1:]))
        flow.add(call.result, ("partial", callee, number))
        return
    if name == "call":
        spread = call.spread - 1 if call.spread > 0 else -1
        made = replace(call, given=call.given[1:], spread=spread)
        flow.call(_free(callee), made)
        flow.watch(this, "call on", callee, made)
    elif len(call.given) > 1:
        flow.watch(call.given[1], "applied", _free(callee), call, this)
    else:
        flow.call(_free(callee), replace(call, given=()))
        flow.watch(this, "call on", callee, replace(call, given=()))


def _free(callee: Value) -> Value:
    """A function without the object that it was found on."""
    return ("function", callee[1]) if callee[0] == "bound" else callee


def _of_array(flow: ScriptFlow, owner: Value, name: str, call: Call) -> None:
    every = flow.slot(owner, _EVERY)
    given = call.given
    first = given[0] if given else -1
    if name in _ITERATING:
        result = flow.node()
        flow.watch(first, "called back", replace(call, result=result, given=(every,), spread=-1, this=None))
        if name in ("find", "findLast"):
            flow.copy(every, call.result)
        elif name in ("map", "flatMap"):
            flow.add(call.result, made := flow.made("array", call))
            flow.put(made, _ANY, result)
            if name == "flatMap":
                flow.watch(result, "appended", made, -1)
        elif name == "filter":
            flow.add(call.result, made := flow.made("array", call))
            flow.put(made, _ANY, every)
    elif name in ("reduce", "reduceRight"):
        sum_ = flow.node()
        flow.copy(given[1] if len(given) > 1 else every, sum_)
        flow.watch(first, "called back", replace(call, result=sum_, given=(sum_, every), spread=-1, this=None))
        flow.copy(sum_, call.result)
    elif name == "slice":
        flow.add(call.result, made := flow.made("array", call))
        start = [value[1] for value in flow.held(first) if value[0] == "key" and value[1].isdigit()]
        if len(start) == 1:
            flow.part(owner, int(start[0]), made)
        else:
            flow.put(made, _ANY, every)
    elif name in ("sort", "toSorted"):
        flow.watch(first, "called back", replace(call, result=-1, given=(every, every), spread=-1, this=None))
        flow.add(call.result, owner)
    elif name in ("push", "unshift", "add", "fill"):
        for source in given:
            flow.put(owner, _ANY, source)
        if name == "add":
            flow.add(call.result, owner)
    elif name == "set":
        keys = [value[1] for value in flow.held(first) if value[0] == "key"]
        flow.put(owner, keys[0] if len(keys) == 1 else _ANY, given[1] if len(given) > 1 else -1)
        flow.add(call.result, owner)
    elif name == "get":
        keys = [value[1] for value in flow.held(first) if value[0] == "key"]
        if len(keys) == 1:
            flow.copy(flow.slot(owner, keys[0]), call.result)
            flow.copy(flow.slot(owner, _ANY), call.result)
        else:
            flow.copy(every, call.result)
    elif name in ("pop", "shift", "at"):
        flow.copy(every, call.result)
    elif name in ("reverse", "toReversed", "values", "flat", "splice"):
        flow.add(call.result, made := flow.made("array", call))
        flow.put(made, _ANY, every)
        if name == "flat":
            flow.watch(every, "appended", made, -1)
        for source in given[2:] if name == "splice" else ():
            flow.put(owner, _ANY, source)
    elif name == "entries":
        _pairs(flow, every, call)
    elif name == "concat":
        flow.add(call.result, made := flow.made("array", call))
        flow.put(made, _ANY, every)
        for source in given:
            flow.watch(source, "appended", made, -1)


def _pairs(flow: ScriptFlow, values: int, call: Call) -> None:
    pair, made, held = flow.made("array", call, "pair"), flow.made("array", call), flow.node()
    flow.put(pair, "1", values)
    flow.add(held, pair)
    flow.put(made, _ANY, held)
    flow.add(call.result, made)


def _of_promise(flow: ScriptFlow, owner: Value, name: str, call: Call) -> None:
    every = flow.slot(owner, _EVERY)
    made = flow.made("promise", call, name)
    flow.add(call.result, made)
    if name == "finally":
        flow.copy(every, flow.slot(made, _EVERY))
    for place, node in enumerate(call.given):
        result = flow.node()
        given = (every,) if name == "then" and not place else ()
        flow.watch(node, "called back", replace(call, result=result, given=given, spread=-1, this=None))
        flow.watch(result, "await", flow.slot(made, _EVERY))


def native(flow: ScriptFlow, name: str, call: Call) -> None:
    given = call.given
    first = given[0] if given else -1
    if name in _CALLING:
        more = given[2:] if name.startswith("set") and name != "setImmediate" else given[1:]
        flow.watch(first, "called back", replace(call, result=-1, given=more, spread=-1))
        return
    match name:
        case "Object.assign":
            for source in given[1:]:
                flow.watch(first, "merge", source)
            flow.copy(first, call.result)
        case "Object.freeze" | "Object.seal" | "Object.setPrototypeOf":
            flow.copy(first, call.result)
        case "Object.create":
            flow.add(call.result, made := flow.made("object", call))
            flow.watch(first, "parent", made)
        case "Object.values" | "Object.entries":
            values = flow.node()
            flow.watch(first, "take", values)
            if name == "Object.entries":
                _pairs(flow, values, call)
            else:
                flow.add(call.result, made := flow.made("array", call))
                flow.put(made, _ANY, values)
        case "Array.from":
            flow.add(call.result, made := flow.made("array", call))
            element = flow.node()
            flow.watch(first, "each", element, call.at)
            if len(given) > 1:
                result = flow.node()
                flow.watch(given[1], "called back", replace(call, result=result, given=(element,), spread=-1))
                element = result
            flow.put(made, _ANY, element)
        case "Array.of":
            flow.add(call.result, made := flow.made("array", call))
            for place, source in enumerate(given):
                flow.put(made, str(place), source)
        case "Promise.resolve":
            flow.add(call.result, made := flow.made("promise", call))
            flow.watch(first, "await", flow.slot(made, _EVERY))
        case "Promise.all" | "Promise.race" | "Promise.any":
            flow.add(call.result, made := flow.made("promise", call))
            element, value = flow.node(), flow.node()
            flow.watch(first, "each", element, call.at)
            flow.watch(element, "await", value)
            if name == "Promise.all":
                held = flow.made("array", call, "all")
                flow.put(held, _ANY, value)
                flow.add(flow.slot(made, _EVERY), held)
            else:
                flow.copy(value, flow.slot(made, _EVERY))
        case "Reflect.apply" if len(given) > 2:
            flow.watch(first, "call", replace(call, given=(given[2],), spread=0))
        case "Reflect.construct" if len(given) > 1:
            flow.watch(first, "new", replace(call, given=(given[1],), spread=0))


def construct(flow: ScriptFlow, name: str, call: Call) -> None:
    first = call.given[0] if call.given else -1
    match name:
        case "Promise":
            flow.add(call.result, made := flow.made("promise", call))
            flow.add(settle := flow.node(), ("settle", made))
            flow.watch(first, "called back", replace(call, result=-1, given=(settle,), spread=-1))
        case "Map" | "Set" | "WeakMap" | "WeakSet" | "Array":
            flow.add(call.result, made := flow.made("array", call))
            if name == "Map":
                pair = flow.node()
                flow.watch(first, "each", pair, call.at)
                flow.watch(pair, "item", value := flow.node(), "1")
                flow.put(made, _ANY, value)
            elif name == "Set":
                flow.watch(first, "appended", made, -1)
