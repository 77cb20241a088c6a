"""The ASGI application: routes, and what stands around every operation."""

from __future__ import annotations

import json
import logging
import math
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from plait.doors.http import answering, judging, openapi
from plait.doors.http.agents import Tools
from plait.doors.http.events import events
from plait.doors.http.faults import Fault, bad, fault_of, not_found, too_busy
from plait.doors.http.guard import CALLER, COOKIE, SESSION, Access, Guard, cookie
from plait.doors.http.metrics import Metrics
from plait.doors.http.page import FOLDER, page
from plait.doors.http.parameters import BODY, Parameter, read, read_body
from plait.doors.http.pool import Pool
from plait.doors.http.replies import fault_reply, reply, written
from plait.doors.http.routes import BASE, MARK, OPERATIONS, PROGRESS, REFRESH, SESSION_BODY, Operation
from plait.doors.http.served import Served, Serving
from plait.doors.http.service import Service
from plait.doors.mcp.answers import Reply
from plait.doors.mcp.server import Mounted, needed
from plait.doors.render import Json
from plait.errors import MissingExtra, PlaitError
from plait.processes import Workers
from plait.version import __version__

log = logging.getLogger("plait.serve")

Handler = Callable[[Request], Awaitable[Response]]


@dataclass(frozen=True, slots=True)
class Limits:
    threads: int = 4
    """questions that are answered at a time"""
    processes: int = 0
    """in which they are answered; 0: in threads of the server's own"""
    waiting: int = 64
    """questions that wait"""
    seconds: float = 30.0
    """after which a question is given up; evaluations have twenty times as long"""
    streams: int = 32
    """of progress, open at a time"""
    stream_seconds: float = math.inf
    """after which a stream of progress ends; who still wants to know comes again"""


