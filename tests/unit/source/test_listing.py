from __future__ import annotations

import codecs
import os
import subprocess
from pathlib import Path

import pytest

from plait import source
from plait.model import FileState, Skipped, SkipReason, SourceFile


def reasons(root: Path) -> dict[str, SkipReason]:
    return {skip.path: skip.reason for skip in source.discover(root)[1]}


def paths(root: Path) -> list[str]:
    return [state.path for state in source.discover(root)[0]]


def read(root: Path, path: str, limit: int = 1000) -> SourceFile | Skipped:
    (state,) = (state for state in source.discover(root)[0] if state.path == path)
    return source.read(root, state, limit=limit)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    return tmp_path


def test_outside_git_hidden_and_built_folders_are_left_out_with_the_reason(tmp_path: Path) -> None:
    for path in ("b.py", "a/c.py", ".hidden/x.py", "node_modules/x.py", "a/notes.md"):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text("x = 1\n")
    assert paths(tmp_path) == ["a/c.py", "b.py"]
    assert reasons(tmp_path) == {
        ".hidden/": SkipReason.IGNORED,
        "node_modules/": SkipReason.IGNORED,
        "a/notes.md": SkipReason.UNSUPPORTED,
    }


def test_in_git_the_files_are_those_of_git(checkout: Path) -> None:
    for path in ("kept.py", "ignored.py", "build/kept.py", "gone.py", "sub/grün.py"):
        (checkout / path).parent.mkdir(exist_ok=True)
        (checkout / path).write_text("x = 1\n")
    (checkout / ".gitignore").write_text("ignored.py\n")
    subprocess.run(["git", "add", "-A"], cwd=checkout, check=True)
    (checkout / "gone.py").unlink()
    assert paths(checkout) == ["build/kept.py", "kept.py", "sub/grün.py"]
    assert paths(checkout / "sub") == ["grün.py"]


def test_a_root_that_git_ignores_is_walked(checkout: Path) -> None:
    (checkout / ".gitignore").write_text(".venv/\n")
    package = checkout / ".venv" / "package"
    package.mkdir(parents=True)
    (package / "a.py").write_text("x = 1\n")
    assert paths(package) == ["a.py"]
    assert paths(checkout) == []


def test_links_and_pipes_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "real.py").write_text("x = 1\n")
    (tmp_path / "link.py").symlink_to("real.py")
    (tmp_path / "loop").symlink_to(tmp_path)
    os.mkfifo(tmp_path / "pipe.py")
    assert paths(tmp_path) == ["real.py"]
    assert reasons(tmp_path) == {
        "link.py": SkipReason.LINK,
        "loop": SkipReason.LINK,
        "pipe.py": SkipReason.NOT_A_FILE,
    }


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"x = 1\r\n", "x = 1\r\n"),
        (codecs.BOM_UTF8 + "ä".encode(), "ä"),
        (codecs.BOM_UTF16_LE + "ä = 1\n".encode("utf-16-le"), "ä = 1\n"),
        (codecs.BOM_UTF16_BE + "ä = 1\n".encode("utf-16-be"), "ä = 1\n"),
        ("# -*- coding: latin-1 -*-\nä".encode("latin-1"), "# -*- coding: latin-1 -*-\nä"),
        (b"# coding: no-such-codec\n", "# coding: no-such-codec\n"),
        (b"caf\xe9", "café"),
        (b"", ""),
        (b"x\0y", None),
    ],
)
def test_decoding(content: bytes, text: str | None) -> None:
    assert source.decode(content) == text


def test_what_cannot_be_read_is_skipped_with_the_reason(tmp_path: Path) -> None:
    (tmp_path / "big.py").write_text("x" * 1001)
    (tmp_path / "binary.py").write_bytes(b"\0\1")
    (tmp_path / "long.py").write_text("x" * (source.LONGEST_LINE + 1))
    assert read(tmp_path, "big.py") == Skipped("big.py", SkipReason.TOO_LARGE, "1,001 bytes, limit 1,000")
    assert read(tmp_path, "binary.py") == Skipped("binary.py", SkipReason.BINARY)
    assert read(tmp_path, "long.py", 10**6) == Skipped("long.py", SkipReason.GENERATED, "a line of 20,001 characters")
    gone = FileState("gone.py", 1, 0, 0, 0)
    assert source.read(tmp_path, gone, limit=10) == Skipped("gone.py", SkipReason.VANISHED)


def test_a_forbidden_file_is_skipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.py").write_text("x = 1")

    def forbidden(self: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", forbidden)  # chmod does not stop the tests when they run as root
    assert read(tmp_path, "a.py") == Skipped("a.py", SkipReason.UNREADABLE, "Permission denied")
