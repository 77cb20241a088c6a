"""From files to their facts: those that are kept by content, and the others parsed, by several processes if many."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from hashlib import blake2b
from typing import Protocol

from plait import plugins
from plait.collector import paused
from plait.facts import ParsedFile
from plait.model import Skipped, SourceFile
from plait.protocols import Parser

Progress = Callable[[str, int, int], None]

WORTH_PROCESSES = 4_000_000
"""Characters to parse from which processes pay: starting one costs about as much as parsing 200,000 characters."""

CHUNK = 16
"""Files given to a process at once."""

KEPT_AT_ONCE = 2_000_000
"""Characters parsed between two times that facts are kept: some seconds' work, all that an interrupted build loses."""


class Facts(Protocol):
    """Where facts are kept by key."""

    def get(self, keys: Sequence[str]) -> Mapping[str, ParsedFile]:
        """Return what is kept of the keys."""
        ...

    def put(self, new: Mapping[str, ParsedFile]) -> None:
        """Keep new facts."""
        ...

    def used(self, keys: Sequence[str]) -> None:
        """Note that a build has asked for these keys and they had been kept."""
        ...


@dataclass(frozen=True, slots=True)
class Extracted:
    parsed: tuple[ParsedFile, ...]
    """in the order of the files given"""
    skipped: tuple[Skipped, ...]
    computed: int
    """files that really were parsed"""


def extract(files: Sequence[SourceFile], facts: Facts | None, state: str, progress: Progress) -> Extracted:
    """Return the facts of all files. `state` stands for everything else that facts depend on: plait's own code.

    New facts are kept as they come, so that a build that is interrupted or killed leaves them to the next one.
    """
    keys = [key_of(file.path, file.language, file.digest, state) for file in files] if facts is not None else []
    known = facts.get(keys) if facts is not None else {}
    missing = [place for place in range(len(files)) if facts is None or keys[place] not in known]
    progress("parsing", len(files) - len(missing), len(files))
    results: list[ParsedFile | Skipped | None] = [known.get(key) for key in keys] or [None] * len(files)
    new: dict[str, ParsedFile] = {}
    characters = 0
    try:
        with closing(_parsed([files[place] for place in missing], len(files), progress)) as found:
            for place, one in zip(missing, found, strict=True):
                results[place] = one
                if facts is not None and isinstance(one, ParsedFile):
                    new[keys[place]] = one
                    characters += len(files[place].text)
                    if characters >= KEPT_AT_ONCE:
                        facts.put(new)
                        new, characters = {}, 0
    finally:
        if facts is not None and new:
            facts.put(new)
    if facts is not None:
        facts.used(sorted(known))
    return Extracted(
        tuple(one for one in results if isinstance(one, ParsedFile)),
        tuple(one for one in results if isinstance(one, Skipped)),
        len(missing),
    )


def key_of(path: str, language: str, digest: str, state: str) -> str:
    """Return the key of a file's facts. They depend on the path, too: the ids of symbols begin with it."""
    return blake2b(f"{state}\0{language}\0{path}\0{digest}".encode(), digest_size=16).hexdigest()


def _parsed(files: Sequence[SourceFile], total: int, progress: Progress) -> Generator[ParsedFile | Skipped, None, None]:
    """Parse in order; a process that dies leaves the rest to this one."""
    before = total - len(files)
    done = 0
    workers = min(os.cpu_count() or 1, 8)
    if workers > 1 and sum(len(file.text) for file in files) >= WORTH_PROCESSES:
        # Not the standard library's pool: that runs the user's main module again in each process.
        from loky import BrokenProcessPool, ProcessPoolExecutor

        pool = ProcessPoolExecutor(workers, initializer=_leave_interrupts)
        try:
            # Not its `map`: that cancels what is left when it is interrupted, which the pool's own thread takes amiss.
            chunks = [pool.submit(_parse_all, files[at : at + CHUNK]) for at in range(0, len(files), CHUNK)]
            for chunk in chunks:
                for one in chunk.result():
                    yield one
                    done += 1
                    progress("parsing", before + done, total)
        except (BrokenProcessPool, OSError):
            pass
        finally:
            # Interrupted, nobody waits for what the processes still have to do.
            pool.shutdown(kill_workers=done < len(files))
    for file in files[done:]:
        yield parse(file)
        done += 1
        progress("parsing", before + done, total)


def _leave_interrupts() -> None:
    """Ctrl-C reaches every process of a terminal; the one that started the others ends them."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _parse_all(files: Sequence[SourceFile]) -> list[ParsedFile | Skipped]:
    with paused():
        return [parse(file) for file in files]


_parsers: dict[str, Parser] = {}


def parse(file: SourceFile) -> ParsedFile | Skipped:
    if file.language not in _parsers:
        _parsers[file.language] = plugins.build("parser", file.language)
    return _parsers[file.language].parse(file)
