"""Answers in a process of its own: the same service, with an index that somebody else keeps fresh."""

from __future__ import annotations

from collections.abc import Mapping

from plait.doors.http.board import Standing
from plait.doors.http.faults import Fault, fault_of
from plait.doors.http.parameters import Given
from plait.doors.http.replies import written
from plait.doors.http.routes import OPERATIONS
from plait.doors.http.service import Recipe, Service
from plait.errors import PlaitError

_BY_PATH = {one.path: one for one in OPERATIONS}

_made: list[Service] = []
"""of this process"""


def begin(recipe: Recipe) -> None:
    _made[:] = [Service.made(recipe)]


def ready() -> None:
    """Do nothing: whoever waits for this knows that a process has begun."""


def answer(path: str, given: Given, standings: Mapping[str, Standing]) -> bytes | Fault:
    """Answer an operation; `standings` are those of who keeps the indexes."""
    (service,) = _made
    service.board.replace(standings)
    try:
        return written(_BY_PATH[path].answer(service, given))
    except Fault as fault:
        return fault
    except PlaitError as error:
        return fault_of(error)
