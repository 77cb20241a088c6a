"""From a folder to a snapshot, in one pass through the package: source, parse, graph, document, embed, store."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path
from typing import TypeVar

from plait import git, plugins, source
from plait.collector import paused
from plait.document import Neighbours, runs_of
from plait.embedding import embed
from plait.errors import BadParameter, BadScip, MissingExtra, NothingToIndex
from plait.extraction import Facts, extract, recovered
from plait.facts import ParsedFile
from plait.model import (
    Content,
    EdgeKind,
    Evidence,
    FileRecord,
    FileState,
    Graph,
    Recovered,
    ScipInput,
    Skipped,
    SkipReason,
    SnapshotInfo,
    SourceFile,
    Unknown,
)
from plait.protocols import (
    Embedder,
    GraphBuilder,
    JoiningGraphBuilder,
    RelinkingGraphBuilder,
    Snapshot,
    Writer,
)
from plait.scip.files import ScipFile, state_of
from plait.scip.files import read as read_scip
from plait.scip.join import Tally, join
from plait.source import Listing

_T = TypeVar("_T")

Progress = Callable[[str, int, int], None]
"""Called as progress(stage, done, total)."""


@dataclass(frozen=True, slots=True)
class IndexReport:
    """What one build did. `parsed` and `embedded` count work really done, not what the snapshot holds."""

    info: SnapshotInfo
    left_out: tuple[Skipped, ...]
    """by path"""
    recovered: tuple[Recovered, ...]
    """files that were not understood as their language says, by path"""
    edges: Mapping[tuple[EdgeKind, Evidence], int]
    unresolved: Mapping[Unknown, int]
    parsed: int
    embedded: int
    reused: int
    """vectors taken from the snapshot before"""
    seconds: float
    scip: tuple[Tally, ...] = ()
    """what became of each SCIP index that was joined"""

    @property
    def skipped(self) -> Mapping[SkipReason, int]:
        """How many files by reason, most frequent first."""
        return by_reason(self.left_out)


def build(
    root: Path,
    writer: Writer,
    embedder: Embedder,
    *,
    graph: str,
    max_file_bytes: int,
    submodules: bool = False,
    content: Content = Content.CODE,
    before: Snapshot | None = None,
    facts: Facts | None = None,
    code_state: str = "",
    progress: Progress = lambda stage, done, total: None,
    scip: Sequence[Path] = (),
    must_join: bool = False,
    defer: int | None = None,
) -> tuple[Snapshot, IndexReport]:
    """Index all of root. Vectors of unchanged texts are taken from `before`, if its embedder was the same.

    `scip` are SCIP indexes to join, absolute paths. What is wrong with one is noted in the snapshot's info, or raised
    (BadScip, MissingExtra) with `must_join`. `defer` is the number of lines above which the flow of values is left out,
    if the graph follows it and no index is to be joined: the snapshot's `pending` tells. Raises NothingToIndex if no
    file could be parsed.
    """
    started = time.perf_counter()
    builder = plugins.build("graph", graph)
    given = [_scip_file(path, graph, isinstance(builder, JoiningGraphBuilder), must_join) for path in scip]
    listing = source.discover(root, submodules=submodules, content=content)
    source.settle(listing.observed)
    read, unread = _read(root, listing, max_file_bytes, progress)
    in_part = builder.in_part if isinstance(builder, RelinkingGraphBuilder) and not given else frozenset()
    lines = sum(file.text.count("\n") + 1 for file in read if file.language in in_part)
    waiting = in_part if defer is not None and lines > defer else frozenset()
    follows = not isinstance(builder, RelinkingGraphBuilder) or bool(builder.in_part - waiting)
    with paused():
        extracted = extract(read, facts, code_state, progress, flow=follows)
    parsed = extracted.parsed
    sources = {file.path: file for file in read}
    skipped = sorted([*listing.skipped, *unread, *extracted.skipped])
    if not parsed:
        raise NothingToIndex(str(root), {str(reason): count for reason, count in by_reason(skipped).items()})

    progress("linking", 0, len(parsed))
    tallies: list[Tally] = []
    with paused():
        if waiting:
            assert isinstance(builder, RelinkingGraphBuilder)
            linked = builder.relink(parsed, (), _nothing_around)
        else:
            linked, tallies = _linked(builder, given, sources, parsed, root)
    progress("linking", len(parsed), len(parsed))
    symbols = sorted((symbol for file in parsed for symbol in file.symbols), key=lambda symbol: symbol.id)
    known = before if before is not None and before.info.embedder == embedder.fingerprint else None
    embedded = embed(
        symbols,
        runs_of(sources),
        Neighbours(linked.edges),
        {symbol.id: symbol.name for symbol in symbols},
        embedder,
        writer,
        known.vectors if known is not None else lambda digests: {},
        progress=progress,
    )
    records = _records(listing.observed, sources, parsed, waiting)
    info = SnapshotInfo(
        state=state_of_files(((one.path, sources[one.path].digest) for one in parsed), embedder, graph, given),
        root=str(root),
        embedder=embedder.fingerprint,
        graph=graph,
        files=len(parsed),
        symbols=len(symbols),
        passages=embedded.passages,
        scip=tuple(ScipInput(one.state, one.problem) for one in given),
        commit=git.commit(root, "HEAD") or "",
        edges=_counted(str(edge.kind) for edge in linked.edges),
        unresolved=len(linked.unresolved),
        pending=sum(bool(record.digest) and not record.flowed for record in records),
        lines=sum(record.lines for record in records),
    )
    writer.connect(linked)
    partly = recovered(parsed)
    writer.observe(records, skipped, partly)
    return writer.commit(info), IndexReport(
        info=info,
        left_out=tuple(skipped),
        recovered=tuple(partly),
        edges=_counted((edge.kind, edge.evidence) for edge in linked.edges),
        unresolved=_counted(site.reason for site in linked.unresolved),
        parsed=extracted.computed,
        embedded=embedded.computed,
        reused=embedded.reused,
        seconds=time.perf_counter() - started,
        scip=tuple(tallies),
    )


def _scip_file(path: Path, graph: str, can_join: bool, must_join: bool) -> ScipFile:
    if must_join and not can_join:
        raise BadParameter(f"graph {graph} joins no SCIP index; use --graph flow or scoped")
    try:
        found = read_scip(path) if can_join else ScipFile(path, state_of(path), f"graph {graph} joins no SCIP index")
    except MissingExtra as error:
        if must_join:
            raise
        return ScipFile(path, state_of(path), str(error))
    if found.problem and must_join:
        raise BadScip(str(path), found.problem)
    return found


def _linked(
    builder: GraphBuilder,
    given: Sequence[ScipFile],
    sources: Mapping[str, SourceFile],
    parsed: Sequence[ParsedFile],
    root: Path,
) -> tuple[Graph, list[Tally]]:
    indexes = [(str(one.path), one.index) for one in given if not one.problem]
    if not indexes or not isinstance(builder, JoiningGraphBuilder):
        return builder.build(parsed), []
    known, tallies = join(indexes, sources, parsed, root)
    return builder.build_with(parsed, known), tallies


def _read(root: Path, listing: Listing, limit: int, progress: Progress) -> tuple[list[SourceFile], list[Skipped]]:
    read: list[SourceFile] = []
    skipped: list[Skipped] = []
    for done, state in enumerate(listing.files):
        progress("reading", done, len(listing.files))
        file = source.read(root, state, limit=limit, wanted=state.path in listing.wanted, content=listing.content)
        if isinstance(file, SourceFile):
            read.append(file)
        else:
            skipped.append(file)
    progress("reading", len(listing.files), len(listing.files))
    return read, skipped


def _nothing_around(path: str) -> ParsedFile:
    raise KeyError(path)


def record_of(state: FileState, file: SourceFile, facts: ParsedFile) -> FileRecord:
    """Return the record of a file whose calls are all linked."""
    return FileRecord(
        state,
        digest=file.digest,
        language=file.language,
        module=facts.module,
        is_package=facts.is_package,
        lines=file.text.count("\n") + 1,
        flowed=True,
    )


def _records(
    observed: Sequence[FileState],
    sources: Mapping[str, SourceFile],
    parsed: Sequence[ParsedFile],
    waiting: frozenset[str],
) -> list[FileRecord]:
    facts = {file.path: file for file in parsed}
    return [
        replace(
            record_of(state, sources[state.path], facts[state.path]),
            flowed=sources[state.path].language not in waiting,
        )
        if state.path in facts
        else FileRecord(state)
        for state in observed
    ]


def state_of_files(files: Iterable[tuple[str, str]], embedder: Embedder, graph: str, scip: Sequence[ScipFile]) -> str:
    """Return the state of a snapshot of these files, given by path and digest."""
    summary = blake2b(f"{embedder.fingerprint}\0{graph}".encode(), digest_size=16)
    for path, content in sorted(files):
        summary.update(f"\0{path}\0{content}".encode())
    for one in scip:
        summary.update(f"\0scip\0{one.digest}".encode())
    return summary.hexdigest()


def by_reason(skipped: Iterable[Skipped]) -> dict[SkipReason, int]:
    """Count files by the reason why they were left out, most frequent first; a folder not looked into counts as one."""
    found: Counter[SkipReason] = Counter()
    for skip in skipped:
        found[skip.reason] += skip.count or 1
    return dict(found.most_common())


def _counted(values: Iterable[_T]) -> dict[_T, int]:
    """Count equal values; most frequent first, then by value."""
    return dict(sorted(Counter(values).items(), key=lambda one: (-one[1], str(one[0]))))
