"""What is indexed: repositories, symbols by name, one symbol, a file's text, the state of the index."""

from __future__ import annotations

from collections.abc import Sequence

from plait import plugins
from plait.doors.http import parameters
from plait.doors.http.board import Standing
from plait.doors.http.faults import not_found
from plait.doors.http.parameters import Given
from plait.doors.http.served import Served
from plait.doors.render import Json, symbol_json
from plait.doors.upkeep import status_json
from plait.model import Direction, EdgeKind, Symbol, SymbolId, SymbolKind
from plait.protocols import Snapshot
from plait.version import __version__

LINES = 5_000
"""Lines of a file in one reply."""


def repositories(service: Served, given: Given) -> Json:
    return {
        "schema": "plait.repositories.v1",
        "version": __version__,
        "writable": service.marks is not None,
        "repositories": [standing_json(one) for one in service.standings.values()],
        "strategies": plugins.names("strategy"),
        "strategy": service.default,
        "kinds": [str(kind) for kind in SymbolKind],
        "limits": {
            "query": parameters.QUERY,
            "k": parameters.K,
            "depth": parameters.DEPTH,
            "limit": parameters.LIMIT,
        },
    }


def standing_json(one: Standing) -> Json:
    return {
        "name": one.name,
        "root": str(one.root),
        "role": one.role,
        "ready": one.ready,
        "state": one.state,
        "files": one.files,
        "symbols": one.symbols,
        "languages": list(one.languages),
        "progress": progress_json(one),
        "problem": one.problem,
    }


def progress_json(one: Standing) -> Json | None:
    return None if one.progress is None else dict(zip(("stage", "done", "total"), one.progress, strict=True))


def symbols(service: Served, given: Given) -> Json:
    name = service.chosen(given)
    prefix, limit = (given["prefix"] or "").lower(), given["limit"]
    kinds = frozenset(map(SymbolKind, given["kind"]))
    with service.reading(name) as engine:
        snapshot = engine.snapshot()
        if given["path"]:
            found = [one for one in snapshot.symbols(snapshot.defined([given["path"]])) if _fits(one, kinds, prefix)]
            total, shown = len(found), found[:limit]
        else:
            names = service.remembered(name, "names", engine, lambda: _named(snapshot))
            ids = _completed(names, kinds, prefix)
            total, shown = len(ids), snapshot.symbols(ids[:limit])
    return {
        "schema": "plait.symbols.v1",
        "total": total,
        "limit": limit,
        "symbols": [symbol_json(one) for one in shown],
    }


def _fits(symbol: Symbol, kinds: frozenset[SymbolKind], prefix: str) -> bool:
    return (not kinds or symbol.kind in kinds) and prefix in symbol.qualified_name.lower()


def _named(snapshot: Snapshot) -> list[tuple[str, str, SymbolId, SymbolKind]]:
    """Return the last name and the qualified name of each symbol in lower case, its id and kind; by name, then id."""
    found = [(one.name.lower(), one.qualified_name.lower(), one.id, one.kind) for one in snapshot.symbols()]
    return sorted(found, key=lambda one: one[1:3])


def _completed(
    names: Sequence[tuple[str, str, SymbolId, SymbolKind]], kinds: frozenset[SymbolKind], prefix: str
) -> list[SymbolId]:
    """Return the ids of those that begin so, then of those that contain it."""
    begins: list[SymbolId] = []
    holds: list[SymbolId] = []
    before, _, first = prefix.rpartition(".")
    for last, whole, symbol, kind in names:
        if kinds and kind not in kinds:
            continue
        if last.startswith(first) and (not before or f".{whole.removesuffix(last)}".endswith(f".{before}.")):
            begins.append(symbol)
        elif prefix in whole:
            holds.append(symbol)
    return begins + holds


def symbol(service: Served, given: Given) -> Json:
    name = service.chosen(given)
    with service.reading(name) as engine:
        snapshot = engine.snapshot()
        one = engine.find(given["symbol"])
        callers, callees = engine.callers(one.id), engine.callees(one.id)
        inside = [edge.target for edge in snapshot.edges([one.id], [EdgeKind.CONTAINS], Direction.OUT)]
        contains = snapshot.symbols(inside)
        parents = snapshot.symbols([one.parent]) if one.parent else []
        text = snapshot.texts([one.id]).get(one.id, "")
    return {
        "schema": "plait.symbol.v1",
        "repository": name,
        "symbol": symbol_json(one),
        "language": one.language,
        "module": one.module,
        "signature": one.signature,
        "docstring": one.docstring,
        "parent": symbol_json(parents[0]) if parents else None,
        "is_test": one.is_test,
        "text": text,
        "contains_total": len(contains),
        "contains": [symbol_json(inner) for inner in contains[: parameters.LIMIT]],
        "callers_total": len(callers.reached),
        "callees_total": len(callees.reached),
        "unresolved_total": len(callees.unresolved),
    }


def file(service: Served, given: Given) -> Json:
    name, path = service.chosen(given), given["path"]
    with service.reading(name) as engine:
        snapshot = engine.snapshot()
        record = next((one for one in snapshot.records() if one.state.path == path and one.digest), None)
        if record is None:
            told = "/api/v1/status?skipped=true tells what is left out"
            raise not_found(f"{path[:200]}: no file that is indexed in {name}; {told}")
        lines, changed = service.text_of(engine, record)
        defined = snapshot.symbols(snapshot.defined([path])[: parameters.LIMIT])
    first = given["start_line"]
    last = min(given["end_line"] or len(lines), len(lines), first + LINES - 1)
    return {
        "schema": "plait.file.v1",
        "repository": name,
        "path": path,
        "language": record.language,
        "lines": len(lines),
        "start_line": first,
        "end_line": last,
        "text": "\n".join(lines[first - 1 : last]),
        "changed": changed,
        "symbols": [symbol_json(one) for one in defined],
    }


def status(service: Served, given: Given) -> Json:
    name = service.chosen(given)
    found = service.status(name)
    told = status_json(found, given["skipped"])
    if given["skipped"]:
        files, first = told["skipped_files"], given["offset"]
        told["skipped_total"] = len(files)
        told["skipped_files"] = files[first : first + given["limit"]]
        told["recovered_files"] = told["recovered_files"][: parameters.LIMIT]
    return told | {"repository": name, "notices": list(service.notices(name))}
