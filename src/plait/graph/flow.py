"""Which values reach which call: a points-to analysis over the constraints of all files.

Objects are told apart by their class alone (field-based), containers by where they are made and by constant keys.
"""

from __future__ import annotations

from dataclasses import replace

from plait.facts import FlowFunction
from plait.graph import declared, library
from plait.graph.by_name import ByName
from plait.graph.calls import At, Call, Site
from plait.graph.constraints import enter
from plait.graph.dispatch import Dispatch
from plait.graph.inference import Inference
from plait.graph.points_to import Constraint, PointsTo, Value
from plait.graph.program import Program
from plait.graph.standard import MEMBERLESS_BASES
from plait.graph.values import Class, External, Instance
from plait.model import SymbolId, Via

ANY_KEY = ("any key",)
"""slot of what is put under a key that is not known"""
EVERY_KEY = ("every key",)
"""slot of all that is in a container"""


class Flow(PointsTo):
    def __init__(self, program: Program, inference: Inference) -> None:
        super().__init__()
        self.program = program
        self.inference = inference
        self.dispatch = Dispatch(program, inference.classes)
        self.by_name = ByName(program)
        self.functions: dict[str, FlowFunction] = {}
        self.sites: dict[Site, dict[tuple[SymbolId, Via], None]] = {}
        """call site -> what it can reach, in the order found"""
        self.implicit: dict[At, dict[tuple[SymbolId, Via], None]] = {}
        """the same for calls that no call expression shows"""
        self.partials: list[Call] = []
        self.names: dict[tuple[SymbolId, str], int] = {}
        self._settable = {
            (symbol.parent, symbol.name): True
            for symbol in program.symbols.values()
            if program.decorators(symbol.id) and "setter" in program.decorated(symbol.id)
        }
        """(class, name) -> whether something decides what to keep of what is stored; others as they are asked for"""
        self.lookups: list[tuple[int, int, int, At]] = []
        """(container, name, result) nodes of subscripts by a name, and where"""
        self._containers = 0
        enter(self)

    def solve(self) -> None:
        """Solve; subscripts by a name wait until it is known whether the name holds nothing but constants."""
        super().solve()
        lookups, self.lookups = self.lookups, []
        for owner, name, node, where in lookups:
            held = self.held(name)
            known = all(value[0] == "key" for value in held)
            for key in dict.fromkeys(value[1] for value in held) if held and known else (None,):
                self.watch(owner, "get", node, key, where)
        super().solve()

    def container(self, type_: str) -> Value:
        self._containers += 1
        return ("container", self._containers, type_)

    def coroutine(self, result: int) -> Value:
        """What gives the values of the node when it is awaited."""
        self._containers += 1
        made = ("coroutine", self._containers)
        self.copy(result, self.slot("result", made))
        return made

    def admits(self, node: int, value: Value) -> bool:
        return declared.admits(self, self.declared[node], value)

    # What a value does where it arrives

    def _react(self, constraint: Constraint, value: Value) -> None:
        match constraint:
            case ("load", node, attribute, where):
                self.load(value, attribute, node, where)
            case ("reload", node, attribute, stored, where):
                if value[0] == "instance" and self._in_class(value[1], attribute)[1] >= 0:
                    self.load(value, attribute, node, where)
                else:
                    self.copy(stored, node)
            case ("bind", node, receiver, where):
                self._bind(value, receiver, node, where)
            case ("store", attribute, source, where):
                self._store(value, attribute, source, where)
            case ("set", source, receiver, where):
                if value[0] == "instance":
                    self.special(value, "__set__", -1, where, (self._holding(receiver), source))
                if value[0] == "property":
                    call = Call(-1, (source,), where=where)
                    self.watch(self.slot("set by", value[1]), "invoke", call, receiver, Via.PROPERTY)
            case ("get", node, key, where):
                if value[0] == "container":
                    self.taken(value, key, node)
                else:
                    self.special(value, "__getitem__", node, where)
            case ("unpack", node, key, where):
                if value[0] == "container" and value[2] != "dict":
                    self.taken(value, key, node)
                else:
                    self.each(value, node, where)
            case ("part", made, start, stop):
                if value[0] == "container":
                    for key in range(start, stop):
                        part = self.node()
                        self.copy(self.slot(value, key), part)
                        self.put(made, key - start, part)
                    self.put(made, None, self.slot(value, ANY_KEY))
            case ("put", key, source):
                if value[0] == "container":
                    self.put(value, key, source)
            case ("set item", key, source, where):
                if value[0] == "container":
                    self.put(value, key, source)
                else:
                    self.special(value, "__setitem__", -1, where, (-1, source))
            case ("operate", node, methods, given, where):
                self._operate(value, methods, node, where, given)
            case ("each", node, where):
                self.each(value, node, where)
            case ("each async", node, where):
                iterator = self.node()
                if self.special(value, "__aiter__", iterator, where):
                    self.watch(iterator, "next async", node, where)
                else:
                    self.each(value, node, where)
            case ("next async", node, where):
                if value[0] == "instance":
                    following = self.node()
                    self.special(value, "__anext__", following, where)
                    self.watch(following, "await", node, where)
                else:
                    self.each(value, node, where)
            case ("await", node, where):
                if value[0] == "coroutine":
                    self.copy(self.slot("result", value), node)
                elif not self.special(value, "__await__", -1, where):
                    self.add(node, value)
            case ("next", node, where):
                self.special(value, "__next__", node, where)
                if value[0] == "container":
                    self.copy(self.slot(value, EVERY_KEY), node)
            case ("enter", node, method, where):
                if value[0] == "container":
                    self.copy(self.slot(value, EVERY_KEY), node)
                elif not self.special(value, method, node, where):
                    self.add(node, value)
            case ("super", node, class_):
                if value[0] in ("instance", "class"):
                    self.add(node, ("super", class_, value))
            case ("super of", node, given):
                if value[0] == "class":
                    self.watch(given, "super", node, value[1])
            case ("raise", where):
                if value[0] == "class":
                    self._construct(value[1], Call(-1, where=where))
            case ("call", call):
                self.call(value, call)
            case ("invoke", call, receiver, via):
                if value[0] == "function":
                    self.invoke(value[1], call, receiver, via)
            case ("spread", key, given, names):
                self._spread(value, self.functions[key], given, names)
            case ("elements", node):
                if value[0] == "container":
                    self.copy(self.slot(value, EVERY_KEY), node)
            case ("type of", node):
                if value[0] == "instance":
                    self.add(node, ("class", value[1]))
            case ("decorated", node):
                if value[0] in ("function", "class", "bound", "static", "classmethod", "property"):
                    self.add(node, value)
            case ("wrap", kind, node):
                if value[0] == "function":
                    self.add(node, (kind, value[1]))
            case ("partial", node, number):
                # Only a callable that is not partial itself: a loop would nest them without end.
                if value[0] in ("function", "bound", "class"):
                    self.add(node, ("partial", value, number))
            case ("extend", container):
                if value[0] == "container":
                    self.copy(self.slot(value, EVERY_KEY), self.slot(container, ANY_KEY))
                    self.copy(self.slot(value, EVERY_KEY), self.slot(container, EVERY_KEY))

    def load(self, value: Value, attribute: str, node: int, where: At | None) -> None:
        match value:
            case ("instance", class_):
                if attribute == "__class__":
                    self.add(node, ("class", class_))
                self._member(class_, attribute, node, value, where, fields=True)
            case ("class", class_):
                self._member(class_, attribute, node, value, where)
            case ("super", class_, receiver):
                self._member(receiver[1], attribute, node, receiver, where, after=class_)
            case ("module", module):
                declared.module_member(self, node, module, attribute)
            case ("function", key):
                self.copy(self.slot("attribute", key, attribute), node)
            case ("external", path) if len(path) < library.LONGEST_PATH:
                self.add(node, ("external", f"{path}.{attribute}"))
            case ("container" | "coroutine", *_):
                self.add(node, ("method", value, attribute))
            case ("property", key) if attribute in ("setter", "deleter"):
                self.add(node, (attribute, key))

    def _member(
        self,
        class_: SymbolId,
        attribute: str,
        node: int,
        receiver: Value,
        where: At | None,
        *,
        fields: bool = False,
        after: SymbolId | None = None,
    ) -> None:
        if fields:
            for one in self._order(class_, after):
                self.copy(self.slot("field", one, attribute), node)
        self.watch(self._in_class(class_, attribute, after)[1], "bind", node, receiver, where)

    def _order(self, class_: SymbolId, after: SymbolId | None) -> tuple[SymbolId, ...]:
        order = self.inference.classes.order(class_)
        if after is None:
            return order
        return order[order.index(after) + 1 :] if after in order else ()

    def _in_class(self, class_: SymbolId, name: str, after: SymbolId | None = None) -> tuple[SymbolId, int]:
        """The nearest class of the order that binds the name in its body, and the name's node; -1 if none does."""
        for one in self._order(class_, after):
            found = self.names.get((one, name))
            if found is not None:
                return one, found
        return class_, -1

    def _bind(self, value: Value, receiver: Value, node: int, where: At | None) -> None:
        """What a class attribute becomes when it is read through an object or a class."""
        class_ = ("class", receiver[1])
        match value:
            case ("function", key):
                self.add(node, ("bound", key, receiver) if receiver[0] == "instance" else value)
            case ("static", key):
                self.add(node, ("function", key))
            case ("classmethod", key):
                self.add(node, ("bound", key, class_))
            case ("property", key):
                if receiver[0] == "instance":
                    self.invoke(key, Call(node, where=where), receiver, Via.PROPERTY)
            case ("instance", descriptor) if self._in_class(descriptor, "__get__")[1] >= 0:
                read = self._holding(receiver) if receiver[0] == "instance" else -1
                self.special(value, "__get__", node, where, (read, self._holding(class_)))
            case _:
                self.add(node, value)

    def _holding(self, value: Value) -> int:
        self.add(node := self.node(), value)
        return node

    def _keeps(self, owner: SymbolId, attribute: str) -> bool:
        """Whether a property's setter or a descriptor of the class decides what to keep of what is stored."""
        key = (owner, attribute)
        if key not in self._settable:
            held = self.inference.attribute(Class(owner), attribute) if key in self.names else ()
            self._settable[key] = any(
                isinstance(one, Instance) and self.inference.classes.member(one.id, "__set__") is not None
                for one in held
            )
        return self._settable[key]

    def _store(self, value: Value, attribute: str, source: int, where: At | None) -> None:
        match value:
            case ("instance", class_):
                owner, found = self._in_class(class_, attribute)
                if self._keeps(owner, attribute):
                    self.watch(found, "set", source, value, where)
                else:
                    self.copy(source, self.slot("field", class_, attribute))
            case ("class", class_):
                known = self.names.get((class_, attribute))
                self.copy(source, known if known is not None else self.slot("field", class_, attribute))
            case ("module", module):
                file = self.program.modules.file(module)
                if file is not None and (file.symbols[0].id, attribute) in self.names:
                    self.copy(source, self.names[file.symbols[0].id, attribute])
            case ("function", key):
                self.copy(source, self.slot("attribute", key, attribute))

    def put(self, container: Value, key: object, source: int) -> None:
        self.copy(source, self.slot(container, ANY_KEY if key is None else key))
        self.copy(source, self.slot(container, EVERY_KEY))

    def taken(self, container: Value, key: object, node: int) -> None:
        if key is None:
            self.copy(self.slot(container, EVERY_KEY), node)
        else:
            self.copy(self.slot(container, key), node)
            self.copy(self.slot(container, ANY_KEY), node)

    def each(self, value: Value, node: int, where: At | None) -> None:
        if value[0] == "container":
            if value[2] != "dict":
                self.copy(self.slot(value, EVERY_KEY), node)
            return
        iterator = self.node()
        if self.special(value, "__iter__", iterator, where):
            self.watch(iterator, "next", node, where)

    def special(self, value: Value, method: str, node: int, where: At | None, given: tuple[int, ...] = ()) -> bool:
        """Call a method that the language calls; return whether the object's class has it."""
        if value[0] != "instance":
            return False
        found = self._in_class(value[1], method)[1]
        self.watch(found, "invoke", Call(node, given, where=where), value, Via.DUNDER)
        return found >= 0

    def _operate(
        self, value: Value, methods: tuple[str, ...], node: int, where: At | None, given: tuple[int, ...]
    ) -> None:
        """Call the first method that the object's class has; a base out of the repository may have an earlier one."""
        for method in methods:
            if self.special(value, method, node, where, given) or value[0] != "instance":
                return
            bases = self.inference.classes.outer_bases(value[1])
            if any(not isinstance(base, External) or base.path not in MEMBERLESS_BASES for base in bases):
                return

    # Calls

    def call(self, value: Value, call: Call) -> None:
        match value:
            case ("function", key):
                self.invoke(key, call, None, call.via)
            case ("bound", key, receiver):
                self.invoke(key, call, receiver, call.via)
            case ("class", class_):
                self._construct(class_, call)
            case ("instance", class_):
                self.watch(self._in_class(class_, "__call__")[1], "invoke", call, value, Via.DUNDER)
            case ("partial", callee, number):
                bound = self.partials[number]
                positional = (*bound.positional, *call.positional)
                keywords = (*bound.keywords, *call.keywords)
                self.call(callee, replace(call, positional=positional, keywords=keywords, names=()))
            case ("setter" | "deleter" as kind, key):
                for node in call.positional if kind == "setter" else ():
                    self.copy(node, self.slot("set by", key))
                self.add(call.result, ("property", key))
            case ("builtin" | "external" | "method", *_):
                library.called(self, value, call)

    def _construct(self, class_: SymbolId, call: Call) -> None:
        made: Value = ("instance", class_)
        self.add(call.result, made)
        owner, found = self._in_class(class_, "__init__")
        if found < 0 or owner != class_:
            self._reached(class_, call.where, Via.CONSTRUCT)
        self.watch(found, "invoke", call, made, Via.CONSTRUCT)
        for name, node in call.keywords if found < 0 else ():
            self.copy(node, self.slot("field", class_, name))

    def invoke(self, key: str, call: Call, receiver: Value | None, via: Via) -> None:
        """Bind arguments to parameters and the result to the call's."""
        self._reached(key, call.where, via)
        function = self.functions.get(key)
        if function is None:
            return
        given = 0
        passed = dict.fromkeys(function.passed, -1)
        if receiver is not None and function.parameters:
            first = function.parameters[0][1]
            self.add(first, receiver)
            if first in passed:
                self.add(call.result, receiver)
                del passed[first]
            given = 1
        for place, node in enumerate(call.positional, start=given):
            if place < function.positional:
                parameter = function.parameters[place][1]
                self.copy(node, parameter)
                passed[parameter] = node
            else:
                self.watch(function.vararg, "put", place - function.positional, node)
        named = dict(function.parameters)
        for name, node in call.keywords:
            if name in named:
                self.copy(node, named[name])
                passed[named[name]] = node
            else:
                self.watch(function.kwarg, "put", name, node)
        for parameter in function.passed:
            # What is not given here by itself comes from a default or from behind a star.
            if parameter in passed:
                self._pass(passed[parameter], parameter, call.result)
        taken = frozenset(name for name, _ in call.keywords)
        for node in call.spread:
            self.watch(node, "spread", key, given + len(call.positional), taken)
        self.copy(function.result, call.result)

    def _pass(self, given: int, parameter: int, result: int) -> None:
        """Return what was given for the parameter, or else what the parameter holds."""
        if given >= 0 and parameter in self.declared:
            admitted = self.node()
            self.declared[admitted] = self.declared[parameter]
            self.copy(given, admitted)
            given = admitted
        self.copy(given if given >= 0 else parameter, result)

    def _spread(self, value: Value, function: FlowFunction, given: int, named: frozenset[str]) -> None:
        if value[0] != "container":
            return
        if value[2] == "dict":
            for name, node in function.parameters:
                if name not in named:
                    self.taken(value, name, node)
            return
        for place, (_, node) in enumerate(function.parameters[given : function.positional]):
            self.taken(value, place, node)
        self.watch(function.vararg, "put", None, self.slot(value, EVERY_KEY))

    def _reached(self, key: str, where: Site | At | None, via: Via) -> None:
        target = SymbolId(key)
        if where is None or target not in self.program.symbols:
            return
        if len(where) == 2:
            self.implicit.setdefault(where, {})[target, via] = None
        else:
            self.sites.setdefault(where, {})[target, via] = None
