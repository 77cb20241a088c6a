"""What may fail a build: a mean beyond a bound, or a ranking that got worse than it was when a baseline was written.

A baseline is what `plait eval --json` printed. Its topics are compared one by one, so that the test is a paired one; a
topic that is new, gone or asks something else is left out and counted.
"""

from __future__ import annotations

import json
import operator
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from plait.errors import BadBaseline, BadParameter
from plait.evaluate.compare import Comparison, compare, holm
from plait.evaluate.judge import Evaluation
from plait.evaluate.measures import Measure, parse

_ORDERS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
_CONDITION = re.compile(r"\s*(?:(?P<strategy>\S.*?)\s+)?(?P<measure>\S+?)\s*(?P<order><=|>=|<|>)\s*(?P<bound>\S+)\s*")


@dataclass(frozen=True, slots=True)
class Condition:
    """`[STRATEGY] MEASURE < BOUND`: what must not be."""

    strategy: str
    """a name or a whole description; empty for every strategy"""
    measure: Measure
    order: str
    bound: float

    def __str__(self) -> str:
        return f"{self.strategy} {self.measure} {self.order} {self.bound:g}".lstrip()

    def holds(self, value: float) -> bool:
        # A mean is shown with so many places, and what is shown decides.
        return bool(_ORDERS[self.order](round(value, 6), self.bound))


@dataclass(frozen=True, slots=True)
class Checked:
    condition: Condition
    label: str
    value: float

    @property
    def failed(self) -> bool:
        return self.condition.holds(self.value)


@dataclass(frozen=True, slots=True)
class Baseline:
    where: str
    texts: Mapping[str, str]
    """topic id -> what was asked"""
    scores: Mapping[str, Mapping[str, Mapping[str, float]]]
    """measure -> label -> topic -> score"""
    setting: Mapping[str, str]
    """graph and embedder"""

    def of(self, label: str) -> str | None:
        """Return the label that stood for the strategy then: the same, else the only one of its name."""
        labels = dict.fromkeys(label for of_label in self.scores.values() for label in of_label)
        named = [other for other in labels if _name(other) == _name(label)]
        return label if label in labels else named[0] if len(named) == 1 else None


@dataclass(frozen=True, slots=True)
class Regressions:
    """Every strategy against itself as it was; A is the baseline."""

    comparisons: tuple[Comparison, ...]
    """one family, in order of the labels"""
    unknown: tuple[str, ...]
    """labels that the baseline has not"""
    left_out: tuple[str, ...]
    """topics that are new or ask something else, in order"""
    gone: tuple[str, ...]
    """topics of the baseline that are not judged now"""
    before: Mapping[str, float]
    """label -> mean of the compared topics in the baseline"""

    def losses(self, one: Comparison) -> tuple[str, ...]:
        """The topics that score less than before, worst first."""
        return tuple(topic for topic in one.divergent if one.differences[topic] < 0)


@dataclass(frozen=True, slots=True)
class Gates:
    checked: tuple[Checked, ...]
    baseline: str
    """of which file; empty without one"""
    regressions: Regressions | None
    failures: tuple[str, ...]
    """one sentence each; empty if all is well"""


def condition(text: str) -> Condition:
    """Read `recall@10 < 0.70` or `additive recall@10 < 0.70`. Raises BadParameter."""
    read = _CONDITION.fullmatch(text)
    try:
        bound = float(read["bound"]) if read else float("nan")
    except ValueError:
        bound = float("nan")
    if read is None or bound != bound:
        raise BadParameter(f"{text!r} is no condition; write for example 'recall@10 < 0.70'")
    return Condition(read["strategy"] or "", parse(read["measure"]), read["order"], bound)


def check(evaluation: Evaluation, conditions: Sequence[Condition]) -> tuple[Checked, ...]:
    """Return the value of each condition under each strategy that it is about; placebos are left out.

    Raises BadParameter for a condition about a strategy that was not run.
    """
    shams = set(evaluation.controls.values())
    made: list[Checked] = []
    for one in conditions:
        about = [
            label for label in evaluation.labels if label not in shams and one.strategy in ("", label, _name(label))
        ]
        if not about:
            there = ", ".join(_name(label) for label in evaluation.labels)
            raise BadParameter(f"'{one}' is about a strategy that is not judged; there are: {there}")
        made += [Checked(one, label, evaluation.mean(one.measure, label)) for label in about]
    return tuple(made)


def read_baseline(path: Path) -> Baseline:
    """Read what `plait eval --json` printed. Raises BadBaseline."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        return _baseline(str(path), found)
    except OSError as error:
        raise BadBaseline(str(path), error.strerror or str(error)) from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise BadBaseline(str(path), "is not what plait eval --json prints") from error


def _baseline(where: str, found: Mapping[str, Any]) -> Baseline:
    if found["schema"] != "plait.eval.v1":
        raise ValueError(found["schema"])
    return Baseline(
        where=where,
        texts={str(one["id"]): str(one["text"]) for one in found["questions"]},
        scores={
            str(measure): {
                str(label): {str(topic): float(score) for topic, score in one["topics"].items()}
                for label, one in of_label.items()
            }
            for measure, of_label in found["measures"].items()
        },
        setting={key: str(found[key]) for key in ("graph", "embedder") if key in found},
    )


def regressions(evaluation: Evaluation, baseline: Baseline, measure: Measure) -> Regressions:
    """Compare every strategy with the baseline's. Raises BadBaseline if they share no measure, strategy or topic."""
    if str(measure) not in baseline.scores:
        there = ", ".join(baseline.scores)
        raise BadBaseline(baseline.where, f"holds no {measure}, only {there}; choose with --measure, or")
    asked = {topic.id: topic.text for topic in evaluation.topics}
    same = [topic for topic, text in asked.items() if baseline.texts.get(topic) == text]
    if not same:
        raise BadBaseline(baseline.where, f"shares no question with {evaluation.collection.name}")
    shams = set(evaluation.controls.values())
    before = {label: baseline.of(label) for label in evaluation.labels if label not in shams}
    if not any(before.values()):
        raise BadBaseline(baseline.where, f"judges none of {', '.join(map(_name, before))}; choose with --strategy, or")
    then, now = baseline.scores[str(measure)], evaluation.scores[str(measure)]
    made = [
        compare(
            str(measure),
            f"baseline: {was}",
            label,
            {topic: then[was][topic] for topic in same},
            # The baseline's scores were rounded when they were written.
            {topic: round(now[label][topic], 6) for topic in same},
        )
        for label, was in before.items()
        if was is not None
    ]
    return Regressions(
        comparisons=holm(made),
        unknown=tuple(label for label, was in before.items() if was is None),
        left_out=tuple(topic for topic in asked if topic not in set(same)),
        gone=tuple(topic for topic in baseline.texts if topic not in asked),
        before={
            label: sum(then[was][topic] for topic in same) / len(same)
            for label, was in before.items()
            if was is not None
        },
    )


def _name(label: str) -> str:
    return label.partition("(")[0]
