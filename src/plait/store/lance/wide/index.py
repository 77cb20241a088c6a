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

_LAYOUTS = 16
"""Sets of repositories whose layout is remembered: those that the callers of now may read."""


@dataclass(slots=True)
class WideIndex:
    tables: Tables
    cache: Path
    """a folder on the local disk, which may go at any time"""
    version: int = -1
    """of the segments, as of the last look"""
    _known: list[Covered] = field(default_factory=list)
    _open: dict[int, Segment] = field(default_factory=dict)
    _layouts: dict[tuple[tuple[str, int], ...], Layout] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def look(self) -> bool:
        """Take over the segments that there are now, and return whether they are other ones than before."""
        with self._lock:
            now = version(self.tables)
            if now == self.version:
                return False
            self._known = segments(self.tables)
            self.version = now
            self._layouts.clear()
            self._keep()
            return True

    def covered(self) -> frozenset[int]:
        """Return the builds that segments have."""
        return frozenset(build for one in self._known for build in one.builds)

    def layout(self, units: Sequence[Unit]) -> Layout | None:
        """Return how these builds lie in the segments, as of the last look; None if no segment has any of them."""
        asked = tuple((unit.repository, unit.part.build) for unit in units)
        with self._lock:
            if asked not in self._layouts:
                own = by_segment(self._known, [build for _, build in asked])
                if not own:
                    return None
                found = layout(units, [(self._open[one], own[one]) for one in sorted(own)])
                while len(self._layouts) >= _LAYOUTS:
                    del self._layouts[next(iter(self._layouts))]
                self._layouts[asked] = found
            return self._layouts[asked]

    def _keep(self) -> None:
        """Open the segments that there are now; delete from the disk what was kept of others."""
        known = {one.segment: one for one in self._known}
        folder = self.cache / f"segments-{blake2b(self.tables.uri.encode(), digest_size=6).hexdigest()}"
        before = self._open
        self._open = {
            number: before.get(number) or Segment(self.tables, one, folder / str(number))
            for number, one in known.items()
        }
        with suppress(OSError):
            for one in folder.iterdir():
                if one.name.isdecimal() and int(one.name) not in known:
                    shutil.rmtree(one, ignore_errors=True)
