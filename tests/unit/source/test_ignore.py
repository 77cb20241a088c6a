"""Corners of the syntax; tests/property/test_files_of_git.py compares with git."""

from __future__ import annotations

import pytest

from plait.source.ignore import IgnoreFile


@pytest.mark.parametrize(
    ("patterns", "path", "ignored"),
    [
        ("a", "x/a", True),
        ("/a", "x/a", None),
        ("x/a", "y/x/a", None),
        ("**/x/a", "y/x/a", True),
        ("a/**", "a", None),
        ("a/**", "a/b/c", True),
        ("a/**/c", "a/c", True),
        ("a/**/c", "a/b/b/c", True),
        ("a/*/c", "a/b/b/c", None),
        ("a/", "a", None),
        ("a/", "a/", True),
        ("*.py\n!b.py", "b.py", False),
        ("!b.py\n*.py", "b.py", True),
        ("\\#a", "#a", True),
        ("#a", "#a", None),
        ("\\!a", "!a", True),
        ("a\\ ", "a ", True),
        ("a  ", "a", True),
        ("a\r\n", "a", True),
        ("\ufeffa", "a", True),
        ("[a-c]x", "bx", True),
        ("[!a-c]x", "bx", None),
        ("[]x]", "]", True),
        ("[[:digit:]]", "7", True),
        ("a[", "a[", None),
        ("a\\", "a\\", None),
        ("?", "é", None),
        ("??", "é", True),
        ("/", "a", None),
        ("", "a", None),
        ("*", "a/b", True),
        (".*/", ".a/", True),
    ],
)
def test_patterns(patterns: str, path: str, ignored: bool | None) -> None:
    names = path.rstrip("/").encode().split(b"/")
    assert IgnoreFile.read(patterns.encode()).ignores(names, path.endswith("/")) is ignored


def test_many_stars_are_no_trap() -> None:
    rules = IgnoreFile.read(b"*a" * 60 + b"b\n" + b"**/a/" * 60 + b"b")
    assert rules.ignores([b"a" * 250], False) is None
    assert rules.ignores([b"a"] * 250, False) is None
