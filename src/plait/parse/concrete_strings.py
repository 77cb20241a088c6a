"""Strings of a concrete tree, with the expressions that are written within them."""

from __future__ import annotations

import ast
import sys

from plait.parse.concrete import Conversion, Node, Steps, at
from plait.parse.literals import piece, string


class StringConversion(Conversion):
    def _expression(self, node: Node | None) -> Steps:
        """Convert one expression."""
        raise NotImplementedError

    def _string(self, node: Node) -> Steps:
        values = yield self._string_parts(node)
        return self._joined(values, node)

    def _strings(self, node: Node) -> Steps:
        values: list[ast.expr] = []
        for part in self._parts(node):
            values += yield self._string_parts(part, node)
        return self._joined(values, node)

    def _joined(self, values: list[ast.expr], node: Node) -> ast.expr:
        if values and all(isinstance(value, ast.Constant) for value in values) and not self._is_formatted(node):
            constants = [value.value for value in values if isinstance(value, ast.Constant)]
            texts = [value.decode("latin-1") if isinstance(value, bytes) else str(value) for value in constants]
            is_bytes = any(isinstance(value, bytes) for value in constants)
            joined, first = "".join(texts), values[0]
            kind = first.kind if isinstance(first, ast.Constant) else None
            return at(ast.Constant(joined.encode("latin-1", "replace") if is_bytes else joined, kind), node)
        merged: list[ast.expr] = []
        for value in values:
            if isinstance(value, ast.Constant):
                if not value.value:
                    continue
                if merged and isinstance(merged[-1], ast.Constant):
                    merged[-1] = at(ast.Constant(str(merged[-1].value) + str(value.value)), node)
                    continue
            merged.append(value)
        return at(ast.JoinedStr(merged), node)

    def _is_formatted(self, node: Node) -> bool:
        strings = [node] if node.type == "string" else self._parts(node)
        return any("f" in self._prefix(one) or "t" in self._prefix(one) for one in strings)

    def _prefix(self, node: Node) -> str:
        return self._text(node.children[0]).rstrip("'\"").lower() if node.children else ""

    def _string_parts(self, node: Node, whole: Node | None = None) -> Steps:
        prefix = self._prefix(node)
        if "f" not in prefix and "t" not in prefix:
            if node.has_error:
                self._leave_out(node)
            return [at(ast.Constant(string(self._text(node)), kind="u" if prefix == "u" else None), node)]
        values: list[ast.expr] = []
        begin, end = node.children[0].end_byte, node.children[-1].start_byte
        for part in self._parts(node):
            if part.type != "interpolation":
                continue
            values += self._piece(begin, part.start_byte, prefix, node)
            values += yield self._interpolation(part, node if whole is None else whole)
            begin = part.end_byte
        return [*values, *self._piece(begin, end, prefix, node)]

    def _piece(self, begin: int, end: int, prefix: str, node: Node) -> list[ast.expr]:
        """The text between two replacements; the grammar has no node for some of it."""
        text = piece(self._source[begin:end].decode(errors="replace"), raw="r" in prefix)
        return [at(ast.Constant(text), node)] if text else []

    def _interpolation(self, node: Node, whole: Node) -> Steps:
        """`{x!r:>{width}}`; `{x=}` is also the text before the sign.

        Before Python 3.12 the place of all of them is that of the whole string.
        """
        expression = node.child_by_field_name("expression")
        conversion = node.child_by_field_name("type_conversion")
        specifier = node.child_by_field_name("format_specifier")
        value = yield self._expression(expression if expression is not None else node)
        shown = [child for child in node.children if child.type == "="]
        format_spec = None
        if specifier is not None:
            format_spec = yield self._specifier(specifier, whole)
        sign = ord(self._text(conversion)[1]) if conversion is not None else -1
        if shown and conversion is None and specifier is None:
            sign = ord("r")
        made = at(ast.FormattedValue(value, sign, format_spec), whole if sys.version_info < (3, 12) else node)
        if not shown:
            return [made]
        text = self._source[node.children[0].end_byte : shown[0].end_byte].decode(errors="replace")
        return [at(ast.Constant(text), node), made]

    def _specifier(self, node: Node, whole: Node) -> Steps:
        values: list[ast.expr] = []
        begin = node.children[0].end_byte
        for part in node.children:
            if part.type in ("interpolation", "format_expression"):
                values += self._piece(begin, part.start_byte, "", whole)
                values += yield self._interpolation(part, whole)
                begin = part.end_byte
        return at(ast.JoinedStr([*values, *self._piece(begin, node.end_byte, "", whole)]), node)
