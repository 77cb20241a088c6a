"""Serves, in replicas, answers that take as long as they are asked to.

    python slow_server.py PORT DRAIN [CPUS START]

`/SECONDS` is answered after so many; the last line of its output says how many answers were cut off.
"""

from __future__ import annotations

import asyncio
import sys

from starlette.types import Receive, Scope, Send

from plait.doors.http.ending import Ending
from plait.fleet.replicas import Replicas, run


async def slow(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "lifespan":
        for _ in range(2):
            told = (await receive())["type"]
            await send({"type": f"{told}.complete"})
        return
    await asyncio.sleep(float(scope["path"].strip("/")))
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"x" * 100_000})


if __name__ == "__main__":
    port, drain, cpus, start = (float(one) for one in (*sys.argv[1:], "0.1", "300")[:4])
    how = Replicas(port=int(port), drain=drain, cpus=cpus, start=start)

    def tell(what: object) -> None:
        sys.stdout.write(f"{what}\n")
        sys.stdout.flush()

    tell(run(lambda: Ending(slow), how, lambda: tell("begun")))
