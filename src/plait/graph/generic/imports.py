"""What a name that an import binds is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from plait.facts import Import
from plait.graph.generic.dialects import Modules
from plait.graph.generic.values import MOST, File, Opaque, Outside, Space, Value, distinct
from plait.model import SymbolId, SymbolKind

if TYPE_CHECKING:
    from plait.graph.generic.inference import Inference


class Imports:
    def __init__(self, inference: Inference) -> None:
        self._all = inference
        self.files = inference.files

    def imported(self, imported: Import) -> tuple[Value, ...]:
        """What a name that an import binds is."""
        dialect = self.files.dialect(imported.scope)
        if dialect.modules is Modules.NAMES:
            full = ".".join(one for one in (imported.module, imported.name) if one)
            return (
                self.full(full)
                or self._relative_name(imported, full)
                or (Outside(imported.module or full, imported.name or "" if imported.module else ""),)
            )
        if dialect.modules is Modules.CRATE:
            return self._from_crate(imported)
        paths = self.files.meant(imported)
        if not paths:
            return (Outside(imported.module, imported.name or ""),)
        if imported.name is None:
            return (
                tuple(File(path) for path in paths[:1])
                if dialect.modules is not Modules.FOLDER
                else (Space(f"/{paths[0].rpartition('/')[0]}"),)
            )
        found = distinct(value for path in paths for value in self._all.members.of_file(path, imported.name))
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
            return (Outside(names[0], ".".join(names[1:])),)
        values: tuple[Value, ...] = (File(paths[0]),)
        for name in rest:
            values = distinct(one for value in values for one in self._all.members.member(value, name))
        return values

    def _path_in(self, names: Sequence[str], scope: SymbolId, alias: str) -> tuple[Value, ...]:
        """`use Enum::*`, `use module::f` where module is a name of this file."""
        if names[0] == alias:
            return ()
        values: tuple[Value, ...] = self._all.names.here(names[0], scope, 0)
        for name in names[1:]:
            values = distinct(one for value in values for one in self._all.members.member(value, name))
        return values

    def full(self, name: str) -> tuple[Value, ...]:
        """What a full name means: definitions, or a package or namespace."""
        found = [self._all.definition(symbol) for symbol in self.files.of_full_name(name)]
        if found:
            return tuple(found[:16])
        if self.files.is_space(name):
            return (Space(name),)
        owner, _, last = name.rpartition(".")
        for symbol in self.files.of_full_name(owner)[:MOST] if owner else ():
            if self.files.symbols[symbol].kind is not SymbolKind.CLASS:
                continue
            if values := self._all.members.member_of(symbol, last):
                return values
        return ()
