"""From one listed file to its text."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterable
from hashlib import blake2b
from pathlib import Path

from plait.model import Content, FileState, Skipped, SkipReason, SourceFile
from plait.source import denials, headers
from plait.source.decode import decode
from plait.source.languages import NOTEBOOK, language, suffix

CLOCK_NS = 10_000_000
"""Nanoseconds: the coarsest step of the clock that Linux takes the times of files from (CONFIG_HZ=100)."""


def settle(listed: Iterable[FileState]) -> None:
    """Wait, for one step of that clock at most, until a change from now on gets a later time than any file has.

    Else one that is changed twice within a step, before and after it is read, would keep its size and times.
    """
    newest = max((state.ctime_ns for state in listed), default=0)
    left = newest + CLOCK_NS - time.time_ns()
    if 0 < left <= CLOCK_NS:
        time.sleep(left / 1e9)


OUTPUTS = 64
"""How many times larger than other files a notebook may be: most of it are pictures, which are passed over."""


def read(
    root: Path, state: FileState, *, limit: int, wanted: bool = False, content: Content = Content.CODE
) -> SourceFile | Skipped:
    """Read and decode one file of at most `limit` bytes. A wanted one may be generated and have lines of any length.

    Of a notebook the limit counts for what is read of it.
    """
    path = state.path
    most = limit * OUTPUTS if suffix(path) == NOTEBOOK else limit
    if state.size > most:
        return Skipped(path, SkipReason.TOO_LARGE, f"{state.size:,} bytes, limit {most:,}")
    try:
        found = _content(root / path)
    except FileNotFoundError:
        return Skipped(path, SkipReason.VANISHED)
    except (OSError, ValueError) as error:
        return Skipped(path, SkipReason.UNREADABLE, getattr(error, "strerror", None) or str(error))
    if found is None:
        return Skipped(path, SkipReason.NOT_A_FILE)
    file = made(path, found, content)
    if isinstance(file, Skipped):
        return file
    if len(file.text) > limit:
        return Skipped(path, SkipReason.TOO_LARGE, f"{len(file.text):,} characters in its cells, limit {limit:,}")
    denial = None if wanted else denials.of_text(file.text)
    if not wanted and denial is None and language(path) is None:
        denial = denials.of_key(file.text)
    return Skipped(path, *denial) if denial else file


def made(path: str, content: bytes, kind: Content = Content.CODE) -> SourceFile | Skipped:
    """Return the file that has these bytes; Skipped if they are no text, or a notebook that cannot be read."""
    text = decode(content)
    if text is None:
        return Skipped(path, SkipReason.BINARY)
    spoken = language(path, kind)
    assert spoken is not None  # others are not listed
    if spoken == "cpp" and suffix(path) == ".h":
        spoken = headers.spoken_in(text)
    if suffix(path) != NOTEBOOK:
        return SourceFile(path, spoken, text, _digest(content))
    from plait.source import notebooks

    found = notebooks.read(text, kind)
    if not isinstance(found, notebooks.Notebook):
        return Skipped(path, *found)
    return SourceFile(path, spoken, found.text, _digest(f"{found}".encode(errors="replace")), found.cells)


def _digest(content: bytes) -> str:
    return blake2b(content, digest_size=16).hexdigest()


def _content(path: Path) -> bytes | None:
    """Return what is in a regular file, None for anything else: a pipe in its place must not be waited for."""
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with open(handle, "rb") as file:
        return file.read() if stat.S_ISREG(os.fstat(handle).st_mode) else None
