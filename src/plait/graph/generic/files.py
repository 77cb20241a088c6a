"""Which files and names there are, and what an import means."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

from plait.facts import Arguments, Binding, Extension, Import, Outline, Parameters, ParsedFile, outline_of
from plait.graph.generic.dialects import DIALECTS, Dialect, Modules
from plait.graph.generic.told import descriptors, last_name
from plait.model import Reference, ReferenceKind, Symbol, SymbolId, SymbolKind
from plait.protocols import Opened
from plait.source.languages import language

_T = TypeVar("_T")


class Files:
    """All files of one family, indexed by what is asked of them; nothing is resolved here.

    Files around those given are opened when they are asked for by path, or by a name of which they say something. A
    file that is open is indexed, so what is asked of a symbol finds an answer.
    """

    def __init__(
        self,
        files: Sequence[ParsedFile],
        around: Sequence[Outline] = (),
        opened: Opened | None = None,
    ) -> None:
        self.files = sorted(files, key=lambda file: file.path)
        self.symbols: dict[SymbolId, Symbol] = {}
        self.file_of: dict[SymbolId, ParsedFile] = {}
        self.full_name: dict[SymbolId, str] = {}
        self.folders: dict[str, list[str]] = {}
        self.packages: dict[str, list[str]] = {}
        self.bases: dict[SymbolId, list[Reference]] = {}
        self.parameters: dict[SymbolId, Parameters] = {}
        self.abstract: set[SymbolId] = set()
        self.extensions: list[Extension] = []
        self._source = opened if around else None
        """None where all files are given"""
        self._files: dict[str, ParsedFile] = {}
        self._around = {one.path for one in around}
        self._asked: set[str] = set()
        """names of which all files that tell are open"""
        self._full_names: dict[str, list[SymbolId]] = {}
        self._named: dict[str, list[SymbolId]] = {}
        self._spaces: set[str] = set()
        self._own_spaces: set[tuple[str, str]] = set()
        self._subclasses: dict[str, list[SymbolId]] = {}
        self._members_of: dict[str, list[Extension]] = {}
        self._bases_of: dict[str, list[Extension]] = {}
        self._given_bases: dict[str, list[Extension]] = {}
        self._children: dict[SymbolId, dict[str, list[SymbolId]]] = {}
        self._bindings: dict[SymbolId, dict[str, list[Binding]]] = {}
        self._imports: dict[SymbolId, dict[str, list[Import]]] = {}
        self._stars: dict[SymbolId, list[Import]] = {}
        self._fields: dict[SymbolId, dict[str, list[Binding]]] = {}
        self._places: dict[SymbolId, list[int]] = {}
        self._arguments: dict[str, dict[tuple[int, int], Arguments]] = {}
        self._by_end: dict[str, list[str]] = {}
        self._meant: dict[tuple[str, str, int], tuple[str, ...]] = {}
        for one in sorted([*around, *map(outline_of, self.files)], key=lambda one: one.path):
            self._place(one)
        self.paths = self._around | {file.path for file in self.files}
        for file in self.files:
            self._index(file)

    def _place(self, one: Outline) -> None:
        folder, _, end = one.path.rpartition("/")
        self.folders.setdefault(folder, []).append(one.path)
        self.packages.setdefault(one.module, []).append(one.path)
        self._by_end.setdefault(end, []).append(one.path)
        spoken = DIALECTS.get(language(one.path) or "")
        if spoken is not None and spoken.modules is Modules.NAMES and one.module:
            parts = one.module.split(".")
            self._spaces.update(".".join(parts[:end]) for end in range(1, len(parts) + 1))

    def file(self, path: str) -> ParsedFile:
        if path not in self._files:
            self._opened([path])
        return self._files[path]

    def _opened(self, paths: Iterable[str]) -> None:
        assert self._source is not None
        missing = {path for path in paths if path in self._around and path not in self._files}
        for file in self._source.every(sorted(missing)):
            self._index(file)

    def _ask(self, name: str) -> None:
        """Open what says something of a name."""
        if self._source is not None and name not in self._asked:
            self._asked.add(name)
            self._opened(self._source.telling(name))

    def _in_order(self, found: Sequence[_T], scope: Callable[[_T], SymbolId]) -> Sequence[_T]:
        """By path, and in a file as they stand there, in whatever order files were opened."""
        if self._source is None or len(found) < 2:
            return found
        return sorted(found, key=lambda one: self.file_of[scope(one)].path)

    # What any file can say of a name

    def named(self, name: str) -> Sequence[SymbolId]:
        self._ask(name)
        return self._in_order(self._named.get(name, ()), _itself)

    def of_full_name(self, full: str) -> Sequence[SymbolId]:
        self._ask(full.rpartition(".")[2])
        return self._in_order(self._full_names.get(full, ()), _itself)

    def is_space(self, full: str) -> bool:
        """Whether it is a package or a namespace, or begins the name of one."""
        self._ask(full.rpartition(".")[2])
        return full in self._spaces

    def subclasses(self, name: str) -> Sequence[SymbolId]:
        """Classes by the last name of what they inherit."""
        self._ask(name)
        return self._in_order(self._subclasses.get(name, ()), _itself)

    def members_of(self, name: str) -> Sequence[Extension]:
        """Members that are given to a type from outside, by the type's last name."""
        self._ask(name)
        return self._in_order(self._members_of.get(name, ()), _scope)

    def bases_of(self, name: str) -> Sequence[Extension]:
        """Bases that are given to a type from outside, by the type's last name."""
        self._ask(name)
        return self._in_order(self._bases_of.get(name, ()), _scope)

    def given_bases(self, name: str) -> Sequence[Extension]:
        """The same, by the base's."""
        self._ask(name)
        return self._in_order(self._given_bases.get(name, ()), _scope)

    def beside(self, folder: str, name: str) -> Iterator[ParsedFile]:
        """The files of a folder, by path, that can define the name at their top."""
        self._ask(name)
        return (self._files[path] for path in self.folders.get(folder, ()) if path in self._files)

    def _index(self, file: ParsedFile) -> None:
        self._files[file.path] = file
        package = self.package(file)
        for symbol in file.symbols:
            self.symbols[symbol.id] = symbol
            self.file_of[symbol.id] = file
            if symbol.parent is None:
                continue
            self._children.setdefault(symbol.parent, {}).setdefault(symbol.name, []).append(symbol.id)
            names, spaces = descriptors(symbol.id)
            full = ".".join([*([package] if package else []), *names])
            self._full_names.setdefault(full, []).append(symbol.id)
            self.full_name[symbol.id] = full
            if spaces:
                self._own_spaces.add((file.path, names[0]))
            for end in range(1, spaces + 1):
                self._spaces.add(".".join([*([package] if package else []), *names[:end]]))
            self._named.setdefault(symbol.name, []).append(symbol.id)
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
                self._subclasses.setdefault(reference.name, []).append(reference.source)
        for extension in file.extensions:
            last = last_name(extension.type)
            (self._bases_of if extension.base else self._members_of).setdefault(last, []).append(extension)
            if extension.base:
                self._given_bases.setdefault(last_name(extension.base), []).append(extension)
            else:
                self._places.setdefault(extension.scope, []).append(len(self.extensions))
            self.extensions.append(extension)
        for one in file.parameters:
            self.parameters[one.scope] = one
        self.abstract.update(file.abstract)

    def places(self, scope: SymbolId) -> Sequence[int]:
        """Places in `extensions` of those that make the scope a member of something."""
        return self._places.get(scope, ())

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
        if path in self.paths:
            return (path,)
        stem = re.sub(r"\.[mc]?jsx?$", "", path)
        for begin in dict.fromkeys((path, stem)):
            for end in dialect.suffixes:
                for one in (f"{begin}{end}", f"{begin}/index{end}" if begin else f"index{end}"):
                    if one in self.paths:
                        return (one,)
        return ()

    def _include(self, folder: str, module: str) -> tuple[str, ...]:
        beside = _join(folder, module)
        if beside in self.paths:
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
                return tuple(self.folders[folder])
        root = self.folders.get("", [])
        if "." in parts[0] and any(self.file(path).symbols[0].module == parts[-1] for path in root):
            return tuple(root)
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
        return next((one for one in tries if one in self.paths), "")

    def _ending(self, folder: str, module: str, dialect: Dialect, level: int) -> tuple[str, ...]:
        path = module.replace(".", "/") if "/" not in module and dialect.family == "lua" else module
        path = path.removeprefix("./")
        if level:
            for end in ("", *dialect.suffixes):
                if (beside := _join(folder, f"{path}{end}")) in self.paths:
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


def _itself(symbol: SymbolId) -> SymbolId:
    return symbol


def _scope(extension: Extension) -> SymbolId:
    return extension.scope


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
