"""Writes one file of the embedded store (`plait.store.segment` reads it)."""

from __future__ import annotations

import json
import os
import sqlite3
import tempfile
import weakref
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plait.batch import DIGEST
from plait.document import PLAIN
from plait.model import FileRecord, Recovered, Skipped, SnapshotInfo, SymbolId
from plait.store import records
from plait.store.records import Row
from plait.store.segment import Segment

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from plait.batch import Terms
    from plait.links import Links
    from plait.model import Codes

_SCHEMA = """
CREATE TABLE info (value TEXT NOT NULL, token TEXT NOT NULL);
CREATE TABLE files (
    path TEXT PRIMARY KEY, size INTEGER, mtime_ns INTEGER, ctime_ns INTEGER, inode INTEGER, digest TEXT,
    language TEXT, module TEXT, is_package INTEGER, lines INTEGER, flowed INTEGER) WITHOUT ROWID;
CREATE TABLE gone (path TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE relinked (path TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE skipped (path TEXT, reason TEXT, detail TEXT, count INTEGER);
CREATE TABLE recovered (path TEXT, problem TEXT, left_out TEXT);
CREATE TABLE symbols (
    number INTEGER PRIMARY KEY, id TEXT UNIQUE, name TEXT, kind TEXT, path TEXT, language TEXT, module TEXT,
    qualified_name TEXT, spans TEXT, signature TEXT, docstring TEXT, parent TEXT, is_test INTEGER, cells TEXT,
    text TEXT);
CREATE TABLE foreign_symbols (number INTEGER PRIMARY KEY, id TEXT UNIQUE);
CREATE TABLE paths (number INTEGER PRIMARY KEY, path TEXT UNIQUE);
CREATE TABLE edges (
    source INTEGER, target INTEGER, kind INTEGER, via INTEGER, evidence INTEGER, confidence REAL, path INTEGER,
    line INTEGER, candidates INTEGER, PRIMARY KEY (source, kind, target, via)) WITHOUT ROWID;
CREATE TABLE unresolved (
    source INTEGER, kind INTEGER, name TEXT, expression TEXT, receiver INTEGER, arity INTEGER, line INTEGER,
    "column" INTEGER, path INTEGER, reason INTEGER, detail TEXT);
CREATE TABLE postings (term TEXT PRIMARY KEY, rows BLOB);
CREATE TABLE arrays (name TEXT PRIMARY KEY, value BLOB);
"""

_INDEXES = """
CREATE INDEX symbols_by_name ON symbols (name);
CREATE INDEX edges_by_target ON edges (target, kind);
CREATE INDEX unresolved_by_name ON unresolved (name);
CREATE INDEX unresolved_by_source ON unresolved (source);
"""

_SPOOLED = 16 * 2**20
"""Bytes of one array that are held before it goes into a file."""

_PIECE = 16_384
"""Rows of an array that are written at once."""


