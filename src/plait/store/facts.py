"""What files say, kept by content: a file that was parsed once, in whatever folder, is not parsed again.

One SQLite file for all folders, so clones and work trees of one repository share it. It is only a shortcut: where it
cannot be read or written, files are parsed.
"""

from __future__ import annotations

import io
import pickle
import sqlite3
import time
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from plait import facts, model
from plait.facts import ParsedFile

KEEP_DAYS = 30
"""Facts that no build has asked for as long are deleted."""

_SCHEMA = "CREATE TABLE IF NOT EXISTS facts (key TEXT PRIMARY KEY, day INTEGER, value BLOB) WITHOUT ROWID"
_BATCH = 500
_BUSY = 5.0
"""Seconds to wait for another writer; after that the facts are not kept."""


class FactsCache:
    def __init__(self, path: Path) -> None:
        self.path = path

    def get(self, keys: Sequence[str]) -> dict[str, ParsedFile]:
        """Return the facts that are kept of the keys. Anything unreadable counts as not kept."""
        found: dict[str, ParsedFile] = {}
        with suppress(sqlite3.Error, OSError):
            if not self.path.exists():
                return {}
            with closing(sqlite3.connect(f"{self.path.as_uri()}?mode=ro", uri=True, timeout=_BUSY)) as database:
                for start in range(0, len(keys), _BATCH):
                    part = keys[start : start + _BATCH]
                    marks = ",".join("?" * len(part))
                    for key, value in database.execute(f"SELECT key, value FROM facts WHERE key IN ({marks})", part):
                        facts_ = _read(value)
                        if facts_ is not None:
                            found[key] = facts_
        return found

    def put(self, new: Mapping[str, ParsedFile]) -> None:
        """Keep new facts."""
        today = _today()
        with self._shortcut(), self._opened() as database:
            database.executemany(
                "INSERT OR REPLACE INTO facts VALUES (?, ?, ?)",
                ((key, today, _written(value)) for key, value in new.items()),
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


class _Reader(pickle.Unpickler):
    """Makes nothing but facts, whatever somebody has written into the file."""

    def find_class(self, module: str, name: str) -> Any:
        if module in (facts.__name__, model.__name__):
            return super().find_class(module, name)
        raise pickle.UnpicklingError(f"{module}.{name} is no fact")


def _written(value: ParsedFile) -> bytes:
    return zlib.compress(pickle.dumps(value, pickle.HIGHEST_PROTOCOL), 1)


def _read(value: bytes) -> ParsedFile | None:
    try:
        found = _Reader(io.BytesIO(zlib.decompress(value))).load()
    except Exception:  # whatever damaged bytes do to a decoder
        return None
    return found if isinstance(found, ParsedFile) else None
