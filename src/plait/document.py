"""From symbols to documents: what is searched by words, and what is embedded, in each template.

Templates:

- `plain`: the symbol's own lines.
- `structural`: the same below a header of module, name, callees and callers, as in the published experiment. A renamed
  caller changes the text of its callees, so exactly those vectors are computed again.
- `smoothed`: no text of its own. The plain vector moved towards the plain vectors of its neighbours (see `smooth`).
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import blake2b
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, Any

from plait.batch import DIGEST, Batch, Rows, Terms
from plait.model import Direction, Document, Edge, EdgeKind, Passage, SourceFile, Span, Symbol, SymbolId
from plait.terms import terms

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from plait.links import Links
    from plait.model import Codes, Vectors
    from plait.protocols import Embedder

PLAIN = "plain"
SMOOTHED = "smoothed"
EMBEDDED = (PLAIN, "structural")
TEMPLATES = (*EMBEDDED, SMOOTHED)

GATHERED = 1_000
"""Rows that `smooth` adds up in one step: few enough for a processor's cache (20,000 took half as long again)."""

LISTED = 12
"""How many callees and how many callers a header names, first by name; more would drown the code of a hub."""

SMOOTHING = 0.3
"""Weight of the mean neighbour against the symbol's own vector. Not tuned: small enough that the symbol's own text
dominates. `structural(template='smoothed')` judges it."""


def digest(text: str) -> str:
    """Return the key under which a passage's vector is stored and found again."""
    return blake2b(text.encode(), digest_size=DIGEST).hexdigest()


class Neighbours:
    """Callees and callers of each symbol over CALLS edges, each once, by id; self-calls left out."""

    def __init__(self, edges: Iterable[Edge] = ()) -> None:
        self._numbers: dict[SymbolId, int] = {}
        self._sources, self._targets = array("I"), array("I")
        self._sides: _Sides | None = None
        self.add(edges)

    def add(self, edges: Iterable[Edge]) -> None:
        numbers = self._numbers
        for edge in edges:
            if edge.kind is EdgeKind.CALLS and edge.source != edge.target:
                self._sources.append(numbers.setdefault(edge.source, len(numbers)))
                self._targets.append(numbers.setdefault(edge.target, len(numbers)))
        self._sides = None

    def add_links(self, links: Links) -> None:
        import numpy as np

        source, target = links.calls()
        numbers = np.zeros(len(links.texts), dtype=np.uint32)
        for place in np.unique(np.concatenate([source, target])).tolist():
            numbers[place] = self._numbers.setdefault(SymbolId(links.texts[place]), len(self._numbers))
        self._sources.frombytes(numbers[source].tobytes())
        self._targets.frombytes(numbers[target].tobytes())
        self._sides = None

    def of(self, symbol: SymbolId, direction: Direction) -> Sequence[SymbolId]:
        number = self._numbers.get(symbol)
        if number is None:
            return ()
        if self._sides is None:
            self._sides = _Sides(self._numbers, self._sources, self._targets)
        return self._sides.of(number, direction)


class _Sides:
    """Pairs of numbers as two tables of arrays: a dictionary of lists takes fifty times the room."""

    def __init__(self, numbers: Mapping[SymbolId, int], sources: array[int], targets: array[int]) -> None:
        import numpy as np

        self._ids = sorted(numbers)
        ranks = np.empty(len(self._ids), dtype=np.int64)
        ranks[[numbers[one] for one in self._ids]] = np.arange(len(self._ids))
        self._ranks = ranks
        ends = [ranks[np.frombuffer(side, dtype=np.uint32)] for side in (sources, targets)]
        self._tables = {
            direction: _table(first, second, len(ranks))
            for direction, (first, second) in ((Direction.OUT, ends), (Direction.IN, reversed(ends)))
        }

    def of(self, number: int, direction: Direction) -> Sequence[SymbolId]:
        starts, found = self._tables[direction]
        rank = self._ranks[number]
        return [self._ids[one] for one in found[starts[rank] : starts[rank + 1]].tolist()]


def _table(first: NDArray[np.int64], second: NDArray[np.int64], count: int) -> tuple[Any, Any]:
    """Return where the row of each number begins, and the rows: for each `first` its `second`, ascending, each once."""
    import numpy as np

    pairs = np.unique((first << 32) | second)
    starts = np.searchsorted(pairs >> 32, np.arange(count + 1))
    return starts, (pairs & 0xFFFFFFFF).astype(np.uint32)


Runs = Callable[[Symbol], list[Passage]]
"""The runs of lines that are a symbol's own."""


