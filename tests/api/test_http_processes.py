"""Answers from several processes are those from one."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from asking import FILES, written
from http_server import Client, serving

from plait.doors.http.app import Limits


@pytest.fixture(scope="module")
def several(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PLAIT_CACHE", str(tmp_path_factory.mktemp("cache")))
        root = written(tmp_path_factory.mktemp("several") / "app", FILES)
        with serving({"app": root}, limits=Limits(processes=2)) as client:
            yield client


def test_the_answers_are_the_same(several: Client, app_alone: Client) -> None:
    for path, given in (
        ("search", {"q": "parse", "strategy": "hybrid"}),
        ("symbol", {"symbol": "handle"}),
        ("symbol", {"symbol": "write"}),
        ("symbol", {"symbol": "nothing"}),
        ("file", {"path": "app/web.py"}),
        ("search", {"q": "x", "strategy": "none"}),
        ("repositories", {}),
    ):
        found, alone = several.get(path, **given), app_alone.get(path, **given)
        assert found.status == alone.status
        assert found.json.keys() == alone.json.keys()
        if found.status != 200:
            assert found.json == alone.json
    hits = several.get("search", q="parse").json["hits"]
    assert hits == app_alone.get("search", q="parse").json["hits"]


def test_an_edit_reaches_every_process(several: Client) -> None:
    root = several.service.board["app"].root
    before = several.service.board["app"].state
    written(root, {"app/new.py": "def quite_new():\n    pass\n"})
    several.post("refresh", {})
    until = time.monotonic() + 60
    while several.service.board["app"].state == before:
        assert time.monotonic() < until
        time.sleep(0.01)
    for _ in range(8):
        assert several.get("symbol", symbol="quite_new").status == 200


def test_a_process_that_dies_is_replaced(several: Client) -> None:
    several.get("search", q="parse")
    children = [
        int(folder.name)
        for folder in Path("/proc").glob("[0-9]*")
        if _parent(folder) == os.getpid() and b"LokyProcess" in (folder / "cmdline").read_bytes()
    ]
    if not children:
        pytest.skip("no /proc")
    os.kill(children[0], signal.SIGKILL)
    until = time.monotonic() + 60
    while several.get("search", q="parse").status != 200:
        assert time.monotonic() < until
        time.sleep(0.1)


def _parent(folder: Path) -> int:
    try:
        return int((folder / "stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0
