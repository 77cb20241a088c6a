"""From files to their facts: those that are kept by content, and the others parsed, by several processes if many."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Protocol

from plait import plugins
from plait.collector import paused
from plait.facts import FlowFacts, ParsedFile
from plait.gathered import ParsedFiles, Sources, pack_file, unpack_brief, unpack_file
from plait.model import Recovered, Skipped, SourceFile
from plait.packing import pack, unpack
from plait.parse.lines import merged
from plait.processes import Pool, processes
from plait.protocols import FlowParser, Parser
from plait.tellings import Tellings, told_by

Progress = Callable[[str, int, int], None]

WORTH_PROCESSES = 4_000_000
"""Characters to parse from which processes pay: starting one costs about as much as parsing 200,000 characters."""

CHUNK = 16
"""Files given to a process at once."""

ASKED_AT_ONCE = 256
"""Files whose kept facts are read at once."""

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
    files: ParsedFiles
    skipped: tuple[Skipped, ...]
    """by path"""
    recovered: tuple[Recovered, ...]
    """what of each file is not understood or followed, by path"""
    computed: int
    """files that really were parsed"""
    tellings: Tellings

    @property
    def parsed(self) -> tuple[ParsedFile, ...]:
        """All files, opened, by path."""
        return tuple(self.files[path] for path in sorted(self.files))


def extract(
    files: Sequence[SourceFile], facts: Facts | None, state: str, progress: Progress, *, flow: bool
) -> Extracted:
    """Return the facts of some files, all of them open."""
    sources = Sources()
    for file in files:
        sources.add(file)
    with Pool() as pool:
        return gather(sources, ParsedFiles(open_symbols=None), facts, state, progress, pool, flow=flow)


def gather(
    sources: Sources, files: ParsedFiles, facts: Facts | None, state: str, progress: Progress, pool: Pool, *, flow: bool
) -> Extracted:
    """Add the facts of all sources to `files`; `ParsedFile.flow` among them if it is asked for and they stay open.

    `state` stands for everything else that facts depend on: plait's own code. New facts are kept as they come, so that
    a build that is interrupted or killed leaves them to the next one.
    """
    keys = {path: key_of(path, about.language, about.digest, state) for path, about in sources.about.items()}
    recovered: list[Recovered] = []
    tellings = Tellings()

    def add(path: str, packed: Mapping[str, bytes]) -> bool:
        digest = sources.about[path].digest
        if files.stay_open:
            file = _unpacked(packed, keys[path], flow=flow)
            if file is None:
                return False
            files.add_open(file)
            tellings.add(path, digest, told_by(file))
            problem = _recovered(file)
        else:
            brief = unpack_brief(packed.get(keys[path], b""))
            if brief is None:
                return False
            files.add(brief, packed[keys[path]])
            tellings.add(path, digest, brief.told)
            problem = brief.recovered
        if problem is not None:
            recovered.append(problem)
        return True

    missing = _missing(keys, facts, add, flow=flow)
    progress("parsing", len(keys) - len(missing), len(keys))
    skipped: list[Skipped] = []
    new: dict[str, bytes] = {}
    characters = 0
    try:
        with closing(_parsed(sources, missing, progress, pool, flow=flow)) as found:
            for path, packed in zip(missing, found, strict=True):
                if isinstance(packed, Skipped):
                    skipped.append(packed)
                    continue
                made = {keys[path]: packed.facts, _flow_key(keys[path]): packed.flow}
                add(path, made)
                if facts is not None:
                    new |= {key: value for key, value in made.items() if value}
                    characters += sources.about[path].characters
                    if characters >= KEPT_AT_ONCE:
                        facts.put(new)
                        new, characters = {}, 0
    finally:
        if facts is not None and new:
            facts.put(new)
    if facts is not None:
        parsed = set(missing)
        facts.used([key for path, key in keys.items() if path not in parsed])
    return Extracted(files, tuple(sorted(skipped)), tuple(sorted(recovered)), len(missing), tellings)


def _missing(
    keys: Mapping[str, str], facts: Facts | None, add: Callable[[str, Mapping[str, bytes]], bool], *, flow: bool
) -> list[str]:
    """Add what is kept, some at a time; return the paths of the rest."""
    if facts is None:
        return list(keys)
    missing: list[str] = []
    paths = list(keys)
    for start in range(0, len(paths), ASKED_AT_ONCE):
        batch = paths[start : start + ASKED_AT_ONCE]
        kept = facts.get([one for path in batch for one in (keys[path], _flow_key(keys[path]))[: 1 + flow]])
        lacking = {path for path in batch if not add(path, kept)}
        missing += [path for path in batch if path in lacking]
    return missing


def kept(files: Sequence[tuple[str, str, str]], facts: Facts, state: str) -> list[ParsedFile | None]:
    """Return the facts, without flow, that are kept of each path, language and digest."""
    keys = [key_of(*file, state) for file in files]
    found = facts.get(keys)
    return [_unpacked(found, key, flow=False) for key in keys]


def _recovered(file: ParsedFile) -> Recovered | None:
    both = [one for one in (file.recovered, file.flow.unfollowed) if one is not None]
    if not both:
        return None
    left_out = merged(run for one in both for run in one.left_out)
    return Recovered(file.path, "; ".join(one.problem for one in both), left_out)


def key_of(path: str, language: str, digest: str, state: str) -> str:
    """Return the key of a file's facts. They depend on the path, too: the ids of symbols begin with it."""
    return blake2b(f"{state}\0{language}\0{path}\0{digest}".encode(), digest_size=16).hexdigest()


def _flow_key(key: str) -> str:
    """Return where the flow is kept: by itself, as it is half of all facts and most builds do without it."""
    return f"{key}.flow"


@dataclass(frozen=True, slots=True)
class _Packed:
    facts: bytes
    """a ParsedFile whose flow is empty, behind its Brief"""
    flow: bytes
    """FlowFacts; empty if nobody has asked for them"""


def _packed(file: SourceFile, *, flow: bool) -> _Packed | Skipped:
    found = parse(file, flow=flow)
    if isinstance(found, Skipped):
        return found
    facts = replace(found, flow=FlowFacts())
    return _Packed(pack_file(facts, told_by(facts), _recovered(facts)), pack(found.flow) if flow else b"")


def _unpacked(packed: Mapping[str, bytes], key: str, *, flow: bool) -> ParsedFile | None:
    """Return facts by their key; None where they, or the flow if it is wanted, are missing or damaged."""
    found = unpack_file(packed.get(key, b""))
    if found is None or not flow:
        return found
    values = unpack(packed.get(_flow_key(key), b""), FlowFacts)
    return None if values is None else replace(found, flow=values)


def _parsed(
    sources: Sources, paths: Sequence[str], progress: Progress, pool: Pool, *, flow: bool
) -> Generator[_Packed | Skipped, None, None]:
    """Parse in order, in several processes if that pays."""
    total = len(sources)
    done = total - len(paths)
    if is_worth_processes(sum(sources.about[path].characters for path in paths)):
        parts = ([sources[path] for path in paths[at : at + CHUNK]] for at in range(0, len(paths), CHUNK))
        made = pool.mapped(_parse_all, parts, bool, flow)
    else:
        made = ([_packed(sources[path], flow=flow)] for path in paths)
    with closing(made) as found:
        for part in found:
            for one in part:
                yield one
                done += 1
                progress("parsing", done, total)


def is_worth_processes(characters: int) -> bool:
    return processes() > 1 and characters >= WORTH_PROCESSES


def _parse_all(flow: bool, files: Sequence[SourceFile]) -> list[_Packed | Skipped]:  # a state
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
