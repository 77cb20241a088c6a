"""How the command line speaks: results on stdout, everything else on stderr, nothing twice."""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Iterable
from typing import Any

import click

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]")
"""In names of files and symbols: shown escaped, so that no code that is searched can steer the terminal."""


def emit(value: dict[str, Any], lines: Iterable[str], *, as_json: bool) -> None:
    """Print the one or the other to stdout."""
    if as_json:
        click.echo(json.dumps(value, ensure_ascii=False, indent=2))
        return
    for line in lines:
        click.echo(escaped(line))


def escaped(line: str) -> str:
    """Return the line as a terminal may see it."""
    return _CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode(), line)


def notice(text: str) -> None:
    click.echo(text, err=True)


class ProgressBar:
    """A progress callback that shows a bar, the rate and the time left once work has taken a second.

    It does so on stderr, and only where both that and stdout are a terminal.
    """

    PATIENCE = 1.0

    def __init__(self) -> None:
        self._started = time.monotonic()
        self._bar: Any = None
        self._tasks: dict[str, Any] = {}

    def __call__(self, stage: str, done: int, total: int) -> None:
        if self._bar is None:
            if time.monotonic() - self._started < self.PATIENCE or not (sys.stderr.isatty() and sys.stdout.isatty()):
                return
            self._bar = _bar()
            self._bar.start()
        if stage not in self._tasks:
            self._tasks[stage] = self._bar.add_task(stage, total=total, rate="")
        task = self._bar.tasks[self._tasks[stage]]
        speed = task.finished_speed or task.speed
        self._bar.update(task.id, completed=done, total=total, rate=f"{speed:,.0f}/s" if speed else "")

    def close(self) -> None:
        if self._bar is not None:
            self._bar.stop()


def _bar() -> Any:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    return Progress(
        *(TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[rate]}")),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
