"""SCIP index files: their state on disk and their content."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

from plait.errors import CannotWrite
from plait.model import FileState
from plait.scip import schema

_REMEMBERED = "scip.json"
"""a list of absolute paths"""


@dataclass(frozen=True, slots=True)
class ScipFile:
    path: Path
    state: FileState
    """before it was read"""
    problem: str = ""
    """why there is no index in it; empty if there is"""
    digest: str = ""
    """of the content; empty with a problem"""
    index: Any = None
    """the message `Index`; None with a problem"""


def state_of(path: Path) -> FileState:
    """Return what is compared to tell whether the file has changed; size -1 if it is not there."""
    try:
        status = path.stat()
    except (OSError, ValueError):
        return FileState(str(path), -1, 0, 0, 0)
    return FileState(str(path), status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)


def read(path: Path) -> ScipFile:
    """Read an index. Raises MissingExtra without protobuf."""
    state = state_of(path)
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return ScipFile(path, state, "no such file")
    except (OSError, ValueError) as error:
        return ScipFile(path, state, f"cannot be read ({getattr(error, 'strerror', None) or error})")
    try:
        index = schema.decode(content)
    except ValueError as error:
        return ScipFile(path, state, f"no SCIP index ({error})")
    return ScipFile(path, state, "", blake2b(content, digest_size=16).hexdigest(), index)


def remember(folder: Path, paths: Sequence[Path]) -> None:
    """Write down in a folder which indexes to join; none removes what is written. Raises CannotWrite."""
    kept = folder / _REMEMBERED
    try:
        if not paths:
            kept.unlink(missing_ok=True)
            return
        handle, aside = tempfile.mkstemp(prefix=f"{_REMEMBERED}.", dir=folder)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump([str(path) for path in paths], file)
        Path(aside).replace(kept)
    except OSError as error:
        raise CannotWrite(
            str(kept), error.strerror or str(error), "choose another folder with --cache or PLAIT_CACHE"
        ) from error


def remembered(folder: Path) -> list[Path]:
    """Return the indexes written down in a folder; none if nothing readable is."""
    try:
        found = json.loads((folder / _REMEMBERED).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return []
    return [Path(path) for path in found] if isinstance(found, list) else []
