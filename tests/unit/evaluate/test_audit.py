from __future__ import annotations

from pathlib import Path

import pytest
from scipy import stats

from plait.errors import BadAnswers
from plait.evaluate.audit import Said, add_answer, key_of, precisions, read_answers, sample, strata, wilson
from plait.model import Edge, EdgeKind, Evidence, SymbolId, Via


def edge(number: int, evidence: Evidence = Evidence.SCOPED, kind: EdgeKind = EdgeKind.CALLS) -> Edge:
    return Edge(SymbolId(f"a{number}"), SymbolId("b"), kind, Via.CALL, evidence, 0.9, "m.py", number + 1)


BY_NAME = [edge(number, Evidence.NAME) for number in range(30, 33)]
EDGES = [*(edge(number) for number in range(30)), *BY_NAME, edge(40, kind=EdgeKind.INHERITS)]
UNKNOWN_ANSWER = '{"source":"a","target":"b","kind":"c","via":"d","said":"?"}'


@pytest.mark.parametrize(("right", "judged"), [(0, 1), (1, 1), (0, 20), (19, 20), (7, 20), (50, 50)])
def test_wilson_agrees_with_scipy(right: int, judged: int) -> None:
    there = stats.binomtest(right, judged).proportion_ci(0.95, "wilson")
    found = wilson(right, judged)
    assert found == pytest.approx((there.low, there.high), abs=1e-6)


def test_nothing_judged_has_no_precision() -> None:
    assert wilson(0, 0) is None
    (one,) = precisions(strata([edge(1)]), {})
    assert (one.value, one.interval, one.judged) == (None, None, 0)


def test_a_larger_sample_begins_with_the_smaller_one() -> None:
    groups = strata(EDGES)
    assert [(str(kind), evidence) for kind, evidence in groups] == [
        ("calls", Evidence.NAME),
        ("calls", Evidence.SCOPED),
        ("inherits", Evidence.SCOPED),
    ]
    few, more = sample(groups, 2, {}), sample(groups, 5, {})
    assert (len(few), len(more)) == (5, 9)
    assert set(map(key_of, few)) <= set(map(key_of, more))
    assert sample(strata(EDGES[::-1]), 5, {}) == more
    assert [one.line for one in more] != sorted(one.line for one in more)


def test_what_was_answered_is_not_asked_again() -> None:
    groups = strata(EDGES)
    first, *rest = sample(groups, 3, {})
    assert sample(groups, 3, {key_of(first): Said.UNSURE}) == rest


def test_answers_are_kept_one_by_one_and_counted(tmp_path: Path) -> None:
    path = tmp_path / "some" / "answers.jsonl"
    assert read_answers(path) == {}
    for number, said in enumerate([Said.RIGHT, Said.WRONG, Said.RIGHT, Said.UNSURE, Said.RIGHT]):
        add_answer(path, edge(number), said)
    add_answer(path, edge(1), Said.RIGHT)
    add_answer(path, edge(99), Said.WRONG)
    said = read_answers(path)
    assert len(said) == 6
    assert said[key_of(edge(1))] is Said.RIGHT, "the last answer counts"
    scoped = precisions(strata(EDGES), said)[1]
    assert (scoped.edges, scoped.right, scoped.wrong, scoped.unsure) == (30, 4, 0, 1)
    assert (scoped.value, scoped.interval) == (1.0, wilson(4, 4))


def test_answers_survive_edits_around_the_site(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    add_answer(path, edge(1), Said.RIGHT)
    moved = Edge(SymbolId("a1"), SymbolId("b"), EdgeKind.CALLS, Via.CALL, Evidence.FLOWED, 0.5, "m.py", 70)
    assert precisions(strata([moved]), read_answers(path))[0].right == 1


@pytest.mark.parametrize("line", ["no", "[]", "3", '{"source": "a"}', UNKNOWN_ANSWER])
def test_what_is_no_answer_is_named(line: str, tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    add_answer(path, edge(1), Said.RIGHT)
    path.write_text(path.read_text() + "\n" + line + "\n")
    with pytest.raises(BadAnswers, match=r"answers.jsonl:3: this is no answer; mend or remove it"):
        read_answers(path)
