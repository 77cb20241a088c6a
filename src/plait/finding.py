"""Symbols by what people write, and hits as they are shown."""

from __future__ import annotations

import math
import os
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath

from plait.errors import AmbiguousSymbol, UnknownSymbol
from plait.model import Candidate, Direction, Edge, EdgeKind, Evidence, Hit, Related, Span, Symbol, SymbolId, SymbolKind
from plait.parse.naming import module_id
from plait.protocols import Snapshot

SAME_LINES = 0.9
"""Jaccard index of sets of lines from which texts are alike: in five lines, none may differ; in twenty, one."""
LEAST_LINES = 5
BATCH = 20


def hits(snapshot: Snapshot, candidates: Sequence[Candidate], k: int) -> tuple[Hit, ...]:
    """Turn candidates, best first, into the k best hits, ranked from 1; copies of a hit are told by it."""
    found: list[Hit] = []
    copies: list[list[Symbol]] = []
    contents: list[Lines] = []
    start = 0
    while start < len(candidates) and len(found) < k:
        for hit in _read(snapshot, candidates[start : start + max(k, BATCH)]):
            lines = Lines(hit.text)
            same = next((place for place, other in enumerate(contents) if lines.are_alike(other)), None)
            if same is not None:
                copies[same].append(hit.symbol)
            elif len(found) < k:
                found.append(replace(hit, rank=len(found) + 1))
                copies.append([])
                contents.append(lines)
        start += max(k, BATCH)
    return tuple(replace(hit, copies=tuple(others)) for hit, others in zip(found, copies, strict=True))


def alike(one: str, other: str) -> bool:
    """Tell whether texts are the same but for white space or, when longer, but for a few lines."""
    return Lines(one).are_alike(Lines(other))


class Lines:
    """What is compared of a text."""

    def __init__(self, text: str) -> None:
        self._all = [line for line in map(str.strip, text.splitlines()) if line]
        self._each = frozenset(self._all)

    def are_alike(self, other: Lines) -> bool:
        if self._all == other._all:
            return bool(self._all)
        few, many = sorted((len(self._each), len(other._each)))
        if min(len(self._all), len(other._all)) < LEAST_LINES or few < SAME_LINES * many:
            return False
        shared = len(self._each & other._each)
        return shared >= SAME_LINES * (few + many - shared)


def related(snapshot: Snapshot, found: Sequence[Hit], limit: int = 5) -> tuple[Related, ...]:
    """Return the symbols that hits surely call or are called by, and that are no hits; tests only beside tests.

    Each neighbour gains from each hit beside it 1 / (rank * log2(2 + its callers)), best first, ties by id.
    """
    ranks = {hit.symbol.id: hit.rank for hit in found}
    shown = ranks.keys() | {copy.id for hit in found for copy in hit.copies}
    beside: dict[SymbolId, list[tuple[int, Edge]]] = {}
    for direction in Direction:
        for edge in snapshot.edges(sorted(ranks), [EdgeKind.CALLS], direction):
            hit, other = (edge.source, edge.target) if direction is Direction.OUT else (edge.target, edge.source)
            if other not in shown and edge.evidence >= Evidence.FLOWED:
                beside.setdefault(other, []).append((ranks[hit], edge))
    callers = snapshot.degree(sorted(beside), [EdgeKind.CALLS], Direction.IN)
    scores = {
        one: math.fsum(1 / rank for rank in sorted({rank for rank, _ in edges})) / math.log2(2 + callers[one])
        for one, edges in beside.items()
    }
    tests = any(hit.symbol.is_test for hit in found)
    best = sorted(beside, key=lambda one: (-scores[one], one))
    kept: list[Symbol] = []
    for start in range(0, len(best), BATCH):
        symbols = snapshot.symbols(best[start : start + BATCH])
        kept += [symbol for symbol in symbols if tests or not symbol.is_test]
        if len(kept) >= limit:
            break
    kept = kept[:limit]
    nearest = {symbol.id: min(beside[symbol.id], key=lambda one: (one[0], one[1].path, one[1].line)) for symbol in kept}
    return tuple(Related(symbol, nearest[symbol.id][1], nearest[symbol.id][0]) for symbol in kept)


def _read(snapshot: Snapshot, candidates: Sequence[Candidate]) -> Iterator[Hit]:
    ids = [candidate.symbol for candidate in candidates]
    symbols = {symbol.id: symbol for symbol in snapshot.symbols(ids)}
    texts = snapshot.texts(ids)
    cells = _cells(snapshot, symbols.values())
    for candidate in candidates:
        symbol = symbols[candidate.symbol]
        span, text = _extract(symbol, texts[symbol.id], candidate)
        starts = cells.get(symbol.path, ())
        cell = bisect_right(starts, span.start_line)
        line = span.start_line - starts[cell - 1] + 1 if cell else 0
        yield Hit(0, symbol, span, candidate.score, candidate.reasons, text, cell, line)


