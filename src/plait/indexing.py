"""From a folder to a snapshot, in one pass through the package: source, parse, graph, document, embed, store."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from plait import plugins, source
from plait.document import EMBEDDED, Neighbours, digest, documents, smooth
from plait.errors import NothingToIndex
from plait.model import (
    Document,
    EdgeKind,
    Evidence,
    FileState,
    Graph,
    ParsedFile,
    Skipped,
    SkipReason,
    SnapshotInfo,
    SourceFile,
    Unknown,
)
from plait.protocols import Embedder, Parser, Snapshot, Writer

if TYPE_CHECKING:
    from plait.model import Vector, Vectors

_T = TypeVar("_T")

Progress = Callable[[str, int, int], None]
"""Called as progress(stage, done, total)."""

BATCH = 256
"""Texts embedded between two calls of progress."""


@dataclass(frozen=True, slots=True)
class IndexReport:
    """What one build did. `parsed` and `embedded` count work really done, not what the snapshot holds."""

    info: SnapshotInfo
    skipped: Mapping[SkipReason, int]
    edges: Mapping[tuple[EdgeKind, Evidence], int]
    unresolved: Mapping[Unknown, int]
    parsed: int
    embedded: int
    reused: int
    """vectors taken from the snapshot before"""
    seconds: float


def build(
    root: Path,
    writer: Writer,
    embedder: Embedder,
    *,
    graph: str,
    max_file_bytes: int,
    before: Snapshot | None = None,
    progress: Progress = lambda stage, done, total: None,
) -> tuple[Snapshot, IndexReport]:
    """Index all of root. Vectors of unchanged texts are taken from `before`, if its embedder was the same.

    Raises NothingToIndex if no file could be parsed.
    """
    started = time.perf_counter()
    states, skipped = source.discover(root)
    sources, parsed, failed = _parse(root, states, max_file_bytes, progress)
    skipped = sorted([*skipped, *failed])
    if not parsed:
        raise NothingToIndex(str(root), _counted(str(skip.reason) for skip in skipped))

    linked: Graph = plugins.build("graph", graph).build(parsed)
    symbols = sorted((symbol for file in parsed for symbol in file.symbols), key=lambda symbol: symbol.id)
    neighbours = Neighbours(linked.edges)
    texts = list(documents(symbols, sources, neighbours, embedder))
    known = _known(before, embedder, texts)
    vectors, embedded = _embed(texts, embedder, known, progress)
    owners = [document.symbol for document in texts for _ in document.passages["plain"]]
    vectors["smoothed"] = smooth(vectors["plain"], owners, neighbours)

    info = SnapshotInfo(
        state=_state(sources.values(), embedder, graph),
        root=str(root),
        embedder=embedder.fingerprint,
        graph=graph,
        files=len(parsed),
        symbols=len(symbols),
        passages={template: len(rows) for template, rows in vectors.items()},
    )
    writer.put(symbols, texts, vectors)
    writer.connect(linked)
    writer.observe(states, skipped)
    return writer.commit(info), IndexReport(
        info=info,
        skipped=_counted(skip.reason for skip in skipped),
        edges=_counted((edge.kind, edge.evidence) for edge in linked.edges),
        unresolved=_counted(site.reason for site in linked.unresolved),
        parsed=len(parsed),
        embedded=embedded,
        reused=len(known),
        seconds=time.perf_counter() - started,
    )


def is_fresh(root: Path, snapshot: Snapshot) -> bool:
    """Whether the files below root that plait reads are those that the snapshot read, by size, times and inode."""
    states, _ = source.discover(root)
    return states == snapshot.files()


def _parse(
    root: Path, states: Sequence[FileState], limit: int, progress: Progress
) -> tuple[dict[str, SourceFile], list[ParsedFile], list[Skipped]]:
    parsers: dict[str, Parser] = {}
    sources: dict[str, SourceFile] = {}
    parsed: list[ParsedFile] = []
    skipped: list[Skipped] = []
    for done, state in enumerate(states):
        progress("parsing", done, len(states))
        file = source.read(root, state, limit=limit)
        if isinstance(file, SourceFile):
            if file.language not in parsers:
                parsers[file.language] = plugins.build("parser", file.language)
            facts = parsers[file.language].parse(file)
            if isinstance(facts, ParsedFile):
                sources[file.path] = file
                parsed.append(facts)
            else:
                skipped.append(facts)
        else:
            skipped.append(file)
    progress("parsing", len(states), len(states))
    return sources, parsed, skipped


def _known(before: Snapshot | None, embedder: Embedder, texts: Sequence[Document]) -> Mapping[str, Vector]:
    if before is None or before.info.embedder != embedder.fingerprint:
        return {}
    wanted = {digest(p.text) for document in texts for template in EMBEDDED for p in document.passages[template]}
    return before.vectors(wanted)


def _embed(
    texts: Sequence[Document], embedder: Embedder, known: Mapping[str, Vector], progress: Progress
) -> tuple[dict[str, Vectors], int]:
    """Return the vectors of each embedded template, and how many had to be computed; equal texts are computed once."""
    import numpy as np

    passages = {t: [p.text for document in texts for p in document.passages[t]] for t in EMBEDDED}
    missing = {digest(text): text for rows in passages.values() for text in rows}
    missing = {key: text for key, text in missing.items() if key not in known}
    found: dict[str, Vector] = dict(known)
    waiting = list(missing.items())
    for start in range(0, len(waiting), BATCH):
        progress("embedding", start, len(waiting))
        batch = waiting[start : start + BATCH]
        encoded = embedder.encode([text for _, text in batch], role="document")
        found.update(zip((key for key, _ in batch), encoded, strict=True))
    progress("embedding", len(waiting), len(waiting))
    vectors: dict[str, Vectors] = {}
    for template, rows in passages.items():
        vectors[template] = np.zeros((len(rows), embedder.dim), dtype=np.float32)
        for place, text in enumerate(rows):
            vectors[template][place] = found[digest(text)]
    return vectors, len(waiting)


def _state(files: Iterable[SourceFile], embedder: Embedder, graph: str) -> str:
    summary = blake2b(f"{embedder.fingerprint}\0{graph}".encode(), digest_size=16)
    for file in sorted(files, key=lambda file: file.path):
        summary.update(f"\0{file.path}\0{file.digest}".encode())
    return summary.hexdigest()


def _counted(values: Iterable[_T]) -> dict[_T, int]:
    """Count equal values; most frequent first, ties as they came."""
    return dict(Counter(values).most_common())
