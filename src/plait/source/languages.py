"""Which files plait reads, by suffix. A language is the name of its parser plug-in."""

from __future__ import annotations

from pathlib import PurePosixPath

LANGUAGES = {".py": "python", ".pyw": "python"}


def suffix(path: str) -> str:
    """Return the last suffix in small letters with its dot; empty without one."""
    return PurePosixPath(path).suffix.lower()


def language(path: str) -> str | None:
    return LANGUAGES.get(suffix(path))
