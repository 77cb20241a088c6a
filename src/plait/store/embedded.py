"""The store of one machine: each snapshot is one SQLite file that is written aside, then renamed into place.

The rename is the commit: a writer that is killed before it leaves the old snapshot, and readers that have the old file
open go on reading it. Nothing in a file is ever changed. Symbols are numbered in the order of their ids, so that the
order of numbers is the total order's tie-break.
"""

from __future__ import annotations

import json
import os
import sqlite3
import tempfile
import time
import weakref
from array import array
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plait.document import digest
from plait.errors import BrokenIndex, CannotWrite
from plait.model import (
    Candidate,
    Direction,
    Document,
    Edge,
    EdgeKind,
    Evidence,
    FileState,
    Filter,
    Graph,
    Passage,
    Ranking,
    Reason,
    Receiver,
    Recovered,
    Reference,
    ReferenceKind,
    ScipInput,
    Skipped,
    SkipReason,
    SnapshotInfo,
    Source,
    Span,
    Symbol,
    SymbolId,
    SymbolKind,
    Unknown,
    Unresolved,
    Via,
)
from plait.ranking import rank
from plait.store import bm25

if TYPE_CHECKING:
    from plait.model import Vector, Vectors

FORMAT = 1
"""Part of the file's name: a plait of another format does not see it and builds its own."""

ABANDONED = 3600
"""Seconds after which a file that was begun and not renamed is nobody's: no build takes so long."""

_SCHEMA = """
CREATE TABLE info (value TEXT NOT NULL);
CREATE TABLE files (path TEXT PRIMARY KEY, size, mtime_ns, ctime_ns, inode) WITHOUT ROWID;
CREATE TABLE skipped (path TEXT, reason TEXT, detail TEXT, count INTEGER);
CREATE TABLE recovered (path TEXT, problem TEXT, left_out TEXT);
CREATE TABLE symbols (
    number INTEGER PRIMARY KEY, id TEXT UNIQUE, name TEXT, kind TEXT, path TEXT, language TEXT, module TEXT,
    qualified_name TEXT, spans TEXT, signature TEXT, docstring TEXT, parent TEXT, is_test INTEGER, text TEXT);
CREATE INDEX symbols_by_name ON symbols (name);
CREATE TABLE edges (
    source TEXT, target TEXT, kind TEXT, via TEXT, evidence INTEGER, confidence REAL, path TEXT, line INTEGER,
    candidates INTEGER, PRIMARY KEY (source, target, kind, via)) WITHOUT ROWID;
CREATE INDEX edges_by_target ON edges (target, kind);
CREATE TABLE unresolved (
    source TEXT, kind TEXT, name TEXT, expression TEXT, receiver TEXT, arity INTEGER, line INTEGER, "column" INTEGER,
    path TEXT, reason TEXT, detail TEXT);
CREATE INDEX unresolved_by_name ON unresolved (name);
CREATE INDEX unresolved_by_source ON unresolved (source);
CREATE TABLE postings (term TEXT PRIMARY KEY, pairs BLOB) WITHOUT ROWID;
CREATE TABLE lengths (counts BLOB);
CREATE TABLE passages (
    template TEXT, row INTEGER, owner INTEGER, start_line INTEGER, end_line INTEGER, start_byte INTEGER,
    end_byte INTEGER, digest TEXT, PRIMARY KEY (template, row)) WITHOUT ROWID;
CREATE TABLE matrices (template TEXT PRIMARY KEY, dim INTEGER, vectors BLOB) WITHOUT ROWID;
"""

_SYMBOL = "id, name, kind, path, language, module, qualified_name, spans, signature, docstring, parent, is_test"
_EDGE = "source, target, kind, via, evidence, confidence, path, line, candidates"
_SITE = 'source, kind, name, expression, receiver, arity, line, "column", path, reason, detail'
_BATCH = 500
"""Values in one `IN (...)`; SQLite allows 999 in old builds."""


