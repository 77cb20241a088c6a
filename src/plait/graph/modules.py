"""Which file a dotted module name means."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

from plait.facts import Import, Outline, ParsedFile

ROOT = ""
"""Name of the package that the indexed root itself is, when it has an `__init__`."""


SOURCE_ROOTS = ("lib", "python", "packages", "source")
"""Folders that projects put on the path, besides `src`, which module names already leave out."""


class ModuleTable:
    """The modules of the repository by dotted name. Folders without `__init__` are modules without a file.

    An absolute name is, in this order: a name below the root when the root is itself a package that its files import by
    that name; a full name; the end of a full name that only one module has and that begins at a folder which is no
    package (`lib/shop/db.py` for `shop.db`), the importer's own folder first. Standard library names are never found by
    their end.

    A file of which only the outline is given is opened when somebody asks for it. By which name the root itself is
    imported is only known when all files are given.
    """

    def __init__(
        self,
        files: Sequence[ParsedFile],
        around: Sequence[Outline] = (),
        open_: Callable[[str], ParsedFile] | None = None,
    ) -> None:
        self._files: dict[str, ParsedFile | Outline] = {}
        self._open = open_
        every: list[ParsedFile | Outline] = [*files, *around]
        for file in sorted(every, key=lambda one: (not one.is_package, one.path)):
            self._files.setdefault(_key(file), file)
        names = {".".join(name.split(".")[:end]) for name in self._files for end in range(1, name.count(".") + 2)}
        self._known = names | {ROOT}
        self._packages = {name for name, file in self._files.items() if file.is_package}
        self._by_end = self._ends(sorted(names - {ROOT}))
        self._root_names = self._names_of_root(files) if ROOT in self._packages else ()

    def file(self, name: str) -> ParsedFile | None:
        """The module's file; None for a folder without `__init__` and for an unknown name."""
        found = self._files.get(name)
        if isinstance(found, Outline):
            assert self._open is not None
            found = self._files[name] = self._open(found.path)
        return found

    def name(self, file: ParsedFile) -> str:
        """The key of the file's module in this table."""
        return _key(file)

    def has(self, name: str) -> bool:
        return name in self._known

    def child(self, name: str, child: str) -> str | None:
        """The submodule of that name."""
        full = f"{name}.{child}" if name else child
        return full if full in self._known and full != ROOT else None

    def absolute(self, name: str, importer: ParsedFile) -> str | None:
        """The key of the module an absolute import names; None if it leads out of the repository."""
        top, _, rest = name.partition(".")
        if top in self._root_names and rest in self._known:
            return rest
        standard = top in sys.stdlib_module_names
        if name in self._known and name and not (standard and ROOT in self._packages):
            return name
        if standard:
            return None
        found = self._by_end.get(name, [])
        if "." not in name:
            # A single name is too little to find a module anywhere: it must lie where the importer's path would look.
            found = [one for one in found if _is_root(one.rpartition(".")[0], importer)]
        if len(found) > 1:
            beside = self.child(_package(importer), name) if "." not in name else None
            return beside if beside in found else None
        return found[0] if found else None

    def relative(self, imported: Import, importer: ParsedFile) -> str | None:
        """The key of the module a relative import names; None if it is not in the repository."""
        parts = [part for part in _package(importer).split(".") if part]
        up = imported.level - 1
        if up > len(parts):
            return None
        parts = parts[: len(parts) - up]
        name = ".".join([*parts, *([imported.module] if imported.module else [])])
        return name if name in self._known else None

    def imported(self, imported: Import, importer: ParsedFile) -> str | None:
        """The key of the module that stands after `import` or `from`."""
        return self.relative(imported, importer) if imported.level else self.absolute(imported.module, importer)

    def _ends(self, names: Sequence[str]) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for name in names:
            parts = name.split(".")
            for begin in range(1, len(parts)):
                if ".".join(parts[:begin]) not in self._packages:
                    found.setdefault(".".join(parts[begin:]), []).append(name)
        return found

    def _names_of_root(self, files: Sequence[ParsedFile]) -> tuple[str, ...]:
        """The name by which the files import the root package: what comes before names that are all found below it."""
        hits: dict[str, set[str]] = {}
        misses: set[str] = set()
        for file in files:
            for imported in file.imports:
                top, _, rest = imported.module.partition(".")
                if imported.level or not rest or top in self._known or top in sys.stdlib_module_names:
                    continue
                if rest in self._known:
                    hits.setdefault(top, set()).add(rest)
                else:
                    misses.add(top)
        # One name below can be chance: `import six.utils` does not make this package `six` because it has `utils`.
        best = sorted((-len(found), name) for name, found in hits.items() if name not in misses and len(found) > 1)
        return (best[0][1],) if best else ()


def _is_root(folder: str, importer: ParsedFile) -> bool:
    """Whether a folder, dotted, is likely on the path of the importer: one around it, or one kept for sources."""
    return folder in SOURCE_ROOTS or f"{importer.module}.".startswith(f"{folder}.")


def _key(file: ParsedFile | Outline) -> str:
    return ROOT if file.module == "__init__" else file.module


def _package(file: ParsedFile) -> str:
    name = _key(file)
    return name if file.is_package else name.rpartition(".")[0]
