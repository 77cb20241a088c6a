"""Work in several processes, in order, a little ahead of who asks for it."""

from __future__ import annotations

import gc
import os
import pickle
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future
from functools import cache
from itertools import chain, islice
from typing import Any, Self, TypeVar

_State = TypeVar("_State")
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


class Pool:
    """Processes for one piece of work after another, started when they are first needed. Leaving the block ends them.

    One that dies leaves the rest of all work to this process.
    """

    def __init__(self) -> None:
        self._executor: Any = None
        self._is_broken = False
        self._works = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> None:
        if self._executor is not None:
            # Interrupted, nobody waits for what the processes still have to do.
            self._executor.shutdown(kill_workers=kind is not None)

    def start(self, begin: Callable[..., object], *given: Any) -> None:
        """Start the processes ahead of their work, and call `begin`, a function of a module, once for each of them."""
        for _ in range(processes()):
            self._submit(begin, *given)

    def mapped(
        self,
        work: Callable[[_State, _Part], _Result],
        parts: Iterable[_Part],
        begin: Callable[..., _State],
        *given: Any,
    ) -> Generator[_Result, None, None]:
        """Yield what `work` makes of each part, in order.

        Each process that works, this one if it must, first makes itself a state by `begin` of what is given. That and
        `work` are functions of modules, and everything can be pickled.
        """
        self._works += 1
        number, told = self._works, pickle.dumps((begin, given), pickle.HIGHEST_PROTOCOL)
        coming = iter(parts)
        waiting: deque[_Part] = deque()
        asked: deque[Future[list[_Result]] | None] = deque()
        """those of `waiting`"""
        untold = processes()
        while not self._is_broken:
            for part in islice(coming, AHEAD * processes() - len(waiting)):
                waiting.append(part)
                asked.append(self._submit(_worked, number, told if untold > 0 else b"", work, part))
                untold -= 1
            if not waiting:
                return
            result = self._result(asked.popleft())
            if result == []:
                result = self._result(self._submit(_worked, number, told, work, waiting[0]))
            if result is not None:
                waiting.popleft()
                yield result[0]
        state = begin(*given)
        for part in chain(waiting, coming):
            yield work(state, part)

    def _submit(self, work: Callable[..., _Result], *given: Any) -> Future[_Result] | None:
        """Return None if a process has died."""
        # Not the standard library's pool: that runs the user's main module again in each process.
        from loky import BrokenProcessPool, ProcessPoolExecutor

        if self._executor is None:
            # Where psutil is installed, loky ends a process that grows, as one does that takes up a state.
            grown = {"LOKY_MAX_MEMORY_LEAK_SIZE": "1e15"}
            self._executor = ProcessPoolExecutor(processes(), initializer=_leave_interrupts, env=grown)
        try:
            return self._executor.submit(work, *given)  # type: ignore[no-any-return]  # loky has no types
        except BrokenProcessPool:
            self._is_broken = True
            return None

    def _result(self, future: Future[_Result] | None) -> _Result | None:
        """Return None if a process has died."""
        from loky import BrokenProcessPool

        try:
            return None if future is None else future.result()
        except (BrokenProcessPool, OSError):
            self._is_broken = True
            return None


_state: tuple[int, Any] = 0, None
"""Of a pool's process: which work it has taken up, and the state for that."""


def _worked(number: int, told: bytes, work: Callable[[_State, _Part], _Result], part: _Part) -> list[_Result]:
    """Return the one result; none if this process has to be told what the work begins with."""
    global _state
    if _state[0] != number:
        if not told:
            return []
        _state = 0, None
        gc.unfreeze()
        gc.collect()
        begin, given = pickle.loads(told)
        _state = number, begin(*given)
        gc.freeze()  # loky collects after each task or each second, and need not look at the state
    return [work(_state[1], part)]


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
