"""Arrow tables that are kept on the local disk, and what is read of their columns. Who deletes them only makes work."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plait.store.lance.tables import arrow

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray


def mapped(path: Path) -> pa.Table | None:
    """Return a table where it lies, mapped into memory; None if none is there."""
    ipc, invalid, memory_map = arrow().ipc, arrow().ArrowInvalid, arrow().memory_map
    found: pa.Table | None = None
    with suppress(OSError, invalid):
        found = ipc.open_file(memory_map(str(path))).read_all()
    return found


def keep(path: Path, rows: pa.Table) -> None:
    """Put a table there, whole or not at all, each of its columns in one piece. Raises OSError."""
    pa = arrow()
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, aside = tempfile.mkstemp(dir=path.parent)
    os.close(handle)
    with pa.OSFile(aside, "wb") as file, pa.ipc.new_file(file, rows.schema) as writer:
        writer.write_table(rows, max_chunksize=max(1, len(rows)))
    os.replace(aside, path)


def as_matrix(lists: Any) -> Any:
    """Return an array of fixed-size lists as a matrix, without copying."""
    return lists.flatten().to_numpy(zero_copy_only=False).reshape(len(lists), -1)


def rows_at(
    numbers: Sequence[int], ends: NDArray[np.integer[Any]], rows: NDArray[np.integer[Any]] | None
) -> NDArray[np.int64]:
    """Return the rows of these numbers, number by number. `ends` are the numbers of all rows, ascending, and `rows` the
    rows in that order (None: they lie so).
    """
    import numpy as np

    wanted = np.array(sorted(numbers), dtype=ends.dtype)  # of another type, all ends would be copied
    firsts, lasts = np.searchsorted(ends, wanted, "left"), np.searchsorted(ends, wanted, "right")
    places = [np.arange(first, last) for first, last in zip(firsts, lasts, strict=True) if last > first]
    found = np.concatenate([np.zeros(0, dtype=np.int64), *places])
    return found if rows is None else rows[found].astype(np.int64)
