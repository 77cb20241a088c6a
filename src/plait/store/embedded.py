"""The store of one machine: a snapshot is one file, or two: what was built, and what has changed since.

Files are written aside and renamed into place: the rename is the commit. A writer that is killed before it leaves the
old snapshot, and readers that have the old files open go on reading them. Nothing in a file is ever changed. A file of
changes has the token of the built one in its name: it is never read with another one.
"""

from __future__ import annotations

import secrets
import sqlite3
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plait.document import EMBEDDED, PLAIN
from plait.errors import BrokenIndex, CannotWrite
from plait.model import (
    Direction,
    Edge,
    EdgeKind,
    FileRecord,
    FileState,
    Recovered,
    Skipped,
    SnapshotInfo,
    Span,
    Symbol,
    SymbolId,
    Unresolved,
)
from plait.parse.naming import module_id
from plait.store import contents, records
from plait.store.columns import SegmentColumns
from plait.store.segment import Segment, inode
from plait.store.segment_writer import SegmentWriter

if TYPE_CHECKING:
    from plait.batch import Batch
    from plait.links import Links
    from plait.model import Codes, Vector

FORMAT = 2
"""Part of the file's name: a plait of another format does not see it and builds its own."""

ABANDONED = 3600
"""Seconds after which a file that was begun and not renamed is nobody's: no build takes so long."""


@contextmanager
def writing(place: Path) -> Iterator[None]:
    """Turn what goes wrong with files into CannotWrite."""
    try:
        yield
    except (OSError, sqlite3.Error) as error:
        raise CannotWrite(str(place), str(error), "choose another folder with --cache or PLAIT_CACHE") from error


def changes_of(path: Path, token: str) -> Path:
    """Return where the changes since the snapshot's file was built are kept."""
    return path.with_name(f"{path.name}.{token}.changes")


