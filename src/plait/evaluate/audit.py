"""How right are the edges? A sample of each kind and evidence, what a person said of it, and the precision of each."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from hashlib import blake2b
from pathlib import Path

from plait.errors import BadAnswers, CannotWrite
from plait.model import Edge, EdgeKind, Evidence

Z = 1.959964
"""Of a normal distribution, for an interval at 95 %."""


class Said(StrEnum):
    RIGHT = "right"
    WRONG = "wrong"
    UNSURE = "unsure"


Key = tuple[str, str, str, str]
"""source, target, kind, via: what an answer is about. It holds no line, so it survives edits around the site."""

Stratum = tuple[EdgeKind, Evidence]


@dataclass(frozen=True, slots=True)
class Precision:
    kind: EdgeKind
    evidence: Evidence
    edges: int
    """in the whole graph"""
    right: int
    wrong: int
    unsure: int
    """looked at, and in neither"""

    @property
    def judged(self) -> int:
        return self.right + self.wrong

    @property
    def value(self) -> float | None:
        return self.right / self.judged if self.judged else None

    @property
    def interval(self) -> tuple[float, float] | None:
        return wilson(self.right, self.judged)


def wilson(right: int, judged: int) -> tuple[float, float] | None:
    """Return the interval of a share at 95 %; None without anything judged.

    Wilson, "Probable inference, the law of succession, and statistical inference", JASA 1927.
    """
    if not judged:
        return None
    share, square = right / judged, Z * Z
    middle = (share + square / (2 * judged)) / (1 + square / judged)
    half = Z / (1 + square / judged) * math.sqrt(share * (1 - share) / judged + square / (4 * judged * judged))
    return max(0.0, middle - half), min(1.0, middle + half)


def key_of(edge: Edge) -> Key:
    return edge.source, edge.target, str(edge.kind), str(edge.via)


def strata(edges: Iterable[Edge]) -> dict[Stratum, list[Edge]]:
    """Group edges by kind, then by evidence, the weakest first; within a group as if by chance, the same each time."""
    groups: dict[Stratum, list[Edge]] = {}
    for edge in edges:
        groups.setdefault((edge.kind, edge.evidence), []).append(edge)
    return {stratum: sorted(groups[stratum], key=_by_chance) for stratum in sorted(groups)}


def sample(groups: Mapping[Stratum, Sequence[Edge]], each: int, said: Mapping[Key, Said]) -> list[Edge]:
    """Return what is still to be asked: of each group the first `each` without those that were answered.

    More can be asked for later: the first of a larger sample are those of the smaller one.
    """
    return [edge for group in groups.values() for edge in group[:each] if key_of(edge) not in said]


def precisions(groups: Mapping[Stratum, Sequence[Edge]], said: Mapping[Key, Said]) -> tuple[Precision, ...]:
    """Count the answers of each group; answers about edges that are no more are left out."""
    made = []
    for (kind, evidence), group in groups.items():
        found = [said[key] for key in map(key_of, group) if key in said]
        counts = {one: found.count(one) for one in Said}
        made.append(Precision(kind, evidence, len(group), counts[Said.RIGHT], counts[Said.WRONG], counts[Said.UNSURE]))
    return tuple(made)


def read_answers(path: Path) -> dict[Key, Said]:
    """Read what was said; of several answers about one edge the last one counts. Nothing, if there is no file.

    Raises BadAnswers.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise BadAnswers(str(path), str(error)) from error
    return dict(_answers(path, lines))


def _answers(path: Path, lines: Sequence[str]) -> Iterator[tuple[Key, Said]]:
    for number, line in enumerate(lines, start=1):
        if line.strip():
            try:
                one = json.loads(line)
                yield (str(one["source"]), str(one["target"]), str(one["kind"]), str(one["via"])), Said(one["said"])
            except (ValueError, KeyError, TypeError) as error:
                raise BadAnswers(f"{path}:{number}", "this is no answer") from error


def add_answer(path: Path, edge: Edge, said: Said) -> None:
    """Append one answer, so that nothing is lost whenever it ends. Raises CannotWrite."""
    one = dict(zip(("source", "target", "kind", "via"), key_of(edge), strict=True))
    row = {**one, "evidence": edge.evidence.name.lower(), "path": edge.path, "line": edge.line, "said": said}
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
    except OSError as error:
        raise CannotWrite(str(path), error.strerror or str(error), "give another file to --answers") from error


def _by_chance(edge: Edge) -> bytes:
    return blake2b("\0".join(key_of(edge)).encode(), digest_size=8).digest()
