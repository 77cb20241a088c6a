"""Expressions as dotted text: `this.db.run`, `Pool().get`, `items[]`.

As in Reference.expression, and for these languages besides: `[]` is an element of a container, a cast is written as the
type's call (`T()`: a value of that type), and so is an object made of a type. Scopes and members are joined by dots
alike. Each text has at most LONGEST steps, so that an endless chain of calls costs the same for each of its calls.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from plait.model import Receiver
from plait.parse.treesitter.table import Call, Language, Node, part, text
from plait.parse.treesitter.type_names import bare, type_text

LONGEST = 12
"""Steps of a chain; what lies before is `?`."""

_LONGEST_NAME = 200


@dataclass(frozen=True, slots=True)
class Called:
    expression: str
    name: str
    receiver: Receiver
    at: Node
    """where the called name stands"""


class Expressions:
    def __init__(self, language: Language) -> None:
        self._language = language

    def called(self, node: Node, row: Call) -> Called | None:
        """What a call calls; None if it is nothing of a name."""
        if row.name is not None:
            at = part(node, row.name)
            if at is None:
                return None
            at = self._inside(at)
            owner = part(node, row.object) if row.object is not None else None
            name = self._leaf(at)
            if owner is None:
                return Called(name, name, self._receiver([name]), at)
            steps = self._steps(owner)
            return Called(_joined([*steps, name]), name if name != "?" else "", self._receiver([*steps, name]), at)
        callee = part(node, row.function) if row.function is not None else None
        if callee is None:
            return None
        steps = self._steps(callee)
        at = self._tail(callee)
        name = steps[-1]
        named = name not in ("?", "()", "[]") and not name.startswith("<")
        return Called(_joined(steps), name if named else "", self._receiver(steps), at)

    def written(self, node: Node) -> str:
        return _joined(self._steps(node))

    def receiver(self, owner: str) -> Receiver:
        """The form of what stands before a name, from its text."""
        return self._receiver([*re.findall(r"[^.()\[\]]+|\(\)|\[\]", owner), "name"])

    def _leaf(self, node: Node) -> str:
        language = self._language
        if node.end_byte - node.start_byte > _LONGEST_NAME:
            return "?"
        found = text(node)
        kind = node.type
        if (
            kind not in language.names
            and found not in language.self_words | language.super_words | language.class_words
        ):
            literal = language.literals.get(kind)
            return f"<{literal}>" if literal else "?"
        if found in language.class_words:
            return "Self"
        return found.lstrip("$") if found in language.self_words else found

    def _inside(self, node: Node) -> Node:
        """The node below those that only pass on what is in them."""
        for _ in range(LONGEST):
            which = self._language.transparent.get(node.type)
            inner = part(node, which) if which is not None else None
            if inner is None:
                break
            node = inner
        return node

    def _tail(self, node: Node) -> Node:
        """The node of the last name."""
        for _ in range(LONGEST):
            node = self._inside(node)
            member = self._language.members.get(node.type)
            name = part(node, member[1]) if member is not None else None
            if name is None:
                break
            node = name
        return node

    def _steps(self, node: Node) -> list[str]:
        """The steps of a chain from its root on: names, `()`, `[]`; the root can be `?` or a literal's type."""
        language = self._language
        found: list[str] = []
        for _ in range(LONGEST):
            kind = node.type
            after: Node | None
            if (which := language.transparent.get(kind)) is not None:
                after = part(node, which)
            elif (member := language.members.get(kind)) is not None:
                name = part(node, member[1])
                before = part(node, member[0])
                if name is not None:
                    found += reversed(
                        self._steps(name) if name.type in language.members else [self._leaf(self._inside(name))]
                    )
                elif kind in language.subscripts:
                    found.append("[]")
                if before is None:
                    return found[::-1] or ["?"]
                after = before
            elif language.indexed is not None and (inner := language.indexed(node)) is not None:
                found.append("[]")
                after = inner
            elif (call := language.calls.get(kind)) is not None:
                found.append("()")
                if call.name is not None:
                    name = part(node, call.name)
                    found.append(self._leaf(self._inside(name)) if name is not None else "?")
                    after = part(node, call.object) if call.object is not None else None
                    if after is None:
                        return found[::-1]
                else:
                    after = part(node, call.function) if call.function is not None else None
                    if call.types is not None and after is not None and (type_ := part(node, call.types)) is not None:
                        written = type_text(text(type_).strip("<>"))
                        if written != "?":
                            found[-1] = "()"
                            return [*bare(written).split("."), *found[::-1]]
            elif (new := language.news.get(kind)) is not None:
                type_ = part(node, new.type)
                if type_ is not None and text(type_) in language.class_words:
                    return ["Self", "()", *found[::-1]]
                written = type_text(text(type_)) if type_ is not None and _short(type_) else "?"
                if written == "?":
                    return ["?", *found[::-1]]
                return [*bare(written).split("."), "()", *found[::-1]]
            elif (cast := language.casts.get(kind)) is not None:
                type_ = part(node, cast)
                written = type_text(text(type_)) if type_ is not None and _short(type_) else "?"
                return [*bare(written).split("."), "()", *found[::-1]] if written != "?" else ["?", *found[::-1]]
            elif (subscript := language.subscripts.get(kind)) is not None:
                found.append("[]")
                after = part(node, subscript)
            else:
                leaf = self._leaf(node)
                sign = language.attribute_sign
                if sign and leaf.startswith(sign):
                    return ["self", leaf.lstrip(sign), *found[::-1]]
                return [*_words(leaf), *found[::-1]]
            if after is None:
                break
            node = after
        return ["?", *found[::-1]]

    def _receiver(self, steps: list[str]) -> Receiver:
        root = steps[0]
        language = self._language
        if root in language.super_words:
            return Receiver.SUPER
        if root == "Self" and language.class_words:
            return Receiver.CLS
        if len(steps) == 1:
            return Receiver.NONE if root != "?" and not root.startswith("<") else Receiver.OTHER
        if root == "?" or root.startswith("<"):
            return Receiver.OTHER
        if "()" in steps[:-1] or "[]" in steps:
            return Receiver.CALL if "()" in steps[:-1] else Receiver.OTHER
        return Receiver.SELF if self.is_self(root) else Receiver.NAME

    def is_self(self, root: str) -> bool:
        return root in self._language.self_words or f"${root}" in self._language.self_words


def _short(node: Node) -> bool:
    return bool(node.end_byte - node.start_byte <= _LONGEST_NAME)


def _words(leaf: str) -> list[str]:
    return leaf.split(".") if "." in leaf and not leaf.startswith((".", "<")) else [leaf]


def _joined(steps: list[str]) -> str:
    return ".".join(steps).replace(".()", "()").replace(".[]", "[]")
