"""What a name or an expression can be, from declarations alone: each question by itself, answers kept.

The order: scopes from the innermost on, with the members of the classes around where bare names reach them; imports;
what the file sees without one (package, folder, everything). `names` looks a name up, `imports` says what an import
means, `members` what an object has.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from plait.facts import Binding, BindingKind
from plait.graph.generic.files import Files
from plait.graph.generic.imports import Imports
from plait.graph.generic.members import Members
from plait.graph.generic.names import Names
from plait.graph.generic.near import Near
from plait.graph.generic.values import (
    DEEPEST,
    DEFAULT,
    MOST,
    Class,
    Container,
    File,
    Function,
    Instance,
    Opaque,
    Outside,
    Plain,
    Table,
    Value,
    distinct,
)
from plait.model import SymbolId, SymbolKind

_STEP = re.compile(r"\(\)|\[\]|[^.()\[\]]+")
_TWO_NAMESPACES = frozenset({"java", "csharp", "kotlin"})
"""Languages in which a variable does not hide a method of its name."""

_SELF = frozenset({"this", "self"})
_SUPER = frozenset({"super", "base", "parent"})


class Inference:
    def __init__(self, files: Files) -> None:
        self.files = files
        self.near = Near(files)
        self.names = Names(self)
        self.imports = Imports(self)
        self.members = Members(self)
        self.depth = 0
        """questions that wait for this one"""
        self.forget()

    def forget(self) -> None:
        """Forget the answers that depend on what was asked before them: in a circle, and at the greatest depth."""
        self._types: dict[tuple[SymbolId, str], tuple[Value, ...]] = {}
        self._owners: dict[int, tuple[Value, ...]] = {}
        self.names.forget()
        self.members.forget()

    # Expressions

    def value(self, expression: str, scope: SymbolId, line: int = 0) -> tuple[Value, ...]:
        """What an expression can be where it stands; empty if nothing is known."""
        if self.depth >= DEEPEST or expression in ("?", ""):
            return ()
        self.depth += 1
        try:
            return self._value(expression, scope, line)
        finally:
            self.depth -= 1

    def _value(self, expression: str, scope: SymbolId, line: int) -> tuple[Value, ...]:
        if expression.startswith("<"):
            literal, _, rest = expression[1:].partition(">")
            return () if rest else (Plain(literal),)
        steps = _STEP.findall(expression)
        if not steps or steps[0] in ("?", "()", "[]"):
            return ()
        is_called = len(steps) > 1 and steps[1] == "()"
        values = self.called_root(steps[0], scope, line) if is_called else self.root(steps[0], scope, line)
        place = 1
        while place < len(steps) and values:
            if steps[place] != "()":
                values = self.called_bare(values, scope)
            # The longest package or namespace that begins the expression: `com.shop.Cart`.
            values = distinct(one for value in values for one in self._step(value, steps[place], steps, place))
            place += 1
        return values if len(values) <= MOST else ()

    def called_bare(self, values: tuple[Value, ...], scope: SymbolId) -> tuple[Value, ...]:
        """What stands before the next dot: of a function without brackets what it gives, where that calls it."""
        if not self.files.dialect(scope).bare_calls or not any(isinstance(one, Function) for one in values):
            return values
        return distinct(it for one in values for it in (self.result(one) if isinstance(one, Function) else (one,)))

    def _step(self, value: Value, step: str, steps: Sequence[str], place: int) -> Sequence[Value]:
        if step == "()":
            return self.result(value, steps[place - 1])
        if step == "[]":
            return self.element(value)
        return self.members.member(value, step)

    def root(self, name: str, scope: SymbolId, line: int = 0) -> tuple[Value, ...]:
        own = name in _SELF and not any(self.files.bindings(one, name) for one in self.files.outward(scope))
        if own and (found := self.self_of(scope)):
            return found
        found = self.names.name(name, scope, line)
        if found:
            return found
        if name == "Self":
            return tuple(Class(one.of) for one in self.self_of(scope) if isinstance(one, Instance)) or tuple(
                one for one in self.self_of(scope) if isinstance(one, Table)
            )
        if name in _SUPER:
            owner = self.owner(scope)
            bases = self.members.bases(owner) if owner is not None else ()
            return tuple(Instance(base) for base in bases)
        return ()

    def self_of(self, scope: SymbolId) -> tuple[Value, ...]:
        owner = self.owner(scope)
        if owner is not None:
            return (Instance(owner),)
        for here in self.files.outward(scope):
            for extension in self.files.places(here):
                return self.extended(extension)
        return ()

    def owner(self, scope: SymbolId) -> SymbolId | None:
        """The class whose member the scope is in."""
        for here in self.files.outward(scope):
            if self.files.symbols[here].kind is SymbolKind.CLASS:
                return here
            for extension in self.files.places(here):
                for value in self.extended(extension):
                    if isinstance(value, Class):
                        return value.id
        return None

    def called_root(self, name: str, scope: SymbolId, line: int) -> tuple[Value, ...]:
        """What `name(...)` calls."""
        found = self.root(name, scope, line)
        if not found or self.files.symbols[scope].language not in _TWO_NAMESPACES:
            return found
        runs = any(isinstance(one, (Function, Class)) for one in found)
        return found if runs else self._method(name, scope) or found

    def _method(self, name: str, scope: SymbolId) -> tuple[Value, ...]:
        """The methods of that name of the nearest class around that has any."""
        for here in self.files.outward(scope):
            if self.files.symbols[here].kind is SymbolKind.CLASS:
                for one in self.members.order(here):
                    children = self.files.children(one, name)
                    if found := [child for child in children if self.files.symbols[child].kind is SymbolKind.METHOD]:
                        return tuple(map(Function, found))
        return ()

    def extended(self, place: int) -> tuple[Value, ...]:
        """The class, or the object that is none, which is given a member or a base."""
        if place not in self._owners:
            self._owners[place] = ()
            extension = self.files.extensions[place]
            module = self.files.module(extension.scope)
            name = extension.type.partition("[")[0]
            scope = self.files.symbols[extension.scope].parent or module
            if self.files.symbols[scope].kind is SymbolKind.CLASS and not extension.base:
                self._owners[place] = (Class(scope),)
                return self._owners[place]
            found = tuple(one for one in self.type_named(name, scope) if isinstance(one, (Class, Table)))
            self._owners[place] = found[:1] if found else (Table(module, name),)
        return self._owners[place]

    def type_(self, written: str, scope: SymbolId) -> tuple[Value, ...]:
        """The objects that a declared type stands for."""
        if self.depth >= DEEPEST or written == "?":
            return ()
        self.depth += 1
        try:
            found: list[Value] = []
            for one in _alternatives(written):
                found += self._one_type(one, scope)
            return distinct(found)
        finally:
            self.depth -= 1

    def _one_type(self, written: str, scope: SymbolId) -> Sequence[Value]:
        name, _, arguments = written.partition("[")
        arguments = arguments.removesuffix("]")
        if name == "Self":
            return self.self_of(scope)
        dialect = self.files.dialect(scope)
        if arguments and (name in dialect.wrappers or name.rpartition(".")[2] in dialect.wrappers):
            return self.type_(_split(arguments)[0], scope)
        found: list[Value] = []
        for value in self.type_named(name, scope):
            match value:
                case Class(id=of):
                    alias = self.alias(of)
                    found += self.type_(*alias) if alias else [Instance(of, arguments, scope)]
                case Instance() | Table() | Outside() | Container() | File():
                    found.append(value)
        if found and not all(isinstance(one, Outside) for one in found):
            return found
        if arguments:
            return [Container(name, arguments, scope)]
        return found

    def alias(self, of: SymbolId) -> tuple[str, SymbolId] | None:
        """What a class symbol without members that is only another name for a type stands for."""
        for binding in self.files.bindings(of, ""):
            if binding.kind is BindingKind.RETURNS and self.files.symbols[of].kind is SymbolKind.CLASS:
                return binding.expression, self.files.symbols[of].parent or of
        return None

    def type_named(self, name: str, scope: SymbolId) -> tuple[Value, ...]:
        """Classes of a name, dotted; what a variable of that name is, if it is the name of a type."""
        steps = name.split(".")
        values: tuple[Value, ...] = self._type_root(steps[0], scope)
        for step in steps[1:]:
            values = distinct(one for value in values for one in self.members.member(value, step))
        found = (one for one in values if not isinstance(one, (Function, Plain)))
        return distinct(Class(one.of) if isinstance(one, Instance) else one for one in found)

    def _type_root(self, name: str, scope: SymbolId) -> tuple[Value, ...]:
        key = (scope, f":{name}")
        if key not in self._types:
            self._types[key] = ()
            found = self.names.look(name, scope, 0, types=True)
            self._types[key] = tuple(one for one in found if not isinstance(one, (Function, Opaque, Plain)))
        return self._types[key]

    def callable(self, value: Value) -> tuple[Value, ...]:
        """What runs if the value is called: of a file, what it exports as itself."""
        if isinstance(value, File):
            return self.names.here(DEFAULT, self.files.file(value.path).symbols[0].id, 0)
        return (value,)

    def definition(self, symbol: SymbolId) -> Value:
        return Class(symbol) if self.files.symbols[symbol].kind is SymbolKind.CLASS else Function(symbol)

    def bound(self, bindings: Sequence[Binding], scope: SymbolId, line: int) -> tuple[Value, ...]:
        """What the bindings of one name say: declared types before values."""
        if line and len(bindings) > 1:
            before = [one for one in bindings if one.line <= line]
            last = max((one.line for one in before), default=0)
            bindings = [one for one in before if one.line == last] or bindings
        declared = [one for one in bindings if one.kind is BindingKind.ANNOTATED]
        assigned = [one for one in bindings if one.kind is BindingKind.ASSIGNED]
        found: list[Value] = []
        for one in declared:
            found += self.type_(one.expression, one.scope)
        if found:
            return self._narrowed(distinct(found), assigned)
        for one in assigned:
            if one.expression != one.target:
                found += (
                    Instance(value.of, value.arguments, value.scope, exact=one.expression.endswith("()"))
                    if isinstance(value, Instance)
                    else value
                    for value in self.value(one.expression, one.scope, one.line)
                )
        values = distinct(found)
        return values if len(values) <= MOST else ()

    def _narrowed(self, declared: tuple[Value, ...], assigned: Sequence[Binding]) -> tuple[Value, ...]:
        """A variable of a type that is only ever given an object of a class below is of that class."""
        if len(declared) != 1 or len(assigned) != 1 or not isinstance(declared[0], Instance):
            return declared
        given = self.value(assigned[0].expression, assigned[0].scope, assigned[0].line)
        of = declared[0].of
        if len(given) != 1 or not isinstance(given[0], Instance) or given[0].of == of:
            return declared
        if of not in self.members.order(given[0].of):
            return declared
        return (Instance(given[0].of, given[0].arguments, given[0].scope, exact=True),)

    def result(self, value: Value, called: str = "") -> tuple[Value, ...]:
        """What calling a value gives."""
        match value:
            case Class(id=of):
                return (Instance(of),)
            case Function(id=function, owner=owner):
                return self.returned(function, owner) or self._made_by(function)
            case File():
                return distinct(one for it in self.callable(value) if it != value for one in self.result(it))
            case Outside():
                return (value.result(),)
            case Instance(of=of):
                dialect = self.files.dialect(of)
                passed = called in dialect.passing or called in dialect.elements
                return (value,) if passed or dialect.maker else ()  # in Ruby every attribute is read by a call
            case Container(scope=where):
                dialect = self.files.dialect(where)
                if called in dialect.keeping or called in dialect.elements:
                    return (value,)
                return self.element(value) if called in dialect.passing else ()
        return ()

    def returned(self, function: SymbolId, owner: SymbolId | None = None) -> tuple[Value, ...]:
        found: list[Value] = []
        symbol = self.files.symbols[function]
        for binding in self.files.bindings(function, ""):
            if binding.kind is BindingKind.RETURNS:
                if binding.expression == "Self" and owner is not None:
                    found.append(Instance(owner))
                else:
                    found += self.type_(binding.expression, function)
            else:
                found += self.value(binding.expression, function, binding.line)
        if not found:
            found += map(Class, self.files.children(function, symbol.name))  # `fn List(T: type) type` of Zig
        if not found and symbol.parent is not None and self.files.symbols[symbol.parent].name == symbol.name:
            found.append(Instance(symbol.parent))  # a constructor
        return distinct(found)

    def _made_by(self, function: SymbolId) -> tuple[Value, ...]:
        """A function with members on its prototype makes an object that has them."""
        module, name = self.files.module(function), self.files.symbols[function].name
        return (Table(module, name),) if self.members.is_table(module, name) else ()

    def element(self, value: Value) -> tuple[Value, ...]:
        """What is in a container: the last of its type arguments."""
        match value:
            case Container(arguments=arguments, scope=scope):
                return self.type_(_split(arguments)[-1], scope)
            case Instance(arguments=arguments, scope=scope) if arguments and scope is not None:
                return self.type_(_split(arguments)[-1], scope)
            case Outside():
                return (value.member("?"),)
        return ()


def _alternatives(written: str) -> list[str]:
    return written.split("|") if "|" in written else [written]


def _split(arguments: str) -> list[str]:
    """Type arguments, at the commas that are in no brackets."""
    found, depth, begin = [], 0, 0
    for place, sign in enumerate(arguments):
        depth += (sign == "[") - (sign == "]")
        if sign == "," and not depth:
            found.append(arguments[begin:place])
            begin = place + 1
    return [*found, arguments[begin:]]
