"""plait status, verify, clear and doctor, and what the index tells about files."""

from __future__ import annotations

import os
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest
from asking import as_json, lines, plait, written
from click.testing import CliRunner

from plait import Engine
from plait.doors.cli import main
from plait.model import SkipReason
from plait.store.folders import mined_of


def told(*arguments: str | Path) -> dict[str, str]:
    return {line[:11].strip(): line[12:] for line in lines(*arguments)[1:] if line[:11].strip()}


def cached() -> list[Path]:
    return sorted(path for path in Path(os.environ["PLAIT_CACHE"]).rglob("*") if path.is_file())


def test_status_without_an_index_builds_none_and_says_how(app: Path) -> None:
    found = told("status", app)
    assert found["index"] == f"none for embedder hashing, graph flow; `plait index {app}` makes it"
    assert found["to index"] == "4 files, listed by the folder's own ignore files"
    assert cached() == []
    status = as_json("status", app)
    assert (status["schema"], status["indexed"], status["fresh"], status["index"]) == (
        "plait.status.v1",
        False,
        False,
        None,
    )


def test_status_tells_what_is_indexed_and_what_has_changed(app: Path) -> None:
    report = as_json("index", app)
    status = as_json("status", app)
    assert (status["fresh"], status["index"]["symbols"]) == (True, report["symbols"])
    assert status["index"]["edges"] == {
        kind: sum(row["count"] for row in report["edges"] if row["kind"] == kind)
        for kind in {row["kind"] for row in report["edges"]}
    }
    assert status["index"]["unresolved"] == sum(report["unresolved"].values())
    (app / "app/other.py").write_text("def lonely(): pass\n")
    (app / "app/web.py").unlink()
    written(app, {"new.py": "", "newer.py": ""})
    assert as_json("status", app)["changed"] == {"new": 2, "edited": 1, "gone": 1, "scip": False}
    before = cached()
    stale = "stale: 4 files changed (2 new, 1 edited, 1 gone); the next question renews it"
    assert told("status", app)["index"] == stale
    assert cached() == before


