"""Signature and docstring of a definition, each from its node alone."""

from __future__ import annotations

import ast


def function_signature(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    """One line, normalised: `async def f(a: int, *, b=1) -> str`."""
    keyword = "async def" if isinstance(node, ast.AsyncFunctionDef) else "def"
    result = f" -> {_source(node.returns)}" if node.returns else ""
    return f"{keyword} {node.name}{_type_parameters(node)}({_source(node.args)}){result}"


def class_signature(node: ast.ClassDef) -> str:
    """One line, normalised: `class C(Base, metaclass=M)`."""
    arguments = [_source(base) for base in node.bases]
    arguments += [f"{one.arg}={_source(one.value)}" if one.arg else f"**{_source(one.value)}" for one in node.keywords]
    written = f"({', '.join(arguments)})" if arguments else ""
    return f"class {node.name}{_type_parameters(node)}{written}"


def docstring(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Module) -> str:
    """The cleaned docstring, empty if there is none; lone surrogates are escaped, so that it can be encoded."""
    return (ast.get_docstring(node) or "").encode(errors="backslashreplace").decode()


def is_abstract(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether the body does nothing, or only raises NotImplementedError; a docstring counts as nothing."""
    return all(_does_nothing(statement) for statement in node.body)


def is_coroutine(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether a call gives something to await: `async def` without `yield`, which would make it a generator."""
    if not isinstance(node, ast.AsyncFunctionDef):
        return False
    stack: list[ast.AST] = list(node.body)
    while stack:
        inner = stack.pop()
        if isinstance(inner, ast.Yield):
            return False
        if not isinstance(inner, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            stack += ast.iter_child_nodes(inner)
    return True


def _does_nothing(statement: ast.stmt) -> bool:
    match statement:
        case ast.Pass() | ast.Expr(value=ast.Constant()):
            return True
        case ast.Raise(exc=ast.Name(id=name) | ast.Call(func=ast.Name(id=name))):
            return name == "NotImplementedError"
    return False


def _type_parameters(node: ast.AST) -> str:
    found: list[ast.AST] = getattr(node, "type_params", [])
    return f"[{', '.join(map(_source, found))}]" if found else ""


def _source(node: ast.AST) -> str:
    try:
        written = ast.unparse(node)
    except RecursionError:
        return "..."
    return " ".join(written.split()).encode(errors="backslashreplace").decode()
