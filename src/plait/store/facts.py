"""What files say, kept by content: a file that was parsed once, in whatever folder, is not parsed again.

One SQLite file for all folders, so clones and work trees of one repository share it. It is only a shortcut: where it
cannot be read or written, files are parsed.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path

KEEP_DAYS = 30
"""Facts that no build has asked for as long are deleted."""

_SCHEMA = "CREATE TABLE IF NOT EXISTS facts (key TEXT PRIMARY KEY, day INTEGER, value BLOB) WITHOUT ROWID"
_BATCH = 500
_BUSY = 5.0
"""Seconds to wait for another writer; after that the facts are not kept."""


class FactsCache:
    def __init__(self, path: Path) -> None:
        self.path = path

    def get(self, keys: Sequence[str]) -> dict[str, bytes]:
        """Return what is kept of the keys; nothing where the file cannot be read."""
        found: dict[str, bytes] = {}
        with suppress(sqlite3.Error, OSError):
            if not self.path.exists():
                return {}
            with closing(sqlite3.connect(f"{self.path.as_uri()}?mode=ro", uri=True, timeout=_BUSY)) as database:
                for start in range(0, len(keys), _BATCH):
                    part = keys[start : start + _BATCH]
                    marks = ",".join("?" * len(part))
                    rows = database.execute(f"SELECT key, value FROM facts WHERE key IN ({marks})", part)
                    found.update((key, value) for key, value in rows if isinstance(value, bytes))
        return found

    def put(self, new: Mapping[str, bytes]) -> None:
        """Keep new facts."""
        today = _today()
        with self._shortcut(), self._opened() as database:
            database.executemany(
                "INSERT OR REPLACE INTO facts VALUES (?, ?, ?)",
                ((key, today, value) for key, value in new.items()),
            )

    def used(self, keys: Iterable[str]) -> None:
        """Note that these are still in use, and delete what has not been for KEEP_DAYS."""
        today = _today()
        with self._shortcut(), self._opened() as database:
            database.executemany(
                "UPDATE facts SET day = ? WHERE key = ? AND day < ?", ((today, key, today) for key in keys)
            )
            database.execute("DELETE FROM facts WHERE day < ?", (today - KEEP_DAYS,))

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        """Open a transaction."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with closing(sqlite3.connect(self.path, timeout=_BUSY)) as database, database:
            database.execute("PRAGMA journal_mode = WAL")
            database.execute(_SCHEMA)
            yield database

    @contextmanager
    def _shortcut(self) -> Iterator[None]:
        """Let what fails be as if nothing had been kept."""
        try:
            yield
        except sqlite3.DatabaseError as error:
            if not isinstance(error, sqlite3.OperationalError):  # not busy, full or read-only: damaged
                with suppress(OSError):
                    self.path.unlink()
        except OSError:
            pass


def _today() -> int:
    return int(time.time() // 86_400)
