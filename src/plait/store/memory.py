"""The reference store: plain dictionaries in one process. Other stores must answer exactly as this one does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, TypeAlias

from plait.document import PLAIN
from plait.links import graph_of
from plait.model import (
    Direction,
    Edge,
    EdgeKind,
    FileRecord,
    FileState,
    Filter,
    Graph,
    Pool,
    Query,
    Ranking,
    Recovered,
    Skipped,
    SnapshotInfo,
    Span,
    Symbol,
    SymbolId,
    Unresolved,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from plait.batch import Batch
    from plait.links import Links
    from plait.model import Codes, Vector
    from plait.store.bm25 import TermScores
    from plait.store.dense import Matrix
    from plait.store.pool import Best, Described

_Row: TypeAlias = "tuple[Span, str, Codes]"
"""A passage: its lines, its text's digest, its vector's codes."""


@dataclass(slots=True)
class MemoryWriter:
    _symbols: dict[SymbolId, Symbol] = field(default_factory=dict)
    _texts: dict[SymbolId, str] = field(default_factory=dict)
    _terms: dict[SymbolId, Counter[str]] = field(default_factory=dict)
    _rows: dict[str, dict[SymbolId, list[_Row]]] = field(default_factory=dict)
    _derived: dict[str, list[Codes]] = field(default_factory=dict)
    _edges: list[Edge] = field(default_factory=list)
    _unresolved: list[Unresolved] = field(default_factory=list)
    _files: Sequence[FileRecord] = ()
    _skipped: Sequence[Skipped] = ()
    _recovered: Sequence[Recovered] = ()

    def put(self, symbols: Sequence[Symbol], batch: Batch) -> None:
        ids = [symbol.id for symbol in symbols]
        self._symbols.update(zip(ids, symbols, strict=True))
        self._texts.update(zip(ids, batch.texts, strict=True))
        self._terms.update(zip(ids, map(Counter, batch.terms.of_each()), strict=True))
        for template, rows in batch.rows.items():
            coming = ((rows.span(row), rows.digest(row), codes) for row, codes in enumerate(rows.codes))
            own = [list(islice(coming, count)) for count in rows.counts.tolist()]
            self._rows.setdefault(template, {}).update(zip(ids, own, strict=True))

    def derive(self, template: str, codes: Codes) -> None:
        self._derived.setdefault(template, []).append(codes)

    def connect(self, links: Links) -> None:
        graph = graph_of(links)
        self._edges += graph.edges
        self._unresolved += graph.unresolved

    def observe(self, files: Sequence[FileRecord], skipped: Sequence[Skipped], recovered: Sequence[Recovered]) -> None:
        self._files, self._skipped, self._recovered = files, skipped, recovered

    def commit(self, info: SnapshotInfo) -> MemorySnapshot:
        import numpy as np

        edges = sorted(self._edges, key=lambda edge: (edge.source, edge.target, edge.kind, edge.via))
        graph = Graph(tuple(edges), tuple(self._unresolved))
        derived = {template: np.concatenate(parts) for template, parts in self._derived.items()}
        return MemorySnapshot(
            *(info, self._symbols, self._texts, self._terms, self._rows, derived, graph),
            *(self._files, self._skipped, self._recovered),
        )


class MemorySnapshot:
    def __init__(
        self,
        info: SnapshotInfo,
        symbols: Mapping[SymbolId, Symbol],
        texts: Mapping[SymbolId, str],
        terms: Mapping[SymbolId, Counter[str]],
        rows: Mapping[str, Mapping[SymbolId, Sequence[_Row]]],
        derived: Mapping[str, Codes],
        graph: Graph,
        files: Sequence[FileRecord],
        skipped: Sequence[Skipped],
        recovered: Sequence[Recovered],
    ) -> None:
        self.info = info
        self._ids = sorted(symbols)
        self._symbols = symbols
        self._texts = texts
        self._graph = graph
        self._files = sorted(files)
        self._skipped = sorted(skipped)
        self._recovered = sorted(recovered)
        self._tables = {template: _table([found[symbol] for symbol in self._ids]) for template, found in rows.items()}
        for template, codes in derived.items():
            self._tables[template] = _derived(self._tables[PLAIN], codes)
        self._counts = [terms[symbol] for symbol in self._ids]

    def symbols(self, ids: Sequence[SymbolId] | None = None) -> list[Symbol]:
        return [self._symbols[symbol] for symbol in (self._ids if ids is None else ids) if symbol in self._symbols]

    def texts(self, ids: Sequence[SymbolId]) -> dict[SymbolId, str]:
        return {symbol: self._texts[symbol] for symbol in ids if symbol in self._texts}

    def named(self, name: str) -> list[Symbol]:
        return [self._symbols[symbol] for symbol in self._ids if self._symbols[symbol].name == name]

    def containing(self, text: str) -> frozenset[SymbolId]:
        wanted = text.encode().lower()
        return frozenset(symbol for symbol in self._ids if wanted in self._texts[symbol].encode().lower())

    def nearest(self, vector: Vector, k: int, where: Filter = Filter(), template: str = "plain") -> Ranking:
        from plait.store.candidates import dense_ranking
        from plait.store.dense import best_passages

        table = self._tables[template]
        numbers, cosines, rows = best_passages(table.matrix, vector)
        return dense_ranking(
            numbers.astype(int),
            cosines,
            k,
            template,
            allowed=self._allowed(where),
            ids=lambda chosen: [self._ids[number] for number in chosen],
            spans=lambda places: [table.spans[rows[place]] for place in places],
        )

    def matching(self, terms: Sequence[str], k: int, where: Filter = Filter()) -> Ranking:
        from plait.store.bm25 import scores
        from plait.store.candidates import lexical_ranking

        numbers, found = scores(terms, self._postings, self.lengths)
        return lexical_ranking(
            *(numbers, found, k),
            allowed=self._allowed(where),
            ids=lambda chosen: [self._ids[number] for number in chosen],
        )

    def pool(self, query: Query, depth: int, seeds: int, also: Collection[SymbolId] = ()) -> Pool:
        from plait.store.pool import pool

        return pool(self, query, depth, seeds, also)

    def alive(self, query: Query) -> NDArray[np.bool_] | None:
        return self._allowed(query.where)

    @property
    def lengths(self) -> NDArray[np.uint32]:
        import numpy as np

        return np.array([count.total() for count in self._counts], dtype=np.uint32)

    def words(self, query: Query) -> Sequence[TermScores]:
        from plait.store.bm25 import term_scores

        return term_scores(query.terms, self._postings, self.lengths)

    def best(self, query: Query, template: str) -> Best:
        from plait.store.dense import best_passages
        from plait.store.pool import Best

        numbers, cosines, rows = best_passages(self._tables[template].matrix, query.vector)
        return Best(numbers.astype(int), cosines, rows)

    def numbers(self, ids: Collection[SymbolId]) -> Mapping[SymbolId, int]:
        wanted = frozenset(ids)
        return {symbol: number for number, symbol in enumerate(self._ids) if symbol in wanted}

    def described(self, numbers: Sequence[int]) -> Sequence[Described]:
        found = (self._symbols[self._ids[number]] for number in numbers)
        return [(one.id, one.name, one.kind, one.path, one.is_test) for one in found]

    def span(self, number: int, row: int) -> Span:
        return self._tables[PLAIN].spans[row]

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
        return [record.state for record in self._files]

    def records(self) -> list[FileRecord]:
        return list(self._files)

    def defined(self, paths: Collection[str]) -> list[SymbolId]:
        return [symbol for symbol in self._ids if self._symbols[symbol].path in paths]

    def mentioning(self, terms: Collection[str]) -> list[str]:
        found = {self._ids[number] for number, count in enumerate(self._counts) if any(term in count for term in terms)}
        return sorted({self._symbols[symbol].path for symbol in found})

    def rows(self, ids: Collection[SymbolId], template: str = PLAIN) -> dict[SymbolId, Codes]:
        matrix = self._tables[template].matrix
        place = {symbol: number for number, symbol in enumerate(self._ids)}
        return {symbol: matrix.codes[matrix.owners == place[symbol]] for symbol in sorted(ids) if symbol in place}

    def skipped(self) -> list[Skipped]:
        return list(self._skipped)

    def recovered(self) -> list[Recovered]:
        return list(self._recovered)

    def vectors(self, digests: Collection[str]) -> dict[str, Vector]:
        from plait.vectors import unit

        found: dict[str, Vector] = {}
        for table in self._tables.values():
            for row, key in enumerate(table.digests):
                if key in digests:
                    found[key] = unit(table.matrix.codes[row : row + 1])[0]
        return found

    def postings(self) -> Iterator[tuple[str, list[tuple[SymbolId, int]]]]:
        for term in sorted({term for count in self._counts for term in count}):
            yield term, [(self._ids[number], occurrences) for number, occurrences in self._postings(term).tolist()]

    def passages(self, template: str) -> Iterator[tuple[SymbolId, Span, bytes]]:
        table = self._tables[template]
        for owner, span, codes in zip(table.matrix.owners, table.spans, table.matrix.codes, strict=True):
            yield self._ids[owner], span, codes.tobytes()

    def _allowed(self, where: Filter) -> NDArray[np.bool_] | None:
        import numpy as np

        if where.is_empty:
            return None
        return np.array([where.accepts(self._symbols[symbol]) for symbol in self._ids], dtype=np.bool_)

    def _postings(self, term: str) -> NDArray[np.uint32]:
        import numpy as np

        found = [(number, count[term]) for number, count in enumerate(self._counts) if term in count]
        return np.array(found, dtype=np.uint32).reshape(-1, 2)


@dataclass(frozen=True, slots=True)
class _Table:
    """Rows of one template, in the order of the symbol numbers."""

    spans: list[Span]
    digests: list[str]
    """of the text of each row; none where the vectors are not those of texts"""
    matrix: Matrix


def _table(own: Sequence[Sequence[_Row]]) -> _Table:
    """Return the table of each symbol's rows, by number."""
    import numpy as np

    rows = [row for of_symbol in own for row in of_symbol]
    owners = np.repeat(np.arange(len(own), dtype=np.uint32), [len(of_symbol) for of_symbol in own])
    codes = np.stack([codes for _, _, codes in rows]) if rows else np.zeros((0, 1), dtype=np.int8)
    return _Table([span for span, _, _ in rows], [key for _, key, _ in rows], _matrix(codes, owners))


def _derived(plain: _Table, codes: Codes) -> _Table:
    return _Table(plain.spans, [], _matrix(codes, plain.matrix.owners))


def _matrix(codes: Codes, owners: NDArray[np.uint32]) -> Matrix:
    from plait.store.dense import Matrix
    from plait.vectors import squares

    return Matrix(codes, squares(codes), owners)
