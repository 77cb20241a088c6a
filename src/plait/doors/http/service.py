"""What is served: repositories by name, with who keeps and who reads each, and the collections about them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from plait.doors.http.board import Board, Standing
from plait.doors.http.faults import Fault
from plait.doors.http.keeping import Keeper
from plait.doors.http.marks import Marks
from plait.doors.http.parameters import Given
from plait.doors.http.readers import NotReady, Readers
from plait.engine import Engine
from plait.evaluate.collection import Collection
from plait.settings import Settings
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


@dataclass(frozen=True, slots=True)
class Service:
    recipe: Recipe
    board: Board
    keepers: Mapping[str, Keeper]
    readers: Mapping[str, Readers]
    collections: Mapping[str, Collection]
    """by name, those that nobody writes"""
    corpora: Mapping[str, str]
    """collection -> name of the repository it is about"""
    marks: Marks | None
    """None if nothing is written"""
    default: str
    """strategy"""

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
    def repositories(self) -> list[str]:
        """Those that were named to be served, not the corpora of collections."""
        return [name for name, one in self.board.standings.items() if one.role == "repository"]

    def named(self, name: str) -> str:
        """Return the name if it is one. Raises Fault."""
        if name not in self.keepers:
            told = f"no repository is called {name!r}; there are: {', '.join(self.keepers)}"
            raise Fault(404, "unknown_repository", told)
        return name

    def chosen(self, given: Given) -> str:
        """Return the repository that is meant. Raises Fault."""
        if given["repo"]:
            return self.named(given["repo"])
        if len(self.repositories) != 1:
            told = f"say which repository with repo=NAME; there are: {', '.join(self.repositories)}"
            raise Fault(400, "repository_required", told)
        return self.repositories[0]

    @contextmanager
    def reading(self, name: str) -> Iterator[Engine]:
        """Raises Fault if there is no index yet."""
        try:
            with self.readers[name].reading() as engine:
                yield engine
        except NotReady:
            raise self.not_ready(name) from None

    def alone(self, name: str) -> Engine:
        """As reading, for an engine that is kept."""
        try:
            return self.readers[name].alone()
        except NotReady:
            raise self.not_ready(name) from None

    def not_ready(self, name: str) -> Fault:
        standing = self.board[name]
        if standing.problem:
            return Fault(503, "not_ready", f"{name}: {standing.problem}", retry=10)
        stage, done, total = standing.progress or ("begin", 0, 0)
        far = f"{stage} {done:,} of {total:,}" if total else "it has begun"
        return Fault(503, "not_ready", f"{name} is being indexed ({far}); /api/v1/progress tells when it is", retry=2)
