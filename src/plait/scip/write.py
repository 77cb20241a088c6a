"""The graph as a SCIP index.

A file is a document; each symbol has a definition occurrence at its name. SCIP has no calls: an edge becomes a
reference occurrence to its target at its site, which a reader lays to the definition whose enclosing range is around
it. SCIP knows no doubt either, so edges of less than SCOPED evidence are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from plait.model import Edge, EdgeKind, Evidence, Symbol, SymbolId, SymbolKind
from plait.scip import schema
from plait.scip.names import escaped
from plait.version import __version__

_SCHEME = "plait . . . "
"""scheme, and no package: ids are within one folder"""
_KINDS = {SymbolKind.CLASS: 7, SymbolKind.FUNCTION: 17, SymbolKind.METHOD: 26, SymbolKind.MODULE: 29}
_IMPORT = 2
"""bit of `symbol_roles`"""
_PART = re.compile(r"(?P<name>[^\s/#.:!()\[\]]+)(?:\((?P<again>\+\d+)?\))?(?P<suffix>[#.])")
_IMPLEMENTS = (EdgeKind.INHERITS, EdgeKind.OVERRIDES)
_SITES = (EdgeKind.CALLS, EdgeKind.INHERITS, EdgeKind.IMPORTS, EdgeKind.REFERENCES)
_DEFINES = r"\b(?:def|class|fn|func|function|struct|interface|trait|enum)\s+"


def index_of(symbols: Iterable[Symbol], edges: Iterable[Edge], texts: Mapping[SymbolId, str]) -> bytes:
    """Return the index; `texts` are the own lines of each symbol. Raises MissingExtra."""
    known = {symbol.id: symbol for symbol in symbols if symbol.kind in _KINDS}
    lines: dict[str, dict[int, str]] = {}
    for symbol in known.values():
        _lay(symbol, texts.get(symbol.id, ""), lines.setdefault(symbol.path, {}))
    index = schema.index_message()()
    index.metadata.tool_info.name = "plait"
    index.metadata.tool_info.version = __version__
    index.metadata.text_document_encoding = 1
    documents: dict[str, Any] = {}
    related: dict[SymbolId, list[SymbolId]] = {}
    trusted = [edge for edge in edges if edge.evidence >= Evidence.FLOWED]
    for edge in trusted:
        if edge.kind in _IMPLEMENTS:
            related.setdefault(edge.source, []).append(edge.target)
    for symbol in sorted(known.values(), key=lambda one: (one.path, one.span, one.id)):
        if symbol.path not in documents:
            documents[symbol.path] = index.documents.add(
                relative_path=symbol.path, language=symbol.language, position_encoding=schema.UTF32
            )
        _define(documents[symbol.path], symbol, lines[symbol.path], [known[one] for one in related.get(symbol.id, ())])
    for edge in trusted:
        if edge.kind in _SITES:
            _refer(documents[edge.path], edge, known, lines[edge.path].get(edge.line, ""))
    return bytes(index.SerializeToString(deterministic=True))


def scip_symbol(symbol: Symbol) -> str:
    """Return the name of a symbol by SCIP's grammar: its path as namespace, then the descriptors of its id."""
    descriptors = symbol.id.partition(":")[2]
    made = f"{_SCHEME}{escaped(symbol.path)}/"
    for part in _PART.finditer(descriptors):
        again = part["again"] or ""
        if part["suffix"] == "#":
            made += escaped(f"{part['name']}({again})" if again else part["name"]) + "#"
        else:
            made += f"{escaped(part['name'])}({again})."
    return made


def _lay(symbol: Symbol, text: str, into: dict[int, str]) -> None:
    """Put a symbol's own lines at their numbers; what is nested in a function is written twice, the same."""
    own = iter(text.split("\n"))
    for span in symbol.own:
        for number in range(span.start_line, span.end_line + 1):
            into[number] = next(own, "").rstrip("\r")


def _define(document: Any, symbol: Symbol, lines: Mapping[int, str], implemented: Iterable[Symbol]) -> None:
    name = scip_symbol(symbol)
    span = symbol.span
    place = [0, 0, 0]
    if symbol.kind is not SymbolKind.MODULE:
        for number in range(span.start_line, span.end_line + 1):
            found = re.search(rf"{_DEFINES}({re.escape(symbol.name)})(?!\w)", lines.get(number, ""))
            if found:
                place = [number - 1, *found.span(1)]
                break
        else:
            place = [span.start_line - 1, 0, 0]
    end = [span.end_line - 1, len(lines.get(span.end_line, ""))]
    document.occurrences.add(
        range=place,
        symbol=name,
        symbol_roles=schema.DEFINITION,
        enclosing_range=[span.start_line - 1, 0, *end],
    )
    information = document.symbols.add(symbol=name, kind=_KINDS[symbol.kind], display_name=symbol.name)
    for one in implemented:
        information.relationships.add(symbol=scip_symbol(one), is_implementation=True)


def _refer(document: Any, edge: Edge, known: Mapping[SymbolId, Symbol], line: str) -> None:
    """Add a reference at the target's name in the line of the site; without the name there, at its beginning.

    A constructor is not named where it is called: its class is.
    """
    target = known[edge.target]
    if target.name == "__init__" and target.parent is not None:
        target = known[target.parent]
    found = re.search(rf"(?<!\w){re.escape(target.name)}(?!\w)", line)
    start, end = found.span() if found else (0, 0)
    document.occurrences.add(
        range=[edge.line - 1, start, end],
        symbol=scip_symbol(target),
        symbol_roles=_IMPORT if edge.kind is EdgeKind.IMPORTS else 0,
    )
