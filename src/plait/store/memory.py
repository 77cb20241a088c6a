"""The reference store: plain dictionaries in one process. Other stores must answer exactly as this one does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from plait.document import digest
from plait.model import (
    Candidate,
    Direction,
    Document,
    Edge,
    EdgeKind,
    FileState,
    Filter,
    Graph,
    Passage,
    Ranking,
    Reason,
    Recovered,
    Skipped,
    SnapshotInfo,
    Source,
    Symbol,
    SymbolId,
    Unresolved,
)
from plait.ranking import rank
from plait.store import bm25

if TYPE_CHECKING:
    from plait.model import Vector, Vectors


@dataclass(slots=True)
class MemoryWriter:
    _symbols: dict[SymbolId, Symbol] = field(default_factory=dict)
    _documents: dict[SymbolId, Document] = field(default_factory=dict)
    _rows: dict[str, dict[SymbolId, Vectors]] = field(default_factory=dict)
    _graph: Graph = field(default_factory=lambda: Graph((), ()))
    _files: Sequence[FileState] = ()
    _skipped: Sequence[Skipped] = ()
    _recovered: Sequence[Recovered] = ()

    def put(self, symbols: Sequence[Symbol], documents: Sequence[Document], vectors: Mapping[str, Vectors]) -> None:
        start = dict.fromkeys(vectors, 0)
        for symbol, document in zip(symbols, documents, strict=True):
            self._symbols[symbol.id] = symbol
            self._documents[symbol.id] = document
            for template, rows in vectors.items():
                end = start[template] + len(document.passages[template])
                self._rows.setdefault(template, {})[symbol.id] = rows[start[template] : end]
                start[template] = end

    def connect(self, graph: Graph) -> None:
        self._graph = graph

    def observe(self, files: Sequence[FileState], skipped: Sequence[Skipped], recovered: Sequence[Recovered]) -> None:
        self._files, self._skipped, self._recovered = files, skipped, recovered

    def commit(self, info: SnapshotInfo) -> MemorySnapshot:
        return MemorySnapshot(
            *(info, self._symbols, self._documents, self._rows, self._graph),
            *(self._files, self._skipped, self._recovered),
        )


class MemorySnapshot:
    def __init__(
        self,
        info: SnapshotInfo,
        symbols: Mapping[SymbolId, Symbol],
        documents: Mapping[SymbolId, Document],
        rows: Mapping[str, Mapping[SymbolId, Vectors]],
        graph: Graph,
        files: Sequence[FileState],
        skipped: Sequence[Skipped],
        recovered: Sequence[Recovered],
    ) -> None:
        self.info = info
        self._ids = sorted(symbols)
        self._symbols = symbols
        self._documents = documents
        self._graph = graph
        self._files = sorted(files)
        self._skipped = sorted(skipped)
        self._recovered = sorted(recovered)
        self._tables = {template: _Table(self._ids, documents, template, found) for template, found in rows.items()}
        counts = [Counter(documents[symbol].terms) for symbol in self._ids]
        self._lengths = [count.total() for count in counts]
        self._postings: dict[str, list[bm25.Posting]] = {}
        for number, count in enumerate(counts):
            for term, occurrences in count.items():
                self._postings.setdefault(term, []).append((number, occurrences))

    def symbols(self, ids: Sequence[SymbolId] | None = None) -> list[Symbol]:
        return [self._symbols[symbol] for symbol in (self._ids if ids is None else ids) if symbol in self._symbols]

    def texts(self, ids: Sequence[SymbolId]) -> dict[SymbolId, str]:
        return {symbol: self._documents[symbol].text for symbol in ids if symbol in self._documents}

    def named(self, name: str) -> list[Symbol]:
        return [self._symbols[symbol] for symbol in self._ids if self._symbols[symbol].name == name]

    def nearest(self, vector: Vector, k: int, where: Filter = Filter(), template: str = "plain") -> Ranking:
        from plait.store import dense

        table = self._tables[template]
        found = dense.nearest(table.matrix, table.owners, vector, k, self._allowed(where))
        return rank(
            Candidate(self._ids[number], (Reason(Source.DENSE, cosine, template, span=table.passages[row].span),))
            for number, cosine, row in found
        )

    def matching(self, terms: Sequence[str], k: int, where: Filter = Filter()) -> Ranking:
        return bm25.matching(
            self._ids, terms, lambda term: self._postings.get(term, ()), self._lengths, k, self._allowed(where)
        )

    def edges(self, ids: Collection[SymbolId], kinds: Collection[EdgeKind], direction: Direction) -> list[Edge]:
        wanted = frozenset(ids)
        return [
            edge
            for edge in self._graph.edges
            if edge.kind in kinds and (edge.source if direction is Direction.OUT else edge.target) in wanted
        ]

    def degree(
        self, ids: Collection[SymbolId], kinds: Collection[EdgeKind], direction: Direction
    ) -> dict[SymbolId, int]:
        found = dict.fromkeys(sorted(ids), 0)
        for edge in self.edges(ids, kinds, direction):
            found[edge.source if direction is Direction.OUT else edge.target] += 1
        return found

    def unresolved(self, name: str | None = None, source: SymbolId | None = None) -> list[Unresolved]:
        found = (
            site
            for site in self._graph.unresolved
            if (name is None or site.reference.name == name) and (source is None or site.reference.source == source)
        )
        return sorted(found, key=lambda site: (site.path, site.reference.line, site.reference.column))

    def files(self) -> list[FileState]:
        return list(self._files)

    def skipped(self) -> list[Skipped]:
        return list(self._skipped)

    def recovered(self) -> list[Recovered]:
        return list(self._recovered)

    def vectors(self, digests: Collection[str]) -> dict[str, Vector]:
        found: dict[str, Vector] = {}
        for table in self._tables.values():
            for row, passage in enumerate(table.passages):
                if passage.text and (key := digest(passage.text)) in digests:
                    found[key] = table.matrix[row]
        return found

    def _allowed(self, where: Filter) -> frozenset[int] | None:
        if where.is_empty:
            return None
        return frozenset(n for n, symbol in enumerate(self._ids) if where.accepts(self._symbols[symbol]))


class _Table:
    """One template's passages and vectors, row by row, in the order of the symbol numbers."""

    def __init__(
        self,
        ids: Sequence[SymbolId],
        documents: Mapping[SymbolId, Document],
        template: str,
        rows: Mapping[SymbolId, Vectors],
    ) -> None:
        import numpy as np

        self.passages: list[Passage] = []
        self.owners: list[int] = []
        for number, symbol in enumerate(ids):
            passages = documents[symbol].passages[template]
            self.passages.extend(passages)
            self.owners.extend([number] * len(passages))
        found = [rows[symbol] for symbol in ids if len(rows[symbol])]
        self.matrix: Vectors = np.concatenate(found) if found else np.zeros((0, 1), dtype=np.float32)
