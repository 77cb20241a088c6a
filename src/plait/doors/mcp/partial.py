"""An index of the few files that say most about a question, for while the whole one is being built."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from plait import source
from plait.engine import Engine
from plait.errors import NothingToIndex
from plait.indexing import build
from plait.model import FileState
from plait.protocols import Snapshot
from plait.store.memory import MemoryWriter

FILES = 25
"""At most so many files, and so many bytes: some 4,000 lines, which take half a second of a processor."""
BYTES = 150_000

LOOKING = 1.0
"""Seconds for looking into files; what has not been looked into by then counts by its path alone."""

GRAPH = "scoped"
"""By scopes, imports and types: nothing has to be followed through the whole repository."""


@dataclass(frozen=True, slots=True)
class Partial:
    snapshot: Snapshot
    files: int
    of: int
    """files that will be in the whole index"""


def partial(engine: Engine, words: Sequence[str]) -> Partial | None:
    """Index the files with most different words in path and text; None where no file has one, or none can be read."""
    settings = engine.settings
    listing = source.discover(engine.root, submodules=settings.submodules, reasons=False, content=settings.content)
    chosen = _best(engine.root, listing.files, words)
    if not chosen:
        return None
    few = replace(listing, files=tuple(sorted(chosen, key=lambda state: state.path)), skipped=(), lister=None)
    try:
        snapshot, _ = build(
            engine.root,
            MemoryWriter(),
            engine.embedder,
            graph=GRAPH,
            max_file_bytes=settings.max_file_bytes,
            submodules=settings.submodules,
            content=settings.content,
            listing=few,
        )
    except NothingToIndex:
        return None
    return Partial(snapshot, len(chosen), len(listing.files))


def _best(root: Path, files: Sequence[FileState], words: Sequence[str]) -> list[FileState]:
    wanted = sorted({word for name in words for word in re.findall(r"[a-z0-9]{3,}", name.lower())})
    patterns = [word.encode() for word in wanted]
    until = time.monotonic() + LOOKING
    scored: list[tuple[int, int, FileState]] = []
    for state in files:
        path = state.path.lower().encode()
        text = _text(root, state) if time.monotonic() < until else b""
        different = sum(pattern in path or pattern in text for pattern in patterns)
        if different:
            scored.append((-different, state.size, state))
    chosen: list[FileState] = []
    room = BYTES
    for _, size, state in sorted(scored, key=lambda one: (one[0], one[1], one[2].path)):
        if size <= room and len(chosen) < FILES:
            chosen.append(state)
            room -= size
    return chosen


def _text(root: Path, state: FileState) -> bytes:
    if state.size > BYTES:
        return b""
    try:
        return (root / state.path).read_bytes().lower()
    except OSError:
        return b""
