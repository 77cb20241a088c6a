"""What one build has read and parsed, packed: only what is being worked on is open."""

from __future__ import annotations

import sys
import zlib
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter

from plait.facts import Brief, Outline, ParsedFile, outline_of
from plait.model import Recovered, SourceFile, Symbol, SymbolId
from plait.packing import pack, unpack
from plait.parse.naming import module_id
from plait.spool import Spool

OPEN_SYMBOLS = 40_000
"""Symbols of the files that stay open, about 6 kB each with all facts of their files. Files of 600,000 lines have as
many, and are opened only once."""

HELD_SYMBOLS = 100_000
"""Symbols that are held by themselves, about 1 kB each, so that files are not opened for them."""


@dataclass(frozen=True, slots=True)
class About:
    """What is asked of a file when its text is not."""

    language: str
    digest: str
    lines: int
    characters: int
    cells: tuple[int, ...] = ()

    @classmethod
    def of(cls, file: SourceFile) -> About:
        return cls(file.language, file.digest, file.text.count("\n") + 1, len(file.text), file.cells)


class Sources(Mapping[str, SourceFile]):
    """Files that were read, by path, in the order in which they were added."""

    def __init__(self) -> None:
        self.about: dict[str, About] = {}
        self._texts = Spool()

    def add(self, file: SourceFile) -> None:
        self.about[file.path] = About.of(file)
        self._texts.put(file.path, zlib.compress(file.text.encode(errors="surrogatepass"), 1))

    def __getitem__(self, path: str) -> SourceFile:
        about = self.about[path]
        text = zlib.decompress(self._texts.get(path)).decode(errors="surrogatepass")
        return SourceFile(path, about.language, text, about.digest, about.cells)

    def __iter__(self) -> Iterator[str]:
        return iter(self.about)

    def __len__(self) -> int:
        return len(self.about)


def pack_file(file: ParsedFile, told: Iterable[str] | None, recovered: Recovered | None) -> bytes:
    """Pack a file's facts behind what is asked of it when they stay packed."""
    brief = Brief(outline_of(file), file.symbols, None if told is None else tuple(told), recovered)
    return pack(brief, file)


def unpack_brief(packed: bytes) -> Brief | None:
    return unpack(packed, Brief)


def unpack_file(packed: bytes) -> ParsedFile | None:
    return unpack(packed, ParsedFile, place=1)


class ParsedFiles(Mapping[str, ParsedFile]):
    """Facts of files, by path, in the order in which they were added.

    Those asked for last stay open, up to `open_symbols` of their symbols; without a limit, all. The symbols alone are
    held of more files, up to `held_symbols`.
    """

    def __init__(self, open_symbols: int | None = OPEN_SYMBOLS, held_symbols: int = HELD_SYMBOLS) -> None:
        self.outlines: dict[str, Outline] = {}
        self.names: dict[SymbolId, str] = {}
        """of all symbols"""
        self._limit, self._room = open_symbols, held_symbols
        self._facts = Spool()
        self._open: OrderedDict[str, ParsedFile] = OrderedDict()
        self._symbols = 0
        self._held: dict[str, Sequence[Symbol]] = {}

    @classmethod
    def packed_before(cls, outlines: Iterable[Outline], packed: Mapping[str, bytes]) -> ParsedFiles:
        """Return files by their outlines and packed facts, without `names`."""
        made = cls()
        for outline in outlines:
            made.outlines[outline.path] = outline
            made._facts.put(outline.path, packed[outline.path])
        return made

    def packed(self, path: str) -> bytes:
        """Raises KeyError where all files stay open."""
        return self._facts.get(path)

    @property
    def stay_open(self) -> bool:
        return self._limit is None

    @property
    def in_memory(self) -> bool:
        """Whether the packed facts of all files are in memory."""
        return not self.stay_open and self._facts.in_memory

    def add(self, brief: Brief, packed: bytes) -> None:
        """Add a file that is packed, and opened when it is asked for."""
        path = brief.outline.path
        self._note(brief.outline, brief.symbols)
        self._facts.put(path, packed)
        if len(brief.symbols) <= self._room:
            self._room -= len(brief.symbols)
            self._held[path] = brief.symbols

    def add_open(self, file: ParsedFile) -> None:
        """Add a file where all stay open."""
        self._note(outline_of(file), file.symbols)
        self._keep(file)

    def _note(self, outline: Outline, symbols: Iterable[Symbol]) -> None:
        self.outlines[outline.path] = outline
        self.names.update((symbol.id, sys.intern(symbol.name)) for symbol in symbols)

    def _keep(self, file: ParsedFile) -> None:
        self._open[file.path] = file
        self._symbols += len(file.symbols)
        while self._limit is not None and self._symbols > self._limit and len(self._open) > 1:
            _, closed = self._open.popitem(last=False)
            self._symbols -= len(closed.symbols)

    def __getitem__(self, path: str) -> ParsedFile:
        found = self._open.get(path)
        if found is not None:
            self._open.move_to_end(path)
            return found
        opened = unpack_file(self._facts.get(path))
        if opened is None:
            raise KeyError(path)
        self._keep(opened)
        return opened

    def __iter__(self) -> Iterator[str]:
        return iter(self.outlines)

    def __len__(self) -> int:
        return len(self.outlines)

    def symbols(self) -> Iterator[Symbol]:
        """Yield all symbols by id, a file at a time: the ids of one file begin alike, as those of no other do."""
        for path in sorted(self.outlines, key=module_id):
            yield from sorted(self._symbols_of(path), key=attrgetter("id"))

    def _symbols_of(self, path: str) -> Sequence[Symbol]:
        if path in self._held:
            return self._held[path]
        if path in self._open:
            return self._open[path].symbols
        brief = unpack_brief(self._facts.get(path))
        if brief is None:
            raise KeyError(path)
        return brief.symbols
