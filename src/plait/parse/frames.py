"""The namespaces of a module as a walk passes through them, and what binds names in them."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field

from plait.model import SymbolId


@dataclass(slots=True)
class Frame:
    """One namespace while it is walked."""

    scope: SymbolId
    kind: str
    bound: frozenset[str]
    outer: Frame | None
    versions: dict[str, int] = field(default_factory=dict)
    """the node that each name holds at this point of the walk"""
    elsewhere: dict[str, str] = field(default_factory=dict)
    """name -> "global" or "nonlocal" """
    result: int = -1
    yielded: int = -1
    owner: SymbolId | None = None
    """the class, in a method"""
    first: int = -1
    """node of a method's first parameter"""
    hidden: set[str] = field(default_factory=set)
    """names that a comprehension binds at this point"""


def bound_in(body: Sequence[ast.stmt], *, walrus: bool) -> frozenset[str]:
    """The names that statements bind in their own namespace; without `walrus`, no expression is taken to bind any."""
    names: set[str] = set()
    stack: list[ast.AST] = list(body)
    while stack:
        node = stack.pop()
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                names.add(name)
                continue
            case ast.Lambda():
                continue
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                names.add(name)
            case ast.Import() | ast.ImportFrom():
                names.update(one.asname or one.name.partition(".")[0] for one in node.names if one.name != "*")
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                names.add(name)
            case ast.comprehension():
                stack += [node.iter, *node.ifs]
                continue
            case ast.Tuple(ctx=ast.Store()) | ast.List(ctx=ast.Store()) | ast.Starred(ctx=ast.Store()):
                pass
            case ast.expr() if not walrus:
                continue
        stack += ast.iter_child_nodes(node)
    return frozenset(names)


def parameter_names(given: ast.arguments) -> frozenset[str]:
    every = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
    return frozenset(parameter.arg for parameter in every if parameter is not None)
