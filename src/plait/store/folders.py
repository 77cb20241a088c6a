"""Where in the cache the indexes lie: one folder for each indexed root, its files told by their names."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from plait.errors import CannotWrite

_FOLDER = re.compile(r"\w{1,40}-[0-9a-f]{12}", re.ASCII)
_OURS = re.compile(
    r"[0-9a-f]{12}\.([0-9a-f]{12}\.sqlite(\..*\.(new|changes))?|lock)|scip\.json.*|facts\.sqlite.*", re.ASCII
)
_FACTS = "facts"
"""The folder of what all roots share."""


@dataclass(frozen=True, slots=True)
class Kept:
    """One file of the cache."""

    path: Path
    size: int
    made: float
    """seconds since the epoch"""

    @property
    def is_index(self) -> bool:
        return self.path.suffix == ".sqlite" and self.path.parent.name != _FACTS


def folder_of(cache: Path, root: Path) -> Path:
    """Return where everything about a root (resolved) is kept."""
    place = blake2b(os.fsencode(root), digest_size=6).hexdigest()
    name = re.sub(r"\W", "_", root.name, flags=re.ASCII)[:40] or "root"
    return cache / f"{name}-{place}"


def mined_of(cache: Path, root: Path | None = None) -> Path:
    """Return where the collections are that were mined of a root (resolved), or of all roots."""
    place = cache / "mined"
    return place if root is None else place / blake2b(os.fsencode(root), digest_size=8).hexdigest()


def imported_of(cache: Path) -> Path:
    """Return where the code of other tools' collections is written as files."""
    return cache / "beir"


def discard(folder: Path) -> int:
    """Delete a folder of collections with all that is in it; return how many bytes it held, 0 if there was none.

    Raises CannotWrite.
    """
    size = sum(path.lstat().st_size for path in folder.rglob("*") if not path.is_dir()) if folder.is_dir() else 0
    try:
        shutil.rmtree(folder)
    except FileNotFoundError:
        return 0
    except OSError as error:
        raise CannotWrite(str(folder), error.strerror or str(error), "delete it by hand") from error
    return size


def facts_of(cache: Path) -> Path:
    """Return the file in which the facts of all roots are kept."""
    return cache / _FACTS / "facts.sqlite"


def folders(cache: Path) -> list[Path]:
    """Return the folders of all roots, by name; other things in the cache are nobody's business here."""
    try:
        return sorted(path for path in cache.iterdir() if _FOLDER.fullmatch(path.name) and path.is_dir())
    except OSError:
        return []


def kept(folder: Path) -> list[Kept]:
    """Return plait's files in the folder of a root, by name."""
    return sorted(_kept(folder), key=lambda one: one.path)


def clear(folder: Path) -> list[Kept]:
    """Delete plait's files in the folder of a root, and the folder if nothing else is in it. Return what is gone.

    Raises CannotWrite. A reader that has an index open goes on reading it.
    """
    gone = kept(folder)
    for one in gone:
        try:
            one.path.unlink(missing_ok=True)
        except OSError as error:
            raise CannotWrite(str(one.path), error.strerror or str(error), "delete it by hand") from error
    with suppress(OSError):
        folder.rmdir()
    return gone


def _kept(folder: Path) -> Iterator[Kept]:
    with suppress(OSError):
        for path in folder.iterdir():
            if _OURS.fullmatch(path.name):
                with suppress(OSError):
                    status = path.stat()
                    yield Kept(path, status.st_size, status.st_mtime)
