from __future__ import annotations

from plait.evaluate.causes import Cause, cause_text, explain, missing, movement_text
from plait.evaluate.collection import Topic
from plait.model import (
    Candidate,
    Direction,
    Edge,
    EdgeKind,
    Evidence,
    Ranking,
    Reason,
    Source,
    Step,
    SymbolId,
    Trace,
    Via,
)

A, B, C, D, E = (SymbolId(name) for name in "ABCDE")
NAMES = {symbol: symbol.lower() for symbol in (A, B, C, D, E)}
EDGE = Edge(A, D, EdgeKind.CALLS, Via.CALL, Evidence.SCOPED, 0.9, "m.py", 7)


def candidates(*scored: tuple[SymbolId, float]) -> tuple[Candidate, ...]:
    return tuple(Candidate(symbol, (Reason(Source.DENSE, score),)) for symbol, score in scored)


def ranking(*scored: tuple[SymbolId, float], cut: int | None = None, trace: Trace = Trace()) -> Ranking:
    pool = candidates(*scored)
    return Ranking(pool[:cut], pool, trace)


def test_never_a_candidate() -> None:
    found = ranking((A, 3), (B, 2), trace=Trace(seeds=(A, B)))
    (absent,) = missing(found, [C], 5)
    assert (absent.cause, absent.rank, absent.above) == (Cause.NEVER_A_CANDIDATE, None, ())
    assert cause_text(absent, found, 5, NAMES) == "never a candidate: neither a seed nor within reach of the seeds a, b"


def test_outranked_names_the_irrelevant_ones_above_it() -> None:
    found = ranking((A, 4), (B, 3), (C, 2), (D, 1))
    (absent,) = missing(found, [B, D], 3)
    assert (absent.symbol, absent.cause, absent.rank, absent.above) == (D, Cause.OUTRANKED, 4, (A, C))
    assert cause_text(absent, found, 3, NAMES) == "outranked at rank 4 by a, c"


def test_cut_when_only_relevant_ones_or_ties_stand_above() -> None:
    found = ranking((A, 4), (B, 3), (C, 3))
    assert missing(found, [A, C], 2)[0].cause is Cause.CUT, "B has the same score and wins by its id"
    assert missing(found, [A, B, C], 2)[0].cause is Cause.CUT, "two places, three relevant symbols"
    own_cut = ranking((A, 4), (B, 3), cut=1)
    assert missing(own_cut, [A, B], 5)[0].cause is Cause.CUT, "the strategy itself returned one"


def test_nothing_is_missing() -> None:
    assert missing(ranking((A, 2), (B, 1)), [A, B], 2) == ()


def test_the_swap_and_the_edge_that_made_it() -> None:
    vector = ranking((A, 4), (B, 3), (C, 2), (D, 1))
    naive = ranking((A, 4), (D, 1), trace=Trace((A,), (Step(EDGE, Direction.OUT, 1),)))
    found = explain(Topic("q", "?"), {D: 1, B: 1, E: 0}, 2, ("vector", vector), ("naive", naive))
    assert (found.left, found.entered, found.relevant) == ((B,), (D,), (B, D))
    assert [(m.symbol, m.a, m.b) for m in found.movements] == [(A, 1, 1), (B, 2, None), (D, 4, 2)]
    assert [absent.cause for absent in found.missing_b] == [Cause.NEVER_A_CANDIDATE]
    assert movement_text(found.movements[2], NAMES) == "rank 4 -> rank 2; reached over a -> d (m.py:7)"
    assert movement_text(found.movements[1], NAMES) == "rank 2 -> not a candidate"


def test_reasons_that_are_added_are_named_and_another_score_is_not() -> None:
    dense, edge = Reason(Source.DENSE, 1.0), Reason(Source.EDGE, 0.5, "called by a (m.py:7)", EDGE)
    base = ranking((A, 2), (D, 1))
    added = Ranking((Candidate(A, (Reason(Source.DENSE, 2.0),)), Candidate(D, (dense, edge))))
    other = Ranking((Candidate(D, (Reason(Source.LEXICAL, 7.0),)),))
    topic = Topic("q", "?")
    moved = explain(topic, {D: 1}, 1, ("a", base), ("b", added)).movements
    assert movement_text(moved[1], NAMES) == "rank 2 -> rank 2; +0.500 called by a (m.py:7)"
    moved = explain(topic, {D: 1}, 1, ("a", base), ("b", other)).movements
    assert movement_text(moved[1], NAMES) == "rank 2 -> rank 1"
