from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from plait.graph.classes import linearise
from plait.model import SymbolId


def order(start: str, bases: dict[str, str]) -> str:
    given_bases = {SymbolId(name): [SymbolId(base) for base in direct] for name, direct in bases.items()}
    return "".join(linearise(SymbolId(start), given_bases, {}))


def test_single_inheritance() -> None:
    assert order("C", {"C": "B", "B": "A"}) == "CBA"


def test_diamond() -> None:
    assert order("D", {"D": "BC", "B": "A", "C": "A"}) == "DBCA"


def test_without_an_answer_it_is_depth_first() -> None:
    assert order("C", {"C": "AB", "B": "A"}) == "CAB"


def test_a_circle_is_cut() -> None:
    assert order("A", {"A": "B", "B": "C", "C": "A"}) == "ABC"
    assert order("A", {"A": "A"}) == "A"


def test_a_long_chain_takes_no_stack() -> None:
    names = [SymbolId(str(number)) for number in range(3_000)]
    bases = {name: [base] for name, base in pairwise(names)}
    assert list(linearise(names[0], bases, {})) == names


@given(st.dictionaries(st.sampled_from("ABCDEF"), st.lists(st.sampled_from("ABCDEF"), unique=True, max_size=3)))
def test_same_as_python_where_python_has_an_answer(bases: dict[str, list[str]]) -> None:
    acyclic = {name: [base for base in direct if base > name] for name, direct in bases.items()}
    made: dict[str, type] = {"object": object}
    for name in sorted("ABCDEF", reverse=True):
        parents = [made.get(base) for base in acyclic.get(name, [])]
        if any(parent is None for parent in parents):
            continue
        try:
            made[name] = type(name, tuple(parent for parent in parents if parent) or (object,), {})
        except TypeError:
            continue
    for name, class_ in made.items():
        if name != "object":
            expected = "".join(one.__name__ for one in class_.__mro__ if one is not object)
            assert order(name, {key: "".join(direct) for key, direct in acyclic.items()}) == expected
