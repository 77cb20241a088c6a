"""Numbered values that move along copies between numbered nodes, until nothing moves any more.

Inclusion-based (Andersen, "Program Analysis and Specialization for the C Programming Language", 1994). The worklists
are ordered, so the outcome does not depend on hashing. A node that is about to hold more than CAP values takes no more.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Hashable
from typing import Any, TypeAlias

CAP = 40
"""Values of one node. Not tuned: a site that more reach than MAX_CANDIDATES is unresolved in any case, and a bound
keeps time linear in the size of the code."""

FEW = 16
"""Copies of one node up to which they are kept in a list."""

Value: TypeAlias = tuple[Any, ...]
"""("function", key), ("class", id), ("instance", id), ("bound", key, receiver), ("super", class, receiver),
("module", name), ("external", path), ("builtin", name), ("object", type), ("key", value),
("container", number, type), ("coroutine", number), ("method", container, name), ("property", key), ("setter", key),
("deleter", key), ("static", key), ("classmethod", key), ("partial", callee, number)"""

Constraint: TypeAlias = tuple[Any, ...]
"""begins with its name; the rest is what `_react` needs"""


class PointsTo(ABC):
    def __init__(self) -> None:
        self._values: list[Value] = []
        self._number: dict[Value, int] = {}
        # By node; None stands for empty, as most are. Lists are smaller than sets, and short here.
        self._held: list[list[int] | None] = []
        self._copies: list[list[int] | dict[int, None] | None] = []
        self._watchers: list[list[Constraint] | None] = []
        self._slots: dict[Hashable, int] = {}
        self.declared: dict[int, tuple[Any, ...]] = {}
        """nodes that hold values of some types alone, and the types"""
        self._arrivals: deque[tuple[int, int]] = deque()
        """(node, number of a value that it holds since)"""
        self._due: deque[tuple[Constraint, int]] = deque()
        """(constraint, number of a value that it has not seen)"""

    @abstractmethod
    def admits(self, node: int, value: Value) -> bool:
        """Whether a node of `declared` can hold the value."""

    @abstractmethod
    def _react(self, constraint: Constraint, value: Value) -> None:
        """Let a constraint act on a value that its node holds: once for each pair of the two."""

    def node(self) -> int:
        self._held.append(None)
        self._copies.append(None)
        self._watchers.append(None)
        return len(self._held) - 1

    def slot(self, *key: Hashable) -> int:
        """The node of a field, a container's key, or the like."""
        if key not in self._slots:
            self._slots[key] = self.node()
        return self._slots[key]

    def held(self, node: int) -> list[Value]:
        """What the node holds so far, in the order of arrival."""
        return [self._values[number] for number in self._held[node] or ()] if node >= 0 else []

    def add(self, node: int, value: Value) -> None:
        if node < 0:
            return
        number = self._number.get(value)
        if number is None:
            number = self._number[value] = len(self._values)
            self._values.append(value)
        self._hold(node, number)

    def _hold(self, node: int, number: int) -> None:
        held = self._held[node]
        if held is not None and (len(held) >= CAP or number in held):
            return
        if node in self.declared and not self.admits(node, self._values[number]):
            return
        if held is None:
            self._held[node] = [number]
        else:
            held.append(number)
        self._arrivals.append((node, number))

    def copy(self, source: int, target: int) -> None:
        if source < 0 or target < 0 or source == target:
            return
        copies = self._copies[source]
        if copies is None:
            self._copies[source] = [target]
        elif target in copies:
            return
        elif isinstance(copies, dict):
            copies[target] = None
        elif len(copies) < FEW:
            copies.append(target)
        else:
            self._copies[source] = dict.fromkeys((*copies, target))
        for number in list(self._held[source] or ()):
            self._hold(target, number)

    def watch(self, node: int, *constraint: Any) -> None:
        """Let the constraint act on each value that the node ever holds."""
        if node < 0:
            return
        watchers = self._watchers[node]
        if watchers is None:
            watchers = self._watchers[node] = []
        watchers.append(constraint)
        self._due.extend([(constraint, number) for number in self._held[node] or ()])

    def solve(self) -> None:
        while self._due or self._arrivals:
            if self._due:
                constraint, number = self._due.popleft()
                self._react(constraint, self._values[number])
                continue
            node, number = self._arrivals.popleft()
            for target in self._copies[node] or ():
                self._hold(target, number)
            self._due.extend([(constraint, number) for constraint in self._watchers[node] or ()])
