"""The default strategy: a sum of one curve for each column, with few results of one file."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from plait.model import Ranking, Source
from plait.retrieve.additive import (
    ASKED,
    ASKED_SCOPED,
    FILES_FOR_A_PLACE,
    FIRST_EACH,
    FIRST_REPEAT,
    IN_REPORTS,
    Additive,
    named_symbols,
)
from plait.retrieve.curves import Curve, curves
from plait.retrieve.features import COLUMNS, GROUPS, columns
from plait.retrieve.hybrid import identifiers, only_name
from plait.testing import SOURCES, question, snapshot_of


def test_every_curve_is_of_a_column_and_nothing_where_the_column_is() -> None:
    assert set(curves()) <= set(COLUMNS)
    assert len(COLUMNS) == len(set(COLUMNS)) == sum(map(len, GROUPS.values()))
    for name, curve in curves().items():
        assert len(curve.values) == len(curve.ends) + 1, name
        assert (np.diff(curve.ends) > 0).all(), name
        assert curve.of(np.zeros(1)) == 0, name


def test_a_curve_is_a_step_function_closed_to_the_right() -> None:
    curve = Curve(np.array([1.0, 2.0]), np.array([0.0, 0.5, 0.75]))
    assert curve.of(np.array([0.0, 1.0, 1.5, 2.0, 9.0])).tolist() == [0.0, 0.0, 0.5, 0.5, 0.75]


def test_columns_are_finite_and_have_a_row_for_each_candidate() -> None:
    snapshot = snapshot_of(SOURCES)
    for text in ("checkout", "the", "zzzz", "total of the cart"):
        pool = snapshot.pool(question(text), 100, 5)
        found = columns(question(text), pool, frozenset())
        assert set(found) == set(COLUMNS)
        assert all(column.shape == (len(pool.ids),) and np.isfinite(column).all() for column in found.values())


def test_a_score_is_the_sum_of_its_reasons_and_edges_bring_candidates() -> None:
    snapshot = snapshot_of(SOURCES)
    ranking = Additive().retrieve(question("checkout"), snapshot)
    scores = [candidate.score for candidate in ranking.candidates]
    assert scores == sorted(scores, reverse=True)
    assert all(one.score == math.fsum(reason.value for reason in one.reasons) for one in ranking.candidates)
    alone = Additive(seeds=0).retrieve(question("checkout"), snapshot)
    assert {one.symbol for one in alone.pool} <= {one.symbol for one in ranking.pool}
    assert ranking.trace.seeds
    assert not alone.trace.steps


LONG = " ".join(["checkout", *(f"word{number}" for number in range(16))])
ALL = Additive(first=0, repeat=1.0, each=0.25, many_files=1)


@pytest.mark.parametrize(
    ("text", "strategy", "expected"),
    [
        ("checkout", ALL, lambda better: min(better, 1) + 0.25 * better),
        ("checkout", Additive(first=0, repeat=0.0, each=0.5, many_files=1), lambda better: 0.5 * better),
        (LONG, ALL, lambda better: IN_REPORTS * better),
        (LONG, replace(ALL, report=0), lambda better: min(better, 1) + 0.25 * better),
    ],
    ids=["first and each", "each", "a report", "no reports"],
)
def test_better_ones_of_a_file_take_from_a_candidate(
    text: str, strategy: Additive, expected: Callable[[int], float]
) -> None:
    snapshot = snapshot_of(SOURCES)
    without = replace(strategy, first=0, repeat=0.0, each=0.0, report=0).retrieve(question(text), snapshot)
    taken = strategy.retrieve(question(text), snapshot)
    before = {one.symbol: one.score for one in without.pool}
    met: dict[str, int] = {}
    paths = {symbol.id: symbol.path for symbol in snapshot.symbols()}
    left: dict[str, float] = {}
    for one in without.pool:
        path = paths[one.symbol]
        left[one.symbol] = before[one.symbol] - expected(met.get(path, 0))
        met[path] = met.get(path, 0) + 1
    assert {one.symbol: round(one.score, 5) for one in taken.pool} == {k: round(v, 5) for k, v in left.items()}
    assert max(met.values()) > 1
    assert any(reason.source is Source.PENALTY for one in taken.pool for reason in one.reasons)


MANY = {f"{name}.py": "\n".join(f"def checkout_{name}_{n}(): ...\n" for n in range(4)) for name in "abcdefghijkl"}


def _left(ranking: Ranking, repeat: float, each: float) -> dict[str, float]:
    met: dict[str, int] = {}
    left = {}
    for one in ranking.pool:
        path = one.symbol.partition(":")[0]
        better = met.get(path, 0)
        left[one.symbol] = round(one.score - repeat * min(better, 1) - each * better, 5)
        met[path] = better + 1
    return left


@pytest.mark.parametrize("places", [1, 3, 100])
@pytest.mark.parametrize("text", ["checkout", "checkout a"])
def test_first_places_are_of_more_files_and_the_others_come_behind_them(text: str, places: int) -> None:
    snapshot = snapshot_of(MANY)
    plain = Additive(first=0, repeat=0.0, each=0.0).retrieve(question(text), snapshot)
    in_front, behind = _left(plain, FIRST_REPEAT, FIRST_EACH), _left(plain, 0.5, 0.25)
    first = min(places, len(MANY) // FILES_FOR_A_PLACE)
    chosen = sorted(in_front, key=lambda symbol: (-in_front[symbol], symbol))[:first]
    others = sorted(set(behind) - set(chosen), key=lambda symbol: (-behind[symbol], symbol))
    ranking = Additive(first=places, repeat=0.5, each=0.25, many_files=1).retrieve(question(text), snapshot)
    assert [one.symbol for one in ranking.pool] == chosen + others
    scores = [one.score for one in ranking.pool]
    assert scores == sorted(scores, reverse=True)
    assert [round(score, 5) for score in scores[:first]] == [in_front[symbol] for symbol in chosen]
    lost = {round(behind[one.symbol] - one.score, 5) for one in ranking.pool[first:]}
    assert len(lost) <= 1
    assert {any("behind the first" in reason.detail for reason in one.reasons) for one in ranking.pool[first:]} == (
        {max(lost) > 0} if lost else set()
    )


def test_no_place_is_lost_where_the_first_are_the_best_anyway() -> None:
    ranking = Additive(first=1, repeat=0.5).retrieve(question("checkout a"), snapshot_of(MANY))
    assert not any("behind" in reason.detail for one in ranking.pool for reason in one.reasons)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Engine::search", ["Engine.search"]),
        ("what does net::Engine::search do", ["net.Engine.search"]),
        ("std:: things", []),
        ("at com.shop.Cart$Line.total(Cart.java:9)", ["com.shop.Cart.Line.total", "Cart.java"]),
        ("at com.shop.Cart$1.run", ["com.shop.Cart"]),
        ("costs $five", []),
        ("shop/cart.(*Cart).Total(0xc0001a)", ["cart.Cart.Total"]),
        ("call (cart).total of it", ["cart.total"]),
        ("shop::Cart<T>::total and Vec::<u8>::push", ["shop.Cart.total", "Vec.push"]),
        ("see: this::", []),
    ],
)
def test_names_with_colons_are_names_with_dots(text: str, found: list[str]) -> None:
    assert list(identifiers(text)) == found


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Cart.total", "Cart.total"),
        ("  `Cart::total()` ", "Cart.total"),
        ("(*Cart).Total", "Cart.Total"),
        ("total", "total"),
        ("total?", "total"),
        ("the total", ""),
        ("Cart.total, please", ""),
        ("12", ""),
        ("", ""),
    ],
)
def test_a_question_that_is_a_name(text: str, name: str) -> None:
    assert only_name(text) == name


OVERLOADED = {
    "writer.py": "class Writer:\n"
    + "".join(f"    def {name}(self): ...\n" for name in ("value", "json_value", "value_writer", "write_value")),
    **{f"value_{n}.py": "def value(): ...\n\ndef writer_value(): ...\n" for n in range(4)},
}


NAMED = float(curves()["named"].of(np.ones(1))[0])
"""That the same word twice is more than a name, and names nothing, makes this difference, too."""


@pytest.mark.parametrize(
    ("text", "gain"), [("value", ASKED + NAMED), ("Writer.value", ASKED_SCOPED), ("a Writer.value", 0.0)]
)
def test_what_bears_the_name_that_is_the_question_gains(text: str, gain: float) -> None:
    snapshot = snapshot_of(OVERLOADED)
    strategy = Additive(first=0, repeat=0.0, each=0.0)
    ranking = strategy.retrieve(question(text), snapshot)
    named = named_symbols(question(text), snapshot)
    assert named
    found, before = (
        {one.symbol: reason.value for one in of.pool for reason in one.reasons if reason.source is Source.NAME}
        for of in (ranking, strategy.retrieve(question(f"{text} {text}"), snapshot))
    )
    gained = {symbol: round(found[symbol] - before[symbol], 5) for symbol in named}
    assert gained == dict.fromkeys(named, round(gain, 5))


def test_a_scoped_name_comes_first() -> None:
    first = Additive().retrieve(question("Writer.value"), snapshot_of(OVERLOADED)).candidates[0]
    assert first.symbol == "writer.py:Writer#value()."
