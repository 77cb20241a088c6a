"""Many repositories as one snapshot that reads of each question only what it needs.

Words and their statistics are exact, of the repositories that are asked alone. Meaning is approximate: documents are
found in the cells nearest to the question, and those that are found any other way get their exact cosine. Builds that
no segment covers yet are read whole, as `LanceSnapshot` does.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from plait.document import EMBEDDED
from plait.errors import BrokenIndex
from plait.model import (
    Direction,
    Edge,
    EdgeKind,
    Filter,
    Query,
    Ranking,
    SnapshotInfo,
    Span,
    Symbol,
    SymbolId,
    SymbolKind,
)
from plait.store.lance.snapshot import DESCRIBED, SEPARATOR, SYMBOL, LanceSnapshot, Unit, end_of
from plait.store.lance.tables import NUMBERS, SYMBOLS, Tables, among, quoted
from plait.store.lance.wide.segment import Segment

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from plait.store.bm25 import TermScores
    from plait.store.pool import Best, Described

LOOKED_AT = 60_000
"""Rows of a segment that a question looks at in each template: of a million about every seventeenth, which finds .. of
the ten best (benchmarks/results/fleet-scale.txt)."""

_MASKS = 8
"""Filters whose documents are remembered."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A segment in a snapshot."""

    segment: Segment
    start: int
    """number of its first document"""
    units: tuple[Unit | None, ...]
    """of each of its builds; None if the snapshot has not this build, whose documents are as if they were not there"""


@dataclass(frozen=True, slots=True)
class Layout:
    """Documents are numbered through: segments whole, then the builds that none covers."""

    placed: tuple[Placed, ...]
    units: tuple[Unit, ...]
    """by their first number"""
    starts: tuple[int, ...]
    """the first number of each unit, and last the number of documents"""
    covered: int
    """documents of segments; those of builds that none covers come after"""
    alive: NDArray[np.bool_] | None
    """None: all"""


def layout(units: Sequence[Unit], segments: Sequence[tuple[Segment, Collection[int]]]) -> Layout:
    """Lay out builds over the segments that answer for some of them."""
    import numpy as np

    left = {unit.part.build: unit for unit in units}
    placed: list[Placed] = []
    found: list[tuple[int, Unit]] = []
    masks: list[NDArray[np.bool_]] = []
    total = 0
    for segment, builds in segments:
        own = [left.pop(build) if build in builds else None for build in segment.covered.builds]
        placed.append(Placed(segment, total, tuple(own)))
        found += [(total + int(at), unit) for at, unit in zip(segment.starts, own, strict=False) if unit is not None]
        masks.append(np.repeat([unit is not None for unit in own], segment.covered.counts))
        total += segment.count
    covered = total
    for unit in sorted(left.values(), key=lambda one: one.repository):
        found.append((total, unit))
        masks.append(np.ones(unit.part.count, dtype=np.bool_))
        total += unit.part.count
    alive = np.concatenate([np.zeros(0, dtype=np.bool_), *masks])
    starts = tuple(start for start, _ in found)
    return Layout(
        *(tuple(placed), tuple(unit for _, unit in found), (*starts, total), covered),
        None if alive.all() else alive,
    )


