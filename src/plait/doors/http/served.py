"""What one caller can ask: the operations see this alone, whoever keeps the indexes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Protocol

from plait.doors.http.board import Standing
from plait.doors.http.faults import Fault
from plait.doors.http.parameters import Given
from plait.engine import Engine
from plait.evaluate.collection import Collection
from plait.model import FileRecord, Filter
from plait.several import Gathered
from plait.status import Status

if TYPE_CHECKING:
    from plait.doors.http.marks import Marks

NAMED = 20
"""Names of repositories in one error."""


class Served(ABC):
    default: str
    """strategy"""
    marks: Marks | None
    """None if nothing is written"""
    collections: Mapping[str, Collection]
    """by name, those that nobody writes"""
    corpora: Mapping[str, str]
    """collection -> name of the repository it is about"""

    @property
    @abstractmethod
    def standings(self) -> Mapping[str, Standing]:
        """Return how each repository stands, in their order."""

    @property
    def repositories(self) -> list[str]:
        """Those that were named to be served, not the corpora of collections."""
        return [name for name, one in self.standings.items() if one.role == "repository"]

    def notices(self, name: str) -> tuple[str, ...]:
        return self.standings[name].notices

    def named(self, name: str) -> str:
        """Return the name if it is one. Raises Fault."""
        known = self.standings
        if name not in known:
            raise Fault(404, "unknown_repository", f"no repository is called {name!r}; there are: {listed(known)}")
        return name

    def chosen(self, given: Given) -> str:
        """Return the repository that is meant. Raises Fault."""
        if given["repo"]:
            return self.named(given["repo"])
        names = self.repositories
        if len(names) != 1:
            told = f"say which repository with repo=NAME; there are: {listed(names)}"
            raise Fault(400, "repository_required", told)
        return names[0]

    @abstractmethod
    def reading(self, name: str) -> AbstractContextManager[Engine]:
        """Give an engine that nobody else uses meanwhile. Raises Fault if there is no index yet."""

    @abstractmethod
    def reading_one_or_all(self, repo: str | None) -> AbstractContextManager[tuple[str, Engine]]:
        """As reading, of a name or of what is asked without one; return its name, empty for several. Raises Fault."""

    def changed(self, name: str, engine: Engine, paths: Sequence[str]) -> frozenset[str]:
        """Return those of these indexed files that are not as they were when they were indexed."""
        return frozenset()

    @abstractmethod
    def alone(self, name: str) -> Engine:
        """As reading, for an engine that is kept."""

    @abstractmethod
    def remembered(self, name: str, key: str, engine: Engine, make: Callable[[], Any]) -> Any:
        """Return what `make` returns, made once for each state of the index, as long as it is not pushed out."""

    @abstractmethod
    def search(
        self, names: Sequence[str], text: str, *, k: int, strategy: str | None, where: Filter, beside: bool
    ) -> Gathered:
        """As `plait.several.search`, over all repositories without names."""

    @abstractmethod
    def status(self, name: str) -> Status: ...

    @abstractmethod
    def text_of(self, engine: Engine, record: FileRecord) -> tuple[list[str], bool]:
        """Return the lines of an indexed file, and whether it has changed since. Raises Fault."""

    @abstractmethod
    def refresh(self, name: str, *, full: bool) -> None:
        """Look for edits soon. Raises Fault."""


class Serving(Protocol):
    """What stands behind a server: who asks decides what is seen."""

    @property
    def repo(self) -> str:
        """What agents are told of that argument."""
        ...

    def start(self) -> None: ...

    def stop(self) -> None: ...

    def seen_by(self, caller: str) -> Served:
        """`caller` is what `guard.Access` has told of them."""
        ...

    @property
    def health(self) -> str:
        """`ok`, `indexing` or `problem`; nothing of repositories, as anybody may ask."""
        ...

    @property
    def is_ready(self) -> bool:
        """Whether questions can be answered."""
        ...


def listed(names: Mapping[str, object] | Sequence[str]) -> str:
    told = list(names)
    if not told:
        return "none"
    more = f" and {len(told) - NAMED:,} more" if len(told) > NAMED else ""
    return ", ".join(told[:NAMED]) + more
