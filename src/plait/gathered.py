"""What one build has read and parsed, packed: only what is being worked on is open."""

from __future__ import annotations

import sys
import zlib
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from plait.facts import Outline, ParsedFile, outline_of
from plait.model import SourceFile, Symbol, SymbolId
from plait.packing import unpack
from plait.parse.naming import module_id
from plait.spool import Spool

OPEN_SYMBOLS = 40_000
"""Symbols of the files that stay open, about 6 kB each with all facts of their files. Files of 600,000 lines have as
many, and are opened only once."""


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


class ParsedFiles(Mapping[str, ParsedFile]):
    """Facts of files, by path, in the order in which they were added.

    Those asked for last stay open, up to `open_symbols` of their symbols; without a limit, all.
    """

    def __init__(self, open_symbols: int | None = OPEN_SYMBOLS) -> None:
        self.outlines: dict[str, Outline] = {}
        self.names: dict[SymbolId, str] = {}
        """of all symbols"""
        self._limit = open_symbols
        self._facts = Spool()
        self._open: OrderedDict[str, ParsedFile] = OrderedDict()
        self._symbols = 0

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
    def in_memory(self) -> bool:
        """Whether the packed facts of all files are in memory."""
        return self._limit is not None and self._facts.in_memory

    def add(self, file: ParsedFile, packed: bytes) -> None:
        """`packed` holds the file; it is not looked at where all files stay open."""
        self.outlines[file.path] = outline_of(file)
        self.names.update((symbol.id, sys.intern(symbol.name)) for symbol in file.symbols)
        if self._limit is not None:
            self._facts.put(file.path, packed)
        self._keep(file)

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
        opened = unpack(self._facts.get(path), ParsedFile)
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
            yield from sorted(self[path].symbols, key=lambda symbol: symbol.id)
