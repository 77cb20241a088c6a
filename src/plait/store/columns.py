"""The candidates of a question from the segments of a snapshot.

Symbols are numbered through: those of the changes come after those that were built.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from plait.document import PLAIN
from plait.model import Direction, Edge, EdgeKind, Filter, Pool, Query, Ranking, Span, SymbolId
from plait.store.segment import Segment

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from plait.model import Vector
    from plait.store.bm25 import TermScores
    from plait.store.pool import Best, Described


class SegmentColumns(ABC):
    """What rankings read of one or two segments (`plait.store.pool.Columns`); edges are the snapshot's."""

    base: Segment
    changes: Segment | None
    segments: list[Segment]
    masked: set[int]
    """numbers of built symbols that are gone or have another in their place"""

    @abstractmethod
    def edges(self, ids: Collection[SymbolId], kinds: Collection[EdgeKind], direction: Direction) -> list[Edge]: ...

    @abstractmethod
    def degree(
        self, ids: Collection[SymbolId], kinds: Collection[EdgeKind], direction: Direction
    ) -> dict[SymbolId, int]: ...

    def nearest(self, vector: Vector, k: int, where: Filter = Filter(), template: str = PLAIN) -> Ranking:
        from plait.store.candidates import dense_ranking

        query = Query("", vector, (), where)
        best = self.best(query, template)
        return dense_ranking(
            *(best.numbers, best.cosines, k, template),
            allowed=self.alive(query),
            ids=self._ids,
            spans=lambda places: self._spans(template, [(int(best.numbers[at]), int(best.rows[at])) for at in places]),
        )

    def matching(self, terms: Sequence[str], k: int, where: Filter = Filter()) -> Ranking:
        from plait.store.bm25 import scores
        from plait.store.candidates import lexical_ranking

        numbers, found = scores(terms, self._postings, self.lengths, self._alive)
        return lexical_ranking(numbers, found, k, allowed=self._allowed(where), ids=self._ids)

    def pool(self, query: Query, depth: int, seeds: int, also: Collection[SymbolId] = ()) -> Pool:
        from plait.store.pool import pool

        return pool(self, query, depth, seeds, also)

    def alive(self, query: Query) -> NDArray[np.bool_] | None:
        allowed = self._allowed(query.where)
        return self._alive if allowed is None else allowed

    def words(self, query: Query) -> Sequence[TermScores]:
        from plait.store.bm25 import term_scores

        return term_scores(query.terms, self._postings, self.lengths, self._alive)

    def best(self, query: Query, template: str) -> Best:
        import numpy as np

        from plait.store.dense import best_passages
        from plait.store.pool import Best

        found = best_passages(self.base.matrix(template), query.vector)
        if self.changes is None:
            return Best(*found)
        changed = best_passages(self.changes.matrix(template), query.vector)
        numbers = np.concatenate([found[0], changed[0] + self.base.count])
        return Best(numbers, np.concatenate([found[1], changed[1]]), np.concatenate([found[2], changed[2]]))

    def numbers(self, ids: Collection[SymbolId]) -> Mapping[SymbolId, int]:
        found: dict[SymbolId, int] = {}
        for segment, offset in zip(self.segments, (0, self.base.count), strict=False):
            masked = self.masked if segment is self.base else ()
            for one, number in segment.numbers(sorted(ids)).items():
                if number < segment.count and number not in masked:
                    found[one] = number + offset
        return found

    def described(self, numbers: Sequence[int]) -> Sequence[Described]:
        count = self.base.count
        built = self.base.described(number for number in numbers if number < count)
        if self.changes is None:
            return [built[number] for number in numbers]
        changed = self.changes.described(number - count for number in numbers if number >= count)
        return [built[number] if number < count else changed[number - count] for number in numbers]

    def span(self, number: int, row: int) -> Span:
        return self._spans(PLAIN, [(number, row)])[0]

    @cached_property
    def _alive(self) -> NDArray[np.bool_] | None:
        import numpy as np

        if not self.masked:
            return None
        alive = np.ones(sum(segment.count for segment in self.segments), dtype=np.bool_)
        alive[sorted(self.masked)] = False
        return alive

    @cached_property
    def lengths(self) -> NDArray[np.uint32]:
        import numpy as np

        return np.concatenate([segment.lengths for segment in self.segments])

    def _postings(self, term: str) -> NDArray[np.uint32]:
        import numpy as np

        found = self.base.postings(term)
        if self.changes is None:
            return found
        shift = np.array([self.base.count, 0], dtype=np.uint32)
        return np.concatenate([found, self.changes.postings(term) + shift])

    def _ids(self, numbers: Sequence[int]) -> list[SymbolId]:
        count = self.base.count
        built = self.base.ids(number for number in numbers if number < count)
        if self.changes is None:
            return [built[number] for number in numbers]
        changed = self.changes.ids(number - count for number in numbers if number >= count)
        return [built[number] if number < count else changed[number - count] for number in numbers]

    def _spans(self, template: str, places: Sequence[tuple[int, int]]) -> list[Span]:
        """Return the spans of passages, given as (symbol's number, row in its segment)."""
        found: dict[tuple[bool, int], Span] = {}
        for segment in self.segments:
            new = segment is self.changes
            rows = [row for number, row in places if (number >= self.base.count) == new]
            if rows:
                found |= {(new, row): span for row, span in zip(rows, segment.spans(template, rows), strict=True)}
        return [found[number >= self.base.count, row] for number, row in places]

    def _allowed(self, where: Filter) -> NDArray[np.bool_] | None:
        """Return for each number whether the filter accepts its symbol; None if it accepts all."""
        import numpy as np

        if where.is_empty:
            return None
        allowed = np.zeros(sum(segment.count for segment in self.segments), dtype=np.bool_)
        for segment, offset in zip(self.segments, (0, self.base.count), strict=False):
            accepted = list(_numbered(segment, where))
            allowed[np.array(accepted, dtype=np.int64) + offset] = True
        return allowed


def _numbered(segment: Segment, where: Filter) -> Iterator[int]:
    """Yield the numbers of the symbols that count and that the filter accepts."""
    conditions = ["number NOT IN temp.masked"]
    values: list[object] = []
    if where.language is not None:
        conditions.append("language = ?")
        values.append(where.language)
    if where.tests is not None:
        conditions.append("is_test = ?")
        values.append(where.tests)
    if where.kinds is not None:
        conditions.append(f"kind IN ({', '.join('?' * len(where.kinds))})")
        values += sorted(where.kinds)
    query = f"SELECT number, path, module FROM symbols WHERE {' AND '.join(conditions)}"
    if where.ids is None:
        rows: Iterator[Any] = iter(segment.all(query, *values))
    else:
        rows = segment.among(f"{query} AND id", sorted(where.ids), *values)
    yield from (number for number, path, module in rows if where.accepts_place(path, module))
