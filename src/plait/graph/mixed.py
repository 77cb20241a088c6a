"""The graph of a repository in several languages: Python by its own builder, the others by the generic one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from plait.facts import ParsedFile
from plait.graph import scoped
from plait.graph.generic.build import GenericGraph
from plait.model import Graph, Known, Position
from plait.protocols import JoiningGraphBuilder

_PYTHON = "python"


class ScopedGraph:
    """What scopes, imports, the class hierarchy and declared types tell, each site by itself."""

    def build(self, files: Sequence[ParsedFile]) -> Graph:
        return self.build_with(files, {})

    def build_with(self, files: Sequence[ParsedFile], known: Mapping[Position, Known]) -> Graph:
        return _both(scoped.ScopedGraph(), files, known)


class FlowGraph:
    """The same, and for Python the values that flow into a site from anywhere in the repository."""

    def build(self, files: Sequence[ParsedFile]) -> Graph:
        return self.build_with(files, {})

    def build_with(self, files: Sequence[ParsedFile], known: Mapping[Position, Known]) -> Graph:
        return _both(scoped.FlowGraph(), files, known)


def _both(builder: JoiningGraphBuilder, files: Sequence[ParsedFile], known: Mapping[Position, Known]) -> Graph:
    """No edge joins Python with another language, so the two graphs lie beside each other."""
    python = [file for file in files if file.symbols[0].language == _PYTHON]
    others = [file for file in files if file.symbols[0].language != _PYTHON]
    first = builder.build_with(python, known)
    if not others:
        return first
    second = GenericGraph().build_with(others, known)
    edges = sorted((*first.edges, *second.edges), key=lambda edge: (edge.source, edge.target, edge.kind, edge.via))
    unresolved = sorted((*first.unresolved, *second.unresolved), key=lambda one: one.path)
    return Graph(tuple(edges), tuple(unresolved))
