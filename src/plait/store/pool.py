"""The candidates of a question as columns, the same for every store."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np

from plait.document import EMBEDDED, PLAIN
from plait.model import Direction, Edge, EdgeKind, Pool, Query, Span, SymbolId, SymbolKind
from plait.store.bm25 import TermScores, total

if TYPE_CHECKING:
    from numpy.typing import NDArray

_CALLS = (EdgeKind.CALLS,)

WORTH_A_THREAD = 15_000
"""Documents from which starting a thread takes less than comparing their vectors."""


@dataclass(frozen=True, slots=True)
class Best:
    """The best passage of each document that has one in a template."""

    numbers: NDArray[np.int64]
    """of the documents, ascending"""
    cosines: NDArray[np.float64]
    rows: NDArray[np.int64]


Described = tuple[SymbolId, str, SymbolKind, str, bool]
"""id, name, kind, path, whether it is a test"""


class Columns(Protocol):
    """What a store must be able to tell. Documents have numbers from 0."""

    @property
    def lengths(self) -> NDArray[np.uint32]: ...
    def alive(self, query: Query) -> NDArray[np.bool_] | None:
        """Return which documents the question's filter accepts; None for all."""
        ...

    def words(self, query: Query) -> Sequence[TermScores]: ...
    def best(self, query: Query, template: str) -> Best: ...
    def numbers(self, ids: Collection[SymbolId]) -> Mapping[SymbolId, int]: ...
    def described(self, numbers: Sequence[int]) -> Sequence[Described]: ...
    def span(self, number: int, row: int) -> Span: ...
    def edges(self, ids: Collection[SymbolId], kinds: Collection[EdgeKind], direction: Direction) -> list[Edge]: ...
    def degree(
        self, ids: Collection[SymbolId], kinds: Collection[EdgeKind], direction: Direction
    ) -> dict[SymbolId, int]: ...


@runtime_checkable
class Approximate(Protocol):
    """A store whose `best` misses some documents."""

    def exact(self, query: Query, template: str, numbers: NDArray[np.int64]) -> Best:
        """Return at least the best passages of these documents, given ascending."""
        ...


def pool(columns: Columns, query: Query, depth: int, seeds: int, also: Collection[SymbolId]) -> Pool:
    """As Snapshot.pool."""
    count = len(columns.lengths)
    allowed = columns.alive(query)
    words, best = _strands(columns, query, count)
    found, scores = total(words, count)
    lexical = np.zeros(count)
    lexical[found] = scores
    dense = {template: _spread(one, count) for template, one in best.items()}
    strands = [lexical, *dense.values()]
    if allowed is not None:
        for strand in strands:
            strand[~allowed] = 0.0
    chosen = {number for strand in strands for number in _first(columns, strand, depth)}
    chosen.update(_accepted(columns.numbers(also).values(), allowed))
    members = np.array(sorted(chosen), dtype=np.int64)
    if isinstance(columns, Approximate):
        exact = columns.exact(query, PLAIN, members)
        dense[PLAIN][exact.numbers] = _rounded(exact)
    base = np.zeros(count)
    base[members] = of_highest(lexical)[members] + of_highest(dense[PLAIN])[members]
    ids = [one[0] for one in columns.described(_first(columns, base, seeds))]
    calls = [
        edge
        for direction in Direction
        for edge in columns.edges(ids, _CALLS, direction)
        if edge.source != edge.target and (direction is Direction.OUT or edge.source not in ids)
    ]
    ends = columns.numbers(sorted({end for edge in calls for end in (edge.source, edge.target)}))
    chosen.update(_accepted(ends.values(), allowed))
    rows = sorted(zip(columns.described(sorted(chosen)), sorted(chosen), strict=True))
    place = {one[0]: row for row, (one, _) in enumerate(rows)}
    calls = [edge for edge in calls if edge.source in place and edge.target in place]
    numbers = np.array([number for _, number in rows], dtype=np.int64)
    if isinstance(columns, Approximate):
        best = {template: columns.exact(query, template, np.sort(numbers)) for template in EMBEDDED}
        for template, one in best.items():
            dense[template][one.numbers] = _rounded(one)
    return Pool(
        ids=[one[0] for one, _ in rows],
        seeds=sorted(ids),
        names=[one[1] for one, _ in rows],
        kinds=[one[2] for one, _ in rows],
        paths=[one[3] for one, _ in rows],
        tests=np.array([one[4] for one, _ in rows], dtype=np.bool_),
        lengths=columns.lengths[numbers].astype(np.int64),
        rarity=np.array([word.rarity for word in words]),
        lexical=_table(words, numbers),
        dense={template: strand[numbers] for template, strand in dense.items()},
        calls=calls,
        callers=_degrees(columns, place, {edge.target for edge in calls}, Direction.IN),
        callees=_degrees(columns, place, {edge.source for edge in calls}, Direction.OUT),
        span=_spans(columns, best[PLAIN], numbers),
    )