def _cells(snapshot: Snapshot, symbols: Iterable[Symbol]) -> dict[str, tuple[int, ...]]:
    """Where the cells of the symbols' notebooks begin, by path."""
    notebooks = sorted({symbol.path for symbol in symbols if symbol.path.endswith(".ipynb")})
    return {module.path: module.cells for module in snapshot.symbols([module_id(path) for path in notebooks])}


def _extract(symbol: Symbol, text: str, candidate: Candidate) -> tuple[Span, str]:
    """Return what of the symbol to show: all of a function, else the own lines that the best reason points into."""
    if symbol.kind in (SymbolKind.FUNCTION, SymbolKind.METHOD):
        return symbol.span, text
    content = text.encode()
    pointed = next((reason.span for reason in candidate.reasons if reason.span), None)
    start = 0
    pieces: list[tuple[Span, str]] = []
    for span in symbol.own:
        length = span.end_byte - span.start_byte
        pieces.append((span, content[start : start + length].decode()))
        start += length + 1
    for span, piece in pieces:
        if pointed is not None and span.start_byte <= pointed.start_byte < span.end_byte:
            return span, piece
    return pieces[0]


def find(snapshot: Snapshot, name: str) -> Symbol:
    """As Engine.find, in a given snapshot."""
    wanted = name.strip().encode(errors="replace").decode()
    if by_id := snapshot.symbols([SymbolId(wanted)]):
        return by_id[0]
    if at_line := re.fullmatch(r"(.+):(\d{1,9})", wanted, re.DOTALL):
        return _at(snapshot, at_line[1], int(at_line[2]), wanted)
    dotted = wanted.removesuffix("()").replace("::", ".").replace("/", ".")
    ending = [
        symbol
        for symbol in snapshot.named(dotted.rpartition(".")[2])
        if f".{symbol.qualified_name}".endswith(f".{dotted}")
    ]
    exact = [symbol for symbol in ending if symbol.qualified_name == dotted]
    choices = exact or ending
    if len(choices) == 1:
        return choices[0]
    if choices:
        raise AmbiguousSymbol(name, [_distinct(symbol, choices) for symbol in choices])
    raise UnknownSymbol(name, _near(snapshot, dotted))


def _close(word: str, words: Sequence[str]) -> list[str]:
    from difflib import get_close_matches

    return get_close_matches(word, words, n=3)


def _at(snapshot: Snapshot, path: str, line: int, wanted: str) -> Symbol:
    paths = [state.path for state in snapshot.files()]
    meant = [one for one in paths if f"/{one}".endswith(f"/{path}")]
    around = [
        symbol
        for symbol in snapshot.symbols(snapshot.defined(meant))
        if symbol.span.start_line <= line <= symbol.span.end_line
    ]
    files = sorted({symbol.path for symbol in around})
    if len(files) > 1:
        raise AmbiguousSymbol(wanted, [f"{file}:{line}" for file in files])
    if not around:
        raise UnknownSymbol(wanted, _close(path, paths))
    return max(around, key=lambda symbol: (symbol.span.start_line, -symbol.span.end_line, symbol.parent is not None))


def _near(snapshot: Snapshot, dotted: str) -> list[str]:
    """Return up to three qualified names whose last name is like the last name asked for."""
    by_name: dict[str, list[str]] = {}
    for symbol in snapshot.symbols():
        by_name.setdefault(symbol.name, []).append(symbol.qualified_name)
    last = dotted.rpartition(".")[2]
    lower = {name.lower(): name for name in sorted(by_name)}
    near = _close(last.lower(), sorted(lower))
    return [qualified for name in near for qualified in sorted(by_name[lower[name]])][:3]


def module_of(snapshot: Snapshot, root: Path, name: str) -> Symbol | None:
    """Return the module of the file that a name means: a path from the root, from here, or any unique end of one."""
    paths = [state.path for state in snapshot.files()]
    here = Path(os.path.abspath(name))
    from_here = here.relative_to(root).as_posix() if here.is_relative_to(root) else name
    exact = [path for path in (PurePosixPath(name).as_posix(), from_here) if path in paths]
    choices = exact[:1] or [path for path in paths if path.endswith(f"/{PurePosixPath(name).as_posix()}")]
    if len(choices) > 1:
        raise AmbiguousSymbol(name, choices)
    modules = snapshot.symbols([module_id(path) for path in choices])
    return modules[0] if modules else None


def _distinct(symbol: Symbol, among: Sequence[Symbol]) -> str:
    """Return the shortest of the symbol's names that tells it from the others."""
    same = [other for other in among if other.qualified_name == symbol.qualified_name]
    return symbol.qualified_name if len(same) == 1 else f"{symbol.path}:{symbol.span.start_line}"
