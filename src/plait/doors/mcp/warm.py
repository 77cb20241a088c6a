"""A repository that is kept ready: its index is built and renewed by a thread of its own, and questions never wait for
that longer than is bearable.
"""

from __future__ import annotations

import sys
import threading
import traceback
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

from plait.doors.mcp.partial import Partial, partial
from plait.doors.watching import wakings
from plait.engine import Engine
from plait.errors import PlaitError
from plait.model import FileState
from plait.protocols import Snapshot

T = TypeVar("T")

COLD = 2.0
"""Seconds that a question waits for the first index; then a part of it answers. Agents wait ten."""

AT_THE_LATEST = 6.0
"""Seconds after which a question that waits for a part of the index is told to come again."""

PATIENCE = 2.0
"""Seconds that a question waits for a renewal after an edit that is known of; then the last commit answers."""


class Indexing(PlaitError):
    """The index is not there yet, and nothing else can answer."""


@dataclass(frozen=True, slots=True)
class Freshness:
    """What an answer rests on."""

    state: str
    """`ready`; `stale`: files have changed since; `partial`: a few files only, the index is being built"""
    note: str = ""
    """what the answer cannot know, and what to do; empty if it is complete"""


class Askable(Protocol):
    """What tools ask."""

    def ask(
        self, question: Callable[[Engine], T], words: Sequence[str], shown: Callable[[T], Sequence[str]]
    ) -> tuple[T, Freshness]:
        """Answer from the index, if that takes too long from files that have the words.

        `shown` are the paths in an answer. Raises what the question raises, Indexing if nothing can answer yet.
        """
        ...

    def is_stale(self, path: str) -> bool:
        """Whether a file of the last answer is not as it was when the index read it."""
        ...


class Choosing(Protocol):
    """Whoever knows what there is to ask."""

    def of(self, repo: str | None) -> Askable:
        """Raises PlaitError for a repository that is not there or may not be asked."""
        ...


@dataclass(frozen=True, slots=True)
class _Ready:
    snapshot: Snapshot
    files: dict[str, FileState]
    notices: tuple[str, ...]


