"""The command that answers over HTTP."""

from __future__ import annotations

import logging
import os
import socket
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from plait.doors.options import CONTENT, COUNT, Common, common
from plait.doors.terminal import notice
from plait.engine import Engine
from plait.errors import BadParameter, MissingExtra
from plait.several import named

if TYPE_CHECKING:
    from plait.doors.http.service import Service

CONNECTIONS = 512
"""Open at a time; whoever comes then is told to come again."""


@click.command()
@click.argument("repositories", nargs=-1, metavar="[[NAME=]PATH]...")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen at.")
@click.option("--port", type=click.IntRange(0, 65535), default=8765, show_default=True, help="Port; 0: a free one.")
@click.option(
    "--token-file",
    metavar="FILE",
    help="Whoever asks must send what is in this file (or in PLAIT_TOKEN). Needed if others than this machine can ask.",
)
@click.option("--allow-host", multiple=True, metavar="NAME", help="Answer to this name; may be repeated.")
@click.option("--allow-origin", multiple=True, metavar="URL", help="Let pages of this origin ask; may be repeated.")
@click.option("--collection", "collections", multiple=True, metavar="FOLDER", help="Show this collection as well.")
@click.option("--write", metavar="FOLDER", help="Keep what people judge as collections in this folder.")
@click.option("--threads", type=COUNT, default=4, show_default=True, help="Questions answered at a time.")
@click.option(
    "--processes", type=click.IntRange(0), default=0, show_default=True, help="Processes that answer; 0: this one."
)
@click.option(
    "--seconds", type=click.FloatRange(min=0.1), default=30.0, show_default=True, help="When a question is given up."
)
@click.option("--log", "logged", is_flag=True, help="Print a line for each request: method, path, status, time.")
@common(*CONTENT)
def serve(
    repositories: Sequence[str],
    host: str,
    port: int,
    token_file: str | None,
    allow_host: Sequence[str],
    allow_origin: Sequence[str],
    collections: Sequence[str],
    write: str | None,
    threads: int,
    processes: int,
    seconds: float,
    logged: bool,
    common: Common,
) -> None:
    """Answer questions about repositories (default: the current folder) over HTTP, with a page for browsers.

    Indexes are built and kept fresh while it runs. Only this machine is answered, unless --host names another address:
    then a token and --allow-host are needed. The API is described at /api/v1/openapi.json.
    """
    try:
        import starlette  # noqa: F401
        import uvicorn
    except ImportError:
        raise MissingExtra("plait serve", "starlette and uvicorn", "serve") from None
    from plait.doors.http.app import Limits, Server
    from plait.doors.http.guard import Access
    from plait.doors.http.page import FOLDER

    access = Access.of(host, allow_host, allow_origin, _token(token_file))
    service = _service(repositories, collections, write, common.settings)
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="plait serve: %(message)s")
    logging.getLogger("uvicorn.error").setLevel(logging.ERROR)  # else a line for every connection that is too many
    listening = _listening(host, port)
    running: list[uvicorn.Server] = []
    server = Server(
        service,
        access,
        Limits(threads=threads, processes=processes, seconds=seconds),
        ended=lambda: bool(running) and running[0].should_exit,
        note=notice if logged else None,
    )
    config = uvicorn.Config(
        server.app(),
        log_config=None,
        access_log=False,
        server_header=False,
        ws="none",
        limit_concurrency=CONNECTIONS,
        timeout_graceful_shutdown=2,
        timeout_keep_alive=30,
    )
    running.append(uvicorn.Server(config))
    address = listening.getsockname()
    place = f"[{address[0]}]" if ":" in address[0] else address[0]
    notice(f"plait serve: http://{place}:{address[1]}/ answers for {', '.join(service.repositories)}; Ctrl-C ends it")
    if not (FOLDER / "index.html").is_file():
        notice("plait serve: the web page is not in this copy of plait (`make page` builds it); the API is")
    running[0].run(sockets=[listening])


def _token(file: str | None) -> str:
    if file is None:
        return os.environ.get("PLAIT_TOKEN", "").strip()
    try:
        token = Path(file).expanduser().read_text(encoding="utf-8").strip()
    except (OSError, ValueError) as error:
        raise BadParameter(f"--token-file {file}: cannot be read ({error})") from error
    if not token:
        raise BadParameter(f"--token-file {file}: is empty; write a secret into it, as of `openssl rand -hex 32`")
    return token


def _service(
    repositories: Sequence[str], collections: Sequence[str], write: str | None, settings: dict[str, Any]
) -> Service:
    from plait.doors.http.service import Service
    from plait.evaluate.collection import built_in, load

    engines = {name: Engine.open(path, **settings) for name, path in named(repositories or ["."]).items()}
    found = [load(one) for one in (*built_in(), *collections)]
    return Service.of(engines, found, None if write is None else Path(write))


def _listening(host: str, port: int) -> socket.socket:
    try:
        (family, kind, number, _, address), *_ = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        made = socket.socket(family, kind, number)
        if sys.platform != "win32":  # there it would let another program take the port over
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind(address)
        made.listen(1024)
    except OSError as error:
        told = f"{host}:{port}: cannot listen there ({error.strerror or error}); choose another --port or --host"
        raise BadParameter(told) from error
    return made
