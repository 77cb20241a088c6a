"""Answers from the graph as JSON and as lines of text; see `plait.doors.render`.

Every answer tells how much there is in all, how much of it is shown, and which unresolved sites could be more of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from plait.doors.render import Json, counted, edge_json, symbol_json, unresolved_json
from plait.graph.impact import Affected
from plait.model import Direction, Edge, EdgeKind, Symbol, Unresolved
from plait.questions import CallPath, Impact, Relations
from plait.surveys import FlowRow, HubRow, Listing, Sites

_T = TypeVar("_T")

MEMBERS = 8
"""Members of a flow on its line of text."""


def relations_json(relations: Relations, depth: int, limit: int) -> Json:
    name = "callers" if relations.direction is Direction.IN else "callees"
    return {
        "schema": f"plait.{name}.v1",
        "symbol": symbol_json(relations.symbol),
        "depth": depth,
        "total": len(relations.reached),
        "limit": limit,
        name: [
            symbol_json(one.symbol) | {"hop": one.hop, "edge": edge_json(one.edge)} for one in relations.reached[:limit]
        ],
        "overridden_total": len(relations.overridden),
        "overridden": [
            symbol_json(caller) | {"edge": edge_json(edge)} for edge, caller in relations.overridden[:limit]
        ],
        **_unresolved_json(relations.unresolved, limit),
    }


def path_json(found: CallPath, limit: int) -> Json:
    steps = found.steps or ()
    if found.steps is None:
        answer = "unknown" if found.unresolved else "none"
    else:
        answer = "known" if found.is_sure else "possible"
    return {
        "schema": "plait.path.v1",
        "source": symbol_json(found.source),
        "target": symbol_json(found.target),
        "answer": answer,
        "total": len(steps),
        "limit": limit,
        "steps": [symbol_json(symbol) | {"edge": edge_json(edge)} for edge, symbol in steps],
        "searched": found.searched,
        "unresolved_total": len(found.unresolved),
        "unresolved": [unresolved_json(site) | {"likely": likely} for site, likely in found.unresolved[:limit]],
    }


def impact_json(impact: Impact, limit: int) -> Json:
    made: Json = {"schema": "plait.impact.v1", "limit": limit}
    if impact.edit is not None:
        made |= {
            "revision": impact.edit.revision,
            "files": impact.edit.files,
            **_some("deleted", impact.edit.deleted, limit, symbol_json),
            **_some(
                "unread",
                impact.edit.unread,
                limit,
                lambda skip: {"path": skip.path, "reason": skip.reason, "detail": skip.detail},
            ),
        }
    return made | {
        **_some("changed", impact.changed, limit, symbol_json),
        "total": len(impact.affected),
        "affected": [_affected_json(pair) for pair in impact.affected[:limit]],
        **_some("tests", impact.tests, limit, _affected_json),
        **_unresolved_json(impact.unresolved, limit),
    }


def hubs_json(found: Listing[HubRow], limit: int) -> Json:
    return _listing_json("hubs", found, limit) | {
        "hubs": [
            symbol_json(row.symbol)
            | {"callers": row.callers, "share": round(row.share, 4), "unresolved_total": row.possible}
            for row in found.rows
        ]
    }


def flows_json(found: Listing[FlowRow], limit: int) -> Json:
    return _listing_json("flows", found, limit) | {
        "flows": [
            {
                "entry": symbol_json(row.entry),
                "reaches": row.reaches,
                "is_hub": row.is_hub,
                "members": [symbol_json(symbol) | {"hop": hop} for symbol, hop in row.members[:limit]],
                "hubs_total": len(row.hubs),
                "hubs": [symbol_json(symbol) for symbol in row.hubs[:limit]],
            }
            for row in found.rows
        ]
    }


def sites_json(found: Sites, reason: str | None, limit: int) -> Json:
    return {
        "schema": "plait.unresolved.v1",
        "reason": reason,
        "edges_total": found.edges,
        "reasons": [{"reason": name, "count": count} for name, count in found.reasons],
        "total": len(found.sites),
        "limit": limit,
        "unresolved": [unresolved_json(site) for site in found.sites[:limit]],
    }


def relations_text(relations: Relations, depth: int, limit: int) -> Iterator[str]:
    """Yield lines: what is known, then the sites that could be more, then how many of each in all."""
    callers = relations.direction is Direction.IN
    for one in relations.reached[:limit]:
        hop = f"{one.hop}  " if depth > 1 else ""
        yield f"{hop}{_site(one.edge)}  {_named(one.symbol)}  {_told(one.edge)}"
    yield from _sites_text(relations.unresolved[:limit])
    for edge, caller in relations.overridden[:limit]:
        yield f"{_site(edge)}  ? {_named(caller)}  calls the method that this one overrides"
    sites = len(relations.unresolved)
    if depth > 1:
        could = "could be more" if callers else "could lead to more"
        within = f" within {depth} calls"
    else:
        could = "could be it" if callers else "could lead to more"
        within = ""
    shown = _shown(limit, len(relations.reached), sites)
    known = counted(len(relations.reached), "caller" if callers else "callee")
    yield (
        f"{relations.symbol.qualified_name}: {known}{within}, {counted(sites, 'unresolved site')} that {could}"
        + (f", {counted(len(relations.overridden), 'call')} of what it overrides" if relations.overridden else "")
        + shown
    )


def path_text(found: CallPath, limit: int) -> Iterator[str]:
    a, b = found.source.qualified_name, found.target.qualified_name
    if found.steps is not None:
        if not found.steps:
            yield f"{a} and {b} are one: making an object of the class calls its constructor"
            return
        yield f"0  {found.start.path}:{found.start.span.start_line}  {_named(found.start)}"
        for number, (edge, symbol) in enumerate(found.steps, start=1):
            yield f"{number}  {_site(edge)}  {_named(symbol)}  {_told(edge)}"
        if found.is_sure:
            yield f"{a} to {b}: {counted(len(found.steps), 'call')}, the shortest known"
        else:
            yield f"{a} to {b}: {counted(len(found.steps), 'step')}, possible where an overriding method runs"
        return
    yield from _sites_text([site for site, _ in found.unresolved[:limit]])
    likely = sum(likely for _, likely in found.unresolved)
    if found.unresolved:
        yield (
            f"{a} to {b}: no path known; {counted(len(found.unresolved), 'unresolved site')} on the way could go on,"
            f" {likely:,} of them by the name of what leads there{_shown(limit, len(found.unresolved))}"
        )
    else:
        yield f"{a} to {b}: none; every call in {counted(found.searched, 'symbol')} it reaches is resolved"


def impact_text(impact: Impact, limit: int) -> Iterator[str]:
    edit = impact.edit
    yield from (f"changed  {_place(symbol)}" for symbol in impact.changed[:limit])
    if edit is not None:
        yield from (f"deleted  {_place(symbol)}" for symbol in edit.deleted[:limit])
        for skip in edit.unread[:limit]:
            yield f"unread  {skip.path}  {skip.reason}" + (f": {skip.detail}" if skip.detail else "")
    yield from (_affected_text(*pair) for pair in impact.affected[:limit])
    yield from (f"test  {_affected_text(*pair)}" for pair in impact.tests[:limit])
    yield from _sites_text(impact.unresolved[:limit])
    parts = [counted(len(impact.changed), "changed symbol")]
    if edit is not None:
        parts.append(f"{len(edit.deleted):,} deleted")
        parts += [f"{counted(len(edit.unread), 'changed file')} that cannot be read"] if edit.unread else []
    parts.append(f"{counted(len(impact.affected), 'symbol')} and {counted(len(impact.tests), 'test')} that may break")
    parts.append(f"{counted(len(impact.unresolved), 'unresolved site')} that could be more")
    lists = [impact.changed, impact.affected, impact.tests, impact.unresolved, *([edit.deleted] if edit else [])]
    since = f"since {edit.revision}: " if edit else ""
    yield f"{since}{', '.join(parts)}{_shown(limit, *map(len, lists))}"


def hubs_text(found: Listing[HubRow], limit: int) -> Iterator[str]:
    for row in found.rows:
        possible = f", {counted(row.possible, 'unresolved site')} could be more" if row.possible else ""
        yield (
            f"{_place(row.symbol)}  {counted(row.callers, 'caller')},"
            f" {row.share:.1%} of all that call something{possible}"
        )
    yield f"{counted(found.total, 'called symbol')}, {_extent(found)}{_shown(limit, found.total)}"


def flows_text(found: Listing[FlowRow], limit: int) -> Iterator[str]:
    for row in found.rows:
        yield f"{_place(row.entry)}  reaches {row.reaches:,}" + (", a hub" if row.is_hub else "")
        names = [symbol.qualified_name for symbol, _ in row.members]
        more = f" and {len(names) - MEMBERS:,} more" if len(names) > MEMBERS else ""
        if names:
            yield f"    {', '.join(names[:MEMBERS])}{more}"
        if row.hubs:
            more = f" and {len(row.hubs) - MEMBERS:,} more" if len(row.hubs) > MEMBERS else ""
            yield f"    hubs: {', '.join(symbol.qualified_name for symbol in row.hubs[:MEMBERS])}{more}"
    yield f"{counted(found.total, 'flow')}, {_extent(found)}{_shown(limit, found.total)}"


def sites_text(found: Sites, reason: str | None, limit: int) -> Iterator[str]:
    for name, count in found.reasons:
        yield f"{count:>8,}  {name}" + ("" if name.could_be_here else " (leads out of the repository)")
    yield from _sites_text(found.sites[:limit])
    kind = f"with the reason {reason}" if reason else "that could be calls within the repository"
    yield (
        f"{counted(found.edges, 'call edge')}, {counted(len(found.sites), 'unresolved site')} {kind}"
        f"{_shown(limit, len(found.sites))}"
    )


def _some(name: str, values: Sequence[_T], limit: int, made: Callable[[_T], Json]) -> Json:
    return {f"{name}_total": len(values), name: [made(value) for value in values[:limit]]}


def _unresolved_json(sites: Sequence[Unresolved], limit: int) -> Json:
    return _some("unresolved", sites, limit, unresolved_json)


def _affected_json(pair: tuple[Affected, Symbol]) -> Json:
    one, symbol = pair
    return symbol_json(symbol) | {"hop": one.hop, "relation": one.relation, "edge": edge_json(one.edge)}


def _listing_json(name: str, found: Listing[_T], limit: int) -> Json:
    return {
        "schema": f"plait.{name}.v1",
        "total": found.total,
        "limit": limit,
        "edges_total": found.edges,
        "unresolved_total": found.unresolved,
    }


def _affected_text(one: Affected, symbol: Symbol) -> str:
    return f"{one.hop}  {_site(one.edge)}  {_named(symbol)}  {one.relation}, {one.edge.evidence.name.lower()}"


def _sites_text(sites: Sequence[Unresolved]) -> Iterator[str]:
    for site in sites:
        what = site.reason + (f": {site.detail}" if site.detail else "")
        yield f"{site.path}:{site.reference.line}  ? {site.reference.expression}(...)  {what}"


def _site(edge: Edge) -> str:
    return f"{edge.path}:{edge.line}"


def _named(symbol: Symbol) -> str:
    return f"{symbol.qualified_name}  [{symbol.kind}]"


def _place(symbol: Symbol) -> str:
    return f"{symbol.path}:{symbol.span.start_line}-{symbol.span.end_line}  {_named(symbol)}"


def _told(edge: Edge) -> str:
    if edge.kind is EdgeKind.OVERRIDES:
        return f"may run instead, {edge.evidence.name.lower()}"
    choice = f", 1 of {edge.candidates} possible targets" if edge.candidates > 1 else ""
    return f"{edge.via}, {edge.evidence.name.lower()}{choice}"


def _extent(found: Listing[_T]) -> str:
    return f"{counted(found.edges, 'call')} resolved, {counted(found.unresolved, 'unresolved site')} could be more"


def _shown(limit: int, *totals: int) -> str:
    if max(totals) <= limit:
        return ""
    return f"; the first {limit}{' of each' if len(totals) > 1 else ''} are shown, -k shows more"
