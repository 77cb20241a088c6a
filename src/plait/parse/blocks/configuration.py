"""Configuration by its blocks at the top: tables of TOML, keys of YAML and JSON, sections of INI files."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from functools import partial
from itertools import accumulate

from plait.model import SymbolKind
from plait.parse.blocks.parser import Block, BlockParser, with_comments

_TABLE = re.compile(r"[ \t]*\[\[?([^\[\]]*[^\[\]\s][^\[\]]*)\]\]?[ \t]*(?:[#;].*)?$")
_LONG_STRING = re.compile(r"\"\"\"|'''|#|\"(?:[^\"\\]|\\.)*(?:\"|\\?$)|'[^']*(?:'|$)")
_YAML_KEY = re.compile(r"(\"[^\"]*\"|'[^']*'|[^\s#\-\[{&*!|>%@`\"'][^#]*?|-[^\s#-][^#]*?):(?:[ \t]|$)")
_YAML_NAME = re.compile(r"(?:-[ \t]+|[ \t]+)(?:name|id|title):[ \t]+(.+)")
_KIND = re.compile(r"kind:[ \t]+(\S+)")
_JSON = re.compile(
    r"(?P<string>\"(?:[^\"\\\n]|\\[^\n])*(?:\"|\\?$)|'(?:[^'\\\n]|\\[^\n])*(?:'|\\?$))(?P<colon>\s*:)?"
    r"|//[^\n]*|/\*.*?(?:\*/|\Z)|(?P<open>[\[{])|(?P<close>[\]}])"
    r"|(?P<bare>[A-Za-z_$][\w$]*)\s*:",
    re.DOTALL | re.MULTILINE,
)


def _divided(lines: Sequence[str], heads: Sequence[tuple[int, str]], marks: tuple[str, ...], total: int) -> list[Block]:
    """Blocks that each begin at a head, comments above it included, and end before the next."""
    if not heads:
        return []
    firsts: list[int] = []
    least = 1
    for line, _ in heads:
        firsts.append(with_comments(lines, line, least, marks))
        least = line + 1
    ends = [*(first - 1 for first in firsts[1:]), total]
    return [
        Block(name, SymbolKind.BLOCK, first, _filled(lines, line, last), lines[line - 1].strip()[:300])
        for (line, name), first, last in zip(heads, firsts, ends, strict=True)
    ]


def _filled(lines: Sequence[str], first: int, last: int) -> int:
    """The last line that is not blank."""
    while last > first and not lines[last - 1].strip():
        last -= 1
    return last


def toml_blocks(lines: Sequence[str]) -> list[Block]:
    heads: list[tuple[int, str]] = []
    inside = ""
    for number, line in enumerate(lines, start=1):
        table = _TABLE.match(line) if not inside else None
        if table:
            heads.append((number, table[1].strip().replace('"', "").replace("'", "")))
            continue
        place = 0
        while True:
            if inside:
                end = line.find(inside, place)
                if end < 0:
                    break
                place, inside = end + 3, ""
            found = _LONG_STRING.search(line, place)
            if found is None or found[0] == "#":
                break
            place = found.end()
            inside = found[0] if found[0] in ('"""', "'''") else ""
    return _divided(lines, heads, ("#",), len(lines))


def ini_blocks(lines: Sequence[str]) -> list[Block]:
    heads = [(number, table[1].strip()) for number, line in enumerate(lines, start=1) if (table := _TABLE.match(line))]
    return _divided(lines, heads, ("#", ";"), len(lines))


def yaml_blocks(lines: Sequence[str]) -> list[Block]:
    """Keys at the top; of several documents in a file each document; of a list at the top its items."""
    marks = [number for number, line in enumerate(lines, start=1) if line.rstrip() == "---" or line.startswith("--- ")]
    parts = [one for one in _documents(lines, marks) if any(lines[one[0] - 1 : one[1]])]
    if len(parts) > 1:
        return [
            Block(_document_name(lines, first, last, place), SymbolKind.BLOCK, first, _filled(lines, first, last))
            for place, (first, last) in enumerate(parts, start=1)
        ]
    heads = [(number, key[1].strip("\"'")) for number, line in enumerate(lines, 1) if (key := _YAML_KEY.match(line))]
    if not heads:
        items = [number for number, line in enumerate(lines, start=1) if line.startswith("- ") or line == "-"]
        heads = [(number, _item_name(lines, number, place)) for place, number in enumerate(items, start=1)]
    return _divided(lines, heads, ("#",), len(lines))


def _documents(lines: Sequence[str], marks: Sequence[int]) -> list[tuple[int, int]]:
    borders = sorted({1, *(mark + 1 for mark in marks)})
    ends = [*(border - 2 for border in borders[1:]), len(lines)]
    return [
        (first, last)
        for first, last in zip(borders, ends, strict=True)
        if any(line.strip() and not line.startswith("#") for line in lines[first - 1 : max(last, first - 1)])
    ]


def _document_name(lines: Sequence[str], first: int, last: int, place: int) -> str:
    """Of a Kubernetes object its kind and name."""
    kind = name = ""
    in_metadata = False
    for line in lines[first - 1 : last]:
        if found := _KIND.match(line):
            kind = kind or found[1]
        if line[:1] not in (" ", "#", ""):
            in_metadata = line.startswith("metadata:")
        elif in_metadata and not name and (named := re.match(r"[ \t]+name:[ \t]+(\S+)", line)):
            name = named[1].strip("\"'")
    return f"{kind}.{name}" if kind and name else kind or f"document-{place}"


def _item_name(lines: Sequence[str], number: int, place: int) -> str:
    """What an item of a list calls itself, in its first lines."""
    for line in [lines[number - 1], *lines[number : number + 5]]:
        if line is not lines[number - 1] and line[:1] not in (" ", "\t"):
            break
        if named := _YAML_NAME.match(line):
            return named[1].strip().strip("\"'")
    return f"item-{place}"


def json_blocks(lines: Sequence[str]) -> list[Block]:
    """Keys of the object at the top, those that begin a line of their own."""
    text = "\n".join(lines)
    starts = [0, *accumulate(len(line) + 1 for line in lines)]
    heads: list[tuple[int, str]] = []
    depth = 0
    in_object = False
    end = len(lines)
    for token in _JSON.finditer(text):
        if token["open"]:
            in_object = token[0] == "{" if depth == 0 else in_object
            depth += 1
        elif token["close"]:
            depth -= 1
            end = bisect_right(starts, token.start()) - 1 if depth == 0 else end
        elif depth == 1 and in_object and (token["colon"] or token["bare"]):
            line = bisect_right(starts, token.start())
            if not heads or heads[-1][0] < line:
                heads.append((line, token["bare"] or token["string"][1:-1]))
    return _divided(lines, heads, ("//",), max(end, heads[-1][0] if heads else end))


toml = partial(BlockParser, toml_blocks)

ini = partial(BlockParser, ini_blocks)

yaml = partial(BlockParser, yaml_blocks)

json = partial(BlockParser, json_blocks)
