"""Git is the oracle: in a work tree plait lists what git lists, and elsewhere the same by the same ignore files."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plait import source

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is the oracle")

NAMES = st.sampled_from(
    ["a", "b", "ab", "a.py", "b.py", "ab.py", "#a.py", "!b.py", "a b.py", "a .py", "[a].py", "é.py"]
)
PIECES = st.sampled_from(
    [
        "a",
        "b",
        "ab",
        ".py",
        "a.py",
        "*",
        "?",
        "/",
        "[ab]",
        "[!a]",
        "[^b-c]",
        "[[:alpha:]]",
        "[]a]",
        "[",
        "\\",
        "\\*",
        " ",
        "é",
    ]
)
PATTERNS = st.builds(
    lambda negated, before, pieces, after: negated + before + "".join(pieces) + after,
    st.sampled_from(["", "", "", "!", "\\!", "#", "\\#"]),
    st.sampled_from(["", "", "/", "**/", "a/**/"]),
    st.lists(PIECES, min_size=1, max_size=4),
    st.sampled_from(["", "", "/", "/**", "/*", " ", "\\ ", "\r"]),
)
PATHS = st.lists(NAMES, min_size=1, max_size=4).map("/".join)
IGNORE_FILES = st.dictionaries(
    st.sampled_from(["", "a/", "b/", "a/b/", "ab/"]), st.lists(PATTERNS, min_size=1, max_size=4), max_size=3
)


def git(root: Path, *arguments: str) -> list[str]:
    done = subprocess.run(["git", *arguments], cwd=root, stdout=subprocess.PIPE, check=True)
    return sorted(path for path in done.stdout.decode().split("\0") if path.endswith(".py"))


def written(root: Path, paths: list[str], ignore_files: dict[str, list[str]]) -> None:
    for path in paths:
        file = root / path
        if not any(around.is_file() for around in (file, *file.parents)) and not file.exists():
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text("")
    for folder, patterns in ignore_files.items():
        if (root / folder).is_dir():
            (root / folder / ".gitignore").write_bytes("\n".join(patterns).encode())


def listed(root: Path) -> list[str]:
    return sorted(state.path for state in source.discover(root).files)


@settings(max_examples=100, deadline=None)
@given(st.lists(PATHS, min_size=1, max_size=12), IGNORE_FILES, st.lists(PATTERNS, max_size=2), st.integers(0, 3))
def test_the_files_are_those_of_git(
    paths: list[str], ignore_files: dict[str, list[str]], excluded: list[str], tracked: int
) -> None:
    with tempfile.TemporaryDirectory() as place:
        root = Path(place)
        written(root, paths, ignore_files)
        outside = listed(root)
        git(root, "init", "-q")
        (root / ".git/info").mkdir(exist_ok=True)
        (root / ".git/info/exclude").write_text("")
        shown = ("ls-files", "-z", "--cached", "--others", "--exclude-standard")
        assert outside == listed(root) == git(root, *shown)

        (root / ".git/info/exclude").write_bytes("\n".join(excluded).encode())
        files = sorted(str(path) for path in root.rglob("*.py") if path.is_file())[:tracked]
        if files:
            git(root, "--literal-pathspecs", "add", "-f", "--", *files)
        assert listed(root) == git(root, *shown)


@settings(max_examples=50, deadline=None)
@given(st.lists(PATHS, min_size=1, max_size=12), IGNORE_FILES)
def test_every_file_is_listed_or_skipped_with_a_reason(paths: list[str], ignore_files: dict[str, list[str]]) -> None:
    with tempfile.TemporaryDirectory() as place:
        root = Path(place)
        written(root, paths, ignore_files)
        for _ in range(2):
            found = source.discover(root)
            spoken = {state.path for state in found.files}
            left_out = {skip.path for skip in found.skipped}
            for file in root.rglob("*.py"):
                path = file.relative_to(root).as_posix()
                around = {f"{folder}/" for folder in Path(path).parents}
                assert not file.is_file() or (path in spoken) != bool(left_out & {path, *around})
            git(root, "init", "-q")
