"""Bytes by key while a build runs: in memory as long as they are few, then in a file that has no name."""

from __future__ import annotations

import tempfile
import weakref

from plait.errors import CannotWrite

IN_MEMORY = 64 * 2**20
"""Bytes up to which nothing is written: what a repository of some million lines needs, packed."""


class Spool:
    """Keys are put once. A process that dies leaves nothing behind."""

    def __init__(self, in_memory: int = IN_MEMORY) -> None:
        self._most = in_memory
        self._file = tempfile.SpooledTemporaryFile(max_size=in_memory)  # noqa: SIM115  # closed when nobody holds it
        weakref.finalize(self, self._file.close)
        self._places: dict[str, tuple[int, int]] = {}
        self._end = 0

    @property
    def in_memory(self) -> bool:
        return self._end <= self._most

    def put(self, key: str, value: bytes) -> None:
        """Raises CannotWrite where the file finds no room."""
        try:
            self._file.seek(self._end)
            self._file.write(value)
        except OSError as error:
            mend = "set TMPDIR to a folder with more room"
            raise CannotWrite(tempfile.gettempdir(), str(error), mend) from error
        self._places[key] = (self._end, len(value))
        self._end += len(value)

    def get(self, key: str) -> bytes:
        """Raises KeyError for what was not put."""
        start, length = self._places[key]
        self._file.seek(start)
        return self._file.read(length)
