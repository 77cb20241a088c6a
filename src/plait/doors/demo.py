"""The published experiment, run and told in a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import fill

from plait.doors import judging
from plait.doors.trial import Trial
from plait.evaluate.compare import Outcome
from plait.evaluate.measures import Measure
from plait.model import Direction, EdgeKind, SymbolKind

DEPTHS = (3, 5)
GRAPHS = ("names", "flow")
"""the experiment's own call graph, and plait's"""
EMBEDDER = "static"
"""general-purpose vectors, as the experiment had"""
MODULE = "shop.payment"
"""whose graph is printed: the experiment's own example"""


def told(names: Trial, resolved: Trial) -> Iterator[str]:
    """Tell the experiment: `names` ran on the graph of bare names, `resolved` the same strategies on plait's own."""
    evaluation = names.evaluation
    vector, naive, *others = evaluation.labels
    collection = evaluation.collection
    symbols = [symbol for symbol in names.engine.snapshot().symbols() if collection.where.accepts(symbol)]
    functions = sum(symbol.kind in (SymbolKind.FUNCTION, SymbolKind.METHOD) for symbol in symbols)
    recall = Measure("Recall", max(DEPTHS))

    yield heading("The question")
    yield prose(
        f"Vector search over code misses functions that belong to the answer but share no words with it. The call "
        f"graph knows them. Does walking the graph find more? Here are {functions} functions of a small web shop, "
        f"{len(evaluation.topics)} questions with known answers, and {len(evaluation.labels)} ways to search."
    )
    yield ""
    yield f"Calls inside {MODULE}, as the experiment reads them (a bare name that is a function of the same file):"
    yield from (f"  {line}" for line in _calls(names))
    yield ""

    yield heading("The average")
    yield from judging.means_text(evaluation, names.short)
    yield ""

    comparison = evaluation.compare(recall, vector, naive)
    won, lost = comparison.count(Outcome.WIN), comparison.count(Outcome.LOSS)
    yield heading("What the average hides")
    yield prose(
        f"The naive expansion takes the first three vector hits as seeds, walks two hops along calls in both "
        f"directions, and reranks what it reached by the same vector score. Against plain vectors its {recall} moves "
        f"by {comparison.mean:+.3f}; behind that number it won {won} and lost {lost} of {len(evaluation.topics)} "
        f"questions:"
    )
    yield from judging.divergent_text(evaluation, recall, vector, naive, names.explanations(), names.names)
    yield ""
    yield prose(
        "It is tempting to say that a lost function was crowded out by new candidates. It cannot have been: the rerank "
        "uses the score that made the seeds, so whoever stands above it in the pool stood above it before. It was lost "
        "because it was neither a seed nor within reach of one. Naive graph search is the vector ranking, filtered to "
        "the neighbourhood of its seeds; the same filter makes room for what it wins."
    )
    yield ""

    yield heading("Graph evidence that only adds, and structure in the vectors")
    yield from _against(names, vector, others)
    yield prose(
        "constrained never removes a candidate, so whatever overtakes a hit carries an edge as its reason. structural "
        "walks nothing when asked: module, calls and called_by are part of what was embedded."
    )
    yield ""
    yield "The same on the graph that plait resolves by scopes, imports, types and the flow of values"
    yield f"({_edges(names, resolved)}):"
    yield from judging.means_text(resolved.evaluation, resolved.short)
    yield ""

    yield heading("What this does not show")
    yield prose(
        f"Which strategy is better. With {len(evaluation.topics)} questions one of them moves a mean by "
        f"{comparison.one_topic_moves:.3f}; plait eval {collection.name} prints the intervals. "
        f"plait explain {collection.name} Q8 --graph names --strategy vector --strategy naive traces one question, "
        f"plait eval FOLDER judges on questions of your own."
    )


def heading(text: str) -> str:
    return f"{text}\n{'-' * len(text)}"


def prose(text: str) -> str:
    return fill(text, width=100, break_long_words=False, break_on_hyphens=False)


def _calls(trial: Trial) -> Iterator[str]:
    snapshot = trial.engine.snapshot()
    inside = [s for s in snapshot.symbols() if s.module == MODULE and s.kind is SymbolKind.FUNCTION]
    edges = snapshot.edges([symbol.id for symbol in inside], [EdgeKind.CALLS], Direction.OUT)
    for edge in edges:
        yield f"{trial.names[edge.source]} -> {trial.names[edge.target]}  ({edge.path}:{edge.line})"
    connected = {end for edge in edges for end in (edge.source, edge.target)}
    alone = [trial.names[symbol.id] for symbol in inside if symbol.id not in connected]
    yield f"no edge: {', '.join(alone)}"


def _against(trial: Trial, base: str, others: list[str]) -> Iterator[str]:
    recall = Measure("Recall", max(DEPTHS))
    rows = []
    for label in others:
        comparison = trial.evaluation.compare(recall, base, label)
        of = {
            outcome: [t for t in comparison.divergent if (comparison.differences[t] > 0) == (outcome is Outcome.WIN)]
            for outcome in (Outcome.WIN, Outcome.LOSS)
        }
        rows.append(
            [
                trial.short[label],
                f"{comparison.mean:+.3f}",
                ", ".join(of[Outcome.WIN]) or "none",
                ", ".join(of[Outcome.LOSS]) or "none",
            ]
        )
    yield from judging.table([f"{recall} against {trial.short[base]}", "mean", "won", "lost"], rows)


def _edges(names: Trial, resolved: Trial) -> str:
    counts = []
    for trial in (names, resolved):
        snapshot = trial.engine.snapshot()
        ids = [symbol.id for symbol in snapshot.symbols()]
        counts.append(len(snapshot.edges(ids, [EdgeKind.CALLS], Direction.OUT)))
    return f"{counts[1]} calls instead of {counts[0]}"
