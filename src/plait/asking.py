"""What people write, taken apart: filters, quoted strings, and the words that are left for the ranking."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from plait.errors import BadParameter, EmptyQuery
from plait.model import Filter, SymbolKind
from plait.source.languages import LANGUAGES, SPOKEN

_FILTER = re.compile(r'(?<!\S)(?P<name>path|lang|language|kind):(?:"(?P<quoted>[^"]+)"|(?P<bare>\S+))')
_QUOTED = re.compile(r'(?<!\S)"([^"]*\S[^"]*)"(?!\w)')
_OTHER_NAMES = {"golang": "go", "c#": "csharp", "shell": "bash", "node": "javascript"}


@dataclass(frozen=True, slots=True)
class Asked:
    text: str
    """what is ranked by: without the filters, with the quoted strings"""
    where: Filter
    quoted: tuple[str, ...]
    """what the text of every candidate must contain"""


def asked(text: str, where: Filter = Filter()) -> Asked:
    """Take a question apart.

    `path:`, `lang:` (or `language:`), `kind:` and strings in double quotes narrow the candidates, in questions of one
    line; in a longer text, as a report with a stack trace, they are words. A path without `*`, `?` or `[` is any part
    of one. `kind:` takes several, with commas.

    Raises BadParameter for a kind or language that is not known and for what `where` has set already, EmptyQuery if
    nothing is left to rank by.
    """
    text = text.encode(errors="replace").decode().strip()  # an argument that is not UTF-8 holds lone surrogates
    quoted: tuple[str, ...] = ()
    if "\n" not in text:
        for match in _FILTER.finditer(text):
            where = _narrowed(where, match["name"], match["quoted"] or match["bare"], match[0])
        text = _FILTER.sub(" ", text)
        quoted = tuple(dict.fromkeys(_QUOTED.findall(text)))
        text = " ".join(text.split())
    if not text:
        raise EmptyQuery
    return Asked(text, where, quoted)


def _narrowed(where: Filter, name: str, value: str, written: str) -> Filter:
    match name:
        case "path":
            _once(where.path, written)
            return replace(where, path=value if re.search(r"[*?\[]", value) else f"*{value}*")
        case "kind":
            _once(where.kinds, written)
            return replace(where, kinds=frozenset(_kinds(value, written)))
        case _:
            _once(where.language, written)
            return replace(where, language=_language(value, written))


def _once(known: object, written: str) -> None:
    if known is not None:
        raise BadParameter(f"{written}: it is narrowed down by this already; leave one out")


def _kinds(value: str, written: str) -> Iterator[SymbolKind]:
    for name in value.lower().split(","):
        if name not in list(SymbolKind):
            raise BadParameter(f"{written}: no such kind; there are: {', '.join(SymbolKind)}")
        yield SymbolKind(name)


def _language(value: str, written: str) -> str:
    name = value.lower()
    found = name if name in SPOKEN else _OTHER_NAMES.get(name) or LANGUAGES.get(f".{name}")
    if found not in SPOKEN:
        raise BadParameter(f"{written}: no such language; there are: {', '.join(sorted(SPOKEN))}")
    return found