def _strands(columns: Columns, query: Query, count: int) -> tuple[Sequence[TermScores], dict[str, Best]]:
    """Return what words find, and the best passages of each template, one of them beside the others if that pays."""
    last = EMBEDDED[-1]
    if count < WORTH_A_THREAD or isinstance(columns, Approximate):
        return columns.words(query), {template: columns.best(query, template) for template in EMBEDDED}
    with ThreadPoolExecutor(1) as beside:
        coming = beside.submit(columns.best, query, last)
        words = columns.words(query)
        best = {template: columns.best(query, template) for template in EMBEDDED if template != last}
        return words, {**best, last: coming.result()}


def of_highest(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return scores from 0 upwards as parts of the highest."""
    highest = scores.max(initial=0.0)
    return scores / highest if highest > 0 else scores


def _spread(best: Best, count: int) -> NDArray[np.float64]:
    found = np.zeros(count)
    found[best.numbers] = _rounded(best)
    return found


def _rounded(best: Best) -> NDArray[np.float64]:
    found: NDArray[np.float64] = np.maximum(best.cosines, 0.0).round(6)
    return found


def _first(columns: Columns, scores: NDArray[np.float64], k: int) -> list[int]:
    """Return the numbers of the k highest scores above 0, in no order; ids decide where the last ones tie."""
    above = np.flatnonzero(scores > 0)
    if k == 0 or len(above) <= k:
        return list(map(int, above[: k or 0]))
    found = scores[above]
    least = np.partition(found, len(found) - k)[len(found) - k]
    higher = list(map(int, above[found > least]))
    tied = list(map(int, above[found == least]))
    if len(higher) + len(tied) > k:
        tied = [number for _, number in sorted(zip(columns.described(tied), tied, strict=True))]
    return higher + tied[: k - len(higher)]


def _accepted(numbers: Collection[int], allowed: NDArray[np.bool_] | None) -> list[int]:
    return [number for number in numbers if allowed is None or allowed[number]]


def _table(words: Sequence[TermScores], numbers: NDArray[np.int64]) -> NDArray[np.float64]:
    found = np.zeros((len(numbers), len(words)))
    for column, word in enumerate(words):
        if len(word.documents):
            places = np.minimum(np.searchsorted(word.documents, numbers), len(word.documents) - 1)
            found[:, column] = np.where(word.documents[places] == numbers, word.addends[places], 0.0)
    return found


def _degrees(
    columns: Columns, place: Mapping[SymbolId, int], ends: Collection[SymbolId], direction: Direction
) -> NDArray[np.int64]:
    found = np.zeros(len(place), dtype=np.int64)
    for symbol, count in columns.degree(sorted(ends), _CALLS, direction).items():
        found[place[symbol]] = count
    return found


def _spans(columns: Columns, best: Best, numbers: NDArray[np.int64]) -> Callable[[int], Span | None]:
    def span(row: int) -> Span | None:
        number = int(numbers[row])
        at = int(np.searchsorted(best.numbers, number))
        if at < len(best.numbers) and best.numbers[at] == number:
            return columns.span(number, int(best.rows[at]))
        return None

    return span
