"""What is counted, in the text format of Prometheus (version 0.0.4)."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Collection, Iterable, Iterator

from plait.doors.http.board import Standing
from plait.version import __version__

BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""Upper bounds in seconds: Prometheus' default ones."""

Labels = tuple[tuple[str, str], ...]


class Metrics:
    """Safe to be used by several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._requests: Counter[tuple[str, int]] = Counter()
        self._buckets: Counter[tuple[str, int]] = Counter()
        self._seconds: Counter[str] = Counter()
        self._rejected: Counter[str] = Counter()
        self.questions = 0
        """questions that are being answered or wait"""
        self.streams = 0

    def answered(self, operation: str, status: int, seconds: float) -> None:
        with self._lock:
            self._requests[operation, status] += 1
            self._seconds[operation] += seconds  # type: ignore[assignment]  # a Counter holds any number
            place = next((at for at, bound in enumerate(BUCKETS) if seconds <= bound), len(BUCKETS))
            self._buckets[operation, place] += 1

    def rejected(self, code: str) -> None:
        with self._lock:
            self._rejected[code] += 1

    def text(self, standings: Collection[Standing]) -> str:
        with self._lock:
            lines = [*self._lines(standings)]
        return "".join(f"{line}\n" for line in lines)

    def _lines(self, standings: Collection[Standing]) -> Iterator[str]:
        yield from _family("plait_info", "gauge", "The version that runs.", [((("version", __version__),), 1)])
        yield from _family(
            "plait_requests_total",
            "counter",
            "Requests that an operation answered, by status.",
            [
                ((("operation", name), ("status", str(status))), count)
                for (name, status), count in sorted(self._requests.items())
            ],
        )
        yield from _family(
            "plait_rejected_total",
            "counter",
            "Requests that were turned away before any operation, by the code of the error.",
            [((("code", code),), count) for code, count in sorted(self._rejected.items())],
        )
        yield "# HELP plait_request_seconds How long requests took."
        yield "# TYPE plait_request_seconds histogram"
        for name in sorted(self._seconds):
            total = 0
            for place, bound in enumerate((*map(str, BUCKETS), "+Inf")):
                total += self._buckets[name, place]
                yield _line("plait_request_seconds_bucket", (("operation", name), ("le", bound)), total)
            yield _line("plait_request_seconds_sum", (("operation", name),), round(self._seconds[name], 6))
            yield _line("plait_request_seconds_count", (("operation", name),), total)
        for name, about, value in (
            ("questions", "Questions that are being answered, or wait.", self.questions),
            ("streams", "Open streams of progress.", self.streams),
        ):
            yield from _family(f"plait_{name}", "gauge", about, [((), value)])
        for name, about, values in (
            ("ready", "1 if the repository can be asked.", [int(one.ready) for one in standings]),
            ("problem", "1 if its index could not be renewed.", [int(bool(one.problem)) for one in standings]),
            ("files", "Indexed files.", [one.files for one in standings]),
            ("symbols", "Indexed symbols.", [one.symbols for one in standings]),
            ("looks", "Looks at its files.", [one.looks for one in standings]),
        ):
            labelled = [((("repository", one.name),), value) for one, value in zip(standings, values, strict=True)]
            kind, ending = ("counter", "_total") if name == "looks" else ("gauge", "")
            yield from _family(f"plait_repository_{name}{ending}", kind, about, labelled)


def _family(name: str, kind: str, about: str, values: Iterable[tuple[Labels, float]]) -> Iterator[str]:
    yield f"# HELP {name} {about}"
    yield f"# TYPE {name} {kind}"
    for labels, value in values:
        yield _line(name, labels, value)


def _line(name: str, labels: Labels, value: float) -> str:
    written = ",".join(f'{label}="{_escaped(text)}"' for label, text in labels)
    return f"{name}{{{written}}} {value}" if written else f"{name} {value}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
