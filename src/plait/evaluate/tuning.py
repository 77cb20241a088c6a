"""What weights of a strategy's reasons fit a collection, and what they are worth on questions they were not fitted to.

Nested cross-validation (Varma and Simon, BMC Bioinformatics 2006): the outer folds only measure. Within the other folds
an inner cross-validation chooses the strategy and how many weights to change; the weights are then fitted to all of
those folds and measured on the one left out. Questions that share a relevant symbol lie in one fold.

Fitting is greedy: each step sets the one weight, to one of FACTORS, that gains most. Few steps are a simple model.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from plait.evaluate.collection import Judgements
from plait.evaluate.compare import TIE, Comparison, compare
from plait.evaluate.measures import Measure
from plait.model import Ranking, Source, SymbolId
from plait.retrieve.weighted import weighted

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

OUTER, INNER = 5, 4
FACTORS = (0.0, 0.25, 0.5, 1.0, 2.0, 4.0)
STEPS = 4
"""Weights changed at most."""
LEAST = 20
"""Questions with something relevant, below which nothing is fitted: fewer than 16 to fit to, in five folds."""

_SOURCES = tuple(Source)
_DEPTH = 100
"""Places that are looked at, if the measure says no depth."""

Weights = tuple[float, ...]
"""of each of _SOURCES"""
_NEUTRAL: Weights = (1.0,) * len(_SOURCES)


class Pool:
    """What one strategy found for one question, as numbers."""

    def __init__(self, ranking: Ranking, judged: Mapping[SymbolId, int]) -> None:
        import numpy as np

        pool = sorted(ranking.pool or ranking.candidates, key=lambda candidate: candidate.symbol)
        self.values = np.zeros((len(pool), len(_SOURCES)))
        for row, candidate in enumerate(pool):
            for reason in candidate.reasons:
                self.values[row, _SOURCES.index(reason.source)] += reason.value
        self.kept = len(ranking.candidates)
        self.relevant = [row for row, candidate in enumerate(pool) if judged.get(candidate.symbol, 0) > 0]
        self.symbols = [pool[row].symbol for row in self.relevant]
        self.judged = judged

    def scores(self, weights: Sequence[Weights], measure: Measure) -> list[float]:
        """Return the measure of the ranking by each of the weights."""
        import numpy as np

        if not self.relevant:
            return [0.0] * len(weights)
        # A score is rounded, so that equal sums tie whatever the order in which they were added.
        sums = (self.values @ np.array(weights).T).round(9)
        alive = (self.values[:, :, None] * (np.array(weights).T != 0)[None]).any(axis=1)
        sums[~alive] = -np.inf
        places = []
        for row in self.relevant:
            before = (sums > sums[row]).sum(axis=0) + (sums[:row] == sums[row]).sum(axis=0)
            places.append(np.where(alive[row], before, len(sums)))
        return [self._measured([int(place[n]) for place in places], measure) for n in range(len(weights))]

    def _measured(self, places: list[int], measure: Measure) -> float:
        """`places` are those of the relevant symbols, from 0."""
        depth = min(measure.k or _DEPTH, self.kept)
        found = [SymbolId("")] * depth
        for symbol, place in zip(self.symbols, places, strict=True):
            if place < depth:
                found[place] = symbol
        return measure.of(found, self.judged)


@dataclass(frozen=True, slots=True)
class Family:
    """One strategy on all questions."""

    description: str
    pools: tuple[Pool, ...]
    measure: Measure
    known: dict[Weights, NDArray[np.float64]] = field(default_factory=dict)

    def of(self, weights: Sequence[Weights]) -> list[NDArray[np.float64]]:
        """Return the scores of all questions by each of the weights."""
        import numpy as np

        new = [one for one in dict.fromkeys(weights) if one not in self.known]
        if new:
            columns = np.array([pool.scores(new, self.measure) for pool in self.pools])
            self.known.update({one: columns[:, number] for number, one in enumerate(new)})
        return [self.known[one] for one in weights]

    @property
    def sources(self) -> list[int]:
        """Columns of what the strategy ever gives a reason for."""
        return [column for column in range(len(_SOURCES)) if any(pool.values[:, column].any() for pool in self.pools)]


@dataclass(frozen=True, slots=True)
class Choice:
    strategy: str
    """its description"""
    changed: Mapping[str, float]
    """source -> weight, of those that are not 1"""

    def __str__(self) -> str:
        told = ", ".join(f"{source} x {weight:g}" for source, weight in self.changed.items())
        return f"{self.strategy} with {told}" if told else self.strategy

    @property
    def description(self) -> str:
        """What to configure."""
        if not self.changed:
            return self.strategy
        return str(weighted(self.strategy, {Source(source): weight for source, weight in self.changed.items()}))


@dataclass(frozen=True, slots=True)
class Tuned:
    chosen: Choice
    """fitted to all questions"""
    folds: tuple[Choice, ...]
    """fitted to all but one fold each"""
    held_out: Comparison
    """B is what was fitted without the question's fold, A what was configured"""
    before: float
    """mean as configured"""
    fitted: float
    """mean of `chosen` on the questions that it was fitted to: too good to be true"""

    @property
    def worth_it(self) -> bool:
        """Whether the interval of the held-out gain excludes harm, and the choice is another than the configured."""
        interval = self.held_out.interval
        return interval is not None and interval[0] > 0 and self.chosen.description != self.held_out.a


