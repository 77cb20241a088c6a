"""Many repositories as one snapshot that reads of each question only what it needs.

Words and their statistics are exact, of the repositories that are asked alone. Meaning is approximate: documents are
found in the cells nearest to the question, and those that are found any other way get their exact cosine. Builds that
no segment covers yet are read whole, as `LanceSnapshot` does.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from plait.document import EMBEDDED
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
from plait.store.lance.part import edge_of
from plait.store.lance.snapshot import DESCRIBED, SEPARATOR, SYMBOL, LanceSnapshot, Unit, end_of
from plait.store.lance.wide.segment import Segment

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from plait.store.bm25 import TermScores
    from plait.store.pool import Best, Described

LOOKED_AT = 60_000
"""Rows of a segment that a question looks at in each template: of a million about every seventeenth, which finds .97 of
the ten best of all rows (benchmarks/results/fleet-scale.txt: .94 with 30,000, .99 with 100,000)."""

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
    homes: tuple[tuple[Placed, int] | None, ...]
    """of each unit: the segment that covers it and its place among the segment's builds"""
    covered: int
    """documents of segments; those of builds that none covers come after"""
    alive: NDArray[np.bool_] | None
    """None: all"""


def layout(units: Sequence[Unit], segments: Sequence[tuple[Segment, Collection[int]]]) -> Layout:
    """Lay out builds over the segments that answer for some of them."""
    import numpy as np

    left = {unit.part.build: unit for unit in units}
    placed: list[Placed] = []
    found: list[tuple[int, Unit, tuple[Placed, int] | None]] = []
    masks: list[NDArray[np.bool_]] = []
    total = 0
    for segment, builds in segments:
        own = [left.pop(build) if build in builds else None for build in segment.covered.builds]
        one = Placed(segment, total, tuple(own))
        placed.append(one)
        starts = (total + segment.starts).tolist()
        found += [(starts[at], unit, (one, at)) for at, unit in enumerate(own) if unit is not None]
        masks.append(np.repeat([unit is not None for unit in own], segment.covered.counts))
        total += segment.count
    covered = total
    for unit in sorted(left.values(), key=lambda one: one.repository):
        found.append((total, unit, None))
        masks.append(np.ones(unit.part.count, dtype=np.bool_))
        total += unit.part.count
    alive = np.concatenate([np.zeros(0, dtype=np.bool_), *masks])
    return Layout(
        placed=tuple(placed),
        units=tuple(unit for _, unit, _ in found),
        starts=(*(start for start, _, _ in found), total),
        homes=tuple(home for _, _, home in found),
        covered=covered,
        alive=None if alive.all() else alive,
    )


