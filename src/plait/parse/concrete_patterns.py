"""Patterns of `match` from a concrete tree."""

from __future__ import annotations

import ast

from plait.parse.concrete import Node, Steps, at, placeholder
from plait.parse.concrete_expressions import ExpressionConversion


class PatternConversion(ExpressionConversion):
    def _pattern(self, node: Node) -> Steps:
        """Convert one pattern; what is not understood matches anything and binds nothing."""
        signed = False
        while node.type == "case_pattern":
            parts = [child for child in node.children if not child.is_extra and not child.is_error]
            signed = signed or any(part.type == "-" for part in parts)
            named = [part for part in parts if part.is_named or part.type == "_"]
            if not named:
                break
            node = named[0]
        if node.is_error or node.is_missing or self._is_too_deep(node):
            self._leave_out(node)
            return at(ast.MatchAs(), node)
        match node.type:
            case "dotted_name":
                return self._captured(node)
            case "as_pattern":
                parts = self._parts(node)
                return at(ast.MatchAs((yield self._pattern(parts[0])), self._name(parts[-1])), node)
            case "union_pattern":
                return at(ast.MatchOr((yield self._patterns(node))), node)
            case "list_pattern" | "tuple_pattern":
                patterns = yield self._patterns(node)
                group = node.type == "tuple_pattern" and len(patterns) == 1
                if group and not any(child.type == "," for child in node.children):
                    return patterns[0]
                return at(ast.MatchSequence(patterns), node)
            case "class_pattern":
                return (yield self._class_pattern(node))
            case "dict_pattern":
                return (yield self._mapping(node))
            case "splat_pattern":
                return at(ast.MatchStar(self._bound(node.children[-1])), node)
            case "true" | "false" | "none":
                return at(ast.MatchSingleton({"true": True, "false": False, "none": None}[node.type]), node)
            case "integer" | "float" | "string" | "concatenated_string":
                value = yield self._expression(node)
                return at(ast.MatchValue(at(ast.UnaryOp(ast.USub(), value), node) if signed else value), node)
            case "complex_pattern":
                return at(ast.MatchValue(placeholder(node)), node)
        return at(ast.MatchAs(), node)

    def _patterns(self, node: Node) -> Steps:
        found: list[ast.pattern] = []
        for part in node.children:
            if not part.is_extra and (part.is_named or part.type == "_"):
                found.append((yield self._pattern(part)))
        return found

    def _captured(self, node: Node) -> ast.pattern:
        """A name binds; a dotted one is a value."""
        names = [part for part in node.children if part.type == "identifier"]
        if len(names) == 1:
            return at(ast.MatchAs(None, self._bound(names[0])), node)
        return at(ast.MatchValue(self._path(node)), node)

    def _bound(self, node: Node) -> str | None:
        name = self._name(node)
        return None if name == "_" else name

    def _path(self, node: Node) -> ast.expr:
        first, *rest = [part for part in node.children if part.type == "identifier"] or [node]
        made: ast.expr = at(ast.Name(self._name(first), ast.Load()), first)
        for part in rest:
            made = at(ast.Attribute(made, self._name(part), ast.Load()), part)
            made.col_offset, made.lineno = node.start_point[1], node.start_point[0] + 1
        return made

    def _class_pattern(self, node: Node) -> Steps:
        parts = self._parts(node)
        patterns: list[ast.pattern] = []
        names: list[str] = []
        named: list[ast.pattern] = []
        for part in parts[1:]:
            keyword, alias = self._keyword(part)
            if keyword is None:
                patterns.append((yield self._pattern(part)))
                continue
            given = [one for one in keyword.children if one.is_named or one.type == "_"]
            names.append(self._name(given[0]))
            pattern = yield self._pattern(given[-1])
            named.append(pattern if alias is None else at(ast.MatchAs(pattern, self._name(alias)), part))
        return at(ast.MatchClass(self._path(parts[0]), patterns, names, named), node)

    def _keyword(self, node: Node) -> tuple[Node | None, Node | None]:
        """Of `x=P as y` the grammar makes `(x=P) as y`: return the keyword's pattern and what is behind `as`."""
        alias: Node | None = None
        while node.type in ("case_pattern", "as_pattern"):
            parts = self._parts(node)
            if not parts:
                break
            alias = parts[-1] if node.type == "as_pattern" else alias
            node = parts[0]
        return (node, alias) if node.type == "keyword_pattern" else (None, None)

    def _mapping(self, node: Node) -> Steps:
        keys: list[ast.expr] = []
        values: list[ast.pattern] = []
        rest: str | None = None
        waiting: list[Node] = []
        for part in node.children:
            if part.type == "splat_pattern":
                rest = self._bound(part.children[-1])
            elif part.is_named and not part.is_extra and not part.is_error:
                waiting.append(part)
                if part.type == "case_pattern" and len(waiting) > 1:
                    key, value = waiting[0], waiting[-1]
                    keys.append(self._path(key) if key.type == "dotted_name" else (yield self._expression(key)))
                    values.append((yield self._pattern(value)))
                    waiting = []
        return at(ast.MatchMapping(keys, values, rest), node)
