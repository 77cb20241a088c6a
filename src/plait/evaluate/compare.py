"""Two strategies on the same topics: who won where, and whether the mean difference could be chance.

A difference is called one, `Verdict.BETTER` or `WORSE`, only if both hold: the randomisation test's p, after Holm's
correction over all comparisons of its family, is below ALPHA, and the bootstrap interval excludes 0. All else is
`UNDECIDED`, which says that this collection does not show it, not that there is none: see `Comparison.detectable`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache

TIE = 1e-12
"""Differences up to this are rounding."""

EXACT_UP_TO = 16
"""Topics that differ, up to which all 2^n sign flips are enumerated; beyond, SAMPLES of them are drawn."""

SAMPLES = 100_000
RESAMPLES = 10_000
AT_A_TIME = 1000
"""Samples held in memory together; the figures do not depend on it."""

SEED = 20261201
"""Same figures on every run; no result depends on which seed it is beyond the third place."""

CONFIDENCE = 0.95

ALPHA = 0.05
"""Below this corrected p a difference is called more than chance."""

POWER_FACTOR = 2.802
"""Normal quantiles of 1 - ALPHA / 2 and of a power of .8, added: a true mean difference of so many standard errors is
found in four collections of five (Cohen 1988; for retrieval: Sakai, "Topic set size design", IRJ 2016)."""


class Verdict(StrEnum):
    BETTER = "better"
    WORSE = "worse"
    UNDECIDED = "undecided"


class Outcome(StrEnum):
    WIN = "win"
    TIE = "tie"
    LOSS = "loss"


@dataclass(frozen=True, slots=True)
class Comparison:
    """What B gains over A in one measure."""

    measure: str
    a: str
    b: str
    differences: Mapping[str, float]
    """topic -> score under B less score under A, worst loss first, then by topic order"""
    mean: float
    interval: tuple[float, float] | None
    """bootstrap interval of the mean at 95 %; None for fewer than two topics"""
    p: float
    """two-sided, of the paired randomisation test; 1 if nothing differs"""
    one_topic_moves: float
    """how much a single topic that goes from 0 to 1 moves the mean: 1 / topics"""
    detectable: float | None = None
    """the smallest true mean difference that so many topics, spread as these are, would show in four collections of
    five; None for fewer than two topics, or if nothing differs and so nothing tells how they spread"""
    corrected: float | None = None
    """p after Holm's correction; None if the comparison stands alone"""

    @property
    def verdict(self) -> Verdict:
        p = self.p if self.corrected is None else self.corrected
        if self.interval is None or p >= ALPHA or self.interval[0] <= 0 <= self.interval[1]:
            return Verdict.UNDECIDED
        return Verdict.BETTER if self.mean > 0 else Verdict.WORSE

    @property
    def least_p(self) -> float:
        """The smallest p that the test could give for so many topics that differ: all in one direction."""
        return min(1.0, 2.0 ** (1 - len(self.divergent)))

    def count(self, outcome: Outcome) -> int:
        return sum(outcome_of(difference) is outcome for difference in self.differences.values())

    @property
    def divergent(self) -> tuple[str, ...]:
        """The topics that are no tie, worst loss first."""
        return tuple(t for t, difference in self.differences.items() if outcome_of(difference) is not Outcome.TIE)


def outcome_of(difference: float) -> Outcome:
    if abs(difference) <= TIE:
        return Outcome.TIE
    return Outcome.WIN if difference > 0 else Outcome.LOSS


def compare(measure: str, a: str, b: str, scores_a: Mapping[str, float], scores_b: Mapping[str, float]) -> Comparison:
    """Compare topic -> score of two labels; both must hold the same topics."""
    differences = {topic: scores_b[topic] - scores_a[topic] for topic in scores_a}
    values = list(differences.values())
    # Python's sort is stable: equal losses stay in topic order.
    worst_first = dict(sorted(differences.items(), key=lambda item: round(item[1], 12)))
    return Comparison(
        measure=measure,
        a=a,
        b=b,
        differences=worst_first,
        mean=sum(values) / len(values) if values else 0.0,
        interval=_interval(tuple(values)),
        p=_p(tuple(values)),
        one_topic_moves=1 / len(values) if values else 0.0,
        detectable=smallest_effect(values),
    )


