"""Text that Python's own parser refuses, read all the same: mended where that is plain, then by tree-sitter.

The concrete tree is converted to `ast`, with errors left out, so that everything behind a parse works unchanged.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from plait.errors import MissingExtra
from plait.parse import grammars
from plait.parse.concrete import Node, run
from plait.parse.concrete_statements import StatementConversion
from plait.parse.lines import Lines, merged
from plait.parse.mending import mend


@dataclass(frozen=True, slots=True)
class Recovery:
    tree: ast.Module
    left_out: tuple[tuple[int, int], ...]
    """runs of lines with something in them that was mended or could not be understood, in order, apart"""


def recover(text: str) -> Recovery:
    """Convert what can be understood of a text. Raises UnicodeEncodeError for lone surrogates."""
    mended = mend(text)
    tree = _accepted(mended.text) if mended.lines else None
    end = len(Lines(mended.text))
    if tree is not None:
        return Recovery(tree, _within(mended.lines, end))
    source = mended.text.encode()
    conversion = StatementConversion(source)
    tree = run(conversion.module(_concrete(source, mended.heads)), conversion.depth)
    assert isinstance(tree, ast.Module)
    return Recovery(tree, _within([*mended.lines, *conversion.left_out], end))


def _within(runs: Iterable[tuple[int, int]], end: int) -> tuple[tuple[int, int], ...]:
    """What is missing at the end of a text is missing in its last line."""
    return merged((min(first, end), min(last, end)) for first, last in runs)


def _accepted(text: str) -> ast.Module | None:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _concrete(source: bytes, heads: Sequence[int]) -> Sequence[Node]:
    """The statements and errors of a text; in one with errors each statement is read by itself, so that they stay put.

    `heads` are the lines at which the statements begin.
    """
    try:
        parser = grammars.parser("python")
    except grammars.GrammarMissing:
        raise MissingExtra("reading files with syntax errors", "tree-sitter-python") from None
    root = parser.parse(source).root_node
    if not root.has_error:
        return root.children
    starts = [0, *(found.end() for found in re.finditer(b"\n", source)), len(source)]
    lines = [1, *heads[1:], len(starts)]
    found: list[Node] = []
    for first, after in pairwise(lines):
        begin, end = starts[first - 1], starts[after - 1]
        parser.included_ranges = [grammars.region((first - 1, 0), (after - 1, 0), begin, end)]
        found += parser.parse(source).root_node.children
    return found
