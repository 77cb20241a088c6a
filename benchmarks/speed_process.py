"""Run a command and say what its tree of processes took. Linux only."""

from __future__ import annotations

import ctypes
import os
import resource
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from threading import Event, Thread
from typing import IO

SET_CHILD_SUBREAPER = 36
"""`prctl`: who outlives its parent becomes our child, so that its time can be asked for."""

INTERVAL = 0.05
"""Seconds between two looks at the memory of the tree."""

PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True, slots=True)
class Cost:
    cpu: float
    """seconds, user and system, of the process and all that it started"""
    wall: float
    """seconds, until the process itself ended"""
    peak: int
    """bytes: the largest sum of the resident sizes of all processes at one look, or of one process at any moment;
    pages that two of them share count twice"""
    output: str = ""


class Failed(Exception):
    pass


def run(command: Sequence[str | Path], environment: Mapping[str, str], *, codes: Sequence[int] = (0,)) -> Cost:
    """Run to the end, standard input empty. Raises Failed, with the end of standard error, for another exit code."""
    ctypes.CDLL(None).prctl(SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    with TemporaryFile() as out, TemporaryFile() as errors:
        started = time.perf_counter()
        process = subprocess.Popen(
            [str(part) for part in command],
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=errors,
            env=dict(environment),
            start_new_session=True,
        )
        memory = _Watch(process.pid)
        _, status, used = os.wait4(process.pid, 0)
        wall = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        every = [used, *_orphans(process.pid)]
        peak = max(memory.stop(), *(one.ru_maxrss * 1024 for one in every))
        output, told = _content(out), _content(errors).strip()
    if process.returncode not in codes:
        last = told.splitlines()[-1] if told else "no message"
        raise Failed(f"{command[0]} ended with {process.returncode}: {last}")
    return Cost(sum(one.ru_utime + one.ru_stime for one in every), wall, peak, output)


def _content(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode(errors="replace")


def _orphans(group: int) -> Iterator[resource.struct_rusage]:
    """Wait for those that the process left behind, which are in its group."""
    while True:
        try:
            yield os.wait4(-group, 0)[2]
        except ChildProcessError:
            return


class _Watch:
    """Looks at the memory of all processes of a session, and keeps the largest sum."""

    def __init__(self, session: int) -> None:
        self._session = session
        self._largest = 0
        self._ended = Event()
        self._thread = Thread(target=self._look)
        self._thread.start()

    def stop(self) -> int:
        self._ended.set()
        self._thread.join()
        return self._largest

    def _look(self) -> None:
        while not self._ended.wait(INTERVAL):
            self._largest = max(self._largest, sum(_resident(self._session)))


def _resident(session: int) -> Iterator[int]:
    """Fields after the name in /proc/PID/stat: the session is the fourth, resident pages the twenty-second."""
    for entry in os.listdir("/proc"):
        if entry.isdecimal():
            try:
                fields = Path("/proc", entry, "stat").read_bytes().rpartition(b")")[2].split()
            except OSError:
                continue
            if int(fields[3]) == session:
                yield int(fields[21]) * PAGE
