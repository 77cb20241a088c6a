"""The content of an indexed file as it is now, and of no other file whatever has been put in its place."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

from plait.doors.http.faults import Fault, not_found
from plait.model import FileRecord, FileState

MOST_BYTES = 64_000_000
"""Of a file; what is indexed is smaller (`plait.source.reading`)."""


def state_of(root: Path, path: str) -> FileState | None:
    with suppress(OSError):
        found = (root / path).stat()
        return FileState(path, found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino)
    return None


def content_of(root: Path, record: FileRecord) -> tuple[bytes, FileState]:
    """Read a file of the index as it is now. Raises Fault if it is none any more, or leads out of the root.

    The folders on the way are opened one by one, none of them through a link, so that nobody can put one in their
    place meanwhile.
    """
    gone = not_found(f"{record.state.path}: it is not there any more; the next look at the files will notice")
    outside = Fault(403, "outside_roots", f"{record.state.path}: a link leads out of the repository")
    *folders, last = record.state.path.split("/")
    if ".." in folders or last == "..":
        raise outside
    try:
        if not os.supports_dir_fd or not hasattr(os, "O_NOFOLLOW"):
            return _read_resolved(root, record, gone, outside)
        at = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
        try:
            for folder in folders:
                below = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=at)
                os.close(at)
                at = below
            handle = os.open(last, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=at)
        finally:
            os.close(at)
    except FileNotFoundError:
        raise gone from None
    except OSError:  # ELOOP or ENOTDIR: a link in the place of a folder or of the file
        raise outside from None
    return _content(handle, record, gone)


def _read_resolved(root: Path, record: FileRecord, gone: Fault, outside: Fault) -> tuple[bytes, FileState]:
    """The same where folders cannot be opened so."""
    path = root / record.state.path
    if not path.resolve(strict=True).is_relative_to(root):
        raise outside
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    return _content(handle, record, gone)


def _content(handle: int, record: FileRecord, gone: Fault) -> tuple[bytes, FileState]:
    with open(handle, "rb") as opened:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode):
            raise gone
        content = opened.read(MOST_BYTES)
    state = FileState(record.state.path, found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino)
    return content, state
