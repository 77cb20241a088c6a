"""Which values an expression can have: scopes, imports, classes and types over the facts of a Program.

Nothing here knows of edges. Every question is answered from scratch or from memory, never by the order of asking: an
answer that was cut short because it depends on itself is forgotten when the question that led to it is answered. (Only
the bases of classes nested in each other's bases more than MAX_DEPTH deep are the exception.)
"""

from __future__ import annotations

import builtins
from collections.abc import Iterable, Sequence

from plait.facts import Binding, BindingKind, Import
from plait.graph.classes import ClassTable
from plait.graph.imports import exports, outside
from plait.graph.memory import MAX_DEPTH, Memory
from plait.graph.program import Program
from plait.graph.standard import (
    AWAITABLES,
    MEMBERLESS_BASES,
    PASSING_ON,
    UNTYPED,
    builtin_result,
    builtin_type,
    typing_alias,
)
from plait.graph.values import (
    Absent,
    Alias,
    Builtin,
    BuiltinInstance,
    Class,
    Context,
    Coroutine,
    External,
    Function,
    Instance,
    Module,
    Opaque,
    Super,
    Value,
    Values,
    chain,
    split_types,
)
from plait.model import Symbol, SymbolId, SymbolKind, Unknown

_CONTEXT_MANAGERS = {"contextmanager", "asynccontextmanager"}
_ENTER = ("__enter__", "__aenter__")


