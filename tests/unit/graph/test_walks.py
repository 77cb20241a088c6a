from __future__ import annotations

import random
from collections.abc import Collection, Sequence
from itertools import pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plait.graph.entries import Entry, entries, folded
from plait.graph.impact import Relation, affected
from plait.graph.walks import shortest, walk
from plait.model import Direction, Edge, EdgeKind, Evidence, SymbolId, Via


def edge(source: str, target: str, kind: EdgeKind = EdgeKind.CALLS, **given: object) -> Edge:
    values = {"evidence": Evidence.SCOPED, "confidence": 0.9, "path": "a.py", "line": 1, "via": Via.CALL} | given
    return Edge(source=SymbolId(source), target=SymbolId(target), kind=kind, **values)  # type: ignore[arg-type]


class Fake:
    """Edges by their ends, in whatever order they were given."""

    def __init__(self, edges: Sequence[Edge]) -> None:
        self.out: dict[tuple[SymbolId, EdgeKind], list[Edge]] = {}
        self.back: dict[tuple[SymbolId, EdgeKind], list[Edge]] = {}
        for one in edges:
            self.out.setdefault((one.source, one.kind), []).append(one)
            self.back.setdefault((one.target, one.kind), []).append(one)

    def __call__(self, ids: Collection[SymbolId], kinds: Collection[EdgeKind], direction: Direction) -> list[Edge]:
        table = self.out if direction is Direction.OUT else self.back
        return [one for key in product(ids, kinds) for one in table.get(key, ())]


def calls(*pairs: str) -> Fake:
    return Fake([edge(*pair) for pair in pairs])


def ids(names: str) -> list[SymbolId]:
    return [SymbolId(name) for name in names]


def reached(
    edges: Fake, starts: str, direction: Direction = Direction.OUT, depth: int | None = None, stops: str = ""
) -> list[tuple[str, int]]:
    found = walk(edges, ids(starts), direction, depth=depth, stops=ids(stops))
    return [(one.symbol, one.hop) for one in found]


def chain(edges: Fake, source: str, target: str, *, dispatch: bool = False) -> list[str] | None:
    steps = shortest(edges, [SymbolId(source)], [SymbolId(target)], dispatch=dispatch).steps
    return None if steps is None else [f"{one.source}{one.target}" for one in steps]


def test_neighbours_are_nearest_first_and_each_once() -> None:
    graph = calls("ab", "bc", "ac", "cd", "de")
    assert reached(graph, "a", depth=1) == [("b", 1), ("c", 1)]
    assert reached(graph, "a", depth=2) == [("b", 1), ("c", 1), ("d", 2)]
    assert reached(graph, "e", Direction.IN) == [("d", 1), ("c", 2), ("a", 3), ("b", 3)]
    assert reached(graph, "e") == []


def test_a_circle_ends_and_a_start_that_is_reached_is_told() -> None:
    assert reached(calls("ab", "bc", "ca"), "a") == [("b", 1), ("c", 2), ("a", 3)]
    assert reached(calls("aa"), "a") == [("a", 1)]


def test_stops_are_reached_and_end_the_walk() -> None:
    assert reached(calls("ab", "bc", "cd"), "a", stops="b") == [("b", 1)]
    assert reached(calls("ab", "bc"), "b", stops="b") == [("c", 1)]


def test_the_edge_is_the_most_trusted_one_of_the_hop() -> None:
    weak = edge("a", "c", evidence=Evidence.AMBIGUOUS)
    strong = edge("b", "c", evidence=Evidence.TYPED, line=7)
    (one,) = walk(Fake([weak, strong]), ids("ab"), Direction.OUT)
    assert one.edge == strong
    assert walk(Fake([weak]), ids("a"), Direction.OUT, weakest=Evidence.NAME) == []


def test_no_walk_leads_through_a_class() -> None:
    graph = Fake([edge("make", "C#"), edge("C#", "field")])
    assert [one.symbol for one in walk(graph, [SymbolId("make")], Direction.OUT, depth=None)] == ["C#"]
    assert [one.symbol for one in walk(graph, [SymbolId("field")], Direction.IN, depth=None)] == ["C#"]
    assert chain(graph, "make", "field") is None
    assert chain(graph, "make", "C#") == ["makeC#"]
    assert chain(graph, "C#", "field") == ["C#field"]