def test_status_tells_the_commit(app: Path) -> None:
    def git(*arguments: str) -> str:
        identity = ("-c", "user.name=a", "-c", "user.email=a@b")
        done = subprocess.run(["git", *identity, *arguments], cwd=app, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    git("init", "-q")
    git("add", "-A")
    git("commit", "-qm", "first")
    first = git("rev-parse", "HEAD")
    plait("index", app)
    assert told("status", app)["made"].endswith(f", at commit {first[:12]}")
    git("commit", "-qm", "second", "--allow-empty")
    status = as_json("status", app)
    assert (status["fresh"], status["index"]["commit"], status["commit_now"]) == (True, first, git("rev-parse", "HEAD"))


def test_every_skip_is_listed_with_its_reason(app: Path) -> None:
    written(app, {"vendor/v.py": "", "a.md": "", "b.md": "", "broken.py": "def (", "big.py": "x = 1\n" * 200_000})
    plait("index", app)
    found = lines("status", app, "--skipped")
    assert "skipped     too large 1, syntax error 1, vendored 1" in found
    (content,) = (line for line in found if line.startswith("content"))
    docs = "docs 2 files, not indexed before --content docs asks"
    assert content == f"content     code 6 files, 18 symbols indexed; {docs}; config 0 files"
    place = found.index("other content:")
    assert found[place + 1] == "  *.md  docs: on request, --content docs  (2 files)"
    assert found[found.index("syntax error:") :] == [
        "syntax error:",
        "  broken.py  line 1: invalid syntax",
        "too large:",
        "  big.py  1,200,000 bytes, limit 1,000,000",
        "vendored:",
        "  vendor/  copied dependencies",
    ]
    assert as_json("status", app, "--skipped")["skipped_files"][0] == {
        "path": "*.md",
        "reason": "other content",
        "detail": "docs: on request, --content docs",
        "count": 2,
    }


def test_a_plaitignore_renews_the_index(app: Path) -> None:
    written(app, {"vendor/v.py": "def vendored(): pass\n"})
    engine = Engine.open(app, embedder="hashing")
    assert engine.index().skipped == {SkipReason.VENDORED: 1}
    (app / ".plaitignore").write_text("!vendor/\n")
    assert engine.find("vendored").path == "vendor/v.py"
    (app / ".plaitignore").write_text("!vendor/\napp/\n")
    assert {symbol.path for symbol in engine.snapshot().symbols()} == {"tests/test_web.py", "vendor/v.py"}


@pytest.mark.parametrize("how", ["flag", "environment", "file"])
def test_settings_about_files(app: Path, how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    written(app, {"clone/c.py": "def cloned(): pass\n", "long.py": "x = 1\n" * 200})
    subprocess.run(["git", "init", "-q", app / "clone"], check=True)
    given: list[str] = []
    if how == "flag":
        given = ["--submodules", "--max-file-bytes", "1000"]
    elif how == "environment":
        monkeypatch.setenv("PLAIT_SUBMODULES", "true")
        monkeypatch.setenv("PLAIT_MAX_FILE_BYTES", "1000")
    else:
        (app / "plait.toml").write_text("submodules = true\nmax_file_bytes = 1000\n")
    assert "nested repository" not in as_json("index", app, *given)["skipped"]
    found = as_json("status", app, "--skipped", *given)
    assert (found["fresh"], found["skipped"]["too large"]) == (True, 1)
    assert as_json("search", "cloned", app, "-k", "1", *given)["hits"][0]["path"] == "clone/c.py"


def test_clear_removes_the_indexes_of_one_folder_or_of_all(app: Path, tmp_path: Path) -> None:
    other = written(tmp_path / "other", {"a.py": "def a(): pass\n"})
    for root in (app, other):
        plait("index", root)
    foreign = Path(os.environ["PLAIT_CACHE"]) / "mine.txt"
    foreign.write_text("not plait's")

    def clear(*arguments: str | Path) -> str:
        result = CliRunner().invoke(main, ["clear", *map(str, arguments)], catch_exceptions=False)
        assert (result.exit_code, result.stderr) == (0, "")
        return result.stdout

    assert clear(app).startswith(f"{app}: 1 index deleted, ")
    documented = '''def wait(number):
    """Say how long to pause before asking the server again."""
    seconds = 2
    for _ in range(number):
        seconds *= 2
    return seconds
'''
    for root in (app, other):
        written(root, {"retry.py": documented})
        assert plait("eval", "--mine", root, "--look", "1").exit_code == 0
    assert mined_of(Path(os.environ["PLAIT_CACHE"]), app).is_dir()
    assert clear(app).startswith(f"{app}: ")
    assert not mined_of(Path(os.environ["PLAIT_CACHE"]), app).exists()
    assert clear(app) == f"{app}: no index, nothing to delete\n"
    assert as_json("status", other)["fresh"]
    assert " deleted" in clear("--all")
    assert cached() == [foreign]


def test_clear_of_a_folder_that_is_gone(app: Path) -> None:
    plait("index", app)
    app.rename(app.parent / "moved")
    result = CliRunner().invoke(main, ["clear", str(app)])
    assert "1 index deleted" in result.stdout


def test_clear_of_one_and_all_is_refused(app: Path) -> None:
    result = CliRunner().invoke(main, ["clear", str(app), "--all"])
    assert (result.exit_code, result.stderr) == (2, "plait: give a folder or --all, not both\n")


def test_doctor_finds_nothing_amiss() -> None:
    found = as_json("doctor")
    assert found["ok"]
    names = [check["name"] for check in found["checks"]]
    assert names[:3] + names[-3:] == ["plait", "python", "libraries", "git", "cache", "embedder"]


def test_doctor_says_how_to_mend(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda name: None)
    (tmp_path / "file").write_text("")
    result = plait("doctor", "--cache", tmp_path / "file")
    assert result.exit_code == 1
    shown = result.stdout.splitlines()
    (git,) = (place for place, line in enumerate(shown) if line.startswith("git "))
    assert "without" in shown[git]
    assert "-> install git" in shown[git + 1]
    (cache,) = (place for place, line in enumerate(shown) if line.startswith("cache "))
    assert "MISSING" in shown[cache]
    assert "--cache or PLAIT_CACHE" in shown[cache + 1]


def test_verify_of_an_index_that_is_as_it_should_be(app: Path) -> None:
    plait("index", app)
    before = {path: path.read_bytes() for path in cached()}
    dumped = lines("export", app, "--format", "dump")
    told = f"{app}: the index equals a clean one, {len(dumped)} lines of 10 tables"
    assert lines("verify", app) == [told]
    assert {path: path.read_bytes() for path in cached()} == before
    found = as_json("verify", app)
    assert (found["schema"], found["equal"], found["problem"]) == ("plait.verify.v1", True, "")
    assert sum(table["lines"] for table in found["tables"]) == len(dumped)


def test_verify_renews_an_index_that_is_stale(app: Path) -> None:
    plait("index", app)
    written(app, {"app/other.py": "def renewed():\n    return 1\n"})
    assert as_json("verify", app)["equal"]
    assert as_json("status", app)["fresh"]


def test_verify_shows_what_differs(app: Path) -> None:
    plait("index", app)
    engine = Engine.open(app, embedder="hashing")
    target = engine.find("app.store.write").id
    with closing(sqlite3.connect(engine.path)) as database, database:
        database.execute("UPDATE symbols SET docstring = 'other' WHERE id = ?", [target])
    result = plait("verify", app)
    assert (result.exit_code, result.stderr) == (1, "")
    told = result.stdout.splitlines()
    assert told[0] == f"{app}: the index differs from a clean one; `plait index {app} --force` makes it anew"
    assert told[1] == "symbol: 1 line too many, 1 missing, of 18"
    assert told[2].startswith(f'  + symbol {target} {{"docstring": ""')
    assert told[3].startswith(f'  - symbol {target} {{"docstring": "other"')
    assert len(told) == 4
    plait("index", app, "--force")
    assert plait("verify", app).exit_code == 0


def test_verify_of_a_damaged_index(app: Path) -> None:
    plait("index", app)
    path = Engine.open(app, embedder="hashing").path
    path.write_bytes(b"no index")
    result = plait("verify", app)
    assert result.exit_code == 1
    assert "the index cannot be read (" in result.stdout.splitlines()[1]
    assert path.read_bytes() == b"no index"


def test_verify_without_an_index(app: Path) -> None:
    result = plait("verify", app)
    problem = f"plait: {app}: no index with these settings; `plait index` makes one\n"
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", problem)


def test_verify_while_files_change(app: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plait("index", app)
    monkeypatch.setattr("plait.verify.is_fresh", lambda *given, **settings: False)
    result = plait("verify", app)
    assert (result.exit_code, "files have changed meanwhile" in result.stderr) == (2, True)
