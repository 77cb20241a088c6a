"""When to look at a folder again: told by the system where watchfiles is installed, else every now and then."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

EVERY = 1.0
"""Seconds between two looks if nobody tells."""

ANYWAY = 10.0
"""Seconds after which to look although nobody has told: network drives, ignore files that lie elsewhere."""


def wakings(root: Path, every: float | None) -> Iterator[None]:
    """Yield at once, and then for ever when it is time to look; with a number of seconds that often."""
    yield
    if every is None:
        yield from _told(root)
    while True:
        time.sleep(every or EVERY)
        yield


def _told(root: Path) -> Iterator[None]:
    """Yield when something below root has changed; end where the system cannot tell."""
    try:
        from watchfiles import watch
    except ImportError:
        return
    try:
        for _ in watch(root, watch_filter=None, rust_timeout=int(ANYWAY * 1000), yield_on_timeout=True):
            yield
    except OSError:  # more folders than the system watches
        return
