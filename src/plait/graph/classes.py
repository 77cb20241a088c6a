"""The order in which a class and its bases are searched."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from plait.model import SymbolId


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
