"""What may break when symbols change, by following the graph against its arrows.

| from | to | goes on with |
|---|---|---|
| anything affected | who calls it | all rules |
| an affected method | the method that it overrides: a call of that one may run this one | all rules |
| an affected class | its subclasses | all rules |
| anything affected | what names it as a value: passes, stores or returns it | all rules |
| a changed method | those that override it: what they replace is no longer what it was | overriders alone |
| a changed module | the modules that import it | nothing |

So an overrider's callers are not affected (it runs as before) unless it calls what changed; nor are the siblings of an
affected method below the same base. What a module's names are read for is not in the graph: importers stand for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from plait.graph.walks import Edges, end, trust
from plait.model import Direction, Edge, EdgeKind, Evidence, SymbolId


class Relation(StrEnum):
    """What a symbol is to the one it was reached from; of several the first counts."""

    CALLER = "calls"
    OVERRIDDEN = "overridden by"
    SUBCLASS = "inherits from"
    REFERRER = "names"
    OVERRIDER = "overrides"
    IMPORTER = "imports"


_ORDER = {relation: place for place, relation in enumerate(Relation)}

_ALWAYS = (
    (Relation.CALLER, EdgeKind.CALLS, Direction.IN),
    (Relation.OVERRIDDEN, EdgeKind.OVERRIDES, Direction.OUT),
    (Relation.SUBCLASS, EdgeKind.INHERITS, Direction.IN),
    (Relation.REFERRER, EdgeKind.REFERENCES, Direction.IN),
)


@dataclass(frozen=True, slots=True)
class Affected:
    symbol: SymbolId
    hop: int
    """1 next to a changed symbol"""
    relation: Relation
    edge: Edge


def affected(edges: Edges, changed: Iterable[SymbolId], weakest: Evidence = Evidence.AMBIGUOUS) -> list[Affected]:
    """Return what may break, each symbol once, without the changed ones: nearest first, then by the edge's site."""
    layer = sorted(dict.fromkeys(changed))
    starts = frozenset(layer)
    overriding = layer
    followed, followed_down = set(layer), set(layer)
    found: dict[SymbolId, Affected] = {}
    hop = 0
    while layer or overriding:
        hop += 1
        new: dict[SymbolId, Affected] = {}
        onward: list[SymbolId] = []
        downward: list[SymbolId] = []
        for relation, edge, other in _steps(edges, layer, overriding, first=hop == 1):
            if edge.evidence < weakest:
                continue
            if relation is Relation.OVERRIDER:
                downward.append(other)
            elif relation is not Relation.IMPORTER:
                onward.append(other)
            if other in starts or other in found:
                continue
            one = Affected(other, hop, relation, edge)
            if other not in new or _preference(one) < _preference(new[other]):
                new[other] = one
        found.update(new)
        # A symbol that was reached as an overrider is gone on from in full once it is reached in another way.
        layer = sorted(dict.fromkeys(one for one in onward if one not in followed))
        overriding = sorted(dict.fromkeys(one for one in downward if one not in followed_down))
        followed.update(layer)
        followed_down.update(overriding)
    return sorted(found.values(), key=lambda one: (one.hop, one.edge.path, one.edge.line, one.symbol))


def _steps(
    edges: Edges, layer: list[SymbolId], overriding: list[SymbolId], *, first: bool
) -> Iterator[tuple[Relation, Edge, SymbolId]]:
    for relation, kind, direction in _ALWAYS:
        for edge in edges(layer, (kind,), direction) if layer else ():
            yield relation, edge, end(edge, direction)
    for edge in edges(overriding, (EdgeKind.OVERRIDES,), Direction.IN) if overriding else ():
        yield Relation.OVERRIDER, edge, edge.source
    for edge in edges(layer, (EdgeKind.IMPORTS,), Direction.IN) if first else ():
        yield Relation.IMPORTER, edge, edge.source


def _preference(one: Affected) -> tuple[object, ...]:
    return (_ORDER[one.relation], *trust(one.edge))
