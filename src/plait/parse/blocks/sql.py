"""SQL by statement: what is created, and queries that a comment names (`-- name: find_user`, as sqlc and aiosql do).

Other statements belong to the file. No dialect is parsed: strings, comments and the bodies of procedures are told apart
as far as it takes to find where a statement ends.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial

from plait.model import SymbolKind
from plait.parse.blocks.parser import Block, BlockParser, with_comments

_TOKEN = re.compile(
    r"(?P<skip>--[^\n]*|\#[^\n]*|/\*.*?(?:\*/|\Z)|'(?:[^'\\]|''|\\.)*(?:'|\\?\Z)|\"[^\"]*\"|`[^`]*`)"
    r"|(?P<quote>\$\w*\$)"
    r"|(?P<go>^[ \t]*(?:GO|/)[ \t]*$)"
    r"|(?P<delimiter>^[ \t]*DELIMITER[ \t]+(?P<sign>\S+)[^\n]*$)"
    r"|(?P<word>[^\W\d]\w*)"
    r"|(?P<end>;|\$\$|//)"
    r"|(?P<other>\S)",
    re.DOTALL | re.MULTILINE | re.IGNORECASE,
)
_NAME = r"(?:[\w$]+|\"[^\"]+\"|`[^`]+`|\[[^\]]+\])"
_CREATE = re.compile(
    rf"CREATE\s+(?:OR\s+(?:REPLACE|ALTER)\s+)?(?:DEFINER\s*=\s*\S+\s+)?(?:(?:GLOBAL|LOCAL|TEMP|TEMPORARY|UNIQUE|UNLOGGED|"
    rf"EXTERNAL|FOREIGN|VIRTUAL|RECURSIVE|MATERIALIZED|CLUSTERED|NONCLUSTERED|AGGREGATE|CONSTRAINT|EDITIONABLE|TRANSIENT|"
    rf"SECURE|FULLTEXT|SPATIAL)\s+)*(?P<type>[A-Z]+)\s+(?:BODY\s+)?(?:CONCURRENTLY\s+)?(?:IF\s+NOT\s+EXISTS\s+)?"
    rf"(?P<name>{_NAME}(?:\s*\.\s*{_NAME})*)",
    re.IGNORECASE,
)
_NAMED = re.compile(r"--\s*name\s*:\s*([\w.-]+)", re.IGNORECASE)
_PROCEDURES = frozenset(("FUNCTION", "PROCEDURE", "TRIGGER", "PACKAGE", "EVENT"))
_OPEN, _CLOSE = frozenset(("BEGIN", "CASE", "LOOP", "IF")), "END"
_QUOTES = re.compile(r"[\"`\[\]\s]")
HEAD = 400
"""Characters of a statement in which what it creates must be said."""


def scan(lines: Sequence[str]) -> list[Block]:
    text = "\n".join(lines)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    found: list[Block] = []
    number = 0
    for start, end, name in _statements(text):
        while starts[number + 1] <= start:
            number += 1
        first, last = number + 1, number + 1
        while last < len(lines) and starts[last] < end:
            last += 1
        created = _CREATE.match(text, start, start + HEAD)
        if not created and not name:
            continue
        least = found[-1].last + 1 if found else 1
        first = with_comments(lines, first, least, ("--", "#"))
        signature = " ".join(created[0].split()) if created else ""
        shown = name or _QUOTES.sub("", created["name"] if created else "")
        found.append(Block(shown, SymbolKind.STATEMENT, first, last, signature))
    return found


def _statements(text: str) -> list[tuple[int, int, str]]:
    """Return where each statement begins and ends, and the name that a comment above gives it."""
    found: list[tuple[int, int, str]] = []
    begin, depth, sign, name, before = -1, 0, ";", "", ""
    in_procedure = False
    place = 0
    while token := _TOKEN.search(text, place):
        place = token.end()
        kind = token.lastgroup
        if token["skip"] and begin < 0:
            named = _NAMED.match(token[0])
            name = named[1] if named else name
        if token["skip"]:
            continue
        if token["delimiter"]:
            sign, begin = token["sign"], -1
            continue
        if token["quote"] and token[0] != sign:
            closing = text.find(token[0], place)
            place = len(text) if closing < 0 else closing + len(token[0])
            continue
        if token["go"] or (token[0] == sign and (depth <= 0 or sign != ";")):
            if begin >= 0:
                found.append((begin, token.start() if token["go"] else token.end(), name))
            begin, depth, name, in_procedure = -1, 0, "", False
            continue
        if begin < 0:
            begin = token.start()
            created = _CREATE.match(text, begin, begin + HEAD)
            in_procedure = bool(created and created["type"].upper() in _PROCEDURES)
        if kind == "word" and in_procedure:
            word = token[0].upper()
            if word == _CLOSE:
                depth -= 1
            elif word in _OPEN and before != _CLOSE and (depth > 0 or word == "BEGIN"):
                depth += 1
            before = word
        elif kind != "word":
            before = ""
    if begin >= 0:
        found.append((begin, len(text.rstrip()), name))
    return found


parser = partial(BlockParser, scan)
