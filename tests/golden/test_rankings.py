"""The first five of every query and strategy, and the rank of every relevant symbol, as committed files.

A change that moves one query shows as one moved line. `make golden` writes the files anew.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from committed import compare

from plait import Engine
from plait.doors.experiment import STRATEGIES
from plait.evaluate.collection import load
from plait.evaluate.measures import standard
from plait.evaluate.naming import short_names
from plait.ranking import positions

HERE = Path(__file__).parent / "rankings"
SHOWN = 5


@pytest.mark.parametrize("graph", ["names", "flow"])
@pytest.mark.parametrize("embedder", ["code", "static", "hashing"])
def test_shop(embedder: str, graph: str) -> None:
    collection = load("shop")
    engine = Engine.open(collection.corpus, embedder=embedder, graph=graph)
    evaluation, runs = engine.evaluate(collection, STRATEGIES, standard([3, 5]))
    names = short_names(engine.snapshot().symbols())
    lines: list[str] = []
    for topic in evaluation.topics:
        judged = evaluation.judgements[topic.id]
        lines += ["", f'{topic.id} "{topic.text}"']
        for given, (label, run) in zip(STRATEGIES, runs.items(), strict=True):
            ranking = run[topic.id]
            place = positions(ranking.pool)
            first = (
                f"*{names[c.symbol]}*" if c.symbol in judged else names[c.symbol] for c in ranking.candidates[:SHOWN]
            )
            ranks = (f"{names[symbol]} {place.get(symbol, '-')}" for symbol in sorted(judged))
            lines.append(f"  {given}: {', '.join(first)} | {', '.join(ranks)}")
            assert label in evaluation.labels
    means = [
        f"{given}: " + ", ".join(f"{measure} {evaluation.mean(measure, label):.4f}" for measure in evaluation.measures)
        for given, label in zip(STRATEGIES, evaluation.labels, strict=True)
    ]
    compare(HERE / f"shop-{graph}-{embedder}.txt", [*means, *lines])
