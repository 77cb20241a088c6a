"""From symbols to documents with vectors, some at a time, into a writer."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from types import MappingProxyType
from typing import TYPE_CHECKING

from plait.document import EMBEDDED, PLAIN, SMOOTHED, Neighbours, Runs, digest, documents, smooth
from plait.model import Document, Symbol, SymbolId
from plait.protocols import ChangesWriter, Embedder, Writer

if TYPE_CHECKING:
    from plait.model import Codes, Vector, Vectors

BATCH = 512
"""Symbols whose documents are made, embedded and written at once."""

Known = Callable[[Collection[str]], Mapping[str, "Vector"]]
"""Vectors that need not be computed, by the digest of their text."""

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
    known: Known = lambda digests: {},
    around: Mapping[SymbolId, Codes] = MappingProxyType({}),
    progress: Progress = lambda stage, done, total: None,
    total: int = 0,
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
    coming, done = iter(symbols), 0
    while batch := list(islice(coming, BATCH)):
        progress("embedding", done, max(total, done))
        made = documents(batch, runs, neighbours, names, embedder)
        vectors = _vectors(made, embedder, known, found)
        plain += codes(vectors[PLAIN]).tobytes()
        owners += [document.symbol for document in made for _ in document.passages[PLAIN]]
        writer.put(batch, made, vectors)
        done += len(batch)
    progress("embedding", done, done)
    found.passages[SMOOTHED] = len(owners)
    beside = [(symbol, codes_) for symbol, codes_ in sorted(around.items()) if len(codes_)]
    for _, codes_ in beside:
        plain += codes_.tobytes()
    every = [*owners, *(symbol for symbol, codes_ in beside for _ in codes_)]
    rows = np.frombuffer(plain, dtype=np.int8).reshape(-1, embedder.dim)
    for vectors_ in smooth(rows, every, neighbours, len(owners)):
        writer.derive(SMOOTHED, vectors_)
    return found


def _vectors(made: Sequence[Document], embedder: Embedder, known: Known, found: Embedded) -> dict[str, Vectors]:
    """Return the vectors of each embedded template; equal texts are computed once."""
    import numpy as np

    from plait.vectors import codes, unit

    keys = {t: [(digest(p.text), p.text) for document in made for p in document.passages[t]] for t in EMBEDDED}
    texts = dict(pair for rows in keys.values() for pair in rows)
    vectors = dict(known(texts.keys()))
    missing = [key for key in texts if key not in vectors]
    if missing:
        encoded = embedder.encode([texts[key] for key in missing], role="document")
        vectors |= dict(zip(missing, unit(codes(encoded)), strict=True))
    found.computed += len(missing)
    found.reused += len(texts) - len(missing)
    rows: dict[str, Vectors] = {}
    for template, pairs in keys.items():
        found.passages[template] += len(pairs)
        rows[template] = np.array([vectors[key] for key, _ in pairs], dtype=np.float32).reshape(-1, embedder.dim)
    return rows