class Server:
    def __init__(
        self,
        service: Serving,
        access: Access,
        limits: Limits = Limits(),
        *,
        folder: Path = FOLDER,
        ended: Callable[[], bool] = lambda: False,
        note: Callable[[str], None] | None = None,
    ) -> None:
        """`folder` holds the page; `ended` says when streams must end; `note` gets a line for each request."""
        self.service, self.access, self.limits = service, access, limits
        self.folder, self.ended, self.note = folder, ended, note
        self.metrics = Metrics()
        room = max(limits.threads, limits.processes) + limits.waiting
        self._quick = Pool(self.metrics, _threads(limits.threads), room=room, seconds=limits.seconds)
        self._patient = Pool(self.metrics, _threads(1), room=8, seconds=limits.seconds * 20)
        self._processes: Pool | None = None
        self._tools = _mounted(self)
        self._local = service if isinstance(service, Service) else None
        if limits.processes and isinstance(service, Service):
            workers = Workers(limits.processes, answering.begin, service.recipe)
            workers.submit(answering.ready)
            self._processes = Pool(self.metrics, workers, room=room, seconds=limits.seconds)

    def app(self) -> ASGIApp:
        paths: dict[str, dict[str, Handler]] = {}
        for one in OPERATIONS:
            paths[f"{BASE}{one.path}"] = {"GET": self._operation(one)}
        paths[f"{BASE}/judgements"]["POST"] = self._mark
        paths[f"{BASE}/refresh"] = {"POST": self._refresh}
        paths[f"{BASE}/session"] = {"POST": self._session}
        paths[f"{BASE}/progress"] = {"GET": self._progress}
        paths[f"{BASE}/openapi.json"] = {"GET": self._openapi}
        paths["/health"] = {"GET": self._health}
        paths["/ready"] = {"GET": self._ready}
        paths["/metrics"] = {"GET": self._metrics}
        paths["/{path:path}"] = {"GET": self._page}
        routes = [Route(path, _Resource(self, path, handlers)) for path, handlers in paths.items()]
        if self._tools is not None:
            routes.insert(0, Route("/mcp", _Tools(self, self._tools)))
        return Guard(Starlette(routes=routes, lifespan=self._lifespan), self.access, self.metrics)

    @asynccontextmanager
    async def _lifespan(self, _: Starlette) -> AsyncIterator[None]:
        self.service.start()
        async with nullcontext() if self._tools is None else self._tools.running():
            yield
        self.service.stop()
        for pool in (self._quick, self._patient, self._processes):
            if pool is not None:
                pool.close()

    async def answered(self, request: Request, path: str, handlers: Mapping[str, Handler]) -> Response:
        """Count, time and note what a handler answers, and turn what it raises into a reply."""
        started = time.perf_counter()
        method = "GET" if request.method == "HEAD" else request.method
        try:
            made = await handlers[method](request) if method in handlers else _not_for(handlers, request)
        except Fault as fault:
            made = fault_reply(fault)
        except PlaitError as error:
            made = fault_reply(fault_of(error))
        except Exception:
            log.exception("%s %s", method, path)
            made = fault_reply(Fault(500, "internal", "the server could not answer this; its log tells more"))
        self.ended_at(request, f"{method if method in handlers else 'other'} {path}", made.status_code, started)
        return made

    def ended_at(self, request: Request, operation: str, status: int, started: float) -> None:
        seconds = time.perf_counter() - started
        self.metrics.answered(operation, status, seconds)
        if self.note:
            self.note(f"{request.method} {request.url.path[:200]!r} {status} {seconds * 1000:.1f} ms")

    def _operation(self, operation: Operation) -> Handler:
        pool = self._patient if operation.patient else self._quick

        async def handler(request: Request) -> Response:
            given = read(operation.parameters, request.query_params.multi_items(), request.path_params)
            served = self._seen(request)
            local = self._local
            if self._processes is not None and not operation.patient and local is not None and not local.is_in_memory:
                standings = local.standings
                found = await self._processes.run(answering.answer, operation.path, given, standings)
                if isinstance(found, Fault):
                    raise found
                return reply(found)
            return reply(await pool.run(lambda: written(operation.answer(served, given))))

        return handler

    def _seen(self, request: Request) -> Served:
        return self.service.seen_by(request.scope[CALLER])

    def tools_of(self, scope: Mapping[str, Any]) -> Tools:
        return Tools(self.service.seen_by(scope[CALLER]))

    async def run_tool(self, work: Callable[[], Reply | str]) -> Reply | str:
        try:
            return await self._quick.run(work)
        except Fault as fault:
            return fault.message

    async def _mark(self, request: Request) -> Response:
        body = await _body(request, MARK)
        return reply(await self._quick.run(lambda: written(judging.mark(self._seen(request), body))))

    async def _refresh(self, request: Request) -> Response:
        body = await _body(request, REFRESH)
        served = self._seen(request)
        names = [served.named(body["repository"])] if body["repository"] else served.repositories
        for name in names:
            served.refresh(name, full=body["full"])
        return reply(written({"schema": "plait.refresh.v1", "repositories": names}), 202)

    async def _session(self, request: Request) -> Response:
        body = await _body(request, SESSION_BODY)
        made = Response(status_code=204)
        if not self.access.needs_token:
            return made
        session = self.access.session_for(body["token"].strip())
        if session is None:
            raise Fault(401, "unauthorized", "this is not the server's token")
        made.set_cookie(
            COOKIE,
            session,
            max_age=SESSION,
            httponly=True,
            samesite="strict",
            secure=request.url.scheme == "https",
        )
        return made

    async def _progress(self, request: Request) -> Response:
        given = read(PROGRESS, request.query_params.multi_items(), {})
        names = list(map(self._seen(request).named, given["repo"])) or None
        if self.metrics.streams >= self.limits.streams:
            raise too_busy()

        until = time.monotonic() + self.limits.stream_seconds

        def is_over() -> bool:
            """A token may be taken back while its stream is open."""
            over = self.ended() or time.monotonic() > until
            return over or isinstance(self.access.caller(request.headers, cookie(request.headers)), Fault)

        async def stream() -> AsyncIterator[bytes]:
            self.metrics.streams += 1
            try:
                async for event in events(lambda: self._seen(request).standings, names, is_over):
                    yield event
            finally:
                self.metrics.streams -= 1

        return StreamingResponse(stream(), media_type="text/event-stream")

    async def _openapi(self, request: Request) -> Response:
        read((), request.query_params.multi_items(), {})
        return reply(written(openapi.description(needs_token=self.access.needs_token)))

    async def _health(self, request: Request) -> Response:
        """Whether the process lives; the status says how what it answers from stands."""
        status = self.service.health
        return reply(written({"schema": "plait.health.v1", "status": status, "version": __version__}))

    async def _ready(self, request: Request) -> Response:
        """Whether questions should be sent here: not before they can be answered, and not once the server ends."""
        is_ready = self.service.is_ready and not self.ended()
        made = {"schema": "plait.ready.v1", "ready": is_ready, "version": __version__}
        return reply(written(made), 200 if is_ready else 503)

    async def _metrics(self, request: Request) -> Response:
        if not self.access.is_operator(request.scope[CALLER]):
            raise Fault(403, "operators_only", "metrics count everybody's requests; they are for a team of operators")
        kind = "text/plain; version=0.0.4; charset=utf-8"
        return Response(self.metrics.text(self._seen(request).standings.values()), headers={"Content-Type": kind})

    async def _page(self, request: Request) -> Response:
        path = request.path_params["path"]
        if path.split("/")[0] in ("api", "mcp"):
            raise not_found("there is no such operation; /api/v1/openapi.json lists all")
        return page(self.folder, path)