class Warm:
    """`start` builds in the background; `ask` may be called from any thread."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._ready: _Ready | None = None
        self._problem: PlaitError | None = None
        self._first = threading.Event()
        """set once there is an index or a reason why there is none"""
        self._renewing = threading.Lock()
        self._asking = threading.Lock()
        self._in_a_hurry = threading.Lock()
        """held while a part is indexed, for which the build pauses: both want the one interpreter"""
        self._in_parts = threading.Lock()
        self._parts: dict[tuple[str, ...], Future[Partial | None]] = {}
        self._partly = ThreadPoolExecutor(1, "plait-part")
        self._closed = False
        self._stage = ("", 0, 0)
        self._watcher: threading.Thread | None = None
        engine.progress = self._progress

    def start(self) -> None:
        if self._watcher is None:
            self._watcher = threading.Thread(target=self._watch, name="plait-watch", daemon=True)
            self._watcher.start()

    def close(self) -> None:
        """Watch no longer; what is being built is finished."""
        self._closed = True
        self._partly.shutdown(wait=False, cancel_futures=True)

    def ask(
        self, question: Callable[[Engine], T], words: Sequence[str], shown: Callable[[T], Sequence[str]]
    ) -> tuple[T, Freshness]:
        """Answer from the index, or from those files that have the words, while it is being built.

        `shown` are the paths in an answer: if one of these files has changed, the index is renewed and asked again.
        Raises what the question or the build raises, Indexing where a part cannot answer.
        """
        self.start()
        self._first.wait(COLD)
        ready = self._ready
        if ready is None:
            if self._problem is not None:
                self._try_again()
            return self._in_part(question, words)
        answer = self._asked(question, ready.snapshot)
        if not self._changed(ready, shown(answer)):
            return answer, self._freshness(ready, ())
        self._renew(PATIENCE)
        ready = self._ready or ready
        answer = self._asked(question, ready.snapshot)
        return answer, self._freshness(ready, self._changed(ready, shown(answer)))

    def is_stale(self, path: str) -> bool:
        """Whether a file is not as it was when the index read it, by size, times and inode."""
        ready = self._ready
        return ready is not None and bool(self._changed(ready, [path]))

    @property
    def told(self) -> str:
        """How far the build is."""
        stage, done, total = self._stage
        return f"{stage} {done:,} of {total:,}" if stage else "listing the files"

    def _asked(self, question: Callable[[Engine], T], snapshot: Snapshot) -> T:
        with self._asking:
            return question(self.engine.holding(snapshot))

    def _in_part(self, question: Callable[[Engine], T], words: Sequence[str]) -> tuple[T, Freshness]:
        wait = f"the index of {self.engine.root} is being built ({self.told})"
        found = self._part(tuple(words), wait) if words else None
        if (ready := self._ready) is not None:  # the index has come meanwhile
            return self._asked(question, ready.snapshot), self._freshness(ready, ())
        if found is None:
            raise Indexing(f"{wait}; ask again in a few seconds")
        try:
            with self._in_a_hurry:
                answer = question(self.engine.holding(found.snapshot))
        except PlaitError as error:
            raise Indexing(
                f"{wait}; in the {found.files} files looked at: {error}; ask again in a few seconds"
            ) from error
        note = (
            f"PARTIAL: {wait}; this is from the {found.files} of {found.of} files that have most of the words. "
            "Ask again in a few seconds for the whole repository."
        )
        return answer, Freshness("partial", note)

    def _part(self, words: tuple[str, ...], wait: str) -> Partial | None:
        """Index the files with the words; who asks again for the same gets what the first has begun."""
        with self._in_parts:
            begun = self._parts.get(words) or self._partly.submit(self._hurried, words)
            self._parts[words] = begun
        try:
            return begun.result(AT_THE_LATEST)
        except TimeoutError:
            raise Indexing(f"{wait}; ask again in a few seconds") from None

    def _hurried(self, words: tuple[str, ...]) -> Partial | None:
        with self._in_a_hurry:
            return None if self._ready else partial(self.engine, words)

    def _try_again(self) -> None:
        """What was wrong may have been put right meanwhile."""
        self._renew(PATIENCE)
        if self._problem is not None and self._ready is None:
            raise self._problem

    def _freshness(self, ready: _Ready, changed: Sequence[str]) -> Freshness:
        notes = list(ready.notices)
        if changed:
            notes.insert(
                0, f"changed since they were indexed, read them before you rely on it: {', '.join(changed[:5])}"
            )
        elif self._problem is not None:
            notes.insert(0, f"the index could not be renewed: {self._problem}")
        return Freshness("stale" if changed or self._problem is not None else "ready", "; ".join(notes))

    def _changed(self, ready: _Ready, paths: Sequence[str]) -> list[str]:
        return [path for path in dict.fromkeys(paths) if _state(self.engine.root, path) != ready.files.get(path)]

    def _progress(self, stage: str, done: int, total: int) -> None:
        self._stage = (stage, done, total)
        with self._in_a_hurry:
            pass

    def _watch(self) -> None:
        for _ in wakings(self.engine.root, None):
            if self._closed:
                return
            self._renew(None)

    def _renew(self, patience: float | None) -> None:
        """Look at all files and renew the index; with a patience, give up if another thread is at it for longer."""
        if not self._renewing.acquire(timeout=-1 if patience is None else patience):
            return
        try:
            snapshot = self.engine.snapshot()
            ready, notices = self._ready, tuple(self.engine.notices)
            with self._in_parts:
                self._parts.clear()
            if ready is None or ready.snapshot is not snapshot or ready.notices != notices:
                self._ready = _Ready(snapshot, {state.path: state for state in snapshot.files()}, notices)
            self._problem = None
        except PlaitError as error:
            self._problem = error
        except Exception as error:  # the thread must go on, and the next question must say what has happened
            traceback.print_exc(file=sys.stderr)
            self._problem = PlaitError(f"{type(error).__name__}: {error}; `plait doctor` checks the environment")
        finally:
            self._first.set()
            self._renewing.release()


def _state(root: Path, path: str) -> FileState | None:
    with suppress(OSError):
        found = (root / path).stat()
        return FileState(path, found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino)
    return None
