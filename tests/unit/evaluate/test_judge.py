from __future__ import annotations

import json
from pathlib import Path

import pytest

from plait.evaluate.collection import Collection, Topic
from plait.evaluate.compare import Verdict
from plait.evaluate.judge import Evaluation, Run, evaluate, to_json
from plait.evaluate.measures import Measure, parse
from plait.model import Candidate, Ranking, Reason, Source, SymbolId

A, B, C = (SymbolId(name) for name in "ABC")
TOPICS = tuple(Topic(f"q{number}", f"question {number}") for number in range(1, 6))
COLLECTION = Collection("tiny", "", Path(), "python", TOPICS, ())
JUDGED = {"q1": {A: 1, B: 1}, "q2": {C: 2}, "q3": {A: 1}, "q4": {A: 0, B: -1}}
RECALL, RR = parse("Recall@2"), parse("RR")


def found(*symbols: SymbolId, kept: int | None = None) -> Ranking:
    pool = tuple(Candidate(s, (Reason(Source.DENSE, 1 - place / 10),)) for place, s in enumerate(symbols))
    return Ranking(pool[:kept], pool)


RUNS: dict[str, Run] = {
    "base": {"q1": found(A, C), "q2": found(A, C), "q3": found(A), "q4": found(A), "q5": found(A)},
    "other": {"q1": found(B, A), "q2": found(A), "q4": found(B)},
}


def judged() -> Evaluation:
    return evaluate(COLLECTION, JUDGED, RUNS, [RECALL, RR])


def test_scores_per_topic_then_means() -> None:
    made = judged()
    assert made.labels == ("base", "other")
    assert made.scores["Recall@2"] == {
        "base": {"q1": 0.5, "q2": 1.0, "q3": 1.0, "q4": 0.0},
        "other": {"q1": 1.0, "q2": 0.0, "q3": 0.0, "q4": 0.0},
    }
    assert made.scores["RR"]["base"] == {"q1": 1.0, "q2": 0.5, "q3": 1.0, "q4": 0.0}
    assert (made.mean(RECALL, "base"), made.mean(RECALL, "other")) == (0.625, 0.25)


def test_what_is_left_out_and_what_cannot_be_won_is_said() -> None:
    made = judged()
    assert [topic.id for topic in made.topics] == ["q1", "q2", "q3", "q4"]
    assert made.unjudged == ("q5",)
    assert made.without_relevant == ("q4",), "it counts, with 0, as in ir-measures"


def test_only_what_the_strategy_kept_is_scored() -> None:
    made = evaluate(COLLECTION, {"q1": {B: 1}}, {"cut": {"q1": found(A, B, kept=1)}}, [RECALL])
    assert made.scores["Recall@2"]["cut"] == {"q1": 0.0}


def test_any_two_labels_can_be_compared() -> None:
    made = judged()
    there, back = made.compare(RECALL, "base", "other"), made.compare(RECALL, "other", "base")
    assert there.differences == {"q2": -1.0, "q3": -1.0, "q4": 0.0, "q1": 0.5}
    assert there.mean == -back.mean == -0.375
    assert there.divergent == ("q2", "q3", "q1")
    assert back.divergent == ("q1", "q2", "q3")


def test_json() -> None:
    made = json.loads(json.dumps(to_json(judged()), allow_nan=False))
    assert made["schema"] == "plait.eval.v1"
    assert (made["topics"], made["unjudged"], made["without_relevant"]) == (4, ["q5"], ["q4"])
    assert made["measures"]["Recall@2"]["other"] == {
        "mean": 0.25,
        "topics": {"q1": 1.0, "q2": 0.0, "q3": 0.0, "q4": 0.0},
    }
    assert [(c["measure"], c["a"], c["b"]) for c in made["comparisons"]] == [
        ("Recall@2", "base", "other"),
        ("RR", "base", "other"),
    ]
    first = made["comparisons"][0]
    assert list(first["divergent"]) == ["q2", "q3", "q1"]
    assert (first["win"], first["tie"], first["loss"], first["one_topic_moves"]) == (1, 1, 2, 0.25)


@pytest.mark.parametrize("labels", [0, 1])
def test_json_with_nothing_to_compare(labels: int) -> None:
    runs = dict(list(RUNS.items())[:labels])
    made = to_json(evaluate(COLLECTION, JUDGED, runs, [RECALL]))
    assert made["comparisons"] == []
    assert made["strategies"] == list(runs)


def test_nothing_judged() -> None:
    made = evaluate(COLLECTION, {}, RUNS, [Measure("RR", None)])
    assert (made.topics, made.mean(RR, "base")) == ((), 0.0)
    assert json.dumps(to_json(made), allow_nan=False)


def test_categories_are_compared_apart() -> None:
    kinds = ("commit", "docstring", "commit", "", "commit")
    topics = tuple(Topic(f"q{n}", "", kind) for n, kind in enumerate(kinds, start=1))
    made = evaluate(Collection("tiny", "", Path(), "python", topics, ()), JUDGED, RUNS, [RECALL])
    assert made.categories == ("commit", "docstring")
    assert [topic.id for topic in made.within("commit").topics] == ["q1", "q3"]
    assert made.within("commit").mean(RECALL, "base") == 0.75
    ((commit,), (docstring,)) = made.by_category(RECALL).values()
    assert (commit.differences, docstring.differences) == ({"q3": -1.0, "q1": 0.5}, {"q2": -1.0})
    assert [row["category"] for row in to_json(made)["categories"]] == ["commit", "docstring"]
    assert judged().categories == ()


def test_a_placebo_is_compared_with_what_it_is_a_placebo_of() -> None:
    runs = {**RUNS, "sham": RUNS["base"]}
    made = evaluate(COLLECTION, JUDGED, runs, [RECALL], {"other": "sham"})
    assert made.pairs == (("base", "other"), ("sham", "other"))
    plain, control = made.comparisons(RECALL)
    assert (plain.a, control.a, plain.differences) == ("base", "sham", control.differences)
    assert plain.corrected == min(1.0, 2 * plain.p)
    assert to_json(made)["placebos"] == {"other": "sham"}


@pytest.mark.parametrize(("planted", "verdict"), [(20, Verdict.BETTER), (-20, Verdict.WORSE), (0, Verdict.UNDECIDED)])
def test_a_planted_change_of_rankings_is_found(planted: int, verdict: Verdict) -> None:
    """Of 200 topics 100 are found by both, `planted` only by the one or the other, and in 30 the first two swap."""
    topics = tuple(Topic(f"q{n}", "") for n in range(200))
    better, worse = max(planted, 0), max(-planted, 0)
    runs: dict[str, Run] = {
        "a": {topic.id: found(A, B) if n < 100 + worse else found(B, C) for n, topic in enumerate(topics)},
        "b": {
            topic.id: found(B, A) if n < 30 else found(A, B) if n < 100 + better else found(C, B)
            for n, topic in enumerate(topics)
        },
    }
    made = evaluate(
        Collection("tiny", "", Path(), "python", topics, ()), {topic.id: {A: 1} for topic in topics}, runs, [RECALL]
    )
    (one,) = made.comparisons(RECALL)
    assert (one.verdict, len(one.divergent), one.mean) == (verdict, abs(planted), planted / 200)
