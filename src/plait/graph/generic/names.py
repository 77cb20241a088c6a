"""What a name means where it stands: scopes from the innermost on, then what the file sees from outside."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from plait.facts import BindingKind, Import
from plait.graph.generic.dialects import Modules, Visible
from plait.graph.generic.told import descriptors
from plait.graph.generic.values import MOST, Class, File, Function, Opaque, Space, Table, Value, distinct
from plait.model import SymbolId, SymbolKind

if TYPE_CHECKING:
    from plait.graph.generic.inference import Inference

_HEADERS = (".h", ".hh", ".hpp", ".hxx", ".inl", ".inc", ".ipp", ".tpp")


class Names:
    def __init__(self, inference: Inference) -> None:
        self._all = inference
        self.files = inference.files
        self.forget()

    def forget(self) -> None:
        self._tops: dict[tuple[str, str], tuple[Value, ...]] = {}
        self._lines: dict[tuple[SymbolId, str, int], tuple[Value, ...]] = {}

    def name(self, name: str, scope: SymbolId, line: int = 0) -> tuple[Value, ...]:
        files = self.files
        if line and not any(files.bindings(one, name) for one in files.outward(scope)):
            line = 0
        key = (scope, name, line)
        if key not in self._lines:
            self._lines[key] = ()  # what asks for itself finds nothing
            self._lines[key] = self.look(name, scope, key[2])
        return self._lines[key]

    def look(self, name: str, scope: SymbolId, line: int, *, types: bool = False) -> tuple[Value, ...]:
        files = self.files
        if name.startswith("\\"):  # PHP, outside of all namespaces
            return self.in_space("", name[1:])
        dialect = files.dialect(scope)
        module = files.module(scope)
        for here in files.outward(scope):
            symbol = files.symbols[here]
            if symbol.kind is SymbolKind.CLASS and not (dialect.implicit_self or types):
                if symbol.name == name:
                    return (Class(here),)
                continue
            # In one scope the value before counts; elsewhere it is not known when the code runs.
            found = self.here(name, here, line if dialect.nearest or here == scope else 0, types=types)
            if found:
                return found
            if symbol.kind is SymbolKind.CLASS:
                found = tuple(one for one in self._all.members.member_of(here, name) if not self._is_constructor(one))
                if types:
                    found = tuple(one for one in found if not isinstance(one, Function))
                if found:
                    return found
                if symbol.name == name:
                    return (Class(here),)
            elif here != module and (dialect.implicit_self or types):
                for place in self.files.places(here):
                    for value in self._all.extended(place):
                        found = self._all.members.member(value, name)
                        if types:
                            found = tuple(one for one in found if not isinstance(one, Function))
                        if found:
                            return found
        return self._visible(name, scope, module)

    def here(self, name: str, scope: SymbolId, line: int, *, types: bool = False) -> tuple[Value, ...]:
        """What one scope itself has of a name."""
        files = self.files
        children = (child for child in files.children(scope, name) if self._is_reached(child, scope))
        if types:
            children = (child for child in children if files.symbols[child].kind is SymbolKind.CLASS)
        if first := tuple(islice(children, 16)):
            return tuple(self._all.definition(child) for child in first)
        bindings = files.bindings(scope, name)
        if bindings and not (types and all(one.kind is BindingKind.OPAQUE for one in bindings)):
            if files.dialect(scope).family == "lua" and self._all.members.is_table(scope, name):
                return (Table(scope, name),)
            known = self._all.bound(bindings, scope, line)
            if known:
                return known
            if self._all.members.is_table(scope, name):
                return (Table(scope, name),)
            return (Opaque(name),)
        for imported in files.imports(scope, name):
            found = self._all.imports.imported(imported)
            if found:
                return found
        if self._all.members.is_table(scope, name):
            return (Table(scope, name),)
        return ()

    def _is_constructor(self, value: Value) -> bool:
        """Whether it is a function with the name of its class, which hides no class."""
        if not isinstance(value, Function):
            return False
        symbol = self.files.symbols[value.id]
        return symbol.parent is not None and self.files.symbols[symbol.parent].name == symbol.name

    def _is_reached(self, child: SymbolId, scope: SymbolId) -> bool:
        """Whether a bare name in the scope means the child: members of an object that is no class are not meant."""
        if self.files.symbols[scope].kind is SymbolKind.CLASS:
            return True
        return not self.files.places(child)

    def _visible(self, name: str, scope: SymbolId, module: SymbolId) -> tuple[Value, ...]:
        """What a file has from star imports and without any."""
        files = self.files
        file = files.file_of[scope]
        dialect = files.dialect(scope)
        names, spaces = self._around(scope)
        for end in range(spaces, 0, -1):
            if found := self.in_space(".".join(names[:end]), name):
                return found
        if dialect.modules is not Modules.NAMES and dialect.visible is Visible.FOLDER:
            for other in files.beside(file.path.rpartition("/")[0], name):
                if other.module.rpartition(".")[0] == file.module.rpartition(".")[0] and (
                    found := self._all.members.defined(other.symbols[0].id, name)
                ):
                    return found
        if dialect.visible is Visible.PACKAGE:
            package = file.module
            while True:
                if found := self.in_space(package, name):
                    return found
                if not package or dialect.family == "php":
                    break
                package = package.rpartition(".")[0]
            if found := self.in_space("", name):
                return found
        stars = self.from_stars(name, scope)
        if stars:
            return stars
        if dialect.modules in (Modules.NAMES,) and files.is_space(name):
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

    def in_space(self, space: str, name: str) -> tuple[Value, ...]:
        full = f"{space}.{name}" if space else name
        found = [self._all.definition(symbol) for symbol in self.files.of_full_name(full)]
        return tuple(found[:16]) or ((Space(full),) if self.files.is_space(full) else ())

    def from_stars(self, name: str, scope: SymbolId, seen: set[str] | None = None) -> tuple[Value, ...]:
        files = self.files
        for here in files.outward(scope):
            for imported in files.stars(here):
                dialect = files.dialect(imported.scope)
                if dialect.modules is Modules.NAMES:
                    if not imported.module or imported.name != "*":
                        continue
                    found = self._all.imports.full(f"{imported.module}.{name}")
                    if not found and dialect.family in ("csharp", "c", "jvm"):
                        package = files.file_of[here].module
                        found = self._all.imports.full(f"{package}.{imported.module}.{name}") if package else ()
                    if found:
                        return found
                elif dialect.modules is Modules.CRATE:
                    member = self._all.members.member
                    found = distinct(one for value in self._from_crate_star(imported) for one in member(value, name))
                    if found:
                        return found
                else:
                    if imported.name == "*" and dialect.modules is Modules.INCLUDE:  # `using namespace a::b`
                        if found := self._all.imports.full(f"{imported.module}.{name}"):
                            return found
                        continue
                    if dialect.visible is Visible.EVERYTHING:
                        continue  # what is sourced is found there
                    seen = set() if seen is None else seen
                    for path in files.meant(imported):
                        if path in seen:
                            continue
                        seen.add(path)
                        if found := self._all.members.of_file(path, name, seen):
                            return found
        return ()

    def _from_crate_star(self, imported: Import) -> tuple[Value, ...]:
        names = [one for one in imported.module.split(".") if one]
        if not names:
            return ()
        paths, rest = self.files.crate_file(self.files.file_of[imported.scope], names)
        values: tuple[Value, ...] = (File(paths[0]),) if paths else self.here(names[0], imported.scope, 0)
        for name in rest if paths else names[1:]:
            values = distinct(one for value in values for one in self._all.members.member(value, name))
        return values

    def _everywhere(self, name: str, path: str) -> tuple[Value, ...]:
        """A name that needs no import: at the top of any file, the nearest first."""
        if (name, path) not in self._tops:
            self._tops[name, path] = self._at_tops(name, path)
        return self._tops[name, path]

    def _at_tops(self, name: str, path: str) -> tuple[Value, ...]:
        files = self.files
        found: list[SymbolId] = []
        for symbol in files.named(name):
            parent = files.symbols[symbol].parent
            if parent is not None and files.symbols[parent].kind is SymbolKind.MODULE and not self.files.places(symbol):
                found.append(symbol)
        found = [one for one in found if not self._is_private(one, path)]
        if not found:
            return (Space(name),) if files.is_space(name) else ()
        found = self._all.near.closest(found, path)
        return tuple(self._all.definition(symbol) for symbol in found[:16])

    def _is_private(self, symbol: SymbolId, path: str) -> bool:
        """Whether C keeps it in another file: `static`, and neither in a header nor in a file that is included."""
        files = self.files
        where = files.file_of[symbol].path
        if where == path or files.dialect(symbol).family != "c" or where.endswith(_HEADERS):
            return False
        before = files.symbols[symbol].signature.partition("(")[0]
        return "static" in before.split() and where not in self._all.near.reach(path)

    def _of_any_class(self, name: str, path: str) -> tuple[Value, ...]:
        """A function of a type class is called by its bare name."""
        files = self.files
        near = {path, *(target for one in files.file(path).imports for target in self._files_of(one))}
        found = [one for one in files.named(name) if one in files.abstract and files.file_of[one].path in near]
        return tuple(Function(one) for one in found[:MOST])

    def _files_of(self, imported: Import) -> list[str]:
        return self.files.packages.get(imported.module, [])
