"""How well the answers of several repositories are put together, on semble's questions.

    python benchmarks/several.py LABELS CORPORA [--others 3] [--questions 12] REPOSITORY ...

Each question is put to its repository and to the next few of those named. nDCG@10 counts hits of its own repository
alone, so that it can at best be what that one scores alone; other repositories may hold answers, too. The weights are
those of `plait.several.NEARNESS`; the halves are the first and the second half of the questions.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from quality_labels import Question, ndcg, semble

from plait import Engine, several
from plait.engine import Answer

STRATEGIES = ("additive", "hybrid", "lexical", "vector", "structural")
WEIGHTS = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0)
K = 10


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("labels", type=Path)
    parser.add_argument("corpora", type=Path)
    parser.add_argument("repositories", nargs="+")
    parser.add_argument("--others", type=int, default=3)
    parser.add_argument("--questions", type=int, default=12)
    given = parser.parse_args()
    repositories = [one for one in semble(given.labels, given.corpora) if one.name in given.repositories]
    engines = {}
    for one in repositories:
        engine = Engine.open(one.root)
        engines[one.name] = engine.holding(engine.snapshot())
    asked = [
        (one.name, sorted({one.name, *(repositories[(at + n) % len(repositories)].name for n in around)}), question)
        for around in [range(1, given.others + 1)]
        for at, one in enumerate(repositories)
        for question in one.questions[: given.questions]
    ]
    told = f"{len(asked)} questions, each to {given.others + 1} of {len(repositories)} repositories"
    print(f"{told}; nDCG@{K}, part of questions whose first hit is their own repository's")
    near = [{name: several.nearest(engines[name], question.text) for name in group} for _, group, question in asked]
    for strategy in STRATEGIES:
        answers = [
            {name: engines[name].search(question.text, k=K, strategy=strategy) for name in group}
            for _, group, question in asked
        ]
        alone = np.mean([_value(own, {own: of[own]}, {}, q) for (own, _, q), of in zip(asked, answers, strict=True)])
        print(f"{strategy}: asked alone {alone:.3f}")
        for weight in WEIGHTS:
            several.NEARNESS = weight
            values = [
                _value(own, of, close, question)
                for (own, _, question), of, close in zip(asked, answers, near, strict=True)
            ]
            firsts = [
                several.gathered(question.text, of, close, K)[0].repository == own
                for (own, _, question), of, close in zip(asked, answers, near, strict=True)
            ]
            half = len(values) // 2
            print(
                f"  weight {weight:3.1f}  {np.mean(values):.3f}  {np.mean(firsts):.3f}"
                f"  halves {np.mean(values[:half]):.3f} {np.mean(values[half:]):.3f}",
                flush=True,
            )


def _value(own: str, answers: dict[str, Answer], near: dict[str, float], question: Question) -> float:
    found = several.gathered(question.text, answers, near, K)
    ranked = [
        (one.hit.symbol.path if one.repository == own else "\0", one.hit.span.start_line, one.hit.span.end_line)
        for one in found
    ]
    return ndcg(ranked, question.targets, K)


if __name__ == "__main__":
    main()
