"""What does it cost to ask in Chinese? The same labelled questions in English and in Chinese, asked as by `search`.

    python benchmarks/chinese.py LABELS CORPORA QUESTIONS [--list FILE]

LABELS and CORPORA as in `quality.py`. QUESTIONS is a file of lines: repository, question as in the labels, and its
translation, between tabs. `--list` names another list of words to measure beside the one that ships.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from pathlib import Path
from unittest.mock import patch

import numpy as np
from quality_labels import ndcg, semble

from plait import Engine
from plait.chinese import bridged, lexicon_in, rendered
from plait.evaluate.compare import Outcome, compare

K = 10


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("labels", type=Path)
    parser.add_argument("corpora", type=Path)
    parser.add_argument("questions", type=Path)
    parser.add_argument("--list", type=Path)
    given = parser.parse_args()
    asked: dict[str, list[tuple[str, str]]] = {}
    for line in given.questions.read_text(encoding="utf-8").splitlines():
        repository, english, chinese = line.split("\t")
        asked.setdefault(repository, []).append((english, chinese))
    ways: dict[str, tuple[int, Callable[[str], str]]] = {
        "English": (0, bridged),
        "Chinese": (1, bridged),
        "Chinese, no list": (1, str),
    }
    if given.list:
        other = lexicon_in(given.list.read_text(encoding="utf-8"))
        ways["Chinese, the other list"] = (1, lambda text: rendered(text, other))
    values: dict[str, dict[str, float]] = {way: {} for way in ways}
    for repository in semble(given.labels, given.corpora):
        engine = Engine.open(repository.root)
        targets = {question.text: question.targets for question in repository.questions}
        for pair in asked.get(repository.name, ()):
            for way, (language, bridge) in ways.items():
                with patch("plait.engine.bridged", bridge):
                    hits = engine.search(pair[language], k=K)
                places = [(hit.symbol.path, hit.span.start_line, hit.span.end_line) for hit in hits]
                values[way][f"{repository.name}\t{pair[0]}"] = ndcg(places, targets[pair[0]], K)
    report(values)


def report(values: Mapping[str, Mapping[str, float]]) -> None:
    english = values["English"]
    names = {key.partition("\t")[0] for key in english}
    print(f"{len(english)} questions of {len(names)} repositories, nDCG@{K}")
    for way, found in values.items():
        one = compare("nDCG", "English", way, english, found)
        low, high = one.interval or (0.0, 0.0)
        told = f"{way:24}{np.mean(list(found.values())):8.4f}"
        if found is not english:
            told += f"  {one.mean:+.4f} [{low:+.4f}, {high:+.4f}]"
            told += f"  {one.count(Outcome.WIN):3} won {one.count(Outcome.LOSS):3} lost"
        print(told)


if __name__ == "__main__":
    main()
