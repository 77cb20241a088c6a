from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from plait.graph.analyse import Flow, Hub, flows, hubs, layers
from plait.model import Edge, EdgeKind, Evidence, SymbolId, Via


def edge(source: str, target: str, kind: EdgeKind = EdgeKind.CALLS) -> Edge:
    return Edge(SymbolId(source), SymbolId(target), kind, Via.CALL, Evidence.SCOPED, 0.9, "a.py", 1)


def edges(*pairs: str) -> list[Edge]:
    return [edge(*pair) for pair in pairs]


def ids(names: str) -> tuple[SymbolId, ...]:
    return tuple(SymbolId(name) for name in names)


def test_hubs_are_ordered_by_callers_then_id() -> None:
    found = hubs(edges("ac", "bc", "ab", "cb", "xd"), share=0.6)
    assert found == [Hub(SymbolId("b"), 2), Hub(SymbolId("c"), 2), Hub(SymbolId("d"), 1)]


def test_the_same_caller_counts_once_and_only_calls_count() -> None:
    twice = [*edges("ab", "ab", "bb"), edge("c", "b", EdgeKind.INHERITS)]
    assert hubs(twice, share=1) == [Hub(SymbolId("b"), 1)]


def test_without_edges_there_is_nothing() -> None:
    assert hubs([]) == []
    assert flows([]) == []
    assert layers([], []) == {}


def test_flows() -> None:
    assert flows(edges("xy", "ba", "cb", "pq", "qp")) == [
        Flow(ids("abc"), ids("c")),
        Flow(ids("pq"), ()),
        Flow(ids("xy"), ids("x")),
    ]


def test_layers_are_longest_paths() -> None:
    found = layers(ids("abcde"), edges("ab", "bc", "ac", "cd"))
    assert found == {"a": 0, "b": 1, "c": 2, "d": 3, "e": 0}


def test_a_circle_is_one_layer() -> None:
    assert layers(ids("abcd"), edges("ab", "bc", "cb", "cd")) == {"a": 0, "b": 1, "c": 1, "d": 2}


def test_edges_to_other_symbols_do_not_count() -> None:
    assert layers(ids("ac"), edges("ab", "bc")) == {"a": 0, "c": 0}


def test_a_long_path_takes_no_stack() -> None:
    names = [SymbolId(f"{number:05}") for number in range(20_000)]
    chain = [edge(source, target) for source, target in pairwise(names)]
    assert layers(names, chain)[names[-1]] == 19_999


@given(st.lists(st.tuples(st.sampled_from("abcdef"), st.sampled_from("abcdef")), max_size=20), st.randoms())
def test_the_order_of_edges_is_nothing(pairs: list[tuple[str, str]], random: object) -> None:
    given_edges = [edge(*pair) for pair in pairs]
    shuffled = list(given_edges)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert flows(given_edges) == flows(shuffled)
    assert hubs(given_edges, 1) == hubs(shuffled, 1)
    found = layers(ids("abcdef"), given_edges)
    assert found == layers(ids("abcdef"), shuffled)
    reach = {(source, target) for source, target in pairs}
    for _ in "abcdef":
        reach |= {(a, d) for a, b in reach for c, d in reach if b == c}
    for source, target in pairs:
        same = source == target or (target, source) in reach
        assert found[SymbolId(source)] == found[SymbolId(target)] if same else True
        assert same or found[SymbolId(source)] < found[SymbolId(target)]
