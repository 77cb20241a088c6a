"""Grammars of tree-sitter: which wheel holds which, and how it is loaded. Nothing is downloaded.

Each language's grammar is a package of its own, imported when the first file of the language is met.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import tree_sitter


ERROR = 0xFFFF
"""The number of the type of what a grammar does not understand, in every grammar."""


@dataclass(frozen=True, slots=True)
class Grammar:
    module: str
    requirement: str
    """what pip must be told"""
    function: str = "language"


class GrammarMissing(Exception):
    """A grammar cannot be used; the text says why and which pip line mends it."""

    def __init__(self, grammar: Grammar, problem: str) -> None:
        super().__init__(f"{problem}; run: pip install '{grammar.requirement}'")


def _one(name: str, least: str, function: str = "language") -> Grammar:
    return Grammar(f"tree_sitter_{name.replace('-', '_')}", f"tree-sitter-{name}>={least}", function)


GRAMMARS = {
    "bash": _one("bash", "0.25"),
    "c": _one("c", "0.24"),
    "cpp": _one("cpp", "0.23"),
    "csharp": _one("c-sharp", "0.23"),
    "elixir": _one("elixir", "0.3.4"),
    "go": _one("go", "0.25"),
    "haskell": _one("haskell", "0.23"),
    "java": _one("java", "0.23"),
    "javascript": _one("javascript", "0.25"),
    "kotlin": _one("kotlin", "1.1"),
    "lua": _one("lua", "0.4"),
    "php": _one("php", "0.24", "language_php"),
    "python": _one("python", "0.25"),
    "ruby": _one("ruby", "0.23"),
    "rust": _one("rust", "0.24"),
    "scala": _one("scala", "0.24"),
    "swift": _one("swift", "0.7"),
    "typescript": _one("typescript", "0.23", "language_typescript"),
    "tsx": _one("typescript", "0.23", "language_tsx"),
    "zig": _one("zig", "1.1"),
}


@cache
def language(name: str) -> tree_sitter.Language:
    """Load a grammar. Raises GrammarMissing if it is not installed or not one that the binding can read."""
    grammar = GRAMMARS[name]
    try:
        from tree_sitter import Language

        module = import_module(grammar.module)
    except ImportError:
        raise GrammarMissing(grammar, f"{grammar.requirement.partition('>')[0]} is not installed") from None
    try:
        return Language(getattr(module, grammar.function)())
    except (AttributeError, ValueError, TypeError) as error:
        raise GrammarMissing(grammar, f"its grammar is of another version: {error}") from None


def parser(name: str) -> tree_sitter.Parser:
    try:
        from tree_sitter import Parser
    except ImportError:
        raise GrammarMissing(GRAMMARS[name], "tree-sitter is not installed") from None
    return Parser(language(name))


def kinds(name: str, types: Iterable[str]) -> dict[str, int]:
    """Return the number of each type of named node. Raises GrammarMissing if the grammar lacks one."""
    loaded = language(name)
    found = {one: loaded.id_for_node_kind(one, True) for one in types}
    missing = sorted(one for one, number in found.items() if number is None)
    if missing:
        raise GrammarMissing(GRAMMARS[name], f"its grammar is of another version: it has no {missing[0]}")
    return {one: number for one, number in found.items() if number is not None}


def region(start: tuple[int, int], end: tuple[int, int], first: int, after: int) -> Any:
    """A part of a text to parse: rows and columns, and bytes."""
    from tree_sitter import Range

    return Range(start, end, first, after)
