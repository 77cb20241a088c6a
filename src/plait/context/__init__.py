"""The functions that belong to a question, as much of them as fits into a number of tokens."""

from plait.context.composing import STRATEGY, compose, written
from plait.context.layout import lines
from plait.context.parts import Context, Part, Shown
from plait.context.tokens import tokens

__all__ = ["STRATEGY", "Context", "Part", "Shown", "compose", "lines", "tokens", "written"]
