from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from plait.evaluate.compare import (
    Comparison,
    Outcome,
    Verdict,
    bootstrap_interval,
    compare,
    holm,
    randomisation_test,
    smallest_effect,
)


def test_wins_and_losses_worst_loss_first() -> None:
    a = {"q1": 0.5, "q2": 1.0, "q3": 0.0, "q4": 0.2}
    b = {"q1": 0.5, "q2": 0.0, "q3": 1.0, "q4": 0.1}
    comparison = compare("Recall@5", "a", "b", a, b)
    assert comparison.divergent == ("q2", "q4", "q3")
    assert [comparison.count(outcome) for outcome in Outcome] == [1, 1, 2]
    assert comparison.mean == pytest.approx(-0.025)
    assert comparison.one_topic_moves == 0.25


def test_rounding_is_a_tie_and_ties_keep_topic_order() -> None:
    comparison = compare("m", "a", "b", {"x": 0.1 + 0.2, "a": 0.5, "c": 0.5}, {"x": 0.3, "a": 0.25, "c": 0.25})
    assert comparison.divergent == ("a", "c")
    same = compare("m", "a", "b", {"y": 0.5, "b": 0.3}, {"y": 0.3, "b": 0.1})
    assert (same.differences["y"], same.differences["b"]) == (-0.2, -0.19999999999999998), "equal but for rounding"
    assert same.divergent == ("y", "b")
    same = compare("m", "a", "b", {"b": 0.3, "y": 0.5}, {"b": 0.1, "y": 0.3})
    assert same.divergent == ("b", "y"), "in topic order, not in that of the last bits"


@pytest.mark.parametrize(
    ("differences", "p"),
    [
        ([0.0, 0.0], 1.0),
        ([], 1.0),
        ([1.0], 1.0),
        ([1.0, 1.0], 0.5),
        ([1.0, 1.0, 1.0, 1.0, 1.0], 2 / 32),
        ([1.0, -1.0], 1.0),
        ([0.0, 0.5, 0.5, 0.5, 0.0], 0.25),
    ],
)
def test_exact_randomisation(differences: list[float], p: float) -> None:
    assert randomisation_test(differences) == pytest.approx(p)


@pytest.mark.parametrize("count", [7, 40])
def test_agreement_with_scipy(count: int) -> None:
    """Both exact for 7 topics; for 40 both are sampled, so they agree within the error of sampling."""
    differences = np.random.default_rng(3).normal(0.2, 1, count)
    expected = stats.permutation_test(
        (differences,), np.mean, permutation_type="samples", n_resamples=100_000, rng=np.random.default_rng(5)
    ).pvalue
    assert randomisation_test(list(differences)) == pytest.approx(expected, abs=1e-9 if count == 7 else 0.006)


def test_bootstrap_interval() -> None:
    assert bootstrap_interval([1.0]) is None
    assert bootstrap_interval([0.5] * 10) == (0.5, 0.5)
    differences = list(np.random.default_rng(3).normal(0.2, 1, 200))
    interval = bootstrap_interval(differences)
    assert interval is not None
    expected = stats.bootstrap((differences,), np.mean, method="percentile", rng=np.random.default_rng(5))
    assert interval == pytest.approx(tuple(expected.confidence_interval), abs=0.01)
    assert bootstrap_interval(differences) == interval, "the same figures on every run"


def test_one_topic_and_none() -> None:
    one = compare("m", "a", "b", {"q": 0.0}, {"q": 1.0})
    assert (one.mean, one.interval, one.p, one.one_topic_moves, one.divergent) == (1.0, None, 1.0, 1.0, ("q",))
    none = compare("m", "a", "b", {}, {})
    assert (none.mean, none.interval, none.p, none.one_topic_moves, none.divergent) == (0.0, None, 1.0, 0.0, ())


def test_the_mean_stands_still_while_one_wins_and_one_loses() -> None:
    a = {f"Q{number}": 1.0 for number in range(1, 13)} | {"Q8": 0.5}
    b = a | {"Q1": 0.5, "Q8": 1.0}
    comparison = compare("Recall@5", "vector", "naive", a, b)
    assert (comparison.mean, comparison.p) == (0.0, 1.0)
    assert [comparison.count(outcome) for outcome in Outcome] == [1, 10, 1]
    assert comparison.divergent == ("Q1", "Q8")
    assert comparison.one_topic_moves == pytest.approx(1 / 12)


