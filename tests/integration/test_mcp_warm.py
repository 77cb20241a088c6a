"""What the MCP server answers while the index is being made, and after edits."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from asking import FILES
from serving import refused, serving, told

from plait import Engine
from plait.doors.mcp.partial import partial
from plait.doors.mcp.server import Repositories
from plait.protocols import Snapshot


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """No snapshot is made before the event is set, and nobody waits long for one."""
    event, snapshot = threading.Event(), Engine.snapshot

    def waiting(engine: Engine) -> Snapshot:
        if engine._held is None:
            event.wait(60)
        return snapshot(engine)

    monkeypatch.setattr(Engine, "snapshot", waiting)
    monkeypatch.setattr("plait.doors.mcp.warm.AT_THE_LATEST", 60)
    yield event
    event.set()


@pytest.fixture
def served(app: Path, request: pytest.FixtureRequest) -> Iterator[Repositories]:
    with serving(app, patience=0.05 if "gate" in request.fixturenames else 300.0) as repositories:
        yield repositories


def until_ready(repositories: Repositories) -> None:
    assert repositories.of(None)._first.wait(60)


def test_while_the_index_is_made_the_files_with_the_words_answer_and_it_is_said(
    served: Repositories, gate: threading.Event
) -> None:
    answer = told(served, "search", query="parse")
    assert answer["hits"][0]["symbol"] == "app.web.parse"
    assert answer["index"]["state"] == "partial"
    assert "this is from the 1 of 4 files that have most of the words. Ask again" in answer["index"]["note"]
    assert told(served, "context", question="parse")["index"]["state"] == "partial"
    assert told(served, "symbol", symbol="app.web.parse")["index"]["state"] == "partial"
    gate.set()
    until_ready(served)
    assert told(served, "search", query="parse")["index"] == {"state": "ready", "note": ""}


def test_what_the_looked_at_files_lack_is_no_empty_answer(served: Repositories, gate: threading.Event) -> None:
    assert "is being built" in refused(served, "search", query="xylophone")
    told_so = refused(served, "symbol", symbol="xylophone")
    assert told_so.endswith("ask again in a few seconds")
    assert "is being built" in refused(served, "impact", diff="HEAD")


def test_a_part_that_takes_too_long_is_waited_for_once_more(
    served: Repositories, gate: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = threading.Event()

    def waiting(engine: Engine, words: tuple[str, ...]) -> object:
        slow.wait(60)
        return partial(engine, words)

    monkeypatch.setattr("plait.doors.mcp.warm.partial", waiting)
    monkeypatch.setattr("plait.doors.mcp.warm.AT_THE_LATEST", 0.05)
    assert refused(served, "search", query="parse").endswith("ask again in a few seconds")
    slow.set()
    monkeypatch.setattr("plait.doors.mcp.warm.AT_THE_LATEST", 60)
    assert told(served, "search", query="parse")["index"]["state"] == "partial"


def test_an_edit_of_what_is_shown_is_seen_by_the_same_question(served: Repositories, app: Path) -> None:
    assert told(served, "search", query="parse", k=1)["hits"][0]["symbol"] == "app.web.parse"
    (app / "app/web.py").write_text(FILES["app/web.py"].replace("def parse(", "def parse_all("))
    answer = told(served, "search", query="parse", k=1)
    assert (answer["hits"][0]["symbol"], answer["index"]["state"]) == ("app.web.parse_all", "ready")


def test_while_another_thread_renews_the_index_what_has_changed_is_marked(
    served: Repositories, app: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told(served, "search", query="parse")
    monkeypatch.setattr("plait.doors.mcp.warm.PATIENCE", 0.05)
    warm = served.of(None)
    with warm._renewing:
        (app / "app/web.py").write_text(FILES["app/web.py"].replace("def parse(", "def parse_all("))
        answer = told(served, "search", query="parse")
        assert answer["index"]["state"] == "stale"
        assert answer["index"]["note"].startswith("changed since they were indexed, read them")
        assert {hit["path"] for hit in answer["hits"] if hit["stale"]} == {"app/web.py"}
        assert told(served, "context", question="parse")["index"]["state"] == "stale"


def test_a_cursor_of_an_index_that_has_changed_says_so(served: Repositories, app: Path) -> None:
    first = told(served, "search", query="row", k=1)
    (app / first["hits"][0]["path"]).write_text(FILES[first["hits"][0]["path"]] + "\n\ndef row():\n    return 1\n")
    told(served, "search", query="row", k=1)
    second = told(served, "search", query="row", k=1, cursor=first["next_cursor"])
    assert "the index has changed since the answer before" in second["index"]["note"]


def test_a_fault_of_ours_reaches_the_agent(served: Repositories, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(engine: Engine) -> Snapshot:
        raise RuntimeError("out of order")

    monkeypatch.setattr(Engine, "snapshot", broken)
    assert refused(served, "search", query="parse") == (
        "RuntimeError: out of order; `plait doctor` checks the environment"
    )
