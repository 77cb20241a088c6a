"""The tools for coding agents over what a server serves, at /mcp."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import TypeVar

from plait.doors.http.faults import Fault
from plait.doors.http.served import Served
from plait.doors.mcp.warm import Freshness
from plait.engine import Engine
from plait.errors import PlaitError

T = TypeVar("T")

log = logging.getLogger("plait.serve")


class Tools:
    """What one caller may ask (`plait.doors.mcp.warm.Choosing`)."""

    def __init__(self, served: Served) -> None:
        self._served = served

    def of(self, repo: str | None) -> Asked:
        return Asked(self._served, repo)


class Asked:
    """For one question (`plait.doors.mcp.warm.Askable`)."""

    def __init__(self, served: Served, repo: str | None) -> None:
        self._served, self._repo = served, repo
        self._changed: frozenset[str] = frozenset()

    def ask(
        self, question: Callable[[Engine], T], words: Sequence[str], shown: Callable[[T], Sequence[str]]
    ) -> tuple[T, Freshness]:
        try:
            with self._served.reading_one_or_all(self._repo) as (name, engine):
                answer = question(engine)
                self._changed = self._served.changed(name, engine, shown(answer)) if name else frozenset()
        except Fault as fault:
            raise PlaitError(fault.message) from None
        except PlaitError:
            raise
        except Exception:
            log.exception("a tool")
            raise PlaitError("the server could not answer this; its log tells more") from None
        notes = list(self._served.notices(name)) if name else []
        if self._changed:
            told = ", ".join(sorted(self._changed)[:5])
            notes.insert(0, f"changed since they were indexed, read them before you rely on it: {told}")
        return answer, Freshness("stale" if self._changed else "ready", "; ".join(notes))

    def is_stale(self, path: str) -> bool:
        return path in self._changed