class SegmentWriter:
    """Fills a file aside; `finish` completes it and renames it into place. Else it is removed again."""

    def __init__(self, place: Path) -> None:
        place.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f"{place.name}.", suffix=".new", dir=place.parent)
        os.close(handle)
        self.aside = Path(name)
        self._database = sqlite3.connect(self.aside, isolation_level=None, check_same_thread=False)
        self._remove = weakref.finalize(self, _discard, self._database, self.aside)
        self._database.execute("PRAGMA page_size = 8192")
        self._database.execute("PRAGMA journal_mode = OFF")
        self._database.execute("PRAGMA synchronous = OFF")
        self._database.executescript(_SCHEMA)
        self._database.execute("BEGIN")
        self.numbers: dict[SymbolId, int] = {}
        """of the segment's own symbols"""
        self._foreign: dict[SymbolId, int] = {}
        self._paths: dict[str, int] = {}
        self._postings: Any = None
        self._lengths = array("I")
        self._tables: dict[str, _Passages] = {}

    def insert(self, table: str, rows: Iterable[Sequence[Any]], width: int) -> None:
        self._database.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * width)})", rows)

    def symbols(self, rows: Iterable[Row]) -> None:
        """Add rows (number, *SYMBOL, text)."""

        def noted() -> Iterator[Row]:
            for row in rows:
                self.numbers[row[1]] = row[0]
                yield row

        self.insert("symbols", noted(), 15)

    def terms(self, numbers: Sequence[int], terms: Terms) -> None:
        """Add the terms of documents, each under its number."""
        self.lengths(dict(zip(numbers, terms.counts.tolist(), strict=True)))
        self._builder.add_all(numbers, terms)

    def postings(self, term: str, rows: NDArray[np.uint32]) -> None:
        self._builder.add_postings(term, rows)

    def lengths(self, lengths: Mapping[int, int]) -> None:
        for number, length in lengths.items():
            if number >= len(self._lengths):
                self._lengths.extend([0] * (number + 1 - len(self._lengths)))
            self._lengths[number] = length

    def passages(
        self, template: str, owners: NDArray[np.uint32], spans: NDArray[np.int32], digests: bytes, codes: Codes
    ) -> None:
        self._tables.setdefault(template, _Passages()).add(owners, spans, digests, codes)

    def derived(self, template: str, codes: Codes) -> None:
        """Add vectors for the passages of `plain`, in the order in which those are added."""
        self._tables.setdefault(PLAIN, _Passages()).derive(template, codes)

    def links(self, links: Links) -> None:
        """Add edges and sites between any symbols; those of this segment must have been added before."""
        texts = links.texts
        source, target, kind, via, *proof, path, line, candidates = links.edge_columns()
        symbols = self._each(texts, self.number, source, target)
        places = self._each(texts, self.path, path)
        kinds, vias = self._each(texts, records.place_of_kind, kind), self._each(texts, records.place_of_via, via)
        columns = [symbols[source], symbols[target], kinds[kind], vias[via], *proof, places[path], line, candidates]
        self.insert("edges", zip(*(column.tolist() for column in columns), strict=True), 9)
        source, kind, name, expression, receiver, *numbers, path, reason, detail = links.site_columns()
        self.insert(
            "unresolved",
            zip(
                self._each(texts, self.number, source)[source].tolist(),
                self._each(texts, records.place_of_reference, kind)[kind].tolist(),
                *([texts[place] for place in column.tolist()] for column in (name, expression)),
                self._each(texts, records.place_of_receiver, receiver)[receiver].tolist(),
                *(column.tolist() for column in numbers),
                self._each(texts, self.path, path)[path].tolist(),
                self._each(texts, records.place_of_reason, reason)[reason].tolist(),
                [texts[place] for place in detail.tolist()],
                strict=True,
            ),
            11,
        )

    def _each(self, texts: Sequence[str], number: Callable[[Any], int], *columns: NDArray[np.uint32]) -> NDArray[Any]:
        """Return the number of each text that stands in the columns, by its place."""
        import numpy as np

        found = np.zeros(len(texts), dtype=np.int64)
        for place in np.unique(np.concatenate(columns)).tolist():
            found[place] = number(texts[place])
        return found

    def number(self, symbol: SymbolId) -> int:
        number = self.numbers.get(symbol)
        if number is None:
            number = self._foreign.setdefault(symbol, len(self.numbers) + len(self._foreign))
        return number

    def path(self, path: str) -> int:
        return self._paths.setdefault(path, len(self._paths))

    def files(self, files: Iterable[FileRecord]) -> None:
        self.insert(
            "files",
            (
                (
                    *(f.state.path, f.state.size, f.state.mtime_ns, f.state.ctime_ns, f.state.inode),
                    *(f.digest, f.language, f.module, f.is_package, f.lines, f.flowed),
                )
                for f in files
            ),
            11,
        )

    def _array(self, name: str, length: int, pieces: Iterable[bytes]) -> None:
        row = self._database.execute("INSERT INTO arrays VALUES (?, zeroblob(?))", (name, length)).lastrowid
        assert row is not None
        with self._database.blobopen("arrays", "value", row) as blob:
            for piece in pieces:
                blob.write(piece)

    def skipped(self, skipped: Iterable[Skipped]) -> None:
        self.insert("skipped", ((s.path, s.reason, s.detail, s.count) for s in sorted(skipped)), 4)

    def recovered(self, recovered: Iterable[Recovered]) -> None:
        self.insert("recovered", ((r.path, r.problem, json.dumps(r.left_out)) for r in sorted(recovered)), 3)

    def array(self, name: str, value: bytes) -> None:
        self.insert("arrays", [(name, value)], 2)

    def finish(self, info: SnapshotInfo, token: str, place: Path) -> Segment:
        """Complete the file, rename it into place, which is the commit, and return it, whatever comes there next.

        Where that fails, nothing is left.
        """
        try:
            self._complete(info, token)
            written = None if os.name == "nt" else Segment(self.aside)  # there an open file cannot be renamed
            self.aside.replace(place)
            self._remove.detach()
        except BaseException:
            self._remove()
            raise
        if written is None:
            return Segment(place)
        written.path = place
        return written

    def _complete(self, info: SnapshotInfo, token: str) -> None:
        self.insert("info", [(json.dumps(asdict(info)), token)], 2)
        self.insert("foreign_symbols", ((number, symbol) for symbol, number in self._foreign.items()), 2)
        self.insert("paths", ((number, path) for path, number in self._paths.items()), 2)
        self.insert("postings", iter(self._builder), 2)
        self._lengths.extend([0] * (len(self.numbers) - len(self._lengths)))
        self.array("lengths", self._lengths.tobytes())
        for template, table in sorted(self._tables.items()):
            for name, length, pieces in table.arrays():
                self._array(f"{template}/{name}" if "/" not in name else name, length, pieces)
        self._database.execute("COMMIT")
        self._database.executescript(_INDEXES)
        self._database.close()
        with self.aside.open("rb") as written:
            os.fsync(written.fileno())

    @property
    def _builder(self) -> Any:
        if self._postings is None:
            from plait.store.postings import PostingsBuilder

            self._postings = PostingsBuilder()
        return self._postings


