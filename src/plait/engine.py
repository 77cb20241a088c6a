"""The one object behind every door: opens an index, keeps it fresh, and asks it."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import TypeVar, overload

from plait import plugins
from plait.errors import AmbiguousSymbol, BadParameter, BrokenIndex, EmptyQuery, NoSuchPath, UnknownSymbol
from plait.evaluate.collection import Collection, resolve
from plait.evaluate.judge import Evaluation, evaluate
from plait.evaluate.measures import Measure
from plait.indexing import IndexReport, Progress, build, is_fresh
from plait.model import (
    Candidate,
    Direction,
    Edge,
    EdgeKind,
    Filter,
    Hit,
    Query,
    Ranking,
    Span,
    Symbol,
    SymbolId,
    SymbolKind,
    Unresolved,
)
from plait.protocols import Embedder, Snapshot, Strategy
from plait.settings import Settings
from plait.store.embedded import FORMAT, EmbeddedSnapshot, EmbeddedWriter
from plait.terms import query_terms
from plait.version import __version__

T = TypeVar("T")


def _silent(stage: str, done: int, total: int) -> None:
    pass


@dataclass(frozen=True, slots=True)
class Answer(Sequence[Hit]):
    """The first hits of a ranking, best first."""

    query: str
    strategy: str
    state: str
    """of the snapshot that answered"""
    total: int
    """candidates in the whole ranking"""
    hits: tuple[Hit, ...]

    @overload
    def __getitem__(self, index: int) -> Hit: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Hit, ...]: ...
    def __getitem__(self, index: int | slice) -> Hit | tuple[Hit, ...]:
        return self.hits[index]

    def __len__(self) -> int:
        return len(self.hits)

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)


@dataclass(frozen=True, slots=True)
class Relations:
    """The callers or callees of a symbol, and what is not known about them."""

    symbol: Symbol
    direction: Direction
    """IN: callers; OUT: callees"""
    edges: tuple[tuple[Edge, Symbol], ...]
    """each edge with the symbol at its other end, by (path, line, id) of that edge"""
    unresolved: tuple[Unresolved, ...]
    """callers: sites that call this name and could mean this symbol; callees: sites in it that could stay in the
    repository"""


class Engine:
    """An index of one folder. Make it with `Engine.open`."""

    def __init__(self, root: Path, settings: Settings, progress: Progress = _silent) -> None:
        self.root = root
        self.settings = settings
        self._progress = progress
        self._snapshot: Snapshot | None = None

    @classmethod
    def open(cls, path: str | Path = ".", *, progress: Progress = _silent, **settings: object) -> Engine:
        """Open a folder; keyword arguments are settings (see `plait.settings.Settings`). Nothing is read or built yet.

        Raises NoSuchPath, BadParameter for a setting.
        """
        try:
            root = Path(path).expanduser().resolve(strict=True)
        except (OSError, RuntimeError, ValueError):  # also a link loop, `~name` of nobody, a null byte
            raise NoSuchPath(str(path)) from None
        if not root.is_dir():
            raise BadParameter(f"{path}: is a file; give the folder around it")
        return cls(root, Settings.load(root, settings), progress)

    @property
    def path(self) -> Path:
        """The index file: one for each folder and everything else that decides what is in it.

        To that belongs the version of Python, whose grammar and standard library the parser and the graph go by.
        """
        python = f"{sys.version_info.major}.{sys.version_info.minor}"
        parts = (__version__, python, FORMAT, self._embedder.fingerprint, self.settings.graph)
        mixture = "\0".join(map(str, (*parts, self.settings.max_file_bytes)))
        place = blake2b(os.fsencode(self.root), digest_size=6).hexdigest()
        kind = blake2b(mixture.encode(), digest_size=6).hexdigest()
        name = re.sub(r"\W", "_", self.root.name, flags=re.ASCII)[:40] or "root"
        return self.settings.cache / f"{name}-{place}" / f"{kind}.sqlite"

    @cached_property
    def _embedder(self) -> Embedder:
        embedder: Embedder = plugins.build("embedder", self.settings.embedder)
        return embedder

    def index(self, *, force: bool = False) -> IndexReport:
        """Build the snapshot anew; with force, without taking vectors from the one before."""
        try:
            return self._build(None if force else EmbeddedSnapshot(self.path))
        except (FileNotFoundError, BrokenIndex):
            return self._build(None)

    def _build(self, before: Snapshot | None) -> IndexReport:
        self._snapshot, report = build(
            self.root,
            EmbeddedWriter(self.path),
            self._embedder,
            graph=self.settings.graph,
            max_file_bytes=self.settings.max_file_bytes,
            before=before,
            progress=self._progress,
        )
        return report

    def snapshot(self) -> Snapshot:
        """Return a snapshot of the folder as it is now, building it if there is none or a file has changed."""
        try:
            if self._snapshot is None:
                self._snapshot = EmbeddedSnapshot(self.path)
            fresh = is_fresh(self.root, self._snapshot)
        except (FileNotFoundError, BrokenIndex):
            fresh = False
        if not fresh:
            self.index()
        assert self._snapshot is not None
        return self._snapshot

    def _ask(self, question: Callable[[Snapshot], T]) -> T:
        """Answer from the snapshot; one whose file turns out to be damaged is built anew."""
        try:
            return question(self.snapshot())
        except BrokenIndex:
            self._build(None)
            return question(self.snapshot())

    def query(self, text: str, where: Filter = Filter()) -> Query:
        """Make a question for strategies. Raises EmptyQuery for one without a visible character."""
        if not text.strip():
            raise EmptyQuery
        text = text.encode(errors="replace").decode()  # an argument that is not UTF-8 holds lone surrogates
        (vector,) = self._embedder.encode([text], role="query")
        return Query(text, vector, query_terms(text), where)

    def strategy(self, description: str | None = None) -> Strategy:
        """Make a strategy from its name or description, the configured one by default."""
        made: Strategy = plugins.build("strategy", description or self.settings.strategy)
        return made

    def rank(self, text: str, strategy: str | Strategy | None = None, where: Filter = Filter()) -> Ranking:
        """Return the strategy's whole ranking with its trace."""
        chosen = self.strategy(strategy) if strategy is None or isinstance(strategy, str) else strategy
        return chosen.retrieve(self.query(text, where), self.snapshot())

    def search(
        self, text: str, *, k: int = 10, strategy: str | Strategy | None = None, where: Filter = Filter()
    ) -> Answer:
        """Return the k best hits. Raises EmptyQuery, UnknownPlugin, BadParameter, NothingToIndex."""
        if k < 1:
            raise BadParameter(f"k must be at least 1, not {k}")
        chosen = self.strategy(strategy) if strategy is None or isinstance(strategy, str) else strategy
        query = self.query(text, where)

        def answer(snapshot: Snapshot) -> Answer:
            ranking = chosen.retrieve(query, snapshot)
            return Answer(
                query=query.text,
                strategy=str(chosen),
                state=snapshot.info.state,
                total=len(ranking.candidates),
                hits=hits(snapshot, ranking.candidates[:k]),
            )

        return self._ask(answer)

    def find(self, name: str) -> Symbol:
        """Return the one symbol that a name means.

        A name is a full id, `path:line` (the innermost definition around that line), or any suffix of a qualified name
        that begins at a dot. If several symbols end in it, one whose qualified name is the name itself wins.
        Raises UnknownSymbol with near names, or AmbiguousSymbol with the choices.
        """
        return self._ask(lambda snapshot: find(snapshot, name))

    def evaluate(
        self, collection: Collection, strategies: Sequence[str | Strategy], measures: Sequence[Measure]
    ) -> tuple[Evaluation, dict[str, dict[str, Ranking]]]:
        """Run each strategy on each topic of a collection whose corpus this engine has open.

        Return the evaluation and the runs behind it, label -> topic id -> ranking, a label being the strategy's full
        description. Raises BadCollection for a qrel that names no symbol of the corpus.
        """
        chosen = [self.strategy(strategy) if isinstance(strategy, str) else strategy for strategy in strategies]
        snapshot = self.snapshot()
        judgements = resolve(collection, lambda name: find(snapshot, name).id)
        queries = {topic.id: self.query(topic.text, collection.where) for topic in collection.topics}
        runs = {
            str(strategy): {topic: strategy.retrieve(query, snapshot) for topic, query in queries.items()}
            for strategy in chosen
        }
        return evaluate(collection, judgements, runs, measures), runs

    def callers(self, name: str) -> Relations:
        """Return who calls the symbol; for a class, who constructs it."""
        return self._ask(lambda snapshot: relations(snapshot, name, Direction.IN))

    def callees(self, name: str) -> Relations:
        """Return what the symbol calls."""
        return self._ask(lambda snapshot: relations(snapshot, name, Direction.OUT))


