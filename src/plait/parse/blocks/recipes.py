"""Files that say how something is built: a Dockerfile by stage, a Makefile by rule."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial

from plait.model import SymbolKind
from plait.parse.blocks.parser import Block, BlockParser, with_comments

_FROM = re.compile(r"[ \t]*FROM[ \t]+(?:--\S+[ \t]+)*(?P<image>\S+)(?:[ \t]+AS[ \t]+(?P<name>\S+))?", re.IGNORECASE)
_RULE = re.compile(r"(?![ \t#])(?P<targets>[^:=#\t]+)::?(?![=:])")
_DEFINE = re.compile(r"(?:override[ \t]+)?define[ \t]+(?P<name>[^\s=:?+!]+)")


def dockerfile_blocks(lines: Sequence[str]) -> list[Block]:
    heads = [(number, stage) for number, line in enumerate(lines, start=1) if (stage := _FROM.match(line))]
    found: list[Block] = []
    for place, (number, stage) in enumerate(heads):
        after = heads[place + 1][0] if place + 1 < len(heads) else len(lines) + 1
        last = with_comments(lines, after, number + 1, ("#",)) - 1
        while last > number and not lines[last - 1].strip():
            last -= 1
        least = found[-1].last + 1 if found else 1
        first = with_comments(lines, number, least, ("#",))
        found.append(Block(stage["name"] or stage["image"], SymbolKind.BLOCK, first, last, stage[0].strip()))
    return found


def makefile_blocks(lines: Sequence[str]) -> list[Block]:
    found: list[Block] = []
    number = 1
    while number <= len(lines):
        line = lines[number - 1]
        defined, rule = _DEFINE.match(line), _RULE.match(line)
        last = number
        if defined:
            while last < len(lines) and not lines[last - 1].startswith("endef"):
                last += 1
        elif rule:
            last = _end_of_rule(lines, number)
        name = defined["name"] if defined else rule["targets"].split()[0] if rule else ""
        if name and name != ".PHONY":
            least = found[-1].last + 1 if found else 1
            first = with_comments(lines, number, least, ("#", ".PHONY"))
            found.append(Block(name, SymbolKind.BLOCK, first, last, line.strip()[:300]))
        number = last + 1
    return found


def _end_of_rule(lines: Sequence[str], first: int) -> int:
    """Return the last line of its recipe; blank lines do not end it."""
    last = first
    for number in range(first + 1, len(lines) + 1):
        line = lines[number - 1]
        if line.startswith("\t") or lines[number - 2].endswith("\\"):
            last = number
        elif line.strip():
            break
    return last


dockerfile = partial(BlockParser, dockerfile_blocks)

makefile = partial(BlockParser, makefile_blocks)
