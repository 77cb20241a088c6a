"""Labelled questions of three published sets, as questions with targets.

Read as their authors score them: semble's by the file and, where given, the lines of a target, paths matching when one
ends in the other; `knowing`'s by the names of symbols; SWE-bench Lite's by the functions that the patch changes.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Target:
    path: str
    first: int = 0
    """line; 0 for any place in the file"""
    last: int = 0

    def is_met(self, path: str, first: int, last: int) -> bool:
        same = path == self.path or path.endswith(f"/{self.path}") or self.path.endswith(f"/{path}")
        return same and (not self.first or not (last < self.first or first > self.last))


@dataclass(frozen=True, slots=True)
class Question:
    text: str
    category: str
    targets: tuple[Target, ...]


@dataclass(frozen=True, slots=True)
class Repository:
    name: str
    language: str
    root: Path
    questions: tuple[Question, ...]


def semble(labels: Path, corpora: Path) -> Iterator[Repository]:
    """Yield semble's repositories that are among the corpora (a folder for each, by name), as it orders them."""
    for one in json.loads((labels / "repos.json").read_text()):
        root = corpora / one["name"] / (one.get("benchmark_root") or "")
        if not root.is_dir():
            continue
        annotated = json.loads((labels / "annotations" / f"{one['name']}.json").read_text())
        questions = tuple(
            Question(
                entry["query"],
                entry["category"],
                tuple(map(_target, [*entry["relevant"], *(entry.get("secondary") or [])])),
            )
            for entry in annotated
        )
        yield Repository(one["name"], one["language"], root, questions)


def _target(given: str | dict[str, object]) -> Target:
    if isinstance(given, str):
        return Target(given)
    return Target(str(given["path"]), int(str(given.get("start_line") or 0)), int(str(given.get("end_line") or 0)))


def ndcg(ranked: Sequence[tuple[str, int, int]], targets: Sequence[Target], k: int = 10) -> float:
    """nDCG@k as semble computes it: over the ranks at which targets are first met, each rank once.

    `ranked` are paths with the first and last line. The ideal has all targets, k at most, in the first places.
    """
    met = {
        rank
        for target in targets
        for rank in [next((place for place, one in enumerate(ranked[:k], 1) if target.is_met(*one)), 0)]
        if rank
    }
    ideal = math.fsum(1 / math.log2(rank + 1) for rank in range(1, min(k, len(targets)) + 1))
    return math.fsum(1 / math.log2(rank + 1) for rank in sorted(met)) / ideal if ideal else 0.0


@dataclass(frozen=True, slots=True)
class Task:
    text: str
    level: str
    names: tuple[str, ...]
    """of symbols: a function, a class, or Class.method"""

    def is_met(self, name: str, qualified_name: str, *, strict: bool) -> set[str]:
        """Return the names that a symbol stands for: by the end of its qualified name, or by its last name alone."""
        if strict:
            return {one for one in self.names if f".{qualified_name}".endswith(f".{one}")}
        return {one for one in self.names if one.rpartition(".")[2] == name}


def knowing(labels: Path, corpora: Path) -> Iterator[tuple[str, Path, tuple[Task, ...]]]:
    """Yield name, root and tasks of each repository that is among the corpora, by name."""
    import yaml

    for folder in sorted((labels / "tasks").iterdir()):
        root = corpora / folder.name
        if root.is_dir():
            read = [yaml.safe_load(path.read_text()) for path in sorted(folder.glob("*/*.yaml"))]
            tasks = (Task(one["description"], one["tier"], tuple(one["ground_truth"])) for one in read)
            yield folder.name, root, tuple(tasks)
