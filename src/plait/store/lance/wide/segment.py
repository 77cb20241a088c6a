"""Reads a segment: kept on the local disk as a whole, mapped into memory from there."""

from __future__ import annotations

import zlib
from bisect import bisect_left
from functools import cached_property
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any

from plait.model import EdgeKind, Filter, Span, SymbolId
from plait.store.cells import Cells
from plait.store.lance.local import as_matrix, keep, mapped, rows_at
from plait.store.lance.tables import Tables, arrow, lance, reaching
from plait.store.lance.wide.segments import CENTRES, DOCUMENTS, LINKS, OF_SEGMENT, POSTINGS, TEXTS, Covered, place

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

_CODED = {DOCUMENTS: ("kind", "path", "language", "module"), LINKS: ("kind", "via", "path")}
"""Columns in which the same texts come many times."""


class Segment:
    """Documents have numbers from 0: by build in the order of `covered`, then by their number in it."""

    def __init__(self, tables: Tables, covered: Covered, folder: Path) -> None:
        self._tables, self.covered, self._folder = tables, covered, folder
        self._read: dict[str, pa.Table] = {}
        self._reading = RLock()
        """held while a table is fetched, so that several who ask at once fetch it once"""

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """The first document of each build, and last the number of documents."""
        import numpy as np

        return np.concatenate([[0], np.cumsum(self.covered.counts)])

    @property
    def count(self) -> int:
        return int(self.starts[-1])

    @cached_property
    def documents(self) -> pa.Table:
        return self._kept(DOCUMENTS)

    @cached_property
    def lengths(self) -> NDArray[np.uint32]:
        import numpy as np

        found: NDArray[np.uint32] = self.documents["length"].to_numpy().astype(np.uint32)
        return found

    def taken(self, numbers: Sequence[int], columns: Sequence[str]) -> list[tuple[Any, ...]]:
        rows = self.documents.select(list(columns)).take(arrow().array(numbers, type=arrow().int64()))
        return list(zip(*(column.to_pylist() for column in rows.columns), strict=True))

    def number(self, build: int, symbol: SymbolId) -> int | None:
        """Return the number of a symbol of the build at that place; None if the build has none of that id."""
        first, last = int(self.starts[build]), int(self.starts[build + 1])
        ids = self._values("id")
        found = bisect_left(ids, symbol, first, last)
        return found if found < last and ids[found] == symbol else None

    def named(self, name: str) -> NDArray[np.int64]:
        """Return the numbers of the symbols whose last name it is, ascending."""
        import numpy as np

        order = self.documents["by_name"].to_numpy()
        names = _Ordered(self._values("name"), order)
        first = bisect_left(names, name)
        last = first
        while last < len(order) and names[last] == name:
            last += 1
        return np.sort(order[first:last]).astype(np.int64)

    def postings(self, term: str) -> NDArray[np.uint32]:
        """Return rows (number, occurrences), ascending."""
        import numpy as np

        terms = self._terms
        at = bisect_left(terms, term)
        if at == len(terms) or terms[at] != term:
            return np.zeros((0, 2), dtype=np.uint32)
        rows = self._postings
        documents = np.frombuffer(rows["documents"][at].as_buffer(), dtype=np.uint32)
        counts = np.frombuffer(rows["counts"][at].as_buffer(), dtype=np.uint16)
        return np.stack([documents, counts.astype(np.uint32)], axis=1)

    def text(self, number: int) -> str:
        return zlib.decompress(self._kept(TEXTS)["text"][number].as_py()).decode()

    def containing(self, text: bytes, alive: NDArray[np.bool_] | None) -> Iterator[int]:
        """Yield the documents, of those that are alive, whose text has this one, given in small letters, in it."""
        for number, packed in enumerate(self._kept(TEXTS)["text"].chunk(0) if self.count else ()):
            if (alive is None or alive[number]) and text in zlib.decompress(packed.as_buffer()).lower():
                yield number

    # Edges

    @cached_property
    def _ends(self) -> Mapping[str, tuple[NDArray[np.int32], NDArray[np.uint32] | None]]:
        """For either end: its numbers, ascending, and the rows that have them (None: the same places)."""
        links = self._kept(LINKS)
        sources, targets, by_target = (links[name].to_numpy() for name in ("source", "target", "by_target"))
        return {"source": (sources, None), "target": (targets[by_target], by_target)}

    def edge_rows(self, numbers: Sequence[int], kinds: Collection[EdgeKind], end: str) -> NDArray[np.int64]:
        """Return the rows of the edges of those kinds that have one of the numbers at that end."""
        import numpy as np

        rows = rows_at(numbers, *self._ends[end])
        if not len(rows):
            return rows
        coded = self._kept(LINKS)["kind"].chunk(0)
        known = coded.dictionary.to_pylist()
        return rows[np.isin(coded.indices.to_numpy()[rows], [known.index(kind) for kind in kinds if kind in known])]

    def edge_end(self, rows: NDArray[np.int64], end: str) -> NDArray[np.int64]:
        found: NDArray[np.int64] = self._kept(LINKS)[end].to_numpy()[rows].astype("int64")
        return found

    def edges(self, rows: NDArray[np.int64]) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self._kept(LINKS).take(rows).to_pylist()
        return found

    # Vectors

    def cells(self, template: str) -> Cells:
        if template not in self._cells:
            import numpy as np

            rows = self._kept(template)
            centres = self._kept(CENTRES)
            places = np.flatnonzero(centres["template"].to_numpy(zero_copy_only=False) == template)
            flat = centres["centre"].combine_chunks()
            self._cells[template] = Cells(
                as_matrix(rows["codes"].chunk(0)),
                rows["square"].to_numpy(),
                rows["owner"].to_numpy(),
                flat.flatten().to_numpy().reshape(len(flat), -1)[places],
                np.append(centres["start"].to_numpy()[places], len(rows)),
            )
        return self._cells[template]

    def spans(self, template: str, rows: NDArray[np.int64]) -> list[Span]:
        listed = self._kept(template)["span"]
        return [Span(*one) for one in as_matrix(listed.chunk(0))[rows].tolist()] if len(listed) else []

    def allowed(self, where: Filter, prefixes: Sequence[str]) -> NDArray[np.bool_]:
        """Return which documents a filter accepts, its ids aside; a prefix stands before each build's paths."""
        import re
        from fnmatch import translate

        import numpy as np

        found = np.ones(self.count, dtype=np.bool_)
        if where.language is not None:
            found &= self._among("language", lambda one: one == where.language)
        if where.kinds is not None:
            kinds = set(map(str, where.kinds))
            found &= self._among("kind", lambda one: one in kinds)
        if where.tests is not None:
            found &= self.documents["is_test"].to_numpy(zero_copy_only=False) == where.tests
        if where.module is not None:
            found &= self._among("module", lambda one: f"{one}.".startswith(f"{where.module}."))
        if where.path is not None:
            fits = re.compile(translate(where.path)).match
            coded = self._coded("path")
            paths = coded.dictionary.to_pylist()
            codes = coded.indices.to_numpy()
            builds = np.repeat(np.arange(len(prefixes)), self.covered.counts)
            new = np.flatnonzero((np.diff(codes, prepend=-1) != 0) | (np.diff(builds, prepend=-1) != 0))
            told = [
                fits(f"{prefixes[build]}{paths[code]}") is not None
                for build, code in zip(builds[new].tolist(), codes[new].tolist(), strict=True)
            ]
            found &= np.repeat(np.array(told, dtype=np.bool_), np.diff(np.append(new, self.count)))
        return found

    def _among(self, column: str, fits: Any) -> NDArray[np.bool_]:
        import numpy as np

        coded = self._coded(column)
        found = np.array([fits(one) for one in coded.dictionary.to_pylist()], dtype=np.bool_)
        among: NDArray[np.bool_] = found[coded.indices.to_numpy()]
        return among

    def _coded(self, column: str) -> Any:
        return self.documents[column].chunk(0)

    @cached_property
    def _postings(self) -> pa.Table:
        return self._kept(POSTINGS)

    @cached_property
    def _terms(self) -> _Values:
        return _Values(self._postings["term"].chunk(0)) if len(self._postings) else _Values([])

    def _values(self, column: str) -> _Values:
        return _Values(self.documents[column].chunk(0)) if self.count else _Values([])

    @cached_property
    def _cells(self) -> dict[str, Cells]:
        return {}

    def fetch(self) -> None:
        """Read what is not on the local disk yet."""
        for name in OF_SEGMENT:
            self._kept(name)

    def _kept(self, name: str) -> pa.Table:
        if name not in self._read:
            with self._reading:
                if name not in self._read:
                    self._read[name] = self._mapped(name)
        return self._read[name]

    def _mapped(self, name: str) -> Any:
        path = self._folder / f"{name}.arrow"
        known = mapped(path)
        if known is not None:
            return known
        with reaching(self._tables.uri):
            options = dict(self._tables.options)
            rows = lance().dataset(self._tables.place(place(self.covered.segment, name)), storage_options=options)
            read = rows.to_table().combine_chunks()
        for column in _CODED.get(name, ()):
            at = read.schema.get_field_index(column)
            read = read.set_column(at, column, read[column].combine_chunks().dictionary_encode())
        keep(path, read)
        kept = mapped(path)
        return read if kept is None else kept


class _Values:
    """Texts of an Arrow array, one at a time, as bisecting wants them."""

    def __init__(self, array: Any) -> None:
        self._array = array

    def __len__(self) -> int:
        return len(self._array)

    def __getitem__(self, place: int) -> str:
        found: str = self._array[place].as_py()
        return found


class _Ordered:
    def __init__(self, values: _Values, order: NDArray[np.uint32]) -> None:
        self._values, self._order = values, order

    def __len__(self) -> int:
        return len(self._order)

    def __getitem__(self, place: int) -> str:
        return self._values[int(self._order[place])]
