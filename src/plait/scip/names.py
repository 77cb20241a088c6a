"""SCIP's names of symbols: `scheme manager package version descriptors`, or `local N` within one document.

A descriptor is a name with a sign for its sort: `pkg/`, `Class#`, `term.`, `meta:`, `macro!`, `method().`,
`[type parameter]`, `(parameter)`. A name that is more than letters, digits and `_+-$` stands in backticks.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

_FIELDS = re.compile(r"((?:[^ ]|  )*) ((?:[^ ]|  )*) ((?:[^ ]|  )*) ((?:[^ ]|  )*) (.+)", re.DOTALL)
_NAME = r"`(?:[^`]|``)+`|[\w+$-]+"
_DESCRIPTOR = re.compile(rf"({_NAME})([/#.:!]|\([\w+$-]*\)\.)|\[({_NAME})\]|\(({_NAME})\)")
_SIMPLE = re.compile(r"[A-Za-z0-9_+$-]+")


@dataclass(frozen=True, slots=True)
class Descriptor:
    name: str
    suffix: str
    """`/`, `#`, `.`, `:`, `!`, `().`, `[]` or `()`"""


@dataclass(frozen=True, slots=True)
class ScipName:
    package: tuple[str, str, str]
    """manager, name and version; `.` or empty where there is none"""
    descriptors: tuple[Descriptor, ...]

    @property
    def last(self) -> Descriptor:
        return self.descriptors[-1]


@lru_cache(maxsize=65536)
def parse(symbol: str) -> ScipName | None:
    """Return the parts of a global symbol's name; None for a local one or one that is not by the grammar."""
    fields = _FIELDS.fullmatch(symbol)
    if symbol.startswith("local ") or fields is None:
        return None
    found: list[Descriptor] = []
    end = 0
    for part in _DESCRIPTOR.finditer(fields[5]):
        if part.start() != end:
            return None
        end = part.end()
        name = part[1] or part[3] or part[4]
        plain = name[1:-1].replace("``", "`") if name.startswith("`") else name
        suffix = "[]" if part[3] else "()" if part[4] else "()." if part[2].endswith(").") else part[2]
        found.append(Descriptor(plain, suffix))
    if end != len(fields[5]):
        return None
    manager, name, version = (fields[place].replace("  ", " ") for place in (2, 3, 4))
    return ScipName((manager, name, version), tuple(found))


def escaped(name: str) -> str:
    """Return a name as it stands in a descriptor."""
    return name if _SIMPLE.fullmatch(name) else "`" + name.replace("`", "``") + "`"


def field(text: str) -> str:
    """Return a scheme, manager, package name or version as it stands in a symbol."""
    return text.replace(" ", "  ") or "."
