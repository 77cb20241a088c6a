"""The facts of all files, indexed: what is defined, imported and bound in each scope."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from plait.facts import Binding, BindingKind, Import, Outline, ParsedFile
from plait.graph.modules import ModuleTable
from plait.model import Reference, ReferenceKind, Symbol, SymbolId, SymbolKind

_FUNCTIONS = (SymbolKind.FUNCTION, SymbolKind.METHOD)
_NOT_THE_FUNCTION = {"overload", "setter", "deleter", "getter"}
"""Decorators of definitions that only accompany the one of the same name that is called."""


class Program:
    """Files are taken by path, so everything here is in the order of (path, line), whatever the order given.

    `around` are further files, of which only the outlines are given: `open_` is asked, by path, for the facts of those
    that an import leads to. `files` are then those that are to be linked.
    """

    def __init__(
        self,
        files: Sequence[ParsedFile],
        around: Sequence[Outline] = (),
        open_: Callable[[str], ParsedFile] | None = None,
    ) -> None:
        self.files = sorted(files, key=lambda file: file.path)

        def opened(path: str) -> ParsedFile:
            assert open_ is not None
            file = open_(path)
            self._index(file)
            return file

        self.modules = ModuleTable(self.files, around, opened)
        self.symbols: dict[SymbolId, Symbol] = {}
        self.file_of: dict[SymbolId, ParsedFile] = {}
        self.bases: dict[SymbolId, list[Reference]] = {}
        self._children: dict[SymbolId, dict[str, list[Symbol]]] = {}
        self._imports: dict[SymbolId, dict[str, list[Import]]] = {}
        self._stars: dict[SymbolId, list[Import]] = {}
        self._bindings: dict[SymbolId, dict[str, list[Binding]]] = {}
        self._attributes: dict[SymbolId, dict[str, list[Binding]]] = {}
        self._decorators: dict[SymbolId, list[Reference]] = {}
        for file in self.files:
            self._index(file)

    def _index(self, file: ParsedFile) -> None:
        for symbol in file.symbols:
            self.symbols[symbol.id] = symbol
            self.file_of[symbol.id] = file
            if symbol.parent is not None:
                self._children.setdefault(symbol.parent, {}).setdefault(symbol.name, []).append(symbol)
        for imported in file.imports:
            if imported.name == "*":
                self._stars.setdefault(imported.scope, []).append(imported)
            else:
                self._imports.setdefault(imported.scope, {}).setdefault(imported.alias, []).append(imported)
        for binding in file.bindings:
            self._bindings.setdefault(binding.scope, {}).setdefault(binding.target, []).append(binding)
            if binding.target.startswith("self."):
                owner = self.class_around(binding.scope)
                if owner is not None:
                    attributes = self._attributes.setdefault(owner, {})
                    attributes.setdefault(binding.target.removeprefix("self."), []).append(binding)
        for reference in file.references:
            if reference.kind is ReferenceKind.BASE:
                self.bases.setdefault(reference.source, []).append(reference)
        self._index_decorators(file)

    def _index_decorators(self, file: ParsedFile) -> None:
        """A decorator's source is the scope around; the child whose lines it lies in is the decorated definition."""
        siblings: dict[SymbolId, list[Symbol]] = {}
        for symbol in file.symbols:
            if symbol.parent is not None:
                siblings.setdefault(symbol.parent, []).append(symbol)
        place: dict[SymbolId, int] = {}
        for reference in file.references:
            if reference.kind is not ReferenceKind.DECORATOR:
                continue
            candidates = siblings.get(reference.source, [])
            at = place.get(reference.source, 0)
            while at < len(candidates) and candidates[at].span.end_line < reference.line:
                at += 1
            place[reference.source] = at
            if at < len(candidates):
                self._decorators.setdefault(candidates[at].id, []).append(reference)

    def module_of(self, scope: SymbolId) -> SymbolId:
        return self.file_of[scope].symbols[0].id

    def class_around(self, scope: SymbolId) -> SymbolId | None:
        """The scope itself if it is a class, else the nearest class around it."""
        here: SymbolId | None = scope
        while here is not None:
            if self.symbols[here].kind is SymbolKind.CLASS:
                return here
            here = self.symbols[here].parent
        return None

    def outward(self, scope: SymbolId) -> list[SymbolId]:
        """The scopes in which a name used in this one is looked up, innermost first.

        Classes around a function are left out, as Python does; a class is searched by its own statements.
        """
        found = [scope]
        here = self.symbols[scope].parent
        while here is not None:
            if self.symbols[here].kind is not SymbolKind.CLASS:
                found.append(here)
            here = self.symbols[here].parent
        return found

    def definitions(self, scope: SymbolId, name: str) -> list[Symbol]:
        """The definitions that the name can mean: overloads and property setters only if there is nothing else."""
        found = self._children.get(scope, {}).get(name, [])
        if len(found) < 2:
            return found
        return [one for one in found if not self.decorated(one.id) & _NOT_THE_FUNCTION] or found

    def children(self, scope: SymbolId) -> list[Symbol]:
        return [symbol for named in self._children.get(scope, {}).values() for symbol in named]

    def imports(self, scope: SymbolId, name: str) -> list[Import]:
        return self._imports.get(scope, {}).get(name, [])

    def stars(self, scope: SymbolId) -> list[Import]:
        return self._stars.get(scope, [])

    def bindings(self, scope: SymbolId, name: str) -> list[Binding]:
        return self._bindings.get(scope, {}).get(name, [])

    def bound(self, scope: SymbolId) -> list[str]:
        """The names that statements of the scope bind, definitions and imports left out."""
        return list(self._bindings.get(scope, {}))

    def last_line(self, scope: SymbolId, name: str) -> int:
        """Where the scope binds the name for the last time; 0 if it does not."""
        lines = [one.span.start_line for one in self._children.get(scope, {}).get(name, ())]
        lines += [one.line for one in self.imports(scope, name)] + [one.line for one in self.bindings(scope, name)]
        return max(lines, default=0)

    def attributes(self, class_: SymbolId, name: str) -> list[Binding]:
        """What the methods of the class itself bind `self.name` to."""
        return self._attributes.get(class_, {}).get(name, [])

    def returns(self, function: SymbolId) -> str | None:
        """The return annotation; None if there is none."""
        found = [one for one in self.bindings(function, "") if one.kind is BindingKind.RETURNS]
        return found[0].expression if found else None

    def decorators(self, definition: SymbolId) -> list[Reference]:
        return self._decorators.get(definition, [])

    def decorated(self, definition: SymbolId) -> set[str]:
        """The last names of its decorators."""
        return {reference.name for reference in self.decorators(definition)}

    def is_property(self, definition: SymbolId) -> bool:
        """Whether reading the attribute calls the function: by the decorator's name, `cached_property` and the like."""
        return any(name.endswith("property") for name in self.decorated(definition))

    def is_function(self, definition: SymbolId) -> bool:
        return self.symbols[definition].kind in _FUNCTIONS