def relations(snapshot: Snapshot, name: str, direction: Direction) -> Relations:
    """As Engine.callers and Engine.callees, in a given snapshot."""
    symbol = find(snapshot, name)
    ends = [symbol, *_constructor(snapshot, symbol)] if direction is Direction.IN else [symbol]
    edges = snapshot.edges([end.id for end in ends], [EdgeKind.CALLS], direction)
    other = [edge.source if direction is Direction.IN else edge.target for edge in edges]
    symbols = {found.id: found for found in snapshot.symbols(other)}
    pairs = [(edge, symbols[end]) for edge, end in zip(edges, other, strict=True)]
    if direction is Direction.IN:
        sites = snapshot.unresolved(name=symbol.name)
    else:
        sites = snapshot.unresolved(source=symbol.id)
    return Relations(
        symbol=symbol,
        direction=direction,
        edges=tuple(sorted(pairs, key=lambda pair: (pair[0].path, pair[0].line, pair[1].id))),
        unresolved=tuple(site for site in sites if site.reason.could_be_here),
    )


def hits(snapshot: Snapshot, candidates: Sequence[Candidate]) -> tuple[Hit, ...]:
    """Turn candidates, best first, into hits ranked from 1."""
    ids = [candidate.symbol for candidate in candidates]
    symbols = {symbol.id: symbol for symbol in snapshot.symbols(ids)}
    texts = snapshot.texts(ids)
    found: list[Hit] = []
    for rank, candidate in enumerate(candidates, start=1):
        symbol = symbols[candidate.symbol]
        span, text = _extract(symbol, texts[symbol.id], candidate)
        found.append(Hit(rank, symbol, span, candidate.score, candidate.reasons, text))
    return tuple(found)


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


