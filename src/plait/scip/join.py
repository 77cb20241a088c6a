"""Joins a SCIP index with the facts of the files: which definition does it name at which of our sites?

SCIP has no calls. It has occurrences of symbols at positions, some of them definitions. A definition is ours if it
stands where one of our symbols has its name; a reference says something if it stands at the name of one of our sites.

The index may be older than the files. An occurrence counts only if the text at its place is still the name that it
should be, and for a site also the receiver's name before it and the name of the definition around it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote, urlsplit

from plait.facts import ParsedFile
from plait.model import Known, Position, SourceFile, Symbol, SymbolId, Unknown
from plait.parse.lines import split_lines
from plait.scip import schema
from plait.scip.names import ScipName, parse

_STANDARD_LIBRARY = "python-stdlib"
"""The package under which the producers for Python name it."""

_CONSTRUCTORS = frozenset({"<constructor>", "<init>"})
_ACCESSOR = re.compile(r"^<[gs]et>(?=.)")
_ENCODINGS = {schema.UTF8: "utf-8", schema.UTF16: "utf-16-le", schema.UTF32: "utf-32-le"}
_UNIT = {"utf-8": 1, "utf-16-le": 2, "utf-32-le": 4}
_Place = tuple[SymbolId | None, str]
"""parent and name of one of our symbols"""


class Outcome(StrEnum):
    """What became of an occurrence; each has exactly one."""

    DEFINITION = "definitions"
    CALL = "calls and bases"
    """to definitions in the folder"""
    OUTSIDE = "calls out of the folder"
    NOT_INDEXED = "in files that are not indexed"
    MOVED = "at text that has changed since"
    NO_CALL = "not at a call"
    VALUE = "calls of values"
    """at a site, but what is called there is a variable, a parameter, or defined where plait does not look"""


JOINED = (Outcome.DEFINITION, Outcome.CALL, Outcome.OUTSIDE)


@dataclass(frozen=True, slots=True)
class Tally:
    """What became of one index's occurrences."""

    name: str
    """as it was given"""
    tool: str
    """name and version of what made it"""
    counts: Mapping[Outcome, int]
    """in the order of Outcome, none of them 0"""


@dataclass(frozen=True, slots=True)
class _Occurrence:
    line: int
    column: int
    """as in Reference: 1-based, and 0-based in characters"""
    end: int
    symbol: str
    text: str
    is_definition: bool


@dataclass(slots=True)
class _Document:
    path: str
    facts: ParsedFile
    lines: Sequence[str]
    occurrences: list[_Occurrence]
    moved: bool = False
    """some definition is not where the index says"""
    locals: dict[str, str] = field(default_factory=dict)
    """name of each local symbol, by its definition"""


def join(
    indexes: Sequence[tuple[str, Any]], sources: Mapping[str, SourceFile], files: Sequence[ParsedFile], root: Path
) -> tuple[dict[Position, Known], list[Tally]]:
    """Return what is known about our sites, and what became of the occurrences of each (name, Index message).

    Symbols are known across the indexes. Where two say something about one site, the first one given counts.
    """
    facts = {file.path: file for file in files}
    counts: list[Counter[Outcome]] = []
    read: list[list[_Document]] = []
    join_ = _Join()
    for _, index in indexes:
        count: Counter[Outcome] = Counter()
        documents: list[_Document] = []
        place = _prefix(index.metadata.project_root, root)
        for document in index.documents:
            path = place(document.relative_path)
            if path is None or path not in facts:
                count[Outcome.NOT_INDEXED] += len(document.occurrences)
                join_.elsewhere(document)
                continue
            documents.append(_read(document, facts[path], split_lines(sources[path].text)))
        for one in documents:
            join_.define(one, count)
        join_.listed.update(one.symbol for one in index.external_symbols)
        counts.append(count)
        read.append(documents)
    for documents, count in zip(read, counts, strict=True):
        for one in documents:
            join_.refer(one, count)
    tallies = [
        Tally(name, _tool(index), {outcome: count[outcome] for outcome in Outcome if count[outcome]})
        for (name, index), count in zip(indexes, counts, strict=True)
    ]
    return join_.known, tallies


