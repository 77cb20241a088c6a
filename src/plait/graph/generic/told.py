"""Which files say something of a name to others, so that only those are opened of which something is asked."""

from __future__ import annotations

import re
from urllib.parse import unquote

from plait.facts import ParsedFile
from plait.model import ReferenceKind, SymbolId

_DESCRIPTOR = re.compile(r"([^/#.()]+)(\(\+\d+\))?([/#]|\(\)\.|\.)|([^/#.()]+)\(\+\d+\)\.")


def descriptors(symbol: SymbolId) -> tuple[list[str], int]:
    """The names in an id, and how many of the first are namespaces."""
    names: list[str] = []
    spaces = 0
    for found in _DESCRIPTOR.finditer(symbol.partition(":")[2]):
        if found[3] == "/" and spaces == len(names):
            spaces += 1
        names.append(unquote(found[1] or found[4]))
    return names, spaces


def last_name(type_: str) -> str:
    """The last name of a type, its arguments left out."""
    return type_.partition("[")[0].rpartition(".")[2]


def told(file: ParsedFile) -> set[str]:
    """The names under which `Files` keeps something that a file says, for other files to find.

    Its definitions and namespaces; variables at its top; types that it extends, and bases that it names.
    """
    found = {symbol.name for symbol in file.symbols[1:]}
    for symbol in file.symbols[1:]:
        names, spaces = descriptors(symbol.id)
        found.update(name.rpartition(".")[2] for name in (*names[:spaces], *names[-1:]))
    top = file.symbols[0].id
    found.update(one.target for one in file.bindings if one.scope == top)
    found.update(one.name for one in file.references if one.kind is ReferenceKind.BASE)
    for extension in file.extensions:
        found.add(last_name(extension.type))
        found.add(last_name(extension.base))
    return found - {""}
