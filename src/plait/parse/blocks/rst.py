"""reStructuredText, and plain text that underlines its headings in the same way.

A heading is a line with a row of one sign below it, at least as long, and perhaps the same row above. Levels are in the
order in which the signs appear (docutils, reStructuredText Markup Specification, "Sections").
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial

from plait.parse.blocks.parser import LONGEST_NAME, Block, BlockParser, headings

_ROW = re.compile(r"([!-/:-@\[-`{-~])\1+[ \t]*$")
_ROLE = re.compile(r":[\w:.+-]+:`([^`<>]*)(?:<[^`<>]*>)?`")


def scan(lines: Sequence[str]) -> list[Block]:
    found: list[tuple[int, int, str]] = []
    levels: dict[tuple[str, bool], int] = {}
    used = 0
    for number in range(2, len(lines) + 1):
        row, title = _ROW.match(lines[number - 1]), lines[number - 2].rstrip()
        if row is None or number - 1 <= used or not title.strip() or _ROW.match(title):
            continue
        over = number > 2 and number - 2 > used and lines[number - 3].rstrip() == lines[number - 1].rstrip()
        if len(row[0].rstrip()) < len(title) or len(title) < 2 or (title[0] in " \t" and not over):
            continue
        if not over and number > 2 and number - 2 > used and lines[number - 3].strip():
            continue  # the last line of a paragraph, or of a table
        level = levels.setdefault((row[1], over), len(levels) + 1)
        found.append((number - 1 - over, level, _ROLE.sub(r"\1", title[:LONGEST_NAME]).replace("``", "").strip()))
        used = number
    return headings(found, len(lines))


parser = partial(BlockParser, scan)