class _Join:
    def __init__(self) -> None:
        self.known: dict[Position, Known] = {}
        self.listed: set[str] = set()
        """symbols that an index calls external"""
        self._definitions: dict[str, dict[str, list[SymbolId]]] = {}
        """global symbol -> path -> our symbols"""
        self._local: dict[tuple[str, str], list[SymbolId]] = {}
        self._defined: set[str] = set()
        """every global symbol with a definition, ours or not"""
        self._packages: set[tuple[str, str, str]] = set()
        """in which they are"""
        self._matched: dict[str, set[_Place]] = {}
        """path -> symbols whose definition was found; of several of one name in one place, one is enough"""

    def elsewhere(self, document: Any) -> None:
        """Take note of what a document defines that we have not indexed."""
        for occurrence in document.occurrences:
            if occurrence.symbol_roles & schema.DEFINITION:
                self._note(occurrence.symbol)

    def _note(self, symbol: str) -> None:
        name = parse(symbol)
        if name is not None:
            self._defined.add(symbol)
            self._packages.add(name.package)

    def define(self, document: _Document, count: Counter[Outcome]) -> None:
        """Find our symbol for each definition: the innermost of that name around it, each by its first."""
        named: dict[str, list[Symbol]] = {}
        for symbol in document.facts.symbols[1:]:
            named.setdefault(symbol.name, []).append(symbol)
        matched = self._matched.setdefault(document.path, set())
        taken: set[SymbolId] = set()
        definitions = [one for one in document.occurrences if one.is_definition]
        for one in sorted(definitions, key=lambda one: (not _is_callable(one.symbol), one.line, one.column)):
            self._note(one.symbol)
            name = parse(one.symbol)
            if name is None:
                document.locals.setdefault(one.symbol, one.text)
            elif one.text not in _spelled(name) and not _is_module(name):
                document.moved = True
                count[Outcome.MOVED] += 1
                continue
            ours = _innermost(named.get(one.text, ()), one.line)
            if ours is None or ours.id in taken:
                count[Outcome.NO_CALL] += 1
                continue
            taken.add(ours.id)
            matched.add((ours.parent, ours.name))
            count[Outcome.DEFINITION] += 1
            if name is None:
                self._local.setdefault((document.path, one.symbol), []).append(ours.id)
            else:
                self._definitions.setdefault(one.symbol, {}).setdefault(document.path, []).append(ours.id)

    def refer(self, document: _Document, count: Counter[Outcome]) -> None:
        sites = {(site.line, site.column): site for site in document.facts.references}
        ends = {(one.line, one.end): one for one in document.occurrences}
        aliases = {one.alias: (one.name or one.module).rpartition(".")[2] for one in document.facts.imports}
        matched = self._matched[document.path]
        trusted = {one.id for one in document.facts.symbols if one.parent is None or (one.parent, one.name) in matched}
        for one in document.occurrences:
            if one.is_definition:
                continue
            site = sites.get((one.line, one.column))
            expected = _expected(one, document, aliases)
            if site is None or site.name != one.text:
                changed = expected is not None and not one.text.replace("$", "_").isidentifier()
                shifted = document.moved and expected not in (None, one.text)
                count[Outcome.MOVED if (changed or shifted) and one.end > one.column else Outcome.NO_CALL] += 1
                continue
            dotted = document.lines[one.line - 1][: one.column].endswith(".")
            before = ends.get((one.line, one.column - 1)) if dotted else None
            # What is taken from another package can have any name there: `pytest.mark` is defined as `MARK_GEN`.
            if before is not None and before.symbol not in self._defined and parse(before.symbol) is not None:
                before = None
            receiver_moved = before is not None and _expected(before, document, aliases) not in (None, before.text)
            if site.source not in trusted or receiver_moved or (document.moved and expected not in (None, one.text)):
                count[Outcome.MOVED] += 1
                continue
            known = self._said(one, document, expected)
            if known is None:
                count[Outcome.VALUE] += 1
                continue
            self.known.setdefault((document.path, site.line, site.column), known)
            count[Outcome.CALL if known.targets else Outcome.OUTSIDE] += 1

    def _said(self, one: _Occurrence, document: _Document, expected: str | None) -> Known | None:
        name = parse(one.symbol)
        if name is None:
            ids = self._local.get((document.path, one.symbol), [])
            return Known(tuple(ids)) if ids and document.locals.get(one.symbol) == one.text else None
        by_path = self._definitions.get(one.symbol)
        if by_path is not None:
            # Modules of one name in several folders (`conftest`) give one symbol several files; then only its own helps
            ids = by_path.get(document.path) or (next(iter(by_path.values())) if len(by_path) == 1 else [])
            return Known(tuple(ids)) if ids and expected == one.text else None
        inside = one.symbol in self._defined or (name.package in self._packages and one.symbol not in self.listed)
        if inside or _is_module(name) or name.last.suffix not in ("().", "#"):
            return None
        return Known(outside=_outside(name))