class WideSnapshot(LanceSnapshot):
    def __init__(self, tables: Tables, layout: Layout, info: SnapshotInfo, looked_at: int = LOOKED_AT) -> None:
        super().__init__(layout.units, info)
        self._tables, self._layout, self._looked_at = tables, layout, looked_at
        self._masks: list[tuple[Filter, NDArray[np.bool_] | None]] = []

    @cached_property
    def _offsets(self) -> list[int]:
        return list(self._layout.starts)

    @property
    def _tail(self) -> Iterator[tuple[Unit, int]]:
        """The units that no segment covers, with their first number."""
        for unit, start in zip(self.units, self._layout.starts, strict=False):
            if start >= self._layout.covered:
                yield unit, start

    # Documents

    @cached_property
    def lengths(self) -> NDArray[np.uint32]:
        import numpy as np

        found = [one.segment.lengths for one in self._layout.placed] + [unit.part.lengths for unit, _ in self._tail]
        return found[0] if len(found) == 1 else np.concatenate([np.zeros(0, dtype=np.uint32), *found])

    def _allowed(self, where: Filter) -> NDArray[np.bool_] | None:
        import numpy as np

        if where.is_empty:
            return self._layout.alive
        for known, mask in self._masks:
            if known == where:
                return mask
        found = [
            *(
                one.segment.allowed(where, [unit.prefix if unit else "" for unit in one.units])
                for one in self._layout.placed
            ),
            *(unit.allowed(where) for unit, _ in self._tail),
        ]
        mask = np.concatenate([np.zeros(0, dtype=np.bool_), *found])
        if self._layout.alive is not None:
            mask &= self._layout.alive
        if where.ids is not None:
            own = np.zeros(len(mask), dtype=np.bool_)
            own[sorted(self.numbers(where.ids).values())] = True
            mask &= own
        self._masks = [*self._masks[1 - _MASKS :], (where, mask)]
        return mask

    def numbers(self, ids: Collection[SymbolId]) -> dict[SymbolId, int]:
        found: dict[SymbolId, int] = {}
        for symbol in sorted(ids):
            repository, _, inner = symbol.partition(SEPARATOR) if self._is_named else ("", "", symbol)
            at = self._places.get(repository)
            if at is None:
                continue
            start, unit = self._layout.starts[at], self.units[at]
            if start >= self._layout.covered:
                number = unit.number(symbol)
            else:
                one = self._segment(start)
                number = one.segment.number(one.units.index(unit), SymbolId(inner))
                number = None if number is None else number + one.start - start
            if number is not None:
                found[symbol] = number + start
        return found

    def _segment(self, number: int) -> Placed:
        """Return the segment of a document."""
        return next(one for one in reversed(self._layout.placed) if one.start <= number)

    def _taken(self, numbers: Sequence[int], columns: Sequence[str]) -> dict[int, tuple[Any, ...]]:
        found: dict[int, tuple[Any, ...]] = {}
        for one in self._layout.placed:
            own = [number for number in numbers if one.start <= number < one.start + one.segment.count]
            if own:
                rows = one.segment.taken([number - one.start for number in own], columns)
                found |= zip(own, rows, strict=True)
        for unit, start in self._tail:
            own = [number for number in numbers if start <= number < start + unit.part.count]
            if own:
                found |= zip(own, unit.part.taken([number - start for number in own], columns), strict=True)
        return found

    def _units_of(self, numbers: Sequence[int]) -> list[Unit]:
        import numpy as np

        return [self.units[at] for at in (np.searchsorted(self._layout.starts, numbers, "right") - 1).tolist()]

    def described(self, numbers: Sequence[int]) -> Sequence[Described]:
        taken = self._taken(numbers, DESCRIBED)
        found: list[Described] = []
        for number, unit in zip(numbers, self._units_of(numbers), strict=True):
            symbol, name, kind, path, is_test = taken[number]
            found.append((unit.outer(symbol), name, SymbolKind(kind), f"{unit.prefix}{path}", is_test))
        return found

    def _ids(self, numbers: Sequence[int]) -> list[SymbolId]:
        taken = self._taken(numbers, ("id",))
        units = self._units_of(numbers)
        return [unit.outer(taken[number][0]) for number, unit in zip(numbers, units, strict=True)]

    def symbols(self, ids: Sequence[SymbolId] | None = None) -> list[Symbol]:
        if ids is None:
            return super().symbols()
        known = {one.id: one for one in self._symbols(list(self.numbers(ids).values()))}
        return [known[symbol] for symbol in ids if symbol in known]

    def _symbols(self, numbers: Sequence[int]) -> list[Symbol]:
        taken = self._taken(numbers, SYMBOL)
        return [unit.symbol(taken[number]) for number, unit in zip(numbers, self._units_of(numbers), strict=True)]

    def texts(self, ids: Sequence[SymbolId]) -> dict[SymbolId, str]:
        """Texts are in no segment: those that are asked for are read from the table."""
        known: dict[SymbolId, str] = {}
        keys: dict[int, SymbolId] = {}
        for symbol, number in self.numbers(ids).items():
            ((unit, start, (own,)),) = self._by_unit([number])
            if start >= self._layout.covered:
                known[symbol] = unit.part.taken([own], ("text",))[0][0]
            else:
                keys[(unit.part.build << NUMBERS) + own] = symbol
        if keys:
            rows = self._tables.read(SYMBOLS, among("key", sorted(keys)), ["key", "text"])
            if len(rows) < len(keys):  # committed since the table was opened
                self._tables.latest(SYMBOLS)
                rows = self._tables.read(SYMBOLS, among("key", sorted(keys)), ["key", "text"])
            if len(rows) != len(keys):
                raise BrokenIndex(self._tables.uri, f"of {len(keys)} symbols {len(rows)} are there")
            known |= {keys[row["key"]]: row["text"] for row in rows.to_pylist()}
        return {symbol: known[symbol] for symbol in ids if symbol in known}

    def named(self, name: str) -> list[Symbol]:
        numbers = [one.start + number for one in self._layout.placed for number in one.segment.named(name).tolist()]
        if self._layout.alive is not None:
            numbers = [number for number in numbers if self._layout.alive[number]]
        numbers += [start + number for unit, start in self._tail for number in unit.part.named.get(name, [])]
        return sorted(self._symbols(numbers), key=lambda symbol: symbol.id)

    def containing(self, text: str) -> frozenset[SymbolId]:
        wanted = text.encode().lower()
        by_build = {unit.part.build: unit for unit in self.units}
        rows = self._tables.read(SYMBOLS, f"contains(lower(text), {quoted(text.lower())})", ["build", "id", "text"])
        return frozenset(
            by_build[build].outer(symbol)
            for build, symbol, own in zip(*(rows[name].to_pylist() for name in ("build", "id", "text")), strict=True)
            if build in by_build and wanted in own.encode().lower()
        )

    # Rankings

    def matching(self, terms: Sequence[str], k: int, where: Filter = Filter()) -> Ranking:
        from plait.store.bm25 import scores
        from plait.store.candidates import lexical_ranking

        numbers, found = scores(terms, self._postings, self.lengths, self._layout.alive)
        return lexical_ranking(numbers, found, k, allowed=self._allowed(where), ids=self._ids)

    def words(self, query: Query) -> Sequence[TermScores]:
        from plait.store.bm25 import term_scores

        return term_scores(query.terms, self._postings, self.lengths, self._layout.alive)

    def _postings(self, term: str) -> NDArray[np.uint32]:
        import numpy as np

        found = [np.zeros((0, 2), dtype=np.uint32)]
        parts = [(one.segment.postings(term), one.start) for one in self._layout.placed]
        for rows, start in [*parts, *((unit.part.postings(term), start) for unit, start in self._tail)]:
            found.append(rows + np.array([start, 0], dtype=np.uint32) if start else rows)
        return np.concatenate(found)

    def best(self, query: Query, template: str) -> Best:
        if template not in EMBEDDED:
            return super().best(query, template)
        allowed = self._allowed(query.where)
        found = []
        for one in self._layout.placed:
            own = None if allowed is None else allowed[one.start : one.start + one.segment.count]
            numbers, cosines, rows = one.segment.cells(template).nearest(query.vector, self._looked_at, own)
            found.append((numbers + one.start, cosines, rows))
        return _joined([*found, *self._of_tail(query, template)])

    def exact(self, query: Query, template: str, numbers: NDArray[np.int64]) -> Best:
        """Return the best passages of these documents, given ascending, and of those that no segment covers."""
        import numpy as np

        found = []
        for one in self._layout.placed:
            first, last = np.searchsorted(numbers, (one.start, one.start + one.segment.count))
            own, cosines, rows = one.segment.cells(template).of(query.vector, numbers[first:last] - one.start)
            found.append((own + one.start, cosines, rows))
        return _joined([*found, *self._of_tail(query, template)])

    def _of_tail(self, query: Query, template: str) -> list[tuple[Any, Any, Any]]:
        from plait.store.dense import best_passages

        found = []
        for unit, start in self._tail:
            numbers, cosines, rows = best_passages(unit.part.matrix(template), query.vector)
            found.append((numbers.astype("int64") + start, cosines, rows))
        return found

    def _span(self, template: str, number: int, row: int) -> Span:
        if number >= self._layout.covered or template not in EMBEDDED:
            return super()._span(template, number, row)
        return self._segment(number).segment.span(template, row)

    # Edges

    def edges(self, ids: Collection[SymbolId], kinds: Collection[EdgeKind], direction: Direction) -> list[Edge]:
        found: list[Edge] = []
        for unit, start, numbers in self._numbered(ids):
            rows = unit.part.edge_rows(numbers, list(kinds), end_of(direction))
            inner = lambda some, unit=unit, start=start: self._inner(unit, start, some)  # noqa: E731
            found += map(unit.edge, unit.part.edges(rows, inner))
        return sorted(found, key=lambda edge: (edge.source, edge.target, edge.kind, edge.via))

    def degree(
        self, ids: Collection[SymbolId], kinds: Collection[EdgeKind], direction: Direction
    ) -> dict[SymbolId, int]:
        import numpy as np

        found = dict.fromkeys(sorted(ids), 0)
        end = end_of(direction)
        for unit, start, numbers in self._numbered(ids):
            rows = unit.part.edge_rows(numbers, list(kinds), end)
            ends, counts = np.unique(unit.part.end_of(rows, end), return_counts=True)
            found |= zip(self._ids((ends + start).tolist()), counts.tolist(), strict=True)
        return found

    def _numbered(self, ids: Collection[SymbolId]) -> Iterator[tuple[Unit, int, list[int]]]:
        numbers = sorted(self.numbers(ids).values())
        return self._by_unit(numbers) if numbers else iter(())

    def _inner(self, unit: Unit, start: int, numbers: Sequence[int]) -> Mapping[int, SymbolId]:
        taken = self._taken([start + number for number in numbers], ("id",))
        return {number - start: symbol for number, (symbol,) in taken.items()}


def _joined(found: Sequence[tuple[Any, Any, Any]]) -> Best:
    import numpy as np

    from plait.store.pool import Best

    return Best(
        np.concatenate([np.zeros(0, dtype=np.int64), *(one[0] for one in found)]),
        np.concatenate([np.zeros(0), *(one[1] for one in found)]),
        np.concatenate([np.zeros(0, dtype=np.int64), *(one[2] for one in found)]),
    )
