"""What a name can stand for, as far as it can be told without running the code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from plait.model import SymbolId, Unknown


@dataclass(frozen=True, slots=True)
class Module:
    name: str
    """key of the ModuleTable"""


@dataclass(frozen=True, slots=True)
class Class:
    id: SymbolId
    typed: bool = False
    """found by an annotation or a constructor, not by scope and imports alone"""


@dataclass(frozen=True, slots=True)
class Instance:
    id: SymbolId
    """of the class"""
    typed: bool = True


@dataclass(frozen=True, slots=True)
class Function:
    id: SymbolId
    receiver: SymbolId | None = None
    """the class of the object it was taken from: what `Self` is in it"""
    typed: bool = False
    replaceable: bool = False
    """taken from an object of the receiver's class, or of one below it that may have another method in its place"""


@dataclass(frozen=True, slots=True)
class Super:
    """`super()` in a method of the class, or `super(B, self)`."""

    id: SymbolId
    after: SymbolId
    """the class behind which the search begins: the class itself, or B"""


@dataclass(frozen=True, slots=True)
class Context:
    """What a function under `contextmanager` returns."""

    entered: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Coroutine:
    """What a coroutine function returns, or anything else that gives its result when it is awaited."""

    result: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Alias:
    """A type expression as a value (`Name = Union[A, B]`): a type where a type is asked for, nothing elsewhere."""

    expression: str
    scope: SymbolId


@dataclass(frozen=True, slots=True)
class External:
    """Anything reached through an import that leads out of the repository."""

    path: str
    """dotted, calls as `()`"""


@dataclass(frozen=True, slots=True)
class Builtin:
    """A name of `builtins`."""

    name: str


@dataclass(frozen=True, slots=True)
class BuiltinInstance:
    type: str
    """name of the class; `?` for one of several"""


@dataclass(frozen=True, slots=True)
class Absent:
    """An attribute that a builtin type does not have: the object must be of another type by then."""

    type: str


@dataclass(frozen=True, slots=True)
class Opaque:
    """Not known, and why; DYNAMIC becomes RECEIVER as soon as an attribute of it is asked for."""

    reason: Unknown = Unknown.DYNAMIC
    detail: str = ""


Value: TypeAlias = (
    Module
    | Class
    | Instance
    | Function
    | Super
    | Context
    | Coroutine
    | Alias
    | External
    | Builtin
    | BuiltinInstance
    | Absent
    | Opaque
)
Values: TypeAlias = tuple[Value, ...]
"""Each once, in the order found. Empty: nothing but None, or a name defined by itself alone."""

_LINK = re.compile(r"\.([^.()|\[\]]+)|\(\)")


@lru_cache(maxsize=65536)
def chain(expression: str) -> tuple[str, tuple[str, ...]]:
    """Split `a.b().c` into its root `a` and its links `b`, `()`, `c`."""
    first = _LINK.search(expression)
    if first is None:
        return expression, ()
    return expression[: first.start()], tuple(link[1] or "()" for link in _LINK.finditer(expression, first.start()))


def split_types(expression: str, separator: str = "|") -> Iterator[str]:
    """Split at the separators that are outside of brackets."""
    depth = begin = 0
    for place, sign in enumerate(expression):
        if sign == "[":
            depth += 1
        elif sign == "]":
            depth -= 1
        elif sign == separator and not depth:
            yield expression[begin:place]
            begin = place + 1
    yield expression[begin:]
