"""Makes a segment of builds: symbols as columns, texts, postings by term, edges by source, vectors by cell."""

from __future__ import annotations

import itertools
import json
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from plait.document import EMBEDDED
from plait.errors import BrokenIndex
from plait.store.lance.snapshot import SYMBOL
from plait.store.lance.tables import BUILDS, EDGES, NUMBERS, SYMBOLS, Tables, among, arrow, lance, reaching
from plait.store.lance.wide import segments as registry
from plait.store.lance.wide.segments import CENTRES, DOCUMENTS, LINKS, POSTINGS, TEXTS, place

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from plait.model import Codes

COLUMNS = (*SYMBOL, "length")
LINKED = ["kind", "via", "evidence", "confidence", "path", "line", "candidates"]

_AT_ONCE = 50_000
"""Symbols, vectors and terms that are read or written at once."""

MOST = 65_535
"""Occurrences of a term in one symbol that are told apart: more count as so many."""


def make(tables: Tables, builds: Mapping[int, int]) -> int:
    """Make a segment of builds, symbols by build, in this order; return its number.

    Raises BrokenIndex if rows are missing.
    """
    segment = registry.begin(tables)
    starts = dict(zip(builds, itertools.accumulate(builds.values(), initial=0), strict=False))
    _write_symbols(tables, segment, builds, starts)
    _write_edges(tables, segment, builds, starts)
    centres = [_write_vectors(tables, segment, template, builds, starts) for template in EMBEDDED]
    _write(tables, segment, CENTRES, arrow().concat_tables(centres))
    registry.commit(tables, segment, builds)
    return segment


def _write_symbols(tables: Tables, segment: int, builds: Mapping[int, int], starts: Mapping[int, int]) -> None:
    import numpy as np
    import pyarrow.compute as pc

    from plait.store.postings import PostingsBuilder

    pa = arrow()
    postings = PostingsBuilder()
    made = []
    texts = []
    count = 0
    for some in _in_lots(builds):
        rows = _rows(tables, SYMBOLS, some, ["build", "key", *COLUMNS, "text", "words"])
        rows = rows.take(np.argsort(_numbers(rows, "key", starts)))
        for number, words in enumerate(rows["words"].to_pylist(), start=count):
            postings.add(number, words.split(" ") if words else ())
        count += len(rows)
        made.append(rows.select(list(COLUMNS)))
        texts.append(pa.array([zlib.compress(one.encode()) for one in rows["text"].to_pylist()], pa.large_binary()))
    _write(tables, segment, TEXTS, pa.table({"text": pa.chunked_array(texts, pa.large_binary())}))
    documents = pa.concat_tables(made).combine_chunks()
    by_name = pc.sort_indices(documents, [("name", "ascending")]).to_numpy().astype(np.uint32)
    _write(tables, segment, DOCUMENTS, documents.append_column("by_name", pa.array(by_name)))
    schema = pa.schema([("term", pa.string()), ("documents", pa.large_binary()), ("counts", pa.large_binary())])
    _write(tables, segment, POSTINGS, pa.RecordBatchReader.from_batches(schema, _posted(postings, schema)))


def _write_edges(tables: Tables, segment: int, builds: Mapping[int, int], starts: Mapping[int, int]) -> None:
    """Write edges by source, and the places of all of them by target."""
    import numpy as np

    pa = arrow()
    columns = ["build", "source", "target", *LINKED]
    made = []
    for some in _in_lots(builds):
        rows = _rows(tables, EDGES, some, columns).combine_chunks()
        sources, targets = (pa.array(_numbers(rows, end, starts)) for end in ("source", "target"))
        made.append(pa.table([sources, targets, *rows.select(LINKED).columns], names=["source", "target", *LINKED]))
    edges = pa.concat_tables(made).sort_by([("source", "ascending"), ("target", "ascending")]).combine_chunks()
    by_target = np.argsort(edges["target"].to_numpy(), kind="stable").astype(np.uint32)
    _write(tables, segment, LINKS, edges.append_column("by_target", pa.array(by_target)))


