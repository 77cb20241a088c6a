"""From symbols to documents with vectors, some at a time, into a writer."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import islice
from types import MappingProxyType
from typing import TYPE_CHECKING

from plait.document import (
    EMBEDDED,
    PLAIN,
    SMOOTHED,
    Neighbours,
    Runs,
    batch_of,
    digest,
    documents,
    smooth,
    structure_header,
)
from plait.model import Document, Passage, Symbol, SymbolId
from plait.processes import Pool, processes
from plait.protocols import ChangesWriter, Embedder, PortableEmbedder, Writer

if TYPE_CHECKING:
    from plait.batch import Batch
    from plait.model import Codes, Vector

BATCH = 512
"""Symbols whose documents are made, embedded and written at once."""

Known = Callable[[Collection[str]], Mapping[str, "Vector"]]
"""Vectors that need not be computed, by the digest of their text."""

WORTH_PROCESSES = 4_000
"""Symbols from which processes pay: starting two costs about as much as embedding 1,500."""


def nothing_known(digests: Collection[str]) -> Mapping[str, Vector]:
    return {}


Progress = Callable[[str, int, int], None]


@dataclass(slots=True)
class Embedded:
    """What was embedded."""

    computed: int = 0
    reused: int = 0
    """vectors that were known; equal texts of one batch count once"""
    passages: dict[str, int] = field(default_factory=dict)
    """template -> number of vectors"""


def embed(
    symbols: Iterable[Symbol],
    runs: Runs,
    neighbours: Neighbours,
    names: Mapping[SymbolId, str],
    embedder: Embedder,
    writer: Writer | ChangesWriter,
    known: Known = nothing_known,
    around: Mapping[SymbolId, Codes] = MappingProxyType({}),
    progress: Progress = lambda stage, done, total: None,
    total: int = 0,
    pool: Pool | None = None,
) -> Embedded:
    """Put the symbols, given by id, with their documents, all templates, into a writer.

    `around` holds the plain vectors of their neighbours among symbols that are not put; `total` is how many symbols
    there are, for those who watch.
    """
    import numpy as np

    from plait.vectors import codes

    found = Embedded(passages=dict.fromkeys((*EMBEDDED, SMOOTHED), 0))
    plain = bytearray()
    owners: list[SymbolId] = []
    done = 0
    parts = _parts(symbols, runs, neighbours, names)
    with closing(_made(parts, embedder, known, total, pool)) as making:
        for part, batch, computed, reused in making:
            progress("embedding", done, max(total, done))
            found.computed += computed
            found.reused += reused
            for template, rows in batch.rows.items():
                found.passages[template] += len(rows.codes)
            plain += batch.rows[PLAIN].codes.tobytes()
            counts = batch.rows[PLAIN].counts.tolist()
            owners += [symbol.id for symbol, count in zip(part, counts, strict=True) for _ in range(count)]
            writer.put(part, batch)
            done += len(part)
    progress("embedding", done, done)
    found.passages[SMOOTHED] = len(owners)
    beside = [(symbol, codes_) for symbol, codes_ in sorted(around.items()) if len(codes_)]
    for _, codes_ in beside:
        plain += codes_.tobytes()
    every = [*owners, *(symbol for symbol, codes_ in beside for _ in codes_)]
    matrix = np.frombuffer(plain, dtype=np.int8).reshape(-1, embedder.dim)
    for moved in smooth(matrix, every, neighbours, len(owners)):
        writer.derive(SMOOTHED, codes(moved))
    return found


_Part = tuple[list[Symbol], list[list[Passage]], list[str]]
"""Symbols, the runs of lines of each, and its structure header."""

_Made = tuple[list[Symbol], "Batch", int, int]
"""Symbols and their documents; how many texts were computed, and how many were known."""


def _parts(
    symbols: Iterable[Symbol], runs: Runs, neighbours: Neighbours, names: Mapping[SymbolId, str]
) -> Iterator[_Part]:
    coming = iter(symbols)
    while batch := list(islice(coming, BATCH)):
        yield batch, [runs(symbol) for symbol in batch], [structure_header(one, neighbours, names) for one in batch]


def _made(
    parts: Iterator[_Part], embedder: Embedder, known: Known, total: int, pool: Pool | None
) -> Generator[_Made, None, None]:
    """Make documents and vectors, in several processes if that pays and no vectors are at hand."""
    portable = isinstance(embedder, PortableEmbedder) and embedder.portable
    pays = known is nothing_known and total >= WORTH_PROCESSES and processes() > 1
    if pool is not None and portable and pays:
        sent: deque[list[Symbol]] = deque()
        with closing(pool.mapped(_make, _sending(parts, sent), _as_given, embedder)) as found:
            for batch, computed, reused in found:
                yield sent.popleft(), batch, computed, reused
        return
    for symbols, pieces, headers in parts:
        yield symbols, *_batch(documents(symbols, pieces, headers, embedder), embedder, known)


def _sending(parts: Iterator[_Part], sent: deque[list[Symbol]]) -> Iterator[_Part]:
    """Note the symbols of each part that goes to a process, so that they need not come back."""
    for part in parts:
        sent.append(part[0])
        yield part


def _as_given(embedder: Embedder) -> Embedder:
    return embedder


def _make(embedder: Embedder, part: _Part) -> tuple[Batch, int, int]:
    symbols, pieces, headers = part
    return _batch(documents(symbols, pieces, headers, embedder), embedder, nothing_known)


def _batch(made: Sequence[Document], embedder: Embedder, known: Known) -> tuple[Batch, int, int]:
    """Embed each template, equal texts once; return how many were computed, and were known."""
    import numpy as np

    from plait.vectors import codes

    keys = {t: [(digest(p.text), p.text) for document in made for p in document.passages[t]] for t in EMBEDDED}
    texts = dict(pair for rows in keys.values() for pair in rows)
    found = known(texts.keys())
    missing = [key for key in texts if key not in found]
    places = {key: place for place, key in enumerate((*found, *missing))}
    stored = np.array([*found.values()], dtype=np.float32).reshape(-1, embedder.dim)
    encoded = embedder.encode([texts[key] for key in missing], role="document") if missing else stored[:0]
    every = codes(np.concatenate([stored, encoded]))
    rows = {template: every[[places[key] for key, _ in pairs]] for template, pairs in keys.items()}
    return batch_of(made, rows), len(missing), len(texts) - len(missing)
