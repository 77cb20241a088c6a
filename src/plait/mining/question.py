"""What is mined: a question with its answer, and how its wording is judged."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum
from hashlib import blake2b

from plait.model import Symbol, SymbolId
from plait.terms import terms


class Origin(StrEnum):
    """Where a question comes from; the categories of a mined collection."""

    COMMIT = "commit"
    DOCSTRING = "docstring"
    TEST = "test"
    FLOW = "flow"
    """derived from the call graph, so it says nothing for the graph"""
    WRITTEN = "written"
    """by a person"""


NAMED = ", named"
"""Ends the category of questions that name what they look for."""


@dataclass(frozen=True, slots=True)
class Question:
    origin: Origin
    text: str
    """one line, without tabs"""
    answer: tuple[SymbolId, ...]
    """by id, never empty"""
    is_named: bool
    """a function of the answer is named in the text"""
    source: str
    """what it was made of: a commit's hash or a symbol's id"""

    @property
    def category(self) -> str:
        return f"{self.origin}{NAMED if self.is_named else ''}"


def order(source: str) -> str:
    """The key by which some of many are taken: as good as chance, and the same each time."""
    return blake2b(source.encode(), digest_size=8).hexdigest()


_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_LINE = re.compile(r"\s+")


def words(text: str) -> list[str]:
    return _WORD.findall(text)


def one_line(text: str) -> str:
    return _LINE.sub(" ", text).strip()


def same(text: str) -> str:
    """What is equal in texts that say the same: words in small letters."""
    return " ".join(words(text.lower()))


SHORT = 3
"""Letters of a name that are too few to tell a name from a word."""


def says(text: str, name: str) -> bool:
    """Whether a name stands in the text as it is written."""
    return len(name) >= SHORT and bool(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE))


def names(text: str, symbol: Symbol) -> bool:
    """Whether the text names the symbol: as it is written, or all words of its name one after another."""
    name = symbol.name.strip("_")
    if len(name) < SHORT:
        return False
    whole, *parts = terms(name) or (name,)
    spoken = f" {' '.join(terms(text))} "
    if f" {' '.join(parts or [whole])} " in spoken:
        return True
    return says(text, name)


def named(text: str, symbols: Collection[Symbol]) -> bool:
    return any(names(text, symbol) for symbol in symbols)
