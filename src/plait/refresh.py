"""From a snapshot to the next one after an edit: only what the edit reaches is read, linked and embedded again.

What comes out is what `plait.indexing.build` would give, with one exception that the snapshot tells of: where the graph
follows the flow of values through all files, files that were linked anew have the edges of scopes, imports and types
only (`SnapshotInfo.pending`), until the next build.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from plait import extraction, git, plugins, source, tellings
from plait.collector import paused
from plait.document import Neighbours, runs_in, runs_of
from plait.embedding import embed
from plait.extraction import Facts, extract
from plait.facts import Outline, ParsedFile, outline_of
from plait.gathered import About
from plait.graph.edit import Edit
from plait.graph.generic.dialects import DIALECTS
from plait.graph.generic.reach import given_bases
from plait.graph.reach import reached
from plait.indexing import Progress, record_of, state_of_files
from plait.model import (
    Direction,
    Edge,
    EdgeKind,
    FileRecord,
    FileState,
    Graph,
    Skipped,
    SnapshotInfo,
    SourceFile,
    Symbol,
    SymbolId,
)
from plait.protocols import ChangesWriter, Embedder, RelinkingGraphBuilder, Snapshot
from plait.source import Listing
from plait.tellings import Tellings, told_by
from plait.terms import terms

MUCH = 0.25
"""Part of the files from which on an edit is no edit: everything is built anew."""

UNKNOWN = 20
"""Files of which it is not known what they tell, up to which all of them are opened at each refresh: 1 ms each."""

_EVERY_KIND = tuple(EdgeKind)


@dataclass(frozen=True, slots=True)
class Refreshed:
    """What a refresh did. Everything counts work really done."""

    info: SnapshotInfo
    parsed: int
    """files that are new or changed"""
    gone: int
    relinked: int
    """files whose calls were looked at again, those that changed among them"""
    rewritten: int
    """symbols whose documents were made again"""
    embedded: int
    seconds: float


class _Unlike(Exception):
    """What has changed is more than can be refreshed."""


def refresh(
    root: Path,
    listing: Listing,
    before: Snapshot,
    writer: ChangesWriter,
    embedder: Embedder,
    *,
    graph: str,
    max_file_bytes: int,
    facts: Facts,
    code_state: str,
    progress: Progress = lambda stage, done, total: None,
) -> tuple[Snapshot, Refreshed] | None:
    """Return the snapshot of the folder as listed, and what was done; None if it must be built from all files.

    `before` was made with the same embedder, graph and limits.
    """
    started = time.perf_counter()
    builder = plugins.build("graph", graph)
    if not isinstance(builder, RelinkingGraphBuilder) or before.info.scip:
        return None
    with paused():
        edit = _Changes(root, listing, before, max_file_bytes, facts, code_state, progress)
        source.settle(listing.observed)
        try:
            edit.read()
            linked = edit.link(builder)
        except _Unlike:
            return None
        documents = edit.document(linked, embedder, writer)
        records = edit.records(builder.in_part)
        info = edit.info(linked, documents, records, embedder, graph)
        writer.remove(edit.removed)
        writer.connect(linked, edit.relinked)
        writer.observe(records, edit.gone, edit.skipped, edit.recovered)
        snapshot = writer.commit(info)
    return snapshot, Refreshed(
        info=info,
        parsed=len(edit.parsed),
        gone=len(edit.gone),
        relinked=len(edit.relinked),
        rewritten=len(documents.symbols),
        embedded=documents.computed,
        seconds=time.perf_counter() - started,
    )


@dataclass(frozen=True, slots=True)
class _Documents:
    symbols: Sequence[Symbol]
    computed: int
    passages: Mapping[str, int]
    """template -> by how many vectors there are more than before"""


class _Changes:
    """One edit, from the files to the edges."""

    def __init__(
        self,
        root: Path,
        listing: Listing,
        before: Snapshot,
        limit: int,
        facts: Facts,
        code_state: str,
        progress: Progress,
    ) -> None:
        self.root, self.listing, self.before, self.limit = root, listing, before, limit
        self.facts, self.code_state, self.progress = facts, code_state, progress
        self.known = {record.state.path: record for record in before.records()}
        self.sources: dict[str, SourceFile] = {}
        self.parsed: dict[str, ParsedFile] = {}
        """by path: files that are new or whose content is"""
        self.relinked: set[str] = set()
        self.based: set[str] = set()
        """last names of types to which files that are linked anew give bases"""

    def read(self) -> None:
        """Read and parse what differs from the snapshot."""
        states = {state.path: state for state in self.listing.observed}
        self.gone = sorted(self.known.keys() - states.keys())
        self.touched = sorted(
            path for path, state in states.items() if path not in self.known or self.known[path].state != state
        )
        if len(self.touched) + len(self.gone) > max(10, MUCH * len(self.known)):
            raise _Unlike
        files = {state.path: state for state in self.listing.files}
        changed: list[SourceFile] = []
        unread: list[Skipped] = []
        for path in self.touched:
            if path not in files:
                continue
            file = self._read(files[path])
            if isinstance(file, Skipped):
                unread.append(file)
            else:
                self.sources[path] = file
                if path not in self.known or self.known[path].digest != file.digest:
                    changed.append(file)
        extracted = extract(changed, self.facts, self.code_state, self.progress, flow=False)
        self.parsed = {file.path: file for file in extracted.parsed}
        again = {*self.touched, *self.gone}
        left = [one for one in self.before.skipped() if one.path in states and one.path not in again]
        self.skipped = sorted([*self.listing.skipped, *unread, *extracted.skipped, *left])
        self.recovered = sorted(
            [one for one in self.before.recovered() if one.path not in again or self._is_as_it_was(one.path)]
            + list(extracted.recovered)
        )
        self.unchanged = {
            path: record
            for path, record in self.known.items()
            if record.digest and (path not in again or self._is_as_it_was(path))
        }
        if not self.unchanged and not self.parsed:
            raise _Unlike

    def _read(self, state: FileState) -> SourceFile | Skipped:
        listing = self.listing
        wanted = state.path in listing.wanted
        return source.read(self.root, state, limit=self.limit, wanted=wanted, content=listing.content)

    def _is_as_it_was(self, path: str) -> bool:
        return path in self.sources and self.known[path].digest == self.sources[path].digest

    def link(self, builder: RelinkingGraphBuilder) -> Graph:
        """Link what is changed and what that reaches."""
        outlines = [Outline(path, record.module, record.is_package) for path, record in sorted(self.unchanged.items())]
        modules = [*(one.module for one in outlines), *(file.module for file in self.parsed.values())]
        if "__init__" in modules:
            raise _Unlike  # by which name the root is imported depends on all files
        replaced = [path for path, record in self.known.items() if record.digest and path not in self.unchanged]
        open_ = _Opened(self)
        edits = [
            Edit(self._old_facts(path) if path in replaced else None, self.parsed.get(path))
            for path in sorted({*replaced, *self.parsed})
        ]
        others = reached(edits, outlines, self._mentioning, open_)
        if others is None:
            raise _Unlike
        self.relinked = {*replaced, *self.parsed, *others}
        files = [*self.parsed.values(), *open_.every(sorted(others))]
        before = [edit.before for edit in edits if edit.before is not None]
        self.based = {type_ for file in (*before, *files) for type_, _ in given_bases(file)}
        around = [outline for outline in outlines if outline.path not in others]
        if any(file.symbols[0].language in DIALECTS for file in files):
            open_.know(tellings.key_of(str(self.root), self.code_state), self.facts)
        return builder.relink(files, around, open_)

    def _mentioning(self, names: Collection[str]) -> list[str]:
        words = {word for name in names for word in terms(name)[:1]}
        if not all(map(terms, names)):
            return sorted(self.unchanged)  # a name without a term can stand in any text
        return [path for path in self.before.mentioning(words) if path in self.unchanged]

    def opened(self, records: Sequence[FileRecord]) -> Iterator[ParsedFile]:
        """The facts of files that have not changed, from where they are kept or from the files."""
        kept = extraction.kept([_identity(record) for record in records], self.facts, self.code_state)
        for record, found in zip(records, kept, strict=True):
            yield found or self._parsed_again(record)

    def _parsed_again(self, record: FileRecord) -> ParsedFile:
        file = self._read(record.state)
        if not isinstance(file, SourceFile) or file.digest != record.digest:
            raise _Unlike
        parsed = extraction.parse(file, flow=False)
        if not isinstance(parsed, ParsedFile):
            raise _Unlike
        return parsed

    def _old_facts(self, path: str) -> ParsedFile:
        [kept] = extraction.kept([_identity(self.known[path])], self.facts, self.code_state)
        if kept is None:
            raise _Unlike
        return kept

    def document(self, linked: Graph, embedder: Embedder, writer: ChangesWriter) -> _Documents:
        """Write the documents that differ: of changed files, and where neighbours or their texts changed."""
        before = self.before
        replaced = [path for path in self.known if path in self.relinked and path not in self.unchanged]
        new = {symbol.id: symbol for file in self.parsed.values() for symbol in file.symbols}
        old = before.defined(replaced)
        self.removed = [symbol for symbol in old if symbol not in new]
        self.defined = len(new) - len(old)
        every = before.defined(sorted(self.relinked & self.known.keys()))
        # A base is also given to classes of other files; only what these files say goes away.
        given = [symbol.id for name in sorted(self.based) for symbol in before.named(name)]
        edges = before.edges(sorted({*every, *given}), _EVERY_KIND, Direction.OUT)
        self.old_edges = [edge for edge in edges if edge.path in self.relinked]
        self.old_sites = sum(len(before.unresolved(source=symbol)) for symbol in every)

        differing = _pairs(self.old_edges) ^ _pairs(linked.edges)
        texts = before.texts(old)
        runs = runs_of(self.sources)
        moved = {
            symbol.id for symbol in new.values() if "\n".join(run.text for run in runs(symbol)) != texts.get(symbol.id)
        }
        written = {*new, *(end for pair in differing for end in pair)}
        calls = self._calls(sorted({*written, *moved}), linked)
        beside = Neighbours(calls)
        for symbol in sorted(moved):
            written.update(beside.of(symbol, Direction.OUT))
            written.update(beside.of(symbol, Direction.IN))
        written -= set(self.removed)
        calls = self._calls(sorted(written), linked)
        neighbours = Neighbours(calls)
        kept = before.symbols(sorted(written - new.keys()))
        symbols = sorted([*kept, *(new[one] for one in new)], key=lambda symbol: symbol.id)
        around = {end for edge in calls for end in (edge.source, edge.target)} - written
        names = {symbol.id: symbol.name for symbol in (*before.symbols(sorted(around)), *symbols)}
        stored = runs_in(before.texts([symbol.id for symbol in kept]))
        replaced_rows = [*old, *(symbol.id for symbol in kept)]
        embedded = embed(
            symbols,
            lambda symbol: runs(symbol) if symbol.id in new else stored(symbol),
            neighbours,
            names,
            embedder,
            writer,
            before.vectors,
            around=before.rows(sorted(around)),
            progress=self.progress,
        )
        passages = {
            template: count - sum(len(rows) for rows in before.rows(replaced_rows, template).values())
            for template, count in embedded.passages.items()
        }
        return _Documents(symbols, embedded.computed, passages)

    def _calls(self, ids: Sequence[SymbolId], linked: Graph) -> list[Edge]:
        """The calls from and to these symbols, as they are now."""
        wanted = set(ids)
        stayed = [
            edge
            for direction in Direction
            for edge in self.before.edges(ids, [EdgeKind.CALLS], direction)
            if edge.path not in self.relinked
        ]
        new = [
            edge
            for edge in linked.edges
            if edge.kind is EdgeKind.CALLS and (edge.source in wanted or edge.target in wanted)
        ]
        return [*stayed, *new]

    def records(self, in_part: frozenset[str]) -> list[FileRecord]:
        """What to note of the files that differ or were linked anew."""
        states = {state.path: state for state in self.listing.observed}
        found: list[FileRecord] = []
        for path in sorted({*self.touched, *self.relinked} & states.keys()):
            if path in self.parsed:
                record = record_of(states[path], About.of(self.sources[path]), outline_of(self.parsed[path]))
            elif path in self.unchanged:
                record = replace(self.unchanged[path], state=states[path])
            else:
                record = FileRecord(states[path])
            flowed = record.flowed if path not in self.relinked else record.language not in in_part
            found.append(replace(record, flowed=flowed and bool(record.digest)))
        return found

    def info(
        self, linked: Graph, documents: _Documents, records: Sequence[FileRecord], embedder: Embedder, graph: str
    ) -> SnapshotInfo:
        before = self.before.info
        new = {record.state.path: record for record in records}
        gone = set(self.gone)
        current = [r for r in ({**self.known, **new}).values() if r.digest and r.state.path not in gone]
        counts = dict(before.edges)
        for edge in self.old_edges:
            counts[edge.kind] -= 1
        for edge in linked.edges:
            counts[edge.kind] = counts.get(edge.kind, 0) + 1
        return replace(
            before,
            state=state_of_files(((r.state.path, r.digest) for r in current), embedder, graph, ()),
            files=len(current),
            symbols=before.symbols + self.defined,
            passages={name: before.passages[name] + more for name, more in documents.passages.items()},
            commit=git.commit(self.root, "HEAD") or "",
            edges={kind: count for kind, count in sorted(counts.items(), key=lambda one: (-one[1], one[0])) if count},
            unresolved=before.unresolved - self.old_sites + len(linked.unresolved),
            lines=sum(record.lines for record in current),
            pending=sum(not record.flowed for record in current),
        )


class _Opened:
    """Opens files that have not changed, each once."""

    def __init__(self, changes: _Changes) -> None:
        self._changes = changes
        self._files: dict[str, ParsedFile] = {}
        self._tellings = Tellings()
        self._unknown: list[str] = []
        """files of which is not known what they tell"""

    def __call__(self, path: str) -> ParsedFile:
        return self._files[path] if path in self._files else self.every([path])[0]

    def know(self, key: str, facts: Facts) -> None:
        """Learn which files tell of which names, as it was kept; of many that are not known by opening them."""
        digests = {
            path: record.digest for path, record in self._changes.unchanged.items() if record.language in DIALECTS
        }
        found = Tellings.unpacked(facts.get([key]).get(key, b""))
        if found.worn:
            found = Tellings()
        lacking = found.lacking(digests)
        if len(lacking) > UNKNOWN:
            for file in self.every(lacking):
                found.add(file.path, digests[file.path], told_by(file))
            facts.put({key: found.packed()})
            lacking = []
        self._tellings, self._unknown = found, lacking

    def telling(self, name: str) -> set[str]:
        return {*self._unknown, *(path for path in self._tellings.of(name) if path in self._changes.unchanged)}

    def every(self, paths: Sequence[str]) -> list[ParsedFile]:
        """Open many at once, which takes a third of the time."""
        missing = [path for path in paths if path not in self._files]
        records = [self._changes.unchanged[path] for path in missing]
        self._files.update(zip(missing, self._changes.opened(records), strict=True))
        return [self._files[path] for path in paths]


def _identity(record: FileRecord) -> tuple[str, str, str]:
    return record.state.path, record.language, record.digest


def _pairs(edges: Sequence[Edge]) -> set[tuple[SymbolId, SymbolId]]:
    return {(edge.source, edge.target) for edge in edges if edge.kind is EdgeKind.CALLS and edge.source != edge.target}
