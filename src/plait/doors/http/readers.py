"""Who answers from the index of one repository: for each question at a time an engine with a snapshot of its own."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from plait.engine import Engine
from plait.errors import BrokenIndex
from plait.protocols import Snapshot
from plait.store.embedded import EmbeddedSnapshot

REMEMBERED = 32
"""What was made from a snapshot once and is kept for the next question, of one repository."""


class NotReady(Exception):
    """There is no index yet."""


class Readers:
    """Safe to be used by several threads."""

    def __init__(self, engine: Engine, latest: Callable[[], Snapshot | None]) -> None:
        """`latest` returns the snapshot that was made last; only one that is nowhere but in memory is shared."""
        self._engine = engine
        self._path = engine.path
        self._latest = latest
        self._free: list[tuple[Engine, EmbeddedSnapshot]] = []
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[str, str], _Kept] = OrderedDict()

    @contextmanager
    def reading(self) -> Iterator[Engine]:
        """Give an engine that nobody else uses meanwhile. Raises NotReady."""
        latest = self._latest()
        if latest is not None and not isinstance(latest, EmbeddedSnapshot):
            yield self._engine.holding(latest)
            return
        engine, snapshot = self._taken()
        try:
            yield engine
        except BrokenIndex:
            raise
        except BaseException:
            self._given_back(engine, snapshot)
            raise
        else:
            self._given_back(engine, snapshot)

    def alone(self) -> Engine:
        """Give an engine to keep. Raises NotReady."""
        latest = self._latest()
        if latest is not None and not isinstance(latest, EmbeddedSnapshot):
            return self._engine.holding(latest)
        return self._opened()[0]

    def _taken(self) -> tuple[Engine, EmbeddedSnapshot]:
        while True:
            with self._lock:
                if not self._free:
                    break
                engine, snapshot = self._free.pop()
            if snapshot.is_current:
                return engine, snapshot
        return self._opened()

    def _given_back(self, engine: Engine, snapshot: EmbeddedSnapshot) -> None:
        with self._lock:
            self._free.append((engine, snapshot))

    def _opened(self) -> tuple[Engine, EmbeddedSnapshot]:
        try:
            snapshot = EmbeddedSnapshot(self._path)
        except (FileNotFoundError, BrokenIndex) as error:
            raise NotReady from error
        return self._engine.holding(snapshot), snapshot

    def remembered(self, key: str, engine: Engine, make: Callable[[], Any]) -> Any:
        """Return what `make` returns, made once for each state of the index and kept while others are not needed more.

        Who asks for the same meanwhile waits.
        """
        place = (key, engine.snapshot().info.state)
        with self._lock:
            kept = self._kept.setdefault(place, _Kept())
            self._kept.move_to_end(place)
            while len(self._kept) > REMEMBERED:
                self._kept.popitem(last=False)
        with kept.lock:
            if not kept.made:
                kept.value = make()
                kept.made = True
        return kept.value


class _Kept:
    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.made = False
        self.value: Any = None
