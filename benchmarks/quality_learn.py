"""Learn the curves of the strategy `additive` from labelled questions, and say what they score on others.

    python benchmarks/quality_learn.py CORPORA LABELS [--mined FOLDER]... [--ablate] [--each FILE] [--write]

CORPORA holds a folder for each repository of semble's set in LABELS (`quality_fetch.py`); a mined FOLDER is a
collection that `plait eval --mine` made. Needs lightgbm, which plants the stumps; what is written is a table of steps.
Folds are of repositories, never of questions.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import lightgbm
import numpy as np
from quality_labels import semble
from quality_rows import Rows, Taken, of_files, of_functions

from plait.retrieve import curves as shipped
from plait.retrieve.additive import Additive
from plait.retrieve.features import COLUMNS, GROUPS

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

MINED = 0.25
"""What all mined questions weigh beside all others. With half or as much semble's set loses .004 to .006 and they gain
nothing (five folds, benchmarks/results/quality.txt)."""

FOLDS = 5

SHIPPED = Additive()
TAKEN: Mapping[str, Taken] = {
    "nothing": Taken(lambda better: 0.0),
    "1 each": Taken(lambda better: better),
    "3 and .3 each": Taken(lambda better: 3.0 * min(better, 1) + 0.3 * better),
    "all": Taken(lambda better: 1e9 * better),
    "as shipped": Taken(lambda better: SHIPPED.repeat * min(better, 1) + SHIPPED.each * better, SHIPPED.first),
}
"""What a candidate loses for the better ones of its file. The last is what pieces are compared with."""

Table = Mapping[str, Sequence[Rows]]
"""repository -> its questions"""


def learned(of: Sequence[Rows], mined: Sequence[Rows], chosen: Sequence[int]) -> Any:
    mined = [one for one in mined if one.relevant.any()]
    every = [*of, *mined]
    weights = [1.0] * len(of) + [MINED * len(of) / max(len(mined), 1)] * len(mined)
    matrix = np.concatenate([one.matrix[one.kept][:, chosen] for one in every])
    relevant = np.concatenate([one.relevant[one.kept] for one in every]).astype(int)
    sizes = [len(one.kept) for one in every]
    data = lightgbm.Dataset(matrix, relevant, group=sizes, weight=np.repeat(weights, sizes))
    return lightgbm.train(PARAMETERS, data, ROUNDS)


def validated(tables: Sequence[Table], chosen: Sequence[int]) -> list[dict[str, dict[str, list[float]]]]:
    """Return, of each table, how much is taken -> repository -> the values of its questions.

    None of a repository was learned from.
    """
    names = sorted({name for table in tables for name in table})
    np.random.default_rng(0).shuffle(names)
    found: list[dict[str, dict[str, list[float]]]] = [{label: {} for label in TAKEN} for _ in tables]
    for fold in (names[start::FOLDS] for start in range(FOLDS)):
        known = [[one for name, rows in table.items() if name not in fold for one in rows] for table in tables]
        model = learned(known[0], known[1], chosen)
        for table, values in zip(tables, found, strict=True):
            for name in fold:
                for one in table.get(name, ()):
                    scores = model.predict(one.matrix[:, chosen])
                    for label, taken in TAKEN.items():
                        values[label].setdefault(name, []).append(one.value(scores, taken))
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


def means(of: Mapping[str, Sequence[float]], table: Table) -> str:
    """Tell the mean over repositories, and those of each category."""
    by: dict[str, dict[str, list[float]]] = {"": {}}
    for name, values in of.items():
        for one, value in zip(table[name], values, strict=True):
            for category in ("", one.question.category):
                by.setdefault(category, {}).setdefault(name, []).append(value)
    whole, *rest = (
        (category, math.fsum(map(np.mean, found.values())) / len(found))
        for category, found in sorted(by.items())
        if found
    )
    return f"{whole[1]:.4f} (" + ", ".join(f"{category} {mean:.3f}" for category, mean in rest) + ")"


def by_language(of: Mapping[str, Sequence[float]], languages: Mapping[str, str]) -> str:
    """Tell the mean over the repositories of each language, and how many they are."""
    found: dict[str, list[float]] = {}
    for name, values in of.items():
        found.setdefault(languages[name], []).append(float(np.mean(values)))
    return ", ".join(f"{name} {np.mean(values):.3f} ({len(values)})" for name, values in sorted(found.items()))


def lines_of(label: str, of: Mapping[str, Sequence[float]], table: Table) -> Iterator[str]:
    for name, values in of.items():
        for one, value in zip(table[name], values, strict=True):
            kind = "mined" if one.answers else "semble"
            yield f"{kind}\t{name}\t{json.dumps(one.question.text)}\t{label}\t{value:.4f}\t{one.question.category}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpora", type=Path)
    parser.add_argument("labels", type=Path)
    parser.add_argument("--mined", type=Path, action="append", default=[], metavar="FOLDER")
    parser.add_argument("--write", action="store_true", help="write the curves into the package")
    parser.add_argument("--ablate", action="store_true", help="leave out one group of columns at a time")
    parser.add_argument("--each", type=Path, help="write a line for each question, as `quality.py --each`")
    given = parser.parse_args()
    repositories = list(semble(given.labels, given.corpora))
    tables: list[Table] = [{one.name: of_files(one) for one in repositories}, dict(map(of_functions, given.mined))]
    every = list(range(len(COLUMNS)))
    if given.write:
        table = table_of(learned(*([one for rows in table.values() for one in rows] for table in tables), every), every)
        place = Path(shipped.__file__).with_name("curves.json")
        of = json.dumps({"files": sorted(tables[0]), "functions": sorted(tables[1])})
        lines = ",\n".join(f" {json.dumps(column)}: {json.dumps(curve)}" for column, curve in table.items())
        place.write_text(f'{{"learned_from": {of},\n"curves": {{\n{lines}\n}}}}\n')
        print(f"{len(table)} curves written", file=sys.stderr)
    pieces = {"all columns": every}
    for group, members in GROUPS.items() if given.ablate else ():
        pieces[f"without {group}"] = [place for place, column in enumerate(COLUMNS) if column not in members]
    lines_found: list[str] = []
    for label, chosen in pieces.items():
        found = validated(tables, chosen)
        for taken in TAKEN if len(chosen) == len(every) else [list(TAKEN)[-1]]:
            told = [means(values[taken], table) for values, table in zip(found, tables, strict=True) if table]
            print(f"{label:20} taken: {taken:11} {'   mined, recall@10 '.join(told)}", flush=True)
        if len(chosen) == len(every):
            print(
                "by language: " + by_language(found[0]["as shipped"], {one.name: one.language for one in repositories})
            )
            for taken in TAKEN:
                for values, table in zip(found, tables, strict=True):
                    lines_found += lines_of(f"taken: {taken}", values[taken], table)
        for values, table in zip(found, tables, strict=True):
            lines_found += lines_of(label, values["as shipped"], table)
    if given.each:
        given.each.write_text("".join(f"{line}\n" for line in sorted(lines_found)))


if __name__ == "__main__":
    main()
