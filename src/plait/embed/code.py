"""The default embedder: plait's own static vectors for code, summed over the words of a text. Offline, numpy only.

The model is a folder in model2vec's format beside this file: `tokenizer.json` with the vocabulary, `model.safetensors`
with a row of eight-bit numbers for each token and a factor for each row. How it is made and what it scores is told in
`training/`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from hashlib import blake2b
from importlib.resources import files
from typing import TYPE_CHECKING, Any, ClassVar

from plait.plugins import at_least

if TYPE_CHECKING:
    from plait.model import Vectors
    from plait.protocols import Role

PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
"""What a token is looked for in: a word of an identifier or of prose, or a number."""

LONGEST_WORD = 100
"""Letters of a word; a longer one is no word and has no tokens."""

KEPT_WORDS = 200_000


class Pieces:
    """Splits words into tokens: the word itself, else the longest pieces from the left (WordPiece)."""

    def __init__(self, vocabulary: Mapping[str, int]) -> None:
        self._vocabulary = vocabulary
        self._known: dict[str, tuple[int, ...]] = {}

    def of(self, text: str) -> list[int]:
        """Return the tokens of a text in order; what is neither an ASCII letter nor a digit has none."""
        known = self._known
        if len(known) > KEPT_WORDS:
            known.clear()
        found: list[int] = []
        for word in PART.findall(text):
            tokens = known.get(word)
            if tokens is None:
                tokens = known[word] = self._split(word.lower())
            found += tokens
        return found

    def _split(self, word: str) -> tuple[int, ...]:
        found: list[int] = []
        start = 0
        while start < len(word) <= LONGEST_WORD:
            for end in range(len(word), start, -1):
                token = self._vocabulary.get(("##" if start else "") + word[start:end])
                if token is not None:
                    break
            else:
                return ()
            found.append(token)
            start = end
        return tuple(found)
