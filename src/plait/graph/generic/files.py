"""Which files and names there are, and what an import means."""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import unquote

from plait.facts import Arguments, Binding, Extension, Import, Parameters, ParsedFile
from plait.graph.generic.dialects import DIALECTS, Dialect, Modules
from plait.model import Reference, ReferenceKind, Symbol, SymbolId, SymbolKind

_DESCRIPTOR = re.compile(r"([^/#.()]+)(\(\+\d+\))?([/#]|\(\)\.|\.)|([^/#.()]+)\(\+\d+\)\.")


def descriptors(symbol: SymbolId) -> tuple[list[str], int]:
    """The names in an id, and how many of the first are namespaces."""
    names: list[str] = []
    spaces = 0
    for found in _DESCRIPTOR.finditer(symbol.partition(":")[2]):
        if found[3] == "/" and spaces == len(names):
            spaces += 1
        names.append(unquote(found[1] or found[4]))
    return names, spaces


class Files:
    """All files of one family, indexed by what is asked of them; nothing is resolved here."""

    def __init__(self, files: Sequence[ParsedFile]) -> None:
        self.files = sorted(files, key=lambda file: file.path)
        self.by_path = {file.path: file for file in self.files}
        self.symbols: dict[SymbolId, Symbol] = {}
        self.file_of: dict[SymbolId, ParsedFile] = {}
        self.full_names: dict[str, list[SymbolId]] = {}
        self.full_name: dict[SymbolId, str] = {}
        self.named: dict[str, list[SymbolId]] = {}
        self.spaces: set[str] = set()
        self._own_spaces: set[tuple[str, str]] = set()
        self.folders: dict[str, list[ParsedFile]] = {}
        self.packages: dict[str, list[ParsedFile]] = {}
        self.bases: dict[SymbolId, list[Reference]] = {}
        self.subclasses: dict[str, list[SymbolId]] = {}
        """classes by the last name of what they inherit"""
        self.parameters: dict[SymbolId, Parameters] = {}
        self.abstract: set[SymbolId] = set()
        self.members_of: dict[str, list[Extension]] = {}
        """members that are given to a type from outside, by the type's last name"""
        self.bases_of: dict[str, list[Extension]] = {}
        """bases that are given to a type from outside, by the type's last name"""
        self.given_bases: dict[str, list[Extension]] = {}
        """the same, by the base's"""
        self._children: dict[SymbolId, dict[str, list[SymbolId]]] = {}
        self._bindings: dict[SymbolId, dict[str, list[Binding]]] = {}
        self._imports: dict[SymbolId, dict[str, list[Import]]] = {}
        self._stars: dict[SymbolId, list[Import]] = {}
        self._fields: dict[SymbolId, dict[str, list[Binding]]] = {}
        self._arguments: dict[str, dict[tuple[int, int], Arguments]] = {}
        self._by_end: dict[str, list[str]] = {}
        self._meant: dict[tuple[str, str, int], tuple[str, ...]] = {}
        for file in self.files:
            self._index(file)

    def _index(self, file: ParsedFile) -> None:
        folder = file.path.rpartition("/")[0]
        self.folders.setdefault(folder, []).append(file)
        self.packages.setdefault(file.module, []).append(file)
        self._by_end.setdefault(file.path.rpartition("/")[2], []).append(file.path)
        for symbol in file.symbols:
            self.symbols[symbol.id] = symbol
            self.file_of[symbol.id] = file
            if symbol.parent is None:
                continue
            self._children.setdefault(symbol.parent, {}).setdefault(symbol.name, []).append(symbol.id)
            names, spaces = descriptors(symbol.id)
            package = self.package(file)
            full = ".".join([*([package] if package else []), *names])
            self.full_names.setdefault(full, []).append(symbol.id)
            self.full_name[symbol.id] = full
            if spaces:
                self._own_spaces.add((file.path, names[0]))
            for end in range(1, spaces + 1):
                self.spaces.add(".".join([*([package] if package else []), *names[:end]]))
            self.named.setdefault(symbol.name, []).append(symbol.id)
        if package := self.package(file):
            parts = package.split(".")
            self.spaces.update(".".join(parts[:end]) for end in range(1, len(parts) + 1))
        for imported in file.imports:
            if imported.name == "*" or not imported.alias:
                self._stars.setdefault(imported.scope, []).append(imported)
            else:
                self._imports.setdefault(imported.scope, {}).setdefault(imported.alias, []).append(imported)
        for binding in file.bindings:
            self._bindings.setdefault(binding.scope, {}).setdefault(binding.target, []).append(binding)
            if binding.target.startswith("self."):
                owner = self.class_around(binding.scope)
                if owner is not None:
                    self._fields.setdefault(owner, {}).setdefault(binding.target[5:], []).append(binding)
        for reference in file.references:
            if reference.kind is ReferenceKind.BASE:
                self.bases.setdefault(reference.source, []).append(reference)
                self.subclasses.setdefault(reference.name, []).append(reference.source)
        for extension in file.extensions:
            last = extension.type.partition("[")[0].rpartition(".")[2]
            (self.bases_of if extension.base else self.members_of).setdefault(last, []).append(extension)
            if extension.base:
                self.given_bases.setdefault(extension.base.rpartition(".")[2], []).append(extension)
        for one in file.parameters:
            self.parameters[one.scope] = one
        self.abstract.update(file.abstract)

    @staticmethod
    def package(file: ParsedFile) -> str:
        """What full names begin with: nothing where names of modules follow from paths."""
        return file.module if DIALECTS[file.symbols[0].language].modules is Modules.NAMES else ""

    def dialect(self, scope: SymbolId) -> Dialect:
        return DIALECTS[self.symbols[scope].language]

    def module(self, scope: SymbolId) -> SymbolId:
        return self.file_of[scope].symbols[0].id

    def class_around(self, scope: SymbolId) -> SymbolId | None:
        here: SymbolId | None = scope
        while here is not None:
            symbol = self.symbols[here]
            if symbol.kind is SymbolKind.CLASS:
                return here
            here = symbol.parent
        return None

    def outward(self, scope: SymbolId) -> list[SymbolId]:
        """The scopes around, innermost first, the module last."""
        found: list[SymbolId] = []
        here: SymbolId | None = scope
        while here is not None and len(found) < 100:
            found.append(here)
            here = self.symbols[here].parent
        return found

    def children(self, scope: SymbolId, name: str) -> Sequence[SymbolId]:
        return self._children.get(scope, {}).get(name, ())

    def bindings(self, scope: SymbolId, name: str) -> Sequence[Binding]:
        return self._bindings.get(scope, {}).get(name, ())

    def fields(self, class_: SymbolId, name: str) -> Sequence[Binding]:
        """What the class itself declares, and what its methods assign to the object."""
        return (*self.bindings(class_, name), *self._fields.get(class_, {}).get(name, ()))

    def has_space(self, path: str, name: str) -> bool:
        """Whether a namespace of that name is written in the file."""
        return (path, name) in self._own_spaces

    def is_read(self, function: SymbolId) -> bool:
        """Whether the function has no list of parameters, so that it runs when it is named."""
        return function not in self.parameters and self.symbols[function].kind is not SymbolKind.CLASS

    def arguments(self, reference: Reference) -> Arguments | None:
        file = self.file_of[reference.source]
        if file.path not in self._arguments:
            self._arguments[file.path] = {(one.line, one.column): one for one in file.arguments}
        return self._arguments[file.path].get((reference.line, reference.column))

    def imports(self, scope: SymbolId, name: str) -> Sequence[Import]:
        return self._imports.get(scope, {}).get(name, ())

    def stars(self, scope: SymbolId) -> Sequence[Import]:
        return self._stars.get(scope, ())

    # What an import means

    def meant(self, imported: Import) -> tuple[str, ...]:
        """Paths of the files that an import by path means; a folder's files for a folder."""
        file = self.file_of[imported.scope]
        key = (file.path, imported.module, imported.level)
        if key not in self._meant:
            self._meant[key] = self._find(file, imported.module, imported.level)
        return self._meant[key]

    def _find(self, file: ParsedFile, module: str, level: int) -> tuple[str, ...]:
        dialect = DIALECTS[file.symbols[0].language]
        folder = file.path.rpartition("/")[0]
        match dialect.modules:
            case Modules.RELATIVE:
                return self._relative(folder, module, dialect)
            case Modules.INCLUDE:
                return self._include(folder, module)
            case Modules.FOLDER:
                return self._folder(module)
            case Modules.CRATE:
                return self._crate(file, module)
            case Modules.ENDING:
                return self._ending(folder, module, dialect, level)
        return ()

    def _relative(self, folder: str, module: str, dialect: Dialect) -> tuple[str, ...]:
        if not module.startswith("."):
            if module.startswith(("@/", "~/", "#/", "src/")):
                return self._tried(_join("src", module.partition("/")[2]), dialect)
            if module.endswith(".zig"):
                return self._tried(_join(folder, module), dialect)
            return ()
        return self._tried(_join(folder, module), dialect)

    def _tried(self, path: str, dialect: Dialect) -> tuple[str, ...]:
        if path in self.by_path:
            return (path,)
        stem = re.sub(r"\.[mc]?jsx?$", "", path)
        for begin in dict.fromkeys((path, stem)):
            for end in dialect.suffixes:
                for one in (f"{begin}{end}", f"{begin}/index{end}" if begin else f"index{end}"):
                    if one in self.by_path:
                        return (one,)
        return ()

    def _include(self, folder: str, module: str) -> tuple[str, ...]:
        beside = _join(folder, module)
        if beside in self.by_path:
            return (beside,)
        name = module.rpartition("/")[2]
        found = [path for path in self._by_end.get(name, ()) if path == module or path.endswith(f"/{module}")]
        if len(found) > 1:
            found = sorted(found, key=lambda path: (-len(_common(path, folder)), len(path), path))[:1]
        return tuple(found)

    def _folder(self, module: str) -> tuple[str, ...]:
        """Standard packages have no dot in their first name and are not found by their end."""
        parts = module.split("/")
        for begin in range(len(parts) if "." in parts[0] else 1):
            folder = "/".join(parts[begin:])
            if folder in self.folders:
                return tuple(file.path for file in self.folders[folder])
        root = self.folders.get("", [])
        if "." in parts[0] and any(file.symbols[0].module == parts[-1] for file in root):
            return tuple(file.path for file in root)
        return ()

    def _crate(self, file: ParsedFile, module: str) -> tuple[str, ...]:
        """The file of the longest part of a path of names that is a module; `_inside` of it is looked up as members."""
        return self.crate_file(file, module.split("."))[0]

    def crate_file(self, file: ParsedFile, names: list[str]) -> tuple[tuple[str, ...], list[str]]:
        """The file, and the names that lie in it."""
        path = file.path
        root = path[: path.rfind("/src/") + 4] if "/src/" in f"/{path}" else path.rpartition("/")[0]
        if path.startswith("src/"):
            root = path[: path.rfind("src/") + 3]
        folder = path.rpartition("/")[0]
        stem = path.rpartition("/")[2].removesuffix(".rs")
        own = folder if stem in ("mod", "lib", "main") else _join(folder, stem)
        first, rest = names[0], names[1:]
        if first == "crate":
            base = root
        elif first == "self":
            base = own
        elif first == "super":
            base = own.rpartition("/")[0]
            while rest and rest[0] == "super":
                base, rest = base.rpartition("/")[0], rest[1:]
        else:
            other = f"{first.replace('_', '-')}/src"
            found = [one for one in self.folders if one == other or one.endswith(f"/{other}")]
            found = found or [one for one in self.folders if one.endswith(f"/{first}/src") or one == f"{first}/src"]
            if len(found) != 1:
                # A module beside this one, as `use` in the 2015 edition and for names that `mod` brings.
                beside = self._crate_path(own, [first])
                return ((beside,), rest) if beside else ((), names)
            base = found[0]
        for end in range(len(rest), -1, -1):
            at = self._crate_path(base, rest[:end])
            if at:
                return (at,), rest[end:]
        return (), names

    def _crate_path(self, base: str, names: list[str]) -> str:
        place = "/".join([*([base] if base else []), *names])
        tries = [f"{place}.rs", f"{place}/mod.rs"]
        if not names:
            tries += [f"{place}/lib.rs".lstrip("/"), f"{place}/main.rs".lstrip("/")]
        return next((one for one in tries if one in self.by_path), "")

    def _ending(self, folder: str, module: str, dialect: Dialect, level: int) -> tuple[str, ...]:
        path = module.replace(".", "/") if "/" not in module and dialect.family == "lua" else module
        path = path.removeprefix("./")
        if level:
            for end in ("", *dialect.suffixes):
                if (beside := _join(folder, f"{path}{end}")) in self.by_path:
                    return (beside,)
        for cut in range(path.count("/") + 1 if level else 1):
            tail = "/".join(path.split("/")[cut:])
            for end in dict.fromkeys((*dialect.suffixes, "")):
                wanted = f"{tail}{end}"
                found = [
                    one for one in self._by_end.get(wanted.rpartition("/")[2], ()) if f"/{one}".endswith(f"/{wanted}")
                ]
                if found:
                    return (min(found, key=lambda one: (-len(_common(one, folder)), len(one), one)),)
        return ()


def _join(folder: str, path: str) -> str:
    parts = [one for one in folder.split("/") if one]
    for one in path.split("/"):
        if one == "..":
            if parts:
                parts.pop()
        elif one not in ("", "."):
            parts.append(one)
    return "/".join(parts)


def _common(first: str, second: str) -> str:
    end = 0
    for one, other in zip(first, second, strict=False):
        if one != other:
            break
        end += 1
    return first[:end]
