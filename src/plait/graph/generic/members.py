"""What an object, a class, a file or a namespace has under a name; the bases of a class."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

from plait.graph.generic.dialects import Modules
from plait.graph.generic.values import (
    DEEPEST,
    DEFAULT,
    Class,
    Container,
    File,
    Function,
    Instance,
    Opaque,
    Outside,
    Space,
    Table,
    Value,
    distinct,
)
from plait.model import SymbolId, SymbolKind

if TYPE_CHECKING:
    from plait.graph.generic.inference import Inference

_INSIDE = {"jvm": "Companion", "elixir": "__using__"}
"""By family: what in a class has members that are as if they were the class's own, or given to those who use it."""


class Members:
    def __init__(self, inference: Inference) -> None:
        self._all = inference
        self.files = inference.files
        self.forget()
        self._groups: dict[SymbolId, tuple[SymbolId, ...]] = {}
        self._together: dict[tuple[str, str], tuple[SymbolId, ...]] = {}
        self._tables: dict[tuple[SymbolId, str], bool] = {}

    def forget(self) -> None:
        self._members: dict[tuple[SymbolId, str], tuple[Value, ...]] = {}
        self._lists: dict[SymbolId, tuple[SymbolId, ...]] = {}

    def is_table(self, scope: SymbolId, name: str) -> bool:
        key = (scope, f"#{name}")
        if key not in self._tables:
            module = self.files.module(scope)
            scripted = self.files.dialect(scope).family in ("javascript", "lua")
            found = (
                scripted
                and scope == module
                and any(
                    self.files.module(one.scope) == module and one.type.partition("[")[0] == name
                    for one in self.files.members_of(name)
                )
            )
            self._tables[key] = found
        return self._tables[key]

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
                if name == "this" and dialect.family == "jvm":  # `Outer.this`
                    return (Instance(of),)
                alias = self._all.alias(of)
                return self.member_of(of, name) or (
                    distinct(one for it in self._all.type_(*alias) for one in self.member(it, name)) if alias else ()
                )
            case File(path=path):
                return self.of_file(path, name)
            case Space(name=space):
                return self._of_space(space, name)
            case Table(scope=scope, name=owner):
                return self._of_table(scope, owner, name)
            case Container(scope=scope):
                dialect = self.files.dialect(scope)
                if name in dialect.elements:
                    return self._all.element(value)
                return (value,) if name in dialect.passing or name in dialect.keeping else ()
            case Outside():
                return (value.member(name),)
        return ()

    def _applied(self, value: Value, owner: Instance) -> Value:
        return Function(value.id, owner.of) if isinstance(value, Function) else value

    def _of_space(self, space: str, name: str) -> tuple[Value, ...]:
        if space.startswith("/"):
            return distinct(
                one for file in self.files.beside(space[1:], name) for one in self.defined(file.symbols[0].id, name)
            )
        return self._all.names.in_space(space, name)

    def defined(self, module: SymbolId, name: str) -> tuple[Value, ...]:
        """What a file itself defines at its top."""
        found = [self._all.definition(one) for one in self.files.children(module, name) if not self.files.places(one)]
        if found:
            return tuple(found)
        bindings = self.files.bindings(module, name)
        return (self._all.bound(bindings, module, 0) or (Opaque(name),)) if bindings else ()

    def of_file(self, path: str, name: str, seen: set[str] | None = None) -> tuple[Value, ...]:
        """What a file defines or passes on under a name."""
        file = self.files.file(path)
        module = file.symbols[0].id
        if self._all.depth >= DEEPEST:
            return ()
        self._all.depth += 1
        try:
            found = self._all.names.here(name, module, 0)
            if found and not all(isinstance(one, Opaque) for one in found):
                return found
            if self.files.has_space(path, name):
                return (Space(name),)
            if name != DEFAULT:
                for value in self._all.names.here(DEFAULT, module, 0):
                    if not isinstance(value, (File, Opaque)) and (inside := self.member(value, name)):
                        return inside
                if inside := self._of_table(module, DEFAULT, name):
                    return inside
            return self._all.names.from_stars(name, module, {path} if seen is None else seen) or found
        finally:
            self._all.depth -= 1

    def _of_table(self, scope: SymbolId, owner: str, name: str) -> tuple[Value, ...]:
        files = self.files
        module = files.module(scope)
        found: list[Value] = []
        last = owner.rpartition(".")[2]
        for extension in files.members_of(last):
            named = extension.type == owner and files.symbols[extension.scope].name == name
            if named and files.module(extension.scope) == module:
                found.append(Function(extension.scope))
        if found:
            return tuple(found)
        bindings = files.bindings(module, f"{owner}.{name}")
        if bindings and (known := self._all.bound(bindings, module, 0)):
            return known
        nested = f"{owner}.{name}"
        if any(one.type == nested for one in files.members_of(name)):
            return (Table(scope, nested),)
        for extension in files.bases_of(last):
            if extension.type == owner and files.module(extension.scope) == module:
                for value in self._all.value(extension.base, module):
                    if value != Table(scope, owner) and (inside := self.member(value, name)):
                        return inside
        if files.dialect(scope).family == "lua":  # what the variable is given: `local M = require("m")`
            for value in self._all.bound(files.bindings(scope, owner), scope, 0):
                if value != Table(scope, owner) and (inside := self.member(value, name)):
                    return inside
        return ()

    def group(self, class_: SymbolId) -> tuple[SymbolId, ...]:
        """The symbols of one class that is written in several places: partial classes, reopened ones."""
        if class_ not in self._groups:
            dialect = self.files.dialect(class_)
            full = self.files.full_name.get(class_, "")
            if dialect.modules is not Modules.NAMES and dialect.family not in ("ruby", "c"):
                self._groups[class_] = (class_,)
            else:
                path = self.files.file_of[class_].path if dialect.family in ("jvm", "c") else ""
                if (full, path) not in self._together:
                    self._together[full, path] = self._written_together(full, path)
                self._groups[class_] = self._together[full, path] or (class_,)
        return self._groups[class_]

    def _written_together(self, full: str, path: str) -> tuple[SymbolId, ...]:
        """Classes of one full name, in one file if others mean other ones; the first 64."""
        found = (
            one
            for one in self.files.of_full_name(full)
            if self.files.symbols[one].kind is SymbolKind.CLASS and path in ("", self.files.file_of[one].path)
        )
        return tuple(islice(found, 64))

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
            found += [self._all.definition(child) for child in files.children(one, name)]
        found += [Function(one) for one in self._given_members(class_, name)]
        if found:
            return distinct(found)
        for one in self.group(class_):
            bindings = files.fields(one, name)
            if bindings:
                known = self._all.bound(bindings, one, 0)
                return known or (Opaque(name),)
        for one in self.group(class_):
            for hidden in files.children(one, _INSIDE.get(self.files.dialect(class_).family, "")):
                if inside := self._hidden(hidden, name):
                    return inside
        return ()

    def _hidden(self, hidden: SymbolId, name: str) -> tuple[Value, ...]:
        if self.files.symbols[hidden].kind is SymbolKind.CLASS:
            return self.own_member(hidden, name)
        return tuple(self._all.definition(one) for one in self.files.children(hidden, name))

    def _given_members(self, class_: SymbolId, name: str) -> Iterator[SymbolId]:
        """Members that stand outside of the class."""
        files = self.files
        group = self.group(class_)
        for extension in files.members_of(files.symbols[class_].name):
            if files.symbols[extension.scope].name != name or files.symbols[extension.scope].parent in group:
                continue
            for place in self.files.places(extension.scope):
                if any(isinstance(value, Class) and value.id in group for value in self._all.extended(place)):
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
        for extension in files.bases_of(files.symbols[class_].name):
            for value in self._all.type_named(extension.type.partition("[")[0], extension.scope):
                if isinstance(value, Class) and value.id in self.group(class_):
                    yield self._base(extension.base, extension.scope, class_), extension.base, extension.line
                    break

    def _base(self, expression: str, scope: SymbolId, class_: SymbolId) -> SymbolId | None:
        if self._all.depth >= DEEPEST:
            return None
        self._all.depth += 1
        try:
            for value in self._all.type_named(expression, scope):
                if isinstance(value, Class) and value.id not in self.group(class_):
                    return value.id
        finally:
            self._all.depth -= 1
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