def _mounted(server: Server) -> Mounted | None:
    """Return what answers at /mcp; None without the SDK (`plait[mcp]`)."""
    try:
        needed()
    except MissingExtra:
        return None
    return Mounted(server.tools_of, server.service.repo, server.run_tool)


class _Tools:
    """What is at /mcp: requests by POST, each by itself."""

    def __init__(self, server: Server, tools: Mounted) -> None:
        self._server, self._tools = server, tools

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request, started = Request(scope, receive), time.perf_counter()
        status = 500

        async def noted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        if request.method == "POST":
            await self._tools(scope, receive, noted)
        else:
            await _not_for(["POST"], request)(scope, receive, noted)
        self._server.ended_at(request, f"{'POST' if request.method == 'POST' else 'other'} /mcp", status, started)


def _threads(count: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(count, thread_name_prefix="answer")


class _Resource:
    """What is at one path, for every method."""

    def __init__(self, server: Server, path: str, handlers: Mapping[str, Handler]) -> None:
        self._server, self._path, self._handlers = server, path, handlers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        made = await self._server.answered(Request(scope, receive), self._path, self._handlers)
        await made(scope, receive, send)


def _not_for(methods: Collection[str], request: Request) -> Response:
    allowed = ", ".join(["GET, HEAD" if method == "GET" else method for method in methods])
    made = fault_reply(Fault(405, "method_not_allowed", f"{request.method[:20]} is not for this path; {allowed} is"))
    made.headers["Allow"] = allowed
    return made


async def _body(request: Request, fields: tuple[Parameter, ...]) -> dict[str, Any]:
    """Read the JSON object of a request. Raises Fault."""
    read((), request.query_params.multi_items(), {})
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise Fault(415, "unsupported_media_type", "send a body with Content-Type: application/json")
    content = bytearray()
    async for piece in request.stream():
        content += piece
        if len(content) > BODY:
            raise Fault(413, "too_large", f"a body has at most {BODY:,} bytes")
    try:
        value: Json = json.loads(content)
    except (ValueError, RecursionError):
        raise bad("the body is not JSON") from None
    return read_body(fields, value)
