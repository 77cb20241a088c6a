"""Judge strategies on published sets: semble's (nDCG@10) and `knowing` (P@10, R@10 by symbols).

    python benchmarks/quality.py --semble LABELS CORPORA [--knowing LABELS CORPORA] [--strategy S ...] [--each FILE]

CORPORA holds a folder for each repository by name. What a strategy was learned from is no proof: the curves that ship
were learned from semble's repositories, and `quality_learn.py` prints what they score on repositories left out.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from quality_labels import knowing, ndcg, semble

from plait import Engine

DEFAULT = ("additive", "hybrid", "lexical", "vector", "structural")
K = 10


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--semble", nargs=2, type=Path, metavar=("LABELS", "CORPORA"))
    parser.add_argument("--knowing", nargs=2, type=Path, metavar=("LABELS", "CORPORA"))
    parser.add_argument("--strategy", action="append", help=f"default: {', '.join(DEFAULT)}")
    parser.add_argument("--each", type=Path, help="write a line for each question and strategy: see quality_compare.py")
    given = parser.parse_args()
    strategies = given.strategy or DEFAULT
    lines: list[str] = []
    if given.semble:
        judge_semble(*given.semble, strategies, lines)
    if given.knowing:
        judge_knowing(*given.knowing, strategies, lines)
    if given.each:
        given.each.write_text("".join(f"{line}\n" for line in sorted(lines)))


def judge_semble(labels: Path, corpora: Path, strategies: Sequence[str], lines: list[str]) -> None:
    found: dict[str, dict[str, list[tuple[str, float]]]] = {one: {} for one in strategies}
    languages: dict[str, str] = {}
    for repository in semble(labels, corpora):
        languages[repository.name] = repository.language
        engine = Engine.open(repository.root)
        for strategy in strategies:
            for question in repository.questions:
                hits = engine.search(question.text, k=K, strategy=strategy)
                ranked = [(hit.symbol.path, hit.span.start_line, hit.span.end_line) for hit in hits]
                value = ndcg(ranked, question.targets, K)
                found[strategy].setdefault(repository.name, []).append((question.category, value))
                lines.append(
                    f"semble\t{repository.name}\t{json.dumps(question.text)}\t{strategy}\t{value:.4f}\t{question.category}"
                )
    categories = ("architecture", "semantic", "symbol")
    print(f"semble, nDCG@10, mean over {len(next(iter(found.values())))} repositories")
    print(f"{'':24}{'all':>8}" + "".join(f"{category:>14}" for category in categories))
    for strategy, values in found.items():
        whole = np.mean([np.mean([value for _, value in one]) for one in values.values()])
        parts = []
        for category in categories:
            of = [[value for kind, value in one if kind == category] for one in values.values()]
            parts.append(np.mean([np.mean(one) for one in of if one]))
        print(f"{strategy:24}{whole:8.4f}" + "".join(f"{part:14.4f}" for part in parts), flush=True)
    spoken = sorted(set(languages.values()))
    print(f"\n{'by language':24}" + "".join(f"{strategy:>12}" for strategy in found))
    for language in spoken:
        names = [name for name, one in languages.items() if one == language]
        means = [np.mean([np.mean([one for _, one in of[name]]) for name in names]) for of in found.values()]
        print(f"{language:20}{len(names):4}" + "".join(f"{mean:12.3f}" for mean in means), flush=True)


def judge_knowing(labels: Path, corpora: Path, strategies: Sequence[str], lines: list[str]) -> None:
    for name, root, tasks in knowing(labels, corpora):
        engine = Engine.open(root)
        made = {one: engine.strategy(one) for one in strategies}
        print(f"knowing, {name}, {len(tasks)} tasks{'':10}{'P@10':>8}{'R@10':>8}   lenient: {'P@10':>8}{'R@10':>8}")
        for strategy in strategies:
            rows = []
            for task in tasks:
                hits = engine.search(task.text, k=K, strategy=made[strategy])
                row = []
                for strict in (True, False):
                    met = [task.is_met(hit.symbol.name, hit.symbol.qualified_name, strict=strict) for hit in hits]
                    row += [sum(map(bool, met)) / K, len(set().union(*met)) / len(task.names)]
                rows.append(row)
                lines.append(
                    f"knowing\t{name}\t{json.dumps(task.text)}\t{strategy}\t{row[1]:.4f}\t{task.level}\t{row[0]:.2f}"
                )
            p, r, lenient_p, lenient_r = np.mean(rows, axis=0)
            print(f"  {strategy:32}{p:8.3f}{r:8.3f}{'':12}{lenient_p:8.3f}{lenient_r:8.3f}", flush=True)


if __name__ == "__main__":
    main()
