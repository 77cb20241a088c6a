"""Which of several definitions of one name is the nearest to a file."""

from __future__ import annotations

from collections.abc import Sequence

from plait.graph.generic.files import Files
from plait.model import SymbolId


class Near:
    def __init__(self, files: Files) -> None:
        self.files = files
        self._reach: dict[str, tuple[frozenset[str], frozenset[str]]] = {}

    def closest(self, symbols: Sequence[SymbolId], path: str) -> list[SymbolId]:
        """Those in the file itself; else in files that it imports; else in its folder; else all."""
        files = self.files
        own = [one for one in symbols if files.file_of[one].path == path]
        if own:
            return own
        real = [one for one in symbols if one not in files.abstract] or list(symbols)
        near, stems = self._reached(path)
        inside = [one for one in real if files.file_of[one].path in near]
        if inside:
            return inside
        # A header's source stands beside it under the same name.
        partners = [one for one in real if _stem(files.file_of[one].path) in stems]
        if partners:
            return partners
        folder = path.rpartition("/")[0]
        beside = [one for one in real if files.file_of[one].path.rpartition("/")[0] == folder]
        return beside or real

    def reach(self, path: str) -> frozenset[str]:
        """The files that a file imports by path, directly or through one other."""
        return self._reached(path)[0]

    def _reached(self, path: str) -> tuple[frozenset[str], frozenset[str]]:
        """Those files, and their names without suffix."""
        if path not in self._reach:
            found: dict[str, None] = {}
            layer = [path]
            for _ in range(2):
                layer = [
                    target
                    for one in layer
                    for imported in self.files.file(one).imports
                    for target in self.files.meant(imported)
                    if target not in found
                ]
                found.update(dict.fromkeys(layer))
            self._reach[path] = frozenset(found), frozenset(map(_stem, found))
        return self._reach[path]


def _stem(path: str) -> str:
    return path.rpartition("/")[2].partition(".")[0]
