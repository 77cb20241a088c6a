"""One evaluation as the doors need it: the runs, what to call things, and the explanations, made when asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType

from plait.engine import Engine
from plait.errors import BadCollection, CannotWrite
from plait.evaluate.causes import Explanation, explain, explanations
from plait.evaluate.collection import Collection, Topic
from plait.evaluate.gates import Gates
from plait.evaluate.judge import Evaluation, evaluate
from plait.evaluate.measures import Measure, standard
from plait.evaluate.naming import short_labels, short_names
from plait.model import Direction, EdgeKind, Ranking, SymbolId
from plait.version import __version__


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
    chosen: Measure | None = None
    """whose differences are explained"""

    @classmethod
    def run(
        cls,
        engine: Engine,
        collection: Collection,
        strategies: Sequence[str],
        depths: Sequence[int],
        others: Mapping[str, Mapping[str, Ranking]] = MappingProxyType({}),
    ) -> Trial:
        evaluation, runs = engine.evaluate(collection, strategies, standard(depths), others)
        names = short_names(engine.snapshot().symbols())
        return cls(engine, evaluation, runs, names, short_labels(evaluation.labels), max(depths))

    def measured(self, measures: Sequence[Measure], main: Measure | None) -> Trial:
        """Measure more, and explain the differences in `main`."""
        before = self.evaluation
        every = tuple(dict.fromkeys([*before.measures, *measures, *([main] if main else [])]))
        evaluation = evaluate(before.collection, before.judgements, self.runs, every, before.controls)
        return replace(self, evaluation=evaluation, chosen=main)

    def beside(self, placebo: Trial) -> Trial:
        """Join the same strategies on a shuffled graph. One that finds the same there does not use the graph, so that
        it has no placebo.
        """
        before = self.evaluation
        shams = {label: f"placebo: {label}" for label, run in placebo.runs.items() if not _same(run, self.runs[label])}
        runs = {**self.runs, **{shams[label]: run for label, run in placebo.runs.items() if label in shams}}
        evaluation = evaluate(before.collection, before.judgements, runs, before.measures, shams)
        return replace(self, evaluation=evaluation, runs=runs, short=short_labels(evaluation.labels))

    @property
    def main(self) -> Measure:
        """Whose differences are explained: Recall at the greatest depth, if nothing else was chosen."""
        return self.chosen or Measure("Recall", self.depth)

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

    def explanations(self, most: int | None = None) -> list[Explanation]:
        """Return, pair by pair, the topics that differ in the main measure, worst loss first: all, or the `most` worst
        losses and greatest gains.
        """
        return explanations(self.evaluation, self.runs, self.main, self.depth, most)

    @property
    def about(self) -> list[tuple[str, str]]:
        """What the report's reader should know of the code, a term and its text each."""
        info = self.engine.snapshot().info
        told = [
            ("The code", f"{info.files:,} files, {info.lines:,} lines, {info.symbols:,} symbols"),
            ("The call graph", f"{info.graph}: {dict(info.edges).get(EdgeKind.CALLS, 0):,} calls"),
            ("The vectors", info.embedder),
            ("plait", __version__),
        ]
        return [*told[:1], ("The commit", info.commit), *told[1:]] if info.commit else told

    def write_report(self, path: Path, telling: str | None = None, gates: Gates | None = None) -> None:
        """Write the HTML report; `telling` is the topic whose calls are drawn. Raises MissingExtra, CannotWrite."""
        from plait.evaluate.report import build_report

        snapshot = self.engine.snapshot()
        symbols = snapshot.symbols()
        edges = snapshot.edges([symbol.id for symbol in symbols], [EdgeKind.CALLS], Direction.OUT)
        try:
            build_report(
                path,
                self.evaluation,
                self.runs,
                edges,
                symbols,
                self.main,
                self.depth,
                telling,
                self.made,
                self.about,
                gates,
            )
        except OSError as error:
            raise CannotWrite(str(path), error.strerror or str(error), "give another file to --html") from error

    def write_markdown(self, path: Path, told: Sequence[Explanation], gates: Gates) -> None:
        """Write what a comment under a pull request should say. Raises CannotWrite."""
        from plait.evaluate.markdown import markdown

        lines = markdown(self.evaluation, self.main, told, self.names, self.short, self.made, gates)
        try:
            path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", errors="replace")
        except OSError as error:
            raise CannotWrite(str(path), error.strerror or str(error), "give another file to --markdown") from error


def _same(run: Mapping[str, Ranking], other: Mapping[str, Ranking]) -> bool:
    return all(
        [(one.symbol, one.score) for one in run[topic].candidates]
        == [(one.symbol, one.score) for one in other[topic].candidates]
        for topic in run
    )
