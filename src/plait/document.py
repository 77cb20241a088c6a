"""From symbols to documents: what is searched by words, and what is embedded, in each template.

Templates:

- `plain`: the symbol's own lines.
- `structural`: the same below a header of module, name, callees and callers, as in the published experiment. A renamed
  caller changes the text of its callees, so exactly those vectors are computed again.
- `smoothed`: no text. The plain vector moved towards the plain vectors of its neighbours (see `smooth`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING

from plait.model import Direction, Document, Edge, EdgeKind, Passage, SourceFile, Span, Symbol, SymbolId
from plait.terms import terms

if TYPE_CHECKING:
    from plait.model import Vectors
    from plait.protocols import Embedder

EMBEDDED = ("plain", "structural")
TEMPLATES = (*EMBEDDED, "smoothed")

LISTED = 12
"""How many callees and how many callers a header names, first by name; more would drown the code of a hub."""

SMOOTHING = 0.3
"""Weight of the mean neighbour against the symbol's own vector. Not tuned: small enough that the symbol's own text
dominates. `structural(template='smoothed')` judges it."""


def digest(text: str) -> str:
    """Return the key under which a passage's vector is stored and found again."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


class Neighbours:
    """Callees and callers of each symbol over CALLS edges, each once, by id; self-calls left out."""

    def __init__(self, edges: Sequence[Edge]) -> None:
        calls: dict[SymbolId, set[SymbolId]] = {}
        called_by: dict[SymbolId, set[SymbolId]] = {}
        for edge in edges:
            if edge.kind is EdgeKind.CALLS and edge.source != edge.target:
                calls.setdefault(edge.source, set()).add(edge.target)
                called_by.setdefault(edge.target, set()).add(edge.source)
        self._out = {symbol: sorted(ids) for symbol, ids in calls.items()}
        self._in = {symbol: sorted(ids) for symbol, ids in called_by.items()}

    def of(self, symbol: SymbolId, direction: Direction) -> Sequence[SymbolId]:
        return (self._out if direction is Direction.OUT else self._in).get(symbol, ())


def documents(
    symbols: Sequence[Symbol], sources: Mapping[str, SourceFile], neighbours: Neighbours, embedder: Embedder
) -> Iterator[Document]:
    """Yield the document of each symbol, in order. `sources` holds the file of every symbol, by path."""
    names = {symbol.id: symbol.name for symbol in symbols}
    encoded: dict[str, bytes] = {}
    for symbol in symbols:
        if symbol.path not in encoded:
            encoded = {symbol.path: sources[symbol.path].text.encode("utf-8", "surrogatepass")}
        content = encoded[symbol.path]
        pieces = [(span, _slice(content, span)) for span in symbol.own]
        text = "\n".join(piece for _, piece in pieces)
        header = structure_header(symbol, neighbours, names)
        plain = tuple(passage for span, piece in pieces for passage in split(piece, span, "", embedder))
        structural = tuple(passage for span, piece in pieces for passage in split(piece, span, header, embedder))
        yield Document(
            symbol=symbol.id,
            text=text,
            passages={
                "plain": plain,
                "structural": structural,
                "smoothed": tuple(Passage(passage.span, "") for passage in plain),
            },
            terms=(*terms(symbol.qualified_name), *terms(symbol.path), *terms(text)),
        )


def structure_header(symbol: Symbol, neighbours: Neighbours, names: Mapping[SymbolId, str]) -> str:
    lines = [f"module: {symbol.module}", f"name: {symbol.name}"]
    for label, direction in (("calls", Direction.OUT), ("called_by", Direction.IN)):
        found = sorted({names[neighbour] for neighbour in neighbours.of(symbol.id, direction)})
        if found:
            lines.append(f"{label}: {', '.join(found[:LISTED])}")
    return "\n".join(lines) + "\n"


def split(text: str, span: Span, header: str, embedder: Embedder) -> list[Passage]:
    """Cut a run of lines into passages that fit the embedder's window with the header; together they hold every line.

    Cuts fall between lines, near the middle; a single line that does not fit is cut between characters, and each part
    keeps the line's span. A text without any visible character gives no passage.
    """
    if not text.strip():
        return []
    whole = header + text
    # No tokenizer makes more tokens than the text has bytes, so most texts need no counting.
    if len(whole.encode("utf-8", "surrogatepass")) <= embedder.window or embedder.count([whole])[0] <= embedder.window:
        return [Passage(span, whole)]
    lines = text.split("\n")
    if len(lines) == 1:
        middle = len(text) // 2
        if middle == 0:
            return [Passage(span, whole)]
        return [*split(text[:middle], span, header, embedder), *split(text[middle:], span, header, embedder)]
    first = _half(lines)
    head, tail = "\n".join(lines[:first]), "\n".join(lines[first:])
    seam = span.start_byte + len(head.encode("utf-8", "surrogatepass"))
    before = Span(span.start_line, span.start_line + first - 1, span.start_byte, seam)
    after = Span(span.start_line + first, span.end_line, seam + 1, span.end_byte)
    return [*split(head, before, header, embedder), *split(tail, after, header, embedder)]


def smooth(plain: Vectors, owners: Sequence[SymbolId], neighbours: Neighbours) -> Vectors:
    """Return, for each plain row, normalise(row + SMOOTHING * mean of the neighbours' vectors); zero rows stay zero.

    owners[i] is the symbol of row i. A neighbour's vector is the mean of its rows. Linear smoothing over a graph as in
    simple graph convolution (Wu et al., ICML 2019), one step, with the own vector kept.
    """
    import numpy as np

    from plait.vectors import unit

    number = {symbol: place for place, symbol in enumerate(dict.fromkeys(owners))}
    of_row = np.array([number[owner] for owner in owners], dtype=np.intp)
    means = np.zeros((len(number), plain.shape[1]), dtype=np.float32)
    np.add.at(means, of_row, plain)
    means /= np.maximum(np.bincount(of_row, minlength=len(number)), 1)[:, None].astype(np.float32)
    pull = np.zeros_like(means)
    for symbol, place in number.items():
        around = sorted({*neighbours.of(symbol, Direction.OUT), *neighbours.of(symbol, Direction.IN)})
        rows = [number[other] for other in around if other in number]
        if rows:
            pull[place] = means[rows].mean(axis=0)
    moved = plain + SMOOTHING * pull[of_row]
    moved[~plain.any(axis=1)] = 0.0
    return unit(moved)


def _slice(content: bytes, span: Span) -> str:
    return content[span.start_byte : span.end_byte].decode("utf-8", "surrogatepass")


def _half(lines: Sequence[str]) -> int:
    """Return how many lines make the first half by characters: at least one, not all."""
    half = sum(map(len, lines)) / 2
    seen = 0
    for count, line in enumerate(lines[:-1], start=1):
        seen += len(line)
        if seen >= half:
            return count
    return len(lines) - 1
