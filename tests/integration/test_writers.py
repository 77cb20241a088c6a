"""One process writes the index at a time; who comes second waits a moment and answers from the last commit."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest
from asking import as_json, lines, plait, written
from processes import CONTEXT

from plait import Engine
from plait.errors import IndexBusy, NotIndexed
from plait.store.folders import clear
from plait.store.lock import WriterLock

QUESTIONS = (
    ("search", "save"),
    ("callers", "app.store.write"),
    ("callees", "handle"),
    ("path", "handle", "app.store.write"),
    ("impact", "app.store.write"),
    ("hubs",),
    ("flows",),
    ("unresolved",),
    ("export", "--format", "dump"),
)

EDIT = {"app/other.py": "def renewed():\n    return 1\n", "app/new.py": "def new():\n    return 1\n"}


def opened(root: Path, **settings: Any) -> Engine:
    return Engine.open(root, embedder="hashing", **settings)


def lock_of(engine: Engine) -> WriterLock:
    return WriterLock(engine.path.with_name(f"{engine.path.name.partition('.')[0]}.lock"))


@contextmanager
def another_writer(root: Path) -> Iterator[None]:
    lock = lock_of(opened(root))
    assert lock.acquire(0)
    try:
        yield
    finally:
        lock.release()


@pytest.mark.parametrize("command", QUESTIONS, ids=lambda command: command[0])
def test_a_second_writer_answers_from_the_last_commit(app: Path, command: tuple[str, ...]) -> None:
    as_json("index", app)
    before = lines(*command, app)
    written(app, EDIT)
    with another_writer(app):
        found = plait(*command, app, "--wait", "0")
    assert (found.exit_code, found.stdout.splitlines()) == (0, before)
    assert re.fullmatch(
        rf"process {os.getpid()} has been writing the index since 20\S+; "
        r"this answer is from the last commit and does not know 2 files that changed\n",
        found.stderr,
    )
    assert plait(*command, app).stderr == ""


def test_a_fresh_index_waits_for_nobody(app: Path) -> None:
    as_json("index", app)
    with another_writer(app):
        assert lines("search", "write", app, "--wait", "1000")
        assert as_json("status", app)["fresh"]


def test_who_waits_takes_what_the_other_has_committed(app: Path) -> None:
    second = opened(app, graph="scoped", wait=60)
    second.index()
    written(app, EDIT)
    seen = threading.Event()
    second.progress = lambda stage, done, total: seen.set()
    first = opened(app, graph="scoped")
    lock = lock_of(first)
    assert lock.acquire(0)

    def commit() -> None:
        seen.wait()
        opened_index: Any = first._index
        listing = opened_index._listing()
        opened_index._refreshed(listing, opened_index._committed())
        lock.release()

    other = threading.Thread(target=commit)
    other.start()
    found = second.snapshot()
    other.join()
    assert [symbol.name for symbol in found.named("renewed")] == ["renewed"]
    assert (second.refreshed, second.notices, second.writer) == (None, [], "")


def test_index_that_finds_another_writer_says_who_it_is(app: Path) -> None:
    with another_writer(app):
        found = plait("index", app, "--wait", "0.05")
    assert (found.exit_code, found.stdout) == (2, "")
    assert re.fullmatch(
        rf"plait: {re.escape(str(app))}: process {os.getpid()} has been writing the index since 20\S+; "
        r"run it again when that has ended, or wait longer with --wait SECONDS\n",
        found.stderr,
    )
    assert plait("index", app).exit_code == 0


def test_verify_that_finds_another_writer(app: Path) -> None:
    as_json("index", app)
    written(app, EDIT)
    with another_writer(app):
        assert plait("verify", app, "--wait", "0").exit_code == 2
    assert as_json("verify", app)["equal"]


def test_without_any_commit_the_question_is_answered_in_memory(app: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("plait.kept.FIRST_WAIT", 0)
    expected = lines("search", "write", app, "--cache", app.with_name("clean"))
    engine = opened(app, wait=0)
    with another_writer(app):
        found = plait("search", "write", app, "--wait", "0")
        assert (found.exit_code, found.stdout.splitlines()) == (0, expected)
        assert found.stderr.startswith(f"process {os.getpid()} has been writing the index since 20")
        assert found.stderr.endswith("until then each answer is made in memory, and nothing of it is kept\n")
        assert not engine.path.exists()
        assert engine.search("write").total
    assert lines("search", "write", app) == expected
    assert engine.path.exists()


def test_a_first_question_waits_for_the_first_index(app: Path) -> None:
    second = opened(app, graph="scoped", wait=0)
    stages: set[str] = set()
    seen = threading.Event()

    def progress(stage: str, done: int, total: int) -> None:
        stages.add(stage)
        seen.set()

    second.progress = progress
    first = opened(app, graph="scoped")
    lock = lock_of(first)
    assert lock.acquire(0)

    def commit() -> None:
        seen.wait()
        opened_index: Any = first._index
        opened_index._build(None)
        lock.release()

    other = threading.Thread(target=commit)
    other.start()
    assert second.find("lonely").path == "app/other.py"
    other.join()
    assert (stages, second.notices) == ({"waiting for the other writer"}, [])


def hold(path: Path, told: Connection) -> None:
    told.send(WriterLock(path).acquire(0))
    with suppress(EOFError):
        told.recv()


@pytest.mark.skipif(os.name == "nt", reason="kill -9 is POSIX's")
def test_a_lock_ends_with_its_process(app: Path) -> None:
    lock = lock_of(opened(app))
    ours, theirs = CONTEXT.Pipe()
    process = CONTEXT.Process(target=hold, args=(lock.path, theirs))
    process.start()
    assert ours.recv() is True
    assert not lock.acquire(0.05)
    holder = lock.holder()
    assert holder is not None
    assert holder.pid == process.pid
    process.kill()
    process.join()
    assert lock.acquire(0)
    lock.release()
    assert lock.holder() is None


def test_a_lock_that_is_cleared_away_is_taken_anew(app: Path) -> None:
    engine = opened(app)
    first, second = lock_of(engine), lock_of(engine)
    assert first.acquire(0)
    clear(engine.path.parent)
    assert not engine.path.parent.exists()
    assert second.acquire(0)
    first.release()
    assert not lock_of(engine).acquire(0)
    second.release()


def test_where_there_are_no_locks_writers_go_on_without(app: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def none(handle: int) -> None:
        raise OSError(38, "Function not implemented")

    monkeypatch.setattr("plait.store.lock._lock", none)
    monkeypatch.setattr("plait.store.lock._unlock", none)
    with another_writer(app):
        assert as_json("index", app, "--wait", "0")["files"] == 4


# Without a refresh


@pytest.mark.parametrize("command", QUESTIONS, ids=lambda command: command[0])
def test_no_refresh_answers_from_the_last_commit(
    app: Path, command: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    as_json("index", app)
    before = lines(*command, app)
    written(app, EDIT)

    def looked(*given: Any, **settings: Any) -> Any:
        raise AssertionError("files are looked at")

    with monkeypatch.context() as patched:
        patched.setattr("plait.source.discover", looked)
        found = plait(*command, app, "--no-refresh")
    assert (found.exit_code, found.stdout.splitlines()) == (0, before)
    assert re.fullmatch(r"the index is of 20\S+; no file has been looked at \(--no-refresh\)\n", found.stderr)


@pytest.mark.skipif(shutil.which("git") is None, reason="the commits are git's")
def test_no_refresh_tells_the_commit_that_was_indexed(app: Path) -> None:
    old = committed(app)
    as_json("index", app)
    same = plait("hubs", app, "--no-refresh").stderr
    assert same.endswith(f", at commit {old}; no file has been looked at (--no-refresh)\n")
    written(app, EDIT)
    new = committed(app)
    told = f", at commit {old} ({new} is checked out now); no file has been looked at (--no-refresh)\n"
    assert plait("hubs", app, "--no-refresh").stderr.endswith(told)


def committed(root: Path) -> str:
    """Commit all that is there; return the first 12 digits of the commit."""
    who = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false")
    for command in (["init", "-q"], ["add", "-A"], [*who, "commit", "-qm", "all"]):
        subprocess.run(["git", *command], cwd=root, check=True)
    done = subprocess.run(["git", "rev-parse", "HEAD"], cwd=root, check=True, capture_output=True, text=True)
    return done.stdout[:12]


@pytest.mark.parametrize("command", QUESTIONS, ids=lambda command: command[0])
def test_no_refresh_without_an_index(app: Path, command: tuple[str, ...]) -> None:
    found = plait(*command, app, "--no-refresh")
    assert (found.exit_code, found.stdout) == (2, "")
    assert found.stderr == f"plait: {app}: no index with these settings; `plait index` makes one\n"


def test_no_refresh_from_python(app: Path) -> None:
    engine = opened(app, refresh=False)
    with pytest.raises(NotIndexed):
        engine.search("write")
    opened(app).index()
    assert engine.find("lonely").path == "app/other.py"
    written(app, EDIT)
    assert engine.find("lonely").path == "app/other.py"
    opened(app).snapshot()
    assert engine.find("renewed").path == "app/other.py", "what others commit counts"


def test_busy_from_python(app: Path) -> None:
    engine = opened(app, wait=0)
    with another_writer(app), pytest.raises(IndexBusy):
        engine.index()
