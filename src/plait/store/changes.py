"""Writes a snapshot as changes to another one: what is not named stays.

The changes of a built file are one further segment (`plait.store.embedded`), written anew with each commit; when there
are many, both are joined into one built file. Either way the snapshot holds what building all anew would give.
"""

from __future__ import annotations

import secrets
from array import array
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from plait.batch import DIGEST
from plait.document import EMBEDDED, SMOOTHED
from plait.links import links_of
from plait.model import (
    FileRecord,
    Graph,
    Recovered,
    Skipped,
    SnapshotInfo,
    Symbol,
    SymbolId,
)
from plait.store import records
from plait.store.embedded import EmbeddedSnapshot, changes_of, put, sweep, writing
from plait.store.segment import Segment
from plait.store.segment_writer import SegmentWriter

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from plait.batch import Batch
    from plait.model import Codes

FEW = 1000
PART = 0.05
"""Up to FEW symbols, or this part of those that were built, changes stay a file of their own: writing them anew takes
some milliseconds for a hundred, joining takes seconds for a hundred thousand."""


class EmbeddedChanges:
    """Nothing is visible before `commit`, nothing remains without it."""

    def __init__(self, snapshot: EmbeddedSnapshot) -> None:
        self._before = snapshot
        self._puts: list[tuple[Sequence[Symbol], Batch]] = []
        self._derived: dict[str, list[Codes]] = {}
        self._removed: set[SymbolId] = set()
        self._graph = Graph((), ())
        self._paths: frozenset[str] = frozenset()
        self._files: Sequence[FileRecord] = ()
        self._gone: frozenset[str] = frozenset()
        self._skipped: Sequence[Skipped] = ()
        self._recovered: Sequence[Recovered] = ()

    def put(self, symbols: Sequence[Symbol], batch: Batch) -> None:
        """Add symbols, or put them in the place of those with the same ids; else as Writer.put."""
        self._puts.append((symbols, batch))

    def derive(self, template: str, codes: Codes) -> None:
        """As Writer.derive, for what was put."""
        self._derived.setdefault(template, []).append(codes)

    def remove(self, symbols: Iterable[SymbolId]) -> None:
        """Take symbols out; those that are put as well stay."""
        self._removed.update(symbols)

    def connect(self, graph: Graph, paths: Collection[str]) -> None:
        """Put edges and sites in the place of all that lie in these files."""
        self._graph, self._paths = graph, frozenset(paths)

    def observe(
        self,
        files: Sequence[FileRecord],
        gone: Collection[str],
        skipped: Sequence[Skipped],
        recovered: Sequence[Recovered],
    ) -> None:
        """Set files that are new or changed, those that are gone, and all that is skipped or recovered now."""
        self._files, self._gone, self._skipped, self._recovered = files, frozenset(gone), skipped, recovered

    def commit(self, info: SnapshotInfo) -> EmbeddedSnapshot:
        before = self._before
        new = {symbol.id for symbols, _ in self._puts for symbol in symbols}
        replaced = new | self._removed
        numbers = before.base.numbers(sorted(replaced))
        masked = before.masked | {number for number in numbers.values() if number < before.base.count}
        base = self._base_now()
        joined = self._is_much(len(new)) or base is None
        parts = [_Part(before.base, masked, before.relinked | self._paths)] if joined else []
        if before.changes is not None:
            own = before.changes.numbers(sorted(replaced))
            parts.append(_Part(before.changes, set(own.values()), set(self._paths)))
        with writing(before.path):
            segment = SegmentWriter(before.path)
            numbering = self._numbering(parts)
            for part in parts:
                part.carry(segment, numbering)
            for symbols, batch in self._puts:
                put(segment, [numbering[symbol.id] for symbol in symbols], symbols, batch)
            for template, found in self._derived.items():
                for codes in found:
                    segment.derived(template, codes)
            for part in parts:
                part.carry_graph(segment)
            segment.links(links_of(self._graph))
            self._write_files(segment, parts, joined)
            segment.skipped(self._skipped)
            segment.recovered(self._recovered)
            if base is None or joined:
                made = EmbeddedSnapshot.of(before.path, segment.finish(info, secrets.token_hex(6), before.path))
            else:
                segment.array("masked", array("I", sorted(masked)).tobytes())
                segment.insert("relinked", ((path,) for path in sorted(before.relinked | self._paths)), 1)
                written = segment.finish(info, base.token, changes_of(before.path, base.token))
                made = EmbeddedSnapshot.of(before.path, base, written)
            sweep(before.path)
        return made

    def _is_much(self, new: int) -> bool:
        kept: int = self._before.changes.count if self._before.changes is not None else 0
        built: int = self._before.base.count
        return new + kept > max(FEW, int(PART * built))

    def _base_now(self) -> Segment | None:
        """Open what was built once more; None if somebody has built anew, or cleared, in between.

        Changes to a file that is gone are never read.
        """
        try:
            found = Segment(self._before.path)
        except FileNotFoundError:
            return None
        return found if found.token == self._before.base.token else None

    def _numbering(self, parts: Sequence[_Part]) -> dict[SymbolId, int]:
        ids = {symbol.id for symbols, _ in self._puts for symbol in symbols}
        for part in parts:
            ids.update(part.ids.values())
        return {symbol: number for number, symbol in enumerate(sorted(ids))}

    def _write_files(self, segment: SegmentWriter, parts: Sequence[_Part], joined: bool) -> None:
        changed = {record.state.path for record in self._files}
        if joined:
            kept = [r for r in self._before.records() if r.state.path not in changed | self._gone]
            segment.files([*kept, *self._files])
            return
        gone = set(self._gone)
        for part in parts:
            rows = part.segment.all("SELECT * FROM files ORDER BY path")
            segment.insert("files", (row for row in rows if row[0] not in changed | self._gone), 11)
            gone |= {path for (path,) in part.segment.all("SELECT path FROM gone")} - changed
        segment.files(self._files)
        segment.insert("gone", ((path,) for path in sorted(gone)), 1)


