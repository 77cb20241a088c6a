from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from asking import as_json, lines, names


def test_impact(app: Path) -> None:
    assert lines("impact", "store.write", app) == [
        "changed  app/store.py:14-15  app.store.write  [function]",
        "1  app/store.py:11  app.store.DiskStore.save  [method]  calls, scoped",
        "2  app/store.py:10  app.store.Store.save  [method]  overridden by, scoped",
        "3  app/web.py:5  app.web.handle  [function]  calls, typed",
        "test  4  tests/test_web.py:5  tests.test_web.test_handle  [function]  calls, scoped",
        "1 changed symbol, 3 symbols and 1 test that may break, 0 unresolved sites that could be more",
    ]


@pytest.mark.parametrize("name", ["app/store.py", "store.py", "./app/store.py"])
def test_impact_of_a_file(app: Path, name: str) -> None:
    found = as_json("impact", name, app)
    assert (found["schema"], found["changed_total"], found["tests_total"]) == ("plait.impact.v1", 7, 1)
    assert [(row["symbol"], row["relation"]) for row in found["affected"]] == [
        ("app.web", "imports"),
        ("app.web.handle", "calls"),
        ("app.web.main", "calls"),
    ]


def git(root: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *identity, *arguments], cwd=root, check=True, capture_output=True)


def committed(root: Path) -> Path:
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "first")
    return root


def test_impact_of_a_difference(app: Path) -> None:
    committed(app)
    store = app / "app" / "store.py"
    store.write_text(store.read_text().replace("return len(row)", "return len(row) + 1"))
    other = app / "app" / "other.py"
    other.write_text(
        other.read_text().replace("def lonely():\n    return 1\n", "# --- a/x\n").replace("(row)", "(rows)")
    )
    (app / "app" / "new file.py").write_text("from app.other import lonely\n\n\ndef fresh():\n    lonely()\n")
    found = as_json("impact", "--diff", "HEAD", app)
    assert (found["revision"], found["files"]) == ("HEAD", 3)
    assert names(found["changed"]) == ["app.new file", "app.new file.fresh", "app.other.write", "app.store.write"]
    assert names(found["deleted"]) == ["app.other.lonely"]
    assert names(found["affected"])[:1] == ["app.store.DiskStore.save"]
    assert names(found["tests"]) == ["tests.test_web.test_handle"]
    assert [(site["expression"], site["path"]) for site in found["unresolved"]] == [("lonely", "app/new file.py")]
    assert lines("impact", "--diff", "HEAD", app)[-1].startswith("since HEAD: 4 changed symbols, 1 deleted, 3 symbols")


def test_a_difference_in_a_folder_of_the_work_tree_and_odd_names(app: Path) -> None:
    odd = app / "app" / 'a "b"\tc\\dé.py'
    odd.write_text("def odd():\n    pass\n")
    committed(app)
    odd.write_text("def odd():\n    return 1\n")
    (app / "tests" / "test_web.py").unlink()
    found = as_json("impact", "--diff", "HEAD", app / "app")
    assert [row["path"] for row in found["changed"]] == [odd.name]
    assert (found["deleted"], names(found["changed"])[0].endswith(".odd")) == ([], True)
    assert names(as_json("impact", "--diff", "HEAD", app)["deleted"]) == [
        *("tests.test_web", "tests.test_web.test_handle"),
    ]


def test_a_changed_file_that_cannot_be_read_is_told(app: Path) -> None:
    committed(app)
    (app / "app" / "other.py").write_text("This is prose. It's long (and so on.\n" * 9)
    found = as_json("impact", "--diff", "HEAD", app)
    assert (found["changed"], found["deleted"]) == ([], [])
    assert [(row["path"], row["reason"]) for row in found["unread"]] == [("app/other.py", "syntax error")]


def test_a_difference_starts_no_program_of_the_repository(app: Path, tmp_path: Path) -> None:
    (app / ".gitattributes").write_text("*.py filter=evil diff=evil\n")
    committed(app)
    for key in ("filter.evil.clean", "filter.evil.process", "diff.evil.textconv", "diff.evil.command", "diff.external"):
        git(app, "config", key, f"touch {tmp_path / 'started'}; cat")
    git(app, "config", "filter.evil.required", "true")
    store = app / "app" / "store.py"
    store.write_text(store.read_text().replace("return len(row)", "return 2"))
    assert names(as_json("impact", "--diff", "HEAD", app)["changed"]) == ["app.store.write"]
    assert not (tmp_path / "started").exists()
