"""What a context consists of."""

from __future__ import annotations

from dataclasses import dataclass

from plait.model import Symbol


@dataclass(frozen=True, slots=True)
class Shown:
    text: str
    """all lines of a function, a class's own; where not whole, a line `... lines A-B left out` for each gap"""
    is_whole: bool = True


@dataclass(frozen=True, slots=True)
class Part:
    number: int
    """its place in the flow, from 1"""
    rank: int
    """its place in the ranking of the question, from 1"""
    symbol: Symbol
    score: float
    calls: tuple[int, ...]
    """the numbers of the parts that it calls, ascending"""
    shown: Shown | None
    """None where the budget was too small, and for what another part shows: what it is defined in, or a copy of it"""


@dataclass(frozen=True, slots=True)
class Context:
    query: str
    strategy: str
    state: str
    """of the snapshot that answered"""
    budget: int
    """tokens, as `plait.context.tokens` counts them"""
    total: int
    """candidates in the whole ranking, modules not counted"""
    parts: tuple[Part, ...]
    """in the order in which they run"""
    left_out: tuple[Symbol, ...]
    """candidates that are not even named among the parts, best first"""
    by_words: bool = True
    """whether a word of the question is in any candidate; if not, they are only the nearest in meaning"""
