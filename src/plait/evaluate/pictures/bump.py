"""The picture of one topic's ranks under a pair of strategies."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import zip_longest
from typing import TYPE_CHECKING

from plait.evaluate.causes import Explanation, Movement, cause_text, movement_text
from plait.evaluate.pictures.sheet import (
    BLUE,
    BODY,
    GREEN,
    GREY,
    INK,
    LINE,
    MARGIN,
    OTHER_TINT,
    PALE,
    SMALL,
    VERMILION,
    WIDTH,
    Sheet,
    fit,
    styled,
    width_of,
    wrap,
)
from plait.model import Ranking, SymbolId

if TYPE_CHECKING:
    from plait.evaluate.pictures.sheet import Figure


def rank_bump(
    explanation: Explanation, names: Mapping[SymbolId, str], labels: Mapping[str, str] | None = None
) -> Figure:
    """Draw how ranks move from A (left) to B (right) for the relevant symbols and the first k of either.

    Ranks between those shown are left out. Beside a symbol stands why it is missing, or what lifted it. `labels` holds
    shorter names of A and B.
    """
    with styled():
        return _rank_bump(explanation, names, labels or {})


def _rank_bump(explanation: Explanation, names: Mapping[SymbolId, str], labels: Mapping[str, str]) -> Figure:
    moves, k = explanation.movements, explanation.k
    room = 212.0
    left, right = MARGIN + room, WIDTH - MARGIN - room
    notes_a, notes_b = _reasons(explanation, names, room)
    cut_a, cut_b = _cut(explanation.ranking_a, k), _cut(explanation.ranking_b, k)
    at_a = {move.a: move.symbol for move in moves if move.a is not None}
    at_b = {move.b: move.symbol for move in moves if move.b is not None}
    absent_a = [move.symbol for move in moves if move.a is None]
    absent_b = [move.symbol for move in moves if move.b is None]

    def height(a: SymbolId | None, b: SymbolId | None) -> float:
        return 17 + LINE * max(len(notes_a[a]) if a else 0, len(notes_b[b]) if b else 0)

    y = 66.0
    middle: dict[int, float] = {}
    below: dict[int, float] = {}
    gaps: list[tuple[float, float]] = []
    before = 0
    for rank in [*sorted({*at_a, *at_b}), 10**9]:
        for edge in sorted({cut_a, cut_b}):
            if before <= edge < rank:
                below[edge] = y + 7
                y += 14
        if rank == 10**9:
            break
        if rank > before + 1:
            ends = ((left + 11, at_a), (right - 11, at_b))
            gaps += [(x, y + 4) for x, side in ends if any(place >= rank for place in side)]
            y += 10
        middle[rank] = y + 8.5
        y += height(at_a.get(rank), at_b.get(rank))
        before = rank
    band = y + 4
    places: list[float] = []
    if absent_a or absent_b:
        y = band + 22
        for a, b in zip_longest(absent_a, absent_b):
            places.append(y + 8.5)
            y += height(a, b)
    total = y + 30

    label_a, label_b = labels.get(explanation.a, explanation.a), labels.get(explanation.b, explanation.b)
    sheet = Sheet(WIDTH, total, f"Ranks for {explanation.topic.id}: {label_a} and {label_b}")
    sheet.title(f"{explanation.topic.id}  {explanation.topic.text}")
    sheet.text(left, 44, fit(label_a, room, BODY + 1, True), BODY + 1, bold=True, align="right")
    sheet.text(right, 44, fit(label_b, room, BODY + 1, True), BODY + 1, bold=True)
    sheet.curve([(MARGIN, 56), (WIDTH - MARGIN, 56)], PALE, 0.8)
    for x, gap in gaps:
        sheet.text(x, gap, "⋮", SMALL, GREY, align="center")
    told_a, told_b = (f"k = {k}" if edge == k else f"{edge} kept" for edge in (cut_a, cut_b))
    sheet.text(MARGIN, below[cut_a], told_a, SMALL, GREY)
    sheet.curve([(MARGIN + width_of(told_a, SMALL) + 6, below[cut_a]), (WIDTH / 2, below[cut_a])], INK, 1, True)
    end = WIDTH - MARGIN
    if cut_a != cut_b:
        sheet.text(end, below[cut_b], told_b, SMALL, GREY, align="right")
        end -= width_of(told_b, SMALL) + 6
    sheet.curve([(WIDTH / 2, below[cut_b]), (end, below[cut_b])], INK, 1, True)
    if places:
        sheet.box(MARGIN, band, WIDTH - 2 * MARGIN, total - 26 - band, OTHER_TINT)
        sheet.text(MARGIN + 6, band + 10, "not a candidate", SMALL, GREY, True)
    used: set[str] = set()
    for move in sorted(moves, key=lambda move: move.relevant):
        from_y = places[absent_a.index(move.symbol)] if move.a is None else middle[move.a]
        to_y = places[absent_b.index(move.symbol)] if move.b is None else middle[move.b]
        colour = _colour(move, cut_a, cut_b)
        used.add(colour)
        line, thick = (colour, 2.4) if move.relevant else (PALE, 1.0)
        sheet.curve([(left + 20, from_y), (right - 20, to_y)], line, thick, over=True)
        shown = fit(names[move.symbol], room, BODY, move.relevant)
        for x, y, place, notes, align in (
            (left, from_y, move.a, notes_a[move.symbol], "right"),
            (right, to_y, move.b, notes_b[move.symbol], "left"),
        ):
            sheet.text(x, y, shown, BODY, colour, move.relevant, align)
            sheet.text(x + (11 if align == "right" else -11), y, str(place or "–"), BODY, GREY, align="center")
            for number, note in enumerate(notes, start=1):
                sheet.text(x, y + 1 + LINE * number, note, SMALL, GREY, align=align)
    x = MARGIN
    for colour, text in (
        (VERMILION, "relevant, lost"),
        (GREEN, "relevant, won"),
        (BLUE, "relevant, in both or in neither"),
        (GREY, "not relevant"),
    ):
        if colour in used:
            strong = colour != GREY
            sheet.curve([(x, total - 11), (x + 18, total - 11)], colour if strong else PALE, 2.4 if strong else 1)
            x = sheet.key(x + 23, total - 11, text)
    return sheet.figure


def _reasons(
    explanation: Explanation, names: Mapping[SymbolId, str], room: float
) -> tuple[dict[SymbolId, list[str]], dict[SymbolId, list[str]]]:
    """Return for each symbol the lines under its name: why it is missing under A, and under B, or what raised it."""
    a: dict[SymbolId, list[str]] = {move.symbol: [] for move in explanation.movements}
    b = dict(a)
    for move in explanation.movements:
        # The text begins with the ranks, which stand beside the name.
        if _risen(move) and (why := movement_text(move, names).partition("; ")[2]):
            b[move.symbol] = wrap(why, room, SMALL, 2)
    for notes, ranking, absent in (
        (a, explanation.ranking_a, explanation.missing_a),
        (b, explanation.ranking_b, explanation.missing_b),
    ):
        for gone in absent:
            notes[gone.symbol] = wrap(cause_text(gone, ranking, explanation.k, names), room, SMALL, 3)
    return a, b


def _risen(move: Movement) -> bool:
    return move.b is not None and (move.a is None or move.b < move.a)


def _cut(ranking: Ranking, k: int) -> int:
    """After which rank among all scored the first k end."""
    kept, scored = len(ranking.candidates), len(ranking.pool or ranking.candidates)
    return k if kept >= min(k, scored) else kept


def _colour(move: Movement, cut_a: int, cut_b: int) -> str:
    if not move.relevant:
        return GREY
    under_a = move.a is not None and move.a <= cut_a
    under_b = move.b is not None and move.b <= cut_b
    return BLUE if under_a == under_b else VERMILION if under_a else GREEN
