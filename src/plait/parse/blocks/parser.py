"""Files that are not code: their parts, found by lines, as symbols. There are no references in them, hence no edges."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from plait.facts import ParsedFile
from plait.model import Skipped, SkipReason, SourceFile, Span, Symbol, SymbolId, SymbolKind
from plait.parse.cells import cut
from plait.parse.lines import Lines
from plait.parse.naming import block_id, is_test_path, module_id

WINDOW = 40
"""Lines of a window: about as many as a screen shows."""
LONGEST_NAME = 100
"""Characters."""
LONGEST_COMMENT = 100
"""Lines above a block that still belong to it."""
DEEPEST = 16
"""Blocks around one another; what lies deeper belongs to the last of them. An id names all those around."""

_ANCHOR = re.compile(r"[^\w\- ]")


@dataclass(frozen=True, slots=True)
class Block:
    """A part of a file, in whole lines. Blocks lie in one another or apart."""

    name: str
    kind: SymbolKind
    first: int
    last: int
    signature: str = ""


Scan = Callable[[Sequence[str]], list[Block]]
"""From the lines of a file to its blocks, in the order of their first lines, the outer before the inner."""


@dataclass(frozen=True)
class BlockParser:
    scan: Scan

    def parse(self, file: SourceFile) -> ParsedFile | Skipped:
        """Return the file and its blocks; windows where there are none and it is longer than one."""
        try:
            file.text.encode()
        except UnicodeEncodeError:
            return Skipped(file.path, SkipReason.SYNTAX, "lone surrogates")
        lines = Lines(file.text)
        blocks = _apart(self.scan(lines.text(1, len(lines)))) or windows(lines.text(1, len(lines)))
        return ParsedFile(
            path=file.path, module=file.path, is_package=False, symbols=tuple(_symbols(file, lines, blocks))
        )


def windows(lines: Sequence[str]) -> list[Block]:
    """As many blocks as a text is windows long; none if it fits into one."""
    if len(lines) <= WINDOW:
        return []
    starts = range(1, len(lines) + 1, WINDOW)
    ends = [min(first + WINDOW - 1, len(lines)) for first in starts]
    filled = [(a, b) for a, b in zip(starts, ends, strict=True) if any(map(str.strip, lines[a - 1 : b]))]
    return [Block(f"L{first}-L{last}", SymbolKind.WINDOW, first, last) for first, last in filled]


def headings(found: Sequence[tuple[int, int, str]], total: int) -> list[Block]:
    """Turn headings (line, level, text), in order, into sections: each to the next heading of its level or above."""
    ends = [total] * len(found)
    around: list[int] = []
    for place, (line, level, _) in enumerate(found):
        while around and found[around[-1]][1] >= level:
            ends[around.pop()] = line - 1
        around.append(place)
    return [
        Block(name, SymbolKind.SECTION, line, last)
        for (line, _, name), last in zip(found, ends, strict=True)
        if name.strip()
    ]


def with_comments(lines: Sequence[str], first: int, least: int, marks: tuple[str, ...]) -> int:
    """Return the first of the comment lines directly above a line, or the line itself; none before `least`."""
    least = max(least, first - LONGEST_COMMENT)
    while first > least and lines[first - 2].lstrip().startswith(marks):
        first -= 1
    return first


def _apart(blocks: Sequence[Block]) -> list[Block]:
    """Leave out those that begin on a line of an earlier one without lying in it, or have its very lines."""
    kept: list[Block] = []
    around: list[Block] = []
    for block in blocks:
        while around and around[-1].last < block.first:
            around.pop()
        if len(around) == DEEPEST or (around and (block.last > around[-1].last or block.first <= around[-1].first)):
            continue
        kept.append(block)
        around.append(block)
    return kept


def _symbols(file: SourceFile, lines: Lines, blocks: Sequence[Block]) -> list[Symbol]:
    root = module_id(file.path)
    name = file.path.rpartition("/")[2]
    spans = [lines.span(1, len(lines)), *(lines.span(block.first, block.last) for block in blocks)]
    parents, inside = _nested(spans)
    ids: list[SymbolId] = [root]
    names = [file.path.replace("/", ".")]
    again: Counter[tuple[SymbolId, str]] = Counter()
    for block, parent in zip(blocks, parents[1:], strict=True):
        short = _short(block)
        ids.append(block_id(ids[parent], short, again[ids[parent], short]))
        names.append(f"{names[parent]}.{block.name[:LONGEST_NAME]}")
        again[ids[parent], short] += 1
    is_test = is_test_path(file.path)
    whole = Block(name, SymbolKind.FILE, 1, len(lines))
    return [
        Symbol(
            id=ids[place],
            name=block.name[:LONGEST_NAME],
            kind=block.kind,
            path=file.path,
            language=file.language,
            module=file.path,
            qualified_name=names[place],
            span=spans[place],
            own=_own(file, lines, spans[place], inside[place], is_root=not place),
            signature=block.signature,
            parent=ids[parents[place]] if place else None,
            is_test=is_test,
            cells=() if place else file.cells,
        )
        for place, block in enumerate([whole, *blocks])
    ]


def _nested(spans: Sequence[Span]) -> tuple[list[int], list[list[Span]]]:
    """For each span the place of the one around it, and those directly in it."""
    parents = [0] * len(spans)
    inside: list[list[Span]] = [[] for _ in spans]
    around = [0]
    for place, span in enumerate(spans[1:], start=1):
        while len(around) > 1 and spans[around[-1]].end_line < span.start_line:
            around.pop()
        parents[place] = around[-1]
        inside[around[-1]].append(span)
        around.append(place)
    return parents, inside


def _own(file: SourceFile, lines: Lines, span: Span, inside: Sequence[Span], *, is_root: bool) -> tuple[Span, ...]:
    found = cut(lines, file.cells, span.start_line, span.end_line, inside)
    return found if found or is_root else (lines.span(span.start_line, span.start_line),)


def _short(block: Block) -> str:
    """What stands in the id: of a heading its anchor, of everything else the name."""
    name = block.name[:LONGEST_NAME]
    if block.kind is not SymbolKind.SECTION:
        return name
    return _ANCHOR.sub("", name.lower()).strip().replace(" ", "-") or "-"
