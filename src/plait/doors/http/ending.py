"""What stands before an application whose process is to end: what is being answered is, nothing new is begun."""

from __future__ import annotations

from starlette.types import ASGIApp, Receive, Scope, Send

from plait.doors.http.faults import Fault
from plait.doors.http.replies import fault_reply


class Ending:
    """ASGI middleware, outermost (`plait.fleet.replicas.Endable`)."""

    def __init__(self) -> None:
        self.app: ASGIApp | None = None
        self.ongoing = 0
        """requests that are being answered"""
        self.is_ending = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        assert self.app is not None
        if scope["type"] != "http":
            await self.app(scope, receive, send)
        elif self.is_ending and scope["path"] != "/health":
            reply = fault_reply(Fault(503, "not_ready", "this server is ending; ask again in a few seconds", retry=2))
            reply.headers["Connection"] = "close"
            await reply(scope, receive, send)
        else:
            self.ongoing += 1
            try:
                await self.app(scope, receive, send)
            finally:
                self.ongoing -= 1
