"""Markdown by heading (CommonMark 0.31, sections 4.2 and 4.3), fences and front matter left alone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial

from plait.parse.blocks.parser import Block, BlockParser, headings

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*))?$")
_CLOSING = re.compile(r"(?:^|[ \t])#+[ \t]*$")
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_NO_PARAGRAPH = re.compile(r"\s*$| {4}|\t| {0,3}(?:[#>|<]|[-+*][ \t]|\d{1,9}[.)][ \t]|[-=*_]{3})")
_NO_TEXT = re.compile(r"\s*$| {0,3}(?:#{1,6}(?:[ \t]|$)|[-=*_]{3}|`{3}|~{3})")
_LINK = re.compile(r"!?\[([^\[\]]*)\](?:\([^()]*\)|\[[^\[\]]*\])")
_TAG = re.compile(r"<[^<>]*>|\{#[^{}]*\}")
_SIGNS = re.compile(r"[`*]+|(?<!\w)_+|_+(?!\w)")


def scan(lines: Sequence[str]) -> list[Block]:
    found: list[tuple[int, int, str]] = []
    fence = ""
    start = _front_matter(lines)
    for number, line in enumerate(lines[start:], start=start + 1):
        fenced = _FENCE.match(line)
        if fence:
            if fenced and fenced[1].startswith(fence) and not fenced[2].strip():
                fence = ""
        elif fenced and not (fenced[1][0] == "`" and "`" in fenced[2]):
            fence = fenced[1]
        elif heading := _ATX.match(line):
            found.append((number, len(heading[1]), plain(_CLOSING.sub("", heading[2] or ""))))
        elif number > start + 1 and (under := _UNDERLINE.match(line)) and _begins_heading(lines, number - 2, start):
            found.append((number - 1, 1 if under[1][0] == "=" else 2, plain(lines[number - 2])))
    return headings(found, len(lines))


def _front_matter(lines: Sequence[str]) -> int:
    """Return how many lines the front matter takes."""
    if not lines or lines[0].rstrip() != "---":
        return 0
    return next((place + 1 for place, line in enumerate(lines[1:], 1) if line.rstrip() in ("---", "...")), 0)


def _begins_heading(lines: Sequence[str], place: int, start: int) -> bool:
    """Whether a line is a paragraph of its own."""
    return not _NO_PARAGRAPH.match(lines[place]) and (place == start or bool(_NO_TEXT.match(lines[place - 1])))


def plain(text: str) -> str:
    """Return a heading without what marks links, code and stress in it."""
    return " ".join(_SIGNS.sub("", _TAG.sub("", _LINK.sub(r"\1", text))).split())


parser = partial(BlockParser, scan)
