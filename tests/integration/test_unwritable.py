"""Where the index cannot be kept, questions are answered all the same, from memory, with a line that says so."""

from __future__ import annotations

import errno
import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from asking import as_json, plait

from plait import Engine
from plait.dump import dump
from plait.errors import CannotWrite
from plait.store.embedded import EmbeddedSnapshot

MADE_IN_MEMORY = "until then each answer is made in memory, and nothing of it is kept\n"

COMMANDS = (("search", "save"), ("callers", "app.store.write"), ("hubs",), ("export", "--format", "dump"))


def content(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def mount(*arguments: str) -> None:
    done = subprocess.run(["mount", *arguments], capture_output=True, check=False)
    if done.returncode:
        pytest.skip(f"cannot mount: {done.stderr.decode()}")


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Callable[..., Path]]:
    """A file system of its own, mounted with options and remounted at will."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted: list[Path] = []

    def mounted_with(options: str) -> Path:
        if os.name == "nt" or os.geteuid() != 0:
            pytest.skip("only root can mount")
        if mounted:
            options = f"remount,{options}"
        mount("-t", "tmpfs", "-o", options, "tmpfs", str(place))
        mounted.append(place)
        return place

    yield mounted_with
    if mounted:
        subprocess.run(["umount", "--lazy", str(place)], check=True)


def test_a_cache_that_cannot_be_there(app: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for command in COMMANDS:
        expected = plait(*command, app)
        found = plait(*command, app, "--cache", tmp_path / "file")
        assert (found.exit_code, found.stdout) == (0, expected.stdout)
        assert found.stderr.count("\n") == 1
        assert found.stderr.startswith(str(tmp_path / "file"))
        assert found.stderr.endswith(MADE_IN_MEMORY)
    assert as_json("status", app, "--cache", tmp_path / "file")["indexed"] is False


def test_a_cache_that_is_read_only(app: Path, disk: Callable[..., Path]) -> None:
    cache = disk("rw,size=8m")
    as_json("index", app, "--cache", cache)
    before = content(cache)
    disk("ro,size=8m")
    fresh = plait("search", "write", app, "--cache", cache)
    assert (fresh.exit_code, fresh.stderr) == (0, ""), "what is there needs no writing"

    (app / "app/other.py").write_text("def renewed():\n    return 1\n")
    found = plait("search", "renewed", app, "-k", "1", "--cache", cache)
    assert (found.exit_code, "app.other.renewed" in found.stdout) == (0, True)
    assert found.stderr.endswith(MADE_IN_MEMORY)
    assert "Read-only" in found.stderr
    assert as_json("status", app, "--cache", cache)["changed"]["edited"] == 1
    assert plait("index", app, "--cache", cache).exit_code == 2
    assert content(cache) == before

    disk("rw,size=8m")
    assert plait("search", "renewed", app, "--cache", cache).stderr == ""
    assert as_json("verify", app, "--cache", cache)["equal"]


def test_a_disk_that_is_full(app: Path, disk: Callable[..., Path]) -> None:
    cache = disk("rw,size=8m")
    as_json("index", app, "--cache", cache)
    before = content(cache)
    used = sum(path.stat().st_blocks * 512 for path in cache.rglob("*"))
    disk(f"rw,size={used + 16_384}")
    (app / "app/other.py").write_text("def renewed():\n    return 1\n" * 50)
    found = plait("search", "renewed", app, "-k", "1", "--cache", cache)
    assert (found.exit_code, "app.other.renewed" in found.stdout) == (0, True)
    assert found.stderr.endswith(MADE_IN_MEMORY)
    failed = plait("index", app, "--cache", cache)
    assert (failed.exit_code, "full" in failed.stderr or "No space" in failed.stderr) == (2, True)
    index = Engine.open(app, embedder="hashing", cache=str(cache)).path
    assert index.read_bytes() == before[index], "the last index is there as it was"
    assert sorted(path.name for path in index.parent.iterdir() if path.name.endswith(".new")) == []

    disk("rw,size=8m")
    assert plait("search", "renewed", app, "--cache", cache).stderr == ""
    assert as_json("verify", app, "--cache", cache)["equal"]


def full(*given: Any, **settings: Any) -> Any:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize("where", ["os.fsync", "pathlib.Path.replace", "tempfile.mkstemp"])
@pytest.mark.parametrize("graph", ["scoped", "flow"])
def test_no_step_of_writing_needs_to_succeed(
    app: Path, where: str, graph: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = Engine.open(app, embedder="hashing", graph=graph)
    engine.index()
    before = list(dump(EmbeddedSnapshot(engine.path)))
    (app / "app/other.py").write_text("def renewed():\n    return 1\n")
    with monkeypatch.context() as patched:
        patched.setattr(where, full)
        assert engine.find("renewed").path == "app/other.py"
        assert [notice.endswith(MADE_IN_MEMORY.strip()) for notice in engine.notices] == [True]
        in_memory = list(dump(engine.snapshot()))
        with pytest.raises(CannotWrite, match=os.strerror(errno.ENOSPC)):
            engine.index()
        assert list(dump(EmbeddedSnapshot(engine.path))) == before
    again = Engine.open(app, embedder="hashing", graph=graph)
    assert list(dump(again.snapshot())) == in_memory
    assert again.notices == []
    assert [path for path in again.path.parent.iterdir() if path.name.endswith(".new")] == []
