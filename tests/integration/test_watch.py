from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from plait import Engine
from plait.doors.cli import main

GIVEN = ("--embedder", "hashing")


def test_once_brings_the_index_up_to_date_and_ends(repository: Path) -> None:
    result = CliRunner().invoke(main, ["watch", str(repository), "--once", "--json", *GIVEN])
    assert result.exit_code == 0
    (line,) = result.stdout.splitlines()
    snapshot = Engine.open(repository, embedder="hashing").snapshot()
    assert json.loads(line)["state"] == snapshot.info.state
    assert json.loads(line)["pending"] == 0


def test_once_follows_the_flow_of_values(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("plait.engine.FLOW_LINES", 1)
    result = CliRunner().invoke(main, ["watch", str(repository), "--once", "--json", *GIVEN])
    assert [json.loads(line)["pending"] for line in result.stdout.splitlines()] == [4, 0]


def test_an_edit_is_one_more_line_and_an_interrupt_ends_it_well(repository: Path) -> None:
    command = [sys.executable, "-m", "plait", "watch", str(repository), "--interval", "0.05", "--json", *GIVEN]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONUNBUFFERED": "1"}
    ) as process:
        assert process.stdout is not None
        first = json.loads(process.stdout.readline())
        (repository / "new.py").write_text("def added():\n    return 1\n")
        second = json.loads(process.stdout.readline())
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=20) == 0
    assert second["symbols"] == first["symbols"] + 2
    assert Engine.open(repository, embedder="hashing").search("added", k=1)[0].symbol.name == "added"
