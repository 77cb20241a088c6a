"""What assignments bind: pairs of target and value, and the literal `__all__`."""

from __future__ import annotations

import ast
from collections.abc import Iterator


def paired(target: ast.expr, value: ast.expr) -> Iterator[tuple[ast.expr, ast.expr | None]]:
    """Each single target with its value; the value is None where an unpacking hides which part it is."""
    stack: list[tuple[ast.expr, ast.expr | None]] = [(target, value)]
    while stack:
        target, source = stack.pop()
        if not isinstance(target, (ast.Tuple, ast.List)):
            yield target, source
        elif isinstance(source, (ast.Tuple, ast.List)) and _fits(target, source):
            stack += reversed(list(zip(target.elts, source.elts, strict=True)))
        else:
            yield target, None


def _fits(target: ast.Tuple | ast.List, source: ast.Tuple | ast.List) -> bool:
    starred = any(isinstance(element, ast.Starred) for element in (*target.elts, *source.elts))
    return len(target.elts) == len(source.elts) and not starred


def exported_names(tree: ast.Module) -> tuple[str, ...] | None:
    """The names in `__all__`, in order; None if there is no `__all__` or a part of it is not a literal."""
    names: list[str] | None = None
    for statement in tree.body:
        match statement:
            case (
                ast.Assign(targets=[ast.Name(id="__all__")], value=value)
                | ast.AnnAssign(target=ast.Name(id="__all__"), value=ast.expr() as value)
            ):
                names = literal = _literal_names(value)
            case ast.AugAssign(target=ast.Name(id="__all__"), value=value):
                literal = _literal_names(value)
                names = [*names, *literal] if names is not None and literal is not None else None
            case ast.Expr(ast.Call(ast.Attribute(ast.Name(id="__all__"))) as call):
                literal = _call_names(call)
                names = [*names, *literal] if names is not None and literal is not None else None
            case _:
                continue
        if literal is None:
            return None
    return None if names is None else tuple(names)


def _call_names(call: ast.Call) -> list[str] | None:
    match call:
        case ast.Call(ast.Attribute(attr="extend"), [value]):
            return _literal_names(value)
        case ast.Call(ast.Attribute(attr="append"), [value]):
            return _literal_names(ast.List([value]))
    return None


def _literal_names(value: ast.expr) -> list[str] | None:
    names: list[str] = []
    stack = [value]
    while stack:
        match stack.pop():
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                stack += [right, left]
            case ast.List(elts=elements) | ast.Tuple(elts=elements):
                for element in elements:
                    if not (isinstance(element, ast.Constant) and isinstance(element.value, str)):
                        return None
                    if element.value.isidentifier():
                        names.append(element.value)
            case _:
                return None
    return names
