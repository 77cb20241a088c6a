"""One file of the embedded store: some documents with all that is known about them, written once and never changed.

Symbols are numbered in the order of their ids. Edges and sites can name symbols of another segment: those have numbers
from the count of the segment's own upwards (table `foreign`).
"""

from __future__ import annotations

import json
import sqlite3
import weakref
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plait.errors import BrokenIndex
from plait.model import Recovered, Skipped, SkipReason, Span, SymbolId, SymbolKind
from plait.store import records

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from plait.store.dense import Matrix
    from plait.store.pool import Described

_BATCH = 500
"""Values in one `IN (...)`; SQLite allows 999 in old builds."""

_READ = 2**18
"""Bytes of an array that are read at once."""


def inode(path: Path) -> int:
    """Return what tells a file from one that is renamed over it; 0 without a file."""
    try:
        return path.stat().st_ino
    except OSError:
        return 0


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
        missing = [one for one in ids if one not in self._numbers]
        self._numbers.update(self.among("SELECT id, number FROM symbols WHERE id", missing))
        rest = [one for one in missing if one not in self._numbers]
        self._numbers.update(self.among("SELECT id, number FROM foreign_symbols WHERE id", rest))
        self._numbers.update({one: -1 for one in rest if one not in self._numbers})
        return {one: number for one in ids if (number := self._numbers[one]) >= 0}

    @cached_property
    def _numbers(self) -> dict[SymbolId, int]:
        """Of symbols that were met; -1 of those that the segment does not know."""
        return {}

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
            self._numbers[symbol] = number
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

    def array(self, name: str, kind: type[np.generic]) -> NDArray[Any]:
        """As `bytes_of`, as numbers, for arrays that may be large: as one value they would be copied twice."""
        import numpy as np

        rows = self.all("SELECT rowid FROM arrays WHERE name = ?", name)
        if not rows:
            return np.zeros(0, kind)
        try:
            with self._database.blobopen("arrays", "value", rows[0][0], readonly=True) as blob:
                found = np.empty(len(blob), dtype=np.uint8)
                for start in range(0, len(blob), _READ):
                    found[start : start + _READ] = np.frombuffer(blob.read(_READ), dtype=np.uint8)
        except sqlite3.Error as error:
            raise BrokenIndex(str(self.path), str(error)) from error
        return found.view(kind)

    @cached_property
    def lengths(self) -> NDArray[np.uint32]:
        import numpy as np

        return self.array("lengths", np.uint32)

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

            owners = self.array(f"{self.template(template)}/owners", np.uint32)
            flat = self.array(f"{template}/codes", np.int8)
            codes = flat.reshape(len(owners), -1) if len(owners) else np.zeros((0, 1), dtype=np.int8)
            squares = self.array(f"{template}/squares", np.int32)
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

            stored = self.array(f"{template}/digests", np.uint64).reshape(-1, 2)
            order = np.argsort(stored[:, 0], kind="stable")
            self._orders[template] = order, stored[order, 0], stored
        return self._orders[template]

    @cached_property
    def _orders(self) -> dict[str, tuple[NDArray[np.int64], NDArray[np.uint64], NDArray[np.uint64]]]:
        return {}

    def spans(self, template: str, rows: Sequence[int]) -> list[Span]:
        if template not in self._spans:
            import numpy as np

            self._spans[template] = self.array(f"{self.template(template)}/spans", np.int32).reshape(-1, 4)
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
