"""Documents as columns: what goes from process to process, and into a store."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from plait.model import Span

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from plait.model import Codes

DIGEST = 16
"""Bytes of the digest of a text (`plait.document.digest`)."""


@dataclass(frozen=True, slots=True)
class Rows:
    """The passages of one template, in the order of documents and passages."""

    counts: NDArray[np.uint32]
    """how many passages each document has"""
    spans: NDArray[np.int32]
    """shape (passages, 4): first and last line, first byte and the one behind the last, as in Span"""
    digests: bytes
    """of the text of each passage, DIGEST bytes each"""
    codes: Codes
    """shape (passages, dim)"""

    def span(self, row: int) -> Span:
        return Span(*self.spans[row].tolist())

    def digest(self, row: int) -> str:
        return self.digests[row * DIGEST : (row + 1) * DIGEST].hex()


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms of documents, one after another."""

    names: Sequence[str]
    """each once"""
    places: NDArray[np.uint32]
    """of each occurrence in `names`, in order"""
    counts: NDArray[np.uint32]
    """how many occurrences each document has"""

    def of_each(self) -> Iterator[list[str]]:
        """Yield the terms of each document in order of occurrence, repeats kept."""
        every = [self.names[place] for place in self.places.tolist()]
        start = 0
        for length in self.counts.tolist():
            yield every[start : start + length]
            start += length


@dataclass(frozen=True, slots=True)
class Batch:
    """Some documents, in order."""

    texts: Sequence[str]
    """as in Document.text"""
    terms: Terms
    rows: Mapping[str, Rows]
    """template -> its passages and vectors; templates without a text of their own are left out"""
