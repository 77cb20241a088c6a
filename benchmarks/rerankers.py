"""What does a reranker do to questions whose functions are known (`plait eval --mine REPOSITORY --export FOLDER`)?

    python benchmarks/rerankers.py FOLDER --by "nearest(embedder=...)" [--every N] [--of STRATEGY]

FOLDER is a collection. Of its questions each N-th is asked, in order of their ids. The reranker reads the first 30
once; for each weight told are: recall of the functions among the first ten, questions that it lost and won, and the
mean difference with its interval (bootstrap over questions, 10,000 draws, seed 1).
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from plait import Engine, plugins
from plait.evaluate.collection import load, resolve

FIRST, K, DRAWS = 30, 10, 10_000
WEIGHTS = (0.1, 0.2, 0.3, 0.5, 1.0, 3.0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--by", required=True)
    parser.add_argument("--of", default="additive")
    parser.add_argument("--every", type=int, default=1)
    given = parser.parse_args()
    collection = load(given.folder)
    engine = Engine.open(collection.corpus)
    snapshot = engine.snapshot()
    judged = resolve(collection, lambda name: engine.find(name).id)
    reranker = plugins.build("reranker", given.by)
    recalls: list[list[float]] = []
    for topic in sorted(collection.topics, key=lambda topic: topic.id)[:: given.every]:
        answer = {symbol for symbol, relevance in judged.get(topic.id, {}).items() if relevance > 0}
        if not answer:
            continue
        read = engine.rank(topic.text, given.of, collection.where).candidates[:FIRST]
        texts = snapshot.texts([one.symbol for one in read])
        said = np.array(reranker.scores(topic.text, [texts[one.symbol] for one in read]))
        base = np.array([one.score for one in read])
        share = (said - said.min()) / max(float(np.ptp(said)), 1e-9) * np.ptp(base)
        row = []
        for weight in (0.0, *WEIGHTS):
            order = sorted(range(len(read)), key=lambda place: (-(base + weight * share)[place], read[place].symbol))
            row.append(len(answer & {read[place].symbol for place in order[:K]}) / len(answer))
        recalls.append(row)
    table = np.array(recalls)
    print(f"{collection.name}: {len(table)} questions, {given.by} after {given.of} {table[:, 0].mean():.3f}")
    draws = np.random.default_rng(1).integers(0, len(table), (DRAWS, len(table)))
    for place, weight in enumerate(WEIGHTS, start=1):
        change = table[:, place] - table[:, 0]
        low, high = np.percentile(change[draws].mean(axis=1), [2.5, 97.5])
        told = f"{change.mean():+.3f} ({low:+.3f} to {high:+.3f}), lost {(change < 0).sum()}, won {(change > 0).sum()}"
        print(f"weight {weight}: {table[:, place].mean():.3f}, {told}")


if __name__ == "__main__":
    main()
