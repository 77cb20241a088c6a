"""The order in which a class and its bases are searched."""

from __future__ import annotations

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
        merged = _merge([*orders, tuple(base for base in direct if base in known)])
        if merged is None:
            merged = list(dict.fromkeys(name for order in orders for name in order))
        known[class_] = (class_, *(name for name in merged if name != class_))
    return known[start]


def _merge(orders: Sequence[Sequence[SymbolId]]) -> list[SymbolId] | None:
    pending = [list(order) for order in orders if order]
    merged: list[SymbolId] = []
    while pending:
        for order in pending:
            head = order[0]
            if not any(head in other[1:] for other in pending):
                break
        else:
            return None
        merged.append(head)
        pending = [rest for rest in ([name for name in order if name != head] for order in pending) if rest]
    return merged