@dataclass(slots=True)
class _Part:
    """What of a segment goes on into another one."""

    segment: Segment
    masked: set[int]
    relinked: Collection[str]
    ids: dict[int, SymbolId] = field(init=False)
    """of the symbols that stay, by number"""

    def __post_init__(self) -> None:
        rows = self.segment.all("SELECT number, id FROM symbols ORDER BY number")
        self.ids = {number: SymbolId(symbol) for number, symbol in rows if number not in self.masked}

    def carry(self, into: SegmentWriter, numbering: Mapping[SymbolId, int]) -> None:
        import numpy as np

        new = np.full(self.segment.count, -1, dtype=np.int64)
        for number, symbol in self.ids.items():
            new[number] = numbering[symbol]
        into.symbols(
            (int(new[row[0]]), *row[1:])
            for row in self.segment.all("SELECT * FROM symbols ORDER BY number")
            if row[0] in self.ids
        )
        lengths = self.segment.lengths
        into.lengths({int(new[number]): int(lengths[number]) for number in self.ids})
        for term, blob in self.segment.all("SELECT term, rows FROM postings ORDER BY term"):
            rows = _renumbered(np.frombuffer(blob, dtype=np.uint32).reshape(-1, 2), new)
            if len(rows):
                into.postings(term, rows)
        for template in EMBEDDED:
            matrix = self.segment.matrix(template)
            kept = new[matrix.owners] >= 0
            spans = self.segment.array(f"{template}/spans", np.int32).reshape(-1, 4)
            digests = self.segment.array(f"{template}/digests", np.uint8).reshape(-1, DIGEST)
            owners = new[matrix.owners[kept]].astype(np.uint32)
            into.passages(template, owners, spans[kept], digests[kept].tobytes(), matrix.codes[kept])
        derived = self.segment.matrix(SMOOTHED)
        into.derived(SMOOTHED, derived.codes[new[derived.owners] >= 0])

    def carry_graph(self, into: SegmentWriter) -> None:
        """Edges and sites of files that were not linked anew."""
        rows = self.segment.all(f"SELECT {records.EDGE} FROM edges ORDER BY source, kind, target, via")
        sites = self.segment.all(f"SELECT {records.SITE} FROM unresolved ORDER BY rowid")
        left_out = {number for number, path in self.segment.paths.items() if path in self.relinked}
        ids = dict(self.segment.all("SELECT number, id FROM symbols"))
        ids |= dict(self.segment.all("SELECT number, id FROM foreign_symbols"))
        paths = self.segment.paths
        into.insert(
            "edges",
            (
                (into.number(ids[source]), into.number(ids[target]), *rest[:4], into.path(paths[rest[4]]), *rest[5:])
                for source, target, *rest in rows
                if rest[4] not in left_out
            ),
            9,
        )
        into.insert(
            "unresolved",
            (
                (into.number(ids[row[0]]), *row[1:8], into.path(paths[row[8]]), *row[9:])
                for row in sites
                if row[8] not in left_out
            ),
            11,
        )


def _renumbered(rows: NDArray[np.uint32], new: NDArray[np.int64]) -> NDArray[np.uint32]:
    import numpy as np

    numbers = new[rows[:, 0]]
    kept = numbers >= 0
    return np.stack([numbers[kept].astype(np.uint32), rows[kept, 1]], axis=1)
