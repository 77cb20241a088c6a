"""How evaluations and explanations read in a terminal. Losses stand beside wins, the divergent queries come first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from plait.doors.render import Json, edge_json, reason_json
from plait.evaluate.causes import Explanation, Missing, cause_text, missing, movement_text, step_text
from plait.evaluate.compare import Outcome
from plait.evaluate.judge import Evaluation
from plait.evaluate.measures import Measure
from plait.model import Candidate, Ranking, SymbolId

Names = Mapping[SymbolId, str]


def evaluation_text(
    evaluation: Evaluation, explanations: Sequence[Explanation], names: Names, short: Mapping[str, str], made: str
) -> Iterator[str]:
    """Yield what it was made with, the means, then each strategy against the first: wins, losses, divergent queries.

    `short` holds what to call each label after it was printed in full.
    """
    yield made
    yield ""
    yield from table(["strategy", "in full"], [[short[label], label] for label in evaluation.labels])
    yield ""
    yield from means_text(evaluation, short)
    base = evaluation.labels[0]
    for label in evaluation.labels[1:]:
        yield ""
        yield f"{short[label]} against {short[base]}"
        yield from (f"  {line}" for line in comparisons_text(evaluation, base, label))
        yield from (f"  {line}" for line in divergent_text(evaluation, base, label, explanations, names))


def means_text(evaluation: Evaluation, short: Mapping[str, str]) -> Iterator[str]:
    yield from table(
        ["mean", *map(str, evaluation.measures)],
        [
            [short[label], *(f"{evaluation.mean(measure, label):.3f}" for measure in evaluation.measures)]
            for label in evaluation.labels
        ],
    )
    count = len(evaluation.topics)
    yield f"over {count} judged queries; a single query can move a mean by {1 / max(count, 1):.3f}"
    if evaluation.unjudged:
        yield f"not judged and left out: {', '.join(evaluation.unjudged)}"
    if evaluation.without_relevant:
        yield f"nothing relevant, so nobody can score on it: {', '.join(evaluation.without_relevant)}"


def comparisons_text(evaluation: Evaluation, a: str, b: str) -> Iterator[str]:
    rows = []
    for comparison in (evaluation.compare(measure, a, b) for measure in evaluation.measures):
        won, lost, tied = (str(comparison.count(outcome)) for outcome in (Outcome.WIN, Outcome.LOSS, Outcome.TIE))
        low, high = comparison.interval or (float("nan"), float("nan"))
        interval = f"{low:+.3f} to {high:+.3f}" if comparison.interval else "none for one query"
        rows.append([comparison.measure, won, lost, tied, f"{comparison.mean:+.3f}", interval, f"{comparison.p:.3f}"])
    yield from table(["", "won", "lost", "tied", "mean difference", "95 % interval", "p"], rows)


def divergent_text(
    evaluation: Evaluation, a: str, b: str, explanations: Sequence[Explanation], names: Names
) -> Iterator[str]:
    """Yield what left and entered for each explained query of that pair, worst loss first in the order given."""
    for explanation in explanations:
        if (explanation.a, explanation.b) != (a, b):
            continue
        topic = explanation.topic
        measure = Measure("Recall", explanation.k)
        scores = evaluation.scores[str(measure)]
        yield f'{topic.id} "{topic.text}": {measure} {scores[a][topic.id]:.2f} -> {scores[b][topic.id]:.2f}'
        for symbol in explanation.left:
            for absent in missing(explanation.ranking_b, [symbol], explanation.k):
                why = cause_text(absent, explanation.ranking_b, explanation.k, names)
                yield f"  - {names[symbol]}{_mark(symbol, explanation)}: {why}"
        for movement in explanation.movements:
            if movement.symbol in explanation.entered:
                why = movement_text(movement, names)
                yield f"  + {names[movement.symbol]}{_mark(movement.symbol, explanation)}: {why}"


def explanation_text(explanation: Explanation, names: Names, made: str) -> Iterator[str]:
    """Yield the whole trace of one query under two strategies, and what it was made with."""
    yield made
    yield f'{explanation.topic.id} "{explanation.topic.text}"'
    yield f"relevant: {', '.join(names[symbol] for symbol in explanation.relevant)}"
    for label, ranking, absent in (
        (explanation.a, explanation.ranking_a, explanation.missing_a),
        (explanation.b, explanation.ranking_b, explanation.missing_b),
    ):
        yield ""
        yield label
        if ranking.trace.seeds:
            yield f"  seeds: {', '.join(names[symbol] for symbol in ranking.trace.seeds)}"
            yield f"  edges walked to something new: {len(ranking.trace.steps)}"
            yield from (f"    {step_text(step, names)}" for step in ranking.trace.steps)
        yield f"  candidates: {len(ranking.pool or ranking.candidates)}"
        for rank, candidate in enumerate(ranking.candidates[: explanation.k], start=1):
            mark = _mark(candidate.symbol, explanation)
            yield f"  {rank:>3}  {candidate.score:.4f}  {names[candidate.symbol]}{mark}"
        for missed in absent:
            yield f"  missing {names[missed.symbol]}: {cause_text(missed, ranking, explanation.k, names)}"
    yield ""
    yield "movements (* is relevant)"
    for movement in explanation.movements:
        mark = "*" if movement.relevant else " "
        yield f"  {mark} {names[movement.symbol]}: {movement_text(movement, names)}"


def explanation_json(explanation: Explanation) -> Json:
    return {
        "schema": "plait.explain.v1",
        "topic": {"id": explanation.topic.id, "text": explanation.topic.text},
        "k": explanation.k,
        "relevant": list(explanation.relevant),
        "left": list(explanation.left),
        "entered": list(explanation.entered),
        "strategies": [
            _side_json(label, ranking, absent)
            for label, ranking, absent in (
                (explanation.a, explanation.ranking_a, explanation.missing_a),
                (explanation.b, explanation.ranking_b, explanation.missing_b),
            )
        ],
        "movements": [
            {
                "id": m.symbol,
                "relevant": m.relevant,
                "a": m.a,
                "b": m.b,
                "gained": [reason_json(reason) for reason in m.gained],
                "lost": [reason_json(reason) for reason in m.lost],
            }
            for m in explanation.movements
        ],
    }


def _side_json(label: str, ranking: Ranking, absent: Sequence[Missing]) -> Json:
    def listed(candidates: Sequence[Candidate]) -> list[Json]:
        return [
            {"rank": rank, "id": c.symbol, "score": round(c.score, 6), "reasons": [reason_json(r) for r in c.reasons]}
            for rank, c in enumerate(candidates, start=1)
        ]

    return {
        "strategy": label,
        "seeds": list(ranking.trace.seeds),
        "steps": [
            {"hop": step.hop, "direction": step.direction, "reached": step.reached, "edge": edge_json(step.edge)}
            for step in ranking.trace.steps
        ],
        "candidates": listed(ranking.pool or ranking.candidates),
        "returned": len(ranking.candidates),
        "missing": [{"id": m.symbol, "cause": m.cause, "rank": m.rank, "above": list(m.above)} for m in absent],
    }


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield lines with the first and the last column left-aligned when they hold words, the others right-aligned."""
    widths = [max(len(row[column]) for row in [head, *rows]) for column in range(len(head))]
    words = {0, *(c for c in range(len(head)) if any(not _is_number(row[c]) for row in rows))}
    for row in [head, *rows]:
        cells = (
            cell.ljust(width) if column in words else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        yield "  ".join(cells).rstrip()


def _is_number(cell: str) -> bool:
    return cell.lstrip("+-").replace(".", "", 1).isdecimal()


def _mark(symbol: SymbolId, explanation: Explanation) -> str:
    return " (relevant)" if symbol in explanation.relevant else ""
