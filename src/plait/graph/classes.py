"""The order in which a class and its bases are searched."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from plait.graph.program import Program
from plait.graph.values import Builtin, Class, External, Opaque, Values
from plait.model import Symbol, SymbolId, Unknown

OuterBase: TypeAlias = External | Builtin | Opaque


class ClassTable:
    """Bases, orders and members of the repository's classes; `evaluate` tells what the name of a base is in a scope."""

    def __init__(self, program: Program, evaluate: Callable[[str, SymbolId], Values]) -> None:
        self._program = program
        self._evaluate = evaluate
        self._bases: dict[SymbolId, tuple[SymbolId, ...]] = {}
        self._outer_bases: dict[SymbolId, tuple[OuterBase, ...]] = {}
        self._orders: dict[SymbolId, tuple[SymbolId, ...]] = {}

    def bases(self, class_: SymbolId) -> tuple[SymbolId, ...]:
        """The direct bases in the repository; none while the question is what they are."""
        if class_ not in self._bases:
            self._bases[class_], self._outer_bases[class_] = (), ()
            scope = self._program.symbols[class_].parent or class_
            inner: list[SymbolId] = []
            outer: list[OuterBase] = []
            for reference in self._program.bases.get(class_, ()):
                for value in self._evaluate(reference.expression, scope):
                    if isinstance(value, Class):
                        inner.append(value.id)
                    elif isinstance(value, (External, Builtin)):
                        outer.append(value)
                    else:
                        outer.append(Opaque(Unknown.RECEIVER, reference.expression))
            self._bases[class_] = tuple(one for one in dict.fromkeys(inner) if one != class_)
            self._outer_bases[class_] = tuple(dict.fromkeys(outer))
        return self._bases[class_]

    def order(self, class_: SymbolId) -> tuple[SymbolId, ...]:
        """The method resolution order, classes outside of the repository left out."""
        if class_ not in self._orders:
            pending, reached = [class_], {class_}
            while pending:
                for base in self.bases(pending.pop()):
                    if base not in reached:
                        reached.add(base)
                        pending.append(base)
            linearise(class_, self._bases, self._orders)
        return self._orders[class_]

    def outer_bases(self, class_: SymbolId) -> list[OuterBase]:
        """What the class and its bases inherit from outside of the repository, in their order."""
        order = self.order(class_)
        return list(dict.fromkeys(outer for one in order for outer in self._outer_bases.get(one, ())))

    def member(self, class_: SymbolId, name: str, *, after: bool = False) -> tuple[SymbolId, list[Symbol]] | None:
        """The nearest class in the order that defines a method or class of that name, and the definitions.

        `after` leaves out the class itself, as `super()` does.
        """
        for owner in self.order(class_)[1 if after else 0 :]:
            definitions = self._program.definitions(owner, name)
            if definitions:
                return owner, definitions
        return None


def linearise(
    start: SymbolId, bases: Mapping[SymbolId, Sequence[SymbolId]], known: dict[SymbolId, tuple[SymbolId, ...]]
) -> tuple[SymbolId, ...]:
    """The C3 order of the class and its bases, itself first; remembered in `known`.

    Where C3 has no answer (Python would refuse the class) the order is depth first, each class at its first place. A
    base that leads back to a class below it is left out.
    """
    stack: list[tuple[SymbolId, bool]] = [(start, False)]
    open_: set[SymbolId] = set()
    while stack:
        class_, ready = stack.pop()
        if class_ in known or (class_ in open_ and not ready):
            continue
        direct = bases.get(class_, ())
        if not ready:
            open_.add(class_)
            stack.append((class_, True))
            stack += [(base, False) for base in reversed(direct) if base not in known and base not in open_]
            continue
        open_.discard(class_)
        orders = [known[base] for base in direct if base in known]
        if len(orders) > 1:
            orders.append(tuple(base for base in direct if base in known))
        merged = _merge(orders)
        if merged is None:
            merged = list(dict.fromkeys(name for order in orders for name in order))
        known[class_] = (class_, *(name for name in merged if name != class_))
    return known[start]


def _merge(orders: Sequence[Sequence[SymbolId]]) -> list[SymbolId] | None:
    """The C3 merge; the next is the first head that is in no tail."""
    pending = [order for order in orders if order]
    if len(pending) <= 1:
        return list(pending[0]) if pending else []
    heads = [0] * len(pending)
    in_tails = Counter(name for order in pending for name in order[1:])
    merged: list[SymbolId] = []
    while any(place < len(order) for place, order in zip(heads, pending, strict=True)):
        for place, order in zip(heads, pending, strict=True):
            if place < len(order) and not in_tails[order[place]]:
                head = order[place]
                break
        else:
            return None
        merged.append(head)
        for number, order in enumerate(pending):
            if heads[number] < len(order) and order[heads[number]] == head:
                heads[number] += 1
                if heads[number] < len(order):
                    in_tails[order[heads[number]]] -= 1
    return merged
