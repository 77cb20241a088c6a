from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Sequence
from xml.etree import ElementTree

import pytest

from plait.evaluate.causes import Explanation, explain
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
    Span,
    Step,
    Symbol,
    SymbolId,
    SymbolKind,
    Trace,
    Via,
)

pytest.importorskip("matplotlib")

from plait.evaluate import pictures

TOPIC = Topic("Q8", "take the $money$ & run <b>now</b>")


def ranking(names: Sequence[str], kept: int | None = None, trace: Trace = Trace()) -> Ranking:
    pool = tuple(
        Candidate(SymbolId(name), (Reason(Source.DENSE, 1 - place / 1000),)) for place, name in enumerate(names)
    )
    return Ranking(pool[:kept], pool, trace)


def symbol(name: str, module: str = "shop.payment", kind: SymbolKind = SymbolKind.FUNCTION) -> Symbol:
    span = Span(1, 2, 0, 9)
    path = f"{module.replace('.', '/')}.py"
    return Symbol(SymbolId(name), name, kind, path, "python", module, f"{module}.{name}", span, (span,))


def call(source: str, target: str, evidence: Evidence = Evidence.SCOPED) -> Edge:
    return Edge(SymbolId(source), SymbolId(target), EdgeKind.CALLS, Via.CALL, evidence, 1.0, "shop/payment.py", 7)


def explanation() -> Explanation:
    step = Step(call("checkout", "total"), Direction.OUT, 1)
    before = ranking(["intent", "refund", "charge", "checkout", "history", "total"])
    after = ranking(["intent", "checkout", "total", "charge"], 3, Trace((SymbolId("intent"),), (step,)))
    relevant = {SymbolId("intent"): 1, SymbolId("total"): 1, SymbolId("history"): 1}
    return explain(TOPIC, relevant, 3, ("vector", before), ("naive(k=3)", after))


class Names(dict[SymbolId, str]):
    def __missing__(self, key: SymbolId) -> str:
        return str(key)


def bump() -> str:
    return pictures.to_svg(pictures.rank_bump(explanation(), Names(), {"naive(k=3)": "naive"}))


def bars() -> str:
    before, after = {"Q1": 1.0, "Q8": 0.5, "Q9": 0.0}, {"Q1": 0.5, "Q8": 1.0, "Q9": 0.0}
    comparison = compare("Recall@3", "vector", "naive(k=3)", before, after)
    return pictures.to_svg(pictures.swap_bars(comparison, before, after, [explanation()], Names()))


def intervals(rows: int = 3) -> str:
    found = [
        (f"strategy {n}", compare("Recall@3", "a", "b", dict.fromkeys(range_ids(20), 0.0), gains(n * 6)))
        for n in range(rows)
    ]
    return pictures.to_svg(pictures.interval_rows("Recall@3: differences to a", found))


def range_ids(count: int) -> list[str]:
    return [f"q{n}" for n in range(count)]


def gains(count: int) -> dict[str, float]:
    return {topic: float(n < count) for n, topic in enumerate(range_ids(20))}


def graph(relevant: Sequence[str] = ("total",), symbols: Sequence[Symbol] = (), edges: Sequence[Edge] = ()) -> str:
    symbols = symbols or [
        *(symbol(name) for name in ("checkout", "total", "intent", "alone", "helper", "helped")),
        symbol("query", "shop.database"),
        symbol("PaymentError", kind=SymbolKind.CLASS),
    ]
    edges = edges or [
        call("checkout", "total"),
        call("checkout", "intent", Evidence.NAME),
        call("total", "query"),
        call("helper", "helped"),
        call("helped", "helper"),
        call("alone", "alone"),
    ]
    wanted = [SymbolId(name) for name in relevant]
    return pictures.to_svg(pictures.call_graph("shop.payment", symbols, edges, Names(), wanted, TOPIC.text))


def texts(svg: str) -> list[str]:
    return [
        "".join(element.itertext()) for element in ElementTree.fromstring(svg).iter() if element.tag.endswith("text")
    ]


@pytest.mark.parametrize("svg", [bump(), bars(), graph(), intervals()], ids=["bump", "bars", "graph", "intervals"])
def test_an_svg_can_stand_beside_others_in_a_page(svg: str) -> None:
    root = ElementTree.fromstring(svg)
    title = root[0]
    assert title.tag.endswith("title")
    assert title.text
    assert root.attrib["role"] == "img"
    tags = {element.tag.rpartition("}")[2] for element in root.iter()}
    assert tags.isdisjoint({"style", "script", "metadata", "defs"})
    names = {name for element in root.iter() for name in element.attrib}
    assert not [name for name in names if name == "id" or name.endswith("href")]
    assert "url(" not in svg


@pytest.mark.parametrize("make", [bump, bars, graph, intervals], ids=["bump", "bars", "graph", "intervals"])
def test_pictures_are_the_same_twice(make: object) -> None:
    assert callable(make)
    assert make() == make()


def test_pictures_are_the_same_under_another_hash_seed() -> None:
    program = "import test_pictures as t; print(t.bump() + t.bars() + t.graph() + t.intervals())"
    made = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed},
            cwd=os.path.dirname(__file__),
            capture_output=True,
            encoding="utf-8",
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(made) == 1


