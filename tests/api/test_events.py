"""What the stream of progress says of what stands on the board."""

from __future__ import annotations

import asyncio
from pathlib import Path

from plait.doors.http.board import Board, Standing
from plait.doors.http.events import events


def test_progress_then_ready() -> None:
    board = Board(
        {"app": Standing("app", Path("/app"), "repository"), "other": Standing("other", Path("/o"), "corpus")}
    )

    async def told() -> list[bytes]:
        stream = events(lambda: board.standings, ["app"], lambda: False)
        board.set("app", progress=("parsing", 3, 4))
        board.set("other", progress=("parsing", 1, 2))
        first = await anext(stream)
        board.set("app", progress=None, ready=True, state="abc", files=4, symbols=20)
        second = await anext(stream)
        board.set("app", problem="no such folder")
        return [first, second, await anext(stream)]

    assert asyncio.run(told()) == [
        b'event: progress\ndata: {"repository": "app", "stage": "parsing", "done": 3, "total": 4}\n\n',
        b'event: ready\ndata: {"repository": "app", "state": "abc", "files": 4, "symbols": 20, "notices": []}\n\n',
        b'event: problem\ndata: {"repository": "app", "message": "no such folder"}\n\n',
    ]
