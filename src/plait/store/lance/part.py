"""All rows of one build: read once from the tables, kept on the local disk, mapped into memory from there.

A build never changes, so what is kept of it needs no check beyond its being whole, which the rename of its folder is.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from threading import Lock, RLock
from typing import TYPE_CHECKING, Any

from plait.document import EMBEDDED, PLAIN, SMOOTHED
from plait.errors import BrokenIndex
from plait.model import Edge, EdgeKind, Evidence, SnapshotInfo, Span, SymbolId, Via
from plait.store import records
from plait.store.dense import Matrix
from plait.store.lance.local import as_matrix, keep, mapped, rows_at
from plait.store.lance.tables import BUILDS, EDGES, NUMBERS, OUTWARD, SITES, SYMBOLS, Tables, arrow

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

_ORDER = {SYMBOLS: "key", SITES: "row", OUTWARD: "row", EDGES: "source", BUILDS: "build", PLAIN: "row"}
_MASK = (1 << NUMBERS) - 1


@dataclass(slots=True)
class Parts:
    """The builds that were asked for, as long as they are asked for."""

    tables: Tables
    cache: Path
    """a folder on the local disk, which may go at any time"""
    most: int = 4 * 2**30
    """bytes that are kept there"""
    _open: dict[int, Part] = field(default_factory=dict)
    _used: set[int] = field(default_factory=set)
    """since the last `keep`"""
    _lock: Lock = field(default_factory=Lock)

    def of(self, build: int) -> Part:
        with self._lock:
            self._used.add(build)
            if build not in self._open:
                self._open[build] = Part(self.tables, build, self._folder / str(build))
            return self._open[build]

    def keep(self, builds: Collection[int]) -> None:
        """Let go of all others, and of what is on the disk beyond `most`, the longest unused first.

        Who reads one of them goes on: what is needed of it is fetched again.
        """
        with self._lock:
            used, self._used = self._used, set()
            for gone in self._open.keys() - set(builds):
                del self._open[gone]
        for build in sorted(used):  # other processes of this machine share the folder
            with suppress(OSError):
                os.utime(self._folder / str(build))
        found = []
        with suppress(OSError):
            for folder in self._folder.iterdir():
                size = sum(one.stat().st_size for one in folder.iterdir())
                found.append((folder.stat().st_mtime, folder, size))
        total = sum(size for _, _, size in found)
        for _, folder, size in sorted(found):
            if total <= self.most:
                break
            shutil.rmtree(folder, ignore_errors=True)
            total -= size
            with self._lock:
                self._open.pop(int(folder.name) if folder.name.isdecimal() else 0, None)

    @property
    def _folder(self) -> Path:
        return self.cache / f"fleet-{blake2b(self.tables.uri.encode(), digest_size=6).hexdigest()}"


class Part:
    """Numbers of symbols count from 0 in the order of their ids."""

    def __init__(self, tables: Tables, build: int, folder: Path) -> None:
        self._tables, self.build, self._folder = tables, build, folder
        self._read: dict[str, pa.Table] = {}
        self._reading = RLock()
        """held while rows are fetched, so that several who ask at once fetch them once"""

    def rows(self, name: str) -> pa.Table:
        if name not in self._read:
            with self._reading:
                if name not in self._read:
                    self._read[name] = self._kept(name)
        return self._read[name]

    def _kept(self, name: str) -> Any:
        path = self._folder / f"{name}.arrow"
        known = mapped(path)
        if known is not None:
            return known
        rows = self._fetched(name)
        with suppress(OSError):  # a shortcut only
            keep(path, rows)
        return rows

    def _fetched(self, name: str) -> pa.Table:
        rows = self._tables.read(name, f"build = {self.build}")
        expected = 1 if name == BUILDS else self._counts.get(name, 0)
        if len(rows) != expected:  # committed since the table was opened
            self._tables.latest(name)
            rows = self._tables.read(name, f"build = {self.build}")
        if len(rows) != expected:
            raise BrokenIndex(self._tables.uri, f"of build {self.build}, {len(rows)} of {expected} {name} are there")
        order = "row" if name in (*EMBEDDED, SMOOTHED) else _ORDER.get(name, "build")
        return rows.sort_by(order).combine_chunks()

    @cached_property
    def _counts(self) -> Mapping[str, int]:
        found: dict[str, int] = self.noted("counts")
        return found

    def noted(self, name: str) -> Any:
        return json.loads(self.rows(BUILDS)[name][0].as_py())

    @cached_property
    def info(self) -> SnapshotInfo:
        return records.info(self.noted("info"))

    # Symbols

    def column(self, name: str) -> list[Any]:
        if name not in self._columns:
            self._columns[name] = self.rows(SYMBOLS)[name].to_pylist()
        return self._columns[name]

    @cached_property
    def _columns(self) -> dict[str, list[Any]]:
        return {}

    @property
    def count(self) -> int:
        return len(self.rows(SYMBOLS))

    @property
    def ids(self) -> list[SymbolId]:
        return self.column("id")

    @cached_property
    def numbers(self) -> dict[SymbolId, int]:
        return {symbol: number for number, symbol in enumerate(self.ids)}

    @cached_property
    def named(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for number, name in enumerate(self.column("name")):
            found.setdefault(name, []).append(number)
        return found

    def taken(self, numbers: Sequence[int], columns: Sequence[str]) -> list[tuple[Any, ...]]:
        rows = self.rows(SYMBOLS).select(list(columns)).take(arrow().array(numbers, type=arrow().int64()))
        return list(zip(*(column.to_pylist() for column in rows.columns), strict=True))

    # Words

    @cached_property
    def lengths(self) -> NDArray[np.uint32]:
        import numpy as np

        found: NDArray[np.uint32] = self.rows(SYMBOLS)["length"].to_numpy().astype(np.uint32)
        return found

    @cached_property
    def _words(self) -> tuple[dict[str, int], NDArray[np.int64], NDArray[np.uint32]]:
        """Return the place of each term, where its rows begin, and rows (number, occurrences), by term."""
        import numpy as np
        import pyarrow.compute as pc

        words = self.rows(SYMBOLS)["words"].combine_chunks()
        split = pc.split_pattern(words, " ")
        owners = np.repeat(np.arange(len(words), dtype=np.uint64), pc.list_value_length(split).to_numpy())
        coded = split.flatten().dictionary_encode()
        terms = {term: place for place, term in enumerate(coded.dictionary.to_pylist())}
        keys = (coded.indices.to_numpy().astype(np.uint64) << np.uint64(32)) | owners
        keys, counts = np.unique(keys, return_counts=True)
        starts = np.searchsorted(keys >> np.uint64(32), np.arange(len(terms) + 1, dtype=np.uint64))
        return terms, starts, np.stack([keys.astype(np.uint32), counts.astype(np.uint32)], axis=1)

    @property
    def terms(self) -> list[str]:
        """In no order."""
        return [term for term in self._words[0] if term]

    def postings(self, term: str) -> NDArray[np.uint32]:
        """Return rows (number, occurrences), ascending."""
        terms, starts, rows = self._words
        place = terms.get(term) if term else None
        return rows[:0] if place is None else rows[starts[place] : starts[place + 1]]

    # Vectors

    def matrix(self, template: str) -> Matrix:
        if template not in self._matrices:
            import numpy as np

            from plait.vectors import squares

            rows = self.rows(template)
            flat = rows["codes"].combine_chunks() if len(rows) else None
            codes = np.zeros((0, 1), dtype=np.int8) if flat is None else as_matrix(flat).astype(np.int8)
            owners = (rows["owner"].to_numpy() & _MASK).astype(np.uint32)
            self._matrices[template] = Matrix(codes, squares(codes), owners)
        return self._matrices[template]

    @cached_property
    def _matrices(self) -> dict[str, Matrix]:
        return {}

    def spans(self, template: str) -> list[Span]:
        if template not in self._spans:
            rows = self.rows(PLAIN if template == SMOOTHED else template)
            flat = as_matrix(rows["span"].combine_chunks()).tolist() if len(rows) else []
            self._spans[template] = [Span(*numbers) for numbers in flat]
        return self._spans[template]

    @cached_property
    def _spans(self) -> dict[str, list[Span]]:
        return {}

    def digests(self, template: str) -> dict[str, int]:
        """Return the row of each passage's text by its digest."""
        return {key.hex(): row for row, key in enumerate(self.rows(template)["digest"].to_pylist())}

    # Edges

    @cached_property
    def _ends(self) -> Mapping[str, tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """Return for either end: its numbers, ascending, and the rows that have them."""
        import numpy as np

        found = {}
        for end in ("source", "target"):
            numbers = self.rows(EDGES)[end].to_numpy() & _MASK
            order = np.argsort(numbers, kind="stable")
            found[end] = numbers[order], order
        return found

    @cached_property
    def _kinds(self) -> tuple[list[str], NDArray[np.int32]]:
        """Return the kinds that there are, and the place of each edge's kind among them."""
        coded = self.rows(EDGES)["kind"].combine_chunks().dictionary_encode()
        return coded.dictionary.to_pylist(), coded.indices.to_numpy()

    def edge_rows(self, numbers: Sequence[int], kinds: Sequence[EdgeKind], end: str) -> NDArray[np.int64]:
        """Return the rows of the edges of those kinds that have one of the numbers at that end."""
        import numpy as np

        rows = rows_at(numbers, *self._ends[end])
        known, places = self._kinds
        return rows[np.isin(places[rows], [known.index(kind) for kind in kinds if kind in known])]

    def end_of(self, rows: NDArray[np.int64], end: str) -> NDArray[np.int64]:
        found: NDArray[np.int64] = self.rows(EDGES)[end].to_numpy()[rows] & _MASK
        return found

    def edges(self, rows: NDArray[np.int64]) -> list[Edge]:
        if not len(rows):
            return []
        return [
            edge_of(row, self.ids[row["source"] & _MASK], self.ids[row["target"] & _MASK])
            for row in self.rows(EDGES).take(rows).to_pylist()
        ]

    def sites(self, name: str | None = None, source: int | None = None) -> list[dict[str, Any]]:
        """Return the unresolved sites that call that name and lie in the symbol of that number (any, if None)."""
        found = self.rows(SITES)
        if name is not None or source is not None:
            by_name, by_source = self._sites
            places = by_source.get(source, []) if source is not None else by_name.get(name or "", [])
            found = found.take(arrow().array(places, type=arrow().int64()))
        rows = found.to_pylist()
        return [row | {"source": self.ids[row["source"] & _MASK]} for row in rows if name in (None, row["name"])]

    @cached_property
    def _sites(self) -> tuple[dict[str, list[int]], dict[int, list[int]]]:
        """The rows of sites by the name that they call, and by the number of the symbol that they lie in."""
        by_name: dict[str, list[int]] = {}
        by_source: dict[int, list[int]] = {}
        rows = self.rows(SITES)
        for place, (name, source) in enumerate(zip(rows["name"].to_pylist(), rows["source"].to_pylist(), strict=True)):
            by_name.setdefault(name, []).append(place)
            by_source.setdefault(source & _MASK, []).append(place)
        return by_name, by_source


def edge_of(row: Mapping[str, Any], source: SymbolId, target: SymbolId, prefix: str = "") -> Edge:
    """Return the edge that a row holds between these symbols; the prefix stands before its path."""
    return Edge(
        source=source,
        target=target,
        kind=EdgeKind(row["kind"]),
        via=Via(row["via"]),
        evidence=Evidence(row["evidence"]),
        confidence=row["confidence"],
        path=f"{prefix}{row['path']}",
        line=row["line"],
        candidates=row["candidates"],
    )
