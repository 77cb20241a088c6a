"""What is indexed of a folder, and whether that is still so. Nothing is built or written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from plait import git, source
from plait.errors import BrokenIndex
from plait.freshness import Differences, differences
from plait.model import Content, Recovered, Skipped, SnapshotInfo
from plait.scip.files import remembered, state_of
from plait.settings import Settings
from plait.source.languages import content_of
from plait.store.embedded import EmbeddedSnapshot
from plait.store.folders import Kept, kept


@dataclass(frozen=True, slots=True)
class Indexed:
    """One content of a folder, whichever was asked about."""

    content: Content
    files: int
    """there are now; a notebook counts as code"""
    info: SnapshotInfo | None
    """of its own index; None without"""


@dataclass(frozen=True, slots=True)
class Status:
    root: Path
    settings: Settings
    index: Kept | None
    """the index that a question with these settings would be answered from"""
    info: SnapshotInfo | None
    """None without an index, and for a damaged one"""
    others: tuple[Kept, ...]
    """indexes of the folder by other settings or another plait"""
    files: int
    """files there are now in a language that plait reads"""
    contents: tuple[Indexed, ...]
    """code, docs and config, in this order"""
    by_git: bool
    """whether git lists the files"""
    commit: str
    """what git has checked out now; empty without"""
    changed: Differences
    scip_changed: bool
    skipped: tuple[Skipped, ...]
    """as in the index; without one, what is left out before any file is read"""
    recovered: tuple[Recovered, ...]
    """as in the index"""

    @property
    def fresh(self) -> bool:
        return self.info is not None and not (self.changed.files or self.scip_changed)


def status(root: Path, settings: Settings, paths: Mapping[Content, Path]) -> Status:
    """Compare an index file, which need not be there, with the folder as it is. `paths` are those of all contents."""
    path = paths[settings.content]
    here = kept(path.parent)
    listing = source.discover(root, submodules=settings.submodules, content=settings.content)
    snapshot, info, skipped, recovered = _indexed(path)
    scip = list(map(state_of, remembered(path.parent)))
    return Status(
        root=root,
        settings=settings,
        index=next((one for one in here if one.path == path), None),
        info=info,
        others=tuple(one for one in here if one.is_index and one.path not in paths.values()),
        files=len(listing.files),
        contents=_contents(listing, paths),
        by_git=listing.by_git,
        commit=git.commit(root, "HEAD") or "",
        changed=differences(listing, snapshot),
        scip_changed=info is not None and scip != [one.state for one in info.scip],
        skipped=listing.skipped if info is None else tuple(skipped),
        recovered=tuple(recovered),
    )


def _contents(listing: source.Listing, paths: Mapping[Content, Path]) -> tuple[Indexed, ...]:
    if listing.content is Content.ALL:
        found = Counter(content_of(state.path) for state in listing.files)
    else:
        found = Counter({listing.content: len(listing.files), **dict(listing.others)})
    return tuple(Indexed(one, found[one], _indexed(paths[one])[1]) for one in Content if one is not Content.ALL)


def _indexed(
    path: Path,
) -> tuple[EmbeddedSnapshot | None, SnapshotInfo | None, Sequence[Skipped], Sequence[Recovered]]:
    try:
        snapshot = EmbeddedSnapshot(path)
        return snapshot, snapshot.info, snapshot.skipped(), snapshot.recovered()
    except (FileNotFoundError, BrokenIndex):
        return None, None, (), ()
