from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from plait.engine import Engine
from plait.evaluate.collection import load, resolve
from plait.evaluate.measures import parse
from plait.evaluate.tuning import LEAST, STEPS, Pool, Tuned, folds_of, tune
from plait.model import Candidate, Ranking, Reason, Source, SymbolId
from plait.plugins import build
from plait.ranking import rank
from plait.retrieve.weighted import Weighted, weighted

NDCG = parse("nDCG@10")
COUNT = 60


def ranking(relevant: int, chance: np.random.Generator, signal: float) -> Ranking:
    """Forty candidates with random reasons; an edge is worth little and tells the relevant one as far as it signals."""
    words, edges = chance.random(40), chance.random(40) / 10
    edges[relevant] += signal
    return rank(
        [
            Candidate(
                SymbolId(f"s{n:02}"), (Reason(Source.LEXICAL, float(words[n])), Reason(Source.EDGE, float(edges[n])))
            )
            for n in range(40)
        ]
    )


def tuned(signal: float, seed: int, count: int = COUNT) -> Tuned:
    chance = np.random.default_rng(seed)
    relevant = [int(one) for one in chance.integers(0, 40, count)]
    # Each question has symbols of its own, so that none holds others in its fold.
    judged = {f"q{n}": {SymbolId(f"s{symbol:02}"): 1, SymbolId(f"only {n}"): 0} for n, symbol in enumerate(relevant)}
    pools = [
        Pool(ranking(symbol, chance, signal), judged[topic]) for topic, symbol in zip(judged, relevant, strict=True)
    ]
    return tune(judged, {"made": pools}, NDCG)


def test_a_planted_gain_is_found_and_measured_on_questions_left_out() -> None:
    made = tuned(0.1, 1)
    assert made.worth_it
    assert all(choice.changed for choice in made.folds)
    weights = {Source(source): weight for source, weight in made.chosen.changed.items()}
    assert weights.get(Source.EDGE, 1.0) > weights.get(Source.LEXICAL, 1.0)
    assert made.held_out.mean > 0.3
    assert made.fitted >= made.before + made.held_out.mean


def test_where_there_is_nothing_to_gain_nothing_is_said_to_be() -> None:
    """What is fitted to chance does not hold on questions left out."""
    made = [tuned(0.0, seed, 24) for seed in range(10)]
    assert sum(one.worth_it for one in made) <= 1
    assert all(one.fitted >= one.before for one in made)


def test_what_is_configured_already_is_not_worth_a_change() -> None:
    """The relevant symbol is first by every reason."""
    judged = {f"q{n}": {SymbolId(f"s{n}"): 1} for n in range(LEAST)}
    pools = [
        Pool(rank([Candidate(SymbolId(f"s{n}"), (Reason(Source.LEXICAL, 1.0),))]), one)
        for n, one in enumerate(judged.values())
    ]
    made = tune(judged, {"configured": pools, "other": pools}, NDCG)
    assert (made.chosen.description, made.worth_it, made.held_out.mean) == ("configured", False, 0.0)


def test_questions_with_a_common_answer_stay_in_one_fold() -> None:
    answers = ["ab", "c", "bd", "e", "da", "f", "g", "c"]
    judged = {f"q{n}": {SymbolId(letter): 1 for letter in letters} for n, letters in enumerate(answers)}
    assert folds_of(judged, 3) == [[0, 2, 4], [1, 6, 7], [3, 5]]
    irrelevant = {f"q{n}": {SymbolId("a"): 0} for n in range(4)}
    assert folds_of(irrelevant, 2) == [[0, 2], [1, 3]]
    assert folds_of({}, 3) == []


@pytest.mark.parametrize("of", ["additive", "hybrid", "lexical"])
def test_fitted_figures_are_those_of_the_strategy(of: str, tmp_path: Path) -> None:
    shop = load("shop")
    engine = Engine.open(shop.corpus, cache=tmp_path, embedder="hashing")
    snapshot = engine.snapshot()
    judged = resolve(shop, lambda name: engine.find(name).id)
    chance = np.random.default_rng(3)
    sources = tuple(Source)
    tries = [tuple(float(one) for one in chance.choice([0, 0.25, 0.5, 1, 2, 4], len(sources))) for _ in range(6)]
    for measure in (NDCG, parse("Recall@3"), parse("RR")):
        for topic in shop.topics[:4]:
            query = engine.query(topic.text, shop.where)
            pool = Pool(engine.strategy(of).retrieve(query, snapshot), judged[topic.id])
            found = pool.scores(tries, measure)
            for weights, score in zip(tries, found, strict=True):
                strategy = weighted(of, dict(zip(sources, weights, strict=True)))
                symbols = [one.symbol for one in strategy.retrieve(query, snapshot).candidates]
                assert measure.of(symbols, judged[topic.id]) == pytest.approx(score, abs=1e-9)


def test_weights_of_one_change_nothing_and_of_nought_leave_nothing(tmp_path: Path) -> None:
    shop = load("shop")
    engine = Engine.open(shop.corpus, cache=tmp_path, embedder="hashing")
    query, snapshot = engine.query("send an email to the customer"), engine.snapshot()
    plain = engine.strategy("hybrid").retrieve(query, snapshot)
    assert tuple(Weighted("hybrid").retrieve(query, snapshot).candidates) == tuple(plain.candidates)
    assert tuple(weighted("lexical", {Source.LEXICAL: 0.0}).retrieve(query, snapshot).candidates) == ()
    words = weighted("hybrid", {source: 0.0 for source in Source if source is not Source.LEXICAL})
    assert {reason.source for one in words.retrieve(query, snapshot).candidates for reason in one.reasons} == {
        Source.LEXICAL
    }
    made = weighted("naive(seeds=4)", {Source.NAME: 2.0})
    assert build("strategy", str(made)) == made == Weighted("naive(seeds=4)", exact_name=2.0)
    assert len(tuple(Source)) > STEPS
