from __future__ import annotations

import random
import re

import ir_measures
import pytest

from plait.errors import BadParameter
from plait.evaluate.measures import Measure, parse, standard
from plait.model import SymbolId

A, B, C, D = (SymbolId(name) for name in "ABCD")


@pytest.mark.parametrize(
    ("measure", "ranking", "judged", "expected"),
    [
        ("Recall@1", [A, B], {A: 1, B: 1}, 0.5),
        ("Recall@2", [A, B], {A: 1, B: 1}, 1.0),
        ("P@4", [A, B], {A: 1}, 0.25),
        ("RR", [C, B, A], {A: 1}, 1 / 3),
        ("RR@2", [C, B, A], {A: 1}, 0.0),
        ("Success@1", [B, A], {A: 1}, 0.0),
        ("Success@2", [B, A], {A: 1}, 1.0),
        ("nDCG@2", [B, A], {A: 1}, 0.6309297535714575),
        ("nDCG@2", [A, C], {A: 1, B: 2}, 1 / (2 + 0.6309297535714575)),
        ("Recall@5", [], {A: 1}, 0.0),
        ("nDCG@5", [A], {A: 0}, 0.0),
        ("Recall@5", [A], {A: 0, B: -1}, 0.0),
        ("Recall@5", [D], {A: 1, D: -1}, 0.0),
    ],
)
def test_by_hand(measure: str, ranking: list[SymbolId], judged: dict[SymbolId, int], expected: float) -> None:
    assert parse(measure).of(ranking, judged) == pytest.approx(expected)


def test_agreement_with_ir_measures() -> None:
    """On random rankings and graded judgements, with topics without results and topics with nothing relevant."""
    chance = random.Random(7)
    documents = [SymbolId(f"d{n}") for n in range(12)]
    runs = {f"q{n}": chance.sample(documents, chance.randint(0, 12)) for n in range(60)}
    qrels = {q: {d: chance.choice([-1, 0, 0, 1, 1, 2]) for d in chance.sample(documents, 6)} for q in runs}
    theirs = {"Recall": ir_measures.R, "P": ir_measures.P, "nDCG": ir_measures.nDCG, "Success": ir_measures.Success}
    pairs = [(Measure(name, k), measure @ k) for name, measure in theirs.items() for k in (1, 3, 5, 10)]
    pairs += [(Measure("RR", None), ir_measures.RR), (Measure("nDCG", None), ir_measures.nDCG)]
    pairs += [(Measure("RR", k), ir_measures.RR @ k) for k in (1, 3, 10)]
    assert any(not found for found in runs.values()), "a topic without results is among them"
    assert any(max(judged.values()) <= 0 for judged in qrels.values()), "and one with nothing relevant"
    scored = {q: {d: -rank for rank, d in enumerate(found)} for q, found in runs.items()}
    for mine, measure in pairs:
        expected = {m.query_id: m.value for m in ir_measures.iter_calc([measure], qrels, scored)}
        assert expected.keys() == runs.keys(), "a topic without results or without anything relevant counts, with 0"
        for q, found in runs.items():
            assert mine.of(found, qrels[q]) == pytest.approx(expected[q], abs=1e-9), (mine, q)
        mean = sum(mine.of(found, qrels[q]) for q, found in runs.items()) / len(runs)
        assert mean == pytest.approx(ir_measures.calc_aggregate([measure], qrels, scored)[measure], abs=1e-9)


@pytest.mark.parametrize("measure", [*standard([3, 5]), Measure("P", 10), Measure("RR", 10), Measure("nDCG", None)])
def test_a_measure_is_read_back_from_what_it_prints(measure: Measure) -> None:
    assert parse(str(measure)) == measure
    assert parse(str(measure).lower()) == measure


def test_short_forms() -> None:
    assert parse("R@5") == Measure("Recall", 5)
    assert parse("MRR") == Measure("RR", None)


@pytest.mark.parametrize("description", ["F1@3", "Recall", "Recall@0", "nDCG@-1", "Recall@x", ""])
def test_an_unknown_measure_is_one_clear_line(description: str) -> None:
    with pytest.raises(BadParameter, match=re.compile("no measure is called|needs a depth")):
        parse(description)
