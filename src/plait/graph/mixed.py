"""The graph of a repository in several languages: Python by its own builder, the others by the generic one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from plait.facts import Outline, ParsedFile
from plait.graph import scoped
from plait.graph.generic.build import GenericGraph
from plait.model import Graph, Known, Position
from plait.protocols import Opened, RelinkingGraphBuilder
from plait.source.languages import language

_PYTHON = "python"


class ScopedGraph:
    """What scopes, imports, the class hierarchy and declared types tell, each site by itself."""

    in_part: frozenset[str] = frozenset()
    apart = frozenset(("python",))

    def build(self, files: Sequence[ParsedFile]) -> Graph:
        return self.build_with(files, {})

    def build_with(self, files: Sequence[ParsedFile], known: Mapping[Position, Known]) -> Graph:
        return _both(scoped.ScopedGraph().build_with, files, known)

    def relink(self, files: Sequence[ParsedFile], around: Sequence[Outline], opened: Opened) -> Graph:
        """Return what building all would give for these files alone."""
        return _relinked(scoped.ScopedGraph(), files, around, opened)


class FlowGraph:
    """The same, and for some languages the values that flow into a site from anywhere in the repository."""

    in_part = frozenset(("python", "javascript", "typescript"))
    apart = frozenset(("python",))

    def build(self, files: Sequence[ParsedFile]) -> Graph:
        return self.build_with(files, {})

    def build_with(self, files: Sequence[ParsedFile], known: Mapping[Position, Known]) -> Graph:
        return _both(scoped.FlowGraph().build_with, files, known, flow=True)

    def relink(self, files: Sequence[ParsedFile], around: Sequence[Outline], opened: Opened) -> Graph:
        """Return what scopes, imports and types give: values flow through all files, or are not followed at all."""
        return _relinked(scoped.FlowGraph(), files, around, opened)


def _relinked(
    builder: RelinkingGraphBuilder,
    files: Sequence[ParsedFile],
    around: Sequence[Outline],
    opened: Opened,
) -> Graph:
    python, others = _parted(files)
    first = builder.relink(python, [one for one in around if language(one.path) == _PYTHON], opened)
    return _together(first, GenericGraph().relink(others, around, opened)) if others else first


def _both(
    build: Callable[[Sequence[ParsedFile], Mapping[Position, Known]], Graph],
    files: Sequence[ParsedFile],
    known: Mapping[Position, Known],
    *,
    flow: bool = False,
) -> Graph:
    python, others = _parted(files)
    first = build(python, known)
    return _together(first, GenericGraph(flow).build_with(others, known)) if others else first


def _parted(files: Sequence[ParsedFile]) -> tuple[list[ParsedFile], list[ParsedFile]]:
    return (
        [file for file in files if file.symbols[0].language == _PYTHON],
        [file for file in files if file.symbols[0].language != _PYTHON],
    )


def _together(first: Graph, second: Graph) -> Graph:
    """No edge joins Python with another language, so the two graphs lie beside each other."""
    edges = sorted((*first.edges, *second.edges), key=lambda edge: (edge.source, edge.target, edge.kind, edge.via))
    unresolved = sorted((*first.unresolved, *second.unresolved), key=lambda one: one.path)
    return Graph(tuple(edges), tuple(unresolved))