def runs_of(sources: Mapping[str, SourceFile]) -> Runs:
    """Read a symbol's own lines from its file; `sources` holds the file of every symbol, by path."""
    last: tuple[str, bytes] = ("", b"")

    def runs(symbol: Symbol) -> list[Passage]:
        nonlocal last
        if last[0] != symbol.path:
            last = (symbol.path, sources[symbol.path].text.encode())
        return [Passage(span, _slice(last[1], span)) for span in symbol.own]

    return runs


def runs_in(texts: Mapping[SymbolId, str]) -> Runs:
    """Read a symbol's own lines from the text of its document."""

    def runs(symbol: Symbol) -> list[Passage]:
        content = texts[symbol.id].encode()
        found: list[Passage] = []
        start = 0
        for span in symbol.own:
            length = span.end_byte - span.start_byte
            found.append(Passage(span, content[start : start + length].decode()))
            start += length + 1
        return found

    return runs


def documents(
    symbols: Sequence[Symbol], pieces: Sequence[Sequence[Passage]], headers: Sequence[str], embedder: Embedder
) -> list[Document]:
    """Return the document of each symbol, in order, from its own lines and its structure header."""
    plain = passages([("", own) for own in pieces], embedder)
    structural = passages(list(zip(headers, pieces, strict=True)), embedder)
    return [
        Document(
            symbol=symbol.id,
            text=text,
            passages={PLAIN: tuple(plain[place]), "structural": tuple(structural[place])},
            # Without a line of its own (a module of nothing but definitions) there is nothing to show.
            terms=(*terms(symbol.qualified_name), *terms(symbol.path), *terms(text)) if text.strip() else (),
        )
        for place, symbol in enumerate(symbols)
        for text in ["\n".join(piece.text for piece in pieces[place])]
    ]


def structure_header(symbol: Symbol, neighbours: Neighbours, names: Mapping[SymbolId, str]) -> str:
    """Return what `structural` puts before a symbol's lines. `names` holds the names of its neighbours."""
    lines = [f"module: {symbol.module}", f"name: {symbol.name}"]
    for label, direction in (("calls", Direction.OUT), ("called_by", Direction.IN)):
        found = sorted({names[neighbour] for neighbour in neighbours.of(symbol.id, direction)})
        if found:
            lines.append(f"{label}: {', '.join(found[:LISTED])}")
    return "\n".join(lines) + "\n"


def passages(owned: Sequence[tuple[str, Sequence[Passage]]], embedder: Embedder) -> list[list[Passage]]:
    """Cut each owner's runs of lines into passages that fit the embedder's window below the owner's header.

    Return one list for each (header, runs), whose passages together hold every line of the runs. Cuts fall between
    lines; a single line that does not fit is cut between characters. A run without
    a visible character gives no passage.
    """
    runs = [(header, run) for header, runs in owned for run in runs]
    fits = iter(_fit([header + run.text for header, run in runs], embedder))
    return [
        [
            passage
            for run in runs
            for passage in ([Passage(run.span, header + run.text)] if next(fits) else _cut(header, run, embedder))
            if passage.text[len(header) :].strip()
        ]
        for header, runs in owned
    ]


def _fit(texts: Sequence[str], embedder: Embedder) -> list[bool]:
    # No tokenizer makes more tokens than the text has bytes and a mark at either end: short texts need no counting.
    long = [text for text in texts if len(text.encode()) + 2 > embedder.window]
    counts = dict(zip(long, embedder.count(long), strict=True)) if long else {}
    return [counts.get(text, 0) <= embedder.window for text in texts]


