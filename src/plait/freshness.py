"""Whether an index is of the files as they are."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from plait.protocols import Snapshot
from plait.scip.files import state_of
from plait.source import Listing


def is_fresh(listing: Listing, snapshot: Snapshot, scip: Sequence[Path] = ()) -> bool:
    """Whether the files that plait reads are those that the snapshot read, by size, times and inode.

    So must be the SCIP indexes to join.
    """
    return listing.observed == snapshot.files() and list(map(state_of, scip)) == [
        one.state for one in snapshot.info.scip
    ]
