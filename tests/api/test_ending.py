"""What a server answers while it ends."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest
import uvicorn
from http_server import Client
from starlette.types import Receive, Scope, Send

from plait.doors.http.ending import Ending

LENGTH = 100_000


class Slow:
    """Answers once it is let."""

    def __init__(self) -> None:
        self.begun, self.let = threading.Event(), threading.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        import asyncio

        if scope["path"] == "/broken":
            raise RuntimeError("/srv/secret/place")
        self.begun.set()
        while scope["path"] == "/slow" and not self.let.is_set():
            await asyncio.sleep(0.005)
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"x" * LENGTH})


@pytest.fixture
def ending() -> Iterator[tuple[Client, Ending, Slow]]:
    slow = Slow()
    ending = Ending(slow)
    running = uvicorn.Server(uvicorn.Config(ending, port=0, log_config=None, ws="none", lifespan="off"))
    thread = threading.Thread(target=running.run)
    thread.start()
    try:
        while not running.started:
            time.sleep(0.01)
        port = running.servers[0].sockets[0].getsockname()[1]
        yield Client(port, None, None), ending, slow  # type: ignore[arg-type]
    finally:
        slow.let.set()
        running.should_exit = True
        thread.join(30)


def settled(ending: Ending, ongoing: int) -> bool:
    """Whether so many requests are under way, once those whose answer has come are counted out."""
    until = time.monotonic() + 10
    while ending.ongoing != ongoing and time.monotonic() < until:
        time.sleep(0.005)
    return ending.ongoing == ongoing


def test_what_is_being_answered_is_and_nothing_new_is_begun(ending: tuple[Client, Ending, Slow]) -> None:
    client, app, slow = ending
    replies = []
    asking = threading.Thread(target=lambda: replies.append(client.ask("/slow")))
    asking.start()
    assert slow.begun.wait(30)
    assert app.ongoing == 1
    app.is_ending = True
    refused = client.ask("/slow")
    assert (refused.status, refused.code) == (503, "not_ready")
    assert (refused.headers["connection"], refused.headers["retry-after"]) == ("close", "2")
    assert client.ask("/health").status == 200
    assert settled(app, 1)
    slow.let.set()
    asking.join(30)
    (reply,) = replies
    assert (reply.status, len(reply.body)) == (200, LENGTH)
    assert settled(app, 0)


def test_what_fails_tells_nothing_but_that(ending: tuple[Client, Ending, Slow]) -> None:
    client, app, _ = ending
    found = client.ask("/broken")
    assert (found.status, found.code) == (500, "internal")
    assert b"secret" not in found.body
    assert settled(app, 0)
