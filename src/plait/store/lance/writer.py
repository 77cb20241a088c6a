"""Writes one build of one repository; its rows count once its repository's head names it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from plait.batch import DIGEST
from plait.graph.outward import outward
from plait.links import graph_of
from plait.model import FileRecord, Graph, Recovered, Skipped, SnapshotInfo, Symbol, SymbolId
from plait.store import records
from plait.store.lance import registry
from plait.store.lance.snapshot import LanceSnapshot, Unit
from plait.store.lance.tables import (
    BUILDS,
    EDGES,
    NUMBERS,
    OUTWARD,
    SITES,
    SYMBOLS,
    TERMS,
    Tables,
    arrow,
    schemas,
)

if TYPE_CHECKING:
    from plait.batch import Batch, Rows
    from plait.links import Links
    from plait.model import Codes
    from plait.store.lance.part import Parts

_ROWS = 20_000
"""Rows of a table that are held before they are written."""


class LanceWriter:
    """Raises Overtaken at `commit` if another builder has committed the repository meanwhile."""

    def __init__(self, tables: Tables, parts: Parts, name: str, state: str = "") -> None:
        self.tables, self._parts = tables, parts
        self._before = registry.head(tables, name)
        self._state = state
        self.build = registry.begin(tables, name)
        self._base = self.build << NUMBERS
        self._schemas = schemas(tables.about.dim)
        self._numbers: dict[SymbolId, int] = {}
        self._last: SymbolId | None = None
        self._waiting: dict[str, list[Any]] = {}
        self._written: dict[str, list[Any]] = {}
        self._counts: Counter[str] = Counter()
        self._documents: Counter[str] = Counter()
        self._owners: list[int] = []
        self._terms = 0
        self._published: dict[str, Any] = {"packages": [], "aliases": []}
        self._observed: dict[str, str] = {}

    def put(self, symbols: Sequence[Symbol], batch: Batch) -> None:
        first = len(self._numbers)
        rows: list[tuple[Any, ...]] = []
        for symbol, text, terms in zip(symbols, batch.texts, batch.terms.of_each(), strict=True):
            if self._last is not None and symbol.id <= self._last:
                raise ValueError(f"{symbol.id} comes after {self._last}: symbols are put by id")
            self._last = symbol.id
            key = self._base + len(self._numbers)
            self._numbers[symbol.id] = key
            self._documents.update(set(terms))
            self._terms += len(terms)
            rows.append((self.build, key, *records.symbol_row(symbol, text), len(terms), " ".join(terms)))
        self._add(SYMBOLS, rows)
        for template, found in batch.rows.items():
            self._passages(template, self._base + first, found)

    def _passages(self, template: str, first: int, rows: Rows) -> None:
        owners = [number for number, count in enumerate(rows.counts.tolist(), start=first) for _ in range(count)]
        digests = [rows.digests[at : at + DIGEST] for at in range(0, len(rows.digests), DIGEST)]
        if template == "plain":
            self._owners += owners
        start = self._counts[template]
        columns = [[self.build] * len(owners), list(range(start, start + len(owners))), owners]
        self._add_columns(template, [*columns, rows.spans.tolist(), digests, _lists(rows.codes)])

    def derive(self, template: str, codes: Codes) -> None:
        start = self._counts[template]
        end = start + len(codes)
        columns = [[self.build] * len(codes), list(range(start, end)), self._owners[start:end]]
        self._add_columns(template, [*columns, _lists(codes)])

    def connect(self, links: Links) -> None:
        graph = graph_of(links)
        numbers = self._numbers
        self._add(
            EDGES,
            [
                (
                    *(self.build, numbers[edge.source], numbers[edge.target], edge.kind, edge.via),
                    *(int(edge.evidence), edge.confidence, edge.path, edge.line, edge.candidates),
                )
                for edge in graph.edges
            ],
        )
        start = self._counts[SITES]
        self._add(
            SITES,
            [
                (
                    *(self.build, row, numbers[one.reference.source], one.reference.kind, one.reference.name),
                    *(one.reference.expression, one.reference.receiver, one.reference.arity, one.reference.line),
                    *(one.reference.column, one.path, one.reason, one.detail),
                )
                for row, one in enumerate(graph.unresolved, start=start)
            ],
        )

        self._outward(graph)

    def _outward(self, graph: Graph) -> None:
        """One row for all sites of a symbol that name the same; each symbol's sites are in one call of `connect`."""
        found: dict[tuple[Any, ...], tuple[Any, ...]] = {}
        for site in graph.unresolved:
            named = outward(site)
            if named is not None:
                reference = site.reference
                what = (self._numbers[reference.source], named.package, named.within, named.name, named.last)
                key = (*what, str(reference.kind), reference.arity)
                found.setdefault(key, (site.path, reference.line))
        first = self._counts[OUTWARD]
        rows = [(self.build, row, *key, *place) for row, (key, place) in enumerate(found.items(), start=first)]
        self._add(OUTWARD, rows)

    def publish(self, packages: Sequence[tuple[str, str]], aliases: Sequence[Sequence[str]]) -> None:
        """Note what the repository publishes: packages with their place, and names that its modules pass on."""
        self._published = {"packages": list(packages), "aliases": list(aliases)}

    def observe(self, files: Sequence[FileRecord], skipped: Sequence[Skipped], recovered: Sequence[Recovered]) -> None:
        self._observed = {
            "files": json.dumps([asdict(one) for one in sorted(files)]),
            "skipped": json.dumps([asdict(one) for one in sorted(skipped)]),
            "recovered": json.dumps([asdict(one) for one in sorted(recovered)]),
        }

    def commit(self, info: SnapshotInfo) -> LanceSnapshot:
        self._add(TERMS, [(self.build, term, self._documents[term]) for term in sorted(self._documents)])
        empty = {"files": "[]", "skipped": "[]", "recovered": "[]"}
        counts = json.dumps(self._counts)
        published = json.dumps(self._published)
        row = {"build": self.build, "info": json.dumps(asdict(info)), "counts": counts, "published": published}
        row |= empty | self._observed
        self._add(BUILDS, [tuple(row[name] for name in self._schemas[BUILDS].names)])
        for name in sorted(self._waiting):
            self._flush(name)
        for name in sorted(self._written):
            self.tables.append(name, self._written[name])
        packages = sorted({package for package, _ in self._published["packages"]})
        registry.commit(self.tables, self._before, self.build, self._state, len(self._numbers), self._terms, packages)
        return LanceSnapshot([Unit("", self._parts.of(self.build))], info)

    def _add(self, name: str, rows: Sequence[tuple[Any, ...]]) -> None:
        if rows:
            self._add_columns(name, [list(column) for column in zip(*rows, strict=True)])

    def _add_columns(self, name: str, columns: Sequence[Any]) -> None:
        if not len(columns[0]):
            return
        pa, schema = arrow(), self._schemas[name]
        arrays = [
            column if isinstance(column, pa.Array) else pa.array(column, type=kind)
            for column, kind in zip(columns, schema.types, strict=True)
        ]
        made = pa.Table.from_arrays(arrays, schema=schema)
        self._counts[name] += len(made)
        waiting = self._waiting.setdefault(name, [])
        waiting.append(made)
        if sum(map(len, waiting)) >= _ROWS:
            self._flush(name)

    def _flush(self, name: str) -> None:
        waiting = self._waiting.pop(name, None)
        if waiting:
            self._written.setdefault(name, []).extend(self.tables.write(name, arrow().concat_tables(waiting)))


def _lists(codes: Codes) -> Any:
    """Return codes as Arrow lists. Half floats hold whole numbers of eight bits exactly, and Lance can index them."""
    import numpy as np

    pa = arrow()
    flat = pa.array(codes.astype(np.float16).ravel(), type=pa.float16())
    return pa.FixedSizeListArray.from_arrays(flat, codes.shape[1] if codes.size else 1)
