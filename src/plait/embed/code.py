"""The default embedder: plait's own static vectors for code, summed over the words of a text. Offline, numpy only.

What comes first in a text says most, and what it repeats says less each time: a token counts
(sum of LEAD / (LEAD + p) over its places p, counted from 0) ** REPEATED.

The model is a folder in model2vec's format beside this file (`model/`): `tokenizer.json` with the vocabulary,
`model.safetensors` with a row of eight-bit numbers for each token and a factor for each row. How it is made and what it
scores is told in `training/`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from plait.errors import BadParameter
from plait.plugins import at_least
from plait.protocols import About

if TYPE_CHECKING:
    from plait.model import Codes, Vectors
    from plait.protocols import Role

MODEL = Path(__file__).parent / "model"
TENSORS = ("embeddings", "weights")
DIM = 256

LEAD = 10.0
"""The place at which a token counts half."""
PLACES = [LEAD / (LEAD + place) for place in range(8_192)]
"""What stands behind them does not count."""

REPEATED = 0.5
"""In training too; what it and LEAD are worth, and how they were chosen: `training/`."""

FINGERPRINT = f"plait-code-2-{LEAD}-{REPEATED}-5eed0c83626e"
"""With the start of the weights' SHA-256, which a test compares with the file."""

PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
"""What a token is looked for in: a word of an identifier or of prose, or a number."""

LONGEST_WORD = 100
"""Letters of a word; a longer one is no word and has no tokens."""

KEPT_WORDS = 200_000
KEPT_LINES = 50_000


class Pieces:
    """Splits words into tokens: the word itself, else the longest pieces from the left (WordPiece)."""

    def __init__(self, vocabulary: Mapping[str, int]) -> None:
        self._words = _Words(vocabulary)
        self._lines: dict[str, list[int]] = {}
        """of lines: most come again, between counting and encoding and below the header of the other template"""

    def of(self, text: str) -> list[int]:
        """Return the tokens of a text in order; what is neither an ASCII letter nor a digit has none."""
        if len(self._lines) > KEPT_LINES:
            self._lines.clear()
        lines = text.split("\n")
        if len(lines) == 1:
            return self._of_line(text)
        found: list[int] = []
        for line in lines:
            tokens = self._lines.get(line)
            if tokens is None:
                tokens = self._lines[line] = self._of_line(line)
            found += tokens
        return found

    def _of_line(self, line: str) -> list[int]:
        if len(self._words) > KEPT_WORDS:
            self._words.clear()
        return list(chain.from_iterable(map(self._words.__getitem__, PART.findall(line))))


class _Words(dict[str, tuple[int, ...]]):
    """The tokens of words, found when they are asked for."""

    def __init__(self, vocabulary: Mapping[str, int]) -> None:
        self._vocabulary = vocabulary

    def __missing__(self, written: str) -> tuple[int, ...]:
        found = self[written] = self._split(written.lower())
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


@dataclass(frozen=True, slots=True)
class CodeEmbedder:
    """Vectors whose first 64, 128 or 256 numbers are of use alone; `dim` takes that many."""

    name: ClassVar[str] = "code"
    about: ClassVar[About] = About(
        what="plait's own static vectors of code", weights="7.3 MB, in plait itself", rate=(6_342, 11_106)
    )
    portable: ClassVar[bool] = True
    dim: int = 256
    window: int = 512
    """The sum has no limit of its own; beyond some hundred tokens it blurs what the passage is about."""

    def __post_init__(self) -> None:
        at_least(self, dim=1, window=32)
        if self.dim > DIM:
            raise BadParameter(f"code: dim must be at most {DIM}, not {self.dim}")

    def at_hand(self) -> str:
        return "in plait itself"

    @property
    def fingerprint(self) -> str:
        return f"{FINGERPRINT}-{self.dim}-{self.window}"

    def count(self, texts: Sequence[str]) -> list[int]:
        pieces = _pieces()
        return [len(pieces.of(text)) for text in texts]

    def encode(self, texts: Sequence[str], *, role: Role) -> Vectors:
        import numpy as np

        from plait.vectors import unit

        pieces = _pieces()
        rows = _rows if role == "query" else _table().__getitem__
        vectors = np.zeros((len(texts), self.dim), dtype=np.float32)
        for row, text in enumerate(texts):
            if tokens := pieces.of(text):
                sums: dict[int, float] = {}
                for token, weight in zip(tokens, PLACES, strict=False):
                    sums[token] = sums.get(token, 0.0) + weight
                # Powers of double precision, rounded: the same on every machine.
                weights = np.array(list(sums.values()), dtype=np.float64) ** REPEATED
                found = rows(list(sums))
                found *= weights.astype(np.float32)[:, None]
                # Summed text by text, so that a row does not depend on the batch around it.
                vectors[row] = found.sum(axis=0, dtype=np.float32)[: self.dim]
        return unit(vectors)


@cache
def _pieces() -> Pieces:
    tokenizer = json.loads((MODEL / "tokenizer.json").read_bytes())
    return Pieces(tokenizer["model"]["vocab"])


@cache
def _tensors() -> tuple[Codes, Vectors]:
    """Return the codes where they lie, and the factors of the rows as a column.

    The file's layout (safetensors): 8 bytes, the length of a header, little-endian; the header in JSON; the numbers.
    """
    import numpy as np

    path = MODEL / "model.safetensors"
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        header = json.loads(file.read(length))
    shapes = {name: (8 + length + header[name]["data_offsets"][0], tuple(header[name]["shape"])) for name in TENSORS}
    start, shape = shapes["embeddings"]
    codes = np.memmap(path, np.int8, "r", start, shape)
    start, shape = shapes["weights"]
    factors = np.memmap(path, np.dtype("<f4"), "r", start, shape)
    return codes, np.ascontiguousarray(factors, dtype=np.float32)[:, None]


@cache
def _table() -> Vectors:
    codes, factors = _tensors()
    table: Vectors = codes.astype("float32") * factors
    return table


def _rows(tokens: Sequence[int]) -> Vectors:
    """Return the same rows as the table has, without making it."""
    codes, factors = _tensors()
    found: Vectors = codes[tokens].astype("float32") * factors[tokens]
    return found
