"""An embedder without a model, for tests and for comparison: terms hashed to signed dimensions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, ClassVar

from plait.plugins import at_least
from plait.protocols import About
from plait.terms import terms

if TYPE_CHECKING:
    from plait.model import Vectors
    from plait.protocols import Role


@dataclass(frozen=True, slots=True)
class HashingEmbedder:
    """Feature hashing with signs (Weinberger et al., ICML 2009) over `plait.terms`: words alone, no meaning."""

    name: ClassVar[str] = "hashing"
    about: ClassVar[About] = About(what="words hashed to numbers, no model", weights="none", rate=(3_808, 5_962))
    portable: ClassVar[bool] = True
    dim: int = 256
    window: int = 512

    def __post_init__(self) -> None:
        at_least(self, dim=1, window=1)

    def at_hand(self) -> str:
        return "in plait itself"

    @property
    def fingerprint(self) -> str:
        return f"hashing-{self.dim}-{self.window}"

    def count(self, texts: Sequence[str]) -> list[int]:
        return [len(terms(text)) for text in texts]

    def encode(self, texts: Sequence[str], *, role: Role) -> Vectors:
        import numpy as np

        from plait.vectors import unit

        vectors = np.zeros((len(texts), self.dim), dtype=np.float32)
        for row, text in enumerate(texts):
            for term in terms(text):
                place = int.from_bytes(blake2b(term.encode(), digest_size=8).digest())
                vectors[row, place % self.dim] += 1.0 if place >> 63 else -1.0
        return unit(vectors)
