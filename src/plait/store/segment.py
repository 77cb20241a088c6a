"""One file of the embedded store: some documents with all that is known about them, written once and never changed.

Symbols are numbered in the order of their ids. Edges and sites can name symbols of another segment: those have numbers
from the count of the segment's own upwards (table `foreign`).
"""

from __future__ import annotations

import json
import os
import sqlite3
import tempfile
import weakref
from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plait.batch import DIGEST
from plait.document import PLAIN
from plait.errors import BrokenIndex
from plait.model import FileRecord, Recovered, Skipped, SkipReason, SnapshotInfo, Span, SymbolId, SymbolKind
from plait.store import records
from plait.store.records import Row

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from plait.batch import Terms
    from plait.links import Links
    from plait.model import Codes
    from plait.store.dense import Matrix
    from plait.store.pool import Described

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

_BATCH = 500
"""Values in one `IN (...)`; SQLite allows 999 in old builds."""

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


def inode(path: Path) -> int:
    """Return what tells a file from one that is renamed over it; 0 without a file."""
    try:
        return path.stat().st_ino
    except OSError:
        return 0


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


class Segment:
    """Reads one file; what a question does not need is not read."""

    def __init__(self, path: Path) -> None:
        """Raises FileNotFoundError if there is no such file and BrokenIndex if it is not a segment."""
        self.path = path
        self.inode = -1
        """what tells the file from one that is renamed over it"""
        while self.inode != inode(path):  # else another has been renamed over it meanwhile
            self.inode = inode(path)
            self._open(path)

    def _open(self, path: Path) -> None:
        if not path.exists():
            raise FileNotFoundError(path)
        try:
            if not path.is_file():
                raise ValueError("not a regular file")
            # Immutable: the file is never written again, and one that is renamed over it is another file.
            address = f"{path.absolute().as_uri()}?immutable=1"
            self._database = sqlite3.connect(address, uri=True, check_same_thread=False)
            weakref.finalize(self, self._database.close)
            value, token = self._database.execute("SELECT value, token FROM info").fetchone()
            self.token = str(token)
            self.info = records.info(json.loads(value))
        except (sqlite3.Error, AttributeError, KeyError, TypeError, ValueError) as error:
            raise BrokenIndex(str(path), str(error)) from error

    def all(self, query: str, *values: object) -> list[Any]:
        try:
            return self._database.execute(query, values).fetchall()
        except sqlite3.Error as error:
            raise BrokenIndex(str(self.path), str(error)) from error

    def among(self, query: str, among: Sequence[object], *values: object, tail: str = "") -> Iterator[Any]:
        """Run a query that ends in a column's name for the values of that column, some at a time."""
        for start in range(0, len(among), _BATCH):
            batch = among[start : start + _BATCH]
            yield from self.all(f"{query} IN ({', '.join('?' * len(batch))}) {tail}", *values, *batch)

    def note(self, table: str, numbers: Iterable[int]) -> None:
        """Make a table of this connection only, for `NOT IN`."""
        self._database.execute(f"CREATE TEMP TABLE {table} (number INTEGER PRIMARY KEY)")
        self._database.executemany(f"INSERT INTO {table} VALUES (?)", ((number,) for number in numbers))

    @cached_property
    def count(self) -> int:
        """How many symbols are its own."""
        (count,) = self.all("SELECT count(*) FROM symbols")[0]
        return int(count)

    def numbers(self, ids: Sequence[SymbolId]) -> dict[SymbolId, int]:
        """Return the numbers of the symbols that the segment has or names."""
        own = dict(self.among("SELECT id, number FROM symbols WHERE id", ids))
        return own | dict(self.among("SELECT id, number FROM foreign_symbols WHERE id", ids))

    def ids(self, numbers: Iterable[int]) -> Mapping[int, SymbolId]:
        """Return the ids of at least these numbers."""
        missing = sorted({number for number in numbers if number not in self._ids})
        own = [number for number in missing if number < self.count]
        self._ids.update(self.among("SELECT number, id FROM symbols WHERE number", own))
        rest = missing[len(own) :]
        self._ids.update(self.among("SELECT number, id FROM foreign_symbols WHERE number", rest))
        return self._ids

    @cached_property
    def _ids(self) -> dict[int, SymbolId]:
        return {}

    def described(self, numbers: Iterable[int]) -> Mapping[int, Described]:
        """Return what candidates are told by, of at least these numbers."""
        missing = sorted({number for number in numbers if number not in self._described})
        rows = self.among("SELECT number, id, name, kind, path, is_test FROM symbols WHERE number", missing)
        for number, symbol, name, kind, path, is_test in rows:
            self._described[number] = (symbol, name, SymbolKind(kind), path, bool(is_test))
        return self._described

    @cached_property
    def _described(self) -> dict[int, Described]:
        return {}

    @cached_property
    def paths(self) -> dict[int, str]:
        return dict(self.all("SELECT number, path FROM paths"))

    def bytes_of(self, name: str) -> bytes:
        """Return an array; empty if the segment has none of that name."""
        rows = self.all("SELECT value FROM arrays WHERE name = ?", name)
        return rows[0][0] if rows else b""

    @cached_property
    def lengths(self) -> NDArray[np.uint32]:
        import numpy as np

        return np.frombuffer(self.bytes_of("lengths"), dtype=np.uint32)

    def postings(self, term: str) -> NDArray[np.uint32]:
        """Return rows (number, occurrences), ascending."""
        import numpy as np

        found = self.all("SELECT rows FROM postings WHERE term = ?", term)
        return np.frombuffer(found[0][0] if found else b"", dtype=np.uint32).reshape(-1, 2)

    @cached_property
    def _matrices(self) -> dict[str, Matrix]:
        return {}

    def matrix(self, template: str) -> Matrix:
        """Return the vectors of a template; derived ones belong to the passages of `plain`."""
        if template not in self._matrices:
            import numpy as np

            from plait.store.dense import Matrix

            owners = np.frombuffer(self.bytes_of(f"{self.template(template)}/owners"), dtype=np.uint32)
            flat = np.frombuffer(self.bytes_of(f"{template}/codes"), dtype=np.int8)
            codes = flat.reshape(len(owners), -1) if len(owners) else np.zeros((0, 1), dtype=np.int8)
            squares = np.frombuffer(self.bytes_of(f"{template}/squares"), dtype=np.int32)
            self._matrices[template] = Matrix(codes, squares, owners)
        return self._matrices[template]

    def template(self, template: str) -> str:
        """Return the template that has the passages of this one."""
        own = self.all("SELECT 1 FROM arrays WHERE name = ?", f"{template}/owners")
        return template if own else "plain"

    def rows_of(self, template: str, digests: Collection[str]) -> dict[str, int]:
        """Return the row of the vector of each text that the template has, by the text's digest."""
        import numpy as np

        order, starts, stored = self._digests(template)
        wanted = [bytes.fromhex(key) for key in sorted(digests)]
        first = np.frombuffer(b"".join(wanted), dtype=np.uint64)[::2]
        found: dict[str, int] = {}
        for key, half, place in zip(wanted, first, np.searchsorted(starts, first).tolist(), strict=True):
            while place < len(starts) and starts[place] == half:
                if stored[order[place]].tobytes() == key:
                    found[key.hex()] = int(order[place])
                    break
                place += 1
        return found

    def _digests(self, template: str) -> tuple[NDArray[np.int64], NDArray[np.uint64], NDArray[np.uint64]]:
        """Return rows in the order of the first half of their digests, these halves, and all digests by row."""
        if template not in self._orders:
            import numpy as np

            stored = np.frombuffer(self.bytes_of(f"{template}/digests"), dtype=np.uint64).reshape(-1, 2)
            order = np.argsort(stored[:, 0], kind="stable")
            self._orders[template] = order, stored[order, 0], stored
        return self._orders[template]

    @cached_property
    def _orders(self) -> dict[str, tuple[NDArray[np.int64], NDArray[np.uint64], NDArray[np.uint64]]]:
        return {}

    def spans(self, template: str, rows: Sequence[int]) -> list[Span]:
        if template not in self._spans:
            import numpy as np

            flat = np.frombuffer(self.bytes_of(f"{self.template(template)}/spans"), dtype=np.int32)
            self._spans[template] = flat.reshape(-1, 4)
        return [Span(*numbers) for numbers in self._spans[template][list(rows)].tolist()]

    @cached_property
    def _spans(self) -> dict[str, NDArray[np.int32]]:
        return {}

    def skipped(self) -> list[Skipped]:
        rows = self.all("SELECT * FROM skipped ORDER BY rowid")
        return [Skipped(path, SkipReason(reason), detail, count) for path, reason, detail, count in rows]

    def recovered(self) -> list[Recovered]:
        rows = self.all("SELECT * FROM recovered ORDER BY rowid")
        return [Recovered(path, problem, tuple(map(tuple, json.loads(lines)))) for path, problem, lines in rows]
