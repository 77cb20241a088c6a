"""Lines of a text as Python counts them, and the spans made of them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import accumulate
from operator import add

from plait.model import Span

_LINE_END = re.compile(r"\r\n|\r|\n")
"""Nothing else ends a line for the tokenizer; `str.splitlines` would also split at form feeds, U+2028 and others."""

_INDENT = " \t\f"


def split_lines(text: str) -> list[str]:
    """The lines without their ends; an end at the end of the text begins one more, empty line."""
    return _LINE_END.split(text) if "\r" in text else text.split("\n")


def merged(runs: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Runs of lines, first and last, in order; those that overlap or touch become one."""
    found: list[tuple[int, int]] = []
    for first, last in sorted(runs):
        if found and first <= found[-1][1] + 1:
            found[-1] = (found[-1][0], max(last, found[-1][1]))
        else:
            found.append((first, last))
    return tuple(found)


class Lines:
    """The lines of a text, 1-based. A line end at the end of the text begins no further line."""

    def __init__(self, text: str) -> None:
        self._lines = split_lines(text)
        ends = list(map(len, _LINE_END.findall(text))) if "\r" in text else [1] * (len(self._lines) - 1)
        if len(self._lines) > 1 and not self._lines[-1]:
            self._lines.pop()
        sizes = [len(line) if line.isascii() else len(line.encode()) for line in self._lines]
        self._starts = [0, *accumulate(map(add, sizes, ends))][: len(sizes)]
        self._ends = list(map(add, self._starts, sizes))

    def __len__(self) -> int:
        return len(self._lines)

    def span(self, first: int, last: int) -> Span:
        """Whole lines, both included, without the end of the last one; lines beyond the text are cut off."""
        first, last = min(first, len(self)), min(last, len(self))
        return Span(first, last, self._starts[first - 1], self._ends[last - 1])

    def text(self, first: int, last: int) -> list[str]:
        """The lines first to last without their ends; none if last is before first."""
        return self._lines[first - 1 : max(last, first - 1)]

    def column(self, line: int, byte: int) -> int:
        """Turn an offset in bytes of a line, as `ast` gives it, into one in characters."""
        if line > len(self):
            return byte
        text = self._lines[line - 1]
        if text.isascii():
            return min(byte, len(text))  # beyond it is what was added to a broken line
        return len(text.encode()[: max(byte, 0)].decode(errors="ignore"))

    def runs(self, first: int, last: int, covered: Iterable[Span], *, comments: bool = False) -> tuple[Span, ...]:
        """The stretches of the lines first to last that none of the spans covers.

        Blank lines at both ends of a stretch are left out, and so is a stretch of nothing but comments, unless
        `comments` count. `covered` is in order of lines and without overlap.
        """
        found: list[Span] = []
        begin = first
        for span in covered:
            found.extend(self._run(begin, span.start_line - 1, comments))
            begin = span.end_line + 1
        found.extend(self._run(begin, min(last, len(self)), comments))
        return tuple(found)

    def _run(self, first: int, last: int, comments: bool) -> list[Span]:
        stripped = [line.strip(_INDENT) for line in self._lines[first - 1 : max(last, first - 1)]]
        if not any(line and (comments or not line.startswith("#")) for line in stripped):
            return []
        filled = [number for number, line in enumerate(stripped, start=first) if line]
        return [self.span(filled[0], filled[-1])]
