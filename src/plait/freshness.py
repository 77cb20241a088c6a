"""Whether an index is of the files as they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from plait.protocols import Snapshot
from plait.scip.files import state_of
from plait.source import Listing


@dataclass(frozen=True, slots=True)
class Differences:
    """How many files that plait reads, `.plaitignore` files among them, differ from those that a snapshot read."""

    new: int
    edited: int
    gone: int

    @property
    def files(self) -> int:
        return self.new + self.edited + self.gone


def is_fresh(listing: Listing, snapshot: Snapshot, scip: Sequence[Path] = ()) -> bool:
    """Whether the files that plait reads are those that the snapshot read, by size, times and inode.

    So must be the SCIP indexes to join.
    """
    return listing.observed == snapshot.files() and list(map(state_of, scip)) == [
        one.state for one in snapshot.info.scip
    ]


def differing(listing: Listing, snapshot: Snapshot) -> list[str]:
    """Return the paths of the files that differ, by path."""
    return sorted({state.path for state in {*listing.observed} ^ {*snapshot.files()}})


def differences(listing: Listing, snapshot: Snapshot | None) -> Differences:
    """Compare the same; without a snapshot every file is new."""
    before = {state.path: state for state in (snapshot.files() if snapshot is not None else ())}
    now = {state.path: state for state in listing.observed}
    return Differences(
        new=len(now.keys() - before.keys()),
        edited=sum(now[one] != before[one] for one in now.keys() & before.keys()),
        gone=len(before.keys() - now.keys()),
    )
