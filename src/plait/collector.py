"""The interpreter's garbage collector, which has nothing to find while millions of tuples are made and kept."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def paused() -> Iterator[None]:
    """Do not look for cycles in between; reference counts free everything else all the same.

    Measured on 200,000 lines: a fifth of the time of parsing and a quarter of that of the flow of values.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
