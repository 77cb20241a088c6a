"""The one object behind every door: opens an index, keeps it fresh, and asks it."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, cached_property
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, overload

from plait import plugins, source
from plait.errors import BadParameter, BrokenIndex, CannotWrite, EmptyQuery, NoSuchPath
from plait.finding import find, hits, module_of
from plait.freshness import is_fresh
from plait.model import Content, Direction, Evidence, Filter, Hit, Query, Ranking, Symbol, Unknown
from plait.protocols import Embedder, RelinkingGraphBuilder, Snapshot, Strategy, Writer
from plait.scip.files import remember, remembered
from plait.settings import Settings
from plait.store.embedded import FORMAT, EmbeddedSnapshot, EmbeddedWriter
from plait.store.folders import facts_of, folder_of
from plait.terms import query_terms
from plait.version import __version__

# What builds, judges and surveys is imported when it is asked for: a search of a fresh index needs none of it.
if TYPE_CHECKING:
    from plait.evaluate.collection import Collection
    from plait.evaluate.judge import Evaluation
    from plait.evaluate.measures import Measure
    from plait.indexing import IndexReport, Progress
    from plait.questions import CallPath, Impact, Relations
    from plait.refresh import Refreshed
    from plait.status import Status
    from plait.store.facts import FactsCache
    from plait.surveys import FlowRow, HubRow, Listing, Sites, WholeGraph

T = TypeVar("T")

FLOW_LINES = 20_000
"""Lines up to which an answer waits until the flow of values has been followed: a second or two, by
benchmarks/results/callgraph-scale.txt. In larger folders it answers before, says so, and `plait index` follows it."""


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


class Engine:
    """An index of one folder. Make it with `Engine.open`."""

    def __init__(self, root: Path, settings: Settings, progress: Progress = _silent) -> None:
        self.root = root
        self.settings = settings
        self.progress = progress
        self._snapshot: Snapshot | None = None
        self._unwritten = ""
        """why the last snapshot had to be made in memory"""
        self.refreshed: Refreshed | None = None
        """what the last refresh did, if there was one"""

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

        To that belong the version of Python, whose grammar and standard library the parser and the graph go by, and the
        state of plait's own files: a newer plait never answers from what an older one has indexed.
        """
        return self._path(self.settings.content)

    def _path(self, content: Content) -> Path:
        python = f"{sys.version_info.major}.{sys.version_info.minor}"
        parts = (__version__, python, FORMAT, self._embedder.fingerprint, self.settings.graph)
        settings = self.settings
        mixture = "\0".join(map(str, (*parts, settings.max_file_bytes, settings.submodules, content)))
        kind = blake2b(mixture.encode(), digest_size=6).hexdigest()
        return self._folder / f"{kind}.{_own_state()}.sqlite"

    @property
    def _folder(self) -> Path:
        """Where everything about the root is kept."""
        return folder_of(self.settings.cache, self.root)

    @cached_property
    def _embedder(self) -> Embedder:
        embedder: Embedder = plugins.build("embedder", self.settings.embedder)
        return embedder

    def index(self, *, force: bool = False, scip: Sequence[str | Path] | None = None) -> IndexReport:
        """Build the snapshot anew; with force, without taking vectors from the one before.

        `scip` are SCIP indexes to join. They are remembered for the root: every later build of an index of it, whatever
        its settings, joins them as they are then. None joins the remembered ones, an empty sequence forgets them.
        Raises BadScip and MissingExtra for one that is given here and cannot be joined.
        """
        given = None if scip is None else [Path(os.path.abspath(Path(path).expanduser())) for path in scip]
        try:
            before = None if force else EmbeddedSnapshot(self.path)
            report = self._build(before, given)
        except (FileNotFoundError, BrokenIndex):
            report = self._build(None, given)
        if given is not None:
            remember(self._folder, given)
        return report

    @property
    def notices(self) -> list[str]:
        """What someone should know about the last answer: edges that are not there yet, or could not be joined."""
        if self._snapshot is None:
            return []
        info = self._snapshot.info
        found = [
            f"{one.state.path}: {one.problem}; its exact edges are left out (`plait index --no-scip` forgets it)"
            for one in info.scip
            if one.problem
        ]
        if self._unwritten and not isinstance(self._snapshot, EmbeddedSnapshot):
            found.append(f"{self._unwritten}; until then each answer is made in memory, and nothing of it is kept")
        if info.pending:
            found.append(
                f"calls in {info.pending} of {info.files} files are resolved by scopes, imports and types only; "
                "`plait index` follows the flow of values as well"
            )
        return found

    def _build(
        self,
        before: Snapshot | None,
        given: Sequence[Path] | None = None,
        defer: int | None = None,
        writer: Writer | None = None,
    ) -> IndexReport:
        from plait.indexing import build

        self._snapshot, report = build(
            self.root,
            writer or EmbeddedWriter(self.path),
            self._embedder,
            graph=self.settings.graph,
            max_file_bytes=self.settings.max_file_bytes,
            submodules=self.settings.submodules,
            content=self.settings.content,
            before=before,
            facts=self._facts,
            code_state=self._code_state,
            progress=self.progress,
            scip=remembered(self._folder) if given is None else given,
            must_join=given is not None,
            defer=defer,
        )
        if writer is not None:
            return report
        kind = self.path.name.partition(".")[0]
        for outdated in sorted(self.path.parent.glob(f"{kind}.*.sqlite")):
            if outdated != self.path:
                with suppress(OSError):
                    outdated.unlink()
        return report

    def snapshot(self) -> Snapshot:
        """Return a snapshot of the folder as it is now, building it if there is none or a file has changed."""
        try:
            kept = self._snapshot or EmbeddedSnapshot(self.path)
            listing = self._listed(reasons=False)
            fresh = self._is_fresh(listing, kept)
            if not fresh and isinstance(kept, EmbeddedSnapshot) and not kept.is_current:
                kept = EmbeddedSnapshot(self.path)  # somebody else has renewed it
                fresh = self._is_fresh(listing, kept)
            if not fresh:
                kept = self._refreshed(kept) or self._built(kept)
            self._snapshot = kept
        except (FileNotFoundError, BrokenIndex):
            self._snapshot = self._built(None)
        return self._snapshot

    def _listed(self, *, reasons: bool) -> source.Listing:
        settings = self.settings
        return source.discover(self.root, submodules=settings.submodules, reasons=reasons, content=settings.content)

    def _is_fresh(self, listing: source.Listing, snapshot: Snapshot) -> bool:
        return is_fresh(listing, snapshot, remembered(self._folder))

    def _built(self, before: Snapshot | None) -> Snapshot:
        """Build anew, in memory if it cannot be kept; what was there stays then."""
        from plait.store.memory import MemoryWriter

        try:
            self._build(before, defer=FLOW_LINES)
        except CannotWrite as error:
            self._unwritten = str(error)
            self._build(before, defer=FLOW_LINES, writer=MemoryWriter())
        assert self._snapshot is not None
        return self._snapshot

    def _refreshed(self, before: Snapshot) -> Snapshot | None:
        """Return the snapshot with what an edit has changed; None if it must be built anew, or cannot be kept."""
        if not isinstance(before, EmbeddedSnapshot) or not self._can_refresh(before):
            return None
        from plait.refresh import refresh
        from plait.store.changes import EmbeddedChanges

        try:
            done = refresh(
                self.root,
                self._listed(reasons=True),
                before,
                EmbeddedChanges(before),
                self._embedder,
                graph=self.settings.graph,
                max_file_bytes=self.settings.max_file_bytes,
                facts=self._facts,
                code_state=self._code_state,
                progress=self.progress,
            )
        except CannotWrite:
            return None
        if done is None:
            return None
        snapshot, self.refreshed = done
        return snapshot

    def _can_refresh(self, before: Snapshot) -> bool:
        """Whether what a refresh gives is all there is to have, or all that one waits for."""
        builder = plugins.build("graph", self.settings.graph)
        if remembered(self._folder) or not isinstance(builder, RelinkingGraphBuilder):
            return False
        return not builder.in_part or before.info.lines > FLOW_LINES

    @cached_property
    def _facts(self) -> FactsCache:
        from plait.store.facts import FactsCache

        return FactsCache(facts_of(self.settings.cache))

    @property
    def _code_state(self) -> str:
        return f"{sys.version_info[:2]}{_own_state()}"

    def status(self) -> Status:
        """Return what is indexed and whether it is still so; nothing is built."""
        from plait.status import status

        return status(self.root, self.settings, {content: self._path(content) for content in Content})

    def _ask(self, question: Callable[[Snapshot], T]) -> T:
        """Answer from the snapshot; one whose file turns out to be damaged is built anew."""
        try:
            return question(self.snapshot())
        except BrokenIndex:
            return question(self._built(None))

    def query(self, text: str, where: Filter = Filter()) -> Query:
        """Make a question for strategies. Raises EmptyQuery for one without a visible character."""
        if not text.strip():
            raise EmptyQuery
        text = text.encode(errors="replace").decode()  # an argument that is not UTF-8 holds lone surrogates
        (vector,) = self._embedder.encode([text], role="query")
        return Query(text, vector, query_terms(text), where)

    def strategy(self, description: str | Strategy | None = None) -> Strategy:
        """Make a strategy from its name or description, the configured one by default; a made one is returned."""
        if description is not None and not isinstance(description, str):
            return description
        made: Strategy = plugins.build("strategy", description or self.settings.strategy)
        return made

    def rank(self, text: str, strategy: str | Strategy | None = None, where: Filter = Filter()) -> Ranking:
        """Return the strategy's whole ranking with its trace."""
        chosen, query = self.strategy(strategy), self.query(text, where)
        return self._ask(lambda snapshot: chosen.retrieve(query, snapshot))

    def search(
        self, text: str, *, k: int = 10, strategy: str | Strategy | None = None, where: Filter = Filter()
    ) -> Answer:
        """Return the k best hits. Raises EmptyQuery, UnknownPlugin, BadParameter, NothingToIndex."""
        if k < 1:
            raise BadParameter(f"k must be at least 1, not {k}")
        chosen, query = self.strategy(strategy), self.query(text, where)

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
        from plait.evaluate.collection import resolve
        from plait.evaluate.judge import evaluate

        chosen = [self.strategy(strategy) for strategy in strategies]
        queries = {topic.id: self.query(topic.text, collection.where) for topic in collection.topics}

        def judge(snapshot: Snapshot) -> tuple[Evaluation, dict[str, dict[str, Ranking]]]:
            judgements = resolve(collection, lambda name: find(snapshot, name).id)
            runs = {
                str(strategy): {topic: strategy.retrieve(query, snapshot) for topic, query in queries.items()}
                for strategy in chosen
            }
            return evaluate(collection, judgements, runs, measures), runs

        return self._ask(judge)

    def callers(
        self, name: str, *, depth: int = 1, weakest: Evidence = Evidence.AMBIGUOUS, tests: bool | None = None
    ) -> Relations:
        """Return who calls the symbol within so many calls; for a class, who constructs it."""
        return self._relations(name, Direction.IN, depth, weakest, tests)

    def callees(
        self, name: str, *, depth: int = 1, weakest: Evidence = Evidence.AMBIGUOUS, tests: bool | None = None
    ) -> Relations:
        """Return what the symbol calls within so many calls; for a class, what constructing it and its body call."""
        return self._relations(name, Direction.OUT, depth, weakest, tests)

    def _relations(
        self, name: str, direction: Direction, depth: int, weakest: Evidence, tests: bool | None
    ) -> Relations:
        from plait import questions

        if depth < 1:
            raise BadParameter(f"the depth must be at least 1, not {depth}")
        return self._ask(
            lambda snapshot: questions.relations(snapshot, find(snapshot, name), direction, depth, weakest, tests)
        )

    def path_between(self, source: str, target: str) -> CallPath:
        """Return the shortest chain of calls from the one symbol to the other, or what could still be one."""
        from plait import questions

        return self._ask(lambda snapshot: questions.call_path(snapshot, find(snapshot, source), find(snapshot, target)))

    def impact(self, name: str, *, weakest: Evidence = Evidence.AMBIGUOUS) -> Impact:
        """Return what may break when a symbol changes, or a file; whatever is defined in it counts as changed."""
        from plait import questions

        def answer(snapshot: Snapshot) -> Impact:
            symbol = module_of(snapshot, self.root, name) or find(snapshot, name)
            return questions.impact_of(snapshot, questions.with_contents(snapshot, symbol), weakest, None)

        return self._ask(answer)

    def impact_of_diff(self, revision: str, *, weakest: Evidence = Evidence.AMBIGUOUS) -> Impact:
        """Return what may break by what differs from a git revision. Raises BadParameter for one that git lacks."""
        from plait import questions
        from plait.changes import changed

        def answer(snapshot: Snapshot) -> Impact:
            edit = changed(self.root, revision, snapshot)
            return questions.impact_of(snapshot, edit.symbols, weakest, edit)

        return self._ask(answer)

    def hubs(self, *, k: int = 20, tests: bool | None = None) -> Listing[HubRow]:
        """Return the k most called symbols, by (-callers, id)."""
        from plait import surveys

        return self._ask(lambda snapshot: surveys.hubs(snapshot, k, tests))

    def flows(self, *, k: int = 20, tests: bool | None = False) -> Listing[FlowRow]:
        """Return the k entry points that reach most, with what they reach; calls out of tests are left out."""
        from plait import surveys

        return self._ask(lambda snapshot: surveys.flows(snapshot, k, tests))

    def unresolved(self, reason: Unknown | None = None) -> Sites:
        """Return the calls that could not be resolved: those with a reason, or all that could stay in the folder."""
        from plait import surveys

        return self._ask(lambda snapshot: surveys.unresolved(snapshot, reason))

    def graph(self) -> WholeGraph:
        """Return all symbols and edges."""
        from plait import surveys

        return self._ask(surveys.whole)


@cache
def _own_state() -> str:
    """Return a digest of plait's files by size and time."""
    states: list[tuple[str, int, int]] = []
    waiting = [str(Path(__file__).parent)]
    while waiting:
        with os.scandir(waiting.pop()) as found:
            for entry in found:
                if entry.name.endswith(".py"):
                    status = entry.stat()
                    states.append((entry.path, status.st_size, status.st_mtime_ns))
                elif entry.is_dir() and entry.name != "__pycache__":
                    waiting.append(entry.path)
    return blake2b(repr(sorted(states)).encode(), digest_size=6).hexdigest()
