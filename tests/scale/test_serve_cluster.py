"""A fleet that is served by replicas: one is killed, the object store is restarted, and everything is told to end.

All that starts Ray is another process, so that this one has no cluster's token.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from cluster import BUCKET, ObjectStore, end, free_port
from fleet_server import built, written

from plait.fleet import access
from plait.fleet.fleet import Fleet
from plait.store.lance import registry
from plait.testing import SOURCES

HERE = Path(__file__).parent
MINE = [f"org/app{number}" for number in range(4)]
QUESTIONS = ["insert an item into the cart", "total price", "only_here_2", "charge the card", "discount"]
BASE = "/api/v1"


class Plait:
    """A process that serves."""

    def __init__(self, log: Path, *command: str, env: Mapping[str, str] = {}) -> None:
        self.log = log
        with log.open("wb") as output:
            self.process = subprocess.Popen(
                [sys.executable, *command],
                stdout=output,
                stderr=output,
                env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)} | env,
                start_new_session=True,
            )

    def wait_for(self, words: str, seconds: float = 300) -> str:
        until = time.monotonic() + seconds
        while words not in (told := self.log.read_text()):
            assert self.process.poll() is None, told
            assert time.monotonic() < until, told
            time.sleep(0.05)
        return told

    def ended(self, seconds: float = 180) -> str:
        """Tell it to end, wait until it has, and return its last line."""
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(seconds) == 0, self.log.read_text()
        return self.log.read_text().splitlines()[-1]

    def replicas(self) -> list[int]:
        """The processes that answer, of this server alone."""
        parents, names = {}, {}
        for place in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                parents[int(place.name)] = int((place / "stat").read_text().rpartition(")")[2].split()[1])
                names[int(place.name)] = (place / "cmdline").read_bytes()
        found = [one for one, name in names.items() if name.startswith(b"ray::ServeReplica")]
        return sorted(one for one in found if parents.get(parents[one]) == self.process.pid)


@contextmanager
def running(log: Path, *command: str, env: Mapping[str, str] = {}) -> Iterator[Plait]:
    made = Plait(log, *command, env=env)
    try:
        yield made
    finally:
        if made.process.poll() is None:
            made.process.send_signal(signal.SIGTERM)
            with suppress(subprocess.TimeoutExpired):
                made.process.wait(60)
        end(made.process)


def ask(port: int, target: str, token: str = "", seconds: float = 60) -> tuple[int, bytes]:
    """Return status and body; 0 if nothing has answered."""
    connection = HTTPConnection("127.0.0.1", port, timeout=seconds)
    try:
        connection.request("GET", target, headers={"Authorization": f"Bearer {token}"} if token else {})
        found = connection.getresponse()
        return found.status, found.read()
    except (OSError, HTTPException):
        return 0, b""
    finally:
        connection.close()


class Load:
    """Asks all the time, in several threads."""

    def __init__(self, port: int, token: str, threads: int = 4) -> None:
        self.replies: list[tuple[float, str, int, bytes]] = []
        """when it was asked, what, status and body"""
        self._ended = threading.Event()
        self._threads = [threading.Thread(target=self._ask, args=(port, token, n)) for n in range(threads)]
        for one in self._threads:
            one.start()

    def _ask(self, port: int, token: str, number: int) -> None:
        while not self._ended.is_set():
            number += 1
            question = QUESTIONS[number % len(QUESTIONS)]
            asked = time.monotonic()
            found = ask(port, f"{BASE}/search?q={quote(question)}&k=20", token)
            self.replies.append((asked, question, *found))
            if found[0] != 200:
                time.sleep(0.05)

    def stop(self) -> list[tuple[float, str, int, bytes]]:
        self._ended.set()
        for one in self._threads:
            one.join(90)
        return sorted(self.replies)


def ranked(body: bytes) -> list[tuple[str, float]]:
    return [(f"{hit['repository']}//{hit['id']}", hit["score"]) for hit in json.loads(body)["hits"]]


def until(what: Any, seconds: float = 180) -> None:
    last = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < last
        time.sleep(0.1)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ObjectStore]:
    made = ObjectStore(tmp_path_factory.mktemp("objects"))
    before = dict(os.environ)
    try:
        made.start()
        os.environ.update(made.settings)
        yield made
    finally:
        made.stop()
        os.environ.clear()
        os.environ.update(before)


@pytest.fixture(scope="module")
def fleet(store: ObjectStore, tmp_path_factory: pytest.TempPathFactory) -> Fleet:
    place = tmp_path_factory.mktemp("served")
    more = {name: f"\n\ndef only_here_{name[-1]}():\n    return 1\n" for name in [*MINE, "vault/keys"]}
    sources = {name: {path: text + extra for path, text in SOURCES.items()} for name, extra in more.items()}
    written(place / "src", sources)
    return built(f"s3://{BUCKET}/served", {name: place / "src" / name for name in sources}, place / "cache")


@pytest.fixture(scope="module")
def expected(fleet: Fleet) -> dict[str, list[tuple[str, float]]]:
    """The answers of the fleet itself, by question, for who may read some of it."""
    answers = {text: fleet.search(text, k=20, may=MINE) for text in QUESTIONS}
    return {text: [(hit.symbol.id, hit.score) for hit in found] for text, found in answers.items()}


def test_what_is_being_answered_is_finished_and_what_comes_meanwhile_is_told_to_come_again(tmp_path: Path) -> None:
    port = free_port()
    with running(tmp_path / "log", str(HERE / "slow_server.py"), str(port), "20") as served:
        served.wait_for("begun")
        replies: list[tuple[int, bytes]] = []
        asking = [threading.Thread(target=lambda: replies.append(ask(port, "/8"))) for _ in range(3)]
        for one in asking:
            one.start()
        time.sleep(3)
        served.process.send_signal(signal.SIGTERM)
        refused: list[tuple[int, bytes]] = []
        while not replies:
            refused.append(ask(port, "/0"))
            time.sleep(0.1)
        for one in asking:
            one.join(30)
        assert [(status, len(body)) for status, body in replies] == [(200, 100_000)] * 3
        first = [status for status, _ in refused].index(503)
        assert first < 10
        assert {status for status, _ in refused[first:]} == {503}
        assert json.loads(refused[first][1])["error"]["code"] == "not_ready"
        assert served.process.wait(180) == 0
        assert served.log.read_text().splitlines()[-1] == "0"
    assert ask(port, "/0") == (0, b"")


def test_what_takes_longer_than_it_may_is_cut_off_and_counted(tmp_path: Path) -> None:
    port = free_port()
    with running(tmp_path / "log", str(HERE / "slow_server.py"), str(port), "0.5") as served:
        served.wait_for("begun")
        asking = threading.Thread(target=ask, args=(port, "/50"))
        asking.start()
        time.sleep(3)
        assert served.ended() == "1"
        asking.join(30)


def test_a_replica_is_killed_and_the_object_store_restarted(
    store: ObjectStore, fleet: Fleet, expected: dict[str, list[tuple[str, float]]], tmp_path: Path
) -> None:
    port, tokens = free_port(), tmp_path / "access.toml"
    token = access.made(tokens, "mine", ["org/*"])
    other = access.made(tokens, "theirs", ["vault/*"])
    command = ("-m", "plait", "fleet", "serve", "--fleet", fleet.tables.uri, "--access", str(tokens))
    more = (f"--port={port}", "--min-replicas=2", "--cpus=0.1", f"--cache={tmp_path / 'cache'}")
    with running(tmp_path / "log", *command, *more) as served:
        told = served.wait_for("Ctrl-C ends it")
        assert "answers 2 teams about 5 repositories" in told
        first = served.replicas()
        assert len(first) == 2
        load = Load(port, token)
        time.sleep(3)
        killed = time.monotonic()
        os.kill(first[0], signal.SIGKILL)
        until(lambda: len(set(served.replicas()) - {first[0]}) == 2)
        time.sleep(4)
        replies = load.stop()
        answered = [(question, body) for _, question, status, body in replies if status == 200]
        assert all(ranked(body) == expected[question] for question, body in answered)
        failed = [(asked, status) for asked, _, status, _ in replies if status != 200]
        assert all(killed - 10 < asked < killed + 10 for asked, _ in failed)
        assert len(failed) <= 8  # what it was answering
        assert len(answered) > 20
        assert not any(b"vault" in body for *_, body in replies)

        # What was asked before is answered from the local disk, without the store.
        store.stop()
        time.sleep(3)
        found = ask(port, f"{BASE}/search?q=discount&k=20", token)
        assert (found[0], ranked(found[1])) == (200, expected["discount"])
        assert ask(port, "/ready")[0] == 200
        status, body = ask(port, f"{BASE}/search?q=discount", other)  # nobody has asked for this repository yet
        assert (status, json.loads(body)["error"]["code"]) == (503, "not_ready")
        assert not re.search(rb"vault|127\.0\.0\.1|s3:", body)
        store.start()
        until(lambda: ask(port, f"{BASE}/search?q=discount", other)[0] == 200)
        until(lambda: ask(port, f"{BASE}/search?q=discount&k=20", token)[0] == 200)
        assert ranked(ask(port, f"{BASE}/search?q=discount&k=20", token)[1]) == expected["discount"]

        load = Load(port, token)
        time.sleep(2)
        assert served.ended() == "plait fleet serve: ended"
        replies = load.stop()
        known = {0, 200, 503}
        assert {status for _, _, status, _ in replies} <= known
        answered = [(question, body) for _, question, status, body in replies if status == 200]
        assert all(ranked(body) == expected[question] for question, body in answered)
        assert replies[-1][2] == 0


def test_the_cluster_of_the_documentation_serves(expected: dict[str, list[tuple[str, float]]], tmp_path: Path) -> None:
    with running(tmp_path / "cluster.log", str(HERE / "cluster.py"), str(tmp_path / "cluster")) as nodes:
        told = nodes.wait_for("plait fleet build --address")
        env = dict(re.findall(r"^export (\w+)=(.*)$", told, re.MULTILINE))
        address = told.split()[-1]
        listed = tmp_path / "list"
        folder = tmp_path / "src"
        written(folder, {"org/app0": SOURCES})
        listed.write_text(f"org/app0 {folder / 'org/app0'}\n")
        cache = f"--cache={tmp_path / 'cache'}"
        for command in (
            ["add", "--list", str(listed), "--embedder=hashing", "--graph=scoped", cache],
            ["build", f"--address={address}", cache],
        ):
            with running(tmp_path / "log", "-m", "plait", "fleet", *command, env=env) as one:
                assert one.process.wait(300) == 0, one.log.read_text()
        assert "1 built" in (tmp_path / "log").read_text()
        port = free_port()
        serve = ("-m", "plait", "fleet", "serve", f"--address={address}", f"--port={port}", "--cpus=0.1", cache)
        with running(tmp_path / "serve", *serve, env=env) as served:
            served.wait_for("answers whoever can reach it about 1 repository;")
            found = ask(port, f"{BASE}/search?q=cart")
            assert (found[0], len(json.loads(found[1])["hits"])) == (200, 10)
            another = (*serve[:-3], f"--port={free_port()}", *serve[-2:])
            for command, reason in ((serve, "choose another --port"), (another, "--replace ends that first")):
                with running(tmp_path / "other", *command, env=env) as other:
                    assert other.process.wait(180) == 2
                assert reason in (tmp_path / "other").read_text()
            end(served.process)
        assert ask(port, "/ready")[0] == 200  # what a killed process leaves
        with running(tmp_path / "again", *serve, "--replace", env=env) as served:
            served.wait_for("answers whoever can reach it about 1 repository;")
            assert ask(port, f"{BASE}/search?q=cart")[1] != b""
            assert served.ended() == "plait fleet serve: ended"
        assert ask(port, "/ready")[0] == 0  # and the cluster is as it was


def test_a_cluster_that_is_not_there_is_one_line(fleet: Fleet, tmp_path: Path) -> None:
    for command in (("serve", f"--port={free_port()}"), ("build",)):
        where = ("--fleet", fleet.tables.uri, "--address=127.0.0.1:1", f"--cache={tmp_path}")
        source = tmp_path / "new"
        written(source, {"a": {"a.py": "x = 1\n"}})
        registry.add(fleet.tables, {"org/new": str(source / "a")})
        with running(tmp_path / "log", "-m", "plait", "fleet", *command, *where) as one:
            assert one.process.wait(120) == 2
            (line,) = one.log.read_text().splitlines()
            assert line.startswith("plait: --address 127.0.0.1:1: no Ray cluster answers there (")


def test_too_few_processors_are_one_line(tmp_path: Path) -> None:
    with running(tmp_path / "log", str(HERE / "slow_server.py"), str(free_port()), "1", "5000", "5") as served:
        assert served.process.wait(300) == 1
        assert "CannotServe: the replicas do not come up" in served.log.read_text().splitlines()[-1]