class EmbeddedWriter:
    """Builds a snapshot from nothing."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._segment: SegmentWriter | None = None
        self._last: SymbolId | None = None

    def put(self, symbols: Sequence[Symbol], batch: Batch) -> None:
        with writing(self.path):
            segment = self._opened()
            for symbol in symbols:
                if self._last is not None and symbol.id <= self._last:
                    raise ValueError(f"{symbol.id} comes after {self._last}: symbols are put by id")
                self._last = symbol.id
            first = len(segment.numbers)
            put(segment, range(first, first + len(symbols)), symbols, batch)

    def derive(self, template: str, codes: Codes) -> None:
        with writing(self.path):
            self._opened().derived(template, codes)

    def connect(self, links: Links) -> None:
        with writing(self.path):
            self._opened().links(links)

    def observe(self, files: Sequence[FileRecord], skipped: Sequence[Skipped], recovered: Sequence[Recovered]) -> None:
        with writing(self.path):
            segment = self._opened()
            segment.files(files)
            segment.skipped(skipped)
            segment.recovered(recovered)

    def commit(self, info: SnapshotInfo) -> EmbeddedSnapshot:
        with writing(self.path):
            token = secrets.token_hex(6)
            written = self._opened().finish(info, token, self.path)
            sweep(self.path)
        return EmbeddedSnapshot.of(self.path, written)

    def _opened(self) -> SegmentWriter:
        if self._segment is None:
            self._segment = SegmentWriter(self.path)
        return self._segment


def put(segment: SegmentWriter, numbers: Sequence[int], symbols: Sequence[Symbol], batch: Batch) -> None:
    """Add symbols with their documents under given numbers."""
    import numpy as np

    segment.symbols(
        (number, *records.symbol_row(symbol, text))
        for number, symbol, text in zip(numbers, symbols, batch.texts, strict=True)
    )
    segment.terms(numbers, batch.terms)
    for template, rows in batch.rows.items():
        owners = np.repeat(np.array(numbers, dtype=np.uint32), rows.counts)
        segment.passages(template, owners, rows.spans, rows.digests, rows.codes)


def sweep(path: Path) -> None:
    """Remove what writers that were killed have left, and changes to a file that is no longer there."""
    # Listed before the built file is looked at: their writers saw theirs, so one that differs has come since.
    changes = sorted(path.parent.glob(f"{path.name}.*.changes"))
    try:
        current = changes_of(path, Segment(path).token)
    except (FileNotFoundError, BrokenIndex):
        return
    for left in sorted(path.parent.glob(f"{path.name}.*.new")):
        with suppress(OSError):
            if time.time() - left.stat().st_mtime > ABANDONED:
                left.unlink()
    for old in changes:
        if old != current:
            with suppress(OSError):
                old.unlink()


class EmbeddedSnapshot(SegmentColumns):
    """Reads one snapshot; what a question does not need is not read."""

    def __init__(self, path: Path) -> None:
        """Raises FileNotFoundError if there is no such file and BrokenIndex if it is not a snapshot."""
        while True:
            base = Segment(path)
            try:
                changes: Segment | None = Segment(changes_of(path, base.token))
            except FileNotFoundError:
                changes = None
            if inode(path) == base.inode:
                break
        self._set(path, base, changes)

    @classmethod
    def of(cls, path: Path, base: Segment, changes: Segment | None = None) -> EmbeddedSnapshot:
        """Return the snapshot of files that are open; nothing else must read through them."""
        made = cls.__new__(cls)
        made._set(path, base, changes)
        return made

    def _set(self, path: Path, base: Segment, changes: Segment | None) -> None:
        self.path, self.base, self.changes = path, base, changes
        self.segments = [base] if changes is None else [base, changes]
        self.info = self.segments[-1].info
        self._restrict()

    @property
    def is_current(self) -> bool:
        """Whether nobody has committed another snapshot since this one was opened."""
        changed = inode(changes_of(self.path, self.base.token))
        return (inode(self.path), changed) == (self.base.inode, self.changes.inode if self.changes else 0)

    def _restrict(self) -> None:
        """Let the built file's rows count as far as nothing has taken their place."""
        self.masked: set[int] = set()
        """numbers of built symbols that are gone or have another in their place"""
        self.relinked: set[str] = set()
        """files whose edges and sites are those of the changes only"""
        if self.changes is not None:
            self.masked = set(memoryview(self.changes.bytes_of("masked")).cast("I"))
            self.relinked = {path for (path,) in self.changes.all("SELECT path FROM relinked")}
        try:
            self.base.note("masked", self.masked)
            self.base.note("relinked", _numbers_of_paths(self.base, sorted(self.relinked)))
            if self.changes is not None:
                self.changes.note("masked", ())
                self.changes.note("relinked", ())
        except sqlite3.Error as error:
            raise BrokenIndex(str(self.path), str(error)) from error

    def symbols(self, ids: Sequence[SymbolId] | None = None) -> list[Symbol]:
        if ids is None:
            return sorted(self._symbols("number NOT IN temp.masked"), key=lambda symbol: symbol.id)
        found = {
            row[0]: records.symbol(row)
            for segment in self.segments
            for row in segment.among(
                f"SELECT {records.SYMBOL} FROM symbols WHERE number NOT IN temp.masked AND id", ids
            )
        }
        return [found[symbol] for symbol in ids if symbol in found]

    def texts(self, ids: Sequence[SymbolId]) -> dict[SymbolId, str]:
        found = {
            symbol: text
            for segment in self.segments
            for symbol, text in segment.among(
                "SELECT id, text FROM symbols WHERE number NOT IN temp.masked AND id", ids
            )
        }
        return {symbol: found[symbol] for symbol in ids if symbol in found}

    def containing(self, text: str) -> frozenset[SymbolId]:
        query = "SELECT id FROM symbols WHERE number NOT IN temp.masked AND instr(lower(text), lower(?))"
        return frozenset(SymbolId(symbol) for segment in self.segments for (symbol,) in segment.all(query, text))

    def named(self, name: str) -> list[Symbol]:
        found = self._symbols("name = ? AND number NOT IN temp.masked", name)
        return sorted(found, key=lambda symbol: symbol.id)

    def _symbols(self, where: str, *values: object) -> list[Symbol]:
        return [
            records.symbol(row)
            for segment in self.segments
            for row in segment.all(f"SELECT {records.SYMBOL} FROM symbols WHERE {where} ORDER BY number", *values)
        ]

    def edges(self, ids: Collection[SymbolId], kinds: Collection[EdgeKind], direction: Direction) -> list[Edge]:
        found = [
            records.edge(row, names, segment.paths)
            for segment in self.segments
            for rows in [self._edge_rows(segment, records.EDGE, ids, kinds, direction)]
            for names in [segment.ids(number for row in rows for number in row[:2])]
            for row in rows
        ]
        return sorted(found, key=lambda edge: (edge.source, edge.target, edge.kind, edge.via))

    def degree(
        self, ids: Collection[SymbolId], kinds: Collection[EdgeKind], direction: Direction
    ) -> dict[SymbolId, int]:
        end = _end(direction)
        known = self._degrees.setdefault((frozenset(kinds), direction), {})
        # Hubs are asked for again and again, and each time all their edges would be counted.
        found = dict.fromkeys([symbol for symbol in sorted(ids) if symbol not in known], 0)
        for segment in self.segments:
            rows = self._edge_rows(segment, f"{end}, count(*)", found, kinds, direction, f"GROUP BY {end}")
            names = segment.ids(number for number, _ in rows)
            for number, count in rows:
                found[names[number]] += count
        known.update(found)
        return {symbol: known[symbol] for symbol in sorted(ids)}

    @cached_property
    def _degrees(self) -> dict[tuple[frozenset[EdgeKind], Direction], dict[SymbolId, int]]:
        return {}

    def _edge_rows(
        self,
        segment: Segment,
        columns: str,
        ids: Collection[SymbolId],
        kinds: Collection[EdgeKind],
        direction: Direction,
        tail: str = "",
    ) -> list[Any]:
        codes = ", ".join(map(str, records.kinds_of(list(kinds))))
        numbers = sorted(segment.numbers(sorted(ids)).values())
        counted = f"path NOT IN temp.relinked AND kind IN ({codes})"
        query = f"SELECT {columns} FROM edges WHERE {counted} AND {_end(direction)}"
        return list(segment.among(query, numbers, tail=tail))

    def unresolved(self, name: str | None = None, source: SymbolId | None = None) -> list[Unresolved]:
        found: list[Unresolved] = []
        for segment in self.segments:
            given: dict[str, object] = {} if name is None else {"name": name}
            if source is not None:
                numbers = segment.numbers([source])
                if not numbers:
                    continue
                given["source"] = numbers[source]
            where = " AND ".join(["path NOT IN temp.relinked", *(f"{column} = ?" for column in given)])
            rows = segment.all(f"SELECT {records.SITE} FROM unresolved WHERE {where} ORDER BY rowid", *given.values())
            names = segment.ids(row[0] for row in rows)
            found += [records.site(row, names, segment.paths) for row in rows]
        return sorted(found, key=lambda site: (site.path, site.reference.line, site.reference.column))

    # Files

    def files(self) -> list[FileState]:
        rows = self._file_rows("path, size, mtime_ns, ctime_ns, inode")
        return [FileState(*row) for row in rows]

    def records(self) -> list[FileRecord]:
        rows = self._file_rows(
            "path, size, mtime_ns, ctime_ns, inode, digest, language, module, is_package, lines, flowed"
        )
        return [
            FileRecord(FileState(*row[:5]), row[5], row[6], row[7], bool(row[8]), row[9], bool(row[10])) for row in rows
        ]

    def _file_rows(self, columns: str) -> list[Any]:
        rows = self.base.all(f"SELECT {columns} FROM files ORDER BY path")
        if self.changes is None:
            return rows
        new = {row[0]: row for row in self.changes.all(f"SELECT {columns} FROM files")}
        gone = {path for (path,) in self.changes.all("SELECT path FROM gone")}
        kept = {row[0]: row for row in rows if row[0] not in gone} | new
        return [kept[path] for path in sorted(kept)]

    def defined(self, paths: Collection[str]) -> list[SymbolId]:
        found = [
            SymbolId(symbol)
            for segment in self.segments
            for path in paths
            # An id is its path, encoded, and `:` before the rest; `;` follows on `:`.
            for first in [module_id(path)[:-1]]
            for (symbol,) in segment.all(
                "SELECT id FROM symbols WHERE number NOT IN temp.masked AND id >= ? AND id < ?",
                *(first, f"{first[:-1]};"),
            )
        ]
        return sorted(found)

    def mentioning(self, terms: Collection[str]) -> list[str]:
        found: set[str] = set()
        for segment in self.segments:
            numbers = {number for term in sorted(terms) for number in segment.postings(term)[:, 0].tolist()}
            rows = segment.among(
                "SELECT DISTINCT path FROM symbols WHERE number NOT IN temp.masked AND number", sorted(numbers)
            )
            found.update(path for (path,) in rows)
        return sorted(found)

    def rows(self, ids: Collection[SymbolId], template: str = PLAIN) -> dict[SymbolId, Codes]:
        import numpy as np

        found: dict[SymbolId, Codes] = {}
        for segment in self.segments:
            matrix = segment.matrix(template)
            own = segment.among("SELECT id, number FROM symbols WHERE number NOT IN temp.masked AND id", sorted(ids))
            for symbol, number in own:
                first, last = np.searchsorted(matrix.owners, (number, number + 1))
                found[symbol] = matrix.codes[first:last]
        return found

    def skipped(self) -> list[Skipped]:
        return self.segments[-1].skipped()

    def recovered(self) -> list[Recovered]:
        return self.segments[-1].recovered()

    def vectors(self, digests: Collection[str]) -> dict[str, Vector]:
        from plait.vectors import unit

        found: dict[str, Vector] = {}
        for segment in self.segments:
            for template in EMBEDDED:
                rows = segment.rows_of(template, digests)
                if rows:
                    vectors = unit(segment.matrix(template).codes[list(rows.values())])
                    found |= dict(zip(rows, vectors, strict=True))
        return found

    def postings(self) -> Iterator[tuple[str, list[tuple[SymbolId, int]]]]:
        yield from contents.postings(self.segments, self.masked)

    def passages(self, template: str) -> Iterator[tuple[SymbolId, Span, bytes]]:
        yield from contents.passages(self.segments, self.masked, template)


def _end(direction: Direction) -> str:
    return "source" if direction is Direction.OUT else "target"


def _numbers_of_paths(segment: Segment, paths: Sequence[str]) -> list[int]:
    return [number for _, number in segment.among("SELECT path, number FROM paths WHERE path", paths)]
