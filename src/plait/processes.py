"""Work in several processes, in order, a little ahead of who asks for it."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future
from functools import cache
from itertools import chain
from typing import Any, TypeVar

_Part = TypeVar("_Part")
_Result = TypeVar("_Result")

AHEAD = 4
"""Parts for each process that wait or are done: enough that none is idle, and few to hold."""


_is_alone = False


def work_alone() -> None:
    """Start no processes from this one, which is one of many already."""
    global _is_alone
    _is_alone = True


def processes() -> int:
    """How many there can be."""
    return 1 if _is_alone else _at_most()


@cache
def _at_most() -> int:
    return min(os.cpu_count() or 1, 8)


def _nothing() -> None:
    """Functions of modules can be pickled."""


def mapped(
    work: Callable[[_Part], _Result],
    parts: Iterable[_Part],
    begin: Callable[..., None] = _nothing,
    *given: Any,
) -> Generator[_Result, None, None]:
    """Yield the result of each part in order. A process that dies leaves the rest to this one.

    Each process that works, this one if it must, calls `begin` with what is given first. That and `work` are functions
    of modules, and everything can be pickled.
    """
    # Not the standard library's pool: that runs the user's main module again in each process.
    from loky import BrokenProcessPool, ProcessPoolExecutor

    coming = iter(parts)
    pool = ProcessPoolExecutor(processes(), initializer=_prepared, initargs=(begin, given))
    waiting: deque[_Part] = deque()
    asked: deque[Any] = deque()
    """the futures of the first of them: a pool that has broken takes no more"""
    broken = False
    try:
        # Not its `map`: that cancels what is left when it is interrupted, which the pool's own thread takes amiss.
        while not broken:
            for part in coming:
                waiting.append(part)
                try:
                    asked.append(pool.submit(work, part))
                except BrokenProcessPool:
                    broken = True
                if broken or len(waiting) >= AHEAD * processes():
                    break
            if broken or not waiting:
                break
            try:
                result = asked.popleft().result()
            except (BrokenProcessPool, OSError):
                broken = True
                break
            waiting.popleft()
            yield result
    finally:
        # Interrupted, nobody waits for what the processes still have to do.
        pool.shutdown(kill_workers=bool(waiting))
    if broken:
        begin(*given)
    for part in chain(waiting, coming):
        yield work(part)


class Workers:
    """Processes that wait for work and keep what they began with. Where one dies, all are begun anew for the next work.

    `begin` and what is submitted are functions of modules, and everything can be pickled.
    """

    def __init__(self, count: int, begin: Callable[..., None], *given: Any) -> None:
        self._count, self._begin, self._given = count, begin, given
        self._pool: Any = None

    def submit(self, work: Callable[..., _Result], *given: Any) -> Future[_Result]:
        from loky import BrokenProcessPool

        try:
            return self._opened().submit(work, *given)  # type: ignore[no-any-return]  # loky has no types
        except BrokenProcessPool:
            self._pool = None
            return self._opened().submit(work, *given)  # type: ignore[no-any-return]

    def close(self, *, kill: bool) -> None:
        """End them, with `kill` whatever they do."""
        if self._pool is not None:
            self._pool.shutdown(wait=True, kill_workers=kill)

    def _opened(self) -> Any:
        from loky import ProcessPoolExecutor

        if self._pool is None:
            begun = (os.getpid(), self._begin, self._given)
            self._pool = ProcessPoolExecutor(self._count, initializer=_begun, initargs=begun)
        return self._pool


def _begun(parent: int, begin: Callable[..., None], given: tuple[Any, ...]) -> None:
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    work_alone()
    _prepared(begin, given)


def _end_with(parent: int) -> None:
    """End this process when the one that began it has been killed."""
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(0)


def _prepared(begin: Callable[..., None], given: tuple[Any, ...]) -> None:
    _leave_interrupts()
    begin(*given)


def _leave_interrupts() -> None:
    """Ctrl-C reaches every process of a terminal; the one that started the others ends them."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
