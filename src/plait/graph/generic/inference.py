"""What a name or an expression can be, from declarations alone: each question by itself, answers kept.

The order: scopes from the innermost on, with the members of the classes around where bare names reach them; imports;
what the file sees without one (package, folder, everything).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from plait.facts import Binding, BindingKind, Import
from plait.graph.generic.dialects import Modules, Visible
from plait.graph.generic.files import Files, descriptors
from plait.graph.generic.values import (
    Class,
    Container,
    File,
    Function,
    Instance,
    Opaque,
    Outside,
    Plain,
    Space,
    Table,
    Value,
)
from plait.model import SymbolId, SymbolKind

MOST = 4
"""Values of one expression; with more, nothing is known."""

DEEPEST = 12
"""Questions in each other."""

_STEP = re.compile(r"\(\)|\[\]|[^.()\[\]]+")
_SELF = frozenset({"this", "self"})
_SUPER = frozenset({"super", "base", "parent"})
_DEFAULT = "default"


class Inference:
    def __init__(self, files: Files) -> None:
        self.files = files
        self.forget()
        self._groups: dict[SymbolId, tuple[SymbolId, ...]] = {}
        self._reach: dict[str, tuple[frozenset[str], frozenset[str]]] = {}
        self._depth = 0
        self._all = [one for file in files.files for one in file.extensions]
        self._places: dict[SymbolId, list[int]] = {}
        for place, extension in enumerate(self._all):
            if not extension.base:
                self._places.setdefault(extension.scope, []).append(place)

    def forget(self) -> None:
        """Forget the answers that depend on what was asked before them: in a circle, and at the greatest depth."""
        self._names: dict[tuple[SymbolId, str], tuple[Value, ...]] = {}
        self._lines: dict[tuple[SymbolId, str, int], tuple[Value, ...]] = {}
        self._members: dict[tuple[SymbolId, str], tuple[Value, ...]] = {}
        self._lists: dict[SymbolId, tuple[SymbolId, ...]] = {}
        self._owners: dict[int, tuple[Value, ...]] = {}

    # Expressions

    def value(self, expression: str, scope: SymbolId, line: int = 0) -> tuple[Value, ...]:
        """What an expression can be where it stands; empty if nothing is known."""
        if self._depth >= DEEPEST or expression in ("?", ""):
            return ()
        self._depth += 1
        try:
            return self._value(expression, scope, line)
        finally:
            self._depth -= 1

    def _value(self, expression: str, scope: SymbolId, line: int) -> tuple[Value, ...]:
        if expression.startswith("<"):
            literal, _, rest = expression[1:].partition(">")
            return () if rest else (Plain(literal),)
        steps = _STEP.findall(expression)
        if not steps or steps[0] in ("?", "()", "[]"):
            return ()
        values = self.root(steps[0], scope, line)
        place = 1
        while place < len(steps) and values:
            # The longest package or namespace that begins the expression: `com.shop.Cart`.
            values = _distinct(one for value in values for one in self._step(value, steps[place], steps, place))
            place += 1
        return values if len(values) <= MOST else ()

    def _step(self, value: Value, step: str, steps: Sequence[str], place: int) -> Sequence[Value]:
        if step == "()":
            return self.result(value, steps[place - 1])
        if step == "[]":
            return self.element(value)
        return self.member(value, step)

    def root(self, name: str, scope: SymbolId, line: int = 0) -> tuple[Value, ...]:
        own = name in _SELF and not any(self.files.bindings(one, name) for one in self.files.outward(scope))
        if own and (found := self.self_of(scope)):
            return found
        found = self.name(name, scope, line)
        if found:
            return found
        if name == "Self":
            return tuple(Class(one.of) for one in self.self_of(scope) if isinstance(one, Instance)) or tuple(
                one for one in self.self_of(scope) if isinstance(one, Table)
            )
        if name in _SUPER:
            owner = self.owner(scope)
            bases = self.bases(owner) if owner is not None else ()
            return tuple(Instance(base) for base in bases)
        return ()

    def self_of(self, scope: SymbolId) -> tuple[Value, ...]:
        owner = self.owner(scope)
        if owner is not None:
            return (Instance(owner),)
        for here in self.files.outward(scope):
            for extension in self._given(here):
                return self.extended(extension)
        return ()

    def owner(self, scope: SymbolId) -> SymbolId | None:
        """The class whose member the scope is in."""
        for here in self.files.outward(scope):
            if self.files.symbols[here].kind is SymbolKind.CLASS:
                return here
            for extension in self._given(here):
                for value in self.extended(extension):
                    if isinstance(value, Class):
                        return value.id
        return None

    def _given(self, scope: SymbolId) -> Sequence[int]:
        """Places of the extensions that make the scope a member of something."""
        return self._places.get(scope, ())

    def extended(self, place: int) -> tuple[Value, ...]:
        """The class, or the object that is none, which is given a member or a base."""
        if place not in self._owners:
            self._owners[place] = ()
            extension = self._all[place]
            module = self.files.module(extension.scope)
            name = extension.type.partition("[")[0]
            scope = self.files.symbols[extension.scope].parent or module
            if self.files.symbols[scope].kind is SymbolKind.CLASS and not extension.base:
                self._owners[place] = (Class(scope),)
                return self._owners[place]
            found = tuple(one for one in self.type_named(name, scope) if isinstance(one, (Class, Table)))
            self._owners[place] = found[:1] if found else (Table(module, name),)
        return self._owners[place]

    # Types

    def type_(self, written: str, scope: SymbolId) -> tuple[Value, ...]:
        """The objects that a declared type stands for."""
        if self._depth >= DEEPEST or written == "?":
            return ()
        self._depth += 1
        try:
            found: list[Value] = []
            for one in _alternatives(written):
                found += self._one_type(one, scope)
            return _distinct(found)
        finally:
            self._depth -= 1

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
                    alias = self._alias(of)
                    found += self.type_(*alias) if alias else [Instance(of, arguments, scope)]
                case Instance() | Table() | Outside() | Container():
                    found.append(value)
        if found and not all(isinstance(one, Outside) for one in found):
            return found
        if arguments:
            return [Container(name, arguments, scope)]
        return found

    def _alias(self, of: SymbolId) -> tuple[str, SymbolId] | None:
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
            values = _distinct(one for value in values for one in self.member(value, step))
        found = (one for one in values if not isinstance(one, (Function, Plain)))
        return _distinct(Class(one.of) if isinstance(one, Instance) else one for one in found)

    def _type_root(self, name: str, scope: SymbolId) -> tuple[Value, ...]:
        key = (scope, f":{name}")
        if key not in self._names:
            self._names[key] = ()
            found = tuple(
                one for one in self._look(name, scope, 0, types=True) if not isinstance(one, (Function, Opaque, Plain))
            )
            self._names[key] = found
        return self._names[key]

    # Names

    def name(self, name: str, scope: SymbolId, line: int = 0) -> tuple[Value, ...]:
        files = self.files
        if line and not any(files.bindings(one, name) for one in files.outward(scope)):
            line = 0
        key = (scope, name, line)
        if key not in self._lines:
            self._lines[key] = ()  # what asks for itself finds nothing
            self._lines[key] = self._look(name, scope, key[2])
        return self._lines[key]

    def _look(self, name: str, scope: SymbolId, line: int, *, types: bool = False) -> tuple[Value, ...]:
        files = self.files
        dialect = files.dialect(scope)
        module = files.module(scope)
        for here in files.outward(scope):
            symbol = files.symbols[here]
            if symbol.kind is SymbolKind.CLASS and not (dialect.implicit_self or types):
                if symbol.name == name:
                    return (Class(here),)
                continue
            # In one scope the value before counts; elsewhere it is not known when the code runs.
            found = self._here(name, here, line if dialect.nearest or here == scope else 0, types=types)
            if found:
                return found
            if symbol.kind is SymbolKind.CLASS:
                found = tuple(one for one in self.member_of(here, name) if not self._is_constructor(one))
                if types:
                    found = tuple(one for one in found if not isinstance(one, Function))
                if found:
                    return found
                if symbol.name == name:
                    return (Class(here),)
            elif here != module and (dialect.implicit_self or types):
                for place in self._given(here):
                    for value in self.extended(place):
                        found = self.member(value, name)
                        if types:
                            found = tuple(one for one in found if not isinstance(one, Function))
                        if found:
                            return found
        return self._visible(name, scope, module)

    def _here(self, name: str, scope: SymbolId, line: int, *, types: bool = False) -> tuple[Value, ...]:
        """What one scope itself has of a name."""
        files = self.files
        children = [child for child in files.children(scope, name) if self._is_reached(child, scope)]
        if types:
            children = [child for child in children if files.symbols[child].kind is SymbolKind.CLASS]
        if children:
            return tuple(self._definition(child) for child in children)[:16]
        bindings = files.bindings(scope, name)
        if bindings and not (types and all(one.kind is BindingKind.OPAQUE for one in bindings)):
            known = self.bound(bindings, scope, line)
            if known:
                return known
            if self._is_table(scope, name):
                return (Table(scope, name),)
            return (Opaque(name),)
        for imported in files.imports(scope, name):
            found = self.imported(imported)
            if found:
                return found
        if self._is_table(scope, name):
            return (Table(scope, name),)
        return ()

    def _is_constructor(self, value: Value) -> bool:
        """Whether it is a function with the name of its class, which hides no class."""
        if not isinstance(value, Function):
            return False
        symbol = self.files.symbols[value.id]
        return symbol.parent is not None and self.files.symbols[symbol.parent].name == symbol.name

    def callable(self, value: Value) -> tuple[Value, ...]:
        """What runs if the value is called: of a file, what it exports as itself."""
        if isinstance(value, File):
            return self._here(_DEFAULT, self.files.by_path[value.path].symbols[0].id, 0)
        return (value,)

    def _is_reached(self, child: SymbolId, scope: SymbolId) -> bool:
        """Whether a bare name in the scope means the child: members of an object that is no class are not meant."""
        if self.files.symbols[scope].kind is SymbolKind.CLASS:
            return True
        return not self._given(child)

    def _is_table(self, scope: SymbolId, name: str) -> bool:
        key = (scope, f"#{name}")
        if key not in self._names:
            module = self.files.module(scope)
            scripted = self.files.dialect(scope).family in ("javascript", "lua")
            found = (
                scripted
                and scope == module
                and any(
                    self.files.module(one.scope) == module and one.type.partition("[")[0] == name
                    for one in self.files.members_of.get(name, ())
                )
            )
            self._names[key] = (Table(scope, name),) if found else ()
        return bool(self._names[key])

    def _definition(self, symbol: SymbolId) -> Value:
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
            return self._narrowed(_distinct(found), assigned)
        for one in assigned:
            if one.expression != one.target:
                found += (
                    Instance(value.of, value.arguments, value.scope, exact=one.expression.endswith("()"))
                    if isinstance(value, Instance)
                    else value
                    for value in self.value(one.expression, one.scope, one.line)
                )
        values = _distinct(found)
        return values if len(values) <= MOST else ()

    def _narrowed(self, declared: tuple[Value, ...], assigned: Sequence[Binding]) -> tuple[Value, ...]:
        """A variable of a type that is only ever given an object of a class below is of that class."""
        if len(declared) != 1 or len(assigned) != 1 or not isinstance(declared[0], Instance):
            return declared
        given = self.value(assigned[0].expression, assigned[0].scope, assigned[0].line)
        of = declared[0].of
        if len(given) == 1 and isinstance(given[0], Instance) and given[0].of != of and of in self.order(given[0].of):
            return (Instance(given[0].of, given[0].arguments, given[0].scope, exact=True),)
        return declared

    def imported(self, imported: Import) -> tuple[Value, ...]:
        """What a name that an import binds is."""
        dialect = self.files.dialect(imported.scope)
        if dialect.modules is Modules.NAMES:
            full = ".".join(one for one in (imported.module, imported.name) if one)
            return self.full(full) or self._relative_name(imported, full) or (Outside(imported.module or full),)
        if dialect.modules is Modules.CRATE:
            return self._from_crate(imported)
        paths = self.files.meant(imported)
        if not paths:
            return (Outside(imported.module),)
        if imported.name is None:
            return (
                tuple(File(path) for path in paths[:1])
                if dialect.modules is not Modules.FOLDER
                else (Space(f"/{paths[0].rpartition('/')[0]}"),)
            )
        found = _distinct(value for path in paths for value in self.of_file(path, imported.name))
        return found or (Opaque(imported.name),)

    def _relative_name(self, imported: Import, full: str) -> tuple[Value, ...]:
        """Names relative to the package around, as Scala, C# and C++ have them."""
        package = self.files.file_of[imported.scope].module
        while package:
            if found := self.full(f"{package}.{full}"):
                return found
            package = package.rpartition(".")[0]
        return ()

    def _from_crate(self, imported: Import) -> tuple[Value, ...]:
        names = [one for one in [*imported.module.split("."), imported.name or ""] if one]
        if not names:
            return ()  # half-typed
        file = self.files.file_of[imported.scope]
        paths, rest = self.files.crate_file(file, names)
        if not paths:
            if len(names) > 1 and names[0] not in ("crate", "self", "super", "std", "core", "alloc"):
                found = self._path_in(names, imported.scope, imported.alias)
                if found:
                    return found
            return (Outside(names[0]),)
        values: tuple[Value, ...] = (File(paths[0]),)
        for name in rest:
            values = _distinct(one for value in values for one in self.member(value, name))
        return values

    def _path_in(self, names: Sequence[str], scope: SymbolId, alias: str) -> tuple[Value, ...]:
        """`use Enum::*`, `use module::f` where module is a name of this file."""
        if names[0] == alias:
            return ()
        values: tuple[Value, ...] = self._here(names[0], scope, 0)
        for name in names[1:]:
            values = _distinct(one for value in values for one in self.member(value, name))
        return values

    def full(self, name: str) -> tuple[Value, ...]:
        """What a full name means: definitions, or a package or namespace."""
        found = [self._definition(symbol) for symbol in self.files.full_names.get(name, ())]
        if found:
            return tuple(found[:16])
        if name in self.files.spaces:
            return (Space(name),)
        owner, _, last = name.rpartition(".")
        for symbol in self.files.full_names.get(owner, ())[:MOST] if owner else ():
            if self.files.symbols[symbol].kind is SymbolKind.CLASS and (values := self.member_of(symbol, last)):
                return values
        return ()

    def _visible(self, name: str, scope: SymbolId, module: SymbolId) -> tuple[Value, ...]:
        """What a file has from star imports and without any."""
        files = self.files
        file = files.file_of[scope]
        dialect = files.dialect(scope)
        names, spaces = self._around(scope)
        for end in range(spaces, 0, -1):
            if found := self._in_space(".".join(names[:end]), name):
                return found
        if dialect.modules is not Modules.NAMES and dialect.visible is Visible.FOLDER:
            for other in files.folders[file.path.rpartition("/")[0]]:
                if other.module.rpartition(".")[0] == file.module.rpartition(".")[0] and (
                    found := self._defined(other.symbols[0].id, name)
                ):
                    return found
        if dialect.visible is Visible.PACKAGE:
            package = file.module
            while True:
                if found := self._in_space(package, name):
                    return found
                if not package or dialect.family == "php":
                    break
                package = package.rpartition(".")[0]
            if found := self._in_space("", name):
                return found
        stars = self._stars(name, scope)
        if stars:
            return stars
        if dialect.modules in (Modules.NAMES,) and name in files.spaces:
            return (Space(name),)
        if dialect.visible is Visible.EVERYTHING:
            return self._everywhere(name, file.path)
        if dialect.family == "haskell":
            return self._of_any_class(name, file.path)
        if dialect.modules is Modules.CRATE and name in ("crate", "self", "super"):
            paths, _ = files.crate_file(file, [name])
            return (File(paths[0]),) if paths else ()
        if dialect.modules is Modules.CRATE:
            paths, rest = files.crate_file(file, [name])
            return (File(paths[0]),) if paths and not rest else ()
        return ()

    def _around(self, scope: SymbolId) -> tuple[list[str], int]:
        """Package and namespaces around a scope."""
        names, spaces = descriptors(scope)
        package = self.files.package(self.files.file_of[scope])
        before = package.split(".") if package else []
        return [*before, *names], len(before) + spaces

    def _in_space(self, space: str, name: str) -> tuple[Value, ...]:
        full = f"{space}.{name}" if space else name
        found = [self._definition(symbol) for symbol in self.files.full_names.get(full, ())]
        return tuple(found[:16]) or ((Space(full),) if full in self.files.spaces else ())

    def _stars(self, name: str, scope: SymbolId, seen: set[str] | None = None) -> tuple[Value, ...]:
        files = self.files
        for here in files.outward(scope):
            for imported in files.stars(here):
                dialect = files.dialect(imported.scope)
                if dialect.modules is Modules.NAMES:
                    if not imported.module or imported.name != "*":
                        continue
                    found = self.full(f"{imported.module}.{name}")
                    if not found and dialect.family in ("csharp", "c", "jvm"):
                        package = files.file_of[here].module
                        found = self.full(f"{package}.{imported.module}.{name}") if package else ()
                    if found:
                        return found
                elif dialect.modules is Modules.CRATE:
                    found = _distinct(
                        one for value in self._from_crate_star(imported) for one in self.member(value, name)
                    )
                    if found:
                        return found
                else:
                    if imported.name == "*" and dialect.modules is Modules.INCLUDE:  # `using namespace a::b`
                        if found := self.full(f"{imported.module}.{name}"):
                            return found
                        continue
                    if dialect.visible is Visible.EVERYTHING:
                        continue  # what is sourced is found there
                    seen = set() if seen is None else seen
                    for path in files.meant(imported):
                        if path in seen:
                            continue
                        seen.add(path)
                        if found := self.of_file(path, name, seen):
                            return found
        return ()

    def _from_crate_star(self, imported: Import) -> tuple[Value, ...]:
        names = [one for one in imported.module.split(".") if one]
        if not names:
            return ()
        paths, rest = self.files.crate_file(self.files.file_of[imported.scope], names)
        values: tuple[Value, ...] = (File(paths[0]),) if paths else self._here(names[0], imported.scope, 0)
        for name in rest if paths else names[1:]:
            values = _distinct(one for value in values for one in self.member(value, name))
        return values

    def _everywhere(self, name: str, path: str) -> tuple[Value, ...]:
        """A name that needs no import: at the top of any file, the nearest first."""
        files = self.files
        found: list[SymbolId] = []
        for symbol in files.named.get(name, ()):
            parent = files.symbols[symbol].parent
            if parent is not None and files.symbols[parent].kind is SymbolKind.MODULE and not self._given(symbol):
                found.append(symbol)
        if not found:
            return (Space(name),) if name in files.spaces else ()
        found = self.closest(found, path)
        return tuple(self._definition(symbol) for symbol in found[:16])

    def _of_any_class(self, name: str, path: str) -> tuple[Value, ...]:
        """A function of a type class is called by its bare name."""
        files = self.files
        near = {path, *(target for one in files.by_path[path].imports for target in self._files_of(one))}
        found = [one for one in files.named.get(name, ()) if one in files.abstract and files.file_of[one].path in near]
        return tuple(Function(one) for one in found[:MOST])

    def _files_of(self, imported: Import) -> list[str]:
        return [file.path for file in self.files.packages.get(imported.module, ())]

    def closest(self, symbols: Sequence[SymbolId], path: str) -> list[SymbolId]:
        """Those in the file itself; else in files that it imports; else in its folder; else all."""
        files = self.files
        own = [one for one in symbols if files.file_of[one].path == path]
        if own:
            return own
        real = [one for one in symbols if one not in files.abstract] or list(symbols)
        near, stems = self._reached(path)
        inside = [one for one in real if files.file_of[one].path in near]
        if inside:
            return inside
        # A header's source stands beside it under the same name.
        partners = [one for one in real if _stem(files.file_of[one].path) in stems]
        if partners:
            return partners
        folder = path.rpartition("/")[0]
        beside = [one for one in real if files.file_of[one].path.rpartition("/")[0] == folder]
        return beside or real

    def reach(self, path: str) -> frozenset[str]:
        """The files that a file imports by path, directly or through one other."""
        return self._reached(path)[0]

    def _reached(self, path: str) -> tuple[frozenset[str], frozenset[str]]:
        """Those files, and their names without suffix."""
        if path not in self._reach:
            found: dict[str, None] = {}
            layer = [path]
            for _ in range(2):
                layer = [
                    target
                    for one in layer
                    for imported in self.files.by_path[one].imports
                    for target in self.files.meant(imported)
                    if target not in found
                ]
                found.update(dict.fromkeys(layer))
            self._reach[path] = frozenset(found), frozenset(map(_stem, found))
        return self._reach[path]

    # Members

    def member(self, value: Value, name: str) -> tuple[Value, ...]:
        """What `value.name` is."""
        match value:
            case Instance(of=of):
                found = self.member_of(of, name)
                if not found and name in self.files.dialect(of).passing:
                    return (value,)
                return tuple(self._applied(one, value) for one in found)
            case Class(id=of):
                dialect = self.files.dialect(of)
                if name == dialect.maker and dialect.maker:
                    return (value,)
                alias = self._alias(of)
                return self.member_of(of, name) or (
                    _distinct(one for it in self.type_(*alias) for one in self.member(it, name)) if alias else ()
                )
            case File(path=path):
                return self.of_file(path, name)
            case Space(name=space):
                return self._of_space(space, name)
            case Table(scope=scope, name=owner):
                return self._of_table(scope, owner, name)
            case Container(scope=scope) if name in self.files.dialect(scope).passing:
                return (value,)
            case Outside():
                return (value,)
        return ()

    def _applied(self, value: Value, owner: Instance) -> Value:
        return Function(value.id, owner.of) if isinstance(value, Function) else value

    def _of_space(self, space: str, name: str) -> tuple[Value, ...]:
        if space.startswith("/"):
            return _distinct(
                one for file in self.files.folders.get(space[1:], ()) for one in self._defined(file.symbols[0].id, name)
            )
        return self._in_space(space, name)

    def _defined(self, module: SymbolId, name: str) -> tuple[Value, ...]:
        """What a file itself defines at its top."""
        found = [self._definition(one) for one in self.files.children(module, name) if not self._given(one)]
        if found:
            return tuple(found)
        bindings = self.files.bindings(module, name)
        return (self.bound(bindings, module, 0) or (Opaque(name),)) if bindings else ()

    def of_file(self, path: str, name: str, seen: set[str] | None = None) -> tuple[Value, ...]:
        """What a file defines or passes on under a name."""
        file = self.files.by_path[path]
        module = file.symbols[0].id
        if self._depth >= DEEPEST:
            return ()
        self._depth += 1
        try:
            found = self._here(name, module, 0)
            if found and not all(isinstance(one, Opaque) for one in found):
                return found
            if name != _DEFAULT:
                for value in self._here(_DEFAULT, module, 0):
                    if not isinstance(value, (File, Opaque)) and (inside := self.member(value, name)):
                        return inside
                if inside := self._of_table(module, _DEFAULT, name):
                    return inside
            return self._stars(name, module, {path} if seen is None else seen) or found
        finally:
            self._depth -= 1

    def _of_table(self, scope: SymbolId, owner: str, name: str) -> tuple[Value, ...]:
        files = self.files
        module = files.module(scope)
        found: list[Value] = []
        last = owner.rpartition(".")[2]
        for extension in files.members_of.get(last, ()):
            named = extension.type == owner and files.symbols[extension.scope].name == name
            if named and files.module(extension.scope) == module:
                found.append(Function(extension.scope))
        if found:
            return tuple(found)
        bindings = files.bindings(module, f"{owner}.{name}")
        if bindings and (known := self.bound(bindings, module, 0)):
            return known
        nested = f"{owner}.{name}"
        if any(one.type == nested for one in files.members_of.get(name, ())):
            return (Table(scope, nested),)
        for extension in files.bases_of.get(last, ()):
            if extension.type == owner and files.module(extension.scope) == module:
                for value in self.value(extension.base, module):
                    if value != Table(scope, owner) and (inside := self.member(value, name)):
                        return inside
        return ()

    def group(self, class_: SymbolId) -> tuple[SymbolId, ...]:
        """The symbols of one class that is written in several places: partial classes, reopened ones."""
        if class_ not in self._groups:
            dialect = self.files.dialect(class_)
            full = self.files.full_name.get(class_, "")
            found: Sequence[SymbolId] = (class_,)
            if dialect.modules is Modules.NAMES or dialect.family in ("ruby", "c"):
                found = [
                    one
                    for one in self.files.full_names.get(full, ())
                    if self.files.symbols[one].kind is SymbolKind.CLASS
                ]
                if dialect.family in ("jvm", "c") and len(found) > 1:
                    path = self.files.file_of[class_].path
                    found = [one for one in found if self.files.file_of[one].path == path] or found
            self._groups[class_] = tuple(found[:64]) or (class_,)
        return self._groups[class_]

    def member_of(self, class_: SymbolId, name: str) -> tuple[Value, ...]:
        """A member of a class or the nearest of its bases that has it."""
        key = (class_, name)
        if key not in self._members:
            self._members[key] = ()
            for one in self.order(class_):
                found = self.own_member(one, name)
                if found:
                    self._members[key] = found
                    break
        return self._members[key]

    def own_member(self, class_: SymbolId, name: str) -> tuple[Value, ...]:
        files = self.files
        found: list[Value] = []
        for one in self.group(class_):
            found += [self._definition(child) for child in files.children(one, name)]
        found += [Function(one) for one in self._given_members(class_, name)]
        if found:
            return _distinct(found)
        for one in self.group(class_):
            bindings = files.fields(one, name)
            if bindings:
                known = self.bound(bindings, one, 0)
                return known or (Opaque(name),)
        if self.files.dialect(class_).family == "jvm":
            for one in self.group(class_):
                for companion in files.children(one, "Companion"):
                    if inside := self.own_member(companion, name):
                        return inside
        return ()

    def _given_members(self, class_: SymbolId, name: str) -> Iterator[SymbolId]:
        """Members that stand outside of the class."""
        files = self.files
        group = self.group(class_)
        for extension in files.members_of.get(files.symbols[class_].name, ()):
            if files.symbols[extension.scope].name != name or files.symbols[extension.scope].parent in group:
                continue
            for place in self._given(extension.scope):
                if any(isinstance(value, Class) and value.id in group for value in self.extended(place)):
                    yield extension.scope

    def bases(self, class_: SymbolId) -> tuple[SymbolId, ...]:
        """The direct bases that are here, as they are written."""
        return tuple(dict.fromkeys(base for base, _, _ in self.inherited(class_) if base is not None))

    def inherited(self, class_: SymbolId) -> Iterator[tuple[SymbolId | None, str, int]]:
        """Each base that is written: its class, None if it is not here; its name and line."""
        files = self.files
        for one in self.group(class_):
            for reference in files.bases.get(one, ()):
                scope = files.symbols[one].parent or one
                yield self._base(reference.expression, scope, class_), reference.expression, reference.line
        for extension in files.bases_of.get(files.symbols[class_].name, ()):
            for value in self.type_named(extension.type.partition("[")[0], extension.scope):
                if isinstance(value, Class) and value.id in self.group(class_):
                    yield self._base(extension.base, extension.scope, class_), extension.base, extension.line
                    break

    def _base(self, expression: str, scope: SymbolId, class_: SymbolId) -> SymbolId | None:
        if self._depth >= DEEPEST:
            return None
        self._depth += 1
        try:
            for value in self.type_named(expression, scope):
                if isinstance(value, Class) and value.id not in self.group(class_):
                    return value.id
        finally:
            self._depth -= 1
        return None

    def order(self, class_: SymbolId) -> tuple[SymbolId, ...]:
        """The class and all its bases, nearest first, each once."""
        if class_ not in self._lists:
            self._lists[class_] = (class_,)
            found: dict[SymbolId, None] = {class_: None}
            layer = [class_]
            while layer and len(found) < 200:
                layer = [base for one in layer for base in self.bases(one) if base not in found]
                found.update(dict.fromkeys(layer))
            self._lists[class_] = tuple(found)
        return self._lists[class_]

    # Calls and elements

    def result(self, value: Value, called: str = "") -> tuple[Value, ...]:
        """What calling a value gives."""
        match value:
            case Class(id=of):
                return (Instance(of),)
            case Function(id=function, owner=owner):
                return self.returned(function, owner) or self._made_by(function)
            case File():
                return _distinct(one for it in self.callable(value) if it != value for one in self.result(it))
            case Outside():
                return (value,)
            case Instance() if called in self.files.dialect(value.of).passing:
                return (value,)
            case Container() if called in self.files.dialect(value.scope).passing:
                return self.element(value)
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
        if not found and symbol.parent is not None and self.files.symbols[symbol.parent].name == symbol.name:
            found.append(Instance(symbol.parent))  # a constructor
        return _distinct(found)

    def _made_by(self, function: SymbolId) -> tuple[Value, ...]:
        """A function with members on its prototype makes an object that has them."""
        module, name = self.files.module(function), self.files.symbols[function].name
        return (Table(module, name),) if self._is_table(module, name) else ()

    def element(self, value: Value) -> tuple[Value, ...]:
        """What is in a container: the last of its type arguments."""
        match value:
            case Container(arguments=arguments, scope=scope):
                return self.type_(_split(arguments)[-1], scope)
            case Instance(arguments=arguments, scope=scope) if arguments and scope is not None:
                return self.type_(_split(arguments)[-1], scope)
            case Outside():
                return (value,)
        return ()


def _stem(path: str) -> str:
    return path.rpartition("/")[2].partition(".")[0]


def _distinct(values: Sequence[Value] | Iterator[Value]) -> tuple[Value, ...]:
    return tuple(dict.fromkeys(values))


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
