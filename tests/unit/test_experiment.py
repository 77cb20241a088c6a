"""What holds of the published experiment by construction, whatever the embedder finds."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import pytest

from plait import Engine
from plait.embed import static
from plait.evaluate.collection import load
from plait.model import Direction, Edge, EdgeKind, Ranking, SymbolKind
from plait.ranking import positions


@pytest.fixture(params=["names", "flow"])
def shop(request: pytest.FixtureRequest) -> Engine:
    return Engine.open(load("shop").corpus, embedder="static", graph=request.param)


def calls(engine: Engine) -> Sequence[Edge]:
    snapshot = engine.snapshot()
    return snapshot.edges([symbol.id for symbol in snapshot.symbols()], [EdgeKind.CALLS], Direction.OUT)


def test_there_are_28_functions(shop: Engine) -> None:
    kinds = [symbol.kind for symbol in shop.snapshot().symbols()]
    assert kinds.count(SymbolKind.FUNCTION) + kinds.count(SymbolKind.METHOD) == 28


def test_the_graph_of_names_has_the_two_edges_of_the_payment_module() -> None:
    shop = Engine.open(load("shop").corpus, embedder="hashing", graph="names")
    assert [(edge.source, edge.target) for edge in calls(shop) if edge.path == "shop/payment.py"] == [
        ("shop/payment.py:process_checkout().", "shop/payment.py:calculate_order_total()."),
        ("shop/payment.py:process_checkout().", "shop/payment.py:create_payment_intent()."),
    ]


def test_the_resolved_graph_also_knows_the_hub_of_the_database_module() -> None:
    shop = Engine.open(load("shop").corpus, embedder="hashing", graph="flow")
    hub = "shop/database.py:execute_query()."
    callers = {edge.source for edge in calls(shop) if edge.target == hub}
    assert "shop/payment.py:get_payment_history()." in callers
    assert len(callers) == 12
    functions = {symbol.id for symbol in shop.snapshot().symbols() if symbol.kind is SymbolKind.FUNCTION}
    between = [edge for edge in calls(shop) if {edge.source, edge.target} <= functions]
    assert not any("process_refund" in end for edge in between for end in (edge.source, edge.target))


def rankings(engine: Engine, strategy: str) -> dict[str, Ranking]:
    collection = load("shop")
    return {topic.id: engine.rank(topic.text, strategy, collection.where) for topic in collection.topics}


def test_naive_loses_only_what_was_never_a_candidate(shop: Engine) -> None:
    vector, naive = rankings(shop, "vector"), rankings(shop, "naive")
    lost = 0
    for topic, ranking in naive.items():
        pool, kept = positions(ranking.pool), positions(ranking.candidates)
        for candidate in vector[topic].candidates[:5]:
            if candidate.symbol not in kept:
                lost += 1
                assert candidate.symbol not in pool
    assert lost > 0, "nothing was lost, so nothing was tested"


@pytest.mark.parametrize(
    ("strategy", "base"), [("constrained", "vector"), ("hybrid", "hybrid(structure=0.0, edge=0.0)")]
)
def test_graph_evidence_removes_nobody(shop: Engine, strategy: str, base: str) -> None:
    before, after = rankings(shop, base), rankings(shop, strategy)
    moved = 0
    for topic, ranking in after.items():
        symbols = positions(ranking.candidates)
        assert all(candidate.symbol in symbols for candidate in before[topic].candidates)
        moved += [c.symbol for c in ranking.candidates[:5]] != [c.symbol for c in before[topic].candidates[:5]]
    assert moved > 0, "the graph moved nothing, so nothing was tested"


def test_the_static_vectors_are_those_of_the_fingerprint() -> None:
    weights = static._file(static._WEIGHTS).read_bytes()
    assert hashlib.sha256(weights).hexdigest()[:12] in static.StaticEmbedder().fingerprint