@lru_cache(maxsize=4096)
def _p(differences: tuple[float, ...]) -> float:
    """Kept, as one evaluation is compared for its table, its report and its gates."""
    return randomisation_test(differences)


@lru_cache(maxsize=4096)
def _interval(differences: tuple[float, ...]) -> tuple[float, float] | None:
    return bootstrap_interval(differences)


def holm(comparisons: Sequence[Comparison]) -> tuple[Comparison, ...]:
    """Return the comparisons, which are one family, in their order, with p corrected for how many they are.

    Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 1979.
    """
    corrected = [0.0] * len(comparisons)
    least = 0.0
    for place, number in enumerate(sorted(range(len(comparisons)), key=lambda number: comparisons[number].p)):
        least = max(least, min(1.0, (len(comparisons) - place) * comparisons[number].p))
        corrected[number] = least
    return tuple(replace(one, corrected=p) for one, p in zip(comparisons, corrected, strict=True))


def smallest_effect(differences: Sequence[float]) -> float | None:
    """Return POWER_FACTOR standard errors of the mean difference, as `Comparison.detectable`."""
    count = len(differences)
    if count < 2 or not any(abs(difference) > TIE for difference in differences):
        return None
    mean = math.fsum(differences) / count
    variance = math.fsum((difference - mean) ** 2 for difference in differences) / (count - 1)
    return POWER_FACTOR * math.sqrt(variance / count) or None


def randomisation_test(differences: Sequence[float]) -> float:
    """Return the two-sided p-value of the mean difference if each sign were a coin toss.

    Smucker, Allan and Carterette, "A comparison of statistical significance tests for information retrieval
    evaluation", CIKM 2007. Exact up to EXACT_UP_TO topics that differ, else sampled, the observed one counted in.
    """
    import numpy as np

    sizes = np.array([abs(difference) for difference in differences if abs(difference) > TIE])
    if not len(sizes):
        return 1.0
    observed = abs(sum(difference for difference in differences if abs(difference) > TIE))
    if len(sizes) <= EXACT_UP_TO:
        flips = (np.arange(2 ** len(sizes))[:, None] >> np.arange(len(sizes)) & 1) * 2 - 1
        return float(np.mean(np.abs(np.einsum("ij,j->i", flips, sizes)) >= observed - TIE))
    chance = np.random.default_rng(SEED)
    extreme = 0
    width = -(-len(sizes) // 8)
    for _ in range(SAMPLES // AT_A_TIME):
        drawn = np.frombuffer(chance.bytes(AT_A_TIME * width), dtype=np.uint8).reshape(AT_A_TIME, width)
        positive = np.unpackbits(drawn, axis=1, count=len(sizes)) @ sizes
        extreme += int(np.sum(np.abs(2 * positive - sizes.sum()) >= observed - TIE))
    return (extreme + 1) / (SAMPLES + 1)


def bootstrap_interval(differences: Sequence[float]) -> tuple[float, float] | None:
    """Return the percentile interval of the mean at CONFIDENCE (Efron 1979; for retrieval: Sakai, SIGIR 2006).

    Topics are resampled. None for fewer than two of them.
    """
    import numpy as np

    if len(differences) < 2:
        return None
    values = np.array(differences)
    chance = np.random.default_rng(SEED)
    means = [
        values[chance.integers(0, len(values), size=(AT_A_TIME, len(values)), dtype=np.int32)].mean(axis=1)
        for _ in range(RESAMPLES // AT_A_TIME)
    ]
    tail = (1 - CONFIDENCE) / 2 * 100
    low, high = np.percentile(np.concatenate(means), [tail, 100 - tail])
    return float(low), float(high)