class WideSnapshot(LanceSnapshot):
    def __init__(self, layout: Layout, info: SnapshotInfo, looked_at: int = LOOKED_AT) -> None:
        super().__init__(layout.units, info)
        self._layout, self._looked_at = layout, looked_at
        self._masks: list[tuple[Filter, NDArray[np.bool_] | None]] = []

    @cached_property
    def _offsets(self) -> list[int]:
        return list(self._layout.starts)

    @cached_property
    def _tail(self) -> list[tuple[Unit, int]]:
        """The units that no segment covers, with their first number."""
        return [
            (unit, start)
            for unit, start in zip(self.units, self._layout.starts, strict=False)
            if start >= self._layout.covered
        ]

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
            start, home = self._layout.starts[at], self._layout.homes[at]
            if home is None:
                number = self.units[at].number(symbol)
            else:
                number = home[0].segment.number(home[1], SymbolId(inner))
                start = home[0].start
            if number is not None:
                found[symbol] = number + start
        return found

    def _segment(self, number: int) -> Placed:
        """Return the segment of a document."""
        return next(one for one in reversed(self._layout.placed) if one.start <= number)

    def _taken(self, numbers: Sequence[int], columns: Sequence[str]) -> dict[int, tuple[Any, ...]]:
        found: dict[int, tuple[Any, ...]] = {}
        listed = sorted(numbers)
        for one, own in self._in_segments(listed):
            found |= zip([number + one.start for number in own], one.segment.taken(own, columns), strict=True)
        for unit, start, own in self._in_tail(listed):
            found |= zip([number + start for number in own], unit.part.taken(own, columns), strict=True)
        return found

    def _units_of(self, numbers: Sequence[int]) -> list[Unit]:
        import numpy as np

        return [self.units[at] for at in (np.searchsorted(self._starts, numbers, "right") - 1).tolist()]

    @cached_property
    def _starts(self) -> NDArray[np.int64]:
        import numpy as np

        return np.array(self._layout.starts, dtype=np.int64)

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
        known: dict[SymbolId, str] = {}
        for symbol, number in self.numbers(ids).items():
            if number < self._layout.covered:
                one = self._segment(number)
                known[symbol] = one.segment.text(number - one.start)
            else:
                ((unit, _, own),) = self._by_unit([number])
                known[symbol] = unit.part.taken(own, ("text",))[0][0]
        return {symbol: known[symbol] for symbol in ids if symbol in known}

    def named(self, name: str) -> list[Symbol]:
        numbers = [one.start + number for one in self._layout.placed for number in one.segment.named(name).tolist()]
        if self._layout.alive is not None:
            numbers = [number for number in numbers if self._layout.alive[number]]
        numbers += [start + number for unit, start in self._tail for number in unit.part.named.get(name, [])]
        return sorted(self._symbols(numbers), key=lambda symbol: symbol.id)

    def containing(self, text: str) -> frozenset[SymbolId]:
        wanted = text.encode().lower()
        found: list[int] = []
        for one in self._layout.placed:
            alive = None if self._layout.alive is None else self._layout.alive[one.start :]
            found += (one.start + number for number in one.segment.containing(wanted, alive))
        for unit, start in self._tail:
            texts = unit.part.column("text")
            found += (start + number for number, own in enumerate(texts) if wanted in own.encode().lower())
        return frozenset(self._ids(found))

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

    def _spans(self, template: str, numbers: Sequence[int] | NDArray[np.int64], rows: Any) -> list[Span]:
        import numpy as np

        if template not in EMBEDDED:
            return super()._spans(template, numbers, rows)
        given, places = np.asarray(numbers), np.asarray(rows)
        found: dict[int, Span] = {}
        for one in self._layout.placed:
            own = np.flatnonzero((given >= one.start) & (given < one.start + one.segment.count))
            found |= zip(own.tolist(), one.segment.spans(template, places[own]), strict=True)
        own = np.flatnonzero(given >= self._layout.covered)
        found |= zip(own.tolist(), super()._spans(template, given[own], places[own]), strict=True)
        return [found[at] for at in range(len(given))]

    # Edges

    def edges(self, ids: Collection[SymbolId], kinds: Collection[EdgeKind], direction: Direction) -> list[Edge]:
        found: list[Edge] = []
        end = end_of(direction)
        numbers = sorted(self.numbers(ids).values())
        for one, own in self._in_segments(numbers):
            found += self._edges(one, one.segment.edge_rows(own, kinds, end))
        for unit, _, own in self._in_tail(numbers):
            found += map(unit.edge, unit.part.edges(unit.part.edge_rows(own, list(kinds), end)))
        return sorted(found, key=lambda edge: (edge.source, edge.target, edge.kind, edge.via))

    def _edges(self, one: Placed, places: NDArray[np.int64]) -> Iterator[Edge]:
        rows = one.segment.edges(places)
        ends = sorted({row[end] + one.start for row in rows for end in ("source", "target")})
        named = dict(zip(ends, self._ids(ends), strict=True))
        units = self._units_of([row["source"] + one.start for row in rows])
        for row, unit in zip(rows, units, strict=True):
            yield edge_of(row, named[row["source"] + one.start], named[row["target"] + one.start], unit.prefix)

    def degree(
        self, ids: Collection[SymbolId], kinds: Collection[EdgeKind], direction: Direction
    ) -> dict[SymbolId, int]:
        import numpy as np

        found = dict.fromkeys(sorted(ids), 0)
        end = end_of(direction)
        numbers = sorted(self.numbers(ids).values())
        ends = [np.zeros(0, dtype=np.int64)]
        for one, own in self._in_segments(numbers):
            ends.append(one.segment.edge_end(one.segment.edge_rows(own, kinds, end), end) + one.start)
        for unit, start, own in self._in_tail(numbers):
            ends.append(unit.part.end_of(unit.part.edge_rows(own, list(kinds), end), end) + start)
        those, counts = np.unique(np.concatenate(ends), return_counts=True)
        return found | dict(zip(self._ids(those.tolist()), counts.tolist(), strict=True))

    def _in_segments(self, numbers: Sequence[int]) -> Iterator[tuple[Placed, list[int]]]:
        """Yield the segments that have some of the numbers, given ascending, and what these are in it."""
        for one in self._layout.placed:
            first, last = bisect_left(numbers, one.start), bisect_left(numbers, one.start + one.segment.count)
            if first < last:
                yield one, [number - one.start for number in numbers[first:last]]

    def _in_tail(self, numbers: Sequence[int]) -> Iterator[tuple[Unit, int, list[int]]]:
        """Yield the units that no segment covers and that have some of the numbers, as `_by_unit`."""
        own = numbers[bisect_left(numbers, self._layout.covered) :]
        return self._by_unit(own) if own else iter(())


def _joined(found: Sequence[tuple[Any, Any, Any]]) -> Best:
    import numpy as np

    from plait.store.pool import Best

    return Best(
        np.concatenate([np.zeros(0, dtype=np.int64), *(one[0] for one in found)]),
        np.concatenate([np.zeros(0), *(one[1] for one in found)]),
        np.concatenate([np.zeros(0, dtype=np.int64), *(one[2] for one in found)]),
    )
