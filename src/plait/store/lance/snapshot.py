"""Reads one build, or the builds of several repositories as one snapshot, exactly as the memory store would.

With several repositories the name of each and `//` stand before its ids and paths: `org/app//net.py:connect().`.
Numbers, counts and statistics are of these builds alone, whatever else is in the fleet.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import cached_property
from typing import TYPE_CHECKING, Any

from plait.document import EMBEDDED, PLAIN
from plait.model import (
    Direction,
    Edge,
    EdgeKind,
    FileRecord,
    FileState,
    Filter,
    Pool,
    Query,
    Ranking,
    Receiver,
    Recovered,
    Reference,
    ReferenceKind,
    Skipped,
    SkipReason,
    SnapshotInfo,
    Span,
    Symbol,
    SymbolId,
    SymbolKind,
    Unknown,
    Unresolved,
)
from plait.store import records
from plait.store.lance.part import Part

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from plait.model import Codes, Vector
    from plait.store.bm25 import TermScores
    from plait.store.pool import Best, Described

SEPARATOR = "//"
SYMBOL = tuple(name.strip() for name in records.SYMBOL.split(","))
DESCRIBED = ("id", "name", "kind", "path", "is_test")


@dataclass(frozen=True, slots=True)
class Unit:
    """One build in a snapshot."""

    repository: str
    """empty in a snapshot of one repository alone"""
    part: Part

    @property
    def prefix(self) -> str:
        return f"{self.repository}{SEPARATOR}" if self.repository else ""

    def outer(self, symbol: SymbolId) -> SymbolId:
        return SymbolId(f"{self.prefix}{symbol}")

    def inner(self, symbol: SymbolId) -> SymbolId | None:
        """Return a symbol's id without the repository; None for one of another repository."""
        return SymbolId(symbol.removeprefix(self.prefix)) if symbol.startswith(self.prefix) else None

    def number(self, symbol: SymbolId) -> int | None:
        inner = self.inner(symbol)
        return None if inner is None else self.part.numbers.get(inner)

    def symbols(self, numbers: Sequence[int]) -> list[Symbol]:
        return [self.symbol(row) for row in self.part.taken(numbers, SYMBOL)]

    def symbol(self, row: tuple[Any, ...]) -> Symbol:
        """Return the symbol of a row of the columns SYMBOL."""
        one = records.symbol(row)
        if not self.prefix:
            return one
        parent = None if one.parent is None else self.outer(one.parent)
        return replace(one, id=self.outer(one.id), path=f"{self.prefix}{one.path}", parent=parent)

    def edge(self, edge: Edge) -> Edge:
        if not self.prefix:
            return edge
        source, target = self.outer(edge.source), self.outer(edge.target)
        return replace(edge, source=source, target=target, path=f"{self.prefix}{edge.path}")

    def allowed(self, where: Filter) -> NDArray[np.bool_]:
        import numpy as np

        part = self.part
        found = np.ones(part.count, dtype=np.bool_)
        if where.language is not None:
            found &= np.array([one == where.language for one in part.column("language")], dtype=np.bool_)
        if where.kinds is not None:
            kinds = set(map(str, where.kinds))
            found &= np.array([one in kinds for one in part.column("kind")], dtype=np.bool_)
        if where.tests is not None:
            found &= np.array(part.column("is_test"), dtype=np.bool_) == where.tests
        if where.module is not None:
            fits = {one: f"{one}.".startswith(f"{where.module}.") for one in set(part.column("module"))}
            found &= np.array([fits[one] for one in part.column("module")], dtype=np.bool_)
        if where.path is not None:
            fits = {one: fnmatchcase(f"{self.prefix}{one}", where.path) for one in set(part.column("path"))}
            found &= np.array([fits[one] for one in part.column("path")], dtype=np.bool_)
        if where.ids is not None:
            found &= np.array([self.outer(one) in where.ids for one in part.ids], dtype=np.bool_)
        return found


