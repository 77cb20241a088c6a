"""Localise SWE-bench Lite's issues: which functions and files does a search of the issue's text find first?

    python benchmarks/quality_swebench.py LABELS CORPORA [--strategy S ...] [--repository R ...] [--work FOLDER]

LABELS is the folder with `lite.jsonl`. CORPORA holds a git directory for each repository, as `owner+name` (or that
with `/repo`), with its history. An instance whose base commit is not there, or not whole, is counted and left out, and
so is one whose patch changes no function.

Acc@k is the share of instances of which all changed functions (files) are among the first k functions (files), as
LocAgent and SweRank count it: what counts as changed is what overlaps a hunk of the patch with its context lines. A
file stands where its best symbol does. Checked-out commits and indexes are kept in FOLDER for the next run.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from plait import Engine
from plait.model import SymbolKind

DEFAULT = ("additive", "hybrid", "lexical", "vector", "structural")
FUNCTIONS = (1, 5, 10)
FILES = (1, 3, 5)
CODE = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD})


@dataclass(frozen=True, slots=True)
class Instance:
    id: str
    repository: str
    commit: str
    issue: str
    functions: frozenset[str]
    """as path:Qualified.name"""
    files: frozenset[str]


def instances(labels: Path) -> Iterator[Instance]:
    for line in (labels / "lite.jsonl").read_text().splitlines():
        row = json.loads(line)
        functions = row["gold_functions_hunk"] or ()
        yield Instance(
            row["instance_id"],
            row["repo"],
            row["base_commit"],
            row["problem_statement"],
            frozenset(functions),
            frozenset(row["gold_files"]),
        )


def checked_out(one: Instance, corpora: Path, work: Path) -> Path | None:
    """Return a folder with the files of the instance's commit; None if not all of it is at hand."""
    place = work / "commits" / one.id
    if place.is_dir():
        return place
    directory = corpora / one.repository.replace("/", "+")
    git = ["git", "-C", str(directory / "repo" if (directory / "repo").is_dir() else directory)]
    if not directory.is_dir() or subprocess.run([*git, "cat-file", "-e", one.commit], capture_output=True).returncode:
        return None
    aside = place.with_name(f"{place.name}.partial")
    aside.mkdir(parents=True, exist_ok=True)
    archive = subprocess.Popen([*git, "archive", one.commit], stdout=subprocess.PIPE)
    unpacked = subprocess.run(["tar", "-x", "-C", str(aside)], stdin=archive.stdout, stderr=subprocess.DEVNULL)
    if archive.wait() or unpacked.returncode:
        shutil.rmtree(aside)
        return None
    aside.rename(place)
    return place


def places(engine: Engine, one: Instance, strategy: str) -> tuple[list[str], list[str]]:
    """Return the ranked functions, as labels name them, and the ranked files."""
    ranking = engine.rank(one.issue, strategy)
    snapshot = engine.snapshot()
    symbols = snapshot.symbols([candidate.symbol for candidate in ranking.candidates])
    functions = [f"{one.path}:{one.qualified_name[len(one.module) + 1 :]}" for one in symbols if one.kind in CODE]
    return functions, list(dict.fromkeys(one.path for one in symbols))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("labels", type=Path)
    parser.add_argument("corpora", type=Path)
    parser.add_argument("--strategy", action="append", help=f"default: {', '.join(DEFAULT)}")
    parser.add_argument("--repository", action="append", help="owner/name; default: all")
    parser.add_argument("--work", type=Path, default=Path("build/swebench"))
    parser.add_argument("--each", type=Path, help="write a line for each instance and strategy")
    given = parser.parse_args()
    strategies: Sequence[str] = given.strategy or DEFAULT
    absent: dict[str, int] = defaultdict(int)
    hits: dict[str, dict[str, list[list[bool]]]] = {one: defaultdict(list) for one in strategies}
    lines = []
    for one in instances(given.labels):
        if given.repository and one.repository not in given.repository:
            continue
        root = checked_out(one, given.corpora, given.work) if one.functions else None
        if root is None:
            absent[one.repository if one.functions else "no function changed"] += 1
            continue
        engine = Engine.open(root, cache=given.work / "cache")
        for strategy in strategies:
            functions, files = places(engine, one, strategy)
            row = [one.functions <= set(functions[:k]) for k in FUNCTIONS]
            row += [one.files <= set(files[:k]) for k in FILES]
            hits[strategy][one.repository].append(row)
            lines.append(f"{one.id}\t{strategy}\t" + "\t".join(str(int(value)) for value in row))
    print("left out: " + ", ".join(f"{name} {count}" for name, count in sorted(absent.items())))
    names = [f"function Acc@{k}" for k in FUNCTIONS] + [f"file Acc@{k}" for k in FILES]
    for strategy in strategies:
        print(f"\n{strategy}\n{'':28}{'n':>4}" + "".join(f"{name:>17}" for name in names))
        every = [row for rows in hits[strategy].values() for row in rows]
        for label, rows in [*sorted(hits[strategy].items()), ("all", every)]:
            print(f"{label:28}{len(rows):4}" + "".join(f"{value:17.3f}" for value in np.mean(rows, axis=0)), flush=True)
    if given.each:
        given.each.write_text("".join(f"{line}\n" for line in sorted(lines)))


if __name__ == "__main__":
    main()
