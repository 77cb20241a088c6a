"""What an expression can be."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from plait.model import SymbolId

MOST = 4
"""Values of one expression; with more, nothing is known."""

DEEPEST = 12
"""Questions in each other."""

LONGEST = 120
"""Characters of a name in a package that is not here; what is longer comes out of a loop or tells nothing."""

DEFAULT = "default"
"""The name of what a file exports as itself."""


class Instance(NamedTuple):
    """An object of a class."""

    of: SymbolId
    arguments: str = ""
    """type arguments, as written where the type is declared"""
    scope: SymbolId | None = None
    """where they are written"""
    exact: bool = False
    """made here, so it is of no class below"""


class Class(NamedTuple):
    id: SymbolId


class Function(NamedTuple):
    id: SymbolId
    owner: SymbolId | None = None
    """the class of the object that it was found on"""


class File(NamedTuple):
    """What a file defines and passes on."""

    path: str


class Space(NamedTuple):
    """A package or namespace, by its full name."""

    name: str


class Table(NamedTuple):
    """An object with members that is no class: `{ f() {} }`, a table in Lua."""

    scope: SymbolId
    name: str


class Container(NamedTuple):
    """An object of a type that is not here and has arguments."""

    name: str
    arguments: str
    scope: SymbolId


@dataclass(frozen=True, slots=True)
class Outside:
    """Something of a package that is not here. All of one package are alike, as nothing is known of any."""

    package: str
    name: str = field(default="", compare=False)
    """its name in the package, dotted, calls as `()`; `?` for one that is not known"""

    def member(self, name: str) -> Outside:
        return self._at(f"{self.name}.{name}" if self.name else name)

    def result(self) -> Outside:
        return self if self.name.endswith("()") else self._at(f"{self.name}()")

    def _at(self, name: str) -> Outside:
        return Outside(self.package, name if len(name) <= LONGEST and "?" not in name else "?")

    def __str__(self) -> str:
        """The package, and behind a blank the name in it if that is known."""
        return f"{self.package} {self.name}" if self.name.strip("?") else self.package


class Plain(NamedTuple):
    """A literal, or an object of a type of the language itself."""

    type: str


class Opaque(NamedTuple):
    """Bound, but to nothing that is known."""

    name: str


Value = Instance | Class | Function | File | Space | Table | Container | Outside | Plain | Opaque


def distinct(values: Iterable[Value]) -> tuple[Value, ...]:
    return tuple(dict.fromkeys(values))