class LanceSnapshot:
    def __init__(self, units: Sequence[Unit], info: SnapshotInfo) -> None:
        """`units` by repository; only a single one may have no name."""
        self.units = list(units)
        self.info = info

    @cached_property
    def _offsets(self) -> list[int]:
        """The number of each unit's first symbol, and last the number of symbols."""
        found = [0]
        for unit in self.units:
            found.append(found[-1] + unit.part.count)
        return found

    def _by_unit(self, numbers: Sequence[int]) -> Iterator[tuple[Unit, int, list[int]]]:
        """Yield the units that have some of the numbers, their offset, and these numbers in the unit."""
        import numpy as np

        given = np.array(numbers, dtype=np.int64)
        owners = np.searchsorted(self._offsets, given, "right") - 1
        for place in np.unique(owners).tolist():
            offset = self._offsets[place]
            yield self.units[place], offset, (given[owners == place] - offset).tolist()

    def symbols(self, ids: Sequence[SymbolId] | None = None) -> list[Symbol]:
        if ids is None:
            found = [one for unit in self.units for one in unit.symbols(range(unit.part.count))]
            return sorted(found, key=lambda symbol: symbol.id)
        known = {one.id: one for unit, numbers in self._found(ids) for one in unit.symbols(numbers)}
        return [known[symbol] for symbol in ids if symbol in known]

    def texts(self, ids: Sequence[SymbolId]) -> dict[SymbolId, str]:
        known = {
            unit.outer(symbol): text
            for unit, numbers in self._found(ids)
            for symbol, text in unit.part.taken(numbers, ("id", "text"))
        }
        return {symbol: known[symbol] for symbol in ids if symbol in known}

    def _found(self, ids: Collection[SymbolId]) -> Iterator[tuple[Unit, list[int]]]:
        """Yield units with the numbers, ascending, that these ids have in them."""
        by_number: dict[int, None] = dict.fromkeys(sorted(self.numbers(ids).values()))
        for unit, _, numbers in self._by_unit(list(by_number)) if by_number else ():
            yield unit, numbers

    def named(self, name: str) -> list[Symbol]:
        found = [one for unit in self.units for one in unit.symbols(unit.part.named.get(name, []))]
        return sorted(found, key=lambda symbol: symbol.id)

    def containing(self, text: str) -> frozenset[SymbolId]:
        wanted = text.encode().lower()
        return frozenset(
            unit.outer(symbol)
            for unit in self.units
            for symbol, own in zip(unit.part.ids, unit.part.column("text"), strict=True)
            if wanted in own.encode().lower()
        )

    # Rankings

    def nearest(self, vector: Vector, k: int, where: Filter = Filter(), template: str = PLAIN) -> Ranking:
        from plait.store.candidates import dense_ranking

        query = Query("", vector, (), where)
        best = self.best(query, template)
        return dense_ranking(
            *(best.numbers, best.cosines, k, template),
            allowed=self.alive(query),
            ids=self._ids,
            spans=lambda places: self._spans(template, best.numbers[places], best.rows[places]),
        )

    def matching(self, terms: Sequence[str], k: int, where: Filter = Filter()) -> Ranking:
        from plait.store.bm25 import scores
        from plait.store.candidates import lexical_ranking

        numbers, found = scores(terms, self._postings, self.lengths)
        return lexical_ranking(numbers, found, k, allowed=self._allowed(where), ids=self._ids)

    def pool(self, query: Query, depth: int, seeds: int, also: Collection[SymbolId] = ()) -> Pool:
        from plait.store.pool import pool

        return pool(self, query, depth, seeds, also)

    def alive(self, query: Query) -> NDArray[np.bool_] | None:
        return self._allowed(query.where)

    def _allowed(self, where: Filter) -> NDArray[np.bool_] | None:
        import numpy as np

        if where.is_empty:
            return None
        return np.concatenate([np.zeros(0, dtype=np.bool_), *(unit.allowed(where) for unit in self.units)])

    @cached_property
    def lengths(self) -> NDArray[np.uint32]:
        import numpy as np

        return np.concatenate([np.zeros(0, dtype=np.uint32), *(unit.part.lengths for unit in self.units)])

    def words(self, query: Query) -> Sequence[TermScores]:
        from plait.store.bm25 import term_scores

        return term_scores(query.terms, self._postings, self.lengths)

    def _postings(self, term: str) -> NDArray[np.uint32]:
        import numpy as np

        found = [np.zeros((0, 2), dtype=np.uint32)]
        for unit, offset in zip(self.units, self._offsets, strict=False):
            found.append(unit.part.postings(term) + np.array([offset, 0], dtype=np.uint32))
        return np.concatenate(found)

    def best(self, query: Query, template: str) -> Best:
        import numpy as np

        from plait.store.dense import best_passages
        from plait.store.pool import Best

        found = [best_passages(unit.part.matrix(template), query.vector) for unit in self.units]
        shifted = [one[0].astype(np.int64) + at for one, at in zip(found, self._offsets, strict=False)]
        return Best(
            np.concatenate([np.zeros(0, dtype=np.int64), *shifted]),
            np.concatenate([np.zeros(0), *(one[1] for one in found)]),
            np.concatenate([np.zeros(0, dtype=np.int64), *(one[2] for one in found)]),
        )

    def numbers(self, ids: Collection[SymbolId]) -> dict[SymbolId, int]:
        found: dict[SymbolId, int] = {}
        for symbol in sorted(ids):
            place = self._places.get(symbol.partition(SEPARATOR)[0] if len(self.units) > 1 or self._is_named else "")
            if place is not None:
                number = self.units[place].number(symbol)
                if number is not None:
                    found[symbol] = number + self._offsets[place]
        return found

    @property
    def _is_named(self) -> bool:
        return any(unit.repository for unit in self.units)

    @cached_property
    def _places(self) -> dict[str, int]:
        return {unit.repository: place for place, unit in enumerate(self.units)}

    def described(self, numbers: Sequence[int]) -> Sequence[Described]:
        found: dict[int, Described] = {}
        for unit, offset, inner in self._by_unit(numbers) if len(numbers) else ():
            rows = unit.part.taken(inner, DESCRIBED)
            for number, (symbol, name, kind, path, is_test) in zip(inner, rows, strict=True):
                described = (unit.outer(symbol), name, SymbolKind(kind), f"{unit.prefix}{path}", is_test)
                found[number + offset] = described
        return [found[number] for number in numbers]

    def span(self, number: int, row: int) -> Span:
        return self._spans(PLAIN, [number], [row])[0]

    def _spans(self, template: str, numbers: Sequence[int] | NDArray[np.int64], rows: Any) -> list[Span]:
        """Return the spans of passages, given by their documents' numbers and by their rows."""
        import numpy as np

        owners = np.searchsorted(self._offsets, numbers, "right") - 1
        return [
            self.units[owner].part.spans(template)[row]
            for owner, row in zip(owners.tolist(), np.asarray(rows).tolist(), strict=True)
        ]

    def _ids(self, numbers: Sequence[int]) -> list[SymbolId]:
        found = {
            number + offset: unit.outer(unit.part.ids[number])
            for unit, offset, inner in (self._by_unit(numbers) if len(numbers) else ())
            for number in inner
        }
        return [found[number] for number in numbers]

    # Edges

    def edges(self, ids: Collection[SymbolId], kinds: Collection[EdgeKind], direction: Direction) -> list[Edge]:
        found: list[Edge] = []
        for unit, numbers in self._found(ids):
            rows = unit.part.edge_rows(numbers, list(kinds), end_of(direction))
            found += map(unit.edge, unit.part.edges(rows))
        return sorted(found, key=lambda edge: (edge.source, edge.target, edge.kind, edge.via))

    def degree(
        self, ids: Collection[SymbolId], kinds: Collection[EdgeKind], direction: Direction
    ) -> dict[SymbolId, int]:
        found = dict.fromkeys(sorted(ids), 0)
        end = end_of(direction)
        for unit, numbers in self._found(ids):
            rows = unit.part.edge_rows(numbers, list(kinds), end)
            for number in unit.part.end_of(rows, end).tolist():
                found[unit.outer(unit.part.ids[number])] += 1
        return found

    def unresolved(self, name: str | None = None, source: SymbolId | None = None) -> list[Unresolved]:
        found: list[Unresolved] = []
        for unit in self.units:
            number = None if source is None else unit.number(source)
            if source is None or number is not None:
                found += (_site(row, unit) for row in unit.part.sites(name, number))
        return sorted(found, key=lambda site: (site.path, site.reference.line, site.reference.column))

    # Files

    def files(self) -> list[FileState]:
        return [record.state for record in self.records()]

    def records(self) -> list[FileRecord]:
        found = [
            FileRecord(**row | {"state": FileState(**row["state"] | {"path": f"{unit.prefix}{row['state']['path']}"})})
            for unit in self.units
            for row in unit.part.noted("files")
        ]
        return sorted(found)

    def defined(self, paths: Collection[str]) -> list[SymbolId]:
        wanted = frozenset(paths)
        return sorted(
            unit.outer(symbol)
            for unit in self.units
            for symbol, path in zip(unit.part.ids, unit.part.column("path"), strict=True)
            if f"{unit.prefix}{path}" in wanted
        )

    def mentioning(self, terms: Collection[str]) -> list[str]:
        return sorted(
            {
                f"{unit.prefix}{unit.part.column('path')[number]}"
                for unit in self.units
                for term in terms
                for number in unit.part.postings(term)[:, 0].tolist()
            }
        )

    def rows(self, ids: Collection[SymbolId], template: str = PLAIN) -> dict[SymbolId, Codes]:
        import numpy as np

        found: dict[SymbolId, Codes] = {}
        for unit, numbers in self._found(ids):
            matrix = unit.part.matrix(template)
            for number in numbers:
                first, last = np.searchsorted(matrix.owners, (number, number + 1))
                found[unit.outer(unit.part.ids[number])] = matrix.codes[first:last]
        return found

    def skipped(self) -> list[Skipped]:
        return sorted(
            Skipped(f"{unit.prefix}{row['path']}", SkipReason(row["reason"]), row["detail"], row["count"])
            for unit in self.units
            for row in unit.part.noted("skipped")
        )

    def recovered(self) -> list[Recovered]:
        return sorted(
            Recovered(f"{unit.prefix}{row['path']}", row["problem"], tuple(map(tuple, row["left_out"])))
            for unit in self.units
            for row in unit.part.noted("recovered")
        )

    def vectors(self, digests: Collection[str]) -> dict[str, Vector]:
        from plait.vectors import unit as of_unit_length

        found: dict[str, Vector] = {}
        for unit in self.units:
            for template in EMBEDDED:
                known = unit.part.digests(template)
                keys = sorted(key for key in digests if key in known)
                if keys:
                    codes = unit.part.matrix(template).codes[[known[key] for key in keys]]
                    found |= dict(zip(keys, of_unit_length(codes), strict=True))
        return found

    def postings(self) -> Iterator[tuple[str, list[tuple[SymbolId, int]]]]:
        for term in sorted({term for unit in self.units for term in unit.part.terms}):
            rows = self._postings(term).tolist()
            names = self._ids([number for number, _ in rows])
            yield term, sorted(zip(names, (count for _, count in rows), strict=True))

    def passages(self, template: str) -> Iterator[tuple[SymbolId, Span, bytes]]:
        found: list[tuple[SymbolId, int, Unit]] = []
        for unit in self.units:
            owners = unit.part.matrix(template).owners.tolist()
            found += [(unit.outer(unit.part.ids[owner]), row, unit) for row, owner in enumerate(owners)]
        for symbol, row, unit in sorted(found, key=lambda one: one[:2]):
            yield symbol, unit.part.spans(template)[row], unit.part.matrix(template).codes[row].tobytes()


def end_of(direction: Direction) -> str:
    return "source" if direction is Direction.OUT else "target"


def _site(row: dict[str, Any], unit: Unit) -> Unresolved:
    reference = Reference(
        *(unit.outer(row["source"]), ReferenceKind(row["kind"]), row["name"], row["expression"]),
        *(Receiver(row["receiver"]), row["arity"], row["line"], row["column"]),
    )
    return Unresolved(reference, f"{unit.prefix}{row['path']}", Unknown(row["reason"]), row["detail"])
