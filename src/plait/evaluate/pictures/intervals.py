"""The picture of mean differences: a row for each comparison, its interval as a line, and 0, which it may not cross."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from plait.evaluate.compare import Comparison, Verdict
from plait.evaluate.pictures.sheet import (
    BODY,
    GREEN,
    GREY,
    GRID,
    INK,
    MARGIN,
    SMALL,
    VERMILION,
    WIDTH,
    Sheet,
    fit,
    styled,
    width_of,
)

if TYPE_CHECKING:
    from plait.evaluate.pictures.sheet import Figure

MOST_ROWS = 40
"""Rows drawn at most; how many more there are is said."""

_ROW = 18.0
_COLOURS = {Verdict.BETTER: GREEN, Verdict.WORSE: VERMILION, Verdict.UNDECIDED: GREY}
_STEPS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)


def interval_rows(title: str, rows: Sequence[tuple[str, Comparison]]) -> Figure:
    """Draw what is to be called each comparison, its mean difference and interval, in the order given.

    A comparison without an interval, that is of fewer than two topics, has a dot alone.
    """
    with styled():
        return _interval_rows(title, rows)


def _interval_rows(title: str, rows: Sequence[tuple[str, Comparison]]) -> Figure:
    shown = rows[:MOST_ROWS]
    start = MARGIN + min(max((width_of(name, BODY) for name, _ in shown), default=0), 210) + 12
    told = 150.0
    end = WIDTH - MARGIN - told
    top = 58.0
    bottom = top + _ROW * len(shown)
    sheet = Sheet(WIDTH, bottom + (36 if len(rows) > len(shown) else 22), title)
    sheet.title(title)
    sheet.text(MARGIN, 36, "mean difference and its interval; a line that crosses 0 leaves open which is better", SMALL)
    ends = [end for _, one in shown for end in (one.mean, *(one.interval or ()))]
    most = max((abs(end) for end in ends), default=0.0) or 0.01
    step = next((step for step in _STEPS if most / step <= 3), _STEPS[-1])
    reach = step * max(1, math.ceil(round(most / step, 9)))
    middle = (start + end) / 2

    def at(value: float) -> float:
        return middle + value / reach * (end - start) / 2

    for tick in range(-round(reach / step), round(reach / step) + 1):
        x = at(tick * step)
        sheet.curve([(x, top - 4), (x, bottom)], GREY if not tick else GRID, 1.2 if not tick else 0.8)
        sheet.text(x, top - 11, f"{tick * step:+.2f}".replace("-", "−") if tick else "0", SMALL, GREY, align="center")
    for number, (name, one) in enumerate(shown):
        y = top + _ROW * (number + 0.5)
        colour = _COLOURS[one.verdict]
        strong = one.verdict is not Verdict.UNDECIDED
        sheet.text(start - 12, y, fit(name, start - 12 - MARGIN, BODY, strong), BODY, INK, strong, "right")
        if one.interval:
            sheet.curve([(at(one.interval[0]), y), (at(one.interval[1]), y)], colour, 2.4 if strong else 1.6)
        sheet.box(at(one.mean) - 3, y - 3, 6, 6, colour)
        verdict = {Verdict.BETTER: "better", Verdict.WORSE: "worse"}.get(one.verdict, "not shown")
        figures = f"{one.mean:+.3f}".replace("-", "−")
        sheet.text(end + 16, y, figures, BODY, INK, strong)
        words = verdict if one.divergent else "no question differs"
        sheet.text(end + 62, y, words, SMALL, colour, strong)
    if len(rows) > len(shown):
        sheet.text(MARGIN, bottom + 18, f"{len(rows) - len(shown)} more are not drawn", SMALL, GREY)
    return sheet.figure
