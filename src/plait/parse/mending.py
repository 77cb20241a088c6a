"""What is plainly missing or too much in a text that Python refuses, put right before a grammar sees it.

Grammars recover badly from an open bracket or quote: they take the rest of the file for what is inside. A statement's
keyword at the start of a line cannot be inside, so it tells where the bracket should have ended by then. Every change
keeps all that stands in the text at its line and column: characters are replaced by as many, and something is added at
the end of a line only.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import TypeAlias

from plait.parse.concrete import Lines

_TOKEN = re.compile(
    r"""(?P<comment>\#[^\n]*)|(?P<quote>\"{3}|'{3}|["'])|(?P<open>[(\[{])|(?P<close>[)\]}])|(?P<end>\n)
    |(?P<joined>\\\n)|(?P<tick>`)|(?P<word>\w+)|(?P<sign>[^\s\w])""",
    re.VERBOSE,
)
_CONFLICT = re.compile(r"^(?:<{7}|={7}|>{7}|\|{7})(?: .*)?$", re.MULTILINE)
_NOT_LINE_END = re.compile(r"[^\n]")
_STATEMENT = re.compile(
    r"[ \t\f]*(?:(?:def|class|return|import|with|while|try|raise|assert|del|pass|break|continue|global|nonlocal|elif"
    r"|except|finally|async[ \t]+def)\b|from[ \t]+[.\w]+[ \t]+import\b)"
)
"""What begins a line and cannot stand within brackets."""
_DEFINITION = re.compile(
    r"^[ \t]*(?:(?:async[ \t]+)?def[ \t]+\w+[ \t]*[(\[]|class[ \t]+\w+[ \t]*[(:\[]|@\w)", re.MULTILINE
)
_INDENT = re.compile(r"[ \t\f]*")
_INSIDE = {quote: re.compile(rf"(?:[^\\\n{quote}]|\\.)*{quote}", re.DOTALL) for quote in "\"'"}
_HEADERS = frozenset("def class if elif else for while try except finally with".split())
_CONTINUING = frozenset("elif else except finally".split())
_OPERATORS = "-+*/%&|^=<>.~@!"
_WORD_OPERATORS = frozenset("and or not in is lambda await".split())
_FOREIGN = "%!?$"
"""At the start of a line: commands of notebooks and shells."""
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_SEARCHED = 8
"""Open brackets among which the one that a closing bracket belongs to is looked for."""
_RESCANNED = 4
"""Times that a text is read again, in all: what is read again after each open bracket would grow with the square."""

_Open: TypeAlias = "tuple[str, _Open] | None"
"""The innermost open bracket and those around it."""


@dataclass(frozen=True, slots=True)
class Mended:
    text: str
    """with line feeds as line ends"""
    lines: tuple[Lines, ...]
    """where something was mended, in order"""
    heads: tuple[int, ...]
    """lines, 1-based, at which a statement of the module begins that does not belong to the one before"""


def mend(text: str) -> Mended:
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _Mending(text).done()


@dataclass(slots=True)
class _Statement:
    """A logical line while it is read."""

    start: int
    indent: int
    word: str = ""
    last: int = 0
    """end of the last token that is no comment"""
    last_word: str = ""
    colon: bool = False
    tick: int | None = None
    """number of the change that opened a conversion in backticks"""
    ends: list[tuple[int, _Open]] = field(default_factory=list)
    """end of each line so far, and the brackets that are open there"""


class _Mending:
    def __init__(self, text: str) -> None:
        self._text = text
        self._changes: list[tuple[int, int, str]] = []
        self._mended: list[tuple[int, int]] = []
        self._heads: list[int] = []
        self._decorated = False
        self._open: _Open = None
        self._budget = _RESCANNED * len(text)
        self._now = _Statement(0, 0)

    def done(self) -> Mended:
        self._unmark_conflicts()
        place = 0
        while place < len(self._text):
            place = self._statement(place)
        pieces: list[str] = []
        done = 0
        for start, end, new in sorted(self._changes):
            if start < done:
                continue
            pieces += [self._text[done:start], new]
            done = end
        pieces.append(self._text[done:])
        starts = [0, *(found.end() for found in re.finditer("\n", self._text))]
        lines = sorted((bisect_right(starts, first), bisect_right(starts, last)) for first, last in self._mended)
        heads = (bisect_right(starts, head) for head in self._heads)
        return Mended("".join(pieces), tuple(lines), tuple(heads))

    def _change(self, start: int, end: int, new: str) -> None:
        self._changes.append((start, end, new))
        self._mended.append((start, max(start, end - 1)))

    def _blank(self, start: int, end: int) -> None:
        if end > start:
            self._change(start, end, _NOT_LINE_END.sub(_spaces, self._text[start:end]))

    def _unmark_conflicts(self) -> None:
        """Keep both sides of a merge conflict, without the marks and without what was common before."""
        marks = list(_CONFLICT.finditer(self._text))
        if not {"<<<<<<<", ">>>>>>>"} <= {mark[0][:7] for mark in marks}:
            return
        text = self._text
        base = None
        pieces: list[str] = []
        done = 0
        for mark in marks:
            start = mark.start() if base is None else base
            base = start if mark[0].startswith("|") else None
            if base is None:
                pieces += [text[done:start], _NOT_LINE_END.sub(_spaces, text[start : mark.end()])]
                done = mark.end()
                self._mended.append((start, mark.end() - 1))
        self._text = "".join([*pieces, text[done:]])

    # Reading

    def _statement(self, place: int) -> int:
        """Read one logical line; return where the next one begins."""
        indent = _indent(self._text, place)
        self._open = None
        now = self._now = _Statement(place + indent, indent, last=place + indent)
        if self._text[place + indent : place + indent + 1] in tuple(_FOREIGN):
            end = self._line_end(place)
            self._blank(place + indent, end)
            return end + 1
        while (found := _TOKEN.search(self._text, place)) is not None:
            kind, token, place = found.lastgroup, found[0], found.end()
            match kind:
                case "joined":
                    continue
                case "comment":
                    # At each line the grammar looks through all the comments that follow.
                    self._changes.append((found.start(), place, _NOT_LINE_END.sub(_spaces, token)))
                    continue
                case "end":
                    if self._open is None:
                        self._finish()
                        return place
                    now.ends.append((found.start(), self._open))
                    if _STATEMENT.match(self._text, place):
                        return self._close()
                    continue
                case "quote":
                    place = self._string(token, found.start())
                case "open":
                    self._open = (token, self._open)
                case "close":
                    self._closed(token, found.start())
                case "tick":
                    self._ticked(found.start())
                case "word" if not now.word and not now.last_word and found.start() == now.start:
                    now.word = token
                case "sign" if token == ":" and self._open is None:
                    now.colon = True
            now.last, now.last_word = min(place, len(self._text)), token if kind == "word" else ""
        if self._open is not None:
            now.ends.append((now.last, self._open))
            return self._close()
        self._finish()
        return len(self._text)

    def _line_end(self, place: int) -> int:
        end = self._text.find("\n", place)
        return len(self._text) if end < 0 else end

    def _string(self, quote: str, start: int) -> int:
        """Return where the string ends, closing one that does not end by itself."""
        text, begin = self._text, start + len(quote)
        if len(quote) == 1:
            inside = _INSIDE[quote].match(text, begin)
            if inside is not None:
                return inside.end()
            end = self._line_end(begin)
            if end == begin:
                self._change(start, begin, "0")
            else:
                self._change(start, end, quote * 2 + " " * (len(text[start:end].encode()) - 2))
            return end
        end = text.find(quote, begin)
        while end >= 0 and _is_escaped(text, end, begin):
            end = text.find(quote, end + 1)
        if end >= 0:
            return end + len(quote)
        again = _DEFINITION.search(text, self._line_end(begin))
        end = again.start() - 1 if again else max(begin, len(text.rstrip("\n")))
        self._change(start, begin, quote[:2] + " ")
        self._blank(begin, end)
        return end

    def _closed(self, token: str, place: int) -> None:
        around = self._open
        for _ in range(_SEARCHED):
            if around is None:
                break
            if _CLOSING[around[0]] == token:
                self._open = around[1]
                return
            around = around[1]
        self._blank(place, place + 1)

    def _ticked(self, place: int) -> None:
        now = self._now
        if now.tick is None:
            now.tick = len(self._changes)
            self._changes.append((place, place + 1, "("))
        else:
            self._changes.append((place, place + 1, ")"))
            now.tick = None

    # Mending

    def _close(self) -> int:
        """Close the brackets where the lines stop being indented within the statement; return where to read on."""
        now = self._now
        self._begin()
        chosen = now.ends[-1]
        header = now.word in _HEADERS or now.word == "async"
        for end in now.ends:
            line = _next_line(self._text, end[0])
            code = self._text[self._text.rfind("\n", 0, end[0]) + 1 : end[0]].rstrip()
            if header and not _goes_on(code):
                chosen = end
                break
            if line is not None and line[1] <= now.indent and line[0] not in ")]}":
                chosen = end
                break
        end_place, open_there = chosen
        self._budget -= len(self._text[end_place : now.ends[-1][0]])
        if self._budget < 0:
            end_place, open_there = now.ends[-1]
        closing: list[str] = []
        while open_there is not None:
            closing.append(_CLOSING[open_there[0]])
            open_there = open_there[1]
        if header and not now.colon:
            closing.append(":")
        while self._changes and self._changes[-1][0] >= end_place:
            self._changes.pop()
        while self._mended and self._mended[-1][0] >= end_place:
            self._mended.pop()
        line_start = self._text.rfind("\n", 0, end_place) + 1
        comment = _comment(self._text[line_start:end_place])
        stop = end_place if comment is None else line_start + comment
        self._change(stop, stop, "".join(closing))
        return end_place + 1

    def _begin(self) -> None:
        """Remember the logical line if a statement of the module begins with it."""
        now = self._now
        if now.indent or (not now.last_word and now.last == now.start):
            return
        if not self._decorated and now.word not in _CONTINUING:
            self._heads.append(now.start)
        self._decorated = self._text.startswith("@", now.start)

    def _finish(self) -> None:
        """End a logical line without open brackets."""
        now = self._now
        self._begin()
        if now.tick is not None:
            start, end, _ = self._changes[now.tick]
            self._changes[now.tick] = (start, end, " ")
            self._mended.append((start, start))
        end = now.last
        if now.last_word in _WORD_OPERATORS:
            end -= len(now.last_word)
        while end > now.start and self._text[end - 1] in f"{_OPERATORS} \t":
            end -= 1
        operators = self._text[end : now.last].strip()
        number = operators == "." and self._text[end - 1 : end].isdigit()
        star = operators == "*" and now.word == "from"
        if operators and not number and not star and not operators.endswith("..."):
            self._blank(end, now.last)
        if now.word in _HEADERS and not now.colon:
            self._change(now.last, now.last, ":")


def _spaces(found: re.Match[str]) -> str:
    """As many spaces as the character has bytes, so that columns in bytes stay."""
    return " " * len(found[0].encode())


def _indent(text: str, place: int) -> int:
    found = _INDENT.match(text, place)
    return len(found[0]) if found else 0


def _next_line(text: str, end: int) -> tuple[str, int] | None:
    """First character and indentation of the next line with code; None at the end of the text."""
    found = re.compile(r"(?:\n[ \t\f]*(?:\#[^\n]*)?)*\n([ \t\f]*)([^\s#])").match(text, end)
    return (found[2], len(found[1])) if found else None


def _comment(line: str) -> int | None:
    """Where a comment begins in a line, as far as a line by itself tells."""
    for found in _TOKEN.finditer(line):
        if found.lastgroup == "comment":
            return found.start()
        if found.lastgroup == "quote":
            return None
    return None


def _goes_on(code: str) -> bool:
    """Whether a line within brackets ends in the middle of an expression."""
    return code.endswith((*",([{\\", *_OPERATORS)) or code.rpartition(" ")[2] in _WORD_OPERATORS


def _is_escaped(text: str, place: int, begin: int) -> bool:
    stripped = place
    while stripped > begin and text[stripped - 1] == "\\":
        stripped -= 1
    return (place - stripped) % 2 == 1
