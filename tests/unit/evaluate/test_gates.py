from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from plait.errors import BadBaseline, BadParameter
from plait.evaluate import gates
from plait.evaluate.collection import Collection, Topic
from plait.evaluate.compare import Verdict
from plait.evaluate.judge import Evaluation, evaluate, to_json
from plait.evaluate.measures import Measure, parse
from plait.model import Candidate, Ranking, Reason, Source, SymbolId

RECALL = parse("Recall@1")
RIGHT, WRONG = SymbolId("a.py:right()."), SymbolId("a.py:wrong().")
COUNT = 40


def judged(right: int, *, label: str = "mine(depth=5)", topics: int = COUNT) -> Evaluation:
    """An evaluation in which the first `right` topics are answered."""
    asked = tuple(Topic(f"q{n}", f"question {n}") for n in range(topics))
    run = {topic.id: ranking(RIGHT if n < right else WRONG) for n, topic in enumerate(asked)}
    judgements = {topic.id: {RIGHT: 1} for topic in asked}
    return evaluate(Collection("tiny", "", Path(), "python", asked, ()), judgements, {label: run}, [RECALL])


def ranking(*symbols: SymbolId) -> Ranking:
    return Ranking(tuple(Candidate(symbol, (Reason(Source.DENSE, 1.0),)) for symbol in symbols))


def baseline(path: Path, evaluation: Evaluation, **more: Any) -> gates.Baseline:
    path.write_text(json.dumps(to_json(evaluation) | more))
    return gates.read_baseline(path)


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("recall@10 < 0.70", ("", "Recall@10", "<", 0.7)),
        ("recall@10<.7", ("", "Recall@10", "<", 0.7)),
        ("additive nDCG@5 <= 0.5", ("additive", "nDCG@5", "<=", 0.5)),
        ("naive(seeds=3, hops=2, k=5) mrr > 1e-1", ("naive(seeds=3, hops=2, k=5)", "RR", ">", 0.1)),
    ],
)
def test_conditions(text: str, read: tuple[str, str, str, float]) -> None:
    made = gates.condition(text)
    assert (made.strategy, str(made.measure), made.order, made.bound) == read
    assert gates.condition(str(made)) == made


@pytest.mark.parametrize("text", ["", "recall@10", "recall@10 < ", "recall@10 < much", "recall@10 = 1", "RR < nan"])
def test_what_is_no_condition(text: str) -> None:
    with pytest.raises(BadParameter, match=r"is no condition; write for example 'recall@10 < 0.70'"):
        gates.condition(text)


def test_a_condition_needs_a_measure() -> None:
    with pytest.raises(BadParameter, match="no measure is called 'speed'"):
        gates.condition("speed < 3")


def test_a_mean_on_the_bound_is_not_below_it() -> None:
    evaluation = judged(28)
    below, at = gates.check(evaluation, [gates.condition("recall@1 < 0.7"), gates.condition("recall@1 <= 0.7")])
    assert (below.value, below.failed, at.failed) == (0.7, False, True)


def test_conditions_look_at_every_strategy_but_placebos() -> None:
    one = judged(10)
    runs = {f"{name}(depth=5)": {topic.id: ranking(WRONG) for topic in one.topics} for name in ("a", "b", "sham")}
    made = evaluate(one.collection, one.judgements, runs, [RECALL], {"b(depth=5)": "sham(depth=5)"})
    every = gates.check(made, [gates.condition("recall@1 < .1")])
    assert [(checked.label, checked.failed) for checked in every] == [("a(depth=5)", True), ("b(depth=5)", True)]
    assert [checked.label for checked in gates.check(made, [gates.condition("b recall@1 < .1")])] == ["b(depth=5)"]
    with pytest.raises(BadParameter, match="about a strategy that is not judged; there are: a, b, sham"):
        gates.check(made, [gates.condition("c recall@1 < .1")])


def test_a_planted_regression_is_found(tmp_path: Path) -> None:
    """Eight of forty questions lost: p is 2/256, and the interval excludes 0."""
    before = baseline(tmp_path / "b.json", judged(30))
    made = gates.regressions(judged(22), before, RECALL)
    (one,) = made.comparisons
    assert (one.verdict, one.mean, one.p) == (Verdict.WORSE, -0.2, 2 / 256)
    assert made.losses(one) == tuple(f"q{n}" for n in range(22, 30))
    assert made.before == {"mine(depth=5)": 0.75}
    assert (made.unknown, made.left_out, made.gone) == ((), (), ())


def test_a_planted_improvement_and_no_change_are_none(tmp_path: Path) -> None:
    before = baseline(tmp_path / "b.json", judged(22))
    assert [one.verdict for one in gates.regressions(judged(30), before, RECALL).comparisons] == [Verdict.BETTER]
    (same,) = gates.regressions(judged(22), before, RECALL).comparisons
    assert (same.verdict, same.divergent) == (Verdict.UNDECIDED, ())


def test_only_the_same_questions_are_compared(tmp_path: Path) -> None:
    before = baseline(tmp_path / "b.json", judged(20))
    now = judged(20, topics=COUNT + 1)
    changed = (Topic("q0", "another question"), *now.collection.topics[1:])
    now = replace(now, collection=replace(now.collection, topics=changed))
    made = gates.regressions(now, before, RECALL)
    assert (made.left_out, made.gone) == (("q0", "q40"), ())
    assert len(made.comparisons[0].differences) == COUNT - 1
    fewer = gates.regressions(judged(20, topics=COUNT - 2), before, RECALL)
    assert fewer.gone == ("q38", "q39")


def test_a_strategy_is_known_by_its_name_if_its_parameters_are_others(tmp_path: Path) -> None:
    before = baseline(tmp_path / "b.json", judged(20))
    (one,) = gates.regressions(judged(20, label="mine(depth=9)"), before, RECALL).comparisons
    assert (one.a, one.b) == ("baseline: mine(depth=5)", "mine(depth=9)")
    with pytest.raises(BadBaseline, match="judges none of other; choose with --strategy"):
        gates.regressions(judged(20, label="other(depth=5)"), before, RECALL)


def test_baselines_that_cannot_be_compared(tmp_path: Path) -> None:
    path = tmp_path / "b.json"
    before = baseline(path, judged(20))
    with pytest.raises(BadBaseline, match=r"holds no Recall@7, only Recall@1; choose with --measure"):
        gates.regressions(judged(20), before, Measure("Recall", 7))
    with pytest.raises(BadBaseline, match="shares no question with tiny"):
        gates.regressions(judged(20), replace(before, texts={}), RECALL)
    for text in ("", "[]", "{}", '{"schema": "plait.search.v1"}', '{"schema": "plait.eval.v1", "questions": 3}'):
        path.write_text(text)
        with pytest.raises(BadBaseline, match="is not what plait eval --json prints"):
            gates.read_baseline(path)
    with pytest.raises(BadBaseline, match="No such file"):
        gates.read_baseline(tmp_path / "nothing.json")
