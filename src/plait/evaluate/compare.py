"""Two strategies on the same topics: who won where, and whether the mean difference could be chance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

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
        interval=bootstrap_interval(values),
        p=randomisation_test(values),
        one_topic_moves=1 / len(values) if values else 0.0,
    )


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
    for _ in range(SAMPLES // AT_A_TIME):
        signs = chance.integers(0, 2, size=(AT_A_TIME, len(sizes)), dtype=np.int8) * 2 - 1
        extreme += int(np.sum(np.abs(np.einsum("ij,j->i", signs, sizes)) >= observed - TIE))
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
        values[chance.integers(0, len(values), size=(AT_A_TIME, len(values)))].mean(axis=1)
        for _ in range(RESAMPLES // AT_A_TIME)
    ]
    tail = (1 - CONFIDENCE) / 2 * 100
    low, high = np.percentile(np.concatenate(means), [tail, 100 - tail])
    return float(low), float(high)
