"""Protobuf by message, service and rpc; Terraform and other HCL by block: what both have is braces."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from functools import partial
from itertools import accumulate

from plait.model import SymbolKind
from plait.parse.blocks.parser import Block, BlockParser, with_comments

_COMMENT = r"//[^\n]*|/\*.*?(?:\*/|\Z)"
_STRING = r'"(?:[^"\\\n]|\\[^\n])*(?:"|\\?(?=\n)|\\?\Z)'
"""One that is not closed ends with its line: nothing is looked through twice."""
_SINGLE = _STRING.replace('"', "'")
_PROTO = re.compile(
    rf"(?P<skip>{_COMMENT}|{_STRING}|{_SINGLE})"
    r"|\b(?P<kind>message|enum|service|rpc|extend)\s+(?P<name>[\w.]+)"
    r"|(?P<open>\{)|(?P<close>\})|(?P<end>;)",
    re.DOTALL,
)
_HCL = re.compile(
    rf"(?P<skip>\#[^\n]*|{_COMMENT}|{_STRING})"
    r"|<<[-~]?(?P<here>\w+)"
    r"|(?P<open>\{)|(?P<close>\})",
    re.DOTALL,
)
_HCL_BLOCK = re.compile(r"[ \t]*(?P<type>[A-Za-z_][\w-]*)(?P<labels>(?:[ \t]+(?:\"[^\"\n]*\"|[\w-]+))*)[ \t]*\{")
_LABEL = re.compile(r"\"([^\"\n]*)\"|([\w-]+)")
_KINDS = {"service": SymbolKind.SERVICE, "rpc": SymbolKind.RPC}
_ADDRESSED = {"resource": "", "variable": "var."}
"""As Terraform names them in references; others by their type: `module.vpc`, `data.aws_ami.base`."""


class _Lines:
    def __init__(self, lines: Sequence[str]) -> None:
        self.text = "\n".join(lines)
        self._starts = [0, *accumulate(len(line) + 1 for line in lines)]

    def of(self, offset: int) -> int:
        return bisect_right(self._starts, offset)


def protobuf_blocks(lines: Sequence[str]) -> list[Block]:
    where = _Lines(lines)
    text = where.text
    found: list[tuple[int, int, str, str, str]] = []
    """first and last line, kind, name, signature"""
    opened: list[int | None] = []
    """for each brace that is open the place of its block in what is found"""
    waiting: int | None = None
    for token in _PROTO.finditer(text):
        if token["kind"]:
            first = where.of(token.start())
            after = text.find("\n", token.end())
            signature = text[token.start() : after if after >= 0 else len(text)].strip(" {;")
            found.append((first, first, token["kind"], token["name"], signature[:300]))
            waiting = len(found) - 1
        elif token["open"]:
            opened.append(waiting)
            waiting = None
        elif (token["close"] and opened) or (token["end"] and waiting is not None):
            place = opened.pop() if token["close"] else waiting
            if place is not None:
                found[place] = (found[place][0], where.of(token.start()), *found[place][2:])
            waiting = None
    total = len(lines)
    for place in (*opened, waiting):
        if place is not None:
            found[place] = (found[place][0], total, *found[place][2:])
    marks = ("//", "*", "/*")
    return [
        Block(name, _KINDS.get(kind, SymbolKind.MESSAGE), with_comments(lines, first, 1, marks), last, signature)
        for first, last, kind, name, signature in found
    ]


def terraform_blocks(lines: Sequence[str]) -> list[Block]:
    where = _Lines(lines)
    text = where.text
    found: list[Block] = []
    depth, place = 0, 0
    head: tuple[int, str, str] | None = None
    while token := _HCL.search(text, place):
        place = token.end()
        if token["here"]:
            closing = re.compile(rf"^[ \t]*{token['here']}[ \t]*$", re.MULTILINE).search(text, place)
            place = closing.end() if closing else len(text)
        elif token["open"]:
            if depth == 0:
                begin = text.rfind("\n", 0, token.start()) + 1
                named = _HCL_BLOCK.match(text, begin, token.end())
                head = (where.of(begin), _address(named), text[begin : token.start()].strip()) if named else None
            depth += 1
        elif token["close"] and depth:
            depth -= 1
            if depth == 0 and head is not None:
                found.append(_terraform(lines, found, head, where.of(token.start())))
                head = None
    if head is not None:
        found.append(_terraform(lines, found, head, len(lines)))
    return found


def _terraform(lines: Sequence[str], before: Sequence[Block], head: tuple[int, str, str], last: int) -> Block:
    first, name, signature = head
    least = before[-1].last + 1 if before else 1
    return Block(name, SymbolKind.BLOCK, with_comments(lines, first, least, ("#", "//")), last, signature)


def _address(block: re.Match[str]) -> str:
    labels = [quoted or bare for quoted, bare in _LABEL.findall(block["labels"])]
    begin = _ADDRESSED.get(block["type"], f"{block['type']}." if labels else block["type"])
    return begin + ".".join(labels)


protobuf = partial(BlockParser, protobuf_blocks)

terraform = partial(BlockParser, terraform_blocks)
