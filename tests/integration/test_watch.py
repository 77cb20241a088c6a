"""plait watch keeps an index fresh, and Ctrl-C at any time leaves one that is valid."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from asking import as_json, plait, written
from click.testing import CliRunner

from plait import Engine
from plait.doors.cli import main
from plait.dump import dump
from plait.store.embedded import EmbeddedSnapshot

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Ctrl-C is sent in another way there")


@contextmanager
def watching(root: Path, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "plait", "watch", str(root), "--json", "--embedder", "hashing", *arguments]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    with process:
        try:
            yield process
        finally:
            process.kill()


def line(process: subprocess.Popen[str]) -> dict[str, Any]:
    assert process.stdout is not None
    found: dict[str, Any] = json.loads(process.stdout.readline())
    return found


@pytest.mark.parametrize("told", [["--interval", "0.05"], []], ids=["by looking", "by the system"])
def test_watch_renews_the_index_until_it_is_interrupted(app: Path, told: list[str]) -> None:
    if not told:
        pytest.importorskip("watchfiles")
    with watching(app, *told) as process:
        first = line(process)
        assert (first["schema"], first["files"], first["symbols"]) == ("plait.watch.v1", 4, 18)
        if not told:
            time.sleep(1)  # the system tells of what comes after it was asked to; else plait looks after ten seconds
        written(app, {"new.py": "def new():\n    return 1\n"})
        second = line(process)
        assert (second["files"], second["symbols"]) == (5, 20)
        assert as_json("status", app)["fresh"]
        assert as_json("status", app)["index"]["state"] == second["state"]
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate()
    assert (process.returncode, out, err) == (0, "", "")
    assert as_json("verify", app)["equal"]


def test_watch_once(app: Path) -> None:
    found = plait("watch", app, "--once")
    assert (found.exit_code, found.stderr) == (0, "")
    assert "4 files, 18 symbols, " in found.stdout
    assert found.stdout.count("\n") == 1
    assert as_json("status", app)["fresh"]


def test_watch_waits_for_something_to_index(tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    assert plait("watch", empty, "--once").exit_code == 2
    with watching(empty, "--interval", "0.05") as process:
        assert process.stderr is not None
        assert "the folder is empty" in process.stderr.readline()
        written(empty, {"a.py": "def a(): ...\n"})
        assert line(process)["files"] == 1
        os.killpg(process.pid, signal.SIGINT)
        _, err = process.communicate()
    assert (process.returncode, err) == (0, "")


@pytest.mark.parametrize(
    ("stage", "parsed_again"), [("reading", 3), ("parsing", 1), ("linking", 0), ("embedding", 0)], ids=str
)
def test_an_interrupted_build_leaves_the_last_index_and_the_next_goes_on(
    app: Path, stage: str, parsed_again: int
) -> None:
    engine = Engine.open(app, embedder="hashing")
    engine.index()
    before = list(dump(EmbeddedSnapshot(engine.path)))
    written(app, {f"m{number}.py": f"def f{number}(): ...\n" for number in range(3)})

    def interrupted(now: str, done: int, total: int) -> None:
        if now == stage and done >= total - 1:
            raise KeyboardInterrupt

    engine.progress = interrupted
    with pytest.raises(KeyboardInterrupt):
        engine.index()
    assert list(dump(EmbeddedSnapshot(engine.path))) == before
    assert [path for path in engine.path.parent.iterdir() if path.name.endswith(".new")] == []
    again = Engine.open(app, embedder="hashing")
    assert again.index().parsed == parsed_again
    assert again.find("f2").path == "m2.py"


def test_the_flow_of_values_is_followed_when_no_file_changes(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("plait.kept.FLOW_LINES", 1)
    looks = [None, None, None]
    monkeypatch.setattr("plait.doors.upkeep.wakings", lambda root, interval: looks)
    result = CliRunner().invoke(main, ["watch", str(repository), "--embedder", "hashing"])
    assert result.exit_code == 0
    first, second = result.stdout.splitlines()
    assert first != second
    assert Engine.open(repository, embedder="hashing").snapshot().info.pending == 0
