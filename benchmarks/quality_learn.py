"""Learn the curves of the strategy `additive` from labelled questions, and say what they score on others.

    python benchmarks/quality_learn.py CORPORA LABELS [--ablate] [--each FILE] [--write]

CORPORA holds a folder for each repository of semble's set in LABELS (`quality_fetch.py`). Needs lightgbm, which plants
the stumps; what is written is a table of steps. Folds are of repositories, never of questions.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import lightgbm
import numpy as np
from quality_labels import Question, Repository, ndcg, semble

from plait import Engine
from plait.retrieve import curves as shipped
from plait.retrieve.additive import Additive, named_symbols
from plait.retrieve.features import COLUMNS, GROUPS, columns

ROUNDS = 300
PARAMETERS = {
    "objective": "lambdarank",
    "num_leaves": 2,
    "learning_rate": 0.1,
    "min_data_in_leaf": 30,
    "feature_fraction": 0.5,
    "bagging_fraction": 0.8,
    "bagging_freq": 1,
    "max_bin": 63,
    "lambdarank_truncation_level": 20,
    "label_gain": [0, 1],
    "verbosity": -1,
    "num_threads": 1,
    "force_col_wise": True,
    "deterministic": True,
    "seed": 1,
}
"""Stumps: with more leaves the sum is no longer one of curves. Four leaves gave .002 to .004 more in the trial."""

OF_A_FILE = 2
"""Rows of one file to learn from, the best by words and meaning: the labels are of files."""

FOLDS = 5


@dataclass(frozen=True, slots=True)
class Rows:
    question: Question
    matrix: Any
    """a row for each candidate, a column for each of COLUMNS"""
    places: Sequence[tuple[str, int, int]]
    """path, first and last line of each candidate"""
    relevant: Any
    kept: Any
    """the rows to learn from"""


def rows_of(repository: Repository) -> list[Rows]:
    engine = Engine.open(repository.root)
    snapshot = engine.snapshot()
    strategy = Additive()
    found = []
    for question in repository.questions:
        query = engine.query(question.text)
        named = named_symbols(query, snapshot)
        pool = snapshot.pool(query, strategy.depth, strategy.seeds, named)
        table = columns(query, pool, named)
        matrix = np.column_stack([table[column] for column in COLUMNS])
        places = [(one.path, one.span.start_line, one.span.end_line) for one in snapshot.symbols(pool.ids)]
        relevant = np.array([any(target.is_met(*place) for target in question.targets) for place in places])
        base = table["words"] + table["meaning"] + 0.3 * table["name"]
        met: dict[str, int] = {}
        kept = []
        for row in np.lexsort((np.arange(len(base)), -base)).tolist():
            path = places[row][0]
            met[path] = met.get(path, 0) + 1
            if met[path] <= OF_A_FILE:
                kept.append(row)
        found.append(Rows(question, matrix, places, relevant, np.array(sorted(kept))))
    return found


def learned(rows: Sequence[Rows], chosen: Sequence[int]) -> Any:
    matrix = np.concatenate([one.matrix[one.kept][:, chosen] for one in rows])
    relevant = np.concatenate([one.relevant[one.kept] for one in rows]).astype(int)
    data = lightgbm.Dataset(matrix, relevant, group=[len(one.kept) for one in rows])
    return lightgbm.train(PARAMETERS, data, ROUNDS)


def ranked(one: Rows, scores: Any, repeat: float) -> list[tuple[str, int, int]]:
    met: dict[str, int] = {}
    adjusted = scores.copy()
    for row in np.lexsort((np.arange(len(scores)), -scores)).tolist():
        path = one.places[row][0]
        adjusted[row] -= repeat * met.get(path, 0)
        met[path] = met.get(path, 0) + 1
    return [one.places[row] for row in np.lexsort((np.arange(len(scores)), -adjusted))[:10].tolist()]


def validated(rows: Mapping[str, list[Rows]], chosen: Sequence[int], repeats: Sequence[float]) -> dict[float, Any]:
    """Return, for each repeat, name -> nDCG@10 of its questions. None of a repository was learned from."""
    names = sorted(rows)
    np.random.default_rng(0).shuffle(names)
    found: dict[float, dict[str, list[float]]] = {repeat: {} for repeat in repeats}
    for fold in (names[start::FOLDS] for start in range(FOLDS)):
        model = learned([one for name in names if name not in fold for one in rows[name]], chosen)
        for name in fold:
            for one in rows[name]:
                scores = model.predict(one.matrix[:, chosen])
                for repeat in repeats:
                    found[repeat].setdefault(name, []).append(ndcg(ranked(one, scores, repeat), one.question.targets))
    return found


def table_of(model: Any, chosen: Sequence[int]) -> dict[str, Any]:
    """Add up the stumps of each column; shift each curve so that it is 0 where the column is."""
    steps: dict[str, list[tuple[float, float, float]]] = {}
    for tree in model.dump_model()["tree_info"]:
        node = tree["tree_structure"]
        if "split_feature" in node:
            column = COLUMNS[chosen[node["split_feature"]]]
            low, high = node["left_child"]["leaf_value"], node["right_child"]["leaf_value"]
            steps.setdefault(column, []).append((float(node["threshold"]), low, high))
    found = {}
    for column in COLUMNS:
        if column not in steps:
            continue
        ends = sorted({end for end, _, _ in steps[column]})
        middles = [ends[0] - 1, *((a + b) / 2 for a, b in pairwise(ends)), ends[-1] + 1]
        values = [sum(low if at <= end else high for end, low, high in steps[column]) for at in middles]
        zero = values[int(np.searchsorted(ends, 0.0))]
        found[column] = {
            "ends": [float(f"{end:.5g}") for end in ends],
            "values": [round(value - zero, 4) for value in values],
        }
    return found


def means(of: Mapping[str, list[float]], rows: Mapping[str, list[Rows]]) -> tuple[float, dict[str, float]]:
    """Return the mean over repositories, and those of each category."""
    by: dict[str, dict[str, list[float]]] = {}
    for name, values in of.items():
        for one, value in zip(rows[name], values, strict=True):
            by.setdefault(one.question.category, {}).setdefault(name, []).append(value)
    whole = float(np.mean([np.mean(values) for values in of.values()]))
    return whole, {
        category: round(float(np.mean([np.mean(values) for values in found.values()])), 4)
        for category, found in sorted(by.items())
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpora", type=Path)
    parser.add_argument("labels", type=Path)
    parser.add_argument("--each", type=Path, help="write a line for each question, as `quality.py --each`")
    parser.add_argument("--write", action="store_true", help="write the curves into the package")
    parser.add_argument("--ablate", action="store_true", help="leave out one group of columns at a time")
    given = parser.parse_args()
    repositories = list(semble(given.labels, given.corpora))
    rows = {one.name: rows_of(one) for one in repositories}
    languages = {one.name: one.language for one in repositories}
    every = {"all columns": report(rows, (), "all columns", (0.0, 1.0, 2.0, 4.0, 1e9))}
    print("by language: " + ", ".join(by_language(every["all columns"], languages)))
    for group, members in GROUPS.items() if given.ablate else ():
        every[f"without {group}"] = report(rows, members, f"without {group}", (1e9,))
    if given.each:
        given.each.write_text("".join(f"{line}\n" for line in sorted(lines_of(every, rows))))
    if given.write:
        chosen = list(range(len(COLUMNS)))
        table = table_of(learned([one for found in rows.values() for one in found], chosen), chosen)
        place = Path(shipped.__file__).with_name("curves.json")
        lines = ",\n".join(f" {json.dumps(column)}: {json.dumps(curve)}" for column, curve in table.items())
        place.write_text(f'{{"learned_from": {json.dumps(sorted(rows))},\n"curves": {{\n{lines}\n}}}}\n')
        print(f"{len(table)} curves written", file=sys.stderr)


def by_language(of: Mapping[str, Sequence[float]], languages: Mapping[str, str]) -> list[str]:
    """Tell the mean over the repositories of each language, and how many they are."""
    found: dict[str, list[float]] = {}
    for name, values in of.items():
        found.setdefault(languages[name], []).append(float(np.mean(values)))
    return [f"{name} {np.mean(means):.3f} ({len(means)})" for name, means in sorted(found.items())]


def lines_of(every: Mapping[str, Mapping[str, list[float]]], rows: Mapping[str, list[Rows]]) -> Iterator[str]:
    for label, of in every.items():
        for name, values in of.items():
            for one, value in zip(rows[name], values, strict=True):
                yield f"semble\t{name}\t{json.dumps(one.question.text)}\t{label}\t{value:.4f}\t{one.question.category}"


def report(
    rows: Mapping[str, list[Rows]], without: Collection[str], label: str, repeats: Sequence[float]
) -> dict[str, list[float]]:
    """Print what each repeat scores; return the values of the last, by repository."""
    chosen = [place for place, column in enumerate(COLUMNS) if column not in without]
    for repeat, found in validated(rows, chosen, repeats).items():
        whole, categories = means(found, rows)
        print(f"{label:20} repeat {repeat:<6g} nDCG@10 {whole:.4f}  {categories}", flush=True)
    return found


if __name__ == "__main__":
    main()
