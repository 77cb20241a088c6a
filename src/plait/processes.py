"""Work in several processes, in order, a little ahead of who asks for it."""

from __future__ import annotations

import os
import signal
from collections import deque
from collections.abc import Callable, Generator, Iterable
from functools import cache
from typing import TypeVar

_Part = TypeVar("_Part")
_Result = TypeVar("_Result")

AHEAD = 4
"""Parts for each process that wait or are done: enough that none is idle, and few to hold."""


@cache
def processes() -> int:
    """How many there can be."""
    return min(os.cpu_count() or 1, 8)


def mapped(work: Callable[[_Part], _Result], parts: Iterable[_Part]) -> Generator[_Result, None, None]:
    """Yield the result of each part in order. A process that dies leaves the rest to this one.

    `work` is a function of a module, and parts and results can be pickled.
    """
    # Not the standard library's pool: that runs the user's main module again in each process.
    from loky import BrokenProcessPool, ProcessPoolExecutor

    coming = iter(parts)
    pool = ProcessPoolExecutor(processes(), initializer=_leave_interrupts)
    waiting: deque[tuple[_Part, object]] = deque()
    finished = False
    try:
        # Not its `map`: that cancels what is left when it is interrupted, which the pool's own thread takes amiss.
        while not finished:
            for part in coming:
                waiting.append((part, pool.submit(work, part)))
                if len(waiting) >= AHEAD * processes():
                    break
            if not waiting:
                finished = True
                break
            yield waiting[0][1].result()  # type: ignore[attr-defined]
            waiting.popleft()
    except (BrokenProcessPool, OSError):
        pass
    finally:
        # Interrupted, nobody waits for what the processes still have to do.
        pool.shutdown(kill_workers=not finished)
    for part, _ in waiting:
        yield work(part)
    for part in coming:
        yield work(part)


def _leave_interrupts() -> None:
    """Ctrl-C reaches every process of a terminal; the one that started the others ends them."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
