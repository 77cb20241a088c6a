"""The index of one folder: opened, renewed when a file has changed, built where there is none."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import cache, cached_property
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

from plait import git, plugins, source
from plait.errors import BrokenIndex, CannotWrite, IndexBusy, NotIndexed
from plait.freshness import differences, differing, is_fresh
from plait.model import Content
from plait.protocols import Embedder, RelinkingGraphBuilder, Snapshot, Writer
from plait.scip.files import remember, remembered
from plait.settings import Settings
from plait.source.languages import language
from plait.store.embedded import FORMAT, EmbeddedSnapshot, EmbeddedWriter
from plait.store.folders import facts_of, folder_of
from plait.store.lock import WriterLock
from plait.version import __version__

# What builds is imported when it is asked for: a search of a fresh index needs none of it.
if TYPE_CHECKING:
    from plait.indexing import IndexReport
    from plait.refresh import Refreshed
    from plait.store.facts import FactsCache

Progress = Callable[[str, int, int], None]
"""As in plait.indexing."""

FLOW_LINES = 20_000
"""Lines up to which an answer waits until the flow of values has been followed: a second or two, by
benchmarks/results/callgraph-scale.txt. In larger folders it answers before, says so, and `plait index` follows it."""

FIRST_WAIT = 600.0
"""Seconds that a question waits for the first index of a folder, which another process is building, before it builds
one for itself in memory: longer than any that benchmarks/speed has measured."""


class KeptIndex:
    """One writer at a time renews it. Whoever comes second waits a moment, then answers from the last commit."""

    def __init__(self, root: Path, settings: Settings, progress: Progress, *, refresh: bool) -> None:
        self.root = root
        self.settings = settings
        self.progress = progress
        self.refresh = refresh
        """whether files are looked at before an answer"""
        self.refreshed: Refreshed | None = None
        """what the last refresh did, if there was one"""
        self._snapshot: Snapshot | None = None
        self._unwritten = ""
        """why the last snapshot had to be made in memory"""
        self.writer = ""
        """who writes the index, if the last snapshot was the commit before for that reason"""
        self._behind = ""
        """what the last snapshot does not know"""

    @cached_property
    def embedder(self) -> Embedder:
        made: Embedder = plugins.build("embedder", self.settings.embedder)
        return made

    @property
    def path(self) -> Path:
        """The index file: one for each folder and everything else that decides what is in it.

        To that belong the version of Python, whose grammar and standard library the parser and the graph go by, and the
        state of plait's own files: a newer plait never answers from what an older one has indexed.
        """
        return self.path_of(self.settings.content)

    def path_of(self, content: Content) -> Path:
        """Return the index file of another content, with everything else the same."""
        return self._folder / f"{self._kind_of(content)}.{_own_state()}.sqlite"

    @cached_property
    def _kind(self) -> str:
        return self._kind_of(self.settings.content)

    def _kind_of(self, content: Content) -> str:
        python = f"{sys.version_info.major}.{sys.version_info.minor}"
        parts = (__version__, python, FORMAT, self.embedder.fingerprint, self.settings.graph)
        mixture = "\0".join(map(str, (*parts, self.settings.max_file_bytes, self.settings.submodules, content)))
        return blake2b(mixture.encode(), digest_size=6).hexdigest()

    @property
    def _folder(self) -> Path:
        """Where everything about the root is kept."""
        return folder_of(self.settings.cache, self.root)

    @cached_property
    def _facts(self) -> FactsCache:
        from plait.store.facts import FactsCache

        return FactsCache(facts_of(self.settings.cache))

    @property
    def _code_state(self) -> str:
        return code_state()

    @property
    def notices(self) -> list[str]:
        """What someone should know about the last snapshot."""
        if self._snapshot is None:
            return []
        info = self._snapshot.info
        found = [
            f"{one.state.path}: {one.problem}; its exact edges are left out (`plait index --no-scip` forgets it)"
            for one in info.scip
            if one.problem
        ]
        if self._behind:
            found.append(self._behind)
        if self._unwritten and not isinstance(self._snapshot, EmbeddedSnapshot):
            found.append(f"{self._unwritten}; until then each answer is made in memory, and nothing of it is kept")
        if info.pending:
            found.append(
                f"calls in {info.pending} of {info.files} files are resolved by scopes, imports and types only; "
                "`plait index` follows the flow of values as well"
            )
        return found

    # What can be asked

    def snapshot(self) -> Snapshot:
        """As Engine.snapshot."""
        self._behind = self.writer = ""
        kept = self._latest(self._snapshot)
        if not self.refresh:
            if kept is None:
                raise NotIndexed(str(self.root))
            self._behind = f"{self._age(kept)}; no file has been looked at (--no-refresh)"
        else:
            listing = self._listing()
            if kept is None or not self._is_fresh(listing, kept):
                kept = self._renewed(listing, kept)
        self._snapshot = kept
        return kept

    def mended(self) -> Snapshot:
        """Return a snapshot built from nothing: what is there has turned out to be damaged."""
        try:
            held = self._lock.acquire(self.settings.wait, self._waiting)
            self._snapshot = self._built(None, self._listing()) if held else self._in_memory(None, self._busy)
        finally:
            self._lock.release()
        return self._snapshot

    def build(self, *, force: bool = False, scip: Sequence[str | Path] | None = None) -> IndexReport:
        """As Engine.index."""
        given = None if scip is None else [Path(os.path.abspath(Path(path).expanduser())) for path in scip]
        if not self._lock.acquire(self.settings.wait, self._waiting):
            raise IndexBusy(str(self.root), self._busy)
        self._behind = self.writer = ""
        try:
            try:
                report = self._build(None if force else self._committed(), given)
            except BrokenIndex:
                report = self._build(None, given)
            if given is not None:
                remember(self._folder, given)
        finally:
            self._lock.release()
        return report

    # What is there

    def _latest(self, kept: Snapshot | None) -> Snapshot | None:
        """Return the last commit, which is `kept` itself if it is that, or what was made in memory; None without one
        that can be read.
        """
        if kept is None or (isinstance(kept, EmbeddedSnapshot) and not kept.is_current):
            return self._committed() or kept
        return kept

    def _committed(self) -> EmbeddedSnapshot | None:
        try:
            return EmbeddedSnapshot(self.path)
        except (FileNotFoundError, BrokenIndex):
            return None

    def _listing(self) -> source.Listing:
        settings = self.settings
        return source.discover(self.root, submodules=settings.submodules, reasons=False, content=settings.content)

    def _is_fresh(self, listing: source.Listing, snapshot: Snapshot) -> bool:
        try:
            return is_fresh(listing, snapshot, remembered(self._folder))
        except BrokenIndex:
            return False

    def _age(self, kept: Snapshot) -> str:
        info = kept.info
        told = "the answer is from memory"
        if isinstance(kept, EmbeddedSnapshot):
            with suppress(OSError):
                told = f"the index is of {_time(kept.segments[-1].path.stat().st_mtime)}"
        if not info.commit:
            return told
        now = git.commit(self.root, "HEAD") or "none"
        also = f" ({now[:12]} is checked out now)" if now != info.commit else ""
        return f"{told}, at commit {info.commit[:12]}{also}"

    # Who writes

    @cached_property
    def _lock(self) -> WriterLock:
        return WriterLock(self._folder / f"{self._kind}.lock")

    @property
    def _busy(self) -> str:
        """Who writes the index now."""
        holder = self._lock.holder()
        if holder is None:
            return "another process is writing the index"
        return f"process {holder.pid} has been writing the index since {_time(holder.since)}"

    def _waiting(self, waited: float, longest: float) -> None:
        self.progress("waiting for the other writer", int(waited), int(longest))

    # How it is renewed

    def _renewed(self, listing: source.Listing, kept: Snapshot | None) -> Snapshot:
        """Return the snapshot of the files as they are, or what there is while somebody else writes."""
        wait = self.settings.wait if kept is not None else max(self.settings.wait, FIRST_WAIT)
        try:
            held = self._lock.acquire(wait, self._waiting)
        except CannotWrite as error:
            return self._in_memory(kept, str(error))
        try:
            latest = self._latest(kept)
            if latest is not kept or not held:
                kept, listing = latest, self._listing()  # somebody has committed meanwhile, or still writes
            if kept is not None and self._is_fresh(listing, kept):
                return kept
            if held:
                return self._refreshed(listing, kept) or self._built(kept, listing)
        except BrokenIndex:
            kept = None
            if held:
                return self._built(None, listing)
        finally:
            self._lock.release()
        if kept is None:
            return self._in_memory(None, self._busy)
        count = differences(listing, kept).files
        unknown = f"{count:,} file{'s' * (count != 1)} that changed" if count else "SCIP indexes that changed"
        self.writer = self._busy
        self._behind = f"{self.writer}; this answer is from the last commit and does not know {unknown}"
        return kept

    def _built(self, before: Snapshot | None, listing: source.Listing) -> Snapshot:
        """Build anew, in memory if it cannot be kept; what was there stays then."""
        try:
            self._build(before, listing=listing, defer=FLOW_LINES)
        except CannotWrite as error:
            return self._in_memory(before, str(error))
        assert self._snapshot is not None
        return self._snapshot

    def _in_memory(self, before: Snapshot | None, reason: str) -> Snapshot:
        from plait.store.memory import MemoryWriter

        self._unwritten = reason
        self._build(before, defer=FLOW_LINES, writer=MemoryWriter())
        assert self._snapshot is not None
        return self._snapshot

    def _build(
        self,
        before: Snapshot | None,
        given: Sequence[Path] | None = None,
        *,
        listing: source.Listing | None = None,
        defer: int | None = None,
        writer: Writer | None = None,
    ) -> IndexReport:
        from plait.indexing import build

        self._snapshot, report = build(
            self.root,
            writer or EmbeddedWriter(self.path),
            self.embedder,
            graph=self.settings.graph,
            max_file_bytes=self.settings.max_file_bytes,
            submodules=self.settings.submodules,
            content=self.settings.content,
            listing=listing,
            before=before,
            facts=self._facts,
            code_state=self._code_state,
            progress=self.progress,
            scip=remembered(self._folder) if given is None else given,
            must_join=given is not None,
            defer=defer,
        )
        if writer is None:
            self._sweep()
        return report

    def _sweep(self) -> None:
        """Delete the indexes that another plait has made with the same settings."""
        for outdated in sorted(self._folder.glob(f"{self._kind}.*")):
            if outdated.suffix in (".sqlite", ".changes") and not outdated.name.startswith(self.path.name):
                with suppress(OSError):
                    outdated.unlink()

    def _refreshed(self, listing: source.Listing, before: Snapshot | None) -> Snapshot | None:
        """Return the snapshot with what an edit has changed; None if it must be built anew, or cannot be kept."""
        if not isinstance(before, EmbeddedSnapshot) or not self._can_refresh(before, listing):
            return None
        from plait.refresh import refresh
        from plait.store.changes import EmbeddedChanges

        try:
            done = refresh(
                self.root,
                listing.explained(),
                before,
                EmbeddedChanges(before),
                self.embedder,
                graph=self.settings.graph,
                max_file_bytes=self.settings.max_file_bytes,
                facts=self._facts,
                code_state=self._code_state,
                progress=self.progress,
            )
        except CannotWrite:
            return None
        if done is None:
            return None
        snapshot, self.refreshed = done
        return snapshot

    def _can_refresh(self, before: Snapshot, listing: source.Listing) -> bool:
        """Whether what a refresh gives is all there is to have, or all that one waits for."""
        builder = plugins.build("graph", self.settings.graph)
        if remembered(self._folder) or not isinstance(builder, RelinkingGraphBuilder):
            return False
        if not builder.in_part or before.info.lines > FLOW_LINES:
            return True
        return not any(language(path) in builder.in_part for path in differing(listing, before))


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).astimezone().isoformat(timespec="seconds")


def code_state() -> str:
    """Return what facts that are kept depend on beside their files: the grammar, and plait's own code."""
    return f"{sys.version_info[:2]}{_own_state()}"


@cache
def _own_state() -> str:
    """Return a digest of plait's files by size and time."""
    states: list[tuple[str, int, int]] = []
    waiting = [str(Path(__file__).parent)]
    while waiting:
        with os.scandir(waiting.pop()) as found:
            for entry in found:
                if entry.name.endswith(".py"):
                    status = entry.stat()
                    states.append((entry.path, status.st_size, status.st_mtime_ns))
                elif entry.is_dir() and entry.name != "__pycache__":
                    waiting.append(entry.path)
    return blake2b(repr(sorted(states)).encode(), digest_size=6).hexdigest()