def test_the_shortest_path_and_ties_by_ids() -> None:
    graph = calls("ac", "ab", "cz", "bz", "ad", "dx", "xz")
    assert chain(graph, "a", "z") == ["ab", "bz"]
    assert chain(calls("az", "ab", "bz"), "a", "z") == ["az"]
    # Ids are compared from the first step on: b before c, although c's next id is smaller.
    assert chain(calls("ab", "ac", "by", "cx", "yz", "xz"), "a", "z") == ["ab", "by", "yz"]


def test_a_path_to_itself_is_recursion() -> None:
    assert chain(calls("ab", "ba"), "a", "a") == ["ab", "ba"]
    assert chain(calls("ab"), "a", "a") is None


def test_a_path_over_an_overriding_method() -> None:
    graph = Fake([edge("a", "b"), edge("s", "b", EdgeKind.OVERRIDES), edge("s", "z")])
    assert chain(graph, "a", "z") is None
    assert chain(graph, "a", "z", dispatch=True) == ["ab", "sb", "sz"]


def test_without_a_path_everything_reached_is_told() -> None:
    found = shortest(calls("ab", "bc", "xz"), ids("a"), ids("z"))
    assert (found.steps, found.reached) == (None, tuple("abc"))


@pytest.mark.parametrize("direction", list(Direction))
def test_a_chain_of_ten_thousand_takes_no_stack(direction: Direction) -> None:
    names = [SymbolId(f"{number:05}") for number in range(10_000)]
    graph = Fake([edge(*pair) for pair in pairwise(names)])
    first, last = (names[0], names[-1]) if direction is Direction.OUT else (names[-1], names[0])
    found = walk(graph, [first], direction, depth=None)
    assert (len(found), found[-1].symbol, found[-1].hop) == (9_999, last, 9_999)
    steps = shortest(graph, [names[0]], [names[-1]]).steps
    assert steps is not None
    assert len(steps) == 9_999
    assert affected(graph, [names[-1]])[-1].symbol == names[0]
    assert entries([edge(*pair) for pair in pairwise(names)]) == [Entry(names[0], 9_999, False)]


Family = (
    edge("Sub.f", "Base.f", EdgeKind.OVERRIDES),
    edge("Other.f", "Base.f", EdgeKind.OVERRIDES),
    edge("SubSub.f", "Sub.f", EdgeKind.OVERRIDES),
    edge("uses_base", "Base.f"),
    edge("uses_sub", "Sub.f"),
    edge("uses_other", "Other.f"),
)


def impact(edges: Sequence[Edge], *changed: str) -> list[tuple[str, int, str]]:
    found = affected(Fake(edges), [SymbolId(one) for one in changed])
    return [(one.symbol, one.hop, one.relation) for one in found]


def test_a_change_reaches_callers_and_those_of_what_it_overrides() -> None:
    assert impact(Family, "Sub.f") == [
        ("Base.f", 1, Relation.OVERRIDDEN),
        ("SubSub.f", 1, Relation.OVERRIDER),
        ("uses_sub", 1, Relation.CALLER),
        ("uses_base", 2, Relation.CALLER),
    ]


def test_a_changed_base_reaches_overriders_but_not_their_callers() -> None:
    assert impact(Family, "Base.f") == [
        ("Other.f", 1, Relation.OVERRIDER),
        ("Sub.f", 1, Relation.OVERRIDER),
        ("uses_base", 1, Relation.CALLER),
        ("SubSub.f", 2, Relation.OVERRIDER),
    ]
    calling_super = [*Family, edge("Sub.f", "Base.f")]
    assert ("uses_sub", 2, Relation.CALLER) in impact(calling_super, "Base.f")
    # Reached as an overrider first, as a caller later: its callers are found, too.
    later = [*Family, edge("Sub.f", "uses_base")]
    assert ("uses_sub", 3, Relation.CALLER) in impact(later, "Base.f")


