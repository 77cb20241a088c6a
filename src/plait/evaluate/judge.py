"""Scores of runs on a collection: per topic first, means after."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from plait.evaluate.collection import Collection, Judgements, Topic
from plait.evaluate.compare import Comparison, Outcome, compare, holm
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
    controls: Mapping[str, str] = field(default_factory=dict)
    """label -> the label of its placebo: the same strategy on a shuffled graph"""

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """What is compared, (a, b): the first label with every other, and each placebo with what it is a placebo of."""
        shams = set(self.controls.values())
        return (
            *((self.labels[0], label) for label in self.labels[1:] if label not in shams),
            *((self.controls[label], label) for label in self.labels if label in self.controls),
        )

    @property
    def topics(self) -> tuple[Topic, ...]:
        """The judged topics, in order."""
        return tuple(topic for topic in self.collection.topics if topic.id in self.judgements)

    @property
    def without_relevant(self) -> tuple[str, ...]:
        """The judged topics with nothing relevant: every run scores 0 on them, and they count in the means."""
        return tuple(topic for topic, judged in self.judgements.items() if not any(r > 0 for r in judged.values()))

    @property
    def categories(self) -> tuple[str, ...]:
        """Of the judged topics, in order of their first topic; empty if none has one."""
        return tuple(dict.fromkeys(topic.category for topic in self.topics if topic.category))

    def within(self, category: str) -> Evaluation:
        """Return what it would be with the topics of that category alone."""
        chosen = {topic.id for topic in self.topics if topic.category == category}
        return replace(
            self,
            judgements={topic: judged for topic, judged in self.judgements.items() if topic in chosen},
            scores={
                measure: {
                    label: {topic: score for topic, score in scores.items() if topic in chosen}
                    for label, scores in of_label.items()
                }
                for measure, of_label in self.scores.items()
            },
            unjudged=(),
        )

    def mean(self, measure: Measure, label: str) -> float:
        """Return the mean over judged topics; 0 without any."""
        scores = self.scores[str(measure)][label].values()
        return sum(scores) / len(scores) if scores else 0.0

    def compare(self, measure: Measure, a: str, b: str) -> Comparison:
        return compare(str(measure), a, b, self.scores[str(measure)][a], self.scores[str(measure)][b])

    def comparisons(self, measure: Measure) -> tuple[Comparison, ...]:
        """Compare the pairs, in order; by one measure they are one family, whose p are corrected together."""
        return holm([self.compare(measure, a, b) for a, b in self.pairs])

    def by_category(self, measure: Measure) -> dict[str, tuple[Comparison, ...]]:
        """Compare the pairs within each category; all of them together are one family."""
        made = {
            category: [narrowed.compare(measure, a, b) for a, b in self.pairs]
            for category in self.categories
            for narrowed in [self.within(category)]
        }
        family = iter(holm([one for compared in made.values() for one in compared]))
        return {category: tuple(next(family) for _ in compared) for category, compared in made.items()}


def evaluate(
    collection: Collection,
    judgements: Judgements,
    runs: Mapping[str, Run],
    measures: Sequence[Measure],
    controls: Mapping[str, str] = MappingProxyType({}),
) -> Evaluation:
    """Score every run (label -> run) on every judged topic; `controls` as in the evaluation."""
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
        controls=controls,
    )


def to_json(evaluation: Evaluation, main: Measure | None = None) -> dict[str, Any]:
    """Return the evaluation as JSON values. Categories are compared by `main`, or by the first measure."""
    main = main or evaluation.measures[0]
    return {
        "schema": "plait.eval.v1",
        "collection": evaluation.collection.name,
        "topics": len(evaluation.topics),
        "unjudged": list(evaluation.unjudged),
        "without_relevant": list(evaluation.without_relevant),
        "questions": [
            {
                "id": topic.id,
                "text": topic.text,
                "category": topic.category,
                "relevant": sorted(
                    symbol for symbol, relevance in evaluation.judgements[topic.id].items() if relevance > 0
                ),
            }
            for topic in evaluation.topics
        ],
        "strategies": list(evaluation.labels),
        "placebos": dict(evaluation.controls),
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
            comparison_json(one)
            for family in zip(*(evaluation.comparisons(measure) for measure in evaluation.measures), strict=True)
            for one in family
        ],
        "categories": [
            {"category": category, "topics": len(evaluation.within(category).topics)} | comparison_json(one)
            for category, compared in evaluation.by_category(main).items()
            for one in compared
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
        "p_holm": None if comparison.corrected is None else round(comparison.corrected, 6),
        "verdict": comparison.verdict,
        "smallest_effect": None if comparison.detectable is None else round(comparison.detectable, 6),
        "one_topic_moves": round(comparison.one_topic_moves, 6),
        **{outcome.value: comparison.count(outcome) for outcome in Outcome},
        "divergent": {topic: round(comparison.differences[topic], 6) for topic in comparison.divergent},
    }
