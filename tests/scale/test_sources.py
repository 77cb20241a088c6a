"""Sources that cannot be read, and workers that die: each is one reason beside one name, and the others are built."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import threading
import time
import uuid
from contextlib import suppress
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from plait.doors.cli import main
from plait.fleet.building import build_repository
from plait.fleet.cluster import Cluster, build_all
from plait.fleet.fleet import Fleet
from plait.settings import Settings
from plait.store.lance import registry

AS = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main")


def git(folder: Path, *arguments: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run(["git", *AS, *arguments], cwd=folder, check=True, capture_output=True)


def repository(place: Path, *versions: str) -> Path:
    git(place, "init", "--quiet")
    for text in versions or ("def work():\n    return 1\n",):
        (place / "a.py").write_text(text)
        git(place, "add", ".")
        git(place, "commit", "--quiet", "-m", "x")
    return place


@pytest.fixture
def fleet(tmp_path: Path) -> Fleet:
    return Fleet.create(str(tmp_path / "fleet"), Settings(embedder="hashing", graph="scoped", cache=tmp_path / "cache"))


def problem(fleet: Fleet, name: str, source: Path | str) -> str:
    registry.add(fleet.tables, {name: str(source)})
    outcome = build_repository(fleet, name)
    assert outcome.problem == registry.head(fleet.tables, name).problem
    return outcome.problem.removeprefix(f"{source}: ")


def test_each_source_that_cannot_be_read_has_its_reason(fleet: Fleet, tmp_path: Path) -> None:
    git(tmp_path / "empty.git", "init", "--bare", "--quiet")
    damaged = repository(tmp_path / "damaged")
    shutil.rmtree(damaged / ".git" / "refs")
    holed = repository(tmp_path / "holed")
    blob = subprocess.run(["git", "rev-parse", "HEAD:a.py"], cwd=holed, check=True, capture_output=True, text=True)
    name = blob.stdout.strip()
    (holed / ".git" / "objects" / name[:2] / name[2:]).unlink()
    (tmp_path / "prose").mkdir()
    (tmp_path / "prose" / "a.md").write_text("# Nothing\n")
    assert problem(fleet, "empty", tmp_path / "empty.git").startswith("a git repository that is empty or damaged")
    assert problem(fleet, "damaged", damaged).startswith("a git repository that is empty or damaged")
    assert problem(fleet, "holed", holed).startswith("git cannot check HEAD out")
    assert problem(fleet, "gone", tmp_path / "gone").startswith("is not there, or not on this node")
    assert problem(fleet, "far", f"file://{tmp_path}/nowhere.git").startswith("does not answer, or has no commit")
    assert "no source file in a language that plait reads" in problem(fleet, "prose", tmp_path / "prose")


def test_a_shallow_clone_and_odd_names_are_built(fleet: Fleet, tmp_path: Path) -> None:
    source = repository(tmp_path / "deep", "x = 1\n", "def f():\n    return 2\n")
    git(tmp_path, "clone", "--quiet", "--depth=1", f"file://{source}", "shal low — 100% 'ö'")
    assert problem(fleet, "grün/it's_100%", tmp_path / "shal low — 100% 'ö'") == ""
    answer = fleet.search("f", repositories=["grün/it's_100%"], strategy="lexical")
    assert [hit.symbol.path for hit in answer] == ["grün/it's_100%//a.py"]


def test_what_vanishes_keeps_its_last_build_and_is_well_when_it_is_back(fleet: Fleet, tmp_path: Path) -> None:
    source = repository(tmp_path / "app")
    assert problem(fleet, "app", source) == ""
    source.rename(tmp_path / "away")
    assert problem(fleet, "app", source).startswith("is not there")
    assert len(fleet.search("work", repositories=["app"], strategy="lexical")) == 1
    (tmp_path / "away").rename(source)
    assert [one.problem for one in build_all(fleet, Cluster(workers=1))] == [""]
    head = registry.head(fleet.tables, "app")
    assert (head.problem, head.generation) == ("", 1)


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["fleet", *arguments])


def test_ten_thousand_repositories_of_a_list(tmp_path: Path) -> None:
    listed = tmp_path / "list"
    listed.write_text("# all of them\n" + "".join(f"team{n % 100}/r{n} /srv/r{n}.git\n" for n in range(10_000)))
    where = ("--fleet", str(tmp_path / "f"), "--cache", str(tmp_path / "cache"))
    assert run("add", "--list", str(listed), "--embedder", "hashing", *where).stdout == (
        "10,000 repositories added, 0 known\n"
    )
    assert run("add", "--list", str(listed), *where).stdout == "0 repositories added, 10,000 known\n"
    assert run("status", "--problems", *where).stdout == ("10,000 repositories, 0 built, 0 with a problem; 0 symbols\n")
    listed.write_text("one two\nalone\n")
    refused = run("add", "--list", str(listed), *where)
    assert (refused.exit_code, "list:2: not a name and a source" in refused.output) == (2, True)


def of_this_test(mark: str) -> list[int]:
    """The workers that are building and inherited the mark."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            is_building = (place / "cmdline").read_bytes().startswith(b"ray::_build")
            if is_building and mark.encode() in (place / "environ").read_bytes():
                found.append(int(place.name))
    return found


def test_a_worker_that_is_killed_each_time_is_set_aside(
    fleet: Fleet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark = uuid.uuid4().hex
    monkeypatch.setenv("PLAIT_TEST_MARK", mark)
    registry.add(fleet.tables, {"app": str(repository(tmp_path / "app"))})
    killed: set[int] = set()
    ended = threading.Event()

    def kill() -> None:
        while not ended.is_set():
            for one in of_this_test(mark):
                with suppress(ProcessLookupError):
                    os.kill(one, signal.SIGKILL)
                    killed.add(one)
            time.sleep(0.005)

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        (outcome,) = build_all(fleet, Cluster(workers=1))
    finally:
        ended.set()
        killer.join()
    assert len(killed) >= 3
    assert (outcome.set_aside, outcome.built) == (True, False)
    assert outcome.problem.startswith("its process died each time")
    assert registry.head(fleet.tables, "app").problem == outcome.problem
    (outcome,) = build_all(fleet, Cluster(workers=1))
    assert (outcome.set_aside, outcome.built) == (True, False)
    registry.retry(fleet.tables, ["app"])
    (outcome,) = build_all(fleet, Cluster(workers=1))
    assert (outcome.problem, outcome.built) == ("", True)