def _at(snapshot: Snapshot, path: str, line: int, wanted: str) -> Symbol:
    around = [
        symbol
        for symbol in snapshot.symbols()
        if f"/{symbol.path}".endswith(f"/{path}") and symbol.span.start_line <= line <= symbol.span.end_line
    ]
    files = sorted({symbol.path for symbol in around})
    if len(files) > 1:
        raise AmbiguousSymbol(wanted, [f"{file}:{line}" for file in files])
    if not around:
        paths = sorted({symbol.path for symbol in snapshot.symbols()})
        raise UnknownSymbol(wanted, get_close_matches(path, paths, n=3))
    return max(around, key=lambda symbol: (symbol.span.start_line, -symbol.span.end_line, symbol.parent is not None))


def _near(snapshot: Snapshot, dotted: str) -> list[str]:
    """Return up to three qualified names whose last name is like the last name asked for."""
    by_name: dict[str, list[str]] = {}
    for symbol in snapshot.symbols():
        by_name.setdefault(symbol.name, []).append(symbol.qualified_name)
    last = dotted.rpartition(".")[2]
    lower = {name.lower(): name for name in sorted(by_name)}
    near = get_close_matches(last.lower(), sorted(lower), n=3, cutoff=0.6)
    return [qualified for name in near for qualified in sorted(by_name[lower[name]])][:3]


def _distinct(symbol: Symbol, among: Sequence[Symbol]) -> str:
    """Return the shortest of the symbol's names that tells it from the others."""
    same = [other for other in among if other.qualified_name == symbol.qualified_name]
    return symbol.qualified_name if len(same) == 1 else f"{symbol.path}:{symbol.span.start_line}"


def _constructor(snapshot: Snapshot, symbol: Symbol) -> list[Symbol]:
    if symbol.kind is not SymbolKind.CLASS:
        return []
    return [method for method in snapshot.named("__init__") if method.parent == symbol.id]


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
