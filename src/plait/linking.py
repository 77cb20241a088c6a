"""From facts to a graph in parts: some files at a time, in several processes if that pays."""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass

from plait import plugins
from plait.collector import paused
from plait.document import Neighbours
from plait.facts import Outline, ParsedFile
from plait.gathered import ParsedFiles
from plait.links import Links, links_of
from plait.model import EdgeKind, Evidence, Unknown
from plait.packing import pack, unpack
from plait.processes import Pool, processes
from plait.protocols import RelinkingGraphBuilder
from plait.spool import Spool

PART = 1_000
"""Files that are linked at once: each part lists all others anew, and opens what it imports."""

WORTH_PROCESSES = 400
"""Files from which processes pay."""

PARTS = 2
"""For each process, so that one whose files are easier takes more of them."""


class Linked:
    """A graph in parts. The last one is held as it is, so that a graph in one part is never packed."""

    def __init__(self) -> None:
        self.neighbours = Neighbours()
        self.edges: Counter[tuple[EdgeKind, Evidence]] = Counter()
        self.unresolved: Counter[Unknown] = Counter()
        self._packed = Spool()
        self._count = 0
        self._last: tuple[Links | None, bytes] = None, b""

    def add(self, part: Links, packed: bytes = b"") -> None:
        """`packed` holds the part, if it was packed anyway."""
        self.neighbours.add_links(part)
        _, _, kinds, _, evidence, *_ = part.edge_columns()
        pairs = Counter(zip(kinds.tolist(), evidence.tolist(), strict=True))
        self.edges.update({(EdgeKind(part.texts[kind]), Evidence(how)): n for (kind, how), n in pairs.items()})
        reasons = Counter(part.site_columns()[9].tolist())
        self.unresolved.update({Unknown(part.texts[reason]): n for reason, n in reasons.items()})
        last, last_packed = self._last
        if last is not None:
            self._packed.put(str(self._count), last_packed or pack(last))
            self._count += 1
        self._last = part, packed

    def parts(self) -> Iterator[Links]:
        for number in range(self._count):
            part = unpack(self._packed.get(str(number)), Links)
            assert part is not None
            yield part
        last, _ = self._last
        if last is not None:
            yield last


class _Opened:
    """Files of languages that are linked apart; all others are linked together, so nobody asks what they tell."""

    def __init__(self, files: ParsedFiles) -> None:
        self._files = files

    def __call__(self, path: str) -> ParsedFile:
        return self._files[path]

    def every(self, paths: Sequence[str]) -> list[ParsedFile]:
        return [self._files[path] for path in paths]

    def telling(self, name: str) -> Sequence[str]:
        return ()


@dataclass(frozen=True, slots=True)
class _Linker:
    builder: RelinkingGraphBuilder
    files: ParsedFiles
    apart: Sequence[str]
    """by path"""

    def link(self, start: int, end: int) -> Links:
        """Link these of the files that can be linked apart."""
        around = [self.files.outlines[path] for path in (*self.apart[:start], *self.apart[end:])]
        with paused():
            files = [self.files[path] for path in self.apart[start:end]]
            return links_of(self.builder.relink(files, around, _Opened(self.files)))


def in_parts_of(
    graph: str, builder: RelinkingGraphBuilder, files: ParsedFiles, languages: Mapping[str, str], pool: Pool
) -> Generator[tuple[int, Links, bytes], None, None]:
    """Yield how many files are linked, and the edges and sites of the last ones, packed as well if they were.

    `graph` is the builder's name; `languages` are those of the files, by path.
    """
    apart = sorted(path for path in files if languages[path] in builder.apart)
    if any(outline.module == "__init__" for outline in files.outlines.values()):
        apart = []  # by which name the root is imported depends on all files
    together = sorted(files.outlines.keys() - set(apart))
    if together:
        with paused():
            linked = links_of(builder.relink([files[path] for path in together], (), _Opened(files)))
        yield len(together), linked, b""
    if len(apart) >= WORTH_PROCESSES and processes() > 1 and files.in_memory:
        yield from _by_processes(graph, files, apart, len(together), pool)
        return
    linker = _Linker(builder, files, apart)
    for start in range(0, len(apart), PART):
        linked = linker.link(start, start + PART)
        if start + PART < len(apart):
            gc.collect()  # what infers refers to itself, and holds every file that the part has opened
        yield min(len(files), len(together) + start + PART), linked, b""


def _by_processes(
    graph: str, files: ParsedFiles, apart: Sequence[str], done: int, pool: Pool
) -> Generator[tuple[int, Links, bytes], None, None]:
    size = min(PART, -(-len(apart) // (PARTS * processes())))
    starts = range(0, len(apart), size)
    held = {path: files.packed(path) for path in apart}
    ranges = [(start, min(start + size, len(apart))) for start in starts]
    outlines = [files.outlines[path] for path in apart]
    with closing(pool.mapped(_linked, ranges, _linker, graph, held, outlines)) as found:
        for (_, end), packed in zip(ranges, found, strict=True):
            part = unpack(packed, Links)
            assert part is not None
            yield done + end, part, packed


def _linker(graph: str, held: Mapping[str, bytes], outlines: Sequence[Outline]) -> _Linker:
    builder = plugins.build("graph", graph)
    assert isinstance(builder, RelinkingGraphBuilder)
    return _Linker(builder, ParsedFiles.packed_before(outlines, held), sorted(held))


def _linked(linker: _Linker, part: tuple[int, int]) -> bytes:
    packed = pack(linker.link(*part))
    gc.collect()
    return packed
