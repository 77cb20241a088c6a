"""Progress as server-sent events (WHATWG HTML, section 9.2)."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable, Collection, Iterator, Mapping

from plait.doors.http.board import Standing
from plait.doors.http.browsing import progress_json

OFTEN = 0.1
"""Seconds between two looks at the board."""

ALIVE = 15.0
"""Seconds of silence after which a comment is sent."""


async def events(
    standings: Callable[[], Mapping[str, Standing]], names: Collection[str] | None, ended: Callable[[], bool]
) -> AsyncIterator[bytes]:
    """Yield how each repository stands (of these names, or all), and then what changes, until the server ends."""
    told: dict[str, Standing] = {}
    last = time.monotonic()
    while not ended():
        for name, now in standings().items():
            if (names is None or name in names) and (name not in told or told[name].version != now.version):
                for event in _told(told.get(name), now):
                    last = time.monotonic()
                    yield event
                told[name] = now
        if time.monotonic() - last >= ALIVE:
            last = time.monotonic()
            yield b":\n\n"
        await asyncio.sleep(OFTEN)


def _told(before: Standing | None, now: Standing) -> Iterator[bytes]:
    if now.progress is not None:
        yield _event("progress", {"repository": now.name, **(progress_json(now) or {})})
        return
    if now.problem:
        if before is None or before.problem != now.problem:
            yield _event("problem", {"repository": now.name, "message": now.problem})
    elif now.ready and (before is None or _is_news(before, now)):
        yield _event(
            "ready",
            {
                **{"repository": now.name, "state": now.state, "files": now.files, "symbols": now.symbols},
                "notices": list(now.notices),
            },
        )


def _is_news(before: Standing, now: Standing) -> bool:
    return (
        not before.ready
        or before.state != now.state
        or before.notices != now.notices
        or before.progress is not None
        or bool(before.problem)
        or before.asked != now.asked
    )


def _event(name: str, value: object) -> bytes:
    return f"event: {name}\ndata: {json.dumps(value)}\n\n".encode()
