"""The picture of all topics' scores under a pair of strategies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from plait.evaluate.causes import Explanation
from plait.evaluate.compare import Comparison, Outcome, outcome_of
from plait.evaluate.pictures.sheet import (
    BLUE,
    BODY,
    GREEN,
    GREY,
    GRID,
    INK,
    LINE,
    MARGIN,
    SKY,
    SMALL,
    VERMILION,
    WEAK_BLUE,
    WEAK_SKY,
    WIDTH,
    Sheet,
    fit,
    styled,
    width_of,
)
from plait.model import SymbolId

if TYPE_CHECKING:
    from plait.evaluate.pictures.sheet import Figure

MOST_ROWS = 25


def swap_bars(
    comparison: Comparison,
    scores_a: Mapping[str, float],
    scores_b: Mapping[str, float],
    explanations: Iterable[Explanation],
    names: Mapping[SymbolId, str],
    labels: Mapping[str, str] | None = None,
) -> Figure:
    """Draw every topic's score under A and under B, and for topics that differ who left the first k and who entered.

    With more than MOST_ROWS topics the ties are left out, then the smallest differences; the picture says so.
    """
    with styled():
        explained = {one.topic.id: one for one in explanations if (one.a, one.b) == (comparison.a, comparison.b)}
        return _swap_bars(comparison, scores_a, scores_b, explained, names, labels or {})


def _swap_bars(
    comparison: Comparison,
    scores_a: Mapping[str, float],
    scores_b: Mapping[str, float],
    explained: Mapping[str, Explanation],
    names: Mapping[SymbolId, str],
    labels: Mapping[str, str],
) -> Figure:
    topics = list(scores_a)
    if len(topics) > MOST_ROWS:
        largest = sorted(comparison.divergent, key=lambda topic: -abs(comparison.differences[topic]))[:MOST_ROWS]
        topics = [topic for topic in topics if topic in largest]
    left_out = len(scores_a) - len(topics)
    label_a, label_b = labels.get(comparison.a, comparison.a), labels.get(comparison.b, comparison.b)
    mean_a, mean_b = (sum(scores.values()) / max(len(scores), 1) for scores in (scores_a, scores_b))
    losses, wins, ties = (comparison.count(outcome) for outcome in (Outcome.LOSS, Outcome.WIN, Outcome.TIE))
    notes = {topic: _swap(explained[topic], names) if topic in explained else [] for topic in topics}
    strong = {topic: outcome_of(comparison.differences[topic]) is not Outcome.TIE for topic in topics}
    heights = {topic: 26 + LINE * max(len(notes[topic]), 1) if strong[topic] else 24 for topic in topics}

    start = MARGIN + min(max((width_of(topic, BODY, True) for topic in topics), default=0), 80) + 10
    length = 190.0
    note = start + length + 34
    room = WIDTH - MARGIN - note
    top, end = 84.0, 84.0 + sum(heights.values())
    sheet = Sheet(WIDTH, end + (20 if left_out else 6), f"{comparison.measure} of {label_a} and {label_b}, by topic")
    sheet.title(f"{comparison.measure}: mean {mean_a:.3f} under {label_a}, {mean_b:.3f} under {label_b}")
    hidden = "; the mean hides the swap" if wins and losses else ""
    sheet.text(
        MARGIN, 36, f"{losses} of {len(scores_a)} topics worse, {wins} better, {ties} the same{hidden}", BODY + 1
    )
    x = start
    for colour, text in ((SKY, label_a), (BLUE, label_b)):
        sheet.box(x, 52, 16, 8, colour)
        x = sheet.key(x + 21, 56, fit(text, 150, SMALL))
    for share, text in ((0.0, "0"), (0.5, ".5"), (1.0, "1")):
        x = start + share * length
        sheet.text(x, top - 10, text, SMALL, GREY, align="center")
        sheet.curve([(x, top - 3), (x, end)], GRID, 0.8)
    y = top
    for topic in topics:
        thick, size = (10.0, BODY) if strong[topic] else (7.0, SMALL)
        name = fit(topic, 80, size, strong[topic])
        sheet.text(start - 8, y + thick, name, size, INK if strong[topic] else GREY, strong[topic], "right")
        for score, colour, weak, at in (
            (scores_a[topic], SKY, WEAK_SKY, y),
            (scores_b[topic], BLUE, WEAK_BLUE, y + thick + 1),
        ):
            sheet.box(start, at, max(score * length, 1), thick, colour if strong[topic] else weak)
            if strong[topic]:
                sheet.text(start + score * length + 4, at + thick / 2, f"{score:.2f}", SMALL)
        if topic in explained and strong[topic]:
            sheet.text(note, y + 6, fit(explained[topic].topic.text, room, SMALL), SMALL, GREY)
            for number, (colour, relevant, others) in enumerate(notes[topic], start=1):
                at = y + 7 + (LINE + 0.5) * number
                shown = fit(relevant, room, BODY, True)
                sheet.text(note, at, shown, BODY, colour, True)
                used = width_of(shown, BODY, True) + 6 if shown else 0
                if others and room - used > 40:
                    sheet.text(note + used, at, fit(others, room - used, SMALL), SMALL, GREY)
        y += heights[topic]
    if left_out:
        sheet.text(MARGIN, end + 8, f"{left_out} topics with no or a smaller difference are not drawn", SMALL, GREY)
    return sheet.figure


def _swap(explanation: Explanation, names: Mapping[SymbolId, str]) -> list[tuple[str, str, str]]:
    """Return a colour, the relevant and the other symbols: of those that left, then of those that entered."""
    made: list[tuple[str, str, str]] = []
    for sign, colour, symbols in (("−", VERMILION, explanation.left), ("+", GREEN, explanation.entered)):
        relevant = [f"{sign}{names[symbol]}" for symbol in symbols if symbol in explanation.relevant]
        others = [f"{sign}{names[symbol]}" for symbol in symbols if symbol not in explanation.relevant]
        if symbols:
            made.append((colour, "  ".join(relevant), "  ".join(others)))
    return made or [(GREY, "", "the same functions in another order")]
