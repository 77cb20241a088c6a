"""Files that have not changed, opened as a refresh opens them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from plait.facts import ParsedFile
from plait.tellings import Tellings, told_by


class FilesAround:
    def __init__(self, files: Mapping[str, ParsedFile]) -> None:
        self.files = files
        self.opened: list[str] = []
        self._tellings = Tellings()
        for file in files.values():
            self._tellings.add(file.path, "", told_by(file))

    def __call__(self, path: str) -> ParsedFile:
        return self.every([path])[0]

    def every(self, paths: Sequence[str]) -> list[ParsedFile]:
        self.opened += paths
        return [self.files[path] for path in paths]

    def telling(self, name: str) -> Collection[str]:
        return self._tellings.of(name)
