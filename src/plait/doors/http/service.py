"""What is served: repositories by name, with who keeps and who reads each, and the collections about them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from plait import several
from plait.doors.http.board import Board, Standing
from plait.doors.http.faults import Fault
from plait.doors.http.keeping import Keeper
from plait.doors.http.marks import Marks
from plait.doors.http.readers import NotReady, Readers
from plait.doors.http.served import Served
from plait.doors.http.text import content_of, state_of
from plait.doors.mcp.schemas import OF_FEW
from plait.engine import Engine
from plait.evaluate.collection import Collection
from plait.model import FileRecord, FileState, Filter, Skipped
from plait.parse.lines import split_lines
from plait.settings import Settings
from plait.source.reading import made
from plait.status import Status
from plait.store.embedded import EmbeddedSnapshot

CORPUS = "corpus:"
"""What the names of the corpora of collections begin with."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """From what a service is made, here and in other processes."""

    engines: Mapping[str, tuple[Path, Settings]]
    """repository -> root and settings"""
    collections: tuple[Collection, ...]
    marks: Path | None


@dataclass(frozen=True)
class Service(Served):
    recipe: Recipe
    board: Board
    keepers: Mapping[str, Keeper]
    readers: Mapping[str, Readers]
    collections: Mapping[str, Collection]
    corpora: Mapping[str, str]
    marks: Marks | None
    default: str

    @classmethod
    def of(cls, engines: Mapping[str, Engine], collections: Sequence[Collection], marks: Path | None) -> Service:
        """Make the service of repositories by name. Nothing is indexed before `start`."""
        made = {name: (engine.root, engine.settings) for name, engine in engines.items()}
        return cls.made(Recipe(made, tuple(collections), marks))

    @classmethod
    def made(cls, recipe: Recipe) -> Service:
        engines = {name: Engine(root, settings) for name, (root, settings) in recipe.engines.items()}
        collections, marks = recipe.collections, recipe.marks
        every = dict(engines)
        corpora: dict[str, str] = {}
        for one in collections:
            corpus = one.corpus.resolve()
            known = next((name for name, engine in every.items() if engine.root == corpus), "")
            corpora[one.name] = known or f"{CORPUS}{one.name}"
            if not known:
                every[corpora[one.name]] = Engine.open(corpus)
        board = Board(
            {
                name: Standing(name, engine.root, "repository" if name in engines else "corpus")
                for name, engine in every.items()
            }
        )
        keepers = {name: Keeper(name, engine, board) for name, engine in every.items()}
        roots = {name: engine.root for name, engine in engines.items()}
        return cls(
            recipe=recipe,
            board=board,
            keepers=keepers,
            readers={name: Readers(every[name], keeper.latest) for name, keeper in keepers.items()},
            collections={one.name: one for one in collections},
            corpora=corpora,
            marks=None if marks is None else Marks(marks, roots),
            default=next(iter(every.values())).settings.strategy,
        )

    def start(self) -> None:
        for keeper in self.keepers.values():
            keeper.start()

    def stop(self) -> None:
        for keeper in self.keepers.values():
            keeper.stop()

    @property
    def is_in_memory(self) -> bool:
        """Whether an index is nowhere but in this process: its file cannot be written."""
        latest = (keeper.latest() for keeper in self.keepers.values())
        return any(one is not None and not isinstance(one, EmbeddedSnapshot) for one in latest)

    @property
    def repo(self) -> str:
        return OF_FEW

    def seen_by(self, caller: str) -> Served:
        """Whoever is let in may ask everything."""
        return self

    @property
    def standings(self) -> Mapping[str, Standing]:
        return self.board.standings

    @property
    def health(self) -> str:
        if any(one.problem for one in self.standings.values()):
            return "problem"
        return "ok" if self.is_ready else "indexing"

    @property
    def is_ready(self) -> bool:
        return all(self.board[name].ready for name in self.repositories)

    @contextmanager
    def reading(self, name: str) -> Iterator[Engine]:
        try:
            with self.readers[name].reading() as engine:
                yield engine
        except NotReady:
            raise self.not_ready(name) from None

    @contextmanager
    def reading_one_or_all(self, repo: str | None) -> Iterator[tuple[str, Engine]]:
        name = self.chosen({"repo": repo})
        with self.reading(name) as engine:
            yield name, engine

    def changed(self, name: str, engine: Engine, paths: Sequence[str]) -> frozenset[str]:
        def files() -> dict[str, FileState]:
            return {state.path: state for state in engine.snapshot().files()}

        known = self.remembered(name, "files", engine, files)
        return frozenset(path for path in paths if state_of(engine.root, path) != known.get(path))

    def alone(self, name: str) -> Engine:
        try:
            return self.readers[name].alone()
        except NotReady:
            raise self.not_ready(name) from None

    def remembered(self, name: str, key: str, engine: Engine, make: Callable[[], Any]) -> Any:
        return self.readers[name].remembered(key, engine, make)

    def search(
        self, names: Sequence[str], text: str, *, k: int, strategy: str | None, where: Filter, beside: bool
    ) -> several.Gathered:
        with ExitStack() as stack:
            engines = {name: stack.enter_context(self.reading(name)) for name in names or self.repositories}
            return several.search(engines, text, k=k, strategy=strategy, where=where, beside=beside)

    def status(self, name: str) -> Status:
        return self.keepers[name].engine.status()

    def text_of(self, engine: Engine, record: FileRecord) -> tuple[list[str], bool]:
        content, state = content_of(engine.root, record)
        found = made(record.state.path, content, engine.settings.content)
        lines = [] if isinstance(found, Skipped) else split_lines(found.text)
        return lines[:-1] if lines and not lines[-1] else lines, state != record.state

    def refresh(self, name: str, *, full: bool) -> None:
        self.keepers[name].refresh(full=full)

    def not_ready(self, name: str) -> Fault:
        standing = self.board[name]
        if standing.problem:
            return Fault(503, "not_ready", f"{name}: {standing.problem}", retry=10)
        stage, done, total = standing.progress or ("begin", 0, 0)
        far = f"{stage} {done:,} of {total:,}" if total else "it has begun"
        return Fault(503, "not_ready", f"{name} is being indexed ({far}); /api/v1/progress tells when it is", retry=2)
