"""Edges as they are found, site by site, gathered into those of a graph."""

from __future__ import annotations

from plait.model import Edge, EdgeKind, SymbolId, Via


class Edges:
    """Each (source, target, kind, via) once: the line of its first site, the evidence of its best one."""

    def __init__(self) -> None:
        self._found: dict[tuple[SymbolId, SymbolId, EdgeKind, Via], Edge] = {}

    def add(self, edge: Edge) -> None:
        key = (edge.source, edge.target, edge.kind, edge.via)
        known = self._found.get(key)
        if known is None:
            self._found[key] = edge
            return
        best = max(known, edge, key=lambda one: (one.evidence, -one.candidates, -one.line))
        line = min(known.line, edge.line)
        self._found[key] = Edge(*key, best.evidence, best.confidence, best.path, line, best.candidates)

    def sorted(self) -> tuple[Edge, ...]:
        return tuple(self._found[key] for key in sorted(self._found))
