"""Which methods run in the place of the one that a call names: those of classes below the receiver's.

A class that has all members of a protocol is below it.
"""

from __future__ import annotations

from plait.graph.classes import ClassTable
from plait.graph.program import Program
from plait.graph.structural import Structural
from plait.model import SymbolId, SymbolKind


class Dispatch:
    def __init__(self, program: Program, classes: ClassTable) -> None:
        self._program = program
        self._classes = classes
        self._abstract = {one for file in program.files for one in file.abstract}
        self._below: dict[SymbolId, list[SymbolId]] = {}
        for symbol in program.symbols.values():
            if symbol.kind is SymbolKind.CLASS:
                for base in classes.order(symbol.id)[1:]:
                    self._below.setdefault(base, []).append(symbol.id)
        self.structural = Structural(program, classes)
        self._instead: set[tuple[SymbolId, SymbolId]] = set()
        """(method, protocol's method) of classes that do not derive from the protocol"""
        for protocol, fitting in self.structural.fitting.items():
            self._below.setdefault(protocol, []).extend(fitting)
        self._known: dict[tuple[SymbolId, SymbolId], tuple[SymbolId, ...]] = {}

    def is_abstract(self, method: SymbolId) -> bool:
        """Whether its body does nothing, or only says that it is not implemented."""
        return method in self._abstract

    def replacing(self, method: SymbolId, receiver: SymbolId) -> tuple[SymbolId, ...]:
        """The methods that objects of classes below the receiver's have in its place, abstract ones left out."""
        key = (method, receiver)
        if key not in self._known:
            name = self._program.symbols[method].name
            mangled = name.startswith("__") and not name.endswith("__")
            found: dict[SymbolId, None] = {}
            for class_ in self._below.get(receiver, ()) if not mangled else ():
                member = self._classes.member(class_, name)
                for symbol in member[1] if member else ():
                    if symbol.id != method and symbol.kind is SymbolKind.METHOD and not self.is_abstract(symbol.id):
                        found[symbol.id] = None
                        self._instead.add((symbol.id, method))
            self._known[key] = tuple(found)
        return self._known[key]

    def replaces(self, method: SymbolId, replaced: SymbolId) -> bool:
        """Whether the method stands in a class below that of the other, under the same name."""
        if (method, replaced) in self._instead:
            return True
        one, other = self._program.symbols[method], self._program.symbols[replaced]
        if one.name != other.name or one.parent is None or other.parent is None or one.kind is not SymbolKind.METHOD:
            return False
        return other.parent in self._classes.order(one.parent)[1:]

    def family(self, target: SymbolId) -> SymbolId:
        """The method or class furthest up that the target replaces or derives from: targets of one family are what one
        call is written for.
        """
        symbol = self._program.symbols[target]
        if symbol.kind is SymbolKind.CLASS:
            return self._classes.order(target)[-1]
        if symbol.kind is not SymbolKind.METHOD or symbol.parent is None:
            return target
        for class_ in reversed(self._classes.order(symbol.parent)):
            if found := self._program.definitions(class_, symbol.name):
                return found[0].id
        return target