def test_sampled_and_exact_agree_at_the_border(monkeypatch: pytest.MonkeyPatch) -> None:
    differences = list(np.random.default_rng(8).normal(0.3, 1, 14))
    exact = randomisation_test(differences)
    monkeypatch.setattr("plait.evaluate.compare.EXACT_UP_TO", 0)
    assert randomisation_test(differences) == pytest.approx(exact, abs=0.006)
    assert randomisation_test([1.0] * 40) == 1 / 100_001, "none of the samples is as extreme: the observed one counts"


def test_figures_do_not_depend_on_how_many_samples_are_drawn_together(monkeypatch: pytest.MonkeyPatch) -> None:
    differences = list(np.random.default_rng(3).normal(0.1, 1, 23))
    before = randomisation_test(differences), bootstrap_interval(differences)
    monkeypatch.setattr("plait.evaluate.compare.AT_A_TIME", 2500)
    assert (randomisation_test(differences), bootstrap_interval(differences)) == before


def test_holm_by_hand() -> None:
    """Three tests: the least p counts three times, the next twice, and none falls below the one before."""
    plain = compare("m", "a", "b", {"x": 0.0}, {"x": 1.0})
    family = [replace(plain, p=p) for p in (0.04, 0.01, 0.03, 0.9)]
    assert [one.corrected for one in holm(family)] == pytest.approx([0.09, 0.04, 0.09, 0.9])
    assert [one.corrected for one in holm([plain])] == [plain.p]
    assert holm([]) == ()


def test_smallest_effect_is_what_has_a_power_of_four_in_five() -> None:
    """Drawn again and again with a true effect of that size, a t-test finds it in .8 of the collections."""
    chance = np.random.default_rng(7)
    drawn = chance.normal(0, 1, 200)
    effect = smallest_effect(list(drawn / drawn.std(ddof=1)))
    assert effect == pytest.approx(2.802 / 200**0.5)
    samples = chance.normal(effect, 1, (4000, 200))
    assert np.mean(stats.ttest_1samp(samples, 0, axis=1).pvalue < 0.05) == pytest.approx(0.8, abs=0.02)
    assert smallest_effect([0.5]) is None
    assert smallest_effect([0.0, 0.0]) is None


def simulated(effect: float, seed: int, topics: int = 200) -> Comparison:
    """Two rankers of one quality but for `effect`: each finds the one relevant symbol of a topic by a coin of its own,
    half of them tossed together, as rankings that share a strand are alike."""
    chance = np.random.default_rng(seed)
    together = chance.random(topics) < 0.5
    first, second = chance.random(topics), chance.random(topics)
    second = np.where(together, first, second)
    a = {f"q{n}": float(first[n] < 0.6) for n in range(topics)}
    b = {f"q{n}": float(second[n] < 0.6 + effect) for n in range(topics)}
    (one,) = holm([compare("Recall@10", "a", "b", a, b)])
    return one


def test_a_null_comparison_is_called_null() -> None:
    called = Counter(simulated(0.0, seed).verdict for seed in range(100))
    assert called[Verdict.UNDECIDED] >= 95, called


def test_five_null_comparisons_at_once_are_called_null() -> None:
    """Without Holm about a fifth of such families would hold one that is called a difference."""
    families = [holm([simulated(0.0, 1000 * other + seed) for other in range(5)]) for seed in range(100)]
    null = sum(all(one.verdict is Verdict.UNDECIDED for one in family) for family in families)
    assert null >= 95, null


@pytest.mark.parametrize(("effect", "verdict"), [(0.2, Verdict.BETTER), (-0.2, Verdict.WORSE)])
def test_a_planted_difference_is_found(effect: float, verdict: Verdict) -> None:
    """Of known size: it is called by its name every time, and the interval holds it as often as it claims."""
    made = [simulated(effect, seed) for seed in range(100)]
    assert Counter(one.verdict for one in made) == {verdict: 100}
    held = sum(one.interval[0] <= effect <= one.interval[1] for one in made if one.interval)
    assert held >= 90, held


def test_too_few_that_differ_can_show_nothing() -> None:
    """Five topics of one direction have a p of 1/16 at least, however great the differences."""
    made = compare("m", "a", "b", {f"q{n}": 0.0 for n in range(20)}, {f"q{n}": float(n < 5) for n in range(20)})
    assert (made.least_p, made.p, made.verdict) == (1 / 16, 1 / 16, Verdict.UNDECIDED)
