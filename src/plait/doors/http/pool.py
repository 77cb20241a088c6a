"""Where questions are answered: so many at a time, so many that wait, so long."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, TypeVar

from plait.doors.http.faults import Fault, too_busy
from plait.doors.http.metrics import Metrics
from plait.processes import Workers

T = TypeVar("T")


class Pool:
    def __init__(self, metrics: Metrics, workers: ThreadPoolExecutor | Workers, *, room: int, seconds: float) -> None:
        """At most `room` questions are answered or wait, and each is waited for so many seconds in all."""
        self._workers = workers
        self._room = room
        self._seconds = seconds
        self._metrics = metrics
        self._taken = 0

    async def run(self, work: Callable[..., T], *given: Any) -> T:
        """Raises Fault if too many wait, or when it takes too long; what runs then ends by itself."""
        if self._taken >= self._room:
            raise too_busy()
        loop = asyncio.get_running_loop()
        future = self._workers.submit(work, *given)
        self._taken += 1
        self._metrics.questions += 1
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
        if isinstance(self._workers, Workers):
            self._workers.close(kill=self._taken > 0)
        else:
            self._workers.shutdown(wait=False, cancel_futures=True)


def _from_thread(loop: asyncio.AbstractEventLoop, call: Callable[[], None]) -> None:
    with suppress(RuntimeError):  # the server has ended meanwhile
        loop.call_soon_threadsafe(call)
