"""Where questions are answered: so many at a time, so many that wait, so long."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TypeVar

from plait.doors.http.faults import Fault, too_busy
from plait.doors.http.metrics import Metrics

T = TypeVar("T")


class Pool:
    def __init__(self, metrics: Metrics, *, threads: int, waiting: int, seconds: float) -> None:
        """At most `waiting` questions wait for one of the threads, and each is waited for so many seconds in all."""
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="answer")
        self._room = threads + waiting
        self._seconds = seconds
        self._metrics = metrics
        self._taken = 0

    async def run(self, work: Callable[[], T]) -> T:
        """Raises Fault if too many wait, or when it takes too long; a thread cannot be stopped and ends by itself."""
        if self._taken >= self._room:
            raise too_busy()
        loop = asyncio.get_running_loop()
        self._taken += 1
        self._metrics.questions += 1
        future = self._threads.submit(work)
        future.add_done_callback(lambda done: _from_thread(loop, self._ended))
        try:
            return await asyncio.wait_for(asyncio.wrap_future(future), self._seconds)
        except TimeoutError:
            told = f"no answer within {self._seconds:g} seconds; ask for less, or start the server with --seconds N"
            raise Fault(504, "timeout", told) from None

    def _ended(self) -> None:
        self._taken -= 1
        self._metrics.questions -= 1

    def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)


def _from_thread(loop: asyncio.AbstractEventLoop, call: Callable[[], None]) -> None:
    with suppress(RuntimeError):  # the server has ended meanwhile
        loop.call_soon_threadsafe(call)
