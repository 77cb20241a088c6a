"""Scores of runs on a collection: per topic first, means after."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from plait.evaluate.collection import Collection, Judgements, Topic
from plait.evaluate.compare import Comparison, Outcome, compare
from plait.evaluate.measures import Measure
from plait.model import Ranking, SymbolId

Run = Mapping[str, Ranking]
"""topic id -> ranking; a topic that is not there has no results"""


@dataclass(frozen=True, slots=True)
class Evaluation:
    collection: Collection
    judgements: Judgements
    labels: tuple[str, ...]
    """of the runs, in the order given"""
    measures: tuple[Measure, ...]
    scores: Mapping[str, Mapping[str, Mapping[str, float]]]
    """measure -> label -> topic -> score, for judged topics in topic order"""
    unjudged: tuple[str, ...]
    """topics that were left out because nothing is judged for them"""

    @property
    def topics(self) -> tuple[Topic, ...]:
        """The judged topics, in order."""
        return tuple(topic for topic in self.collection.topics if topic.id in self.judgements)

    @property
    def without_relevant(self) -> tuple[str, ...]:
        """The judged topics with nothing relevant: every run scores 0 on them, and they count in the means."""
        return tuple(topic for topic, judged in self.judgements.items() if not any(r > 0 for r in judged.values()))

    def mean(self, measure: Measure, label: str) -> float:
        """Return the mean over judged topics; 0 without any."""
        scores = self.scores[str(measure)][label].values()
        return sum(scores) / len(scores) if scores else 0.0

    def compare(self, measure: Measure, a: str, b: str) -> Comparison:
        return compare(str(measure), a, b, self.scores[str(measure)][a], self.scores[str(measure)][b])


def evaluate(
    collection: Collection, judgements: Judgements, runs: Mapping[str, Run], measures: Sequence[Measure]
) -> Evaluation:
    """Score every run (label -> run) on every judged topic."""
    found: dict[str, dict[str, list[SymbolId]]] = {
        label: {topic: [candidate.symbol for candidate in ranking.candidates] for topic, ranking in run.items()}
        for label, run in runs.items()
    }
    return Evaluation(
        collection=collection,
        judgements=judgements,
        labels=tuple(runs),
        measures=tuple(measures),
        scores={
            str(measure): {
                label: {topic: measure.of(rankings.get(topic, []), judged) for topic, judged in judgements.items()}
                for label, rankings in found.items()
            }
            for measure in measures
        },
        unjudged=tuple(topic.id for topic in collection.topics if topic.id not in judgements),
    )


def to_json(evaluation: Evaluation) -> dict[str, Any]:
    """Return the evaluation as JSON values; every label is compared with the first."""
    return {
        "schema": "plait.eval.v1",
        "collection": evaluation.collection.name,
        "topics": len(evaluation.topics),
        "unjudged": list(evaluation.unjudged),
        "without_relevant": list(evaluation.without_relevant),
        "strategies": list(evaluation.labels),
        "measures": {
            str(measure): {
                label: {
                    "mean": round(evaluation.mean(measure, label), 6),
                    "topics": {
                        topic: round(score, 6) for topic, score in evaluation.scores[str(measure)][label].items()
                    },
                }
                for label in evaluation.labels
            }
            for measure in evaluation.measures
        },
        "comparisons": [
            comparison_json(evaluation.compare(measure, evaluation.labels[0], label))
            for label in evaluation.labels[1:]
            for measure in evaluation.measures
        ],
    }


def comparison_json(comparison: Comparison) -> dict[str, Any]:
    return {
        "measure": comparison.measure,
        "a": comparison.a,
        "b": comparison.b,
        "mean_difference": round(comparison.mean, 6),
        "interval": None if comparison.interval is None else [round(end, 6) for end in comparison.interval],
        "p": round(comparison.p, 6),
        "one_topic_moves": round(comparison.one_topic_moves, 6),
        **{outcome.value: comparison.count(outcome) for outcome in Outcome},
        "divergent": {topic: round(comparison.differences[topic], 6) for topic in comparison.divergent},
    }
