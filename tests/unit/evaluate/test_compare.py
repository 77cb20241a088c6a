from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from plait.evaluate.compare import Outcome, bootstrap_interval, compare, randomisation_test


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
