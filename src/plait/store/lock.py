"""One writer at a time: a lock of the operating system, which ends with the process that holds it, however that ends.

It only saves work. Commits are renames, so where a file system has no locks, writers go on without.
"""

from __future__ import annotations

import errno
import json
import os
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from plait.errors import CannotWrite

LOOK = 0.02
"""Seconds between two tries."""

_BUSY = frozenset((errno.EACCES, errno.EAGAIN, errno.EDEADLK))
_NO_LOCKS = frozenset((errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EINVAL))

if sys.platform == "win32":
    import msvcrt

    _FAR = 1 << 30
    """A locked byte cannot be read there, so it lies behind all that is written."""

    def _lock(handle: int) -> None:
        os.lseek(handle, _FAR, os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)

    def _unlock(handle: int) -> None:
        os.lseek(handle, _FAR, os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _lock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _unlock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_UN)


@dataclass(frozen=True, slots=True)
class Holder:
    """Who writes."""

    pid: int
    since: float
    """seconds since the epoch"""


class WriterLock:
    def __init__(self, path: Path) -> None:
        self.path = path
        self._handle: int | None = None

    def acquire(self, seconds: float, waiting: Callable[[float, float], None] = lambda waited, longest: None) -> bool:
        """Wait at most so long for the lock and return whether it is held now. Raises CannotWrite.

        `waiting` is called between tries with the seconds waited so far and the most that will be.
        """
        started = time.monotonic()
        while not self._tried():
            waited = time.monotonic() - started
            if waited >= seconds:
                return False
            waiting(waited, seconds)
            time.sleep(min(LOOK, seconds - waited))
        return True

    def release(self) -> None:
        handle, self._handle = self._handle, None
        if handle is not None:
            with suppress(OSError):
                os.ftruncate(handle, 0)
            with suppress(OSError):
                _unlock(handle)  # a child that has inherited the handle would go on holding it
            os.close(handle)

    def holder(self) -> Holder | None:
        """Return who has said to hold the lock; None if nobody has."""
        try:
            said = json.loads(self.path.read_text(encoding="utf-8"))
            return Holder(int(said["pid"]), float(said["since"]))
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def _tried(self) -> bool:
        while True:
            handle = self._opened()
            try:
                _lock(handle)
            except OSError as error:
                if error.errno in _BUSY:
                    os.close(handle)
                    return False
                if error.errno not in _NO_LOCKS:
                    os.close(handle)
                    raise CannotWrite(str(self.path), error.strerror or str(error), _INSTEAD) from error
            if self._is_there(handle):
                break
            os.close(handle)  # somebody has cleared the cache in between
        self._handle = handle
        self._say(handle)
        return True

    def _opened(self) -> int:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            return os.open(self.path, os.O_RDWR | os.O_CREAT, 0o666)
        except OSError as error:
            raise CannotWrite(str(self.path), error.strerror or str(error), _INSTEAD) from error

    def _is_there(self, handle: int) -> bool:
        try:
            return os.path.samestat(os.fstat(handle), os.stat(self.path))
        except OSError:
            return False

    @staticmethod
    def _say(handle: int) -> None:
        with suppress(OSError):  # a full disk: the lock is held all the same
            os.ftruncate(handle, 0)
            os.lseek(handle, 0, os.SEEK_SET)
            os.write(handle, json.dumps({"pid": os.getpid(), "since": time.time()}).encode())


_INSTEAD = "choose another folder with --cache or PLAIT_CACHE"
