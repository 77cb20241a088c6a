"""A server in a thread, and requests to it that no library tidies up."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import uvicorn

from plait import Engine
from plait.doors.http.app import Limits, Server
from plait.doors.http.guard import Access
from plait.doors.http.service import Service
from plait.evaluate.collection import load

TOKEN = "0123456789abcdef0123456789abcdef"


@dataclass(frozen=True)
class Reply:
    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.body)
        return found

    @property
    def code(self) -> str:
        """Of the error that it tells."""
        assert self.json["schema"] == "plait.error.v1"
        return str(self.json["error"]["code"])


@dataclass(frozen=True)
class Client:
    port: int
    service: Service
    server: Server

    def ask(
        self,
        target: str,
        *,
        method: str = "GET",
        body: bytes | None = None,
        headers: Sequence[tuple[str, str]] = (),
        host: str | None = "localhost",
    ) -> Reply:
        """Send exactly this target and these headers, and the host unless it is None."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.putrequest(method, target, skip_host=True, skip_accept_encoding=True)
            for name, value in [*([("Host", host)] if host is not None else []), *headers]:
                connection.putheader(name, value)
            if body is not None:
                connection.putheader("Content-Length", str(len(body)))
            connection.endheaders(body)
            found = connection.getresponse()
            return Reply(found.status, {k.lower(): v for k, v in found.getheaders()}, found.read())
        finally:
            connection.close()

    def get(self, path: str, /, **parameters: Any) -> Reply:
        asked = urlencode(parameters, doseq=True)
        return self.ask(f"/api/v1/{path}" + (f"?{asked}" if asked else ""))

    def post(self, path: str, value: object, *headers: tuple[str, str]) -> Reply:
        sent = [("Content-Type", "application/json"), *headers]
        return self.ask(f"/api/v1/{path}", method="POST", body=json.dumps(value).encode(), headers=sent)

    def wait(self, *names: str) -> None:
        """Until these repositories can be asked."""
        until = time.monotonic() + 60
        while not all(self.service.board[name].ready for name in names):
            assert time.monotonic() < until, self.service.board.standings
            time.sleep(0.01)


@contextmanager
def serving(
    roots: Mapping[str, Path],
    *,
    write: Path | None = None,
    access: Access | None = None,
    limits: Limits | None = None,
    page: Path = Path("there is none"),
    wait: bool = True,
) -> Iterator[Client]:
    engines = {name: Engine.open(root, embedder="hashing") for name, root in roots.items()}
    service = Service.of(engines, [load("shop")], write)
    ends: list[uvicorn.Server] = []
    server = Server(
        service,
        access or Access.of("127.0.0.1", (), (), ""),
        limits or Limits(),
        folder=page,
        ended=lambda: bool(ends) and ends[0].should_exit,
    )
    config = uvicorn.Config(server.app(), port=0, log_config=None, ws="none", timeout_graceful_shutdown=2)
    running = uvicorn.Server(config)
    ends.append(running)
    thread = threading.Thread(target=running.run)
    thread.start()
    try:
        until = time.monotonic() + 30
        while not running.started:
            assert time.monotonic() < until
            time.sleep(0.01)
        client = Client(running.servers[0].sockets[0].getsockname()[1], service, server)
        if wait:
            client.wait(*roots)
        yield client
    finally:
        running.should_exit = True
        thread.join(30)
        for keeper in service.keepers.values():
            keeper.join(30)
