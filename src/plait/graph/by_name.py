"""The last resort: a call of a method whose receiver nothing is known about, by its name alone."""

from __future__ import annotations

import io
import re

from plait.facts import FlowFunction
from plait.graph.program import Program
from plait.model import Receiver, Reference, ReferenceKind, SymbolId, SymbolKind

_BUILTIN_TYPES: tuple[type, ...] = (
    *(str, bytes, bytearray, list, dict, set, tuple, int, float, complex, BaseException),
    *(io.TextIOWrapper, io.BytesIO, re.Pattern, re.Match),
)
BUILTIN_METHODS = frozenset(name for one in _BUILTIN_TYPES for name in dir(one))
"""Names that most calls mean otherwise: `append` says nothing about which `append`."""


class ByName:
    def __init__(self, program: Program) -> None:
        self._program = program
        self._functions: dict[str, FlowFunction] = {}
        self._methods: dict[str, list[SymbolId]] = {}
        for file in program.files:
            self._functions.update((one.key, one) for one in file.flow.functions)
            for symbol in file.symbols:
                if symbol.kind is SymbolKind.METHOD and symbol.name not in BUILTIN_METHODS:
                    self._methods.setdefault(symbol.name, []).append(symbol.id)

    def find(self, reference: Reference) -> SymbolId | None:
        """The only method of that name that takes as many arguments; None where there are more.

        What `self` and `super()` have is known from their classes: if they have nothing, it came from outside.
        """
        own = reference.receiver in (Receiver.SELF, Receiver.CLS) and reference.expression.count(".") == 1
        if reference.kind is not ReferenceKind.CALL or own or reference.receiver in (Receiver.NONE, Receiver.SUPER):
            return None
        found = [one for one in self._methods.get(reference.name, ()) if self._takes(one, reference.arity)]
        return found[0] if len(found) == 1 and found[0] != reference.source else None

    def _takes(self, method: SymbolId, arity: int) -> bool:
        function = self._functions.get(method)
        if function is None or arity < 0:
            return True
        given = arity + ("staticmethod" not in self._program.decorated(method))
        most = len(function.parameters)
        return function.required <= given and (given <= most or function.vararg >= 0 or function.kwarg >= 0)
