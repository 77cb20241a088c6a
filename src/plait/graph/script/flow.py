"""Which values reach which call in JavaScript and TypeScript: a points-to analysis over the constraints of all files.

What they mean stands in `plait.parse.script.flow`. Objects of a class are told apart by the class alone, others by
where they are made. Values, besides those that `points_to` has:

    ("prototype", class)   what objects of a class or of a function with `new` inherit from; members are kept under it
    ("object", number, kind)  kind: "object", "array", "promise", "generator"
    ("getter", key, where)
    ("exports", path)      all that a file exports
    ("native", name)       a global, or a member of one
    ("method", object, name)  of the language's own objects
    ("settle", object)     the function that gives a promise its value
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from plait.facts import FlowFunction, Import, ParsedFile
from plait.graph.generic.files import Files
from plait.graph.generic.own_names import ORDINARY
from plait.graph.points_to import Constraint, PointsTo, Value
from plait.graph.script import library
from plait.model import SymbolId, Via

Site: TypeAlias = tuple[SymbolId, int, int, str]
At: TypeAlias = tuple[SymbolId, int]

ANY = "*"
"""slot of elements whose place is not known"""
EVERY = "**"
"""slot of all elements"""
_ITERATOR = "[Symbol.iterator]"


@dataclass(frozen=True, slots=True)
class Call:
    result: int
    given: tuple[int, ...] = ()
    spread: int = -1
    """place of the first argument that is an array of arguments; -1 without one"""
    where: Site | At | None = None
    via: Via = Via.CALL
    this: Value | None = None

    @property
    def at(self) -> At | None:
        return None if self.where is None else self.where[:2]


class ScriptFlow(PointsTo):
    def __init__(self, files: Files) -> None:
        super().__init__()
        self.files = files
        self.functions: dict[str, FlowFunction] = {}
        self.this: dict[str, int] = {}
        self.arguments: dict[str, int] = {}
        self.sites: dict[Site, dict[tuple[SymbolId, Via], None]] = {}
        """call site -> what it can reach, in the order found; a class for what is made of it"""
        self.implicit: dict[At, dict[tuple[SymbolId, Via], None]] = {}
        """the same for calls that no call expression shows"""
        self.partials: list[tuple[int, tuple[int, ...]]] = []
        """by number of a ("partial", ...) value: nodes of `this` and of the first arguments"""
        self.given: set[str] = set()
        """names of members that classes are given outside of their bodies"""
        self._own: set[tuple[Value, str]] = set()
        """members that hide those of bases"""
        self._members: dict[Value, dict[str, None]] = {}
        """of objects: the names under which something is kept"""
        self._merged: dict[Value, list[Value]] = {}
        """objects that get all members of an object, too"""
        self._asked: set[tuple[Value, str, int, Value]] = set()
        self._watched: set[tuple[int, Constraint]] = set()
        self._inherited: list[tuple[Value, str, int, Value, At | None]] = []
        """members to look for in bases, if the holder itself is not given them"""
        self._invoked: set[tuple[str, Call]] = set()
        self._defaults: dict[str, list[tuple[int, int]]] = {}
        """by function: places of parameters and what they hold without an argument"""
        self._called: set[str] = set()
        self._lookups: list[tuple[int, int, int, bool]] = []
        """(object, key, node) of subscripts, and whether the node is stored there"""
        self._objects = 0
        for file in files.files:
            if file.flow.nodes:
                self._enter(file)

    def _enter(self, file: ParsedFile) -> None:
        start = len(self._held)
        for _ in range(file.flow.nodes):
            self.node()

        def at(node: int) -> int:
            return node + start if node >= 0 else -1

        for one in file.flow.functions:
            moved = tuple((name, at(node)) for name, node in one.parameters)
            self.functions[one.key] = replace(
                one, parameters=moved, vararg=at(one.vararg), result=at(one.result), passed=tuple(map(at, one.passed))
            )
        for constraint in file.flow.constraints:
            self._read(constraint, at, file)

    def _read(self, constraint: Constraint, at: Any, file: ParsedFile) -> None:
        match constraint:
            case ("copy", source, target):
                self.copy(at(source), at(target))
            case ("function" | "class" | "key" as kind, node, key):
                self.add(at(node), (kind, key))
            case ("object", node, kind):
                self.add(at(node), self.object(kind))
            case ("global", node, name):
                self._global(at(node), name, file)
            case ("import", node, module, name):
                self._import(at(node), module, name, file)
            case ("export", name, source):
                self.copy(at(source), self.slot("exported", file.path, name))
            case ("pass on", module, name, alias):
                self._pass_on(module, name, alias, file)
            case ("load", node, owner, name, where):
                self.watch(at(owner), "load", at(node), name, where)
            case ("store", owner, name, source):
                self.watch(at(owner), "store", name, at(source))
            case ("get", node, owner, key):
                self._lookups.append((at(owner), at(key), at(node), False))
            case ("set", owner, key, source):
                self._lookups.append((at(owner), at(key), at(source), True))
            case ("item" | "rest" as kind, node, owner, place):
                self.watch(at(owner), kind, at(node), place)
            case ("any", owner, source):
                self.watch(at(owner), "store", ANY, at(source))
            case ("append", owner, source, place):
                self.watch(at(owner), "append", at(source), place)
            case ("merge", owner, source):
                self.watch(at(owner), "merge", at(source))
            case ("each", node, owner, where):
                self.watch(at(owner), "each", at(node), where)
            case ("await", node, source):
                self.watch(at(source), "await", at(node))
            case ("call" | "new" as kind, node, callee, given, spread, site):
                self.watch(at(callee), kind, Call(at(node), tuple(map(at, given)), spread, site))
            case ("super call", class_, this, given, spread, site):
                call = Call(-1, tuple(map(at, given)), spread, site)
                self.watch(self.slot("parents", ("prototype", class_)), "construct base", call, at(this))
            case ("super", node, class_, this, static):
                holder = ("static", class_) if static else ("prototype", class_)
                self.watch(at(this), "super", at(node), holder)
            case ("extends", class_, source):
                self.watch(at(source), "extended", class_)
            case ("member", class_, name, source, kind):
                self._member(class_, name, at(source), kind, file)
            case ("this", key, node):
                self.this[key] = at(node)
            case ("this of", class_, node):
                self.add(at(node), ("instance", class_))
            case ("held", node, owner, source):
                self.copy(at(source), at(node))
                self.watch(at(owner), "held", at(node), at(source))
            case ("default", key, place, source):
                self._defaults.setdefault(key, []).append((place, at(source)))
            case ("arguments", key, node):
                self.arguments[key] = at(node)
            case ("promise" | "generator" as kind, node, source):
                made = self.object(kind)
                self.add(at(node), made)
                self.copy(at(source), self.slot(made, EVERY))

    def watch(self, node: int, *constraint: Any) -> None:
        """As in PointsTo, once: values that hold themselves (a promise of a promise) would ask again without end."""
        if node >= 0 and (node, constraint) not in self._watched:
            self._watched.add((node, constraint))
            super().watch(node, *constraint)

    def object(self, kind: str) -> Value:
        self._objects += 1
        return ("object", self._objects, kind)

    def made(self, kind: str, call: Call, part: str = "") -> Value:
        """What a call of the language's own makes: one object for all values that come to the call."""
        return ("object", (call.result, call.where, part), kind)

    # Names of other files

    def _global(self, node: int, name: str, file: ParsedFile) -> None:
        if name in ("*module", "*exports"):
            self.add(node, ("exports" if name == "*exports" else "module", file.path))
        else:
            self.add(node, ("native", name))

    def _meant(self, module: str, file: ParsedFile) -> tuple[str, ...]:
        return self.files.meant(Import(file.symbols[0].id, module, None, "", 0, 1))[:1]

    def _import(self, node: int, module: str, name: str | None, file: ParsedFile) -> None:
        paths = self._meant(module, file)
        if not paths:
            self.add(node, ("native", f"*{module}"))
        for path in paths:
            if name is None:
                self.add(node, ("exports", path))
                self.copy(self.slot("exported", path, "*"), node)
            else:
                self._exported(path, name, node)

    def _exported(self, path: str, name: str, node: int) -> None:
        self.copy(self.slot("exported", path, name), node)
        whole = self.slot("exported", path, "*")
        if name == "default":
            self.copy(whole, node)
        self.watch(whole, "load", node, name, None)

    def _pass_on(self, module: str, name: str | None, alias: str, file: ParsedFile) -> None:
        for path in self._meant(module, file):
            if name is not None:
                self._exported(path, name, self.slot("exported", file.path, alias))
                continue
            for one in dict.fromkeys(
                constraint[1] for constraint in self.files.file(path).flow.constraints if constraint[0] == "export"
            ):
                self.copy(self.slot("exported", path, one), self.slot("exported", file.path, one))

    def _member(self, class_: str, name: str, source: int, kind: str, file: ParsedFile) -> None:
        holder: Value = ("static" if kind.endswith("static") else "prototype", class_)
        word = kind.partition(" ")[0]
        if word == "set":
            self.copy(source, self.slot("setter", holder, name))
        elif word == "get":
            self.watch(source, "getter", self.slot(holder, name))
            self._own.add((holder, name))
        else:
            self.copy(source, self.slot(holder, name))
            self._own.add((holder, name))

    def solve(self) -> None:
        """Solve; computed keys wait until it is known whether they are nothing but constants."""
        self._settle()
        for called in [one for one in self._defaults if one not in self._called]:  # whoever calls it is not here
            self._default(called, 0)
        lookups, self._lookups = self._lookups, []
        for owner, key, node, is_stored in lookups:
            held = self.held(key)
            known = bool(held) and all(value[0] == "key" for value in held)
            for one in dict.fromkeys(value[1] for value in held) if known else (None,):
                if is_stored:
                    self.watch(owner, "store", one or ANY, node)
                elif one is not None:
                    self.watch(owner, "load", node, one, None)
                else:
                    self.watch(owner, "take", node)
        self._settle()

    def _settle(self) -> None:
        """Solve; what a holder is given itself hides what it inherits."""
        super().solve()
        while self._inherited:
            waiting, self._inherited = self._inherited, []
            for holder, name, node, receiver, where in waiting:
                if not self.held(self.slot(holder, name)):
                    self.watch(self.slot("parents", holder), "inherit", name, node, receiver, where)
            super().solve()

    # What a value does where it arrives

    def admits(self, node: int, value: Value) -> bool:
        return True

    def _react(self, constraint: Constraint, value: Value) -> None:
        match constraint:
            case ("load", node, name, where):
                self.load(value, name, node, where)
            case ("store", name, source):
                self.store(value, name, source)
            case ("held", node, source):
                self.watch(source, "bind", node, value, None)
            case ("take", node):
                if value[0] == "object":
                    self.copy(self.slot(value, EVERY), node)
            case ("item", node, place):
                if value[0] == "object":
                    self._element(value, place, node)
                else:
                    self.each(value, node, None)
            case ("rest", node, place):
                self.add(node, made := self.object("array"))
                if value[0] == "object":
                    self.part(value, int(place), made)
            case ("append", source, place):
                if value[0] == "object":
                    self.watch(source, "appended", value, place)
            case ("appended", target, place):
                self._append(value, target, place)
            case ("merge", source):
                self.watch(source, "merged into", value)
            case ("merged into", target):
                self.merge(value, target)
            case ("each", node, where):
                self.each(value, node, where)
            case ("await", node):
                if value[0] == "object" and value[2] == "promise":
                    self.watch(self.slot(value, EVERY), "await", node)
                else:
                    self.add(node, value)
            case ("call", call):
                self.call(value, call)
            case ("new", call):
                self.construct(value, call)
            case ("invoke", call, receiver):
                if value[0] == "function":
                    self.invoke(value[1], replace(call, this=receiver))
            case ("bind", node, receiver, where):
                self._bind(value, node, receiver, where)
            case ("getter", node):
                if value[0] == "function":
                    self.add(node, ("getter", value[1]))
            case ("inherit", name, node, receiver, where):
                self._lookup(value, name, node, receiver, where)
            case ("extended", class_):
                if value[0] in ("class", "function"):
                    self.add(self.slot("parents", ("prototype", class_)), ("prototype", value[1]))
                    self.add(self.slot("parents", ("static", class_)), ("static", value[1]))
            case ("construct base", call, this):
                self._note(value[1], Via.CONSTRUCT, call.where)
                self._constructed(value[1], replace(call, where=None), this)
            case ("call with", call, this):
                if value[0] in ("function", "bound"):
                    self.invoke(value[1], call)
                    self.copy(this, self.this.get(value[1], -1))
            case ("super", node, holder):
                self.add(node, ("super", holder, value))
            case ("parent", holder):
                if value[0] in ("prototype", "object", "instance"):
                    self.add(self.slot("parents", holder), value)
            case ("called back", call):
                # The language's own functions calling each other back would make objects without end.
                if value[0] in ("function", "bound", "settle") or (value[0] == "partial" and value[1][0] != "method"):
                    self.call(value, replace(call, via=Via.CALLBACK))
            case ("applied", callee, call, this):
                self._applied(callee, value, call, this)
            case ("call on", callee, call):
                self.call(callee if callee[0] != "bound" else ("function", callee[1]), replace(call, this=value))

    # Members

    def load(self, value: Value, name: str, node: int, where: At | None) -> None:
        match value:
            case ("instance", class_):
                self.watch(self.slot("field", class_, name), "bind", node, value, where)
                if name == "constructor":
                    self.add(node, ("class", class_))
                else:
                    self._lookup(("prototype", class_), name, node, value, where)
            case ("class" | "function", key):
                if name == "prototype":
                    self.add(node, ("prototype", key))
                elif value[0] == "function" and name in library.OF_FUNCTIONS:
                    self.add(node, ("method", value, name))
                else:
                    self._lookup(("static", key), name, node, value, where)
            case ("bound" | "partial", *_) if name in library.OF_FUNCTIONS:
                self.add(node, ("method", value, name))
            case ("super", holder, receiver):
                self.watch(self.slot("parents", holder), "inherit", name, node, receiver, where)
            case ("prototype", _):
                self._lookup(value, name, node, value, where)
            case ("object", _, kind):
                self._lookup(value, name, node, value, where)
                if name in library.METHODS.get(kind, ()):
                    self.add(node, ("method", value, name))
                elif name == "length":
                    pass
                elif name.isdigit() or (kind == "object" and name not in ORDINARY):
                    self.copy(self.slot(value, ANY), node)
            case ("exports", path):
                self._exported(path, name, node)
            case ("module", path) if name == "exports":
                self.add(node, ("exports", path))
                self.copy(self.slot("exported", path, "*"), node)
            case ("native", owner) if f"{owner}.{name}" in library.NATIVE or owner in library.GLOBALS:
                self.add(node, ("native", f"{owner}.{name}" if owner not in library.GLOBALS else name))

    def _lookup(self, holder: Value, name: str, node: int, receiver: Value, where: At | None) -> None:
        """A member of the holder, or of what it inherits from."""
        key = (holder, name, node, receiver)
        if key in self._asked:
            return
        self._asked.add(key)
        self.watch(self.slot(holder, name), "bind", node, receiver, where)
        if (holder, name) not in self._own:
            self._inherited.append((holder, name, node, receiver, where))

    def _bind(self, value: Value, node: int, receiver: Value, where: At | None) -> None:
        match value:
            case ("function", key):
                self.add(node, ("bound", key, receiver))
            case ("getter", key):
                self.invoke(key, Call(node, where=where, via=Via.PROPERTY, this=receiver))
            case _:
                self.add(node, value)

    def store(self, value: Value, name: str, source: int) -> None:
        match value:
            case ("instance", class_):
                self.copy(source, self.slot("field", class_, name))
                setter = self.slot("setter", ("prototype", class_), name)
                self.watch(setter, "invoke", Call(-1, (source,)), value)
            case ("class" | "function", key):
                if name == "prototype":
                    self.watch(source, "parent", ("prototype", key))
                    self.watch(source, "merged into", ("prototype", key))
                else:
                    self.copy(source, self.slot(("static", key), name))
            case ("prototype", _):
                self.given.add(name)
                self.copy(source, self.slot(value, name))
            case ("object", *_):
                self.put(value, name, source)
            case ("exports", path):
                self.copy(source, self.slot("exported", path, name))
            case ("module", path) if name == "exports":
                self.copy(source, self.slot("exported", path, "*"))

    def put(self, value: Value, name: str, source: int) -> None:
        if name == "__proto__":
            self.watch(source, "parent", value)
            return
        self.copy(source, self.slot(value, name))
        self.copy(source, self.slot(value, EVERY))
        known = self._members.setdefault(value, {})
        if name not in known:
            known[name] = None
            for target in self._merged.get(value, ()):
                self.store(target, name, self.slot(value, name))

    def merge(self, source: Value, target: Value) -> None:
        """All members that the source has or will have become the target's."""
        if source == target:
            return
        if source[0] == "prototype":
            for holder, name in sorted(one for one in self._own if one[0] == source and one[1] != "constructor"):
                self.store(target, name, self.slot(holder, name))
        elif source[0] == "object" and target not in self._merged.setdefault(source, []):
            self._merged[source].append(target)
            for name in self._members.get(source, ()):
                self.store(target, name, self.slot(source, name))

    def _element(self, value: Value, place: str, node: int) -> None:
        if value[2] == "array":
            self.copy(self.slot(value, place), node)
            self.copy(self.slot(value, ANY), node)
        else:
            self.copy(self.slot(value, EVERY), node)

    def part(self, value: Value, start: int, made: Value) -> None:
        """The elements from a place on, as another array."""
        for name in list(self._members.get(value, ())):
            if name.isdigit() and int(name) >= start:
                self.put(made, str(int(name) - start), self.slot(value, name))
        self.put(made, ANY, self.slot(value, ANY))

    def _append(self, value: Value, target: Value, place: int) -> None:
        if value[0] != "object":
            return
        if place < 0 or value[2] != "array":
            self.put(target, ANY, self.slot(value, EVERY))
            return
        for name in list(self._members.get(value, ())):
            if name.isdigit():
                self.put(target, str(int(name) + place), self.slot(value, name))
        self.put(target, ANY, self.slot(value, ANY))

    def each(self, value: Value, node: int, where: At | None) -> None:
        if value[0] == "object" and value[2] in ("array", "generator"):
            self.copy(self.slot(value, EVERY), node)
        elif value[0] in ("instance", "object"):
            method, iterator, following, step = self.node(), self.node(), self.node(), self.node()
            self.load(value, _ITERATOR, method, where)
            self.watch(method, "call", Call(iterator, where=where, via=Via.DUNDER))
            self.watch(iterator, "load", following, "next", where)
            self.watch(following, "call", Call(step, where=where, via=Via.DUNDER))
            self.watch(step, "load", node, "value", None)

    # Calls

    def call(self, value: Value, call: Call) -> None:
        match value:
            case ("function", key):
                self.invoke(key, call)
            case ("bound", key, receiver):
                self.invoke(key, call if call.this is not None else replace(call, this=receiver))
            case ("partial", inner, number):
                this, given = self.partials[number]
                spread = call.spread + len(given) if call.spread >= 0 else -1
                made = replace(call, given=(*given, *call.given), spread=spread)
                self.call(inner, made)
                self.watch(this, "call on", inner, made)
            case ("method", owner, name):
                library.method(self, owner, name, call)
            case ("native", name):
                library.native(self, name, call)
            case ("settle", promise):
                if call.given:
                    self.watch(call.given[0], "await", self.slot(promise, EVERY))

    def _applied(self, callee: Value, values: Value, call: Call, this: int) -> None:
        """`f.apply(this, values)`."""
        if values[0] != "object":
            return
        self.add(given := self.node(), values)
        made = replace(call, given=(given,), spread=0)
        self.call(callee, made)
        self.watch(this, "call on", callee, made)

    def construct(self, value: Value, call: Call) -> None:
        if value[0] == "bound":
            value = ("function", value[1])
        match value:
            case ("class", key):
                self.add(call.result, ("instance", key))
                self.add(made := self.node(), ("instance", key))
                self._note(key, Via.CONSTRUCT, call.where)
                self._constructed(key, replace(call, where=None, result=-1), made)
            case ("function", key):
                self.add(call.result, ("instance", key))
                self.invoke(key, replace(call, this=("instance", key)))
            case ("native", name):
                library.construct(self, name, call)

    def _constructed(self, class_: str, call: Call, this: int) -> None:
        """Run the constructor of the class or the nearest base that has one."""
        if class_ in self.functions:  # a function as base
            self.invoke(class_, call)
            self.copy(this, self.this.get(class_, -1))
            return
        found = self.node()
        self._lookup(("prototype", class_), "constructor", found, ("instance", class_), None)
        self.watch(found, "call with", call, this)

    def invoke(self, key: str, call: Call) -> None:
        function = self.functions.get(key)
        if function is None or (key, call) in self._invoked:
            return
        self._invoked.add((key, call))
        self._note(key, call.via, call.where)
        if call.this is not None:
            self.add(self.this.get(key, -1), call.this)
        parameters = function.parameters
        self._called.add(key)
        self._default(key, len(call.given) if call.spread < 0 else call.spread)
        plain = call.given if call.spread < 0 else call.given[: call.spread]
        for (_, node), source in zip(parameters, plain, strict=False):
            self.copy(source, node)
        every = self.arguments.get(key, -1)
        if function.vararg >= 0:
            for place, source in enumerate(plain[len(parameters) :]):
                self.watch(function.vararg, "store", str(place), source)
        if every >= 0:
            self.add(every, made := self.slot_object(key))
            for place, source in enumerate(plain):
                self.put(made, str(place), source)
        for source in call.given[len(plain) :]:
            self._spread(source, len(plain), function)
        self.copy(function.result, call.result)
        for node in function.passed:
            place = next((at for at, (_, one) in enumerate(parameters) if one == node), -1)
            if 0 <= place < len(plain):
                self.copy(plain[place], call.result)
            elif call.spread >= 0 or place < 0:
                self.copy(node, call.result)

    def _default(self, key: str, given: int) -> None:
        for place, source in self._defaults.get(key, ()):
            if place >= given:
                self.copy(source, self.functions[key].parameters[place][1])

    def slot_object(self, key: str) -> Value:
        """The `arguments` of a function: one object for all its calls."""
        return ("object", f"arguments of {key}", "array")

    def _spread(self, source: int, place: int, function: FlowFunction) -> None:
        for at, (_, node) in enumerate(function.parameters[place:]):
            self.watch(source, "item", node, str(at))
        if function.vararg >= 0:
            rest = max(len(function.parameters) - place, 0)
            element = self.node()
            self.watch(source, "rest", element, rest)
            self.watch(function.vararg, "append", element, 0)

    def _note(self, key: str, via: Via, where: Site | At | None) -> None:
        """Note what a site reaches; a function that is no symbol is part of the one around it."""
        if where is None or key not in self.files.symbols:
            return
        target = SymbolId(key)
        if len(where) == 4:
            self.sites.setdefault(where, {}).setdefault((target, via), None)
        else:
            self.implicit.setdefault(where, {}).setdefault((target, via), None)
