"""The namespaces of a module as a walk passes through them, and what binds names in them."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from plait.model import SymbolId

Place: TypeAlias = tuple[object, ...]
"""A variable and the way from it: `self.tasks["a"]` is ("self", ".tasks", ("a",))."""


@dataclass(slots=True)
class Frame:
    """One namespace while it is walked."""

    scope: SymbolId
    kind: str
    bound: frozenset[str]
    outer: Frame | None
    versions: dict[str, int] = field(default_factory=dict)
    """the node that each name holds at this point of the walk"""
    stored: dict[Place, int] = field(default_factory=dict)
    """what was last stored where, until control branches or a call may change it"""
    elsewhere: dict[str, str] = field(default_factory=dict)
    """name -> "global" or "nonlocal" """
    result: int = -1
    passed: dict[int, None] = field(default_factory=dict)
    """nodes of the parameters that are returned as they came"""
    yielded: int = -1
    owner: SymbolId | None = None
    """the class, in a method"""
    first: int = -1
    """node of a method's first parameter"""
    parameters: dict[int, ast.expr | None] = field(default_factory=dict)
    """node of each parameter -> its annotation"""
    hidden: set[str] = field(default_factory=set)
    """names that a comprehension binds at this point"""

    def rebind(self, name: str) -> None:
        """Forget what was stored in what the name held."""
        if self.stored:
            self.stored = {place: node for place, node in self.stored.items() if place[0] != name}

    def store(self, target: ast.expr, node: int) -> None:
        """Remember what was stored; other names may hold the same object, so a key that is not known forgets all."""
        place = place_of(target)
        if place is None:
            self.stored.clear()
            return
        self.stored = {one: held for one, held in self.stored.items() if place[-1] not in one}
        if node >= 0:
            self.stored[place] = node


def place_of(node: ast.expr) -> Place | None:
    """None for what is not reached from a variable by attributes and constant keys alone."""
    links: list[object] = []
    while True:
        match node:
            case ast.Name(id=name):
                return (name, *reversed(links))
            case ast.Attribute(value=owner, attr=attribute):
                links.append(f".{attribute}")
            case ast.Subscript(value=owner, slice=ast.Constant(value=str() | int() as key)):
                links.append((key,))
            case _:
                return None
        node = owner


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
