"""Another embedder's cosine of question and text: for models that are too slow for a whole index."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from plait import plugins
from plait.plugins import describe
from plait.protocols import Embedder


@dataclass(frozen=True, slots=True)
class Nearest:
    name: ClassVar[str] = "nearest"
    embedder: str = "static"
    """its description; what is longer than its window is cut off by it or counts for less"""

    def scores(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        made: Embedder = plugins.build("embedder", self.embedder)
        (asked,) = made.encode([question], role="query")
        found: list[float] = (made.encode(list(texts), role="document") @ asked).tolist()
        return found

    def __str__(self) -> str:
        return describe(self)
