"""Keeps the index of one repository fresh, in a thread of its own, and tells the board."""

from __future__ import annotations

import logging
import threading
import time

from plait.doors.http.board import Board
from plait.engine import Engine
from plait.errors import IndexBusy, PlaitError
from plait.protocols import Snapshot

EVERY = 1.0
"""Seconds between two looks at the files."""

SHARE = 20
"""Of the time at most one part in so many goes into looking at the files of one repository."""

log = logging.getLogger("plait.serve")


class _Stopped(BaseException):
    """Ends a build that nobody waits for any more."""


class Keeper(threading.Thread):
    def __init__(self, name: str, engine: Engine, board: Board, *, follow: bool = True) -> None:
        """With `follow`, the flow of values is followed once no file has changed between two looks."""
        super().__init__(name=f"keeper of {name}", daemon=True)
        self.repository = name
        self.engine = engine
        self.board = board
        self.follow = follow
        self.engine.progress = self._progress
        self._wake = threading.Event()
        self._full = self._asked = False
        self._stopping = False
        self._told = 0.0
        self._snapshot: Snapshot | None = None

    def latest(self) -> Snapshot | None:
        """Return the snapshot that was made last."""
        return self._snapshot

    def refresh(self, *, full: bool = False) -> None:
        """Look at the files now; with `full`, build anew."""
        self._full, self._asked = self._full or full, True
        self._wake.set()

    def stop(self) -> None:
        self._stopping = True
        self._wake.set()

    def run(self) -> None:
        try:
            while not self._stopping:
                self._wake.clear()
                started = time.monotonic()
                self._snapshot = self._looked(self._snapshot)
                took = time.monotonic() - started
                self._wake.wait(max(EVERY, took * SHARE))
        except _Stopped:
            pass

    def _looked(self, before: Snapshot | None) -> Snapshot | None:
        """Look once and return the snapshot that is there now."""
        full, asked = self._full, self._asked
        self._full = self._asked = False
        found = before
        problem = ""
        try:
            found = self.engine.snapshot()
            quiet = found is before and self.follow
            if full or (quiet and found.info.pending):
                self.engine.index()
                found = self.engine.snapshot()
        except IndexBusy as error:
            problem = str(error) if full else ""
        except PlaitError as error:
            problem = str(error)
        except Exception as error:
            log.exception("keeping %s fresh", self.repository)
            problem = f"the index could not be renewed ({type(error).__name__}); the server's log tells more"
        standing = self.board[self.repository]
        changes: dict[str, object] = {"progress": None, "problem": problem}
        changes |= {"looks": standing.looks + 1, "asked": standing.asked + asked}
        if found is not None and found is not before:
            languages = sorted({record.language for record in found.records() if record.language})
            info = found.info
            changes |= {"ready": True, "state": info.state, "files": info.files, "symbols": info.symbols}
            changes["languages"] = tuple(languages)
        self.board.set(self.repository, notices=tuple(self.engine.notices), **changes)
        return found

    def _progress(self, stage: str, done: int, total: int) -> None:
        if self._stopping:
            raise _Stopped
        now = time.monotonic()
        if now - self._told >= 0.1 or done == total:
            self._told = now
            self.board.set(self.repository, progress=(stage, done, total))
