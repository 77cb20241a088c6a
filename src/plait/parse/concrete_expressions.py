"""Expressions of a concrete tree as those of `ast`: same nodes, same positions, as far as later stages read them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import ClassVar

from plait.parse.concrete import Node, Steps, at, between, placeholder, with_context
from plait.parse.concrete_strings import StringConversion
from plait.parse.literals import number

OPERATORS: dict[str, type[ast.operator]] = {
    "+": ast.Add,
    "-": ast.Sub,
    "*": ast.Mult,
    "/": ast.Div,
    "//": ast.FloorDiv,
    "%": ast.Mod,
    "**": ast.Pow,
    "@": ast.MatMult,
    "<<": ast.LShift,
    ">>": ast.RShift,
    "&": ast.BitAnd,
    "|": ast.BitOr,
    "^": ast.BitXor,
}
_UNARY: dict[str, type[ast.unaryop]] = {"+": ast.UAdd, "-": ast.USub, "~": ast.Invert}
_COMPARED: dict[str, type[ast.cmpop]] = {
    "<": ast.Lt,
    "<=": ast.LtE,
    "==": ast.Eq,
    "!=": ast.NotEq,
    "<>": ast.NotEq,
    ">=": ast.GtE,
    ">": ast.Gt,
    "in": ast.In,
    "not in": ast.NotIn,
    "is": ast.Is,
    "is not": ast.IsNot,
}
_CHAINED = {"attribute": "object", "call": "function", "subscript": "value"}
_WRAPPING = ("parenthesized_expression", "type", "as_pattern_target")
_FREE_OF_ORDER = {
    "list",
    "set",
    "tuple",
    "dictionary",
    "expression_list",
    "pattern_list",
    "tuple_expression",
    "tuple_pattern",
    "list_pattern",
    "string",
    "concatenated_string",
}
"""What keeps its meaning when a part of it is left out."""


class ExpressionConversion(StringConversion):
    def _expression(self, node: Node | None) -> Steps:
        """Convert one expression; what cannot be converted becomes a placeholder, never None."""
        assert node is not None
        while node.type in _WRAPPING and not node.has_error:
            inside = [child for child in node.children if child.is_named and not child.is_extra]
            if len(inside) != 1:
                break
            node = inside[0]
        leaf = self._LEAVES.get(node.type)
        if leaf is not None:
            return leaf(self, node)
        if node.is_error or node.is_missing:
            self._leave_out(node)
            return placeholder(node)
        if self._is_too_deep(node):
            return placeholder(node)
        if node.has_error and node.type not in _FREE_OF_ORDER and any(child.is_error for child in node.children):
            return (yield self._pieces(node))
        convert = self._CONVERSIONS.get(node.type)
        if convert is None:
            return (yield self._pieces(node))
        return (yield convert(self, node))

    def _optional(self, node: Node | None) -> Steps:
        return None if node is None else (yield self._expression(node))

    def _each(self, nodes: Sequence[Node]) -> Steps:
        found: list[ast.expr] = []
        for node in nodes:
            leaf = self._LEAVES.get(node.type)
            found.append(leaf(self, node) if leaf is not None else (yield self._expression(node)))
        return found

    def _pieces(self, node: Node) -> Steps:
        """What is left of an expression with an error: its parts side by side, so that no relation is invented."""
        parts = self._parts(node)
        if node.type == "call" and parts and parts[-1].type == "argument_list":
            parts[-1:] = self._parts(parts[-1])
        parts = [part for part in parts if self._is_expression(part)]
        return at(ast.Tuple((yield self._each(parts)), ast.Load()), node)

    def _is_expression(self, node: Node) -> bool:
        return node.type in self._LEAVES or node.type in self._CONVERSIONS or node.type in _WRAPPING

    # Names and literals

    def _identifier(self, node: Node) -> ast.expr:
        if node.is_missing:
            self._leave_out(node)
            return placeholder(node)
        return at(ast.Name(self._name(node), ast.Load()), node)

    def _number(self, node: Node) -> ast.expr:
        return at(ast.Constant(number(self._text(node))), node)

    def _constant(self, node: Node) -> ast.expr:
        return at(ast.Constant({"true": True, "false": False, "none": None, "ellipsis": ...}[node.type]), node)

    # Chains: a loop, since they are longer than anything else is deep

    def _chain(self, node: Node) -> Steps:
        links: list[Node] = []
        inner: Node | None = node
        while inner is not None and inner.type in _CHAINED and not (links and self._is_broken(inner)):
            links.append(inner)
            inner = inner.child_by_field_name(_CHAINED[inner.type])
            while inner is not None and inner.type == "parenthesized_expression" and not inner.has_error:
                start = inner
                (inner,) = self._parts(inner)
                if inner.type not in _CHAINED:
                    inner = start
                    break
        inner, star = self._without_star(inner if inner is not None else node)
        made = yield self._expression(inner)
        for link in reversed(links):
            if link.type == "attribute":
                name = link.child_by_field_name("attribute")
                if name is None or name.is_missing:
                    self._leave_out(link)
                    continue
                made = at(ast.Attribute(made, self._name(name), ast.Load()), link)
            elif link.type == "call":
                arguments = yield self._arguments(link.child_by_field_name("arguments"))
                made = at(ast.Call(made, *arguments), link)
            else:
                made = at(ast.Subscript(made, (yield self._key(link)), ast.Load()), link)
            if star is not None:
                between(made, inner.start_point, link.end_point)
        return made if star is None else at(ast.Starred(made, ast.Load()), node)

    def _without_star(self, node: Node) -> tuple[Node, Node | None]:
        """Of `*a.b` and `*a + b` the grammar makes `(*a).b` and `(*a) + b`."""
        if node.type in ("list_splat", "list_splat_pattern") and not node.has_error:
            return node.children[-1], node
        return node, None

    def _is_broken(self, node: Node) -> bool:
        return node.has_error and any(child.is_error for child in node.children)

    def _arguments(self, node: Node | None) -> Steps:
        """Return the positional arguments and the keywords."""
        if node is None:
            return [], []
        if node.type == "generator_expression":
            return [(yield self._expression(node))], []
        positional: list[ast.expr] = []
        keywords: list[ast.keyword] = []
        for part in self._parts(node):
            if part.type == "keyword_argument":
                value = yield self._expression(part.child_by_field_name("value"))
                keywords.append(at(ast.keyword(self._name(part.child_by_field_name("name")), value), part))
            elif part.type == "dictionary_splat":
                (inner,) = self._parts(part)[:1] or [part]
                keywords.append(at(ast.keyword(None, (yield self._expression(inner))), part))
            else:
                positional.append((yield self._expression(part)))
        return positional, keywords

    def _key(self, node: Node) -> Steps:
        keys = [key for key in node.children_by_field_name("subscript") if key.is_named]
        found = yield self._each(keys)
        last = [child.type for child in node.children if not child.is_extra][-2:]
        if len(found) == 1 and last[:1] != [","] and not isinstance(found[0], ast.Starred):
            return found[0]
        if not keys:
            return placeholder(node)
        return between(ast.Tuple(found, ast.Load()), keys[0].start_point, keys[-1].end_point)

    def _slice(self, node: Node) -> Steps:
        parts: list[ast.expr | None] = [None, None, None]
        place = 0
        for child in node.children:
            if child.type == ":":
                place += 1
            elif child.is_named and not child.is_extra and place < len(parts):
                parts[place] = yield self._expression(child)
        return at(ast.Slice(*parts), node)

    # Operators

    def _binary(self, node: Node) -> Steps:
        links: list[Node] = []
        inner: Node = node
        while inner.type == "binary_operator" and not (links and self._is_broken(inner)):
            links.append(inner)
            left = inner.child_by_field_name("left")
            if left is None:
                break
            inner = left
        inner, star = self._without_star(inner)
        made = yield self._expression(inner)
        for link in reversed(links):
            operator = link.child_by_field_name("operator")
            right = yield self._expression(link.child_by_field_name("right"))
            made = at(ast.BinOp(made, OPERATORS[operator.type if operator else "+"](), right), link)
        return made if star is None else at(ast.Starred(made, ast.Load()), node)

    def _boolean(self, node: Node) -> Steps:
        operator = _word(node)
        values: list[Node] = []
        inner: Node = node
        while inner.type == "boolean_operator" and _word(inner) == operator:
            left, right = inner.child_by_field_name("left"), inner.child_by_field_name("right")
            if left is None or right is None or self._is_broken(inner):
                break
            values.append(right)
            inner = left
        values.append(inner)
        made = yield self._each(values[::-1])
        return at(ast.BoolOp(ast.And() if operator == "and" else ast.Or(), made), node)

    def _unary(self, node: Node) -> Steps:
        links: list[Node] = []
        inner: Node = node
        while inner.type in ("unary_operator", "not_operator", "await") and not (links and self._is_broken(inner)):
            links.append(inner)
            parts = self._parts(inner)
            if not parts:
                break
            inner = parts[-1]
        made = yield self._expression(inner)
        for link in reversed(links):
            if link.type == "await":
                made = at(ast.Await(made), link)
            else:
                operator = ast.Not if link.type == "not_operator" else _UNARY[link.children[0].type]
                made = at(ast.UnaryOp(operator(), made), link)
        return made

    def _comparison(self, node: Node) -> Steps:
        operators = [
            " ".join(self._text(child).split()) for child in node.children if not child.is_named and not child.is_error
        ]
        left, *others = yield self._each(self._parts(node))
        ops = [_COMPARED.get(operator, ast.Eq)() for operator in operators]
        others = others[: len(ops)]
        return at(ast.Compare(left, ops[: len(others)], others), node)

    def _conditional(self, node: Node) -> Steps:
        """Alternatives of alternatives: a loop to the last one, then back."""
        links: list[tuple[Node, ast.expr, ast.expr]] = []
        inner: Node = node
        while inner.type == "conditional_expression":
            parts = self._parts(inner)
            if len(parts) != 3 or (links and self._is_broken(inner)):
                break
            body = yield self._expression(parts[0])
            links.append((inner, body, (yield self._expression(parts[1]))))
            inner = parts[2]
        if not links:
            return (yield self._pieces(node))
        made = yield self._expression(inner)
        for link, body, test in reversed(links):
            made = at(ast.IfExp(test, body, made), link)
        return made

    def _named(self, node: Node) -> Steps:
        target = at(ast.Name(self._name(node.child_by_field_name("name")), ast.Store()), node.children[0])
        return at(ast.NamedExpr(target, (yield self._expression(node.child_by_field_name("value")))), node)

    def _yielded(self, node: Node) -> Steps:
        parts = self._parts(node)
        value = (yield self._expression(parts[0])) if parts else None
        if any(child.type == "from" for child in node.children) and value is not None:
            return at(ast.YieldFrom(value), node)
        return at(ast.Yield(value), node)

    # Displays and comprehensions

    def _display(self, node: Node) -> Steps:
        parts = yield self._each(self._parts(node))
        if node.type == "set":
            return at(ast.Set(parts), node)
        if node.type == "tuple_pattern" and len(parts) == 1 and not any(part.type == "," for part in node.children):
            return parts[0]
        kind = ast.List if node.type in ("list", "list_pattern") else ast.Tuple
        return at(kind(parts, ast.Load()), node)

    def _starred(self, node: Node) -> Steps:
        parts = self._parts(node)
        value = (yield self._expression(parts[0])) if parts else placeholder(node)
        return at(ast.Starred(value, ast.Load()), node)

    def _dictionary(self, node: Node) -> Steps:
        keys: list[ast.expr | None] = []
        values: list[ast.expr] = []
        for part in self._parts(node):
            if part.type == "pair":
                keys.append((yield self._expression(part.child_by_field_name("key"))))
                values.append((yield self._expression(part.child_by_field_name("value"))))
            else:
                keys.append(None)
                values.append((yield self._expression(part.children[-1])))
        return at(ast.Dict(keys, values), node)

    def _comprehension(self, node: Node) -> Steps:
        body = node.child_by_field_name("body")
        if node.type == "dictionary_comprehension" and body is not None:
            key = yield self._expression(body.child_by_field_name("key"))
            value = yield self._expression(body.child_by_field_name("value"))
            return at(ast.DictComp(key, value, (yield self._generators(node))), node)
        element = yield self._expression(body)
        generators = yield self._generators(node)
        if node.type == "list_comprehension":
            return at(ast.ListComp(element, generators), node)
        if node.type == "set_comprehension":
            return at(ast.SetComp(element, generators), node)
        return at(ast.GeneratorExp(element, generators), node)

    def _generators(self, node: Node) -> Steps:
        found: list[ast.comprehension] = []
        for part in self._parts(node):
            if part.type == "for_in_clause":
                target = with_context((yield self._expression(part.child_by_field_name("left"))), ast.Store())
                given = [one for one in part.children_by_field_name("right") if one.is_named]
                values = yield self._each(given)
                iterated = values[0] if len(values) == 1 else at(ast.Tuple(values, ast.Load()), part)
                is_async = any(child.type == "async" for child in part.children)
                found.append(ast.comprehension(target, iterated, [], int(is_async)))
            elif part.type == "if_clause" and found:
                found[-1].ifs += yield self._each(self._parts(part))
        return found

    # Functions

    def _lambda(self, node: Node) -> Steps:
        given, _ = yield self._parameters(node.child_by_field_name("parameters"))
        return at(ast.Lambda(given, (yield self._expression(node.child_by_field_name("body")))), node)

    def _parameters(self, node: Node | None) -> Steps:
        """Return the parameters, and the assignments that unpack those which Python 2 writes as tuples."""
        made = ast.arguments([], [], None, [], [], None, [])
        unpacked: list[ast.stmt] = []
        after_star = False
        for part in self._parts(node) if node is not None else ():
            name, annotation, default = part, None, None
            if part.type in ("default_parameter", "typed_default_parameter"):
                name = part.child_by_field_name("name") or part
                default = yield self._optional(part.child_by_field_name("value"))
            elif part.type == "typed_parameter":
                name = part.children[0]
            if part.type.startswith("typed"):
                annotation = yield self._optional(part.child_by_field_name("type"))
            if part.type == "positional_separator":
                made.posonlyargs, made.args = [*made.posonlyargs, *made.args], []
            elif part.type == "keyword_separator":
                after_star = True
            elif name.type in ("list_splat_pattern", "dictionary_splat_pattern"):
                parameter = at(ast.arg(self._name(name.children[-1]), annotation), name.children[-1])
                if name.type == "list_splat_pattern":
                    made.vararg, after_star = parameter, True
                else:
                    made.kwarg = parameter
            elif name.type in ("identifier", "tuple_pattern"):
                parameter = at(ast.arg(" ".join(self._name(name).split()), annotation), part)
                if name.type == "tuple_pattern":
                    target = with_context((yield self._expression(name)), ast.Store())
                    source = at(ast.Name(parameter.arg, ast.Load()), name)
                    unpacked.append(at(ast.Assign([target], source), name))
                if after_star:
                    made.kwonlyargs.append(parameter)
                    made.kw_defaults.append(default)
                else:
                    made.args.append(parameter)
                    if default is not None or made.defaults:
                        made.defaults.append(default if default is not None else placeholder(part))
            else:
                self._leave_out(part)
        return made, unpacked

    # Types

    def _generic(self, node: Node) -> Steps:
        name, *rest = self._parts(node)
        types = yield self._each(self._parts(rest[0]) if rest else [])
        key = types[0] if len(types) == 1 else at(ast.Tuple(types, ast.Load()), rest[0] if rest else node)
        return at(ast.Subscript((yield self._expression(name)), key, ast.Load()), node)

    def _union(self, node: Node) -> Steps:
        """`A | B | C`, which the grammar may group from the right."""
        operands: list[ast.expr] = []
        for part in (yield self._each(self._parts(node))):
            right: list[ast.expr] = []
            while isinstance(part, ast.BinOp) and isinstance(part.op, ast.BitOr):
                right.append(part.right)
                part = part.left
            operands += [part, *reversed(right)]
        made = operands[0]
        for operand in operands[1:]:
            made = at(ast.BinOp(made, ast.BitOr(), operand), node)
        return made

    def _member(self, node: Node) -> Steps:
        parts = self._parts(node)
        return at(ast.Attribute((yield self._expression(parts[0])), self._name(parts[-1]), ast.Load()), node)

    _LEAVES: ClassVar[dict[str, Callable[[ExpressionConversion, Node], ast.expr]]] = {
        "identifier": _identifier,
        "integer": _number,
        "float": _number,
        "true": _constant,
        "false": _constant,
        "none": _constant,
        "ellipsis": _constant,
    }
    _CONVERSIONS: ClassVar[dict[str, Callable[[ExpressionConversion, Node], Steps]]] = {
        "string": StringConversion._string,
        "concatenated_string": StringConversion._strings,
        "attribute": _chain,
        "call": _chain,
        "subscript": _chain,
        "slice": _slice,
        "binary_operator": _binary,
        "boolean_operator": _boolean,
        "unary_operator": _unary,
        "not_operator": _unary,
        "await": _unary,
        "comparison_operator": _comparison,
        "conditional_expression": _conditional,
        "named_expression": _named,
        "yield": _yielded,
        "list": _display,
        "set": _display,
        "tuple": _display,
        "expression_list": _display,
        "tuple_expression": _display,
        "pattern_list": _display,
        "tuple_pattern": _display,
        "list_pattern": _display,
        "list_splat": _starred,
        "list_splat_pattern": _starred,
        "splat_type": _starred,
        "dictionary": _dictionary,
        "list_comprehension": _comprehension,
        "set_comprehension": _comprehension,
        "dictionary_comprehension": _comprehension,
        "generator_expression": _comprehension,
        "lambda": _lambda,
        "generic_type": _generic,
        "union_type": _union,
        "member_type": _member,
    }


def _word(node: Node) -> str:
    operator = node.child_by_field_name("operator")
    return operator.type if operator is not None else ""
