"""Which files plait reads, by suffix. A language is the name of its parser plug-in."""

from __future__ import annotations

LANGUAGES = {".py": "python", ".pyw": "python"}


def suffix(path: str) -> str:
    """Return the last suffix of a path with `/` in small letters with its dot; empty without one, or for `.name`."""
    dot = path.rfind(".")
    return path[dot:].lower() if path.rfind("/") + 1 < dot < len(path) - 1 else ""


def language(path: str) -> str | None:
    return LANGUAGES.get(suffix(path))
