"""One entry put into a JSON file of settings and taken out again, with every other byte as it was.

Read is JSON with comments and trailing commas, which editors allow. The entry becomes the first member of its object,
so that neither the members behind it nor their commas are touched. How it is written tells what was there before:

| before | written | so that taking it out |
|---|---|---|
| no object of that name | the object over several lines | takes the object with it |
| an empty object | the entry on the brace's line | leaves the empty object |
| no file | all of it as `json.dumps(indent=2)` writes it | deletes the file |
| a blank file | the same without the last line end | leaves the blanks |
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

_BLANK = re.compile(r"(?:[\s\ufeff]|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_SCALAR = re.compile(r"true|false|null|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")

DEEPEST = 200
"""Objects and arrays in each other; settings have a handful."""


class BadJson(ValueError):
    """A text that is not JSON with comments; the message has the line."""


@dataclass(slots=True)
class Node:
    start: int
    end: int
    value: Any
    members: dict[str, Member] = field(default_factory=dict)
    """of an object"""


@dataclass(frozen=True, slots=True)
class Member:
    start: int
    """of its name"""
    node: Node


def parse(text: str) -> Node:
    """Raises BadJson."""
    reader = _Reader(text)
    node = reader.value(_BLANK.match(text).end(), 0)  # type: ignore[union-attr]  # it matches the empty text
    if (end := reader.after_blank(node.end)) != len(text):
        raise reader.bad(end, "something behind the end")
    return node


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text

    def bad(self, at: int, problem: str) -> BadJson:
        return BadJson(f"line {self._text.count(chr(10), 0, at) + 1}: {problem}")

    def after_blank(self, at: int) -> int:
        found = _BLANK.match(self._text, at)
        return found.end() if found else at

    def value(self, at: int, depth: int) -> Node:
        if depth > DEEPEST:
            raise self.bad(at, "too deep")
        char = self._text[at : at + 1]
        if char == "{":
            return self._object(at, depth)
        if char == "[":
            return self._array(at, depth)
        found = (_STRING if char == '"' else _SCALAR).match(self._text, at)
        if found is None:
            raise self.bad(at, "no value")
        try:
            return Node(at, found.end(), json.loads(found[0]))
        except ValueError:
            raise self.bad(at, "a broken text") from None

    def _object(self, start: int, depth: int) -> Node:
        node = Node(start, start, {})
        at = self.after_blank(start + 1)
        while self._text[at : at + 1] != "}":
            name = _STRING.match(self._text, at)
            if name is None:
                raise self.bad(at, "no name")
            colon = self.after_blank(name.end())
            if self._text[colon : colon + 1] != ":":
                raise self.bad(colon, "no colon")
            inner = self.value(self.after_blank(colon + 1), depth + 1)
            key = json.loads(name[0])
            node.value[key] = inner.value
            node.members[key] = Member(at, inner)
            at = self._next(inner.end, "}")
        node.end = at + 1
        return node

    def _array(self, start: int, depth: int) -> Node:
        node = Node(start, start, [])
        at = self.after_blank(start + 1)
        while self._text[at : at + 1] != "]":
            inner = self.value(at, depth + 1)
            node.value.append(inner.value)
            at = self._next(inner.end, "]")
        node.end = at + 1
        return node

    def _next(self, at: int, closing: str) -> int:
        at = self.after_blank(at)
        if self._text[at : at + 1] == ",":
            return self.after_blank(at + 1)
        if self._text[at : at + 1] != closing:
            raise self.bad(at, "no comma")
        return at


def put(text: str | None, path: Sequence[str], key: str, entry: Mapping[str, Any]) -> str:
    """Return the text with the entry in the object at that path of names. Raises BadJson where there is another thing.

    None is a file that is not there. An entry that is there and equal stays; another one by that name is replaced.
    """
    if text is None:
        return json.dumps(_nested([*path, key], entry), indent=2) + "\n"
    if not text.strip("\ufeff \t\r\n"):
        return text + json.dumps(_nested([*path, key], entry), indent=2)
    node = parse(text)
    for done, name in enumerate(path):
        _must_be_object(node, path[:done])
        if name not in node.members:
            return _inserted(text, node, name, _nested([*path[done + 1 :], key], entry), is_made=True)
        node = node.members[name].node
    _must_be_object(node, path)
    if key in node.members:
        if node.value[key] == entry:
            return text
        return put(take(text, path, key), path, key, entry)
    return _inserted(text, node, key, entry, is_made=False)


def take(text: str, path: Sequence[str], key: str) -> str | None:
    """Return the text without the entry, None for a file to delete; the same text if there is no such entry."""
    if not text.strip("\ufeff \t\r\n"):
        return text
    nodes = [parse(text)]
    for name in path:
        if name not in nodes[-1].members:
            return text
        nodes.append(nodes[-1].members[name].node)
    if key not in nodes[-1].members:
        return text
    ours = _nested([*path, key], nodes[-1].value[key])
    written = json.dumps(ours, indent=2)
    if nodes[0].value == ours and text.removesuffix("\n").endswith(written):
        before = text.removesuffix("\n").removesuffix(written)
        if not before.strip("\ufeff \t\r\n"):
            return None if text.endswith("\n") else before
    names = [*path, key]
    while len(nodes) > 1 and _is_made(text, nodes[-1], names[-1]):
        nodes.pop()
        names.pop()
    return _removed(text, nodes[-1], names[-1])


def find(text: str, names: Sequence[str]) -> Node | None:
    """Return what is at that path of names. Raises BadJson."""
    if not text.strip("\ufeff \t\r\n"):
        return None
    node = parse(text)
    for name in names:
        if name not in node.members:
            return None
        node = node.members[name].node
    return node


def _must_be_object(node: Node, path: Sequence[str]) -> None:
    if not isinstance(node.value, dict):
        raise BadJson(f"{'.'.join(path) or 'the whole'} is no object")


def _nested(names: Sequence[str], entry: Mapping[str, Any]) -> Any:
    value: Any = entry
    for name in reversed(names):
        value = {name: value}
    return value


def _inserted(text: str, node: Node, name: str, value: Any, *, is_made: bool) -> str:
    """`is_made`: the value is an object around the entry, which several lines tell from one that was there."""
    at = node.start + 1
    first = min((member.start for member in node.members.values()), default=at)
    if "\n" not in text[at:first]:
        short = _written(text, value, "") if is_made else json.dumps(value)
        return f"{text[:at]}{json.dumps(name)}: {short}{', ' if node.members else ''}{text[at:]}"
    column = _column(text, first)
    member = f"{json.dumps(name)}: {_written(text, value, column)}"
    return f"{text[:at]}{_line_end(text)}{column}{member},{text[at:]}"


def _removed(text: str, node: Node, name: str) -> str:
    member = node.members[name]
    end = member.node.end
    before = text[node.start + 1 : member.start]
    comma = _Reader(text).after_blank(end)
    has_comma = text[comma] == ","
    if not before.strip() and before.count("\n") == (1 if before else 0) and (comma == end or not has_comma):
        # Where `_inserted` has put it.
        end += has_comma
        end += has_comma and not before and text[end] == " "
        return text[: node.start + 1] + text[end:]
    # Somebody has moved it: its comma goes with it, or the one before it if it is the last; comments stay.
    if has_comma:
        return text[: member.start] + text[end:comma] + text[comma + 1 :]
    ends = [other.node.end for other in node.members.values() if other.node.end < member.start]
    if not ends:
        return text[: member.start] + text[end:]
    comma = _Reader(text).after_blank(max(ends))
    return text[:comma] + text[comma + 1 : member.start] + text[end:]


def _is_made(text: str, node: Node, name: str) -> bool:
    """Whether an object was written by us for this one member: over several lines, and with nothing else in it."""
    if [*node.members] != [name]:
        return False
    member = node.members[name]
    before, behind = text[node.start + 1 : member.start], text[member.node.end : node.end - 1]
    return before.strip() == behind.strip() == "" and "\n" in before and "\n" in behind


def _written(text: str, value: Any, column: str) -> str:
    unit = "\t" if column.startswith("\t") else (column if 0 < len(column) < 5 else "  ")
    lines = json.dumps(value, indent=unit).split("\n")
    return (_line_end(text) + column).join(lines)


def _column(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip())]


def _line_end(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"
