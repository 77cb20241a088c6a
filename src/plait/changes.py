"""Which symbols an edit has touched: the lines that differ from a revision, read with the symbols on both sides."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from plait import git, plugins
from plait.errors import BadParameter
from plait.facts import ParsedFile
from plait.model import Skipped, SourceFile, Symbol, SymbolId
from plait.protocols import Parser, Snapshot
from plait.source import language, made


@dataclass(frozen=True, slots=True)
class Changed:
    """What differs from a revision, in a snapshot."""

    revision: str
    """as it was asked for"""
    files: int
    """changed files in a language that plait reads"""
    symbols: tuple[Symbol, ...]
    """those whose own lines changed, or that are new, by id; of symbols in one another the innermost"""
    deleted: tuple[Symbol, ...]
    """those of the revision that are gone, as they were, by id"""
    unread: tuple[Skipped, ...]
    """changed files whose symbols are not known now"""


def changed(root: Path, revision: str, snapshot: Snapshot) -> Changed:
    """Compare the snapshot's files with a revision. Raises BadParameter without git or without such a revision."""
    commit = git.commit(root, revision)
    if commit is None:
        raise BadParameter(f"{root}: git knows no commit {revision!r} here; give one of this repository, like HEAD~1")
    found = git.changes(root, commit)
    if found is None:
        raise BadParameter(f"{root}: git cannot compare the files with {revision!r}; try `git diff {revision}`")
    now: dict[str, list[Symbol]] = {}
    for symbol in snapshot.symbols():
        now.setdefault(symbol.path, []).append(symbol)
    skipped = {skip.path: skip for skip in snapshot.skipped()}
    touched: dict[SymbolId, Symbol] = {}
    deleted: list[Symbol] = []
    unread: list[Skipped] = []
    read = [change for change in found if language(change.path)]
    for change in read:
        before = _symbols(root, commit, change.path)
        left_out = _left_out(change.path, skipped)
        if left_out and change.path not in now:
            unread.append(left_out)
            continue
        here = {symbol.id: symbol for symbol in now.get(change.path, ())}
        touched.update({one.id: one for one in _innermost(list(here.values()), change.new)})
        gone = [one for one in before if one.id not in here]
        deleted += gone
        touched.update({one.id: here[one.id] for one in _innermost(before, change.old) if one.id in here})
        known = {one.id for one in before}
        touched.update({one: symbol for one, symbol in here.items() if one not in known})
    new = [path for path in git.untracked(root) if path in now]
    touched.update({symbol.id: symbol for path in new for symbol in now[path]})
    return Changed(
        revision=revision,
        files=len(read) + len(new),
        symbols=tuple(touched[one] for one in sorted(touched)),
        deleted=tuple(sorted(deleted, key=lambda symbol: symbol.id)),
        unread=tuple(sorted(unread)),
    )


def _symbols(root: Path, commit: str, path: str) -> Sequence[Symbol]:
    """The symbols of a file as it was; none if it was not there or could not be parsed."""
    content = git.content(root, commit, path)
    file = None if content is None else made(path, content)
    if not isinstance(file, SourceFile):
        return ()
    parser: Parser = plugins.build("parser", file.language)
    parsed = parser.parse(file)
    return parsed.symbols if isinstance(parsed, ParsedFile) else ()


def _innermost(symbols: Sequence[Symbol], lines: Iterable[int]) -> list[Symbol]:
    """The symbols to whose own text the lines belong, each line to the innermost; blank lines may belong to none."""
    wanted = frozenset(lines)
    owner: dict[int, Symbol] = {}
    # Outer ones come first and are written over: a symbol starts after the one around it, or ends before it.
    for symbol in sorted(symbols, key=lambda one: (one.span.start_line, -one.span.end_line, one.parent is not None)):
        for span in symbol.own:
            for line in range(span.start_line, span.end_line + 1):
                if line in wanted:
                    owner[line] = symbol
    return list({symbol.id: symbol for symbol in owner.values()}.values())


def _left_out(path: str, skipped: Mapping[str, Skipped]) -> Skipped | None:
    """Return why a file, or a folder around it, was left out."""
    around = (f"{folder}/" for folder in PurePosixPath(path).parents)
    return next((skipped[place] for place in (path, *around) if place in skipped), None)
