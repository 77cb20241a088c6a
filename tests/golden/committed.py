"""Comparison with a committed file."""

from __future__ import annotations

import os
from pathlib import Path


def compare(path: Path, lines: list[str]) -> None:
    text = "\n".join(lines) + "\n"
    if os.environ.get("PLAIT_GOLDEN") == "update":
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8"), f"{path.name} has moved; if that is meant: make golden"
