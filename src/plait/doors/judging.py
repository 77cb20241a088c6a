"""How evaluations and explanations read in a terminal. Losses stand beside wins, the divergent queries come first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from plait.doors.render import Json, edge_json, reason_json
from plait.evaluate.causes import Explanation, Missing, cause_text, missing, movement_text, step_text
from plait.evaluate.compare import Comparison, Outcome, Verdict
from plait.evaluate.gates import Gates
from plait.evaluate.judge import Evaluation, comparison_json
from plait.evaluate.measures import Measure
from plait.model import Candidate, Ranking, SymbolId

Names = Mapping[SymbolId, str]

MOST_OTHERS = 3
"""Symbols that are not relevant and left or entered, told for one query at most."""
MOST_LOSSES = 20
"""Topics named for a baseline at most; how many more there are is said."""


def evaluation_text(
    evaluation: Evaluation,
    main: Measure,
    explanations: Sequence[Explanation],
    names: Names,
    short: Mapping[str, str],
    made: str,
) -> Iterator[str]:
    """Yield what it was made with, the means, then each pair: wins, losses, categories, the explained queries.

    `short` holds what to call each label after it was printed in full.
    """
    yield made
    yield ""
    yield from table(["strategy", "in full"], [[short[label], label] for label in evaluation.labels])
    yield ""
    yield from means_text(evaluation, short)
    families = {measure: evaluation.comparisons(measure) for measure in evaluation.measures}
    categories = evaluation.by_category(main)
    for number, (a, b) in enumerate(evaluation.pairs):
        own = [family[number] for family in families.values()]
        chosen = families[main][number]
        yield ""
        yield f"{short[b]} against {short[a]}"
        yield from (f"  {line}" for line in comparisons_text(own))
        yield f"  {verdict_text(chosen)}"
        yield from (f"  {line}" for line in categories_text(evaluation, categories, number))
        yield from (f"  {line}" for line in divergent_text(evaluation, main, a, b, explanations, names))


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


def comparisons_text(comparisons: Sequence[Comparison]) -> Iterator[str]:
    """Yield one pair by several measures."""
    head = ["", "won", "lost", "tied", "mean difference", "95 % interval", "p", "p (Holm)"]
    yield from table(head, [[one.measure, *_figures(one)] for one in comparisons])


def categories_text(
    evaluation: Evaluation, categories: Mapping[str, Sequence[Comparison]], number: int
) -> Iterator[str]:
    """Yield the pair of that number within each category; nothing if there are no categories."""
    if not categories:
        return
    head = [f"by category ({next(iter(categories.values()))[number].measure})", "queries"]
    head += ["won", "lost", "tied", "mean difference", "95 % interval", "p", "p (Holm)", "verdict"]
    rows = [
        [category, str(len(family[number].differences)), *_figures(family[number]), family[number].verdict]
        for category, family in categories.items()
    ]
    yield from table(head, rows)


def verdict_text(one: Comparison) -> str:
    """Say in one sentence what the comparison shows, and what it could have shown."""
    could = (
        ""
        if one.detectable is None
        else f"; a true difference of {one.detectable:.3f} would be found in four of five such collections"
    )
    match one.verdict:
        case Verdict.UNDECIDED if not one.divergent:
            return f"{one.measure}: no query differs"
        case Verdict.UNDECIDED:
            return f"{one.measure}: no difference shown{could}"
        case _:
            return f"{one.measure}: {one.verdict}, by more than chance explains{could}"


def _figures(one: Comparison) -> list[str]:
    won, lost, tied = (str(one.count(outcome)) for outcome in (Outcome.WIN, Outcome.LOSS, Outcome.TIE))
    low, high = one.interval or (float("nan"), float("nan"))
    interval = f"{low:+.3f} to {high:+.3f}" if one.interval else "none for one query"
    corrected = one.p if one.corrected is None else one.corrected
    return [won, lost, tied, f"{one.mean:+.3f}", interval, f"{one.p:.3f}", f"{corrected:.3f}"]


def divergent_text(
    evaluation: Evaluation, measure: Measure, a: str, b: str, explanations: Sequence[Explanation], names: Names
) -> Iterator[str]:
    """Yield what left and entered for each explained query of that pair, worst loss first in the order given."""
    shown = [one for one in explanations if (one.a, one.b) == (a, b)]
    scores = evaluation.scores[str(measure)]
    for explanation in shown:
        topic = explanation.topic
        yield f'{topic.id} "{topic.text}": {measure} {scores[a][topic.id]:.2f} -> {scores[b][topic.id]:.2f}'
        yield from (f"  {line}" for line in _moved(explanation, names))
    differing = len(evaluation.compare(measure, a, b).divergent)
    if len(shown) < differing:
        yield f"{differing - len(shown)} more of {differing} queries that differ are not told here; --show N tells more"


def _moved(one: Explanation, names: Names) -> Iterator[str]:
    """Yield what left (-), entered (+) and is relevant and moved otherwise (~), each with its cause: of what is not
    relevant only the first few.
    """
    yield from _first_few(
        one,
        one.left,
        lambda symbol: [
            f"- {names[symbol]}{_mark(symbol, one)}: {cause_text(absent, one.ranking_b, one.k, names)}"
            for absent in missing(one.ranking_b, [symbol], one.k)
        ],
        "left",
    )
    movements = {movement.symbol: movement for movement in one.movements}

    def told(sign: str, symbol: SymbolId) -> list[str]:
        return [f"{sign} {names[symbol]}{_mark(symbol, one)}: {movement_text(movements[symbol], names)}"]

    yield from _first_few(one, one.entered, lambda symbol: told("+", symbol), "entered")
    for movement in one.movements:
        if movement.relevant and movement.a != movement.b and movement.symbol not in (*one.left, *one.entered):
            yield from told("~", movement.symbol)


def _first_few(
    one: Explanation, symbols: Sequence[SymbolId], tell: Callable[[SymbolId], list[str]], what: str
) -> Iterator[str]:
    others = [symbol for symbol in symbols if symbol not in one.relevant]
    for symbol in symbols:
        if symbol in one.relevant or symbol in others[:MOST_OTHERS]:
            yield from tell(symbol)
    if len(others) > MOST_OTHERS:
        yield f"  and {len(others) - MOST_OTHERS} more that are not relevant {what}"


def told_json(explanations: Sequence[Explanation], names: Names) -> list[Json]:
    """The explained queries of all pairs, with what left and entered the first places and why."""
    return [
        {
            "id": one.topic.id,
            "a": one.a,
            "b": one.b,
            "left": [
                {
                    "id": absent.symbol,
                    "relevant": absent.symbol in one.relevant,
                    "cause": absent.cause,
                    "why": cause_text(absent, one.ranking_b, one.k, names),
                }
                for absent in missing(one.ranking_b, one.left, one.k)
            ],
            "entered": [
                {
                    "id": movement.symbol,
                    "relevant": movement.relevant,
                    "why": movement_text(movement, names),
                    "edges": [edge_json(reason.edge) for reason in movement.gained if reason.edge]
                    or ([edge_json(movement.step.edge)] if movement.step else []),
                }
                for movement in one.movements
                if movement.symbol in one.entered
            ],
        }
        for one in explanations
    ]


def gates_text(found: Gates, short: Mapping[str, str]) -> Iterator[str]:
    """Yield what the conditions and the baseline say; nothing without any."""
    if found.checked:
        yield ""
        rows = [
            [str(one.condition), short[one.label], f"{one.value:.3f}", "failed" if one.failed else "passed"]
            for one in found.checked
        ]
        yield from table(["must not be", "strategy", "is", ""], rows)
    if found.regressions is None:
        return
    yield ""
    yield f"against the baseline {found.baseline}"
    made = found.regressions
    head = ["", "before", "won", "lost", "tied", "mean difference", "95 % interval", "p", "p (Holm)", "verdict"]
    yield from table(
        head,
        [[short[one.b], f"{made.before[one.b]:.3f}", *_figures(one), one.verdict] for one in made.comparisons],
    )
    for one in made.comparisons:
        yield f"{short[one.b]}: {verdict_text(one)}"
        yield from (f"  lost {topic}: {one.differences[topic]:+.3f}" for topic in made.losses(one)[:MOST_LOSSES])
        if (more := len(made.losses(one)) - MOST_LOSSES) > 0:
            yield f"  and {more} more"
    for what, ones in (
        ("not in the baseline", [short[label] for label in made.unknown]),
        ("questions that are new or changed, left out", made.left_out),
        ("questions that are gone", made.gone),
    ):
        if ones:
            yield f"{what}: {len(ones)} ({', '.join(ones[:MOST_LOSSES])}{', ...' if len(ones) > MOST_LOSSES else ''})"


def gates_json(found: Gates) -> Json:
    made = found.regressions
    return {
        "gates": [
            {
                "condition": str(one.condition),
                "strategy": one.label,
                "value": round(one.value, 6),
                "failed": one.failed,
            }
            for one in found.checked
        ],
        "baseline": None
        if made is None
        else {
            "file": found.baseline,
            "comparisons": [comparison_json(one) for one in made.comparisons],
            "unknown": list(made.unknown),
            "left_out": list(made.left_out),
            "gone": list(made.gone),
        },
        "failures": list(found.failures),
    }


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
