"""Classes that have all members of a `typing.Protocol` class without deriving from it."""

from __future__ import annotations

from collections.abc import Iterator

from plait.facts import FlowFunction
from plait.graph.by_name import BUILTIN_METHODS
from plait.graph.classes import ClassTable
from plait.graph.program import Program
from plait.graph.standard import PROTOCOLS
from plait.graph.values import External
from plait.model import Symbol, SymbolId, SymbolKind

MAX_OF_ONE_METHOD = 4
"""Classes that one method with at most one parameter makes fit: with more, its name says too little. Not tuned."""
SELF_AND_ONE = 2


class Structural:
    """Fits are decided by the names of all members and the names of the methods' parameters; types are not compared."""

    def __init__(self, program: Program, classes: ClassTable) -> None:
        self._program = program
        self._classes = classes
        self.fitting: dict[SymbolId, tuple[SymbolId, ...]] = {}
        """protocol -> the classes, in the order of the program"""
        protocols = [one.id for one in program.symbols.values() if self._is_protocol(one)]
        if not protocols:
            return
        self._functions: dict[str, FlowFunction] = {
            one.key: one for file in program.files for one in file.flow.functions
        }
        defining: dict[str, list[SymbolId]] = {}
        for symbol in program.symbols.values():
            if symbol.kind is SymbolKind.METHOD and symbol.parent is not None:
                defining.setdefault(symbol.name, []).append(symbol.parent)
        for protocol in protocols:
            self.fitting[protocol] = self._fitting(protocol, defining)

    def overriding(self) -> Iterator[tuple[Symbol, Symbol]]:
        """Each method with the protocol's, for classes whose public methods are exactly those of one protocol alone."""
        of_class: dict[SymbolId, list[SymbolId]] = {}
        for protocol, classes in self.fitting.items():
            for class_ in classes:
                of_class.setdefault(class_, []).append(protocol)
        for class_, protocols in of_class.items():
            methods = self._methods(protocols[0])
            own = [one for one in self._program.children(class_) if one.kind is SymbolKind.METHOD]
            public = {one.name for one in own if not one.name.startswith("_")}
            if len(protocols) == 1 and public == {name for name in methods if not name.startswith("_")}:
                yield from ((one, methods[one.name]) for one in own if one.name in methods)

    def _is_protocol(self, symbol: Symbol) -> bool:
        if symbol.kind is not SymbolKind.CLASS:
            return False
        if not any(one.name == "Protocol" for one in self._program.bases.get(symbol.id, ())):
            return False
        outer = self._classes.outer_bases(symbol.id)
        return any(isinstance(one, External) and one.path in PROTOCOLS for one in outer)

    def _methods(self, protocol: SymbolId) -> dict[str, Symbol]:
        found: dict[str, Symbol] = {}
        for class_ in self._classes.order(protocol):
            for symbol in self._program.children(class_):
                if symbol.kind is SymbolKind.METHOD:
                    found.setdefault(symbol.name, symbol)
        return found

    def _fitting(self, protocol: SymbolId, defining: dict[str, list[SymbolId]]) -> tuple[SymbolId, ...]:
        methods = self._methods(protocol)
        called = {name: one for name, one in methods.items() if not self._program.is_property(one.id)}
        fields = [name for one in self._classes.order(protocol) for name in self._program.bound(one)]
        fields += [name for name in methods if name not in called]
        if not any(name not in BUILTIN_METHODS and not name.startswith("__") for name in (*called, *fields)):
            return ()
        candidates = dict.fromkeys(class_ for name in called for class_ in defining.get(name, ()))
        found = tuple(
            class_
            for class_ in candidates
            if not self._is_protocol(self._program.symbols[class_])
            and protocol not in self._classes.order(class_)
            and all(self._has(class_, name) for name in fields)
            and all(self._fits(class_, method) for method in called.values())
        )
        parameters = max((self._arity(one) for one in called.values()), default=0)
        told = len(methods) + len(fields) > 1 or parameters > SELF_AND_ONE
        return found if told or len(found) <= MAX_OF_ONE_METHOD else ()

    def _arity(self, method: Symbol) -> int:
        function = self._functions.get(method.id)
        return len(function.parameters) if function is not None else 0

    def _has(self, class_: SymbolId, name: str) -> bool:
        program = self._program
        return any(
            program.definitions(one, name) or program.bindings(one, name) or program.attributes(one, name)
            for one in self._classes.order(class_)
        )

    def _fits(self, class_: SymbolId, method: Symbol) -> bool:
        member = self._classes.member(class_, method.name)
        if member is None:
            return False
        given, wanted = self._functions.get(member[1][0].id), self._functions.get(method.id)
        if given is None or wanted is None:
            return False
        names = {name for name, _ in given.parameters}
        missing = [name for name, _ in wanted.parameters[1:] if name not in names and not name.startswith("_")]
        return given.required <= len(wanted.parameters) and (not missing or given.kwarg >= 0)
