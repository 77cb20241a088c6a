"""What stands before an application whose process is to end: what is being answered is, nothing new is begun."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from types import MappingProxyType

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from plait.doors.http.faults import Fault
from plait.doors.http.guard import EVERYWHERE, PROBES
from plait.doors.http.replies import fault_reply

log = logging.getLogger("plait.serve")


class Ending:
    """ASGI middleware, outermost (`plait.fleet.replicas.Endable`). What fails behind it is told to the log alone."""

    def __init__(self, app: ASGIApp | None = None) -> None:
        self.app = app
        self.ongoing = 0
        """requests that are being answered"""
        self.is_ending = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        assert self.app is not None
        if scope["type"] != "http":
            await self.app(scope, receive, send)
        elif self.is_ending and scope["path"] not in PROBES:
            fault = Fault(503, "not_ready", "this server is ending; ask again in a few seconds", retry=2)
            await self._refuse(fault, scope, receive, send, {"Connection": "close"})
        else:
            self.ongoing += 1
            try:
                await self._answer(scope, receive, send)
            finally:
                self.ongoing -= 1

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        assert self.app is not None
        begun = False

        async def noted(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            await self.app(scope, receive, noted)
        except Exception:
            log.exception("%s", scope["path"])
            if begun:
                raise
            fault = Fault(500, "internal", "the server could not answer this; its log tells more")
            await self._refuse(fault, scope, receive, send)

    async def _refuse(
        self, fault: Fault, scope: Scope, receive: Receive, send: Send, more: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        reply = fault_reply(fault)
        reply.headers.update(EVERYWHERE | dict(more))
        await reply(scope, receive, send)
