"""From files to their facts: those that are kept by content, and the others parsed, by several processes if many."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Protocol

from plait import plugins
from plait.collector import paused
from plait.facts import FlowFacts, ParsedFile
from plait.model import Recovered, Skipped, SourceFile
from plait.packing import pack, unpack
from plait.parse.lines import merged
from plait.protocols import FlowParser, Parser

Progress = Callable[[str, int, int], None]

WORTH_PROCESSES = 4_000_000
"""Characters to parse from which processes pay: starting one costs about as much as parsing 200,000 characters."""

CHUNK = 16
"""Files given to a process at once."""

KEPT_AT_ONCE = 2_000_000
"""Characters parsed between two times that facts are kept: some seconds' work, all that an interrupted build loses."""


class Facts(Protocol):
    """Where facts are kept by key, packed."""

    def get(self, keys: Sequence[str]) -> Mapping[str, bytes]:
        """Return what is kept of the keys."""
        ...

    def put(self, new: Mapping[str, bytes]) -> None:
        """Keep facts that are new."""
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


def extract(
    files: Sequence[SourceFile], facts: Facts | None, state: str, progress: Progress, *, flow: bool
) -> Extracted:
    """Return the facts of all files, `ParsedFile.flow` among them if it is asked for.

    `state` stands for everything else that facts depend on: plait's own code. New facts are kept as they come, so that
    a build that is interrupted or killed leaves them to the next one.
    """
    keys = [key_of(file.path, file.language, file.digest, state) for file in files]
    results: list[ParsedFile | Skipped | None] = [None] * len(files)
    if facts is not None:
        kept = facts.get([*keys, *(_flow_key(key) for key in keys if flow)])
        results = [_unpacked(kept, key, flow=flow) for key in keys]
        facts.used([key for key, one in zip(keys, results, strict=True) if one is not None])
    missing = [place for place, one in enumerate(results) if one is None]
    progress("parsing", len(files) - len(missing), len(files))
    new: dict[str, bytes] = {}
    characters = 0
    try:
        with closing(_parsed([files[place] for place in missing], len(files), progress, flow=flow)) as found:
            for place, packed in zip(missing, found, strict=True):
                if isinstance(packed, Skipped):
                    results[place] = packed
                    continue
                made = {keys[place]: packed.facts, _flow_key(keys[place]): packed.flow}
                results[place] = _unpacked(made, keys[place], flow=flow)
                if facts is not None:
                    new |= {key: value for key, value in made.items() if value}
                    characters += len(files[place].text)
                    if characters >= KEPT_AT_ONCE:
                        facts.put(new)
                        new, characters = {}, 0
    finally:
        if facts is not None and new:
            facts.put(new)
    return Extracted(
        tuple(one for one in results if isinstance(one, ParsedFile)),
        tuple(one for one in results if isinstance(one, Skipped)),
        len(missing),
    )


def kept(file: tuple[str, str, str], facts: Facts, state: str) -> ParsedFile | None:
    """Return the facts, without flow, that are kept of a path, language and digest."""
    key = key_of(*file, state)
    return _unpacked(facts.get([key]), key, flow=False)


def recovered(files: Sequence[ParsedFile]) -> list[Recovered]:
    """Return what of each file is not understood or followed, by path."""
    found: list[Recovered] = []
    for file in files:
        both = [one for one in (file.recovered, file.flow.unfollowed) if one is not None]
        if both:
            problems = "; ".join(one.problem for one in both)
            found.append(Recovered(file.path, problems, merged(run for one in both for run in one.left_out)))
    return sorted(found)


def key_of(path: str, language: str, digest: str, state: str) -> str:
    """Return the key of a file's facts. They depend on the path, too: the ids of symbols begin with it."""
    return blake2b(f"{state}\0{language}\0{path}\0{digest}".encode(), digest_size=16).hexdigest()


def _flow_key(key: str) -> str:
    """Return where the flow is kept: by itself, as it is half of all facts and most builds do without it."""
    return f"{key}.flow"


@dataclass(frozen=True, slots=True)
class _Packed:
    facts: bytes
    """a ParsedFile whose flow is empty"""
    flow: bytes
    """FlowFacts; empty if nobody has asked for them"""


def _packed(file: SourceFile, *, flow: bool) -> _Packed | Skipped:
    found = parse(file, flow=flow)
    if isinstance(found, Skipped):
        return found
    return _Packed(pack(replace(found, flow=FlowFacts())), pack(found.flow) if flow else b"")


def _unpacked(packed: Mapping[str, bytes], key: str, *, flow: bool) -> ParsedFile | None:
    """Return facts by their key; None where they, or the flow if it is wanted, are missing or damaged."""
    found = unpack(packed.get(key, b""), ParsedFile)
    if found is None or not flow:
        return found
    values = unpack(packed.get(_flow_key(key), b""), FlowFacts)
    return None if values is None else replace(found, flow=values)


def _parsed(
    files: Sequence[SourceFile], total: int, progress: Progress, *, flow: bool
) -> Generator[_Packed | Skipped, None, None]:
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
            parts = (files[at : at + CHUNK] for at in range(0, len(files), CHUNK))
            chunks = [pool.submit(_parse_all, part, flow=flow) for part in parts]
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
        yield _packed(file, flow=flow)
        done += 1
        progress("parsing", before + done, total)


def _leave_interrupts() -> None:
    """Ctrl-C reaches every process of a terminal; the one that started the others ends them."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _parse_all(files: Sequence[SourceFile], *, flow: bool) -> list[_Packed | Skipped]:
    with paused():
        return [_packed(file, flow=flow) for file in files]


_parsers: dict[tuple[str, bool], Parser] = {}


def parse(file: SourceFile, *, flow: bool) -> ParsedFile | Skipped:
    """Return the facts of one file, `ParsedFile.flow` among them if it is asked for."""
    wanted = (file.language, flow)
    if wanted not in _parsers:
        parser: Parser = plugins.build("parser", file.language)
        _parsers[wanted] = parser.without_flow() if not flow and isinstance(parser, FlowParser) else parser
    return _parsers[wanted].parse(file)
