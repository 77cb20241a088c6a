"""Several repositories asked one question. Each has its index, and nothing of one changes what another finds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import overload

from plait.engine import Answer, Engine
from plait.errors import BadParameter
from plait.model import Filter, Hit
from plait.protocols import Strategy

NEARNESS = 1.5
"""Chosen by 216 of semble's questions, each put to its repository and three others of 18 (benchmarks/several.py)."""


@dataclass(frozen=True, slots=True)
class Found:
    """A hit, and the name of the repository that it is in."""

    repository: str
    hit: Hit
    """ranked among those of all repositories"""


@dataclass(frozen=True, slots=True)
class Gathered(Sequence[Found]):
    """The first hits of several repositories, best first."""

    query: str
    answers: Mapping[str, Answer]
    """repository -> what it alone answers, in the order in which they were named"""
    found: tuple[Found, ...]
    nearest: Mapping[str, float]
    """repository -> greatest cosine of a passage of it with the question"""

    @property
    def total(self) -> int:
        """Candidates in all rankings."""
        return sum(answer.total for answer in self.answers.values())

    @property
    def strategy(self) -> str:
        return next(iter(self.answers.values())).strategy

    @property
    def state(self) -> str:
        """Those of the snapshots, joined by `+`."""
        return "+".join(answer.state for answer in self.answers.values())

    @overload
    def __getitem__(self, index: int) -> Found: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Found, ...]: ...
    def __getitem__(self, index: int | slice) -> Found | tuple[Found, ...]:
        return self.found[index]

    def __len__(self) -> int:
        return len(self.found)

    def __iter__(self) -> Iterator[Found]:
        return iter(self.found)


def named(given: Sequence[str]) -> dict[str, Path]:
    """Read `NAME=FOLDER`, or a folder that is called by its own name; in the order given.

    Raises BadParameter for a name that two have, or that holds white space or a slash.
    """
    found: dict[str, Path] = {}
    for one in given:
        name, equals, folder = one.partition("=")
        if not equals or "/" in name or Path(one).exists():
            name, folder = "", one
        path = Path(folder).expanduser()
        name = name or path.resolve().name or "root"
        if name.split() != [name] or "/" in name:
            raise BadParameter(f"{one}: {name!r} cannot be a repository's name; write NAME={folder}")
        if name in found:
            raise BadParameter(f"{one}: two repositories would be called {name}; write NAME={folder} for one of them")
        found[name] = path
    return found


def search(
    engines: Mapping[str, Engine],
    text: str,
    *,
    k: int = 10,
    strategy: str | Strategy | None = None,
    where: Filter = Filter(),
    beside: bool = False,
) -> Gathered:
    """Return the k best hits of all repositories; else as `Engine.search`.

    Scores are those that each repository gives alone, and what they are compared with there (how rare a word is, how
    near the others are) differs from one to another. So hits stand by score / best score of all + NEARNESS * greatest
    cosine in their repository, ties by place in the mapping, then rank; those of one repository stand as they do alone.
    Raises BadParameter without a repository.
    """
    if not engines:
        raise BadParameter("name at least one repository")
    answers = {
        name: engine.search(text, k=k, strategy=strategy, where=where, beside=beside)
        for name, engine in engines.items()
    }
    near = {name: nearest(engine, text, where) for name, engine in engines.items() if len(engines) > 1}
    return gathered(text, answers, near, k)


def nearest(engine: Engine, text: str, where: Filter = Filter()) -> float:
    """Return the greatest cosine of a passage with the question; 0 without one."""
    candidates = engine.rank(text, "vector(depth=1)", where).candidates
    return candidates[0].score if candidates else 0.0


def gathered(text: str, answers: Mapping[str, Answer], near: Mapping[str, float], k: int) -> Gathered:
    """Return the k best hits of answers to the same question, as `search` does; each has its k best."""
    best_score = max((answer[0].score for answer in answers.values() if len(answer)), default=0.0)
    unit = best_score if best_score > 0 else 1.0
    every = [
        (-(hit.score / unit + NEARNESS * near.get(name, 0.0)), place, hit.rank, Found(name, hit))
        for place, (name, answer) in enumerate(answers.items())
        for hit in answer
    ]
    best = sorted(every, key=lambda one: one[:3])[:k]
    ranked = (replace(one[3], hit=replace(one[3].hit, rank=rank)) for rank, one in enumerate(best, start=1))
    return Gathered(text, answers, tuple(ranked), near)