def _discard(database: sqlite3.Connection, path: Path) -> None:
    database.close()
    with suppress(OSError):
        path.unlink(missing_ok=True)


class _Rows:
    """Rows of one width in bytes, in the order in which they come, in a file once they are many."""

    def __init__(self, width: int) -> None:
        self.width = width
        self.count = 0
        self._file = tempfile.SpooledTemporaryFile(max_size=_SPOOLED)  # noqa: SIM115  # closed when nobody holds it
        weakref.finalize(self, self._file.close)

    def add(self, rows: bytes) -> None:
        self._file.write(rows)
        self.count += len(rows) // self.width

    def all(self) -> bytes:
        return b"".join(self.pieces())

    def pieces(self) -> Iterator[bytes]:
        self._file.seek(0)
        while piece := self._file.read(_PIECE * self.width):
            yield piece


class _Passages:
    """Rows of one template, as they come; put into the order of their owners at the end."""

    def __init__(self) -> None:
        self._columns: dict[str, _Rows] = {}
        self._last = 0
        self._is_ordered = True

    def add(self, owners: NDArray[np.uint32], spans: NDArray[np.int32], digests: bytes, codes: Codes) -> None:
        from plait.vectors import squares

        if not len(owners):
            return
        ascending = bool((owners[1:] >= owners[:-1]).all()) and int(owners[0]) >= self._last
        self._is_ordered, self._last = self._is_ordered and ascending, int(owners[-1])
        self._add("owners", owners.tobytes(), 4)
        self._add("spans", spans.tobytes(), 16)
        self._add("digests", digests, DIGEST)
        self._add("codes", codes.tobytes(), codes.shape[1])
        self._add("squares", squares(codes).tobytes(), 4)

    def derive(self, template: str, codes: Codes) -> None:
        from plait.vectors import squares

        if len(codes):
            self._add(f"{template}/codes", codes.tobytes(), codes.shape[1])
            self._add(f"{template}/squares", squares(codes).tobytes(), 4)

    def _add(self, column: str, rows: bytes, width: int) -> None:
        self._columns.setdefault(column, _Rows(width)).add(rows)

    def arrays(self) -> Iterator[tuple[str, int, Iterable[bytes]]]:
        """Yield each array's name, its length in bytes, and its pieces."""
        if not self._is_ordered:
            import numpy as np

            order = np.argsort(np.frombuffer(self._columns["owners"].all(), dtype=np.uint32), kind="stable")
        for name, rows in self._columns.items():
            length = rows.count * rows.width
            if self._is_ordered:
                yield name, length, rows.pieces()
            else:
                whole = np.frombuffer(rows.all(), dtype=np.uint8).reshape(-1, rows.width)
                yield name, length, [whole[order].tobytes()]
