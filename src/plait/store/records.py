"""Rows of the embedded store's tables, and the nouns that they stand for.

Kinds are written as their places in the enumerations; a plait whose enumerations differ does not open the file, because
its name tells the state of plait's own code.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from plait.model import (
    Edge,
    EdgeKind,
    Evidence,
    FileState,
    Receiver,
    Reference,
    ReferenceKind,
    ScipInput,
    SnapshotInfo,
    Span,
    Symbol,
    SymbolId,
    SymbolKind,
    Unknown,
    Unresolved,
    Via,
)

Row = tuple[Any, ...]

EDGE_KINDS = tuple(EdgeKind)
_VIAS = tuple(Via)
_REFERENCES = tuple(ReferenceKind)
_RECEIVERS = tuple(Receiver)
_REASONS = tuple(Unknown)

SYMBOL = "id, name, kind, path, language, module, qualified_name, spans, signature, docstring, parent, is_test, cells"
EDGE = "source, target, kind, via, evidence, confidence, path, line, candidates"
SITE = 'source, kind, name, expression, receiver, arity, line, "column", path, reason, detail'


place_of_kind = [str(one) for one in EDGE_KINDS].index
place_of_via = [str(one) for one in _VIAS].index
place_of_reference = [str(one) for one in _REFERENCES].index
place_of_receiver = [str(one) for one in _RECEIVERS].index
place_of_reason = [str(one) for one in _REASONS].index


def kinds_of(kinds: Sequence[EdgeKind]) -> list[int]:
    return sorted(EDGE_KINDS.index(kind) for kind in kinds)


def symbol_row(symbol: Symbol, text: str) -> Row:
    """Return the columns of SYMBOL and the text."""
    spans = json.dumps([[s.start_line, s.end_line, s.start_byte, s.end_byte] for s in (symbol.span, *symbol.own)])
    return (
        *(symbol.id, symbol.name, symbol.kind, symbol.path, symbol.language, symbol.module),
        *(symbol.qualified_name, spans, symbol.signature, symbol.docstring, symbol.parent, symbol.is_test),
        json.dumps(symbol.cells) if symbol.cells else None,
        text,
    )


def symbol(row: Row) -> Symbol:
    identity, name, kind, path, language, module, qualified_name, spans, *rest = row
    signature, docstring, parent, is_test, cells = rest
    span, *own = (Span(*numbers) for numbers in json.loads(spans))
    return Symbol(
        id=SymbolId(identity),
        name=name,
        kind=SymbolKind(kind),
        path=path,
        language=language,
        module=module,
        qualified_name=qualified_name,
        span=span,
        own=tuple(own),
        signature=signature,
        docstring=docstring,
        parent=None if parent is None else SymbolId(parent),
        is_test=bool(is_test),
        cells=tuple(json.loads(cells)) if cells else (),
    )


def edge(row: Row, ids: Mapping[int, SymbolId], paths: Mapping[int, str]) -> Edge:
    source, target, kind, via, evidence, confidence, path, line, candidates = row
    return Edge(
        *(ids[source], ids[target], EDGE_KINDS[kind], _VIAS[via], Evidence(evidence)),
        *(confidence, paths[path], line, candidates),
    )


def site(row: Row, ids: Mapping[int, SymbolId], paths: Mapping[int, str]) -> Unresolved:
    source, kind, name, expression, receiver, arity, line, column, path, reason, detail = row
    reference = Reference(ids[source], _REFERENCES[kind], name, expression, _RECEIVERS[receiver], arity, line, column)
    return Unresolved(reference, paths[path], _REASONS[reason], detail)


def info(value: dict[str, Any]) -> SnapshotInfo:
    scip = tuple(ScipInput(FileState(**one.pop("state")), **one) for one in value.pop("scip"))
    return SnapshotInfo(**value, scip=scip)