@dataclass(slots=True)
class EmbeddedWriter:
    path: Path
    _documents: dict[SymbolId, tuple[Symbol, Document, dict[str, Vectors]]] = field(default_factory=dict)
    _graph: Graph = field(default_factory=lambda: Graph((), ()))
    _files: Sequence[FileState] = ()
    _skipped: Sequence[Skipped] = ()
    _recovered: Sequence[Recovered] = ()

    def put(self, symbols: Sequence[Symbol], documents: Sequence[Document], vectors: Mapping[str, Vectors]) -> None:
        start = dict.fromkeys(vectors, 0)
        for symbol, document in zip(symbols, documents, strict=True):
            own: dict[str, Vectors] = {}
            for template, rows in vectors.items():
                end = start[template] + len(document.passages[template])
                own[template] = rows[start[template] : end]
                start[template] = end
            self._documents[symbol.id] = (symbol, document, own)

    def connect(self, graph: Graph) -> None:
        self._graph = graph

    def observe(self, files: Sequence[FileState], skipped: Sequence[Skipped], recovered: Sequence[Recovered]) -> None:
        self._files, self._skipped, self._recovered = files, skipped, recovered

    def commit(self, info: SnapshotInfo) -> EmbeddedSnapshot:
        aside = self.path
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._sweep()
            handle, name = tempfile.mkstemp(prefix=f"{self.path.name}.", suffix=".new", dir=self.path.parent)
            os.close(handle)
            aside = Path(name)
            with closing(sqlite3.connect(aside, isolation_level=None)) as database:
                database.execute("PRAGMA journal_mode = OFF")
                database.executescript(_SCHEMA)
                database.execute("BEGIN")
                self._write(database, info)
                database.execute("COMMIT")
            with aside.open("rb") as written:
                os.fsync(written.fileno())
            aside.replace(self.path)
        except (OSError, sqlite3.Error) as error:
            if aside != self.path:
                with suppress(OSError):
                    aside.unlink(missing_ok=True)
            raise CannotWrite(
                str(self.path), str(error), "choose another folder with --cache or PLAIT_CACHE"
            ) from error
        return EmbeddedSnapshot(self.path)

    def _sweep(self) -> None:
        """Remove what writers that were killed have left."""
        for left in sorted(self.path.parent.glob(f"{self.path.name}.*.new")):
            with suppress(FileNotFoundError):
                if time.time() - left.stat().st_mtime > ABANDONED:
                    left.unlink()

    def _write(self, database: sqlite3.Connection, info: SnapshotInfo) -> None:
        def insert(table: str, rows: Iterable[Sequence[Any]], width: int) -> None:
            database.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * width)})", rows)

        every = [self._documents[symbol] for symbol in sorted(self._documents)]
        insert("info", [(json.dumps(asdict(info)),)], 1)
        insert("files", ((f.path, f.size, f.mtime_ns, f.ctime_ns, f.inode) for f in self._files), 5)
        insert("skipped", ((s.path, s.reason, s.detail, s.count) for s in sorted(self._skipped)), 4)
        insert("recovered", ((r.path, r.problem, json.dumps(r.left_out)) for r in sorted(self._recovered)), 3)
        insert("symbols", (_symbol_row(n, symbol, document) for n, (symbol, document, _) in enumerate(every)), 14)
        insert("edges", (_edge_row(edge) for edge in self._graph.edges), 9)
        insert("unresolved", (_site_row(site) for site in self._graph.unresolved), 11)

        postings: dict[str, array[int]] = {}
        lengths = array("I")
        for number, (_, document, _) in enumerate(every):
            lengths.append(len(document.terms))
            for term, occurrences in Counter(document.terms).items():
                postings.setdefault(term, array("I")).extend((number, occurrences))
        insert("postings", ((term, pairs.tobytes()) for term, pairs in sorted(postings.items())), 2)
        insert("lengths", [(lengths.tobytes(),)], 1)

        for template in sorted(info.passages):
            rows = ((n, passage) for n, (_, document, _) in enumerate(every) for passage in document.passages[template])
            insert("passages", (_passage_row(template, row, n, p) for row, (n, p) in enumerate(rows)), 8)
            found = [vectors[template] for _, _, vectors in every if len(vectors[template])]
            dim = found[0].shape[1] if found else 0
            insert("matrices", [(template, dim, b"".join(vectors.tobytes() for vectors in found))], 3)


