"""What is put together for a question: which functions, in which order, how much of each, and how large it gets."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plait import Engine
from plait.context import Context, compose, lines, tokens
from plait.context.composing import SMALLEST, in_flow
from plait.errors import BadParameter, EmptyQuery
from plait.model import Candidate, Filter, Ranking, Reason, Source, Span, SymbolId
from plait.testing import snapshot_of

FLOW = """class Shop:
    def sell(self, item):
        self.check(item)
        return price(item)

    def check(self, item):
        if item is None:
            raise ValueError(item)


def main():
    return Shop().sell("tea")


def price(item):
    return len(item)


def lonely():
    return 1
"""


def body(lines: int) -> str:
    return "".join(f"    step_{line} = compute_step(number={line}, of={lines})\n" for line in range(1, lines + 1))


def ranked(*names: str, source: Source = Source.LEXICAL, span: Span | None = None) -> Ranking:
    size = len(names)
    return Ranking(
        [
            Candidate(SymbolId(name), (Reason(source, float(size - place), span=span),))
            for place, name in enumerate(names)
        ]
    )


def composed(sources: dict[str, str], budget: int, *names: str, source: Source = Source.LEXICAL) -> Context:
    return compose("q", "s", ranked(*names, source=source), snapshot_of(sources), budget)


def named(context: Context) -> list[str]:
    return [part.symbol.name for part in context.parts]


def shown(context: Context) -> list[str]:
    return [part.symbol.name for part in context.parts if part.shown]


def text(context: Context) -> str:
    return "\n".join(lines(context))


def test_callers_stand_before_what_they_call_whatever_the_rank() -> None:
    context = composed(
        {"shop.py": FLOW}, 1000, "shop.py:price().", "shop.py:lonely().", "shop.py:Shop#sell().", "shop.py:main()."
    )
    assert [(part.number, part.rank, part.symbol.name, part.calls) for part in context.parts] == [
        (1, 2, "lonely", ()),
        (2, 4, "main", (3,)),
        (3, 3, "sell", (4,)),
        (4, 1, "price", ()),
    ]


def test_all_of_it_as_text() -> None:
    context = composed({"shop.py": FLOW}, 1000, "shop.py:price().", "shop.py:Shop#sell().", "shop.py:/")
    assert text(context) == (
        "1 shop.py:2-4 Shop.sell -> 2\n"
        "2 shop.py:15-16 price\n"
        "\n"
        "# 1 shop.py:2-4\n"
        "    def sell(self, item):\n"
        "        self.check(item)\n"
        "        return price(item)\n"
        "\n"
        "# 2 shop.py:15-16\n"
        "def price(item):\n"
        "    return len(item)\n"
        "\n"
        "2 of 2 candidates, 2 with the whole body"
    )


def test_bodies_go_to_the_best_and_the_others_keep_their_signature() -> None:
    sources = {"a.py": "".join(f"def f{number}(a, b=2):\n{body(8)}\n\n" for number in range(6))}
    context = composed(sources, 600, *(f"a.py:f{number}()." for number in (3, 1, 0, 2, 4, 5)))
    assert shown(context) == ["f3", "f1", "f0"]
    assert all(part.shown.is_whole for part in context.parts if part.shown)
    assert text(context).splitlines()[0] == "1 a.py:34-42 f3"
    assert text(context).splitlines()[3] == "4 a.py:23-31 f2(a, b=2)"


def test_what_is_left_out_is_counted_and_the_best_of_it_named() -> None:
    sources = {"a.py": "".join(f"def function_{number}():\n    return {number}\n\n\n" for number in range(80))}
    context = composed(sources, SMALLEST, *(f"a.py:function_{number}()." for number in range(80)))
    assert len(context.parts) + len(context.left_out) == context.total == 80
    assert context.left_out[0].name == f"function_{len(context.parts)}"
    assert text(context).endswith(" more")
    assert f"left out: a.function_{len(context.parts)} and " in text(context)


def test_a_body_that_does_not_fit_is_passed_over_for_one_that_does() -> None:
    sources = {"a.py": f"def small():\n    return 1\n\n\ndef large():\n{body(40)}\n\ndef other():\n    return 2\n"}
    context = composed(sources, 400, "a.py:small().", "a.py:large().", "a.py:other().")
    assert [(part.symbol.name, part.shown is not None and part.shown.is_whole) for part in context.parts] == [
        ("small", True),
        ("large", False),
        ("other", True),
    ]


def test_of_the_best_that_does_not_fit_the_lines_that_match_are_shown() -> None:
    sources = {"a.py": f"def large():\n{body(99)}"}
    snapshot = snapshot_of(sources)
    (symbol,) = snapshot.symbols([SymbolId("a.py:large().")])
    where = replace(symbol.span, start_line=51)
    context = compose("q", "s", ranked(symbol.id, span=where), snapshot, 900)
    (part,) = context.parts
    assert part.shown is not None
    assert not part.shown.is_whole
    rows, all_rows = part.shown.text.splitlines(), sources["a.py"].splitlines()
    assert rows[:5] == [*all_rows[:3], "... lines 4-50 left out", all_rows[50]]
    last = int(rows[-2].split("step_")[1].split()[0]) + 1
    assert rows[-1] == f"... lines {last + 1}-100 left out"
    assert text(context).endswith("1 of 1 candidates, 0 with the whole body and 1 with a part of it")


def test_nested_functions_and_copies_are_not_shown_twice() -> None:
    outer = "def outer():\n    def inner():\n        return 1\n\n    return inner()\n"
    context = composed({"a.py": outer, "b.py": outer}, 1000, "a.py:outer().", "a.py:outer().inner().", "b.py:outer().")
    assert [part.symbol.id for part in context.parts if part.shown] == ["a.py:outer()."]
    assert named(context) == ["outer", "inner", "outer"]


def test_a_class_that_is_only_a_header_has_no_body_to_show() -> None:
    context = composed({"shop.py": FLOW}, 1000, "shop.py:Shop#", "shop.py:Shop#check().")
    assert shown(context) == ["check"]


def test_it_is_said_that_no_word_was_found() -> None:
    context = composed({"shop.py": FLOW}, 1000, "shop.py:price().", source=Source.DENSE)
    assert "no word of the question is in any of these" in text(context)


def test_nothing_found_is_no_empty_text() -> None:
    assert text(composed({"shop.py": FLOW}, 1000)).startswith("nothing: no code ")


def test_too_small_a_budget_is_an_error() -> None:
    with pytest.raises(BadParameter, match="at least 200 tokens, not 199"):
        composed({"shop.py": FLOW}, SMALLEST - 1, "shop.py:price().")


@settings(deadline=None, max_examples=30)
@given(
    st.lists(st.tuples(st.integers(1, 60), st.integers(0, 3)), min_size=1, max_size=40),
    st.integers(SMALLEST, 3000),
    st.randoms(use_true_random=False),
)
def test_it_never_gets_larger_than_the_budget(functions: list[tuple[int, int]], budget: int, random: object) -> None:
    source = "".join(
        f"def a_function_with_number_{number}(x):\n"
        + "".join(f"    a_function_with_number_{other}(x)\n" for other in range(number, number - calls, -1))
        + body(size)
        + "\n"
        for number, (size, calls) in enumerate(functions)
    )
    names = [f"src/package/module.py:a_function_with_number_{number}()." for number in range(len(functions))]
    random.shuffle(names)  # type: ignore[attr-defined]
    context = composed({"src/package/module.py": source}, budget, *names)
    assert context.parts
    assert tokens(text(context)) <= budget
    assert sorted(part.number for part in context.parts) == [*range(1, len(context.parts) + 1)]
    assert {part.rank for part in context.parts} == {*range(1, len(context.parts) + 1)}


def orders() -> st.SearchStrategy[dict[int, list[int]]]:
    return st.dictionaries(st.integers(0, 12), st.lists(st.integers(0, 12), unique=True, max_size=4), min_size=1)


@given(orders())
def test_without_cycles_no_call_leads_back(drawn: dict[int, list[int]]) -> None:
    calls = {SymbolId(str(n)): [SymbolId(str(m)) for m in sorted(drawn[n]) if m > n and m in drawn] for n in drawn}
    order = in_flow([*calls], calls)
    assert sorted(order) == sorted(calls)
    assert all(order.index(one) < order.index(target) for one in calls for target in calls[one])


@pytest.mark.parametrize(
    ("ids", "calls", "expected"),
    [
        ("abc", {}, "abc"),
        ("abcd", {"d": "b", "b": "a"}, "cdba"),
        ("abcd", {"c": "ab"}, "cabd"),  # what is called stands best first
        ("abc", {"a": "b", "b": "c", "c": "a"}, "abc"),  # a cycle is entered at its best
        ("xba", {"a": "b", "b": "a"}, "xba"),
        ("bca", {"a": "b", "b": "cb"}, "abc"),
    ],
)
def test_order_of_the_flow(ids: str, calls: dict[str, Sequence[str]], expected: str) -> None:
    given_calls = {SymbolId(one): [SymbolId(other) for other in calls.get(one, ()) if other != one] for one in ids}
    assert "".join(in_flow([SymbolId(one) for one in ids], given_calls)) == expected


@pytest.mark.parametrize(("given", "expected"), [("", 0), ("a", 1), ("abc", 1), ("abcd", 2), ("寻", 1), ("\udcff", 1)])
def test_tokens_are_thirds_of_bytes(given: str, expected: int) -> None:
    assert tokens(given) == expected


def test_an_engine_reads_the_question_as_a_search_and_leaves_out_tests(repository: Path) -> None:
    engine = Engine.open(repository, embedder="hashing")
    assert not any(part.symbol.is_test for part in engine.context("checkout").parts)
    only = engine.context("checkout", where=Filter(tests=True))
    assert {part.symbol.path for part in only.parts} == {"tests/test_shop.py"}
    assert {part.symbol.path for part in engine.context("connect path:db").parts} == {"shop/db.py"}
    assert named(engine.context('item "raise ValueError"')) == ["check"]
    with pytest.raises(EmptyQuery):
        engine.context("path:db")
