"""The call graph of the article plait starts from: bare names within one file. Kept as the baseline."""

from __future__ import annotations

from collections.abc import Sequence

from plait.facts import ParsedFile
from plait.graph.confidence import SAME_FILE_NAME
from plait.model import Edge, EdgeKind, Evidence, Graph, Receiver, ReferenceKind, SymbolId, SymbolKind, Via

_CALLERS = (SymbolKind.FUNCTION, SymbolKind.METHOD)


class NameGraph:
    """A function calls another if it calls the bare name of a free function of its own file, whatever the scope.

    Self-calls and calls outside of functions are left out; the last of several functions of one name is meant. Nothing
    is called unresolved: the article has no such notion.
    """

    def build(self, files: Sequence[ParsedFile]) -> Graph:
        edges = [edge for file in files for edge in _edges(file)]
        return Graph(tuple(sorted(edges, key=lambda edge: (edge.source, edge.target))), ())


def _edges(file: ParsedFile) -> list[Edge]:
    module = file.symbols[0].id
    callers = {symbol.id for symbol in file.symbols if symbol.kind in _CALLERS}
    named = {
        symbol.name: symbol.id
        for symbol in file.symbols
        if symbol.kind is SymbolKind.FUNCTION and symbol.parent == module
    }
    found: dict[tuple[SymbolId, SymbolId], Edge] = {}
    for reference in file.references:
        target = named.get(reference.name)
        bare = reference.kind is ReferenceKind.CALL and reference.receiver is Receiver.NONE
        if not bare or target is None or target == reference.source or reference.source not in callers:
            continue
        edge = Edge(
            source=reference.source,
            target=target,
            kind=EdgeKind.CALLS,
            via=Via.CALL,
            evidence=Evidence.NAME,
            confidence=SAME_FILE_NAME,
            path=file.path,
            line=reference.line,
        )
        found.setdefault((edge.source, edge.target), edge)
    return list(found.values())
