"""General-purpose static token vectors, averaged, for comparison. Offline, no download, no model code.

The vectors and the tokenizer are those that the package wordllama carries in its
wheel (l2_supercat, 256 dimensions, MIT licence). Its files are read where they lie: importing wordllama would load its
network client and configure logging.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from plait.errors import MissingExtra
from plait.plugins import at_least
from plait.protocols import About

if TYPE_CHECKING:
    from plait.model import Vectors
    from plait.protocols import Role

_WEIGHTS = "weights/l2_supercat_256.safetensors"
_TOKENIZER = "tokenizers/l2_supercat_tokenizer_config.json"
_SPACE = "\N{LOWER ONE EIGHTH BLOCK}"
"""As SentencePiece writes one."""
_SPECIAL = ("<s>", "</s>", "<unk>")

_SEAM = re.compile(r"(?<=[:{]\n)")
"""Behind the first line of most definitions and blocks: what follows is the same below any header."""

KEPT_PIECES = 50_000
"""Pieces whose tokens are kept: about 25 MB."""

_FINGERPRINT = "wordllama-l2_supercat-256-64b47a2dc493"
"""With the start of the weights' SHA-256, which a test compares with the installed file."""


@dataclass(frozen=True, slots=True)
class StaticEmbedder:
    name: ClassVar[str] = "static"
    about: ClassVar[About] = About(
        what="general-purpose static vectors (wordllama), for comparison",
        weights="16.4 MB, in the package wordllama, which comes with plait",
        rate=(2_183, 3_413),
    )
    portable: ClassVar[bool] = True
    dim: int = field(default=256, init=False)
    window: int = 512
    """The mean has no limit of its own; beyond some hundred tokens it blurs what the passage is about."""

    def __post_init__(self) -> None:
        at_least(self, window=32)

    def at_hand(self) -> str:
        return f"wordllama in {_file(_WEIGHTS).parents[1]}"

    @property
    def fingerprint(self) -> str:
        return f"{_FINGERPRINT}-{self.window}"

    def count(self, texts: Sequence[str]) -> list[int]:
        return [len(tokens) for tokens in _tokens(texts)]

    def encode(self, texts: Sequence[str], *, role: Role) -> Vectors:
        import numpy as np

        from plait.vectors import unit

        vectors = np.zeros((len(texts), self.dim), dtype=np.float32)
        rows = _rows if role == "query" else _table().__getitem__
        for row, tokens in enumerate(_tokens(texts)):
            if tokens:
                # Summed text by text, so that a row does not depend on the batch around it.
                vectors[row] = rows(tokens).sum(axis=0, dtype=np.float32)
        return unit(vectors)


def _file(name: str) -> Path:
    spec = find_spec("wordllama")
    if spec is None or not spec.submodule_search_locations:
        raise MissingExtra("the embedder 'static'", "wordllama")
    return Path(spec.submodule_search_locations[0]) / name


@cache
def _tokenizer() -> Any:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(_file(_TOKENIZER)))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


@cache
def _inner_tokenizer() -> Any:
    """The tokenizer for a piece within a text, before which it puts no space."""
    from tokenizers import Tokenizer
    from tokenizers.normalizers import Replace

    tokenizer = Tokenizer.from_str(_tokenizer().to_str())
    tokenizer.normalizer = Replace(" ", _SPACE)
    return tokenizer


_pieces: dict[str, list[int]] = {}
"""Tokens by piece. Most come again: between counting and encoding, and below the header of the other template."""


def _tokens(texts: Sequence[str]) -> list[list[int]]:
    """Return the tokens of each text, as the tokenizer gives them for the whole.

    No token of the vocabulary has a line feed in it but the line feed itself, so the tokens of a text are those of its
    lines, and of pieces of some lines. What is written like a special token is one, and begins a new text behind it:
    such texts are taken whole, and so is a single one.
    """
    if len(texts) == 1:
        return [_tokenizer().encode(texts[0], add_special_tokens=False).ids]
    if len(_pieces) > KEPT_PIECES:
        _pieces.clear()
    split = [[] if any(mark in text for mark in _SPECIAL) else _SEAM.split(f" {text}") for text in texts]
    missing = list({piece: None for pieces in split for piece in pieces if piece not in _pieces})
    encoded = _inner_tokenizer().encode_batch_fast(missing, add_special_tokens=False)
    _pieces.update(zip(missing, (encoding.ids for encoding in encoded), strict=True))
    found: list[list[int]] = []
    for text, pieces in zip(texts, split, strict=True):
        if text and pieces:
            found.append([token for piece in pieces for token in _pieces[piece]])
        else:
            found.append(_tokenizer().encode(text, add_special_tokens=False).ids)
    return found


@cache
def _weights() -> Any:
    """The table where it lies, of half precision. Of a question's tokens a few rows are read; the rest stays on disk.

    The file's layout (safetensors): 8 bytes, the length of a header, little-endian; the header in JSON; the numbers.
    """
    import numpy as np

    path = _file(_WEIGHTS)
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        (tensor,) = (one for name, one in json.loads(file.read(length)).items() if name != "__metadata__")
    start = 8 + length + tensor["data_offsets"][0]
    return np.memmap(path, np.dtype("<f2"), "r", start, tuple(tensor["shape"]))


@cache
def _table() -> Vectors:
    import numpy as np

    return np.ascontiguousarray(_weights(), dtype=np.float32)


def _rows(tokens: Sequence[int]) -> Vectors:
    """Return the same rows as the table has, without making it."""
    import numpy as np

    found: Vectors = _weights()[tokens].astype(np.float32)
    return found