def _outside(name: ScipName) -> tuple[Unknown, str]:
    """The reason and detail under which the builders name the same: for the standard library its module."""
    top = name.descriptors[0].name
    inner = next((one.name for one in name.descriptors if one.suffix != "/"), top)
    if name.package[1] == _STANDARD_LIBRARY:
        return (Unknown.BUILTIN, inner) if top == "builtins" else (Unknown.EXTERNAL, top.partition(".")[0])
    return Unknown.EXTERNAL, name.package[1] if name.package[1] not in ("", ".") else top.partition(".")[0]


def _is_module(name: ScipName) -> bool:
    return name.last.suffix in ("/", ":")


def _is_callable(symbol: str) -> bool:
    name = parse(symbol)
    return name is not None and name.last.suffix in ("().", "#")


def _expected(one: _Occurrence, document: _Document, aliases: Mapping[str, str]) -> str | None:
    """The text that should stand at an occurrence; None if that cannot be told."""
    name = parse(one.symbol)
    if name is None:
        return document.locals.get(one.symbol)
    if _is_module(name):
        return None
    spelled = _spelled(name)
    return one.text if one.text in spelled or aliases.get(one.text) in spelled else spelled[-1]


def _spelled(name: ScipName) -> tuple[str, ...]:
    """How a definition can be written: scip-typescript says `<constructor>` and `<get>x`, scip-java `<init>`."""
    last = name.last.name
    if last in _CONSTRUCTORS and len(name.descriptors) > 1:
        return last.strip("<>"), name.descriptors[-2].name
    return (_ACCESSOR.sub("", last),)


def _innermost(symbols: Sequence[Symbol], line: int) -> Symbol | None:
    around = [symbol for symbol in symbols if symbol.span.start_line <= line <= symbol.span.end_line]
    return max(around, key=lambda symbol: symbol.span.start_line, default=None)


def _read(document: Any, facts: ParsedFile, lines: Sequence[str]) -> _Document:
    """Place the occurrences in the text. An encoding that is not said is the one under which most names fit."""
    encoding = _ENCODINGS.get(document.position_encoding)
    if encoding is not None:
        return _Document(facts.path, facts, lines, list(_placed(document, lines, encoding)))
    tried = [list(_placed(document, lines, one)) for one in ("utf-16-le", "utf-8", "utf-32-le")]
    return _Document(facts.path, facts, lines, max(tried, key=_fitting))


def _fitting(occurrences: Sequence[_Occurrence]) -> int:
    return sum((name := parse(one.symbol)) is not None and name.last.name == one.text for one in occurrences)


def _placed(document: Any, lines: Sequence[str], encoding: str) -> Iterator[_Occurrence]:
    for one in document.occurrences:
        places = [*one.range]
        # A range over several lines or beyond the text has no name to compare: its text is empty.
        line, column, end = places if len(places) == 3 else (*places[:2], places[3]) if len(places) == 4 else (0, 0, 0)
        text = ""
        if 0 <= line < len(lines) and 0 <= column <= end and (len(places) == 3 or places[0] == places[2]):
            column = _characters(lines[line], column, encoding)
            end = _characters(lines[line], end, encoding)
            text = lines[line][column:end]
        yield _Occurrence(line + 1, column, end, one.symbol, text, bool(one.symbol_roles & schema.DEFINITION))


def _characters(line: str, offset: int, encoding: str) -> int:
    """Turn an offset in code units into one in characters; within a character it is that of the next one."""
    if line.isascii() or encoding == "utf-32-le":
        return offset
    units = line.encode(encoding, "surrogatepass")[: offset * _UNIT[encoding]]
    return len(units.decode(encoding, "replace"))


def _prefix(project_root: str, root: Path) -> Any:
    """Return what turns a document's path into one below root; None for one outside.

    The index's own root counts where it is around root or below it. Anywhere else (another machine's folder) it is
    taken to be root.
    """
    base = Path(unquote(urlsplit(project_root).path) or "/")
    below = base.relative_to(root).as_posix() if base.is_relative_to(root) else "."
    above = root.relative_to(base).as_posix() if base != Path("/") and root.is_relative_to(base) else "."

    def place(path: str) -> str | None:
        full = PurePosixPath(below, path)
        if above != ".":
            return full.relative_to(above).as_posix() if full.is_relative_to(above) else None
        return full.as_posix()

    return place


def _tool(index: Any) -> str:
    info = index.metadata.tool_info
    return " ".join(part for part in (info.name, info.version) if part) or "unknown tool"
