from __future__ import annotations

from pathlib import Path

import pytest

from plait.evaluate.causes import explanations
from plait.evaluate.collection import Collection, Topic
from plait.evaluate.gates import Baseline as Before
from plait.evaluate.gates import Gates, check, condition, regressions
from plait.evaluate.judge import evaluate
from plait.evaluate.markdown import MOST_TOLD, escaped, markdown
from plait.evaluate.measures import parse
from plait.evaluate.naming import short_labels
from plait.model import Candidate, Ranking, Reason, Source, SymbolId

RIGHT, WRONG = SymbolId("a.py:right()."), SymbolId("a.py:wrong().")
NAMES = {RIGHT: "right_one", WRONG: "wrong_one"}
RECALL = parse("Recall@1")
COUNT = 30


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("plain words", "plain words"),
        ("a_b *c* `d` [e](f) ~g~ |", r"a\_b \*c\* \`d\` \[e\](f) \~g\~ \|"),
        ("<b> & @someone #12", "&#60;b&#62; &#38; &#64;someone &#35;12"),
        ("two\nlines\\", "two lines\\\\"),
    ],
)
def test_text_stays_text(text: str, line: str) -> None:
    assert escaped(text) == line


def found(*symbols: SymbolId) -> Ranking:
    return Ranking(tuple(Candidate(s, (Reason(Source.DENSE, 1 - n / 10),)) for n, s in enumerate(symbols)))


def written() -> str:
    topics = tuple(Topic(f"q{n}", f"who is @right_{n}?", "odd" if n % 2 else "even") for n in range(COUNT))
    runs = {
        "a(k=1)": {topic.id: found(WRONG, RIGHT) for topic in topics},
        "b(k=1)": {topic.id: found(RIGHT, WRONG) for topic in topics},
    }
    judged = {topic.id: {RIGHT: 1} for topic in topics}
    made = evaluate(Collection("tiny", "", Path(), "python", topics, ()), judged, runs, [RECALL])
    before = Before(
        "base.json",
        {topic.id: topic.text for topic in topics},
        {"Recall@1": {"a(k=1)": dict.fromkeys(judged, 1.0)}},
        {},
    )
    gates = Gates(
        check(made, [condition("a recall@1 < .5")]),
        "base.json",
        regressions(made, before, RECALL),
        ("a: Recall@1 is 0.000, which is < 0.5",),
    )
    told = explanations(made, runs, RECALL, 1, 2 * MOST_TOLD)
    return "\n".join(markdown(made, RECALL, told, NAMES, short_labels(made.labels), "on no graph", gates))


def test_failures_come_first_and_every_verdict_has_its_interval() -> None:
    lines = written().splitlines()
    assert lines[:3] == ["### plait eval: tiny", "", "- ❌ a: Recall&#64;1 is 0.000, which is &#60; 0.5"]
    rows = [line for line in lines if line.startswith("|") and ("🟢" in line or "🔴" in line)]
    assert [row.split(" | ")[:4] for row in rows] == [
        ["| a, 1.000 before", "-1.000", "-1.000 to -1.000", "0.000"],
        ["| b", "+1.000", "+1.000 to +1.000", "0.000"],
        ["| even: b", "+1.000", "+1.000 to +1.000", "0.000"],
        ["| odd: b", "+1.000", "+1.000 to +1.000", "0.000"],
    ]


def test_what_is_not_told_is_counted() -> None:
    text = written()
    assert f"<details><summary>b against a: {MOST_TOLD} of {COUNT} queries that differ</summary>" in text
    assert f"- {COUNT - MOST_TOLD} more" in text
    assert text.count("- **q") == MOST_TOLD
    assert "  - right\\_one: rank 2 -&#62; rank 1" in text
    assert "@" not in text
    assert text.count("<details>") == text.count("</details>") == 2
