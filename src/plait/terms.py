"""From text to lexical terms: stems of words in lower case; identifiers whole, and the stems of their parts."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import chain

_WORD = re.compile(r"\w+")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")

_VOWEL = re.compile("[aeiouy]")
_SHORTEST = 4

STOP_WORDS = frozenset(
    "a an and are as at be by can do does for from has have how i if in into is it its of on or that the their them "
    "then there this to was we what when where which who why will with".split()
)
"""English function words. They are left out of questions, not out of documents, where some of them are code."""


def terms(text: str) -> tuple[str, ...]:
    """Return the terms in order of occurrence, repeats kept.

    `getHTTPResponses_v2` gives gethttpresponses_v2, get, http, respons, v, 2; a word of one part gives its stem once.
    A piece with letters outside ASCII is split at underscores only.
    """
    return tuple(chain.from_iterable(map(_terms_of, _WORD.findall(text))))


@lru_cache(maxsize=100_000)
def _terms_of(word: str) -> tuple[str, ...]:
    whole = word.lower().strip("_")
    pieces = word.split("_")
    parts = [part.lower() for piece in pieces for part in (_PART.findall(piece) if piece.isascii() else [piece])]
    if len(parts) > 1:
        return (whole, *map(stem, parts))
    return (stem(whole),) if whole else ()


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """Return what a word in lower case shares with its inflections, and a verb with what it names.

    A light stemmer in the manner of Harman's ("How effective is suffixing?", 1991) and of the first steps of Porter's
    (1980), with the endings that code lives of: parse, parses, parsed, parsing and parser give pars; validate,
    validation and validator give validat. Short words, and words of other letters, stay as they are.
    """
    if len(word) < _SHORTEST or not (word.isascii() and word.isalpha()):
        return word
    if word.endswith("ies") and len(word) > _SHORTEST:
        word = f"{word[:-3]}y"
    elif word.endswith(("sses", "xes", "zes", "ches", "shes")):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith(("ss", "us", "is", "ias")):
        word = word[:-1]
    for ending, least in (("ing", 3), ("ed", 3), ("er", 4), ("or", 4)):
        base = word.removesuffix(ending)
        if base != word and len(base) >= least and _VOWEL.search(base) and not word.endswith("eed"):
            doubled = len(base) > least and base[-1] == base[-2] and base[-1] not in "lsz"
            word = base[:-1] if doubled else base
            break
    else:
        if word.endswith(("tion", "sion")) and len(word) >= len("ction") + 2:
            word = word[:-3]
    return word[:-1] if word.endswith("e") and len(word) >= _SHORTEST else word


def query_terms(text: str) -> tuple[str, ...]:
    """Return the terms of a question, each once, without stop words; if nothing else is left, with them."""
    words = _WORD.findall(text)
    telling = [word for word in words if word.lower() not in STOP_WORDS] or words
    return tuple(dict.fromkeys(term for word in telling for term in _terms_of(word)))
