"""The call edges that plait finds below a folder, with names that every benchmark understands."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from plait import plugins, source
from plait.facts import ParsedFile
from plait.model import Edge, EdgeKind, SourceFile, Symbol

CORE = ("call", "construct", "property")


@dataclass(frozen=True)
class Found:
    caller: Symbol
    callee: Symbol
    edge: Edge


def read(root: Path) -> list[SourceFile]:
    files = (source.read(root, state, limit=10_000_000) for state in source.discover(root).files)
    return [file for file in files if isinstance(file, SourceFile)]


def parse(sources: list[SourceFile]) -> list[ParsedFile]:
    parser = plugins.build("parser", "python")
    return [facts for file in sources if isinstance(facts := parser.parse(file), ParsedFile)]


def calls(files: list[ParsedFile], graph: str, known: object = None) -> Iterator[Found]:
    """`known`: what an index from elsewhere says, as `plait.scip.join` gives it."""
    symbols = {symbol.id: symbol for file in files for symbol in file.symbols}
    builder = plugins.build("graph", graph)
    for edge in (builder.build_with(files, known) if known else builder.build(files)).edges:
        if edge.kind is EdgeKind.CALLS:
            yield Found(symbols[edge.source], symbols[edge.target], edge)


def cuts(edges: list[Found]) -> dict[str, list[Found]]:
    """What a user gets who filters: core kinds, least evidence, least confidence."""
    from plait.model import Evidence

    chosen = {"all": edges, "core kinds": [e for e in edges if str(e.edge.via) in CORE]}
    for least in (Evidence.SCOPED, Evidence.TYPED):
        chosen[f"evidence {least.name.lower()}"] = [e for e in edges if e.edge.evidence >= least]
    for bar in (0.3, 0.5, 0.7, 0.9):
        chosen[f"confidence {bar}"] = [e for e in edges if e.edge.confidence >= bar]
    return chosen