def _posted(postings: Iterable[tuple[str, bytes]], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    import numpy as np

    left = iter(postings)
    while some := list(itertools.islice(left, _AT_ONCE)):
        pairs = [np.frombuffer(rows, dtype=np.uint32).reshape(-1, 2) for _, rows in some]
        columns = [
            [term for term, _ in some],
            [rows[:, 0].tobytes() for rows in pairs],
            [np.minimum(rows[:, 1], MOST).astype(np.uint16).tobytes() for rows in pairs],
        ]
        yield arrow().RecordBatch.from_arrays(
            [arrow().array(column, kind) for column, kind in zip(columns, schema.types, strict=True)], schema=schema
        )


def _write_vectors(
    tables: Tables, segment: int, template: str, builds: Mapping[int, int], starts: Mapping[int, int]
) -> pa.Table:
    """Return the centres of the cells."""
    import numpy as np

    from plait.store.cells import divided
    from plait.vectors import squares

    pa = arrow()
    dim = tables.about.dim
    read = [_vectors(tables, template, some, starts) for some in _in_lots(builds)]
    owners, spans, codes = (np.concatenate([one[place] for one in read]) for place in range(3))
    del read
    centres, cells = divided(codes)
    order = np.lexsort((owners, cells))
    lengths = squares(codes)
    schema = pa.schema(
        [
            *(("owner", pa.int32()), ("square", pa.int32()), ("span", pa.list_(pa.int32(), 4))),
            ("codes", pa.list_(pa.int8(), dim)),
        ]
    )

    def batches() -> Iterator[Any]:
        for start in range(0, len(order), _AT_ONCE):
            rows = order[start : start + _AT_ONCE]
            columns = [pa.array(owners[rows]), pa.array(lengths[rows]), _lists(spans[rows]), _lists(codes[rows])]
            yield pa.RecordBatch.from_arrays(columns, schema=schema)

    _write(tables, segment, template, pa.RecordBatchReader.from_batches(schema, batches()))
    firsts = np.searchsorted(cells[order], np.arange(len(centres)))
    named = pa.array([template] * len(centres), pa.string())
    return pa.table({"template": named, "start": pa.array(firsts), "centre": _lists(centres)})


def _vectors(
    tables: Tables, template: str, builds: Sequence[int], starts: Mapping[int, int]
) -> tuple[NDArray[np.int32], NDArray[np.int32], Codes]:
    """Return owners, spans and codes of the rows of some builds, by build, as they were put."""
    import numpy as np

    columns = ["build", "row", "owner", "span", "codes"]
    rows = _rows(tables, template, builds, columns)
    rows = rows.sort_by([("build", "ascending"), ("row", "ascending")]).combine_chunks()
    if not len(rows):
        return np.zeros(0, np.int32), np.zeros((0, 4), np.int32), np.zeros((0, tables.about.dim), np.int8)
    spans = rows["span"].chunk(0).flatten().to_numpy().reshape(-1, 4)
    codes = rows["codes"].chunk(0).flatten().to_numpy(zero_copy_only=False)
    return _numbers(rows, "owner", starts), spans.astype(np.int32), codes.reshape(-1, tables.about.dim).astype(np.int8)


def _rows(tables: Tables, name: str, builds: Sequence[int], columns: Sequence[str]) -> pa.Table:
    """Read all rows of some builds. Raises BrokenIndex if there are not as many as the builds say."""
    rows = tables.read(name, among("build", builds), columns)
    counts = tables.read(BUILDS, among("build", builds), ["counts"])["counts"].to_pylist()
    expected = sum(json.loads(one).get(name, 0) for one in counts)
    if len(counts) != len(builds) or len(rows) != expected:
        raise BrokenIndex(tables.uri, f"of {len(builds)} builds, {len(rows)} of {expected} {name} are there")
    return rows


def _numbers(rows: pa.Table, column: str, starts: Mapping[int, int]) -> NDArray[np.int32]:
    """Return the numbers in the segment of the symbols that a column has the keys of."""
    import numpy as np

    builds, places = np.unique(rows["build"].to_numpy(), return_inverse=True)
    firsts = np.array([starts[one] for one in builds.tolist()], dtype=np.int64)
    found: NDArray[np.int32] = (firsts[places] + (rows[column].to_numpy() & ((1 << NUMBERS) - 1))).astype(np.int32)
    return found


def _lists(rows: NDArray[np.generic]) -> pa.FixedSizeListArray:
    return arrow().FixedSizeListArray.from_arrays(arrow().array(rows.ravel()), rows.shape[1])


def _in_lots(builds: Mapping[int, int]) -> Iterator[list[int]]:
    """Yield the builds, some at a time."""
    lot: list[int] = []
    total = 0
    for build in builds:
        if lot and total + builds[build] > _AT_ONCE:
            yield lot
            lot, total = [], 0
        lot.append(build)
        total += builds[build]
    if lot:
        yield lot


def _write(tables: Tables, segment: int, name: str, rows: pa.Table | pa.RecordBatchReader) -> None:
    with reaching(tables.uri):
        lance().write_dataset(
            rows,
            tables.place(place(segment, name)),
            mode="create",
            storage_options=dict(tables.options),
            enable_v2_manifest_paths=True,
        )
