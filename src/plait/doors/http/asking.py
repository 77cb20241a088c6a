"""Questions to the ranking: search, one query under two strategies, why something is not there."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from plait import several
from plait.asking import asked
from plait.doors.http.parameters import Given
from plait.doors.http.served import Served
from plait.doors.render import Json, edge_json, found_json, parts_json, reason_json, related_text, symbol_json
from plait.engine import Engine
from plait.errors import UnknownSymbol
from plait.evaluate.causes import Explanation, Missing, cause_text, explain, missing, movement_text
from plait.evaluate.collection import Topic
from plait.finding import hits
from plait.model import Filter, Ranking, Step, Symbol, SymbolId, SymbolKind
from plait.protocols import Snapshot
from plait.ranking import positions

STEPS = 200
"""Edges walked that are told of one ranking."""


class Names(dict[SymbolId, str]):
    """What to call symbols, looked up when asked for."""

    def __init__(self, snapshot: Snapshot) -> None:
        super().__init__()
        self._snapshot = snapshot

    def __missing__(self, symbol: SymbolId) -> str:
        found = self._snapshot.symbols([symbol])
        name = self[symbol] = found[0].qualified_name if found else symbol
        return name


def search(service: Served, given: Given) -> Json:
    started = time.perf_counter()
    found = service.search(
        list(dict.fromkeys(map(service.named, given["repo"]))),
        given["q"],
        k=given["k"],
        strategy=given["strategy"],
        where=narrowed(given),
        beside=given["related"],
    )
    names = list(found.answers)
    return {
        "schema": "plait.search.v1",
        "query": found.query,
        "strategy": found.strategy,
        "state": found.state,
        "total": found.total,
        "k": given["k"],
        "milliseconds": round((time.perf_counter() - started) * 1000, 3),
        "repositories": parts_json(found),
        "notices": [told for name in names for told in told_of(service, name, several=len(names) > 1)],
        "hits": [found_json(one) for one in found],
        "related": [
            {**symbol_json(one.symbol), "repository": name, "edge": edge_json(one.edge), "text": related_text(one)}
            for name, answer in found.answers.items()
            for one in answer.related
        ],
    }


def told_of(service: Served, name: str, *, several: bool = False) -> list[str]:
    """Return the notices of a repository."""
    return [f"{name}: {told}" if several else told for told in service.notices(name)]


def narrowed(given: Given) -> Filter:
    kinds = frozenset(map(SymbolKind, given["kind"])) or None
    return Filter(path=given["path"], language=given["language"], kinds=kinds, tests=given["tests"])


def compared(service: Served, given: Given) -> Json:
    name = service.chosen(given)
    with service.reading(name) as engine:
        where, text, k = narrowed(given), given["q"], given["k"]
        a, b = (str(engine.strategy(given[side])) for side in ("a", "b"))
        ranking_a, ranking_b = (engine.rank(text, one, where) for one in (a, b))
        found = explain(Topic("q", text), {}, k, (a, ranking_a), (b, ranking_b))
        return comparison_json(found, engine.snapshot(), name)


def comparison_json(found: Explanation, snapshot: Snapshot, repository: str) -> Json:
    names = Names(snapshot)
    symbols = _symbols(snapshot, [one.symbol for one in found.movements])
    return {
        "schema": "plait.comparison.v1",
        "query": found.topic.text,
        "k": found.k,
        "repository": repository,
        "state": snapshot.info.state,
        "a": _side(found.a, found.ranking_a, found.k, snapshot, repository),
        "b": _side(found.b, found.ranking_b, found.k, snapshot, repository),
        "movements": [
            {
                "id": one.symbol,
                "symbol": symbol_json(symbols[one.symbol]),
                "a": one.a,
                "b": one.b,
                "relevant": one.relevant,
                "gained": [reason_json(reason) for reason in one.gained],
                "lost": [reason_json(reason) for reason in one.lost],
                "step": None if one.step is None else _step(one.step),
                "text": movement_text(one, names),
            }
            for one in found.movements
        ],
        "entered": list(found.entered),
        "left": list(found.left),
    }


def missing_json(found: Sequence[Missing], ranking: Ranking, k: int, snapshot: Snapshot) -> list[Json]:
    names = Names(snapshot)
    symbols = _symbols(snapshot, [one.symbol for one in found])
    return [
        {
            "id": one.symbol,
            "symbol": symbol_json(symbols[one.symbol]),
            "cause": one.cause,
            "rank": one.rank,
            "above": list(one.above),
            "text": cause_text(one, ranking, k, names),
        }
        for one in found
    ]


def _side(label: str, ranking: Ranking, k: int, snapshot: Snapshot, repository: str) -> Json:
    return {
        "strategy": label,
        "returned": len(ranking.candidates),
        "scored": len(ranking.pool or ranking.candidates),
        "seeds": list(ranking.trace.seeds),
        "steps": [_step(step) for step in ranking.trace.steps[:STEPS]],
        "hits": [found_json(several.Found(repository, hit)) for hit in hits(snapshot, ranking.candidates, k)],
    }


def _step(step: Step) -> Json:
    return {"hop": step.hop, "direction": step.direction, "reached": step.reached, "edge": edge_json(step.edge)}


def _symbols(snapshot: Snapshot, ids: Sequence[SymbolId]) -> Mapping[SymbolId, Symbol]:
    return {symbol.id: symbol for symbol in snapshot.symbols(list(dict.fromkeys(ids)))}


def why_not(service: Served, given: Given) -> Json:
    name = service.chosen(given)
    with service.reading(name) as engine:
        snapshot = engine.snapshot()
        symbol, k = engine.find(given["symbol"]), given["k"]
        strategy = engine.strategy(given["strategy"])
        ranking = engine.rank(given["q"], strategy, narrowed(given))
        pool = ranking.pool or ranking.candidates
        rank = positions(pool).get(symbol.id)
        answer, text = _why(engine, ranking, symbol, given)
        is_behind = rank is not None and answer != "shown"
        shown = pool[:k] if is_behind else ()
        known = _symbols(snapshot, [*(one.symbol for one in shown), *ranking.trace.seeds])
        own = pool[rank - 1] if rank is not None else None
    return {
        "schema": "plait.whynot.v1",
        "query": given["q"],
        "strategy": str(strategy),
        "k": k,
        "repository": name,
        "symbol": symbol_json(symbol),
        "answer": answer,
        "rank": rank,
        "scored": len(pool),
        "text": text,
        "reasons": [] if own is None else [reason_json(reason) for reason in own.reasons],
        "score": 0.0 if own is None else own.score,
        "above": [
            {
                "rank": place,
                "score": one.score,
                "symbol": symbol_json(known[one.symbol]),
                "reasons": [reason_json(reason) for reason in one.reasons],
            }
            for place, one in enumerate(shown, start=1)
            if own is None or one.symbol != own.symbol
        ],
        "seeds": [symbol_json(known[seed]) for seed in ranking.trace.seeds if seed in known],
    }


def _why(engine: Engine, ranking: Ranking, symbol: Symbol, given: Given) -> tuple[str, str]:
    """Return what became of a symbol, as a word and as a sentence."""
    snapshot, k = engine.snapshot(), given["k"]
    question = asked(given["q"], narrowed(given))
    if not question.where.accepts(symbol):
        return "filtered", "filtered: the filters of the question leave it out"
    for quoted in question.quoted:
        if symbol.id not in snapshot.containing(quoted):
            return "filtered", f'filtered: its text does not contain "{quoted}"'
    for hit in hits(snapshot, ranking.candidates, k):
        if hit.symbol.id == symbol.id:
            return "shown", f"shown at rank {hit.rank}"
        if any(copy.id == symbol.id for copy in hit.copies):
            return "shown", f"shown with rank {hit.rank}, {hit.symbol.qualified_name}, whose text is the same"
    (found,) = missing(ranking, [symbol.id], k) or (None,)
    if found is None:  # its place is among the first k
        raise UnknownSymbol(symbol.id, ())
    return found.cause, cause_text(found, ranking, k, Names(snapshot))
