"""Concrete trees as tree-sitter makes them, and what every part of their conversion to `ast` needs.

The conversion's methods are generators that yield the conversions they need and are sent the results, so that the depth
of a file is held on a list and not on the interpreter's stack.
"""

from __future__ import annotations

import ast
from collections.abc import Generator, Sequence
from typing import Any, Protocol, TypeAlias, TypeVar
from unicodedata import normalize

T = TypeVar("T", bound=ast.AST)


class Node(Protocol):
    """What is read of a node of tree-sitter; columns and bytes count in UTF-8."""

    @property
    def type(self) -> str: ...
    @property
    def children(self) -> Sequence[Node]: ...
    @property
    def start_byte(self) -> int: ...
    @property
    def end_byte(self) -> int: ...
    @property
    def start_point(self) -> tuple[int, int]: ...
    @property
    def end_point(self) -> tuple[int, int]: ...
    @property
    def is_named(self) -> bool: ...
    @property
    def is_extra(self) -> bool: ...
    @property
    def is_error(self) -> bool: ...
    @property
    def is_missing(self) -> bool: ...
    @property
    def has_error(self) -> bool: ...
    def child_by_field_name(self, name: str, /) -> Node | None: ...
    def children_by_field_name(self, name: str, /) -> Sequence[Node]: ...


Steps: TypeAlias = Generator[Any, Any, Any]
"""Yields further steps, is sent what they return, and returns nodes of `ast`."""

Lines: TypeAlias = tuple[int, int]
"""First and last line, 1-based and inclusive."""

MAX_DEPTH = 1_000
"""Steps that wait for another: three for each bracket, five for each block. What lies deeper is left out; Python itself
takes at most 200 brackets and 100 blocks in each other."""


def run(step: Steps, depth: list[int]) -> Any:
    """Return what the step returns; `depth[0]` tells each step how many wait for it."""
    waiting = [step]
    result: Any = None
    while waiting:
        depth[0] = len(waiting)
        try:
            wanted = waiting[-1].send(result)
        except StopIteration as end:
            waiting.pop()
            result = end.value
        else:
            waiting.append(wanted)
            result = None
    return result


class Conversion:
    """Positions, texts and what was left out; the nodes of a file's tree are converted by the subclasses."""

    def __init__(self, source: bytes) -> None:
        self._source = source
        self.depth = [0]
        self.left_out: list[Lines] = []

    def _text(self, node: Node) -> str:
        return self._source[node.start_byte : node.end_byte].decode(errors="replace")

    def _name(self, node: Node | None) -> str:
        text = self._text(node) if node is not None else ""
        return text if text.isascii() else normalize("NFKC", text)

    def _dotted(self, node: Node | None) -> str:
        """A dotted name without the white space and comments that can stand in it."""
        return ".".join(self._name(part) for part in node.children if part.type == "identifier") if node else ""

    def _leave_out(self, node: Node) -> None:
        first, last = node.start_point[0] + 1, node.end_point[0] + 1
        self.left_out.append((first, last - 1 if node.end_point[1] == 0 and last > first else last))

    def _parts(self, node: Node) -> list[Node]:
        """The named children that mean something; errors among them are left out."""
        if not node.has_error:
            return [child for child in node.children if child.is_named and not child.is_extra]
        found: list[Node] = []
        for child in node.children:
            if child.is_error or child.is_missing:
                self._leave_out(child)
            elif child.is_named and not child.is_extra:
                found.append(child)
        return found

    def _is_too_deep(self, node: Node) -> bool:
        if self.depth[0] <= MAX_DEPTH:
            return False
        self._leave_out(node)
        return True


def at(made: T, node: Node) -> T:
    """Give the position of a concrete node."""
    return between(made, node.start_point, node.end_point)


def between(made: T, start: tuple[int, int], end: tuple[int, int]) -> T:
    places: Any = made
    places.lineno, places.col_offset = start[0] + 1, start[1]
    places.end_lineno, places.end_col_offset = end[0] + 1, end[1]
    return made


def placeholder(node: Node) -> ast.expr:
    """What stands for something that was left out: nothing is known of its value."""
    return at(ast.Constant(...), node)


def with_context(target: ast.expr, context: ast.expr_context) -> ast.expr:
    """Make an expression what is assigned to or deleted."""
    stack = [target]
    while stack:
        node = stack.pop()
        if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)):
            node.ctx = context
        elif isinstance(node, (ast.Tuple, ast.List)):
            node.ctx = context
            stack += node.elts
        elif isinstance(node, ast.Starred):
            node.ctx = context
            stack.append(node.value)
    return target
