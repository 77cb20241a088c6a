"""The definitions around a place, while a file is walked."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Sequence, Set
from dataclasses import dataclass, field

from plait.model import Receiver, SymbolId, SymbolKind
from plait.parse.expressions import dotted
from plait.parse.frames import bound_in

_IMPLICIT_CLASS_METHODS = {"__new__", "__init_subclass__", "__class_getitem__"}


@dataclass(slots=True)
class Scope:
    id: SymbolId
    kind: SymbolKind
    name: str
    """dotted from the module on, the module's own included"""
    parent: Scope | None = None
    parameters: frozenset[str] = frozenset()
    owner: str | None = None
    """what a method calls its first parameter; None where that is not the object or its class"""
    owner_form: Receiver = Receiver.NAME
    globals: set[str] = field(default_factory=set)
    nonlocals: set[str] = field(default_factory=set)
    body: Sequence[ast.stmt] = ()
    """of a class: its statements"""
    children: Counter[tuple[str, bool]] = field(default_factory=Counter)

    def own_form(self, name: str) -> Receiver:
        """SELF or CLS if the name is, here, the first parameter of a method around this place; else NAME."""
        scope: Scope | None = self
        while scope is not None and scope.kind in (SymbolKind.FUNCTION, SymbolKind.METHOD):
            if scope.owner == name:
                return scope.owner_form
            if name in scope.parameters:
                break
            scope = scope.parent
        return Receiver.NAME

    def unseen(self) -> frozenset[str]:
        """The names of a class, which the lambdas and comprehensions among its statements do not see."""
        return bound_in(self.body, walrus=False)

    @property
    def module(self) -> Scope:
        scope = self
        while scope.parent is not None:
            scope = scope.parent
        return scope

    def owner_of(self, name: str, bound: Set[tuple[SymbolId, str]]) -> Scope:
        """The scope that has a name declared `global` or `nonlocal` here; this one if none around binds it."""
        if name in self.globals:
            return self.module
        scope = self.parent
        while scope is not None and (scope.kind is SymbolKind.CLASS or (scope.id, name) not in bound):
            scope = scope.parent
        return scope or self

    def up_to(self, owner: Scope) -> list[Scope]:
        """The scopes from here outward to the owner, which is left out."""
        found: list[Scope] = []
        scope: Scope | None = self
        while scope is not None and scope is not owner:
            found.append(scope)
            scope = scope.parent
        return found


def parameters(arguments: ast.arguments) -> list[ast.arg]:
    """All parameters in the order of the source."""
    plain = [*arguments.posonlyargs, *arguments.args]
    star = [arguments.vararg] if arguments.vararg else []
    double = [arguments.kwarg] if arguments.kwarg else []
    return [*plain, *star, *arguments.kwonlyargs, *double]


def owner_form(node: ast.FunctionDef | ast.AsyncFunctionDef) -> Receiver | None:
    """What the first parameter of a method is: SELF, CLS, or None in a static method."""
    decorators = {dotted(decorator).rpartition(".")[2] for decorator in node.decorator_list}
    if "staticmethod" in decorators:
        return None
    if "classmethod" in decorators or node.name in _IMPLICIT_CLASS_METHODS:
        return Receiver.CLS
    return Receiver.SELF


def bound_names(target: ast.AST) -> list[str]:
    """Names that the targets of a loop, a comprehension or an unpacking bind."""
    found: list[str] = []
    stack = [target]
    while stack:
        node = stack.pop()
        if isinstance(node, ast.Name):
            found.append(node.id)
        elif isinstance(node, (ast.Tuple, ast.List)):
            stack += reversed(node.elts)
        elif isinstance(node, ast.Starred):
            stack.append(node.value)
    return found
