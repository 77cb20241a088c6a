"""The corpus of a mined collection: the files of the base, without tests and without documentation that is asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from plait.extraction import parse
from plait.facts import ParsedFile
from plait.mining.docstrings import without
from plait.model import SourceFile, Symbol, SymbolId
from plait.parse.treesitter.parser import is_test
from plait.source import made

IGNORING = ".plaitignore"


def bare(files: Mapping[str, bytes], documented: Sequence[Symbol]) -> tuple[dict[str, bytes], frozenset[SymbolId]]:
    """Return the files without tests, and without the documentation of those symbols as far as it can be taken out.

    The symbols whose documentation is out come with it. Lines stay where they were. A file whose symbols would not be
    the same afterwards stays as it is.
    """
    by_path: dict[str, list[Symbol]] = {}
    for symbol in documented:
        by_path.setdefault(symbol.path, []).append(symbol)
    written: dict[str, bytes] = {}
    out: set[SymbolId] = set()
    for path, content in files.items():
        if is_test(path):
            continue
        written[path] = content
        if path in by_path and (changed := _without(path, content, by_path[path])) is not None:
            written[path] = changed
            out.update(symbol.id for symbol in by_path[path])
    return written, frozenset(out)


def _without(path: str, content: bytes, symbols: Sequence[Symbol]) -> bytes | None:
    file = made(path, content)
    if not isinstance(file, SourceFile):
        return None
    whole = file.text.encode()
    for symbol in sorted(symbols, key=lambda one: -one.span.start_byte):
        start, end = symbol.span.start_byte, symbol.span.end_byte
        text = without(symbol, whole[start:end].decode())
        if text is None:
            return None
        whole = whole[:start] + text.encode() + whole[end:]
    again = made(path, whole)
    before = parse(file, flow=False)
    after = parse(again, flow=False) if isinstance(again, SourceFile) else None
    if not isinstance(before, ParsedFile) or not isinstance(after, ParsedFile):
        return None
    same = {one.id for one in before.symbols} == {one.id for one in after.symbols}
    asked = {symbol.id for symbol in symbols}
    return whole if same and not any(one.docstring for one in after.symbols if one.id in asked) else None


def write(folder: Path, files: Mapping[str, bytes]) -> None:
    for path, content in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
