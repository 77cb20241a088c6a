from __future__ import annotations

import random
from dataclasses import replace

from plait.evaluate.causes import Cause, Movement, cause_text, explain, extremes, missing, movement_text
from plait.evaluate.collection import Topic
from plait.evaluate.compare import compare
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


def test_what_the_strategy_itself_cut_was_not_outranked() -> None:
    found = ranking((A, 4), (B, 3), (C, 2), (D, 1), cut=1)
    (absent,) = missing(found, [B], 2)
    assert (absent.cause, absent.rank, absent.above) == (Cause.CUT, 2, ()), "there was room for it: A took no place"
    assert cause_text(absent, found, 2, NAMES) == "cut: rank 2, but the strategy keeps 1"
    (absent,) = missing(found, [D], 2)
    assert (absent.cause, absent.above) == (Cause.OUTRANKED, (A, B)), "without its cut it would be missing just as well"
    (absent,) = missing(ranking((A, 4), (B, 3), (C, 2), cut=1), [A, B, C], 2)[1:]
    assert (absent.cause, absent.rank) == (Cause.CUT, 3)


def test_what_a_filter_of_a_ranking_loses_was_never_a_candidate() -> None:
    """Naive graph search is such a filter: whatever joins or leaves its pool, nothing of the top k is crowded out."""
    chance = random.Random(11)
    for _ in range(300):
        symbols = [SymbolId(f"s{number:02}") for number in range(chance.randint(1, 12))]
        # Few different scores, so that there are ties.
        scored = sorted(((s, chance.randint(0, 5)) for s in symbols), key=lambda pair: (-pair[1], pair[0]))
        k = chance.randint(1, 6)
        filtered = ranking(*(pair for pair in scored if chance.random() < 0.6), cut=chance.randint(k, 12))
        for absent in missing(filtered, [symbol for symbol, _ in scored[:k]], k):
            assert absent.cause is Cause.NEVER_A_CANDIDATE


def test_reached_but_not_scored() -> None:
    found = ranking((A, 4), trace=Trace((A,), (Step(EDGE, Direction.OUT, 1),)))
    (absent,) = missing(found, [D], 5)
    told = "never a candidate: reached over a -> d (m.py:7, calls, scoped), but not scored"
    assert cause_text(absent, found, 5, NAMES) == told


def test_causes_without_a_pool_are_those_of_the_candidates() -> None:
    bare = Ranking(candidates((A, 2), (B, 1)))
    assert [(m.cause, m.rank) for m in missing(bare, [B, C], 1)] == [
        (Cause.OUTRANKED, 2),
        (Cause.NEVER_A_CANDIDATE, None),
    ]


def test_nothing_is_missing() -> None:
    assert missing(ranking((A, 2), (B, 1)), [A, B], 2) == ()


def test_the_swap_and_the_edge_that_made_it() -> None:
    vector = ranking((A, 4), (B, 3), (C, 2), (D, 1))
    naive = ranking((A, 4), (D, 1), trace=Trace((A,), (Step(EDGE, Direction.OUT, 1),)))
    found = explain(Topic("q", "?"), {D: 1, B: 1, E: 0}, 2, ("vector", vector), ("naive", naive))
    assert (found.left, found.entered, found.relevant) == ((B,), (D,), (B, D))
    assert [(m.symbol, m.a, m.b) for m in found.movements] == [(A, 1, 1), (B, 2, None), (D, 4, 2)]
    assert [absent.cause for absent in found.missing_b] == [Cause.NEVER_A_CANDIDATE]
    assert movement_text(found.movements[2], NAMES) == "rank 4 -> rank 2; reached over a -> d (m.py:7, calls, scoped)"
    assert movement_text(found.movements[1], NAMES) == "rank 2 -> not a candidate"


def test_reasons_that_are_added_are_named_and_another_score_is_not() -> None:
    dense, edge = Reason(Source.DENSE, 1.0), Reason(Source.EDGE, 0.5, "called by a (m.py:7)", EDGE)
    base = ranking((A, 2), (D, 1))
    added = Ranking((Candidate(A, (Reason(Source.DENSE, 2.0),)), Candidate(D, (dense, edge))))
    other = Ranking((Candidate(D, (Reason(Source.LEXICAL, 7.0),)),))
    topic = Topic("q", "?")
    moved = explain(topic, {D: 1}, 1, ("a", base), ("b", added)).movements
    assert movement_text(moved[1], NAMES) == "rank 2 -> rank 2; +0.500 called by a (m.py:7) [calls, scoped]"
    moved = explain(topic, {D: 1}, 1, ("a", base), ("b", other)).movements
    assert movement_text(moved[1], NAMES) == "rank 2 -> rank 1"


