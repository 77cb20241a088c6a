"""Compare two rankings question by question: who won, who lost, by how much, and whether that can be chance.

    python benchmarks/quality_compare.py BEFORE AFTER [--strategy S]     # one strategy in two result files
    python benchmarks/quality_compare.py RESULTS --of S --with T         # two strategies in one

RESULTS are written by `quality.py --each` and `quality_learn.py --each`: for each question and strategy a line with
set, repository, question, strategy, value (nDCG@10; of `knowing` strict R@10), and category or level.
A difference is that of the means over repositories; its 95 % interval is a bootstrap over repositories, as questions
about one repository are not independent. Won and lost are questions.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

RESAMPLES = 10_000
TIE = 1e-9
Values = Mapping[str, Mapping[tuple[str, str], float]]
"""strategy -> (repository, question) -> value"""


def read(path: Path, collection: str, category: str | None) -> Values:
    found: dict[str, dict[tuple[str, str], float]] = {}
    for line in path.read_text().splitlines():
        name, repository, question, strategy, value, of = line.split("\t")[:6]
        if name == collection and category in (None, of):
            found.setdefault(strategy, {})[repository, question] = float(value)
    return found


def by_repository(before: Mapping[tuple[str, str], float], after: Mapping[tuple[str, str], float]) -> list[float]:
    """Return the mean difference of each repository, by name."""
    found: dict[str, list[float]] = {}
    for repository, question in sorted(before.keys() & after.keys()):
        key = repository, question
        found.setdefault(repository, []).append(after[key] - before[key])
    return [float(np.mean(values)) for _, values in sorted(found.items())]


def interval(means: Sequence[float]) -> tuple[float, float]:
    """Return the 95 % bootstrap interval of the mean."""
    drawn = np.random.default_rng(0).choice(np.array(means), (RESAMPLES, len(means)))
    low, high = np.percentile(drawn.mean(axis=1), (2.5, 97.5))
    return float(low), float(high)


def told(label: str, before: Mapping[tuple[str, str], float], after: Mapping[tuple[str, str], float]) -> str:
    means = by_repository(before, after)
    low, high = interval(means)
    moved = [after[key] - before[key] for key in before.keys() & after.keys()]
    won, lost = sum(one > TIE for one in moved), sum(one < -TIE for one in moved)
    return (
        f"{label:34}{np.mean(means):+8.4f} [{low:+.4f}, {high:+.4f}]"
        f"{won:6} won{lost:6} lost of {len(moved)}: {won / len(moved):.1%} helped, {lost / len(moved):.1%} harmed"
    )


def worst(before: Mapping[tuple[str, str], float], after: Mapping[tuple[str, str], float]) -> Iterator[str]:
    for key in sorted(before.keys() & after.keys(), key=lambda one: (after[one] - before[one], one))[:10]:
        if after[key] < before[key] - TIE:
            yield f"  {before[key]:.3f} -> {after[key]:.3f}  {key[0]}  {key[1]}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", nargs="+", type=Path)
    parser.add_argument("--collection", default="semble", help="semble or knowing (default: semble)")
    parser.add_argument("--category", help="only questions of one category")
    parser.add_argument("--strategy", action="append", help="default: all that both files have")
    parser.add_argument("--of", help="in one file: the strategy to start from")
    parser.add_argument("--with", dest="other", action="append", help="those to compare with it; default: all others")
    given = parser.parse_args()
    read_files = [read(path, given.collection, given.category) for path in given.results]
    if len(read_files) == 1 and given.of in read_files[0]:
        [found] = read_files
        pairs = [(f"{given.of} -> {name}", found[given.of], found[name]) for name in given.other or found]
        pairs = [pair for pair in pairs if pair[1] is not pair[2]]
    elif len(read_files) == 2:
        before, after = read_files
        names = given.strategy or [name for name in before if name in after]
        pairs = [(name, before[name], after[name]) for name in names]
    else:
        sys.exit("give two result files, or one with --of one of its strategies")
    for label, first, second in pairs:
        print(told(label, first, second))
        for line in worst(first, second) if len(pairs) == 1 else ():
            print(line)


if __name__ == "__main__":
    main()
