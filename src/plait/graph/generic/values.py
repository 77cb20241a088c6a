"""What an expression can be."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from plait.model import SymbolId

MOST = 4
"""Values of one expression; with more, nothing is known."""

DEEPEST = 12
"""Questions in each other."""

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


class Outside(NamedTuple):
    """Something of a package that is not here."""

    package: str


class Plain(NamedTuple):
    """A literal, or an object of a type of the language itself."""

    type: str


class Opaque(NamedTuple):
    """Bound, but to nothing that is known."""

    name: str


Value = Instance | Class | Function | File | Space | Table | Container | Outside | Plain | Opaque


def distinct(values: Iterable[Value]) -> tuple[Value, ...]:
    return tuple(dict.fromkeys(values))
