"""One evaluation as the doors need it: the runs, what to call things, and the explanations, made when asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from plait.doors.judging import short_names
from plait.engine import Engine
from plait.errors import BadCollection
from plait.evaluate.causes import Explanation, explain
from plait.evaluate.collection import Collection, Topic
from plait.evaluate.judge import Evaluation
from plait.evaluate.measures import Measure, standard
from plait.model import Direction, EdgeKind, Ranking, SymbolId


@dataclass(frozen=True, slots=True)
class Trial:
    engine: Engine
    evaluation: Evaluation
    runs: Mapping[str, Mapping[str, Ranking]]
    """label -> topic id -> ranking"""
    names: Mapping[SymbolId, str]
    short: Mapping[str, str]
    """label -> the strategy as it was asked for"""
    depth: int
    """the greatest depth measured; explanations look at so many places"""

    @classmethod
    def run(cls, engine: Engine, collection: Collection, strategies: Sequence[str], depths: Sequence[int]) -> Trial:
        evaluation, runs = engine.evaluate(collection, strategies, standard(depths))
        names = short_names(engine.snapshot().symbols())
        short = dict(zip(evaluation.labels, dict.fromkeys(strategies), strict=False))
        return cls(engine, evaluation, runs, names, short, max(depths))

    def explain(self, topic: Topic, a: str, b: str, *, k: int) -> Explanation:
        if topic.id not in self.evaluation.judgements:
            raise BadCollection(self.evaluation.collection.name, f"nothing is judged for {topic.id}")
        judged = self.evaluation.judgements[topic.id]
        return explain(topic, judged, k, (a, self.runs[a][topic.id]), (b, self.runs[b][topic.id]))

    def explanations(self) -> list[Explanation]:
        """Return, for every strategy against the first, the topics whose recall differs, worst loss first."""
        base, *others = self.evaluation.labels
        measure = Measure("Recall", self.depth)
        return [
            self.explain(self.evaluation.collection.topic(topic), base, label, k=self.depth)
            for label in others
            for topic in self.evaluation.compare(measure, base, label).divergent
        ]

    def write_report(self, path: Path) -> None:
        from plait.evaluate.report import build_report

        snapshot = self.engine.snapshot()
        symbols = snapshot.symbols()
        edges = snapshot.edges([symbol.id for symbol in symbols], [EdgeKind.CALLS], Direction.OUT)
        build_report(
            path, self.evaluation, self.runs, edges, symbols, main_measure=Measure("Recall", self.depth), k=self.depth
        )
