"""One evaluation as the doors need it: the runs, what to call things, and the explanations, made when asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from plait.engine import Engine
from plait.errors import BadCollection, CannotWrite
from plait.evaluate.causes import Explanation, explain, explanations
from plait.evaluate.collection import Collection, Topic
from plait.evaluate.judge import Evaluation
from plait.evaluate.measures import Measure, standard
from plait.evaluate.naming import short_labels, short_names
from plait.model import Direction, EdgeKind, Ranking, SymbolId


@dataclass(frozen=True, slots=True)
class Trial:
    engine: Engine
    evaluation: Evaluation
    runs: Mapping[str, Mapping[str, Ranking]]
    """label -> topic id -> ranking"""
    names: Mapping[SymbolId, str]
    short: Mapping[str, str]
    """label -> what to call it after it was printed in full"""
    depth: int
    """the greatest depth measured; explanations look at so many places"""

    @classmethod
    def run(cls, engine: Engine, collection: Collection, strategies: Sequence[str], depths: Sequence[int]) -> Trial:
        evaluation, runs = engine.evaluate(collection, strategies, standard(depths))
        names = short_names(engine.snapshot().symbols())
        return cls(engine, evaluation, runs, names, short_labels(evaluation.labels), max(depths))

    @property
    def main(self) -> Measure:
        """Recall at the greatest depth: whose differences are explained."""
        return Measure("Recall", self.depth)

    @property
    def setting(self) -> dict[str, str]:
        """What the rankings depend on besides strategy and corpus."""
        info = self.engine.snapshot().info
        return {"graph": info.graph, "embedder": info.embedder}

    @property
    def made(self) -> str:
        return f"on the call graph {self.setting['graph']}, with vectors of {self.setting['embedder']}"

    def explain(self, topic: Topic, a: str, b: str, *, k: int) -> Explanation:
        if topic.id not in self.evaluation.judgements:
            raise BadCollection(self.evaluation.collection.name, f"nothing is judged for {topic.id}")
        judged = self.evaluation.judgements[topic.id]
        return explain(topic, judged, k, (a, self.runs[a][topic.id]), (b, self.runs[b][topic.id]))

    def explanations(self) -> list[Explanation]:
        """Return, for every strategy against the first, the topics whose recall differs, worst loss first."""
        return explanations(self.evaluation, self.runs, self.main, self.depth)

    def write_report(self, path: Path, telling: str | None = None) -> None:
        """Write the HTML report; `telling` is the topic whose calls are drawn. Raises MissingExtra, CannotWrite."""
        from plait.evaluate.report import build_report

        snapshot = self.engine.snapshot()
        symbols = snapshot.symbols()
        edges = snapshot.edges([symbol.id for symbol in symbols], [EdgeKind.CALLS], Direction.OUT)
        try:
            build_report(path, self.evaluation, self.runs, edges, symbols, self.main, self.depth, telling, self.made)
        except OSError as error:
            raise CannotWrite(str(path), error.strerror or str(error), "give another file to --html") from error
