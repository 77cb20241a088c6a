"""Names that are used as values: passed, stored, returned, compared, caught; neither called nor annotated."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator, Set

from plait.facts import Mention
from plait.model import SymbolId
from plait.parse.expressions import dotted

_FIELDS: dict[type[ast.AST], tuple[str, ...]] = {
    ast.Call: ("args",),
    ast.keyword: ("value",),
    ast.Assign: ("value",),
    ast.AnnAssign: ("value",),
    ast.NamedExpr: ("value",),
    ast.Return: ("value",),
    ast.Yield: ("value",),
    ast.Starred: ("value",),
    ast.Tuple: ("elts",),
    ast.List: ("elts",),
    ast.Set: ("elts",),
    ast.Dict: ("keys", "values"),
    ast.IfExp: ("body", "orelse"),
    ast.BoolOp: ("values",),
    ast.Compare: ("left", "comparators"),
    ast.ExceptHandler: ("type",),
    ast.For: ("iter",),
}
MENTIONING = frozenset((*_FIELDS, ast.Subscript))
"""Nodes in which `mentioned` finds something."""
_BUILTINS = frozenset(dir(builtins))


def mentioned(node: ast.AST, hidden: Set[str], types: set[ast.AST]) -> Iterator[tuple[str, int]]:
    """Expression and line of each name, or chain of attributes of one, that stands as a value in the node itself.

    `types` collects the displays in brackets (`dict[A, B]`, `Callable[[A], B]`), which are read later than what is
    around them and are parts of types.
    """
    if isinstance(node, ast.Subscript) and isinstance(node.slice, (ast.Tuple, ast.List)):
        types.add(node.slice)
    if node in types:
        types.update(one for one in getattr(node, "elts", ()) if isinstance(one, (ast.Tuple, ast.List)))
        return
    for field in _FIELDS.get(type(node), ()):
        found = getattr(node, field)
        for one in found if isinstance(found, list) else (found,):
            if isinstance(one, (ast.Name, ast.Attribute)) and isinstance(one.ctx, ast.Load):
                expression = dotted(one, hidden)
                if expression[0] not in "?<" and "()" not in expression:
                    yield expression, one.lineno


def kept(
    found: Iterable[tuple[SymbolId, str, int]], bound: Set[tuple[SymbolId, str]], module: SymbolId, owners: Set[str]
) -> tuple[Mention, ...]:
    """Each once in a scope, with its first line; without local variables of functions and builtins.

    `bound` are the names that scopes bind; `owners` those of first parameters of methods, whose attributes stay.
    """
    first: dict[tuple[SymbolId, str], int] = {}
    for scope, expression, line in found:
        root, _, rest = expression.partition(".")
        attribute = bool(rest) and root in owners
        variable = scope != module and (scope, root) in bound
        builtin = root in _BUILTINS and (module, root) not in bound
        if attribute or not (variable or builtin):
            key = (scope, expression)
            first[key] = min(line, first.get(key, line))
    return tuple(Mention(scope, expression, line) for (scope, expression), line in first.items())
