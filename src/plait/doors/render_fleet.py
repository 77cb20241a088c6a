"""How the calls between the repositories of a fleet are shown."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from plait.doors import render
from plait.model import Direction

if TYPE_CHECKING:
    from plait.fleet.linked import Across, Crossing


def across_json(found: Across, k: int) -> dict[str, object]:
    return {
        "schema": "plait.fleet.relations.v1",
        "symbol": found.symbol.id,
        "direction": "callers" if found.direction is Direction.IN else "callees",
        "total": len(found.reached),
        "reached": [
            {
                "symbol": symbol.id,
                "qualified_name": symbol.qualified_name,
                "repository": symbol.id.partition("//")[0],
                "hop": reach.hop,
                "from": reach.edge.source,
                "to": reach.edge.target,
                "path": reach.edge.path,
                "line": reach.edge.line,
                "via": str(reach.edge.via),
                "evidence": reach.edge.evidence.name.lower(),
                "confidence": reach.edge.confidence,
            }
            for reach, symbol in found.reached[:k]
        ],
        "not_found": [
            {
                "path": one.path,
                "line": one.line,
                "package": one.outward.package,
                "name": _name(one),
                "publishers": list(one.publishers),
            }
            for one in found.open[:k]
        ],
        "not_found_total": len(found.open),
        "also_published_by": list(found.rivals),
    }


def across_text(found: Across, k: int) -> Iterator[str]:
    what = "caller" if found.direction is Direction.IN else "callee"
    home = found.symbol.id.partition("//")[0]
    others = {symbol.id.partition("//")[0] for _, symbol in found.reached} - {home}
    inside = sum(symbol.id.startswith(f"{home}//") for _, symbol in found.reached)
    count = render.counted(len(found.reached), what)
    where = f"{inside:,} in {home}, {len(found.reached) - inside:,} in {len(others):,} others"
    yield f"{found.symbol.id}: {count}" + (f" ({where})" if others else "")
    for reach, symbol in found.reached[:k]:
        edge = reach.edge
        yield (
            f"{reach.hop}  {edge.path}:{edge.line}  {symbol.qualified_name}  {edge.evidence.name.lower()} {edge.via} "
            f"{edge.confidence:.2f}"
        )
    if len(found.reached) > k:
        yield f"... {len(found.reached) - k:,} more; -k shows more"
    if found.rivals:
        yield f"not linked from other repositories: its package is also published by {', '.join(found.rivals)}"
    if found.open:
        yield f"{render.counted(len(found.open), 'name')} of other packages not found:"
        for one in found.open[:k]:
            yield f"   {one.path}:{one.line}  {one.outward.package} {_name(one)}: {_why(one)}"


def _name(one: Crossing) -> str:
    return " ".join(part for part in (one.outward.within, one.outward.name) if part)


def _why(one: Crossing) -> str:
    if not one.publishers:
        return "no repository of the fleet publishes it"
    if len(one.publishers) > 1:
        return f"published by several: {', '.join(one.publishers)}"
    return f"{one.publishers[0]} has no such name, or hands it out in a way that is not followed"
