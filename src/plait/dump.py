"""All that a snapshot answers from, as lines of text: equal indexes have equal dumps, and a difference can be read.

A line is the name of its table, then what tells its row from the others, then the rest as JSON. Tables come in the
order of TABLES, lines within one in one order, too: most by symbol, unresolved sites by file, postings by term, vectors
by template. No value holds a line end. Texts and vectors are given by their digests, spans as lines:bytes.

Not in it: where the root lies, the times and inodes of files, the commit, and what was left out without being read
(folders, files in other languages). None of these makes an answer another one, and no index is renewed for them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from hashlib import blake2b
from itertools import groupby

from plait.model import Direction, EdgeKind, Span, Unresolved
from plait.protocols import Snapshot

_BATCH = 5_000
"""Symbols whose texts or edges are asked for at once."""


def dump(snapshot: Snapshot) -> Iterator[str]:
    """Yield the lines of all tables. Raises BrokenIndex."""
    for name in TABLES:
        yield from table(snapshot, name)


def table(snapshot: Snapshot, name: str) -> Iterator[str]:
    yield from (f"{name} {line}" for line in TABLES[name](snapshot))


def _info(snapshot: Snapshot) -> Iterator[str]:
    info = snapshot.info
    kept = ("state", "embedder", "graph", "files", "symbols", "passages", "edges", "unresolved", "pending")
    yield from (f"{name} {_json(getattr(info, name))}" for name in kept)
    yield from (f"scip {_json([one.state.path, one.problem])}" for one in info.scip)


def _files(snapshot: Snapshot) -> Iterator[str]:
    yield from (_json(state.path) for state in snapshot.files())


def _skipped(snapshot: Snapshot) -> Iterator[str]:
    read = {state.path for state in snapshot.files()}
    yield from (_json([skip.path, skip.reason, skip.detail]) for skip in snapshot.skipped() if skip.path in read)


def _recovered(snapshot: Snapshot) -> Iterator[str]:
    yield from (_json([one.path, one.problem, one.left_out]) for one in snapshot.recovered())


def _symbols(snapshot: Snapshot) -> Iterator[str]:
    for symbol in snapshot.symbols():
        values = asdict(symbol) | {"span": _span(symbol.span), "own": [_span(span) for span in symbol.own]}
        if not symbol.cells:
            del values["cells"]
        yield f"{values.pop('id')} {_json(values)}"


def _texts(snapshot: Snapshot) -> Iterator[str]:
    ids = [symbol.id for symbol in snapshot.symbols()]
    for start in range(0, len(ids), _BATCH):
        for symbol, text in snapshot.texts(ids[start : start + _BATCH]).items():
            yield f"{symbol} {_digest(text.encode())}"


def _edges(snapshot: Snapshot) -> Iterator[str]:
    ids = [symbol.id for symbol in snapshot.symbols()]
    for start in range(0, len(ids), _BATCH):
        for edge in snapshot.edges(ids[start : start + _BATCH], list(EdgeKind), Direction.OUT):
            rest = [edge.evidence.name.lower(), edge.confidence, f"{edge.path}:{edge.line}", edge.candidates]
            yield f"{edge.source} {edge.target} {edge.kind} {edge.via} {_json(rest)}"


def _unresolved(snapshot: Snapshot) -> Iterator[str]:
    for _, sites in groupby(snapshot.unresolved(), key=lambda site: site.path):
        yield from sorted(map(_site, sites))


def _site(site: Unresolved) -> str:
    values = asdict(site.reference) | {"path": site.path, "reason": site.reason, "detail": site.detail}
    return f"{values.pop('source')} {_json(values)}"


def _postings(snapshot: Snapshot) -> Iterator[str]:
    for term, found in snapshot.postings():
        yield from (f"{term} {symbol} {occurrences}" for symbol, occurrences in found)


def _vectors(snapshot: Snapshot) -> Iterator[str]:
    for template in sorted(snapshot.info.passages):
        for symbol, span, codes in snapshot.passages(template):
            yield f"{template} {symbol} {_span(span)} {_digest(codes)}"


TABLES: Mapping[str, Callable[[Snapshot], Iterator[str]]] = {
    "info": _info,
    "file": _files,
    "skipped": _skipped,
    "recovered": _recovered,
    "symbol": _symbols,
    "text": _texts,
    "edge": _edges,
    "unresolved": _unresolved,
    "posting": _postings,
    "vector": _vectors,
}


def _span(span: Span) -> str:
    return f"{span.start_line}-{span.end_line}:{span.start_byte}-{span.end_byte}"


def _json(value: object) -> str:
    return json.dumps(value, sort_keys=True)


def _digest(content: bytes) -> str:
    return blake2b(content, digest_size=8).hexdigest()