def tune(judgements: Judgements, families: Mapping[str, Sequence[Pool]], measure: Measure) -> Tuned:
    """Fit. The first family is what is configured; pools are in the order of the judgements, LEAST or more of them."""
    import numpy as np

    topics = list(judgements)
    made = [Family(description, tuple(pools), measure) for description, pools in families.items()]
    before = made[0].of([_NEUTRAL])[0]
    after = np.zeros(len(topics))
    folds: list[Choice] = []
    parts = folds_of(judgements, OUTER)
    for part in parts:
        rest = [place for place in range(len(topics)) if place not in set(part)]
        family, weights = _chosen(made, judgements, topics, rest)
        after[part] = family.of([weights])[0][part]
        folds.append(_choice(family, weights))
    family, weights = _chosen(made, judgements, topics, list(range(len(topics))))
    return Tuned(
        chosen=_choice(family, weights),
        folds=tuple(folds),
        held_out=compare(
            str(measure),
            made[0].description,
            "tuned",
            dict(zip(topics, before.tolist(), strict=True)),
            dict(zip(topics, after.tolist(), strict=True)),
        ),
        before=float(before.mean()),
        fitted=float(family.of([weights])[0].mean()),
    )


def folds_of(judgements: Judgements, count: int) -> list[list[int]]:
    """Part the topics, by place; those that share a relevant symbol, also over others, stay together.

    Groups are dealt in the order of their first topic, each to the fold that is smallest.
    """
    group = list(range(len(judgements)))
    first: dict[SymbolId, int] = {}

    def root(place: int) -> int:
        while group[place] != place:
            place = group[place]
        return place

    for place, judged in enumerate(judgements.values()):
        for symbol in sorted(symbol for symbol, relevance in judged.items() if relevance > 0):
            one, other = sorted((root(first.setdefault(symbol, place)), root(place)))
            group[other] = one
    members: dict[int, list[int]] = {}
    for place in range(len(group)):
        members.setdefault(root(place), []).append(place)
    parts: list[list[int]] = [[] for _ in range(count)]
    for together in members.values():
        min(parts, key=len).extend(together)
    return [sorted(part) for part in parts if part]


def _chosen(
    families: Sequence[Family], judgements: Judgements, topics: Sequence[str], places: Sequence[int]
) -> tuple[Family, Weights]:
    """Choose strategy and number of steps by cross-validation among these topics, then fit to all of them.

    Of equals the earlier strategy wins, and the fewer steps.
    """
    import numpy as np

    inside = {topics[place]: judgements[topics[place]] for place in places}
    inner = [[places[one] for one in part] for part in folds_of(inside, INNER)]
    best, best_gain = (families[0], 0), -np.inf
    for family in families:
        totals = np.zeros(STEPS + 1)
        for part in inner:
            held = set(part)
            path = list(_path(family, [place for place in places if place not in held]))
            path += [path[-1]] * (STEPS + 1 - len(path))
            totals += [scores[part].sum() for scores in family.of(path)]
        for steps, total in enumerate(totals.tolist()):
            if total > best_gain + TIE:
                best, best_gain = (family, steps), total
    family, steps = best
    path = list(_path(family, places))
    return family, path[min(steps, len(path) - 1)]


def _path(family: Family, places: Sequence[int]) -> Iterator[Weights]:
    """Yield the weights after 0, 1, ... steps, until STEPS or until nothing gains."""
    weights = _NEUTRAL
    mean = family.of([weights])[0][places].mean()
    yield weights
    for _ in range(STEPS):
        tries = [
            (*weights[:column], factor, *weights[column + 1 :])
            for column in family.sources
            for factor in FACTORS
            if factor != weights[column]
        ]
        # Without any reason left there would be no candidates.
        tries = [one for one in tries if any(one[column] for column in family.sources)]
        if not tries:
            return
        means = [scores[places].mean() for scores in family.of(tries)]
        best = max(range(len(tries)), key=lambda number: (round(means[number], 12), -number))
        if means[best] <= mean + TIE:
            return
        weights, mean = tries[best], means[best]
        yield weights


def _choice(family: Family, weights: Weights) -> Choice:
    changed = {str(source): weight for source, weight in zip(_SOURCES, weights, strict=True) if weight != 1.0}
    return Choice(family.description, changed)