def _cut(header: str, run: Passage, embedder: Embedder) -> list[Passage]:
    """Pack lines into passages by their token counts; what is still too long (lines can join) is halved."""
    lines = run.text.split("\n")
    room = max(embedder.window - embedder.count([header])[0], 1)
    counts = embedder.count([line + "\n" for line in lines])
    ends: list[int] = []
    used = 0
    for number, count in enumerate(counts):
        if number and used + count > room:
            ends.append(number)
            used = 0
        used += count
    parts = _part(run, ends)
    found: list[Passage] = []
    for part, fits in zip(parts, _fit([header + part.text for part in parts], embedder), strict=True):
        if fits or len(part.text) < 2:
            found.append(Passage(part.span, header + part.text))
        elif "\n" in part.text:
            halves = _part(part, [(part.text.count("\n") + 1) // 2])
            found += [passage for half in halves for passage in _cut(header, half, embedder)]
        else:
            middle = len(part.text) // 2
            seam = part.span.start_byte + len(part.text[:middle].encode())
            halves = [
                Passage(replace(part.span, end_byte=seam), part.text[:middle]),
                Passage(replace(part.span, start_byte=seam), part.text[middle:]),
            ]
            found += [passage for half in halves for passage in _cut(header, half, embedder)]
    return found


def _part(run: Passage, ends: Sequence[int]) -> list[Passage]:
    """Divide a run before each of the given line numbers (counted from 0 within the run)."""
    lines = run.text.split("\n")
    parts: list[Passage] = []
    byte = run.span.start_byte
    for start, end in pairwise([0, *ends, len(lines)]):
        text = "\n".join(lines[start:end])
        stop = byte + len(text.encode())
        first = run.span.start_line + start
        parts.append(Passage(Span(first, first + end - start - 1, byte, stop), text))
        byte = stop + 1
    return parts


def batch_of(documents: Sequence[Document], codes: Mapping[str, Codes]) -> Batch:
    """Return documents as columns. codes[template] has a row for each passage of that template, in their order."""
    return Batch(
        [document.text for document in documents],
        _terms([document.terms for document in documents]),
        {template: _columns([one.passages[template] for one in documents], found) for template, found in codes.items()},
    )


def _terms(documents: Sequence[Sequence[str]]) -> Terms:
    import numpy as np

    places: defaultdict[str, int] = defaultdict(lambda: len(places))
    occurrences = array("I", [places[term] for terms in documents for term in terms])
    counts = np.array([len(terms) for terms in documents], dtype=np.uint32)
    return Terms(list(places), np.frombuffer(occurrences, dtype=np.uint32), counts)


def _columns(documents: Sequence[Sequence[Passage]], codes: Codes) -> Rows:
    import numpy as np

    every = [passage for passages in documents for passage in passages]
    spans = [(p.span.start_line, p.span.end_line, p.span.start_byte, p.span.end_byte) for p in every]
    return Rows(
        np.array([len(one) for one in documents], dtype=np.uint32),
        np.array(spans, dtype=np.int32).reshape(-1, 4),
        b"".join(bytes.fromhex(digest(passage.text)) for passage in every),
        codes,
    )


def smooth(
    plain: Codes, owners: Sequence[SymbolId], neighbours: Neighbours, count: int | None = None
) -> Iterator[Vectors]:
    """Yield, for each plain row, normalise(row + SMOOTHING * mean of the neighbours' vectors); zero rows stay zero.

    They come some at a time, in order; all, or the first `count`. owners[i] is the symbol of row i; rows of one symbol
    stand together. Rows count by their direction. A neighbour's vector is the mean of its rows. Linear smoothing over a
    graph as in simple graph convolution (Wu et al., ICML 2019), one step, with the own vector kept.
    """
    import numpy as np

    from plait.vectors import unit

    wanted = len(owners) if count is None else count
    rows_of: dict[SymbolId, tuple[int, int]] = {}
    start = 0
    for owner, rows in groupby(owners):
        end = start + sum(1 for _ in rows)
        rows_of[owner] = (start, end)
        start = end
    filled: Any = plain[:wanted].any(axis=1).tolist()
    targets: list[int] = []
    parts: list[int] = []
    weights: list[float] = []
    starts: list[int] = []
    done = 0

    def flush(end: int) -> Vectors:
        moved = np.zeros((end - done, plain.shape[1]), dtype=np.float32)
        if targets:
            gathered = unit(plain[parts]) * np.array(weights)[:, None]
            moved[[row - done for row in targets]] = unit(np.add.reduceat(gathered, starts, axis=0).astype(np.float32))
        targets.clear()
        parts.clear()
        weights.clear()
        starts.clear()
        return moved

    for symbol, (first, end) in rows_of.items():
        if first >= wanted:
            break
        around = {*neighbours.of(symbol, Direction.OUT), *neighbours.of(symbol, Direction.IN)}
        beside = [range(*rows_of[other]) for other in sorted(around) if other in rows_of]
        pulling = [row for own in beside for row in own]
        pull = [SMOOTHING / (len(beside) * len(own)) for own in beside for _ in own]
        for row in range(first, end):
            if filled[row]:
                targets.append(row)
                starts.append(len(parts))
                parts += row, *pulling
                weights += 1.0, *pull
        if len(parts) >= GATHERED or end - done >= GATHERED:
            yield flush(end)
            done = end
    if done < wanted or not wanted:
        yield flush(wanted)


def _slice(content: bytes, span: Span) -> str:
    return content[span.start_byte : span.end_byte].decode()
