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
) -> Gathered:
    """Return the k best hits of all repositories by (-score, place in the mapping, rank); else as `Engine.search`.

    The scores are those that each repository gives alone. Raises BadParameter without a repository.
    """
    if not engines:
        raise BadParameter("name at least one repository")
    answers = {name: engine.search(text, k=k, strategy=strategy, where=where) for name, engine in engines.items()}
    return gathered(text, answers, k)


def gathered(text: str, answers: Mapping[str, Answer], k: int) -> Gathered:
    """Return the k best hits of answers to the same question, as `search` does; each has its k best."""
    every = [
        (-hit.score, place, hit.rank, Found(name, hit))
        for place, (name, answer) in enumerate(answers.items())
        for hit in answer
    ]
    best = sorted(every, key=lambda one: one[:3])[:k]
    ranked = (replace(one[3], hit=replace(one[3].hit, rank=rank)) for rank, one in enumerate(best, start=1))
    return Gathered(text, answers, tuple(ranked))
