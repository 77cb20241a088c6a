"""What should be embedded? Dense search over texts that are made when a question comes: a yardstick, not an index.

An index holds the vectors of its own templates only. Here all texts of a snapshot are embedded in one go and kept as
long as the strategy lives, so that ways to make them can be judged beside each other on any collection.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from plait import plugins, source
from plait.document import Neighbours, passages, runs_in, structure_header
from plait.errors import BadParameter
from plait.facts import ParsedFile
from plait.model import (
    Candidate,
    Content,
    Direction,
    Edge,
    EdgeKind,
    Graph,
    Passage,
    Query,
    Ranking,
    Reason,
    Source,
    SourceFile,
    Span,
    Symbol,
    SymbolId,
)
from plait.plugins import at_least, describe
from plait.protocols import Embedder, Snapshot
from plait.ranking import ordered

if TYPE_CHECKING:
    from plait.model import Codes

SEED = 1
BATCH = 512

OF_SYMBOLS: Mapping[str, str] = {
    "plain": "the symbol's own lines",
    "header": "the same below its module and name",
    "structural": "the same below module, name, callees and callers, by the graph of the index",
    "names": "as `structural`, by calls on bare names within a file (the graph `names`)",
    "shuffled": "as `structural`, each call with the target of another one: a placebo",
    "signature": "signature and documentation, no body",
    "words": "module and qualified name, no code",
}
PIECES: Mapping[str, str] = {
    "function": "the symbol's own lines in one text, however long",
    "class": "definitions of a module whole, with all that is in them, and the rest of the module",
    "file": "files whole",
    "lines": "windows of lines",
}
"""Pieces of files, one text each, however long. A symbol has the best score of the pieces with one of its lines."""


@dataclass(frozen=True, slots=True)
class Texts:
    """Cosine between the question and the best text of each symbol, `of` being how texts are made."""

    name: ClassVar[str] = "texts"
    of: str = "plain"
    lines: int = 40
    """of a window"""
    depth: int = 1000
    """symbols ranked at most"""

    def __post_init__(self) -> None:
        at_least(self, lines=1, depth=1)
        if self.of not in {**OF_SYMBOLS, **PIECES}:
            raise BadParameter(f"texts: of must be one of {', '.join([*OF_SYMBOLS, *PIECES])}, not {self.of!r}")

    def over(self, embedder: Embedder) -> Embedded:
        """Return the strategy: it makes vectors, which a strategy of an index does not."""
        return Embedded(self, embedder)

    def __str__(self) -> str:
        return describe(self)


class Embedded:
    def __init__(self, made: Texts, embedder: Embedder) -> None:
        self.made = made
        self._embedder = embedder
        self._kept: tuple[str, Sequence[tuple[SymbolId, Span]], Codes] | None = None

    def __str__(self) -> str:
        return str(self.made)

    def retrieve(self, query: Query, snapshot: Snapshot) -> Ranking:
        import numpy as np

        from plait.vectors import codes, squares

        owners, rows = self._rows(snapshot)
        if not len(rows) or not query.vector.any():
            return Ranking((), ())
        asked = codes(query.vector[None, :])
        lengths = np.sqrt(np.maximum(squares(rows), 1).astype(np.float64))
        cosines = (rows.astype(np.float64) @ asked[0]) / lengths / float(squares(asked)[0]) ** 0.5
        accepted = {one.id for one in snapshot.symbols() if query.where.accepts(one)}
        best: dict[SymbolId, Reason] = {}
        for (symbol, span), cosine in zip(owners, cosines.tolist(), strict=True):
            if symbol in accepted and (symbol not in best or cosine > best[symbol].value):
                best[symbol] = Reason(Source.DENSE, cosine, f"cosine {cosine:.2f}", span=span)
        pool = ordered(
            Candidate(symbol, (replace(reason, value=round(reason.value, 6)),)) for symbol, reason in best.items()
        )
        return Ranking(pool[: self.made.depth], pool)

    def _rows(self, snapshot: Snapshot) -> tuple[Sequence[tuple[SymbolId, Span]], Codes]:
        """Return which symbol and place each row is of, and the codes; they are made once for each snapshot."""
        import numpy as np

        from plait.vectors import codes

        if self._kept is None or self._kept[0] != snapshot.info.state:
            made = list(texts(snapshot, self.made, self._embedder))
            written = list({passage.text: None for _, passage in made})
            parts = [written[start : start + BATCH] for start in range(0, len(written), BATCH)]
            nothing = np.zeros((0, self._embedder.dim), dtype=np.float32)
            vectors = np.concatenate([nothing, *(self._embedder.encode(part, role="document") for part in parts)])
            places = {text: place for place, text in enumerate(written)}
            rows = codes(vectors)[[places[passage.text] for _, passage in made]]
            self._kept = snapshot.info.state, [(symbol, passage.span) for symbol, passage in made], rows
        return self._kept[1], self._kept[2]


def texts(snapshot: Snapshot, made: Texts, embedder: Embedder) -> Iterator[tuple[SymbolId, Passage]]:
    """Yield the texts of each symbol; one without a visible character of its own has none."""
    symbols = snapshot.symbols()
    runs = runs_in(snapshot.texts([one.id for one in symbols]))
    own = [(one, found) for one in symbols for found in [runs(one)] if any(run.text.strip() for run in found)]
    if made.of in PIECES:
        yield from _pieces(snapshot, own, made)
    elif made.of == "signature":
        yield from ((one.id, Passage(one.span, f"{one.signature}\n{one.docstring}")) for one, _ in own)
    elif made.of == "words":
        yield from ((one.id, Passage(one.span, f"{one.module} {one.qualified_name}")) for one, _ in own)
    else:
        headers = _headers(snapshot, symbols, own, made.of)
        cut = passages([(header, found) for header, (_, found) in zip(headers, own, strict=True)], embedder)
        yield from ((one.id, passage) for (one, _), found in zip(own, cut, strict=True) for passage in found)


_Own = Sequence[tuple[Symbol, Sequence[Passage]]]
"""Symbols with their runs of lines."""


def _headers(snapshot: Snapshot, symbols: Sequence[Symbol], own: _Own, of: str) -> list[str]:
    if of == "plain":
        return [""] * len(own)
    graphs: Mapping[str, Callable[[], Sequence[Edge]]] = {
        "header": list,
        "structural": lambda: calls(snapshot, symbols),
        "names": lambda: by_bare_names(snapshot),
        "shuffled": lambda: shuffled(calls(snapshot, symbols)),
    }
    neighbours = Neighbours(graphs[of]())
    names = {one.id: one.name for one in symbols}
    return [structure_header(one, neighbours, names) for one, _ in own]


def calls(snapshot: Snapshot, symbols: Sequence[Symbol]) -> list[Edge]:
    found = snapshot.edges([one.id for one in symbols], [EdgeKind.CALLS], Direction.OUT)
    return [edge for edge in found if edge.source != edge.target]


def shuffled(edges: Sequence[Edge]) -> list[Edge]:
    """Give each call the target of another: every symbol calls and is called as often, and nothing else stays."""
    import numpy as np

    order = np.random.default_rng(SEED).permutation(len(edges)).tolist()
    return [replace(edge, target=edges[place].target) for edge, place in zip(edges, order, strict=True)]


def by_bare_names(snapshot: Snapshot) -> Sequence[Edge]:
    """Return the edges of the graph `names` over the files as they are now."""
    facts = [plugins.build("parser", file.language).parse(file) for file in files(snapshot)]
    found: Graph = plugins.build("graph", "names").build([one for one in facts if isinstance(one, ParsedFile)])
    return found.edges


def files(snapshot: Snapshot) -> Iterator[SourceFile]:
    """Yield the files of a snapshot that are still there, by path."""
    root = Path(snapshot.info.root)
    for state in snapshot.files():
        content = Content.CODE if source.language(state.path) else Content.ALL
        file = source.read(root, state, limit=state.size, wanted=True, content=content)
        if isinstance(file, SourceFile):
            yield file


def _pieces(snapshot: Snapshot, own: _Own, made: Texts) -> Iterator[tuple[SymbolId, Passage]]:
    if made.of == "function":
        for symbol, runs in own:
            yield symbol.id, Passage(symbol.span, "\n".join(run.text for run in runs))
        return
    holders: dict[str, list[Symbol]] = {}
    for symbol, _ in own:
        holders.setdefault(symbol.path, []).append(symbol)
    for file in files(snapshot):
        held = holders.get(file.path, [])
        lines = file.text.splitlines()
        for first, last in _cuts(held, len(lines), made):
            text = "\n".join(lines[first - 1 : last])
            if text.strip():
                passage = Passage(Span(first, last, 0, 0), text)
                for symbol in held:
                    if any(run.start_line <= last and first <= run.end_line for run in symbol.own):
                        yield symbol.id, passage


def _cuts(held: Sequence[Symbol], count: int, made: Texts) -> list[tuple[int, int]]:
    """Return the first and the last line of each piece of one file, in order."""
    if made.of == "file":
        return [(1, count)]
    if made.of == "lines":
        return [(start, min(start + made.lines - 1, count)) for start in range(1, count + 1, made.lines)]
    found: list[tuple[int, int]] = []
    free = 1  # the first line that is in no piece yet
    for first, last in sorted((one.span.start_line, -one.span.end_line) for one in held if one.parent is not None):
        if -last >= free:  # else inside the one before
            found += [(free, first - 1)] if free < first else []
            found.append((max(first, free), -last))
            free = 1 - last
    return [*found, (free, count)] if free <= count else found