class Inference:
    def __init__(self, program: Program) -> None:
        self.program = program
        self._memory = Memory()
        self._depth = 0
        self.classes = ClassTable(program, self.evaluate)

    # Expressions

    def evaluate(self, expression: str, scope: SymbolId) -> Values:
        """The values of an expression as it is written in a scope."""
        if "|" in expression or "[" in expression:
            return (Alias(expression, scope),)
        if self._depth >= MAX_DEPTH:
            self._memory.cut()
            return (Opaque(),)
        self._depth += 1
        try:
            root, links = chain(expression)
            if root.startswith("super("):
                return self._follow(self._super(scope, root.removeprefix("super(").removesuffix(")")), links)
            if root == "super" and links[:1] == ("()",):
                return self._follow(self._super(scope), links[1:])
            if root == "?":
                links = links[-2:]  # what anything is of a value that is not known, the last link alone says
            return self._follow(self._root(root, scope), links)
        finally:
            self._depth -= 1

    def _follow(self, values: Values, links: Sequence[str]) -> Values:
        for place, link in enumerate(links):
            if link in _ENTER and links[place + 1 : place + 2] == ("()",):
                values = _union(self._entered(value, link) for value in values)
            elif link == "await":
                values = _union(self._awaited(value) for value in values)
            elif link != "()":
                values = _union(self.attribute(value, link) for value in values)
            elif not (place and links[place - 1] in _ENTER):
                values = _union(self._called(value) for value in values)
        return values

    def _root(self, root: str, scope: SymbolId) -> Values:
        if root.startswith("<"):
            return () if root == "<None>" else (BuiltinInstance(root.strip("<>")),)
        return (Opaque(),) if root == "?" else self.lookup(root, scope)

    def _super(self, scope: SymbolId, named: str = "") -> Values:
        class_ = self.program.class_around(scope)
        if class_ is None:
            return (Opaque(),)
        if not named:
            return (Super(class_, class_),)
        order = self.classes.order(class_)
        found = self.lookup(named, scope)
        return tuple(Super(class_, one.id) if isinstance(one, Class) and one.id in order else Opaque() for one in found)

    # Names

    def lookup(self, name: str, scope: SymbolId) -> Values:
        """The values of a bare name: functions around, the module, star imports, builtins."""
        *inner, module = self.program.outward(scope)
        for here in inner:
            found = self._in_scope(here, name)
            if found is not None:
                return found
        found = self._in_module(module, name)
        if found is not None:
            return found
        if hasattr(builtins, name):
            return (Builtin(name),)
        outer = self._outer_star(scope)
        return (outer,) if outer else (Opaque(Unknown.NAME, name),)

    def _in_scope(self, scope: SymbolId, name: str) -> Values | None:
        """The values that the scope itself binds the name to; None if it does not bind it."""
        program = self.program
        definitions, imports = program.definitions(scope, name), program.imports(scope, name)
        bindings = program.bindings(scope, name)
        if not (definitions or imports or bindings):
            return None
        if not (imports or bindings):
            return tuple(_defined(symbol) for symbol in definitions)

        def compute() -> Values:
            return _union(
                [
                    tuple(_defined(symbol) for symbol in definitions),
                    *(self._imported(imported) for imported in imports),
                    self._bound(bindings),
                ]
            )

        return self._memory.once(("name", scope, name), compute)

    def _in_module(self, module: SymbolId, name: str) -> Values | None:
        """What a module binds the name to, unless a star import further down binds it anew."""
        found = self._in_scope(module, name)
        if not self.program.stars(module):
            return found
        return self._starred(module, name, self.program.last_line(module, name)) or found

    def _bound(self, bindings: Sequence[Binding]) -> Values:
        """A declared type counts alone: what is assigned must have it."""
        declared = [one for one in bindings if one.kind in _DECLARED and one.expression != "?"]
        if declared:
            return _union(self._declared(one) for one in declared)
        return _union(self._assigned(one) if one.kind is BindingKind.ASSIGNED else (Opaque(),) for one in bindings)

    def _declared(self, binding: Binding) -> Values:
        around = self.program.symbols[binding.scope].parent if binding.kind is BindingKind.PARAMETER else None
        return self.instances(binding.expression, around or binding.scope)

    def _assigned(self, binding: Binding) -> Values:
        if binding.expression != binding.target or self.program.is_function(binding.scope):
            return self.evaluate(binding.expression, binding.scope)
        # `str = str` in a module or class takes the name from outside of it
        parent = self.program.symbols[binding.scope].parent
        if parent is not None:
            return self.lookup(binding.target, parent)
        return (Builtin(binding.target),) if hasattr(builtins, binding.target) else ()

    # Modules

    def _imported(self, imported: Import) -> Values:
        importer = self.program.file_of[imported.scope]
        modules = self.program.modules
        if imported.name is not None:
            module = modules.imported(imported, importer)
            if module is None:
                return (outside(self.program, imported, importer),)
            return self.module_member(module, imported.name)
        top = imported.module.partition(".")[0]
        module = modules.absolute(imported.module, importer)
        if module is None:
            module = modules.absolute(top, importer)
            return (Module(module),) if module is not None else (outside(self.program, imported, importer),)
        if imported.alias != top:
            return (Module(module),)
        return (Module(".".join(module.split(".")[: len(module.split(".")) - imported.module.count(".")])),)

    def module_member(self, module: str, name: str) -> Values:
        """What `module.name` is: a name of its scope, also by star import, or a submodule."""

        def compute() -> Values:
            file = self.program.modules.file(module)
            if file is not None:
                scope = file.symbols[0].id
                found = self._in_module(scope, name)
                if found:
                    return found
            child = self.program.modules.child(module, name)
            if child is not None:
                return (Module(child),)
            if file is None:
                return (Opaque(Unknown.MEMBER, module),)
            outer = self._outer_star(file.symbols[0].id)
            return (outer or Opaque(Unknown.MEMBER, module),)

        return self._memory.once(("module", module, name), compute)

    def _starred(self, module: SymbolId, name: str, below: int) -> Values:
        """What the last star import below the line that provides the name does."""
        for imported in reversed(self.program.stars(module)):
            if imported.line < below:
                break
            source = self.program.modules.imported(imported, self.program.file_of[module])
            file = self.program.modules.file(source) if source is not None else None
            if source is not None and file is not None and exports(self.program, file, name):
                found = self.module_member(source, name)
                if found:
                    return found
        return ()

    def _outer_star(self, scope: SymbolId) -> External | Opaque | None:
        """Where a name nobody here defines can come from: the last star import of a module that is not here."""
        module = self.program.module_of(scope)
        importer = self.program.file_of[module]
        for imported in reversed(self.program.stars(module)):
            if self.program.modules.imported(imported, importer) is None:
                return outside(self.program, imported, importer)
        return None

    def attribute(self, value: Value, name: str) -> Values:
        """What `value.name` is; of a computed name only the beginning is known."""
        if name.endswith("*"):
            return (Opaque(Unknown.DYNAMIC, name),)
        match value:
            case Module(name=module):
                return self.module_member(module, name)
            case Class(id=class_, typed=typed):
                return self._class_attribute(class_, name, typed)
            case Instance(id=class_, typed=typed):
                return self._instance_attribute(class_, name, typed)
            case Super(id=class_, after=after):
                found = self._member_values(class_, name, after)
                if found is None:
                    return self._missing(class_, name)
                return _union(self._taken(one, class_, typed=False, replaceable=False) for one in found)
            case Function(id=function):
                return self._function_attribute(function, name)
            case External(path=path):
                return (External(f"{path}.{name}"),)
            case Builtin() | BuiltinInstance():
                return self._builtin_attribute(value, name)
            case Coroutine():
                return (Builtin(f"coroutine.{name}"),)
            case Opaque(reason=Unknown.NAME):
                return (value,)
        return (Opaque(Unknown.RECEIVER),)

    def _order(self, class_: SymbolId, name: str) -> tuple[SymbolId, ...]:
        """Where an attribute is looked for: a private name, which Python mangles, in the class itself only."""
        private = name.startswith("__") and not name.endswith("__")
        return (class_,) if private else self.classes.order(class_)

    def _class_attribute(self, class_: SymbolId, name: str, typed: bool) -> Values:
        found = self._member_values(class_, name)
        if found is None:
            return self._missing(class_, name)
        if any(isinstance(one, External) and one.path.startswith("enum.") for one in self.classes.outer_bases(class_)):
            return tuple(one if isinstance(one, Function) else Instance(class_) for one in found)
        return tuple(Function(one.id, class_, typed) if isinstance(one, Function) else one for one in found)

    def _instance_attribute(self, class_: SymbolId, name: str, typed: bool) -> Values:
        if name == "__class__":
            return (Class(class_, typed),)
        found = self._member_values(class_, name)
        if found is None:
            return self._missing(class_, name)
        in_class = any(self.program.bindings(owner, name) for owner in self.classes.order(class_))
        return _union((in_class and self._got(one)) or self._taken(one, class_, typed=typed) for one in found)

    def _got(self, value: Value) -> Values:
        """What the descriptor, an object that a class holds, gives to who reads it; empty if it is none."""
        found = self.classes.member(value.id, "__get__") if isinstance(value, Instance) else None
        return _union(self.result(Function(one.id, found[0])) for one in found[1]) if found else ()

    def _taken(self, value: Value, receiver: SymbolId, *, typed: bool, replaceable: bool = True) -> Values:
        """A class attribute read from an object: a property's value, a method with its receiver."""
        if not isinstance(value, Function):
            return (value,)
        if self.program.is_property(value.id):
            return self.result(Function(value.id, receiver, typed))
        return (Function(value.id, receiver, typed, replaceable),)

    def _member_values(self, class_: SymbolId, name: str, after: SymbolId | None = None) -> Values | None:
        """What the nearest class in the order, or in what comes after a class of it, binds the attribute to; None if
        none does.

        Where that is unknown, a declaration in a class further on tells.
        """

        def compute() -> Values:
            nearest: Values | None = None
            order = self._order(class_, name)
            begin = 0 if after is None else order.index(after) + 1 if after in order else len(order)
            for owner in order[begin:]:
                found = self._own_member(owner, name)
                if found is None:
                    continue
                if nearest is None:
                    nearest = found
                if not all(isinstance(one, Opaque) for one in found):
                    return found if all(isinstance(one, Opaque) for one in nearest) else nearest
            return nearest if nearest is not None else _NOWHERE

        found = self._memory.once(("member", class_, name, after), compute)
        return None if found is _NOWHERE else found

    def _own_member(self, class_: SymbolId, name: str) -> Values | None:
        assigned = self.program.attributes(class_, name)
        if not assigned:
            return self._in_scope(class_, name)
        definitions = self.program.definitions(class_, name)
        if any(self.program.is_property(symbol.id) for symbol in definitions):
            return tuple(_defined(symbol) for symbol in definitions)
        bindings = [*self.program.bindings(class_, name), *assigned]
        return _union([tuple(_defined(symbol) for symbol in definitions), self._bound(bindings)])

    def _missing(self, class_: SymbolId, name: str) -> Values:
        """No class of the repository has the attribute: `object`, a base outside, or nobody."""
        outer = self.classes.outer_bases(class_)
        known = [object, *(getattr(builtins, one.name, object) for one in outer if isinstance(one, Builtin))]
        outside = [
            one.path if isinstance(one, External) else one.detail
            for one in outer
            if not isinstance(one, Builtin) and not (isinstance(one, External) and one.path in MEMBERLESS_BASES)
        ]
        if outside and not hasattr(object, name):
            return (Opaque(Unknown.RECEIVER, outside[0]),)
        if any(hasattr(one, name) for one in known) or hasattr(type, name):
            return (Builtin(f"object.{name}"),)
        if self.classes.member(class_, "__getattr__") is not None:
            return (Opaque(Unknown.DYNAMIC, "__getattr__"),)
        return (Opaque(Unknown.MEMBER, self.program.symbols[class_].qualified_name),)

    def _function_attribute(self, function: SymbolId, name: str) -> Values:
        """An attribute of a function comes from what decorates it, if anything."""

        def compute() -> Values:
            for reference in self.program.decorators(function):
                for value in self.evaluate(reference.expression, reference.source):
                    if isinstance(value, External):
                        return (External(f"{value.path}().{name}"),)
                    if isinstance(value, Builtin):
                        return (Builtin(f"{value.name}.?"),)
            return (Opaque(Unknown.RECEIVER),)

        return self._memory.once(("attribute of", function, name), compute)

    def _builtin_attribute(self, value: Builtin | BuiltinInstance, name: str) -> Values:
        if isinstance(value, Builtin):
            return (Builtin(f"{value.name}.{name}"),)
        type_ = getattr(builtins, value.type, None)
        if type_ is not None and not hasattr(type_, name):
            return (Absent(value.type),)
        return (Builtin(f"{value.type}.{name}"),)

    # Calls

    def _called(self, value: Value) -> Values:
        """What calling the value returns."""
        match value:
            case Class(id=class_):
                return (Instance(class_),)
            case Function():
                return self.result(value)
            case Instance(id=class_):
                found = self.classes.member(class_, "__call__")
                if found is not None:
                    return _union(self.result(Function(one.id, class_, typed=True)) for one in found[1])
            case External(path=path):
                return (Opaque(),) if path in PASSING_ON else (External(f"{path}()"),)
            case Builtin(name=name):
                result = builtin_result(name)
                return (BuiltinInstance(result),) if result else (Opaque(),)
            case Opaque(reason=Unknown.NAME):
                return (value,)
        return (Opaque(),)

    def result(self, function: Function) -> Values:
        """What the function's return annotation says; a decorator is taken to leave that as it is."""

        def compute() -> Values:
            written = self.program.returns(function.id)
            around = self.program.symbols[function.id].parent
            if written is None or around is None:
                return (Opaque(),)
            if self.program.decorated(function.id) & _CONTEXT_MANAGERS:
                _, _, inner = written.partition("[")
                first = next(split_types(inner.removesuffix("]"), ","), "")
                return (Context(self.instances(first, around, function.receiver)),)
            return self.instances(written, around, function.receiver)

        return self._memory.once(("result", function.id, function.receiver), compute)

    def _awaited(self, value: Value) -> Values:
        """What `await` gives. A type that cannot be awaited is taken for the result's: something decorated it."""
        match value:
            case Coroutine(result=result):
                return result
            case Instance(id=class_) if self.classes.member(class_, "__await__") is not None:
                return (Opaque(),)
        return (value,)

    def _entered(self, value: Value, method: str) -> Values:
        """What `with value as` binds: by the annotation of `__enter__` if that tells, else the object itself."""
        match value:
            case Context(entered=entered):
                return entered
            case Instance(id=class_):
                found = self.classes.member(class_, method)
                if found is None:
                    return (Instance(class_),)
                entered = _union(self.result(Function(one.id, class_)) for one in found[1])
                return _union(map(self._awaited, entered)) if method == "__aenter__" else entered
            case External() | BuiltinInstance():
                return (value,)
        return (Opaque(),)

    # Types

    def instances(self, written: str, scope: SymbolId, receiver: SymbolId | None = None) -> Values:
        """The values that have a type as it is written in a scope; `Self` is the receiver's class."""
        return self._memory.once(
            ("type", written, scope, receiver),
            lambda: _union(self._instances_of(one, scope, receiver) for one in split_types(written)),
        )

    def _instances_of(self, written: str, scope: SymbolId, receiver: SymbolId | None) -> Values:
        base, bracket, inner = written.partition("[")
        last = base.rpartition(".")[2]
        if last == "type" and bracket:
            found = self.instances(inner.removesuffix("]"), scope, receiver)
            return tuple(Class(one.id, one.typed) if isinstance(one, Instance) else Opaque() for one in found)
        if last == "Self":
            class_ = receiver or self.program.class_around(scope)
            return (Instance(class_, typed=receiver is not None),) if class_ else (Opaque(),)
        if base == "<coroutine>":
            return (Coroutine(self.instances(inner.removesuffix("]"), scope, receiver)),)
        if base.startswith("<") or base in ("?", ""):
            return self._root(base or "?", scope)
        named = self._type_values(base, scope)
        if bracket and any(isinstance(one, External) and one.path in AWAITABLES for one in named):
            *_, result = split_types(inner.removesuffix("]"), ",")
            return (Coroutine(self.instances(result, scope, receiver)),)
        return _union(self._instances_from(value) for value in named)

    def _type_values(self, base: str, scope: SymbolId) -> Values:
        """In a class the name may be that of the field which has the type (`date: date`): then one around is meant."""
        places = [scope]
        parent = self.program.symbols[scope].parent
        if not self.program.is_function(scope) and parent is not None:
            places.append(parent)
        found: Values = ()
        for place in places:
            found = self.evaluate(base, place)
            if any(isinstance(one, (Class, Alias, External, Builtin)) for one in found):
                return found
        return found

    def _instances_from(self, value: Value) -> Values:
        match value:
            case Class(id=class_):
                return (Instance(class_),)
            case Alias(expression=expression, scope=scope):
                return self.instances(expression, scope)
            case External(path=path) if path in UNTYPED:
                return (Opaque(),)
            case External(path=path):
                alias = typing_alias(path)
                return (BuiltinInstance(alias),) if alias else (value,)
            case Builtin(name=name) if builtin_type(name):
                return (BuiltinInstance(name),)
        return (Opaque(),)


_DECLARED = (BindingKind.ANNOTATED, BindingKind.PARAMETER)
_NOWHERE: Values = (Opaque(Unknown.MEMBER, "nowhere"),)


def _defined(symbol: Symbol) -> Value:
    return Class(symbol.id) if symbol.kind is SymbolKind.CLASS else Function(symbol.id)


def _union(parts: Iterable[Values]) -> Values:
    return tuple(dict.fromkeys(value for part in parts for value in part))
