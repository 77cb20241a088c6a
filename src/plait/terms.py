"""From text to lexical terms: words in lower case, identifiers both whole and split."""

from __future__ import annotations

import re
from functools import lru_cache

_WORD = re.compile(r"\w+")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")

STOP_WORDS = frozenset(
    "a an and are as at be by can do does for from has have how i if in into is it its of on or that the their them "
    "then there this to was we what when where which who why will with".split()
)
"""English function words. They are left out of questions, not out of documents, where some of them are code."""


def terms(text: str) -> tuple[str, ...]:
    """Return the terms in order of occurrence, repeats kept.

    `getHTTPResponse_v2` gives gethttpresponse_v2, get, http, response, v, 2; a word of one part gives itself once.
    A piece with letters outside ASCII is split at underscores only.
    """
    return tuple(term for word in _WORD.findall(text) for term in _terms_of(word))


@lru_cache(maxsize=100_000)
def _terms_of(word: str) -> tuple[str, ...]:
    whole = word.lower().strip("_")
    pieces = word.split("_")
    parts = [part.lower() for piece in pieces for part in (_PART.findall(piece) if piece.isascii() else [piece])]
    return (*((whole,) if whole else ()), *(parts if len(parts) > 1 else ()))


def query_terms(text: str) -> tuple[str, ...]:
    """Return the terms of a question, each once, without stop words; if nothing else is left, with them."""
    every = tuple(dict.fromkeys(terms(text)))
    return tuple(term for term in every if term not in STOP_WORDS) or every
