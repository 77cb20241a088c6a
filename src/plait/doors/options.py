"""What the commands of the command line share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from typing import Any, TypeVar, cast

import click

from plait.doors.terminal import ProgressBar, notice
from plait.engine import Engine
from plait.model import Content

Command = TypeVar("Command", bound=Callable[..., Any])

COUNT = click.IntRange(min=1)

INDEX = ("embedder", "graph", "cache", "submodules", "max_file_bytes", "wait")
"""The settings that decide what an index holds and where it lies, its content aside, and how long to wait for who else
writes it."""

CONTENT = (*INDEX, "content")

ASKED = (*INDEX, "refresh")
"""Those of questions, which look for edits first."""


@dataclass(frozen=True, slots=True)
class Common:
    """What every command takes."""

    as_json: bool
    settings: dict[str, Any]


def common(*names: str) -> Callable[[Command], Command]:
    """Add --json and the settings of those names as options, given to the command as one `Common`."""
    options = {
        "embedder": click.option("--embedder", metavar="NAME", help="Embedder (default: code; see plait models)."),
        "graph": click.option("--graph", metavar="NAME", help="Graph builder: flow (default), scoped or names."),
        "submodules": click.option(
            "--submodules/--no-submodules", default=None, help="Also read submodules and other repositories inside."
        ),
        "max_file_bytes": click.option(
            "--max-file-bytes", type=COUNT, metavar="N", help="Skip larger files (1,000,000)."
        ),
        "wait": click.option(
            "--wait",
            type=click.FloatRange(min=0),
            metavar="SECONDS",
            help="How long to wait while another process writes the index (2).",
        ),
        "refresh": click.option(
            "--refresh/--no-refresh", default=True, help="Without, no file is looked at: the last commit answers."
        ),
        "content": click.option(
            "--content", type=click.Choice([*map(str, Content)]), help="What to read: code, docs, config or all."
        ),
        "cache": click.option("--cache", metavar="FOLDER", help="Folder of the indexes (default: the platform's)."),
    }

    def wrap(command: Command) -> Command:
        @wraps(command)
        def gather(*, as_json: bool, **given: Any) -> Any:
            settings = {name: given.pop(name) for name in names}
            return command(common=Common(as_json, settings), **given)

        for name in reversed(names):
            gather = options[name](gather)
        as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON with a versioned schema.")
        return cast(Command, as_json(gather))

    return wrap


@contextmanager
def opened(path: str, common: Common, name: str = "") -> Iterator[Engine]:
    """Open an engine that shows progress, and tell its notices when all went well; with the name, if it has one."""
    bar = ProgressBar()
    try:
        engine = Engine.open(path, progress=bar, **common.settings)
        yield engine
    finally:
        bar.close()
    for text in engine.notices:
        notice(f"{name}: {text}" if name else text)