def test_ranks_show_both_sides_the_cut_and_the_cause() -> None:
    written = texts(bump())
    assert written.count("total") == written.count("history") == 2
    assert {"vector", "naive", "k = 3", "not a candidate"} <= set(written)
    assert any(text.startswith("never a candidate: neither a seed") for text in written)
    assert any(text.startswith("reached over checkout") for text in written)
    assert any(text.startswith("outranked at rank 5") for text in written)


def test_names_are_no_formulas_and_no_markup() -> None:
    written = " ".join(texts(bump()))
    assert "$money$ & run <b>now</b>" in written
    assert "<b>" not in bump()


def test_what_may_not_stand_in_xml_is_replaced() -> None:
    names = {move.symbol: "evil\x00\x1b\ud800name\n" for move in explanation().movements}
    svg = pictures.to_svg(pictures.rank_bump(explanation(), names))
    assert "evil\ufffd\ufffd\ufffdname\ufffd" in texts(svg)


def test_a_strategy_that_keeps_fewer_than_k_has_its_own_line() -> None:
    narrow = explain(TOPIC, {}, 3, ("a", ranking("abcdef")), ("b", ranking("abcdef", 2)))
    written = texts(pictures.to_svg(pictures.rank_bump(narrow, Names())))
    assert {"k = 3", "2 kept"} <= set(written)


@pytest.mark.parametrize("count", [0, 1, 25])
def test_any_number_of_ranks_can_be_drawn(count: int) -> None:
    names = [f"function_{number:02}" for number in range(count)]
    found = explain(TOPIC, {}, 25, ("a", ranking(names)), ("b", ranking(names[::-1])))
    assert set(names) <= set(texts(pictures.to_svg(pictures.rank_bump(found, Names()))))


def test_bars_show_what_the_mean_hides() -> None:
    written = texts(bars())
    assert "Recall@3: mean 0.500 under vector, 0.500 under naive(k=3)" in written
    assert "1 of 3 topics worse, 1 better, 1 the same; the mean hides the swap" in written
    assert "+total" in written
    assert {"−refund  −charge", "+checkout", "Q1", "Q8", "Q9"} <= set(written)


def test_bars_of_many_topics_leave_out_ties_and_say_so() -> None:
    before = {f"T{number}": 0.5 for number in range(40)}
    after = before | {"T7": 0.0, "T31": 1.0}
    comparison = compare("RR", "a", "b", before, after)
    written = texts(pictures.to_svg(pictures.swap_bars(comparison, before, after, [], {})))
    assert {"T7", "T31", "38 topics with no or a smaller difference are not drawn"} <= set(written)
    assert "T8" not in written


def test_bars_without_any_topic() -> None:
    assert "<svg" in pictures.to_svg(pictures.swap_bars(compare("RR", "a", "b", {}, {}), {}, {}, [], {}))


def test_a_call_graph_shows_functions_their_neighbours_and_the_lonely() -> None:
    written = texts(graph())
    assert {
        "Calls in shop.payment",
        "checkout",
        "total",
        "intent",
        "query",
        "shop.database",
        "no edges",
        "alone",
    } <= set(written)
    assert "PaymentError" not in written
    assert "only calls that are not drawn" not in written


def test_edges_by_name_only_are_dashed() -> None:
    # One in the legend, one in the graph.
    assert graph().count("stroke-dasharray") == 2


def test_a_big_module_is_cut_and_the_picture_says_so() -> None:
    many = [symbol(f"f{number:03}") for number in range(80)]
    edges = [call(f"f{number:03}", f"f{number + 1:03}") for number in range(79)]
    written = texts(graph(["f005"], many, edges))
    assert "50 more functions are not drawn" in written
    assert "f005" in written


def test_a_module_without_functions() -> None:
    assert "Calls in shop.payment" in texts(graph([], [symbol("x", "elsewhere")]))


def test_png() -> None:
    assert pictures.to_png(pictures.rank_bump(explanation(), Names())).startswith(b"\x89PNG")


def test_the_users_own_style_is_left_alone_and_not_used() -> None:
    import matplotlib

    before = bump()
    with matplotlib.rc_context({"font.size": 40, "svg.fonttype": "path"}):
        assert bump() == before
        assert matplotlib.rcParams["font.size"] == 40


def test_intervals_are_drawn_with_their_verdicts() -> None:
    written = texts(intervals())
    assert "Recall@3: differences to a" in written
    assert [text for text in written if text in ("better", "worse", "not shown", "no question differs")] == [
        "no question differs",
        "better",
        "better",
    ]
    assert {"+0.000", "+0.300", "+0.600", "0", "−1.00", "+1.00"} <= set(written)


def test_too_many_intervals_are_counted() -> None:
    assert "3 more are not drawn" in texts(intervals(pictures.intervals.MOST_ROWS + 3))


@pytest.mark.parametrize("svg", [bump(), bars(), graph(), intervals()], ids=["bump", "bars", "graph", "intervals"])
def test_every_colour_is_a_variable_that_a_dark_page_sets(svg: str) -> None:
    used = set(re.findall("--p-([0-9a-f]{6})", svg))
    assert used
    assert used <= set(re.findall("--p-([0-9a-f]{6}):#", pictures.dark_variables()))
    assert re.findall("(?<!, )#[0-9a-f]{6}", svg) == []
