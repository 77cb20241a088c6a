"""Wall and processor time of a step inside a process."""

from __future__ import annotations

import resource
import time
from collections.abc import Callable, Sequence

from speed_figures import quantiles


def cpu() -> float:
    """Seconds, also those of ended processes that this one started."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def timed(step: Callable[[], object]) -> dict[str, float]:
    """Return milliseconds."""
    wall, before = time.perf_counter(), cpu()
    step()
    return {"wall": (time.perf_counter() - wall) * 1000, "cpu": (cpu() - before) * 1000}


def medians(took: Sequence[dict[str, float]]) -> dict[str, float]:
    return {name: quantiles([one[name] for one in took])[0] for name in ("wall", "cpu")}