def test_what_a_fallen_symbol_lacks_is_named() -> None:
    edge = Reason(Source.EDGE, 0.5, "called by a (m.py:7)", EDGE)
    with_edge = Ranking((Candidate(D, (Reason(Source.DENSE, 1.0), edge)), *candidates((A, 1.2))))
    without = ranking((A, 1.2), (D, 1))
    (_, moved) = sorted(explain(Topic("q", "?"), {D: 1}, 2, ("a", with_edge), ("b", without)).movements, key=by_symbol)
    assert (moved.gained, moved.lost) == ((), (edge,))
    why = "without +0.500 called by a (m.py:7) [calls, scoped]"
    assert movement_text(moved, NAMES) == f"rank 1 -> rank 2; {why}"
    gone = explain(Topic("q", "?"), {D: 1}, 2, ("a", with_edge), ("b", ranking((A, 1)))).movements[0]
    assert movement_text(gone, NAMES) == f"rank 1 -> not a candidate; {why}"


def test_the_edge_that_is_no_longer_walked_is_named_only_for_what_is_gone() -> None:
    again = Edge(B, D, EdgeKind.CALLS, Via.CALL, Evidence.SCOPED, 0.9, "m.py", 9)
    trace = Trace((A,), (Step(EDGE, Direction.OUT, 1), Step(again, Direction.OUT, 2)))
    far = ranking((A, 4), (D, 1), trace=trace)
    near = explain(Topic("q", "?"), {D: 1}, 2, ("far", far), ("near", ranking((A, 4), (B, 3)))).movements
    assert {movement.symbol: movement_text(movement, NAMES) for movement in near} == {
        A: "rank 1 -> rank 1",
        B: "not a candidate -> rank 2",
        D: "rank 2 -> not a candidate; before, reached over a -> d (m.py:7, calls, scoped)",
    }, "the first edge that led there"
    vector = explain(Topic("q", "?"), {D: 1}, 2, ("far", far), ("vector", ranking((A, 4), (B, 3), (D, 1))))
    assert (vector.left, vector.entered) == ((D,), (B,))
    assert movement_text(vector.movements[1], NAMES) == "rank 2 -> rank 3", "it fell because others joined"


def by_symbol(movement: Movement) -> SymbolId:
    return movement.symbol


def test_an_edge_that_counts_otherwise_is_named_if_nothing_else_is_new() -> None:
    """As between a strategy and its placebo."""

    def walked(edge: Edge, value: float) -> Ranking:
        reasons = (Reason(Source.DENSE, 1.0), Reason(Source.EDGE, value, "called by a", edge))
        return Ranking((Candidate(D, reasons), *candidates((A, 1.2))))

    other = replace(EDGE, line=9)
    moved = explain(Topic("q", "?"), {D: 1}, 2, ("a", walked(EDGE, 0.1)), ("b", walked(other, 0.5))).movements
    (found,) = (one for one in moved if one.symbol == D)
    assert ([one.value for one in found.gained], [one.value for one in found.lost]) == ([0.5], [0.1])
    same = explain(Topic("q", "?"), {D: 1}, 2, ("a", walked(EDGE, 0.1)), ("b", walked(EDGE, 0.1))).movements
    assert all(one.gained == one.lost == () for one in same)


def test_many_that_outrank_one_are_not_all_named() -> None:
    letters = tuple(SymbolId(letter) for letter in "fghijkl")
    found = ranking(*((letter, 9 - n) for n, letter in enumerate(letters)), (A, 1))
    (absent,) = missing(found, [A], 7)
    names = {symbol: str(symbol) for symbol in (*letters, A)}
    assert cause_text(absent, found, 7, names) == "outranked at rank 8 by f, g, h, i, j and 2 more"
    assert len(absent.above) == 7


def test_the_ends_of_a_comparison() -> None:
    before, after = dict.fromkeys("abcdef", 0.5), dict(zip("abcdef", (0.0, 0.25, 0.5, 0.75, 0.8, 1.0), strict=True))
    one = compare("m", "a", "b", before, after)
    assert extremes(one, None) == ("a", "b", "d", "e", "f")
    assert extremes(one, 1) == ("a", "f")
    assert extremes(one, 2) == ("a", "b", "e", "f")
    assert extremes(one, 9) == ("a", "b", "d", "e", "f")
