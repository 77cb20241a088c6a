"""Processes that index one small repository, and what may come of it."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from types import FrameType
from typing import Any

import plait
from plait import Engine
from plait.dump import dump
from plait.engine import Answer
from plait.errors import IndexBusy
from plait.store.embedded import EmbeddedSnapshot

STORE = Path(plait.__file__).parent / "store"

CONTEXT = multiprocessing.get_context("forkserver")
"""Starts processes in milliseconds, since it has loaded everything, and forks none that has threads."""
CONTEXT.set_forkserver_preload(["pytest", "processes", "numpy", "plait.store.dense", "plait.graph.scoped"])

BASE = {
    "shop/__init__.py": "",
    "shop/db.py": """class Store:
    def save(self, row):
        return connect(row)


def connect(row):
    return row
""",
    "shop/web.py": "from shop.db import Store, connect\n\n\ndef handle(request):\n    return Store().save(request)\n",
    "shop/main.py": "from shop.web import handle\n\n\ndef main():\n    return handle(connect(1))\n",
}

VARIANTS: Sequence[Mapping[str, str | None]] = (
    {},
    {"shop/db.py": BASE["shop/db.py"].replace("connect", "open_it")},
    {"shop/web.py": None},
    {"shop/more.py": "from shop.web import handle\n\n\ndef more():\n    return handle(2)\n"},
    {"shop/main.py": BASE["shop/main.py"].replace("connect(1)", "1")},
)
"""What differs from BASE: a renamed function that others call, a file that is gone, a new one, an edited body."""


def write(root: Path, variant: int) -> None:
    """Make the repository that variant, each file at once and nothing else touched."""
    wanted = {**BASE, **VARIANTS[variant]}
    for path in sorted({*BASE, *(path for one in VARIANTS for path in one)}):
        text, file = wanted.get(path), root / path
        if text is None:
            file.unlink(missing_ok=True)
        elif not file.exists() or file.read_text(encoding="utf-8") != text:
            replace(file, text)


def replace(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    aside = file.with_name(f"{file.name}.{os.getpid()}.aside")
    aside.write_text(text, encoding="utf-8")
    aside.replace(file)


def opened(root: Path, cache: Path, wait: float = 60) -> Engine:
    return Engine.open(root, embedder="hashing", cache=str(cache), wait=wait)


def committed(root: Path, cache: Path) -> list[str]:
    """Return the dump of the index as it lies there, fresh or not."""
    return list(dump(EmbeddedSnapshot(opened(root, cache).path)))


def renew(root: Path, cache: Path, kill_at: int, told: Connection) -> None:
    """Renew the index; die at the n-th moment in the store's code, tell how many moments there were if there are less.

    A moment is a line that is about to run, or the call of a function written in C that has been made or has ended.
    """
    moments = 0

    def passed() -> None:
        nonlocal moments
        moments += 1
        if moments == kill_at:
            os.kill(os.getpid(), signal.SIGKILL)

    def traced(frame: FrameType, event: str, argument: Any) -> Any:
        if not frame.f_code.co_filename.startswith(str(STORE)):
            return None
        if event == "line":
            passed()
        return traced

    def profiled(frame: FrameType, event: str, argument: Any) -> None:
        if event in ("c_call", "c_return") and frame.f_code.co_filename.startswith(str(STORE)):
            passed()

    sys.setprofile(profiled)
    sys.settrace(traced)
    try:
        opened(root, cache).snapshot()
    finally:
        sys.settrace(None)
        sys.setprofile(None)
    told.send(moments)


def write_for_ever(root: Path, cache: Path, told: Connection) -> None:
    """Change the repository and renew its index, over and over; tell when the first time is over."""
    engine = opened(root, cache)
    for round_ in range(10_000):
        write(root, round_ % len(VARIANTS))
        engine.snapshot()
        if round_ == 0:
            told.send(True)


def ask(root: Path, cache: Path, number: int, rounds: int, told: Connection) -> None:
    """Change one file, ask, ask again; tell each answer with the state that gave it, or what went wrong."""
    try:
        told.send(list(_answers(root, cache, number, rounds)))
    except BaseException as error:
        told.send(repr(error))


Shown = list[tuple[str, float, str]]
"""Hits: symbol, score and text."""


def _answers(root: Path, cache: Path, number: int, rounds: int) -> Iterator[tuple[str, str, Shown]]:
    wait = number % 4 * 0.1  # some answer from the last commit while another process writes, some wait for it
    engine = opened(root, cache, wait)
    for round_ in range(rounds):
        replace(root / versioned(number), version(number, (number + round_) % 2))
        if round_ % 2:
            engine = opened(root, cache, wait)  # as another process would
        if round_ % 3 == 2:
            with suppress(IndexBusy):
                engine.index()
        for question in QUESTIONS:
            answer = engine.search(question, k=8)
            yield answer.state, question, shown(answer)


QUESTIONS = ("handle the request", "version_0 version_1 shared", "connect to the store")

FILES = 3
"""Files that change; so there are 2 ** FILES states, and each of them comes again."""


def versioned(number: int) -> str:
    return f"shop/file{number % FILES}.py"


def version(number: int, which: int) -> str:
    name = f"version_{which}_{number % FILES}"
    return f"from shop.web import handle\n\n\ndef {name}(shared):\n    return handle({name})\n"


def shown(answer: Answer) -> Shown:
    return [(hit.symbol.id, hit.score, hit.text) for hit in answer]
