"""Executed calls of a package, as `suites.py` has written them, and how far a set of edges agrees with them.

Judged are plain functions only: those nested in functions, lambdas, generators and coroutines are left out on both
sides. A generator expression belongs to the function around it. Recall is over the executed edges; *explicit* recall
leaves out properties and dunders except `__init__`. Precision is over the edges out of functions whose every line ran:
a lower bound, since of several possible targets the tests need not reach each. `Score.direct` also leaves unjudged what
ran only through something left out, as a decorator's wrapper.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

Name = tuple[str, str]
"""path and qualified name in the file"""
Edge = tuple[Name, Name]
PROPERTY = ("property", "setter", "getter", "deleter")


@dataclass(frozen=True)
class Score:
    recall: float
    explicit: float
    precision: float
    direct: float

    def __str__(self) -> str:
        return f"{self.recall:>8.3f}{self.explicit:>10.3f}{self.precision:>11.3f}{self.direct:>8.3f}"


TITLE = f"{'recall':>8}{'explicit':>10}{'precision':>11}{'direct':>8}"


def _definitions(body: Iterable[ast.AST], prefix: str) -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    """Functions that stand in no other function. Definitions below if, try and with count as well."""
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield from _definitions(node.body, f"{prefix}{node.name}.")
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield f"{prefix}{node.name}", node
        elif not isinstance(node, ast.expr):
            yield from _definitions(ast.iter_child_nodes(node), prefix)


def _is_generator(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether a call does not run the body: a generator or a coroutine."""
    if isinstance(function, ast.AsyncFunctionDef):
        return True
    waiting: list[ast.AST] = list(function.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Yield | ast.YieldFrom):
            return True
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            waiting += ast.iter_child_nodes(node)
    return False


class Executed:
    """The functions and executed calls of one package."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "source"
        self.name: dict[tuple[str, int], Name] = {}
        """of each plain function, by path and first line (decorators included)"""
        self.implicit: set[Name] = set()
        generators, overloads = set(), set()
        for path in sorted(self.root.rglob("*.py")):
            file = path.relative_to(self.root).as_posix()
            for name, node in _definitions(ast.parse(path.read_bytes()).body, ""):
                first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
                self.name[file, first] = (file, name)
                marks = [ast.unparse(mark).partition("(")[0] for mark in node.decorator_list]
                dunder = node.name.startswith("__") and node.name.endswith("__") and node.name != "__init__"
                if dunder or any(mark.endswith(PROPERTY) for mark in marks):
                    self.implicit.add((file, name))
                if _is_generator(node):
                    generators.add((file, name))
                if any(mark.endswith("overload") for mark in marks):
                    overloads.add((file, first))
        self.name = {key: name for key, name in self.name.items() if name not in generators}
        self.functions = set(self.name.values())

        traced = json.loads((folder / "calls.json").read_text("utf-8"))
        ran = {(file, line) for file, lines in traced["lines"].items() for line in lines}
        statements = [(file, first, lines) for file, _, first, lines in traced["statements"]]
        partly = {
            self.name.get((file, first))
            for file, first, lines in statements
            if (file, first) not in overloads and any((file, line) not in ran for line in lines)
        }
        self.whole = self.functions - partly
        """functions whose every line ran"""
        self.calls = set(self._pairs(traced["calls"]))
        indirect = {*self._pairs(traced["through"]), *self._pairs(traced["calls"], lambdas=True)}
        self.indirect = indirect - self.calls
        self.explicit = {edge for edge in self.calls if edge[1] not in self.implicit}

    def _pairs(self, traced: list[list[list[object]]], *, lambdas: bool = False) -> Iterator[Edge]:
        """Read calls; `lambdas` gives those inside a lambda to the function that it stands in, and no others."""
        for (path, qualified, line), (file, _, first) in traced:
            callee = self.name.get((str(file), int(str(first))))
            owner, inside, _ = str(qualified).partition(".<locals>.<genexpr>")
            if lambdas:
                owner, inside, _ = owner.partition(".<locals>.<lambda>")
                caller = (str(path), owner) if inside else None
            else:
                caller = (str(path), owner) if inside else self.name.get((str(path), int(str(line))))
            if callee and caller in self.functions and "<" not in str(file):
                yield caller, callee

    def score(self, edges: Iterable[Edge]) -> Score:
        found = {edge for edge in edges if self.functions.issuperset(edge)}
        judged = {edge for edge in found if edge[0] in self.whole}
        right = judged & self.calls
        return Score(
            len(found & self.calls) / max(len(self.calls), 1),
            len(found & self.explicit) / max(len(self.explicit), 1),
            len(right) / max(len(judged), 1),
            len(right) / max(len(judged - self.indirect), 1),
        )

    def __str__(self) -> str:
        return (
            f"{len(self.functions)} functions, {len(self.whole)} ran whole, {len(self.calls)} calls executed, "
            f"{len(self.explicit)} of them explicit"
        )
