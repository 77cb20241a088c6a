"""An evaluation as Markdown for a comment under a pull request: verdicts first, then figures, then what moved.

Names and questions are escaped, so that they neither format, nor link, nor call a person by @.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from plait.evaluate.causes import Explanation, cause_text, missing, movement_text
from plait.evaluate.compare import CONFIDENCE, Comparison, Outcome, Verdict
from plait.evaluate.gates import Gates
from plait.evaluate.judge import Evaluation
from plait.evaluate.measures import Measure
from plait.evaluate.naming import pair_name
from plait.model import SymbolId

MOST_TOLD = 10
"""Queries told for one pair, and symbols named for one query, at most; how many more there are is said."""

_SIGNS = {Verdict.BETTER: "🟢 better", Verdict.WORSE: "🔴 worse", Verdict.UNDECIDED: "⚪ not shown"}


def markdown(
    evaluation: Evaluation,
    main: Measure,
    explained: Sequence[Explanation],
    names: Mapping[SymbolId, str],
    short: Mapping[str, str],
    made: str,
    gates: Gates,
) -> Iterator[str]:
    """Yield lines. `short` is what to call each label, `made` says on what graph and with what embedder."""
    count = len(evaluation.topics)
    yield f"### plait eval: {escaped(evaluation.collection.name)}"
    yield ""
    if gates.failures:
        yield from (f"- ❌ {escaped(one)}" for one in gates.failures)
    elif gates.checked or gates.regressions:
        yield "✅ Nothing failed."
    yield ""
    yield from _baseline(gates, short)
    yield from _table(
        ["", *map(str, evaluation.measures)],
        [
            [short[label], *(f"{evaluation.mean(measure, label):.3f}" for measure in evaluation.measures)]
            for label in evaluation.labels
        ],
    )
    yield ""
    yield escaped(f"{count} queries, {made}. One query can move a mean by {1 / max(count, 1):.3f}.")
    yield ""
    if evaluation.pairs:
        family = evaluation.comparisons(main)
        named = [(pair_name(evaluation, one, short), one) for one in family]
        yield from _compared(f"{main} against {short[evaluation.labels[0]]}", named)
        rows = [
            (f"{category}: {pair_name(evaluation, one, short)}", one)
            for category, own in evaluation.by_category(main).items()
            for one in own
        ]
        if rows:
            yield "<details><summary>By category</summary>"
            yield ""
            yield from _compared(f"{main} by category", rows)
            yield "</details>"
            yield ""
    for a, b in evaluation.pairs:
        yield from _told(evaluation, main, [one for one in explained if (one.a, one.b) == (a, b)], names, short)


def escaped(text: str) -> str:
    """Return one line of Markdown that reads as the text."""
    line = re.sub("[&<>@#]", lambda sign: f"&#{ord(sign[0])};", " ".join(text.split()))
    return re.sub(r"[\\`*_{}\[\]|~]", r"\\\g<0>", line)


def _baseline(gates: Gates, short: Mapping[str, str]) -> Iterator[str]:
    if gates.regressions is None:
        return
    made = gates.regressions
    rows = [(f"{short[one.b]}, {made.before[one.b]:.3f} before", one) for one in made.comparisons]
    yield from _compared(f"{made.comparisons[0].measure} against the baseline", rows)
    for one in made.comparisons:
        lost = made.losses(one)
        if lost:
            more = f" and {len(lost) - MOST_TOLD} more" if len(lost) > MOST_TOLD else ""
            yield escaped(f"{short[one.b]} lost {', '.join(lost[:MOST_TOLD])}{more}.")
            yield ""
    if left := len(made.left_out) + len(made.gone):
        yield f"{left} queries are new, changed or gone, and not compared."
        yield ""


def _compared(title: str, rows: Sequence[tuple[str, Comparison]]) -> Iterator[str]:
    head = [title, "difference", f"{CONFIDENCE:.0%} interval", "p (Holm)", "won", "lost", "tied", "verdict"]
    head.append("it would show")
    yield from _table(
        head,
        [
            [
                what,
                f"{one.mean:+.3f}",
                f"{one.interval[0]:+.3f} to {one.interval[1]:+.3f}" if one.interval else "none",
                f"{one.p if one.corrected is None else one.corrected:.3f}",
                *(str(one.count(outcome)) for outcome in (Outcome.WIN, Outcome.LOSS, Outcome.TIE)),
                _SIGNS[one.verdict] if one.divergent else "no query differs",
                "" if one.detectable is None else f"{one.detectable:.3f}",
            ]
            for what, one in rows
        ],
    )
    yield ""


def _told(
    evaluation: Evaluation,
    main: Measure,
    explained: Sequence[Explanation],
    names: Mapping[SymbolId, str],
    short: Mapping[str, str],
) -> Iterator[str]:
    if not explained:
        return
    a, b = explained[0].a, explained[0].b
    comparison = evaluation.compare(main, a, b)
    differing = len(comparison.divergent)
    losses = [one for one in explained if comparison.differences[one.topic.id] < 0][:MOST_TOLD]
    gains = [one for one in explained if comparison.differences[one.topic.id] > 0][-MOST_TOLD:]
    title = f"{short[b]} against {short[a]}: {len(losses) + len(gains)} of {differing} queries that differ"
    yield f"<details><summary>{escaped(title)}</summary>"
    yield ""
    scores = evaluation.scores[str(main)]
    for one in (*losses, *gains):
        topic = one.topic
        moved = f"{scores[a][topic.id]:.2f} → {scores[b][topic.id]:.2f}"
        yield f"- **{escaped(topic.id)}** {escaped(topic.text)}: {moved}"
        yield from (f"  - {escaped(line)}" for line in _moves(one, names))
    if len(losses) + len(gains) < differing:
        yield f"- {differing - len(losses) - len(gains)} more"
    yield ""
    yield "</details>"
    yield ""


def _moves(one: Explanation, names: Mapping[SymbolId, str]) -> Iterator[str]:
    for symbol in one.left:
        if symbol in one.relevant:
            for absent in missing(one.ranking_b, [symbol], one.k):
                yield f"lost {names[symbol]}: {cause_text(absent, one.ranking_b, one.k, names)}"
    for move in one.movements:
        if move.relevant and move.symbol not in one.left and move.a != move.b:
            yield f"{names[move.symbol]}: {movement_text(move, names)}"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(map(escaped, head))} |"
    yield f"|{'---|' + '---:|' * (len(head) - 1)}"
    for row in rows:
        yield f"| {' | '.join(map(escaped, row))} |"
