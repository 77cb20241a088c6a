"""The segments of a fleet as they are asked."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from threading import Lock

from plait.store.lance.snapshot import Unit
from plait.store.lance.tables import Tables
from plait.store.lance.wide.segment import Segment
from plait.store.lance.wide.segments import Covered, by_segment, segments, version
from plait.store.lance.wide.snapshot import Layout, layout


@dataclass(slots=True)
class WideIndex:
    tables: Tables
    cache: Path
    """a folder on the local disk, which may go at any time"""
    version: int = -1
    """of the segments, as of the last look"""
    _known: list[Covered] = field(default_factory=list)
    _open: dict[int, Segment] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def look(self, *, ahead: bool = False) -> bool:
        """Take over the segments that there are now, and return whether they are other ones than before.

        What a question needs of a segment is read when one comes, or with `ahead` before the segment is taken over.
        """
        now = version(self.tables)
        if now == self.version:
            return False
        known = segments(self.tables)
        opened = {
            one.segment: self._open.get(one.segment) or Segment(self.tables, one, self._folder / str(one.segment))
            for one in known
        }
        for one in opened.values() if ahead else ():
            one.fetch()
        with self._lock:
            self._known, self._open, self.version = known, opened, now
        with suppress(OSError):
            for folder in self._folder.iterdir():
                if folder.name.isdecimal() and int(folder.name) not in opened:
                    shutil.rmtree(folder, ignore_errors=True)
        return True

    @property
    def _folder(self) -> Path:
        return self.cache / f"segments-{blake2b(self.tables.uri.encode(), digest_size=6).hexdigest()}"

    def covered(self) -> frozenset[int]:
        """Return the builds that segments have."""
        return frozenset(build for one in self._known for build in one.builds)

    def layout(self, units: Sequence[Unit]) -> Layout | None:
        """Return how these builds lie in the segments, as of the last look; None if no segment has any of them."""
        with self._lock:
            known, opened = self._known, self._open
        own = by_segment(known, [unit.part.build for unit in units])
        return layout(units, [(opened[one], own[one]) for one in sorted(own)]) if own else None
