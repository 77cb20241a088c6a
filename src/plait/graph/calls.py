"""A call as the flow analysis passes it around."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from plait.model import SymbolId, Via

Site: TypeAlias = tuple[SymbolId, int, int]
"""(source, line, column) of a call expression, as in its Reference"""
At: TypeAlias = tuple[SymbolId, int]
"""(source, line) of a call that no call expression shows: a property, an operator, a decorator's result"""


@dataclass(frozen=True, slots=True)
class Call:
    result: int
    """node of what the call returns; -1 if nobody asks"""
    positional: tuple[int, ...] = ()
    keywords: tuple[tuple[str, int], ...] = ()
    spread: tuple[int, ...] = ()
    """nodes behind `*` and `**`"""
    names: tuple[str | None, ...] = ()
    """the positional arguments that are literal strings; None for others"""
    where: Site | At | None = None
    decorates: bool = False
    """it stands before a definition, as `@callee`"""

    @property
    def via(self) -> Via:
        """A call without an expression of its own, by default, is what a decorator's result does to a definition."""
        return Via.CALL if self.where is None or len(self.where) == 3 else Via.DECORATOR

    @property
    def at(self) -> At | None:
        return None if self.where is None else self.where[:2]
