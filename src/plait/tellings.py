"""Which files say something of a name to others, for a whole folder: what a refresh opens files by.

Kept beside the facts, and like them only a shortcut: a file that is not in it, or not as it is now, counts as one that
tells of every name.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b

from plait.facts import ParsedFile
from plait.graph.generic.dialects import DIALECTS
from plait.graph.generic.told import told
from plait.packing import pack, unpack


def told_by(file: ParsedFile) -> tuple[str, ...] | None:
    """Return the names of which a file tells, ascending; None in a language without a table."""
    return tuple(sorted(told(file))) if file.symbols[0].language in DIALECTS else None


@dataclass(slots=True)
class Tellings:
    """Files in languages with a table, by the names that they tell of."""

    _digests: dict[str, str] = field(default_factory=dict)
    """of the files, by path"""
    _paths: list[str] = field(default_factory=list)
    _names: dict[str, list[int]] = field(default_factory=dict)
    """places in `_paths`, by name; a file that has changed has several, and tells at least what it does"""

    def add(self, path: str, digest: str, names: Iterable[str] | None) -> None:
        """Note what a file tells, as `told_by` says; nothing in a language without a table."""
        if names is None or self._digests.get(path) == digest:
            return
        self._digests[path] = digest
        for name in names:
            self._names.setdefault(name, []).append(len(self._paths))
        self._paths.append(path)

    def of(self, name: str) -> Collection[str]:
        return {self._paths[place] for place in self._names.get(name, ())}

    def lacking(self, digests: Mapping[str, str]) -> list[str]:
        """Which of these files, by path, are not in it as they are now."""
        return [path for path, digest in digests.items() if self._digests.get(path) != digest]

    @property
    def worn(self) -> bool:
        """Whether most of it is of files as they once were."""
        return len(self._paths) > 2 * len(self._digests)

    def __bool__(self) -> bool:
        return bool(self._digests)

    def packed(self) -> bytes:
        return pack((self._digests, self._paths, self._names))

    @classmethod
    def unpacked(cls, packed: bytes) -> Tellings:
        """Return what was packed; nothing for bytes that are damaged."""
        match unpack(packed, tuple):
            case (dict() as digests, list() as paths, dict() as names):
                return cls(digests, paths, names)
        return cls()


def key_of(root: str, state: str) -> str:
    """Return under which key the tellings of a folder are kept; `state` as in `plait.extraction`."""
    return blake2b(f"{state}\0tellings\0{root}".encode(), digest_size=16).hexdigest()
