"""Trees that a walk by recursion can follow."""

from __future__ import annotations

import ast

from plait.parse.lines import merged

MAX_DEPTH = 100
"""Expressions in each other. A walk takes two or three frames for each and the interpreter has 1,000; the deepest that
people write have about 30."""

TOO_DEEP = f"values are not followed into expressions in more than {MAX_DEPTH} others"

_INSIDE = (ast.arguments, ast.arg, ast.keyword, ast.comprehension)
"""Parts of expressions that are none themselves."""


def shorten(tree: ast.Module) -> tuple[tuple[int, int], ...]:
    """Replace what lies deeper than MAX_DEPTH by `...`, in place; return the lines where that was done, in order.

    The left operand of an operator is not deeper than the operator: walks follow it by a loop.
    """
    cut: list[tuple[int, int]] = []
    waiting: list[tuple[ast.AST, int]] = [(tree, 0)]
    while waiting:
        node, depth = waiting.pop()
        for name, value in ast.iter_fields(node):
            for place, child in enumerate(value) if isinstance(value, list) else [(-1, value)]:
                if not isinstance(child, ast.AST) or isinstance(child, (ast.Name, ast.Constant)):
                    continue
                if not isinstance(child, ast.expr):
                    waiting.append((child, depth if isinstance(child, _INSIDE) else 0))
                    continue
                below = depth if isinstance(node, ast.BinOp) and name == "left" else depth + 1
                if below <= MAX_DEPTH:
                    waiting.append((child, below))
                    continue
                cut.append((child.lineno, child.end_lineno or child.lineno))
                made = ast.copy_location(ast.Constant(...), child)
                if place < 0:
                    setattr(node, name, made)
                else:
                    value[place] = made
    return merged(cut)
