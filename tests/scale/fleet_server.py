"""A server of a fleet in a thread, and small repositories for it."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import uvicorn

from plait.doors.http.app import Limits, Server
from plait.doors.http.fleet import FleetService, TeamAccess
from plait.fleet.building import build_repository
from plait.fleet.fleet import EXACT, Fleet
from plait.fleet.replica import SYMBOLS, Replica
from plait.settings import Settings
from plait.store.lance import registry

sys.path.insert(0, str(Path(__file__).parent.parent / "api"))

from http_server import Client

Files = Mapping[str, str]


def written(place: Path, repositories: Mapping[str, Files]) -> None:
    for name, sources in repositories.items():
        for path, text in sources.items():
            (place / name / path).parent.mkdir(parents=True, exist_ok=True)
            (place / name / path).write_text(text, encoding="utf-8")


def built(uri: Path | str, sources: Mapping[str, Path], cache: Path) -> Fleet:
    made = Fleet.create(str(uri), Settings(embedder="hashing", graph="scoped", cache=cache))
    registry.add(made.tables, {name: str(place) for name, place in sources.items()})
    assert [build_repository(made, name).problem for name in sources] == [""] * len(sources)
    return made


@contextmanager
def serving(fleet: Fleet, access: Path | None = None, *, most: int = SYMBOLS, exact: int = EXACT) -> Iterator[Client]:
    """`exact`: symbols above which segments are asked."""
    opened = Fleet.open(fleet.tables.uri, fleet.cache / "served")
    opened.exact = exact
    replica = Replica(opened, access, most=most)
    guard = TeamAccess.over(replica, "127.0.0.1", (), (), has_tokens=access is not None)
    ends: list[uvicorn.Server] = []
    server = Server(
        FleetService(replica),
        guard,
        Limits(),
        folder=Path("there is none"),
        ended=lambda: bool(ends) and ends[0].should_exit,
    )
    running = uvicorn.Server(uvicorn.Config(server.app(), port=0, log_config=None, ws="none"))
    ends.append(running)
    thread = threading.Thread(target=running.run)
    thread.start()
    try:
        until = time.monotonic() + 60
        while not (running.started and replica.is_ready):
            assert time.monotonic() < until
            time.sleep(0.01)
        yield Client(running.servers[0].sockets[0].getsockname()[1], server.service, server)  # type: ignore[arg-type]
    finally:
        running.should_exit = True
        thread.join(30)
