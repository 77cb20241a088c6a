"""What a notebook's cells make of its symbols: no run of lines goes on from one cell into the next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from plait.facts import ParsedFile
from plait.model import SourceFile, Span
from plait.parse.lines import Lines


def in_cells(file: SourceFile, parsed: ParsedFile) -> ParsedFile:
    """Cut the module's own lines where cells begin; its comments count, as they stand for text. Other files stay."""
    if not file.cells:
        return parsed
    module, *others = parsed.symbols
    covered = [symbol.span for symbol in others if symbol.parent == module.id]
    lines = Lines(file.text)
    own = cut(lines, file.cells, 1, len(lines), sorted(covered))
    return replace(parsed, symbols=(replace(module, own=own, cells=file.cells), *others))


def cut(lines: Lines, cells: Sequence[int], first: int, last: int, covered: Sequence[Span]) -> tuple[Span, ...]:
    """As Lines.runs, each cell by itself; `cells` are the lines at which they begin."""
    found: list[Span] = []
    borders = [first, *(line for line in cells if first < line <= last), last + 1]
    place = 0
    for begin, after in pairwise(borders):
        while place < len(covered) and covered[place].end_line < begin:
            place += 1
        end = place
        while end < len(covered) and covered[end].start_line < after:
            end += 1
        found += lines.runs(begin, after - 1, covered[place:end], comments=True)
    return tuple(found)