class EmbeddedSnapshot:
    """Reads one file; what a question does not need is not read."""

    def __init__(self, path: Path) -> None:
        """Raises FileNotFoundError if there is no such file and BrokenIndex if it is not a snapshot."""
        if not path.exists():
            raise FileNotFoundError(path)
        self._path = path
        try:
            if not path.is_file():
                raise ValueError("not a regular file")
            self._database = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, check_same_thread=False)
            weakref.finalize(self, self._database.close)
            (value,) = self._database.execute("SELECT value FROM info").fetchone()
            self.info = _info(json.loads(value))
        except (sqlite3.Error, AttributeError, KeyError, TypeError, ValueError) as error:
            raise BrokenIndex(str(path), str(error)) from error

    def symbols(self, ids: Sequence[SymbolId] | None = None) -> list[Symbol]:
        if ids is None:
            return [_symbol(row) for row in self._all(f"SELECT {_SYMBOL} FROM symbols ORDER BY number")]
        found = {row[0]: _symbol(row) for row in self._among(f"SELECT {_SYMBOL} FROM symbols WHERE id", ids)}
        return [found[symbol] for symbol in ids if symbol in found]

    def texts(self, ids: Sequence[SymbolId]) -> dict[SymbolId, str]:
        found = dict(self._among("SELECT id, text FROM symbols WHERE id", ids))
        return {symbol: found[symbol] for symbol in ids if symbol in found}

    def named(self, name: str) -> list[Symbol]:
        return [
            _symbol(row) for row in self._all(f"SELECT {_SYMBOL} FROM symbols WHERE name = ? ORDER BY number", name)
        ]

    def nearest(self, vector: Vector, k: int, where: Filter = Filter(), template: str = "plain") -> Ranking:
        from plait.store import dense

        owners, matrix = self._table(template)
        found = dense.nearest(matrix, owners, vector, k, self._allowed(where))
        spans = {
            row: Span(*span)
            for row, *span in self._among(
                "SELECT row, start_line, end_line, start_byte, end_byte FROM passages WHERE template = ? AND row",
                [row for _, _, row in found],
                template,
            )
        }
        return rank(
            Candidate(self._ids[number], (Reason(Source.DENSE, cosine, template, span=spans[row]),))
            for number, cosine, row in found
        )

    def matching(self, terms: Sequence[str], k: int, where: Filter = Filter()) -> Ranking:
        return bm25.matching(self._ids, terms, self._postings, self._lengths, k, self._allowed(where))

    def edges(self, ids: Collection[SymbolId], kinds: Collection[EdgeKind], direction: Direction) -> list[Edge]:
        end = _end(direction)
        marks = ", ".join("?" * len(kinds))
        rows = self._among(f"SELECT {_EDGE} FROM edges WHERE kind IN ({marks}) AND {end}", sorted(ids), *kinds)
        return [_edge(row) for row in sorted(rows, key=lambda row: row[:4])]

    def degree(
        self, ids: Collection[SymbolId], kinds: Collection[EdgeKind], direction: Direction
    ) -> dict[SymbolId, int]:
        end = _end(direction)
        marks = ", ".join("?" * len(kinds))
        counted = self._among(
            f"SELECT {end}, count(*) FROM edges WHERE kind IN ({marks}) AND {end}",
            sorted(ids),
            *kinds,
            tail=f"GROUP BY {end}",
        )
        return dict.fromkeys(sorted(ids), 0) | dict(counted)

    def unresolved(self, name: str | None = None, source: SymbolId | None = None) -> list[Unresolved]:
        wanted = {"name": name, "source": source}
        given = {column: value for column, value in wanted.items() if value is not None}
        where = " AND ".join(f"{column} = ?" for column in given) or "true"
        rows = self._all(
            f'SELECT {_SITE} FROM unresolved WHERE {where} ORDER BY path, line, "column", rowid', *given.values()
        )
        return [_site(row) for row in rows]

    def files(self) -> list[FileState]:
        return [FileState(*row) for row in self._all("SELECT * FROM files ORDER BY path")]

    def skipped(self) -> list[Skipped]:
        rows = self._all("SELECT * FROM skipped ORDER BY rowid")
        return [Skipped(path, SkipReason(reason), detail, count) for path, reason, detail, count in rows]

    def recovered(self) -> list[Recovered]:
        rows = self._all("SELECT * FROM recovered ORDER BY rowid")
        return [Recovered(path, problem, tuple(map(tuple, json.loads(lines)))) for path, problem, lines in rows]

    def vectors(self, digests: Collection[str]) -> dict[str, Vector]:
        found: dict[str, Vector] = {}
        for (template,) in self._all("SELECT template FROM matrices ORDER BY template"):
            _, matrix = self._table(template)
            for row, key in self._all("SELECT row, digest FROM passages WHERE template = ? AND digest != ''", template):
                if key in digests:
                    found[key] = matrix[row]
        return found

    @cached_property
    def _ids(self) -> list[SymbolId]:
        return [SymbolId(symbol) for (symbol,) in self._all("SELECT id FROM symbols ORDER BY number")]

    @cached_property
    def _lengths(self) -> array[int]:
        (counts,) = self._all("SELECT counts FROM lengths")[0]
        return array("I", counts)

    @cached_property
    def _tables(self) -> dict[str, tuple[Sequence[int], Vectors]]:
        return {}

    def _table(self, template: str) -> tuple[Sequence[int], Vectors]:
        """Return the symbol number and the vector of each row."""
        if template not in self._tables:
            import numpy as np

            owners = [
                owner for (owner,) in self._all("SELECT owner FROM passages WHERE template = ? ORDER BY row", template)
            ]
            dim, blob = self._all("SELECT dim, vectors FROM matrices WHERE template = ?", template)[0]
            self._tables[template] = (owners, np.frombuffer(blob, dtype=np.float32).reshape(len(owners), dim))
        return self._tables[template]

    def _postings(self, term: str) -> list[bm25.Posting]:
        rows = self._all("SELECT pairs FROM postings WHERE term = ?", term)
        pairs = array("I", rows[0][0]) if rows else array("I")
        return list(zip(pairs[::2], pairs[1::2], strict=True))

    def _allowed(self, where: Filter) -> frozenset[int] | None:
        if where.is_empty:
            return None
        ids = None if where.ids is None else sorted(where.ids)
        number = {symbol: n for n, symbol in enumerate(self._ids)}
        return frozenset(number[symbol.id] for symbol in self.symbols(ids) if where.accepts(symbol))

    def _all(self, query: str, *values: object) -> list[Any]:
        try:
            return self._database.execute(query, values).fetchall()
        except sqlite3.Error as error:
            raise BrokenIndex(str(self._path), str(error)) from error

    def _among(self, query: str, among: Sequence[object], *values: object, tail: str = "") -> Iterator[Any]:
        """Run a query that ends in a column's name for the values of that column, some at a time."""
        for start in range(0, len(among), _BATCH):
            batch = among[start : start + _BATCH]
            yield from self._all(f"{query} IN ({', '.join('?' * len(batch))}) {tail}", *values, *batch)