def test_a_change_reaches_subclasses_and_importers_of_changed_modules_alone() -> None:
    edges = [
        edge("B#", "A#", EdgeKind.INHERITS),
        edge("C#", "B#", EdgeKind.INHERITS),
        edge("make", "C#"),
        edge("n/", "m/", EdgeKind.IMPORTS),
        edge("o/", "n/", EdgeKind.IMPORTS),
        edge("n/", "make"),
    ]
    assert impact(edges, "A#") == [
        ("B#", 1, Relation.SUBCLASS),
        ("C#", 2, Relation.SUBCLASS),
        ("make", 3, Relation.CALLER),
        ("n/", 4, Relation.CALLER),
    ]
    assert impact(edges, "m/") == [("n/", 1, Relation.IMPORTER)]


def test_what_changed_is_not_affected() -> None:
    circle = [edge("a", "b"), edge("b", "a"), edge("x", "a")]
    assert impact(circle, "a", "b") == [("x", 1, Relation.CALLER)]


def flows(*pairs: str) -> list[Entry]:
    return entries([edge(*pair) for pair in pairs])


def entry(symbol: str, reaches: int, is_hub: bool = False) -> Entry:
    return Entry(SymbolId(symbol), reaches, is_hub)


def test_flows_begin_where_nothing_calls() -> None:
    assert flows("ab", "bc", "xc", "pq") == [entry("a", 2), entry("p", 1), entry("x", 1)]
    assert flows() == []


def test_a_circle_that_nothing_calls_begins_at_its_first() -> None:
    assert flows("ba", "ab", "bc", "aa") == [entry("a", 2)]
    assert flows("xa", "ab", "ba", "bc") == [entry("x", 3)]


def test_a_hub_is_folded() -> None:
    edges = [edge(one, "h") for one in "abcde"] + [edge("h", "i"), edge("i", "j"), edge("a", "z")]
    assert folded(edges) == ["h"]
    assert entries(edges) == [
        *(entry("a", 2), entry("h", 2, True)),
        *(entry(one, 1) for one in "bcde"),
    ]


def test_the_body_of_a_class_that_is_called_is_a_flow_of_its_own() -> None:
    edges = [edge("make", "C#"), edge("C#", "field"), edge("field", "help")]
    assert entries(edges) == [entry("C#", 2), entry("make", 1)]


Pairs = st.lists(st.tuples(st.sampled_from("abcdefgh"), st.sampled_from("abcdefgh")), max_size=24)


@given(Pairs, st.randoms())
def test_the_order_of_edges_is_nothing(pairs: list[tuple[str, str]], shuffle: random.Random) -> None:
    edges = [edge(*pair, line=place) for place, pair in enumerate(pairs)]
    shuffled = list(edges)
    shuffle.shuffle(shuffled)
    for start in "ab":
        one = walk(Fake(edges), ids(start), Direction.OUT, depth=None)
        assert one == walk(Fake(shuffled), ids(start), Direction.OUT, depth=None)
    assert shortest(Fake(edges), ids("a"), ids("h")) == shortest(Fake(shuffled), ids("a"), ids("h"))
    assert affected(Fake(edges), ids("a")) == affected(Fake(shuffled), ids("a"))
    assert entries(edges) == entries(shuffled)


@given(Pairs)
def test_walks_agree_with_each_other(pairs: list[tuple[str, str]]) -> None:
    edges = [edge(*pair) for pair in pairs]
    graph = Fake(edges)
    for start in "abc":
        hops = {one.symbol: one.hop for one in walk(graph, ids(start), Direction.OUT, depth=None)}
        for goal in "abcdefgh":
            steps = chain(graph, start, goal)
            assert (steps is None) == (goal not in hops)
            assert steps is None or len(steps) == hops[SymbolId(goal)]
    for one in entries(edges):
        others = {symbol for symbol, _ in reached(graph, one.symbol)} - {one.symbol}
        assert one.is_hub or len(others) >= one.reaches
        if not folded(edges):
            assert len(others) == one.reaches
