"""What is known of each repository that is served: written by who keeps it, read by who answers."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

Role = Literal["repository", "corpus"]


@dataclass(frozen=True, slots=True)
class Standing:
    """How far one repository is."""

    name: str
    root: Path
    role: Role
    ready: bool = False
    state: str = ""
    """of the last commit that was seen"""
    files: int = 0
    symbols: int = 0
    languages: tuple[str, ...] = ()
    progress: tuple[str, int, int] | None = None
    """stage, done, total; None while nothing is built"""
    problem: str = ""
    notices: tuple[str, ...] = ()
    looks: int = 0
    """how often a look at the files has ended"""
    asked: int = 0
    """how many of them somebody had asked for"""
    version: int = 0
    """grows with every change"""


class Board:
    """Safe to be used by several threads."""

    def __init__(self, standings: Mapping[str, Standing]) -> None:
        self._standings = dict(standings)
        self._lock = threading.Lock()

    @property
    def standings(self) -> Mapping[str, Standing]:
        """In the order in which they were named."""
        with self._lock:
            return dict(self._standings)

    def __getitem__(self, name: str) -> Standing:
        return self._standings[name]

    def replace(self, standings: Mapping[str, Standing]) -> None:
        """Take over what another process knows."""
        with self._lock:
            self._standings = dict(standings)

    def set(self, name: str, **changes: Any) -> None:
        with self._lock:
            before = self._standings[name]
            after = replace(before, **changes)
            if after != before:
                self._standings[name] = replace(after, version=before.version + 1)
