"""From symbols to documents with vectors, some at a time, into a writer."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
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
    """What was embedded, with the vectors of `plain`, which others are derived from."""

    computed: int = 0
    reused: int = 0
    """vectors that were known; equal texts of one batch count once"""
    passages: dict[str, int] = field(default_factory=dict)
    """template -> number of vectors"""
    owners: list[SymbolId] = field(default_factory=list)
    """of the rows of `plain`"""
    plain: list[Codes] = field(default_factory=list)


def embed(
    symbols: Sequence[Symbol],
    runs: Runs,
    neighbours: Neighbours,
    names: Mapping[SymbolId, str],
    embedder: Embedder,
    writer: Writer | ChangesWriter,
    known: Known = lambda digests: {},
    around: Mapping[SymbolId, Codes] = MappingProxyType({}),
    progress: Progress = lambda stage, done, total: None,
) -> Embedded:
    """Put the symbols, given by id, with their documents, all templates, into a writer.

    `around` holds the plain vectors of their neighbours among symbols that are not put.
    """
    import numpy as np

    found = Embedded(passages=dict.fromkeys((*EMBEDDED, SMOOTHED), 0))
    for start in range(0, len(symbols), BATCH):
        progress("embedding", start, len(symbols))
        batch = symbols[start : start + BATCH]
        made = documents(batch, runs, neighbours, names, embedder)
        vectors, codes = _vectors(made, embedder, known, found)
        found.owners += [document.symbol for document in made for _ in document.passages[PLAIN]]
        found.plain.append(codes[PLAIN])
        writer.put(batch, made, vectors)
    progress("embedding", len(symbols), len(symbols))
    own = np.concatenate(found.plain) if found.plain else np.zeros((0, embedder.dim), dtype=np.int8)
    beside = [(symbol, rows) for symbol, rows in sorted(around.items()) if len(rows)]
    plain = np.concatenate([own, *(rows for _, rows in beside)])
    owners = [*found.owners, *(symbol for symbol, rows in beside for _ in rows)]
    smoothed = smooth(plain, owners, neighbours, only=frozenset(found.owners) if beside else None)
    writer.derive(SMOOTHED, smoothed[: len(own)])
    found.passages[SMOOTHED] = len(own)
    return found


def _vectors(
    made: Sequence[Document], embedder: Embedder, known: Known, found: Embedded
) -> tuple[dict[str, Vectors], dict[str, Codes]]:
    """Return the vectors of each embedded template and their codes; equal texts are computed once."""
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
    return rows, {template: codes(matrix) for template, matrix in rows.items()}