def _end(direction: Direction) -> str:
    return "source" if direction is Direction.OUT else "target"


def _symbol_row(number: int, symbol: Symbol, document: Document) -> tuple[object, ...]:
    spans = json.dumps([[s.start_line, s.end_line, s.start_byte, s.end_byte] for s in (symbol.span, *symbol.own)])
    return (
        *(number, symbol.id, symbol.name, symbol.kind, symbol.path, symbol.language, symbol.module),
        *(symbol.qualified_name, spans, symbol.signature, symbol.docstring, symbol.parent, symbol.is_test),
        document.text,
    )


def _symbol(row: Sequence[Any]) -> Symbol:
    identity, name, kind, path, language, module, qualified_name, spans, signature, docstring, parent, is_test = row
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
    )


def _info(value: dict[str, Any]) -> SnapshotInfo:
    scip = tuple(ScipInput(FileState(**one.pop("state")), **one) for one in value.pop("scip"))
    return SnapshotInfo(**value, scip=scip)


def _edge_row(edge: Edge) -> tuple[object, ...]:
    return (
        *(edge.source, edge.target, edge.kind, edge.via, int(edge.evidence), edge.confidence),
        *(edge.path, edge.line, edge.candidates),
    )


def _edge(row: Sequence[Any]) -> Edge:
    source, target, kind, via, evidence, *rest = row
    return Edge(SymbolId(source), SymbolId(target), EdgeKind(kind), Via(via), Evidence(evidence), *rest)


def _site_row(site: Unresolved) -> tuple[object, ...]:
    reference = site.reference
    return (
        *(reference.source, reference.kind, reference.name, reference.expression, reference.receiver),
        *(reference.arity, reference.line, reference.column, site.path, site.reason, site.detail),
    )


def _site(row: Sequence[Any]) -> Unresolved:
    source, kind, name, expression, receiver, arity, line, column, path, reason, detail = row
    reference = Reference(
        SymbolId(source), ReferenceKind(kind), name, expression, Receiver(receiver), arity, line, column
    )
    return Unresolved(reference, path, Unknown(reason), detail)


def _passage_row(template: str, row: int, owner: int, passage: Passage) -> tuple[object, ...]:
    span = passage.span
    key = digest(passage.text) if passage.text else ""
    return (template, row, owner, span.start_line, span.end_line, span.start_byte, span.end_byte, key)
