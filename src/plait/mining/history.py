"""Questions from commits: what a message asks for -> the functions that the commit changed, in a state before it.

One index serves many commits. It is of a commit, the *base*, that contains none of those that are mined, so nothing
that they added is in it, neither in the answer nor around it. A function that a commit changed counts as found in the
base if one of that id is there whose lines are mostly those that it had in the commit's parent (`ALIKE`); a commit of
whose functions one is not so is left out. What is asked is thus what would be asked of an index of the parent: the same
functions, at most somewhat older.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from plait import git
from plait.extraction import parse
from plait.facts import ParsedFile
from plait.git import Commit, FileEdit
from plait.mining.messages import cited_title, question
from plait.mining.place import in_program, is_function
from plait.mining.question import Origin, Question, named, same, says
from plait.model import SourceFile, Span, Symbol, SymbolId
from plait.source import made

LOOKED_AT = 6_000
"""Commits, newest first. Older ones of long histories are of another program."""

AFTER = 700
"""Commits with a question in them that come after the base, if there are so many; else half of those there are."""

FEWEST = 10
"""With fewer commits than this after it, a base in the past is not worth it: the questions come from elsewhere."""

FILES, FUNCTIONS = 3, 4
"""Files and functions that a commit changes at most; beyond, its message tells of no one place."""

NEW = 0.5
"""Share of the changed lines in functions that a commit adds, from which on it is about those, which are not there."""

ALIKE = 0.7
"""Share of its lines of code that a function has in common with itself in the base (Dice) to count as the same."""

ENOUGH = 200
"""Questions, those next after the base first; more would only take longer."""

PARSED = 2_000
"""Files kept parsed: what a commit leaves behind is what the next one to touch the file finds."""

_CALLED = re.compile(r"([^:/#.]+)\((?:\+\d+)?\)\.$")
_COMMENTS = ("#", "//", "/*", "*", '"""', "'''", "--")


@dataclass(frozen=True, slots=True)
class Asking:
    """A commit with a question in it."""

    commit: Commit
    text: str
    edits: tuple[FileEdit, ...]
    """of the program's files"""


@dataclass(frozen=True, slots=True)
class Base:
    commit: str
    time: int
    """of the commit, in seconds"""
    after: tuple[Asking, ...]
    """oldest first"""


def asking(commits: Iterable[Commit]) -> list[Asking]:
    """Return the commits that may be mined, in the order given, judged by messages and by which files they change."""
    every = list(commits)
    titles = dict(found for commit in every if (found := cited_title(commit.message)))
    asked: list[Asking] = []
    for commit in every:
        edits = tuple(edit for edit in commit.edits if in_program(edit.path))
        if not 0 < len(edits) <= FILES or any(edit.status != "M" for edit in edits):
            continue
        if (text := question(commit.message, titles)) is not None:
            asked.append(Asking(commit, text, edits))
    return asked


def base(root: Path) -> Base | None:
    """Choose the commit to index. None without git, or without commits to ask about."""
    asked = asking(git.history(root, LOOKED_AT))
    if len(asked) < 2 * FEWEST:
        return None
    oldest = asked[min(AFTER, len(asked) // 2) - 1].commit.time
    line = git.line_of_first_parents(root)
    chosen = next(((made, time) for made, time in line if time < oldest), None)
    if chosen is None:
        return None
    after = git.since(root, chosen[0])
    return Base(*chosen, tuple(one for one in reversed(asked) if one.commit.hash in after))


def questions(root: Path, base: Base, files: Mapping[str, bytes], symbols: Sequence[Symbol]) -> list[Question]:
    """Return the questions of the commits after the base whose functions are in it, oldest first, ENOUGH at most.

    `files` (by path) and `symbols` are those of the base.
    """
    here = {symbol.id: symbol for symbol in symbols if is_function(symbol)}
    paths = {symbol.path for symbol in here.values()}
    wanted = [one for one in base.after if all(edit.path in paths for edit in one.edits)]
    touched = sorted({edit.path for one in wanted for edit in one.edits})
    code = {symbol: lines for path in touched for symbol, lines in _functions(path, files[path]).items()}
    found: dict[str, Question] = {}
    for one, states in zip(wanted, _states(root, wanted), strict=True):
        answer = _changed(one.text, states, code)
        if answer is None or any(symbol not in here for symbol in answer):
            continue
        is_named = named(one.text, [here[symbol] for symbol in answer])
        found.setdefault(same(one.text), Question(Origin.COMMIT, one.text, answer, is_named, one.commit.hash))
        if len(found) == ENOUGH:
            break
    return list(found.values())


Code = Mapping[SymbolId, tuple[str, ...]]
"""The functions of one state of a file: their lines without functions nested in them, comments, documentation and white
space."""


def _states(root: Path, asked: Sequence[Asking]) -> Iterator[list[tuple[Code, Code]]]:
    """Yield for each commit its files, before and after."""
    read = lru_cache(maxsize=PARSED)(_functions)
    contents = git.contents(root, [made for one in asked for edit in one.edits for made in (edit.old, edit.new)])
    for one in asked:
        yield [(read(edit.path, next(contents)), read(edit.path, next(contents))) for edit in one.edits]


def _functions(path: str, content: bytes) -> Code:
    file = made(path, content)
    parsed = parse(file, flow=False) if isinstance(file, SourceFile) else None
    if not isinstance(file, SourceFile) or not isinstance(parsed, ParsedFile):
        return {}
    content = file.text.encode()
    functions = [symbol for symbol in parsed.symbols if is_function(symbol)]
    return {symbol.id: _code(symbol, functions, content) for symbol in functions}


def _code(symbol: Symbol, functions: Sequence[Symbol], content: bytes) -> tuple[str, ...]:
    parts: list[bytes] = []
    start = symbol.span.start_byte
    for inner in sorted(one.span for one in functions if _within(one.span, symbol.span)):
        if inner.start_byte >= start:
            parts.append(content[start : inner.start_byte])
            start = inner.end_byte
    parts.append(content[start : symbol.span.end_byte])
    told = {line.strip() for line in symbol.docstring.splitlines()}
    lines = (line.strip() for line in b"\n".join(parts).decode().splitlines())
    code = (line for line in lines if line and line not in told and not line.startswith(_COMMENTS))
    return tuple("".join(line.split()) for line in code)


def _within(inner: Span, outer: Span) -> bool:
    return outer.start_byte <= inner.start_byte and inner.end_byte <= outer.end_byte and inner != outer


def _changed(text: str, states: Sequence[tuple[Code, Code]], base: Code) -> tuple[SymbolId, ...] | None:
    """Return the functions that changed, by id; None if too many, gone, not the base's, or beside the point."""
    changed: list[SymbolId] = []
    lines = new = 0
    for before, after in states:
        if before.keys() - after.keys():
            return None
        for symbol, code in after.items():
            if symbol not in before:
                if says(text, _name(symbol)):
                    return None  # what is asked for is not there
                new += len(code)
            elif code != before[symbol]:
                if _alike(before[symbol], base.get(symbol, ())) < ALIKE:
                    return None
                changed.append(symbol)
                lines += len(set(code) ^ set(before[symbol]))
    if not 0 < len(changed) <= FUNCTIONS or new > NEW * (new + lines):
        return None
    return tuple(sorted(changed))


def _name(function: SymbolId) -> str:
    found = _CALLED.search(function)
    return found[1] if found else ""


def _alike(a: Sequence[str], b: Sequence[str]) -> float:
    return 2 * sum((Counter(a) & Counter(b)).values()) / max(len(a) + len(b), 1)
