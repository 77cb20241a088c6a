"""A graph as columns: what goes from process to process, and into a store.

A repository has hundreds of thousands of edges and sites: as objects they take ten times as long to pack and to open.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from plait.model import (
    Edge,
    EdgeKind,
    Evidence,
    Graph,
    Receiver,
    Reference,
    ReferenceKind,
    SymbolId,
    Unknown,
    Unresolved,
    Via,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_EDGE = "IIIIbdIii"
_SITE = "IIIIIiiiIII"
"""Types of the columns, as of `array`; `I` is a place in `Links.texts`."""


@dataclass(frozen=True, slots=True)
class Links:
    """Edges and sites of a Graph, in its order."""

    texts: Sequence[str]
    """ids, names, paths and whatever else is text, each once; of an enumeration the value"""
    edges: tuple[bytes, ...]
    """source, target, kind, via, evidence, confidence, path, line, candidates"""
    sites: tuple[bytes, ...]
    """source, kind, name, expression, receiver, arity, line, column, path, reason, detail"""

    def edge_columns(self) -> list[NDArray[Any]]:
        """Return the columns of `edges` as arrays; a text is its place in `texts`."""
        return _arrays(self.edges, _EDGE)

    def site_columns(self) -> list[NDArray[Any]]:
        return _arrays(self.sites, _SITE)

    def calls(self) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
        """Return source and target, places in `texts`, of the CALLS edges that do not end where they begin."""
        source, target, kind, *_ = self.edge_columns()
        if EdgeKind.CALLS.value not in self.texts:
            return source[:0], target[:0]
        wanted = (kind == self.texts.index(EdgeKind.CALLS.value)) & (source != target)
        return source[wanted], target[wanted]


def links_of(graph: Graph) -> Links:
    places: defaultdict[str, int] = defaultdict(lambda: len(places))
    edges, sites = graph.edges, graph.unresolved
    references = [site.reference for site in sites]
    # By `_value_`: an enumeration's own hash and `value` are functions in Python.
    edge_columns: list[list[Any]] = [
        [places[edge.source] for edge in edges],
        [places[edge.target] for edge in edges],
        [places[edge.kind._value_] for edge in edges],
        [places[edge.via._value_] for edge in edges],
        [edge.evidence for edge in edges],
        [edge.confidence for edge in edges],
        [places[edge.path] for edge in edges],
        [edge.line for edge in edges],
        [edge.candidates for edge in edges],
    ]
    site_columns: list[list[Any]] = [
        [places[one.source] for one in references],
        [places[one.kind._value_] for one in references],
        [places[one.name] for one in references],
        [places[one.expression] for one in references],
        [places[one.receiver._value_] for one in references],
        [one.arity for one in references],
        [one.line for one in references],
        [one.column for one in references],
        [places[site.path] for site in sites],
        [places[site.reason._value_] for site in sites],
        [places[site.detail] for site in sites],
    ]
    return Links(list(places), _bytes(edge_columns, _EDGE), _bytes(site_columns, _SITE))


def graph_of(links: Links) -> Graph:
    texts = links.texts
    edges = zip(*(column.tolist() for column in links.edge_columns()), strict=True)
    sites = zip(*(column.tolist() for column in links.site_columns()), strict=True)
    return Graph(
        tuple(
            Edge(
                *(SymbolId(texts[source]), SymbolId(texts[target]), EdgeKind(texts[kind]), Via(texts[via])),
                *(Evidence(evidence), confidence, texts[path], line, candidates),
            )
            for source, target, kind, via, evidence, confidence, path, line, candidates in edges
        ),
        tuple(
            Unresolved(
                Reference(
                    *(SymbolId(texts[source]), ReferenceKind(texts[kind]), texts[name], texts[expression]),
                    *(Receiver(texts[receiver]), arity, line, column),
                ),
                *(texts[path], Unknown(texts[reason]), texts[detail]),
            )
            for source, kind, name, expression, receiver, arity, line, column, path, reason, detail in sites
        ),
    )


def _bytes(columns: Sequence[Sequence[Any]], types: str) -> tuple[bytes, ...]:
    return tuple(array(type_, column).tobytes() for type_, column in zip(types, columns, strict=True))


def _arrays(columns: Sequence[bytes], types: str) -> list[NDArray[Any]]:
    import numpy as np

    return [np.frombuffer(column, dtype=type_) for type_, column in zip(types, columns, strict=True)]
