"""The default: a sum of one learned curve for each thing that is known of a candidate, with few results of one file."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from plait.model import (
    Candidate,
    Direction,
    Edge,
    Pool,
    Query,
    Ranking,
    Reason,
    Source,
    Span,
    Step,
    SymbolId,
    Trace,
)
from plait.plugins import at_least, describe
from plait.protocols import Snapshot
from plait.ranking import Written
from plait.retrieve.hybrid import identifiers, only_name

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


IN_REPORTS = 0.5
"""Chosen on 45 reports of five repositories (benchmarks/results/quality-swebench.txt)."""

FIRST_REPEAT, FIRST_EACH = 3.0, 1.0
"""Chosen with `first`, `repeat` and `each` where files and where functions are asked for (quality.txt, 5)."""

FILES_FOR_A_PLACE = 3
"""So many files of candidates make one of the first places: what is small is read whole (quality.txt, 5)."""

ASKED, ASKED_SCOPED = 1.0, 3.0
"""What a symbol gains whose name is the question: a plain name, one with what it is in. The first was chosen on 137
questions, the second by hand (quality.txt, 6)."""

STEP = 1e-6
"""Values of reasons are whole multiples of it, so it keeps two sums apart."""


@dataclass(frozen=True, slots=True)
class Additive:
    """Every candidate of any strand, by the sum of its curves (`plait.retrieve.curves`).

    Do no harm: edges bring candidates and add to them; what they add is bounded by their curves.
    """

    name: ClassVar[str] = "additive"
    depth: int = 200
    """symbols taken from each strand"""
    seeds: int = 10
    """best candidates, by words and meaning, whose callers and callees become candidates"""
    first: int = 7
    """first places in which a better candidate of its file takes FIRST_REPEAT from one and each of them FIRST_EACH, so
    that several files are seen; fewer where candidates are of few files (FILES_FOR_A_PLACE); 0: none"""
    repeat: float = 1.5
    """what a better candidate of its file takes from one behind them: there, functions beside the best of their files
    are wanted, too"""
    each: float = 0.3
    """what each of them takes besides"""
    many_files: int = 60
    """where the candidates are of fewer files, `repeat` and `each` are that much smaller"""
    report: int = 16
    """distinct terms from which a question is a report of a fault: long, and about few files, so that each better
    candidate of its file takes IN_REPORTS, and nothing else, in all places; 0: never"""
    limit: int = 100
    """candidates kept"""

    def __post_init__(self) -> None:
        at_least(self, depth=1, seeds=0, first=0, repeat=0, each=0, many_files=1, report=0, limit=1)

    def retrieve(self, query: Query, snapshot: Snapshot) -> Ranking:
        import numpy as np

        from plait.retrieve.curves import curves
        from plait.retrieve.features import GROUPS, columns

        named = named_symbols(query, snapshot)
        pool = snapshot.pool(query, self.depth, self.seeds, named)
        found = columns(query, pool, named)
        nothing = np.zeros(len(pool.ids))
        learned = curves()
        parts = {
            source: sum((learned[one].of(found[one]) for one in members if one in learned), start=nothing).round(6)
            for source, members in GROUPS.items()
        }
        asked = only_name(query.text)
        bears = (found["named"] > 0) & bool(asked)
        parts[Source.NAME] = (parts[Source.NAME] + bears * (ASKED_SCOPED if "." in asked else ASKED)).round(6)
        better = _better_of_the_file(pool.paths, _ordered(parts))
        if "." in asked:
            better[bears] = 0
        is_report = 0 < self.report <= len(query.terms)
        first, repeat, each = (0, 0.0, IN_REPORTS) if is_report else (self.first, self.repeat, self.each)
        files = len(set(pool.paths))
        first = min(first, files // FILES_FOR_A_PLACE)
        share = min(1.0, files / self.many_files)
        taken = (share * (repeat * np.minimum(better, 1) + each * better)).round(6)
        in_front = (FIRST_REPEAT * np.minimum(better, 1) + FIRST_EACH * better).round(6)
        parts[Source.PENALTY], behind, order = _taken(parts, in_front, taken, first)
        writer = _Writer(pool, parts, found, better, frozenset(order[first:] if behind else ()))
        every = Written(len(order), lambda place: writer.candidate(order[place]))
        kept = Written(min(self.limit, len(order)), every.__getitem__)
        return Ranking(kept, every, Trace(tuple(pool.seeds), tuple(writer.steps())))

    def __str__(self) -> str:
        return describe(self)


def named_symbols(query: Query, snapshot: Snapshot) -> frozenset[SymbolId]:
    """Return the symbols whose name, or end of a qualified name, the question spells out."""
    return frozenset(
        symbol.id
        for name in identifiers(query.text)
        for symbol in snapshot.named(name.rpartition(".")[2])
        if f".{symbol.qualified_name}".endswith(f".{name}") and symbol.own and query.where.accepts(symbol)
    )


def _ordered(parts: Mapping[Source, NDArray[np.float64]]) -> list[int]:
    """Return the rows by (-sum, id); they are given by id. Sums are exact, as those of Candidate are."""
    import numpy as np

    totals = _totals(parts)
    order = np.argsort(-totals, kind="stable")
    above, below = order[:-1], order[1:]
    same = totals[above] == totals[below]
    if same.any():
        # Sums of equal decimals can still differ in their last bit.
        tied = np.unique(np.concatenate([above[same], below[same]]))
        exact = np.zeros(len(totals))
        columns = [values[tied].tolist() for values in parts.values()]
        exact[tied] = [math.fsum(values) for values in zip(*columns, strict=True)]
        order = np.lexsort((-exact, -totals))
    found: list[int] = order.tolist()
    return found


def _totals(parts: Mapping[Source, NDArray[np.float64]]) -> NDArray[np.int64]:
    """Return the sum of each row in STEPs."""
    import numpy as np

    return np.rint(np.stack(list(parts.values())) / STEP).astype(np.int64).sum(axis=0)  # type: ignore[no-any-return]


def _taken(
    parts: Mapping[Source, NDArray[np.float64]],
    in_front: NDArray[np.float64],
    taken: NDArray[np.float64],
    first: int,
) -> tuple[NDArray[np.float64], float, list[int]]:
    """Return the penalties where `in_front` is taken of the `first` rows by what it leaves, and `taken` of all others;
    what these lose besides, so that none of them comes before one of the first; and the rows in order.
    """
    import numpy as np

    before = parts[Source.PENALTY]
    penalty, in_front = ((before - one).round(6) for one in (taken, in_front))
    chosen = _ordered({**parts, Source.PENALTY: in_front})[:first]
    penalty[chosen] = in_front[chosen]
    all_parts = {**parts, Source.PENALTY: penalty}
    order = _ordered(all_parts)
    if order[:first] == chosen:
        return penalty, 0.0, order
    totals = _totals(all_parts)
    behind = np.ones(len(totals), dtype=np.bool_)
    behind[chosen] = False
    lost = round(int(totals[behind].max() - totals[chosen[-1]] + 1) * STEP, 6)
    penalty[behind] -= lost
    penalty = penalty.round(6)
    return penalty, lost, _ordered({**parts, Source.PENALTY: penalty})


def _better_of_the_file(paths: Sequence[str], order: Sequence[int]) -> NDArray[np.int64]:
    """Return for each row how many rows of its file come before it."""
    import numpy as np

    met: dict[str, int] = {}
    found = np.zeros(len(paths), dtype=np.int64)
    for row in order:
        path = paths[row]
        found[row] = met.get(path, 0)
        met[path] = int(found[row]) + 1
    return found


class _Writer:
    """Puts the sums of a row into reasons."""

    def __init__(
        self,
        pool: Pool,
        parts: Mapping[Source, NDArray[np.float64]],
        columns: Mapping[str, NDArray[np.float64]],
        better: NDArray[np.int64],
        behind: frozenset[int],
    ) -> None:
        self._pool, self._parts, self._columns = pool, parts, columns
        self._better, self._behind = better, behind
        self._steps: dict[SymbolId, Step] = {}
        for edge in pool.calls:
            for direction in Direction:
                step = Step(edge, direction, 1)
                known = self._steps.get(step.reached)
                if known is None or edge.confidence > known.edge.confidence:
                    self._steps[step.reached] = step

    def steps(self) -> Iterator[Step]:
        """The surest edge to each candidate that one leads to."""
        return iter(self._steps.values())

    def candidate(self, row: int) -> Candidate:
        reasons = [
            Reason(source, value, detail, edge=edge, span=span)
            for source, values in self._parts.items()
            if (value := float(values[row])) or source is Source.PRIOR
            for detail, edge, span in [self._told(source, row)]
        ]
        return Candidate(self._pool.ids[row], tuple(reasons))

    def _told(self, source: Source, row: int) -> tuple[str, Edge | None, Span | None]:
        pool, columns = self._pool, self._columns
        match source:
            case Source.LEXICAL:
                return f"bm25 {pool.lexical[row].sum():.2f}, {columns['coverage'][row]:.0%} of the words", None, None
            case Source.DENSE:
                return f"cosine {pool.dense['plain'][row]:.2f}", None, pool.span(row)
            case Source.STRUCTURE:
                return f"cosine {pool.dense['structural'][row]:.2f} with its neighbours' names", None, None
            case Source.NAME:
                return pool.names[row], None, None
            case Source.FILE:
                return f"{columns['file_coverage'][row]:.0%} of the words in its file", None, None
            case Source.PATH:
                return pool.paths[row], None, None
            case Source.EDGE:
                return self._edge(row)
            case Source.PENALTY:
                marks = [mark for mark in ("test", "example", "stub", "entry", "legacy") if columns[mark][row]]
                if self._better[row]:
                    marks.append(f"{self._better[row]} better of its file")
                if row in self._behind:
                    marks.append("behind the first, of several files")
                return ", ".join(marks), None, None
            case _:
                return pool.kinds[row].value, None, None

    def _edge(self, row: int) -> tuple[str, Edge | None, None]:
        step = self._steps.get(self._pool.ids[row])
        if step is None:
            return "no edge to the best", None, None
        verb, other = (
            ("called by", step.edge.source) if step.direction is Direction.OUT else ("calls", step.edge.target)
        )
        name = self._pool.names[bisect_left(self._pool.ids, other)]
        return f"{verb} {name} ({step.edge.path}:{step.edge.line})", step.edge, None
