"""From a folder to a snapshot, in one pass through the package: source, parse, graph, document, embed, store."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path
from typing import TypeVar

from plait import git, plugins, source, tellings
from plait.collector import paused
from plait.document import runs_of
from plait.embedding import embed, nothing_known
from plait.errors import BadParameter, BadScip, MissingExtra, NothingToIndex
from plait.extraction import Facts, gather, is_worth_processes
from plait.facts import Outline, ParsedFile
from plait.gathered import About, ParsedFiles, Sources
from plait.linking import Linked, in_parts_of
from plait.links import links_of
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
from plait.processes import Pool
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
    listing: Listing | None = None,
    before: Snapshot | None = None,
    facts: Facts | None = None,
    code_state: str = "",
    progress: Progress = lambda stage, done, total: None,
    scip: Sequence[Path] = (),
    must_join: bool = False,
    defer: int | None = None,
    noticed: Callable[[Mapping[str, ParsedFile]], None] = lambda files: None,
) -> tuple[Snapshot, IndexReport]:
    """Index all of root, which is listed unless `listing` does. Vectors of unchanged texts are taken from `before`, if
    its embedder was the same.

    `scip` are SCIP indexes to join, absolute paths. What is wrong with one is noted in the snapshot's info, or raised
    (BadScip, MissingExtra) with `must_join`. `defer` is the number of lines above which the flow of values is left out,
    if the graph follows it and no index is to be joined: the snapshot's `pending` tells. `noticed` is given the facts
    of all files before the commit. Raises NothingToIndex if no file could be parsed.
    """
    started = time.perf_counter()
    builder = plugins.build("graph", graph)
    given = [_scip_file(path, graph, isinstance(builder, JoiningGraphBuilder), must_join) for path in scip]
    if listing is None:
        listing = source.discover(root, submodules=submodules, content=content)
    listing = listing.explained()
    source.settle(listing.observed)
    with Pool() as pool:
        if before is None and is_worth_processes(sum(state.size for state in listing.files)):
            pool.start(_imported, graph)
        sources, unread = _read(root, listing, max_file_bytes, progress)
        in_part = builder.in_part if isinstance(builder, RelinkingGraphBuilder) and not given else frozenset()
        lines = sum(about.lines for about in sources.about.values() if about.language in in_part)
        waiting = in_part if defer is not None and lines > defer else frozenset()
        follows = not isinstance(builder, RelinkingGraphBuilder) or bool(builder.in_part - waiting)
        in_parts = isinstance(builder, RelinkingGraphBuilder) and not follows and not given
        files = ParsedFiles() if in_parts else ParsedFiles(open_symbols=None)
        with paused():
            extracted = gather(sources, files, facts, code_state, progress, pool, flow=follows)
        if facts is not None and extracted.tellings:
            facts.put({tellings.key_of(str(root), code_state): extracted.tellings.packed()})
        skipped = sorted([*listing.skipped, *unread, *extracted.skipped])
        if not files:
            raise NothingToIndex(str(root), {str(reason): count for reason, count in by_reason(skipped).items()})

        progress("linking", 0, len(files))
        tallies: list[Tally] = []
        linked = Linked()
        if in_parts:
            assert isinstance(builder, RelinkingGraphBuilder)
            languages = {path: about.language for path, about in sources.about.items()}
            for done, part, packed in in_parts_of(graph, builder, files, languages, pool):
                linked.add(part, packed)
                progress("linking", done, len(files))
        else:
            with paused():
                whole, tallies = _linked(builder, given, sources, extracted.parsed, root)
            linked.add(links_of(whole))
        progress("linking", len(files), len(files))
        known = before if before is not None and before.info.embedder == embedder.fingerprint else None
        with paused():
            embedded = embed(
                files.symbols(),
                runs_of(sources),
                linked.neighbours,
                files.names,
                embedder,
                writer,
                known.vectors if known is not None else nothing_known,
                progress=progress,
                total=len(files.names),
                pool=pool,
            )
    records = _records(listing.observed, sources, files, waiting)
    info = SnapshotInfo(
        state=state_of_files(((path, sources.about[path].digest) for path in files), embedder, graph, given),
        root=str(root),
        embedder=embedder.fingerprint,
        graph=graph,
        files=len(files),
        symbols=len(files.names),
        passages=embedded.passages,
        scip=tuple(ScipInput(one.state, one.problem) for one in given),
        commit=git.commit(root, "HEAD") or "",
        edges=_most_first(_by_kind(linked.edges)),
        unresolved=linked.unresolved.total(),
        pending=sum(bool(record.digest) and not record.flowed for record in records),
        lines=sum(record.lines for record in records),
    )
    for part in linked.parts():
        writer.connect(part)
    noticed(files)
    writer.observe(records, skipped, extracted.recovered)
    return writer.commit(info), IndexReport(
        info=info,
        left_out=tuple(skipped),
        recovered=extracted.recovered,
        edges=_most_first(linked.edges),
        unresolved=_most_first(linked.unresolved),
        parsed=extracted.computed,
        embedded=embedded.computed,
        reused=embedded.reused,
        seconds=time.perf_counter() - started,
        scip=tuple(tallies),
    )


def _imported(graph: str) -> None:
    """Import, in a process of its own, most of what is needed there."""
    plugins.build("graph", graph)


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


def _read(root: Path, listing: Listing, limit: int, progress: Progress) -> tuple[Sources, list[Skipped]]:
    read = Sources()
    skipped: list[Skipped] = []
    for done, state in enumerate(listing.files):
        progress("reading", done, len(listing.files))
        file = source.read(root, state, limit=limit, wanted=state.path in listing.wanted, content=listing.content)
        if isinstance(file, SourceFile):
            read.add(file)
        else:
            skipped.append(file)
    progress("reading", len(listing.files), len(listing.files))
    return read, skipped


def record_of(state: FileState, about: About, outline: Outline) -> FileRecord:
    """Return the record of a file whose calls are all linked."""
    return FileRecord(
        state,
        digest=about.digest,
        language=about.language,
        module=outline.module,
        is_package=outline.is_package,
        lines=about.lines,
        flowed=True,
    )


def _records(
    observed: Sequence[FileState], sources: Sources, files: ParsedFiles, waiting: frozenset[str]
) -> list[FileRecord]:
    return [
        replace(
            record_of(state, sources.about[state.path], files.outlines[state.path]),
            flowed=sources.about[state.path].language not in waiting,
        )
        if state.path in files.outlines
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


def _by_kind(edges: Mapping[tuple[EdgeKind, Evidence], int]) -> dict[str, int]:
    found: Counter[str] = Counter()
    for (kind, _), count in edges.items():
        found[str(kind)] += count
    return found


def _most_first(counts: Mapping[_T, int]) -> dict[_T, int]:
    """Return counts, most frequent first, then by value."""
    return dict(sorted(counts.items(), key=lambda one: (-one[1], str(one[0]))))
