"""The one object behind every door: opens an index, keeps it fresh, and asks it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeVar, overload

from plait import plugins
from plait.asking import Asked, asked
from plait.chinese import bridged
from plait.errors import BadParameter, BrokenIndex, EmptyQuery, NoSuchPath
from plait.finding import find, hits, module_of, related
from plait.kept import KeptIndex
from plait.model import Content, Direction, Evidence, Filter, Hit, Query, Ranking, Related, Symbol, Unknown
from plait.protocols import Embedder, Embedding, Snapshot, Strategy
from plait.settings import Settings
from plait.terms import query_terms

# What builds, judges and surveys is imported when it is asked for: a search of a fresh index needs none of it.
if TYPE_CHECKING:
    from plait.context import Context
    from plait.evaluate.collection import Collection
    from plait.evaluate.judge import Evaluation
    from plait.evaluate.measures import Measure
    from plait.indexing import IndexReport, Progress
    from plait.questions import CallPath, Impact, Relations
    from plait.refresh import Refreshed
    from plait.status import Status
    from plait.surveys import FlowRow, HubRow, Listing, Sites, WholeGraph

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
    related: tuple[Related, ...] = ()
    """neighbours of the hits on the graph, apart from the ranking (`plait.finding.related`)"""

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

    def __init__(self, root: Path, settings: Settings, progress: Progress = _silent, *, refresh: bool = True) -> None:
        self.root = root
        self.settings = settings
        self._index = KeptIndex(root, settings, progress, refresh=refresh)
        self._held: Snapshot | None = None

    @classmethod
    def open(
        cls, path: str | Path = ".", *, progress: Progress = _silent, refresh: bool = True, **settings: object
    ) -> Engine:
        """Open a folder; keyword arguments are settings (see `plait.settings.Settings`). Nothing is read or built yet.

        Without `refresh` no file is looked at: questions are answered from the last commit, or raise NotIndexed.
        Raises NoSuchPath, BadParameter for a setting.
        """
        try:
            root = Path(path).expanduser().resolve(strict=True)
        except (OSError, RuntimeError, ValueError):  # also a link loop, `~name` of nobody, a null byte
            raise NoSuchPath(str(path)) from None
        if not root.is_dir():
            raise BadParameter(f"{path}: is a file; give the folder around it")
        return cls(root, Settings.load(root, settings), progress, refresh=refresh)

    @property
    def path(self) -> Path:
        """The index file."""
        return self._index.path

    @property
    def progress(self) -> Progress:
        return self._index.progress

    @progress.setter
    def progress(self, progress: Progress) -> None:
        self._index.progress = progress

    def index(self, *, force: bool = False, scip: Sequence[str | Path] | None = None) -> IndexReport:
        """Build the snapshot anew; with force, without taking vectors from the one before.

        `scip` are SCIP indexes to join. They are remembered for the root: every later build of an index of it, whatever
        its settings, joins them as they are then. None joins the remembered ones, an empty sequence forgets them.
        Raises BadScip and MissingExtra for one that is given here and cannot be joined, IndexBusy if another process
        is writing the index and does not end within `Settings.wait`.
        """
        return self._index.build(force=force, scip=scip)

    def snapshot(self) -> Snapshot:
        """Return a snapshot of the folder as it is now, building it if there is none or a file has changed.

        If another process is writing the index, it is the last commit (`notices` says so); so it is without refresh.
        """
        return self._held or self._index.snapshot()

    def holding(self, snapshot: Snapshot) -> Engine:
        """Return an engine that answers from this snapshot alone and looks at no file.

        What it is asked about the disk (`status`, `index`, `notices`) is still answered as by this engine.
        """
        held = copy(self)
        held._held = snapshot
        return held

    @property
    def notices(self) -> list[str]:
        """What someone should know about the last answer: what it cannot know of, or could not be joined."""
        return self._index.notices

    @property
    def writer(self) -> str:
        """Who writes the index, if the last snapshot is the commit before for that reason; else empty."""
        return self._index.writer

    @property
    def refreshed(self) -> Refreshed | None:
        """What the last refresh did, if there was one."""
        return self._index.refreshed

    def status(self) -> Status:
        """Return what is indexed and whether it is still so; nothing is built."""
        from plait.status import status

        return status(self.root, self.settings, {one: self._index.path_of(one) for one in Content})

    def _ask(self, question: Callable[[Snapshot], T]) -> T:
        """Answer from the snapshot; one whose file turns out to be damaged is built anew."""
        try:
            return question(self.snapshot())
        except BrokenIndex:
            if self._held is not None or not self._index.refresh:
                raise
            return question(self._index.mended())

    @property
    def embedder(self) -> Embedder:
        return self._index.embedder

    def query(self, text: str, where: Filter = Filter()) -> Query:
        """Make a question for strategies of a text as it stands: filters and quotes in it are words.

        Raises EmptyQuery for one without a visible character.
        """
        if not text.strip():
            raise EmptyQuery
        text = text.encode(errors="replace").decode()  # an argument that is not UTF-8 holds lone surrogates
        understood = bridged(text)
        (vector,) = self.embedder.encode([understood], role="query")
        return Query(text, vector, query_terms(understood), where)

    def strategy(self, description: str | Strategy | None = None) -> Strategy:
        """Make a strategy from its name or description, the configured one by default; a made one is returned."""
        if description is not None and not isinstance(description, str):
            return description
        made: Strategy | Embedding = plugins.build("strategy", description or self.settings.strategy)
        return made.over(self.embedder) if isinstance(made, Embedding) else made

    def rank(self, text: str, strategy: str | Strategy | None = None, where: Filter = Filter()) -> Ranking:
        """Return the strategy's whole ranking with its trace; the question is read as by `search`."""
        chosen, question = self.strategy(strategy), asked(text, where)
        query = self.query(question.text, question.where)
        return self._ask(lambda snapshot: chosen.retrieve(within(query, question, snapshot), snapshot))

    def search(
        self,
        text: str,
        *,
        k: int = 10,
        strategy: str | Strategy | None = None,
        where: Filter = Filter(),
        beside: bool = True,
    ) -> Answer:
        """Return the k best hits, with `beside` also what stands beside them on the graph.

        Filters (`path:`, `lang:`, `kind:`) and double quotes in the question narrow it: see `plait.asking.asked`.
        Raises EmptyQuery, UnknownPlugin, BadParameter, NothingToIndex.
        """
        if k < 1:
            raise BadParameter(f"k must be at least 1, not {k}")
        text = text.encode(errors="replace").decode()
        chosen, question = self.strategy(strategy), asked(text, where)
        query = self.query(question.text, question.where)

        def answer(snapshot: Snapshot) -> Answer:
            ranking = chosen.retrieve(within(query, question, snapshot), snapshot)
            found = hits(snapshot, ranking.candidates, k)
            return Answer(
                query=text,
                strategy=str(chosen),
                state=snapshot.info.state,
                total=len(ranking.candidates),
                hits=found,
                related=related(snapshot, found) if beside else (),
            )

        return self._ask(answer)

    def context(
        self,
        text: str,
        *,
        tokens: int = 4000,
        strategy: str | Strategy | None = None,
        where: Filter = Filter(tests=False),
        size: Callable[[Context], int] | None = None,
    ) -> Context:
        """Return the functions that belong together, in the order in which they run, in so many tokens at the most.

        Signatures come first, then whole bodies, best first, while the budget lasts (`plait.context.composing`). The
        question is read as by `search`; tests are left out unless the filter says otherwise. Where the settings leave
        the strategy as it is, more of one file is taken (`plait.context.STRATEGY`). `size` counts the tokens of
        what the caller makes of it, by default lines of text. Raises BadParameter for too few tokens, else as `search`.
        """
        from plait.context import STRATEGY, compose, written

        text = text.encode(errors="replace").decode()
        if strategy is None and self.settings.strategy == Settings().strategy:
            strategy = STRATEGY
        chosen, question = self.strategy(strategy), asked(text, where)
        query = self.query(question.text, question.where)

        def answer(snapshot: Snapshot) -> Context:
            ranking = chosen.retrieve(within(query, question, snapshot), snapshot)
            return compose(text, str(chosen), ranking, snapshot, tokens, size or written)

        return self._ask(answer)

    def find(self, name: str) -> Symbol:
        """Return the one symbol that a name means.

        A name is a full id, `path:line` (the innermost definition around that line), or any suffix of a qualified name
        that begins at a dot. If several symbols end in it, one whose qualified name is the name itself wins.
        Raises UnknownSymbol with near names, or AmbiguousSymbol with the choices.
        """
        return self._ask(lambda snapshot: find(snapshot, name))

    def evaluate(
        self,
        collection: Collection,
        strategies: Sequence[str | Strategy],
        measures: Sequence[Measure],
        others: Mapping[str, Mapping[str, Ranking]] = MappingProxyType({}),
    ) -> tuple[Evaluation, dict[str, dict[str, Ranking]]]:
        """Run each strategy on each topic of a collection whose corpus this engine has open.

        `others` are rankings of other tools, label -> topic id -> ranking, judged after them.

        Return the evaluation and the runs behind it, label -> topic id -> ranking, a label being the strategy's full
        description. Raises BadCollection for a qrel that names no symbol of the corpus.
        """
        from plait.evaluate.collection import resolve
        from plait.evaluate.files import by_file
        from plait.evaluate.judge import evaluate

        chosen = [self.strategy(strategy) for strategy in strategies]
        queries = {topic.id: self.query(topic.text, collection.where) for topic in collection.topics}

        def judge(snapshot: Snapshot) -> tuple[Evaluation, dict[str, dict[str, Ranking]]]:
            judgements = resolve(collection, lambda name: find(snapshot, name).id)
            runs = {
                str(strategy): {topic: strategy.retrieve(query, snapshot) for topic, query in queries.items()}
                for strategy in chosen
            }
            runs |= {label: dict(run) for label, run in others.items()}
            if collection.by_file:
                runs = {label: {one: by_file(found) for one, found in run.items()} for label, run in runs.items()}
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


def within(query: Query, question: Asked, snapshot: Snapshot) -> Query:
    """Narrow a query down to the symbols that contain what the question quotes."""
    if not question.quoted:
        return query
    containing = [snapshot.containing(quoted) for quoted in question.quoted]
    among = [] if query.where.ids is None else [query.where.ids]
    return replace(query, where=replace(query.where, ids=frozenset.intersection(*containing, *among)))
