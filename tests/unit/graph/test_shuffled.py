from __future__ import annotations

from collections import Counter
from pathlib import Path

from plait.engine import Engine
from plait.evaluate.collection import load
from plait.graph.shuffled import shuffled
from plait.model import Direction, Edge, EdgeKind, Evidence, Graph, SymbolId, Via


def edge(source: str, target: str, kind: EdgeKind = EdgeKind.CALLS, via: Via = Via.CALL) -> Edge:
    return Edge(SymbolId(source), SymbolId(target), kind, via, Evidence.SCOPED, 0.9, f"{source}.py", 1)


def graph(*edges: Edge) -> Graph:
    return Graph(tuple(sorted(edges, key=lambda one: (one.source, one.target, one.kind, one.via))), ())


def degrees(edges: tuple[Edge, ...]) -> tuple[Counter[str], Counter[str]]:
    pairs = {(one.source, one.target) for one in edges if one.kind is EdgeKind.CALLS}
    return Counter(str(source) for source, _ in pairs), Counter(str(target) for _, target in pairs)


def test_everyone_calls_and_is_called_as_often_as_before() -> None:
    steps = [(n, n * step % 40) for n in range(40) for step in (3, 7, 11) if n != n * step % 40]
    before = graph(*(edge(f"s{source}", f"s{target}") for source, target in steps))
    after = shuffled(before, 1)
    assert degrees(after.edges) == degrees(before.edges)
    kept = {(one.source, one.target) for one in before.edges} & {(one.source, one.target) for one in after.edges}
    assert len(kept) < len(before.edges) / 4
    assert all(one.source != one.target for one in after.edges)
    assert list(after.edges) == sorted(after.edges, key=lambda one: (one.source, one.target, one.kind, one.via))
    assert shuffled(before, 1) == after
    assert shuffled(before, 2) != after


def test_sites_move_together_and_what_is_no_call_stays() -> None:
    stays = (edge("a", "b", EdgeKind.INHERITS), edge("a", "a"))
    before = graph(edge("a", "b"), edge("a", "b", via=Via.PROPERTY), edge("c", "d"), *stays)
    after = shuffled(before, 1)
    assert [(one.source, one.target, one.via) for one in after.edges if one not in stays] in (
        [("a", "b", Via.CALL), ("a", "b", Via.PROPERTY), ("c", "d", Via.CALL)],
        [("a", "d", Via.CALL), ("a", "d", Via.PROPERTY), ("c", "b", Via.CALL)],
    )
    assert set(stays) <= set(after.edges)
    assert all(one.path == f"{one.source}.py" for one in after.edges)


def test_nothing_to_swap() -> None:
    ab = edge("a", "b")
    for one in (graph(), graph(ab), graph(ab, edge("a", "c")), graph(ab, edge("b", "c"))):
        assert degrees(shuffled(one, 1).edges) == degrees(one.edges)


def test_the_shop_on_a_shuffled_graph(tmp_path: Path) -> None:
    corpus = load("shop").corpus
    real = Engine.open(corpus, cache=tmp_path, embedder="hashing").snapshot()
    sham = Engine.open(corpus, cache=tmp_path, embedder="hashing", graph="shuffled(of='flow')").snapshot()
    ids = [symbol.id for symbol in real.symbols()]
    assert [symbol.id for symbol in sham.symbols()] == ids
    for direction in Direction:
        assert sham.degree(ids, [EdgeKind.CALLS], direction) == real.degree(ids, [EdgeKind.CALLS], direction)
    assert sham.edges(ids, [EdgeKind.CALLS], Direction.OUT) != real.edges(ids, [EdgeKind.CALLS], Direction.OUT)
