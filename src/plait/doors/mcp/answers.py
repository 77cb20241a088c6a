"""The four tools: arguments to an answer, as structured content and as the same in lines of text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from plait.context import Context, Part, layout
from plait.context.composing import SMALLEST
from plait.doors.mcp.paging import LIMIT, Json, fitted, offset_of, size
from plait.doors.mcp.warm import Askable, Freshness
from plait.doors.render import why
from plait.engine import Engine
from plait.errors import BadParameter
from plait.model import Edge, Evidence, Filter, Hit, Symbol, SymbolKind, Unresolved
from plait.questions import Impact, Reached, Relations

LINES = 12
"""Lines of code of a hit; `context` and `symbol` give all."""

WIDEST = 300
"""Characters of a line of code, of a hit or a definition: longer ones are data."""

LEFT_OUT = 12
"""Names of what did not fit."""

CODE = LIMIT // 3
"""Tokens of the definition that `symbol` shows."""

CURSOR_MOVED = "the index has changed since the answer before: items may be missing or come twice"


@dataclass(frozen=True, slots=True)
class Reply:
    structured: Json
    text: str


def answer(warm: Askable, tool: str, arguments: Json) -> Reply:
    """Raises PlaitError, whose message is for the agent."""
    return {"context": _context, "search": _search, "symbol": _symbol, "impact": _impact}[tool](warm, arguments)


# context


def _context(warm: Askable, given: Json) -> Reply:
    question, budget = given["question"], given.get("tokens", 4000)
    where = Filter(path=given.get("path"), tests=given.get("tests", False))

    def made(found: Context, fresh: Freshness) -> Json:
        return {
            "question": question,
            "index": _index(fresh),
            "total": found.total,
            "shown": len(found.parts),
            "functions": [_part(warm, part) for part in found.parts],
            "left_out": {
                "total": len(found.left_out),
                "first": [symbol.qualified_name for symbol in found.left_out[:LEFT_OUT]],
            },
        }

    def composed(room: int) -> tuple[Context, Freshness]:
        return warm.ask(
            lambda engine: engine.context(
                question, tokens=room, where=where, size=lambda context: size(made(context, Freshness("ready")))
            ),
            [question],
            lambda context: [part.symbol.path for part in context.parts],
        )

    room = budget
    while True:
        found, fresh = composed(room)
        answer = made(found, fresh)
        over = size(answer) - budget
        if over <= 0 or room <= SMALLEST:
            return Reply(answer, _told(fresh, layout.lines(found)))
        room = max(SMALLEST, room - over)  # for what is said of the index, and of files that have changed


def _part(warm: Askable, part: Part) -> Json:
    made: Json = {
        "number": part.number,
        **_place(part.symbol),
        "signature": layout.named(part.symbol),
        "calls": [*part.calls],
    }
    if part.shown is not None:
        made |= {"code": part.shown.text, "is_whole": part.shown.is_whole}
    if warm.is_stale(part.symbol.path):
        made["stale"] = True
    return made


# search


def _search(warm: Askable, given: Json) -> Reply:
    k = given.get("k", 10)
    kind = given.get("kind")
    where = Filter(
        path=given.get("path"), kinds=frozenset({SymbolKind(kind)}) if kind else None, tests=given.get("tests")
    )
    start, _ = offset_of(given.get("cursor"), "")
    found, fresh = warm.ask(
        lambda engine: engine.search(given["query"], k=start + k, where=where),
        [given["query"]],
        lambda answer: [hit.symbol.path for hit in answer.hits[start:]],
    )
    start, same = offset_of(given.get("cursor"), found.state)
    hits: list[Hit | None] = [*found.hits]
    hits += [None] * (found.total - len(hits))
    base = {"query": given["query"], "index": _index(fresh, same), "total": found.total, "shown": 0}
    made = fitted(base, {"hits": hits}, lambda _, hit: _hit(warm, hit), start, k, found.state)
    made["shown"] = len(made["hits"])
    return Reply(made, _told(fresh, _hits_text(made)))


def _hit(warm: Askable, hit: Hit) -> Json:
    return {
        "rank": hit.rank,
        **_place(hit.symbol),
        "start_line": hit.span.start_line,
        "end_line": hit.span.end_line,
        "score": round(hit.score, 4),
        "stale": warm.is_stale(hit.symbol.path),
        "reasons": why(hit.reasons).split("; "),
        "by_calls": [
            f"{reason.detail} [{reason.edge.evidence.name.lower()}]"
            for reason in hit.reasons
            if reason.edge is not None
        ],
        "code": _clipped(hit.text, LINES),
    }


def _hits_text(made: Json) -> Iterator[str]:
    for hit in made["hits"]:
        stale = "  STALE: changed since" if hit["stale"] else ""
        place = f"{hit['path']}:{hit['start_line']}-{hit['end_line']}"
        yield f"{hit['rank']} {place} {hit['symbol']} [{hit['kind']}]{stale}"
        yield f"  {'; '.join(hit['reasons'])}"
        yield hit["code"]
        yield ""
    if not made["hits"]:
        yield "nothing: no code in the index shares a word or a meaning with the question"
    else:
        yield f"{made['shown']} of {made['total']} candidates{_more(made)}"


# symbol


def _symbol(warm: Askable, given: Json) -> Reply:
    name, k, depth = given["symbol"], given.get("k", 25), given.get("depth", 1)

    def asked(engine: Engine) -> tuple[Relations, Relations, str, str]:
        found = engine.find(name).id  # once: a line of a file is looked for among all symbols
        callers, callees = engine.callers(found, depth=depth), engine.callees(found, depth=depth)
        snapshot = engine.snapshot()
        text = snapshot.texts([callers.symbol.id])[callers.symbol.id]
        return callers, callees, text, snapshot.info.state

    (callers, callees, text, state), fresh = warm.ask(asked, [_last(name)], lambda found: [found[0].symbol.path])
    start, same = offset_of(given.get("cursor"), state)
    lists: dict[str, Sequence[Any]] = {
        "callers": callers.reached,
        "possible_callers": [*callers.unresolved, *callers.overridden],
        "callees": callees.reached,
        "unresolved_calls": callees.unresolved,
    }
    base = {
        **_place(callers.symbol),
        "id": callers.symbol.id,
        "index": _index(fresh, same),
        "code": "" if start else _short(text, CODE),
        "total": {each: len(items) for each, items in lists.items()},
    }
    made = fitted(base, lists, lambda each, one: _related(each, one), start, k, state)
    return Reply(made, _told(fresh, _symbol_text(made)))


def _related(each: str, one: Reached | Unresolved | tuple[Edge, Symbol]) -> Json:
    if isinstance(one, Unresolved):
        return _site(one)
    if isinstance(one, tuple):
        edge, caller = one
        return {
            "path": edge.path,
            "line": edge.line,
            "in": caller.qualified_name,
            "call": "",
            "reason": "calls the method that this one overrides",
        }
    edge = one.edge
    made = {
        "symbol": one.symbol.qualified_name,
        "path": edge.path if each == "callers" else one.symbol.path,
        "line": edge.line if each == "callers" else one.symbol.span.start_line,
        "evidence": edge.evidence.name.lower(),
        "possible": edge.evidence is Evidence.AMBIGUOUS,
    }
    return made | ({"hop": one.hop} if one.hop > 1 else {})


def _symbol_text(made: Json) -> Iterator[str]:
    yield f"{made['path']}:{made['start_line']}-{made['end_line']} {made['symbol']} [{made['kind']}]"
    if made["code"]:
        yield made["code"]
    for name in ("callers", "callees"):
        yield f"{name}: {made['total'][name]}"
        for one in made[name]:
            sure = f"possible, {one['evidence']}" if one["possible"] else one["evidence"]
            yield f"  {one['path']}:{one['line']} {one['symbol']} ({sure})"
    yield from _sites_text(made, "possible_callers", "calls that could be of it")
    yield from _sites_text(made, "unresolved_calls", "calls in it that are not resolved")
    if "next_cursor" in made:
        yield _more(made).removeprefix("; ")


# impact


def _impact(warm: Askable, given: Json) -> Reply:
    asked_about = [name for name in ("symbol", "file", "diff") if name in given]
    if len(asked_about) != 1:
        raise BadParameter("give one of `symbol`, `file` and `diff`")
    what, k = given[asked_about[0]], given.get("k", 25)
    is_diff = asked_about[0] == "diff"

    def asked(engine: Engine) -> tuple[Impact, str]:
        found = engine.impact_of_diff(what) if is_diff else engine.impact(what)
        return found, engine.snapshot().info.state

    words = [] if is_diff else [_last(what)]
    (found, state), fresh = warm.ask(asked, words, lambda pair: [symbol.path for symbol in pair[0].changed[:50]])
    start, same = offset_of(given.get("cursor"), state)
    deleted = found.edit.deleted if found.edit else ()
    lists: dict[str, Sequence[Any]] = {
        "changed": [
            *(one.qualified_name for one in found.changed),
            *(f"{one.qualified_name} (deleted)" for one in deleted),
        ],
        "affected": found.affected,
        "tests": found.tests,
        "possible_callers": found.unresolved,
    }
    base = {
        "of": f"the difference from {what}" if is_diff else what,
        "index": _index(fresh, same),
        "total": {each: len(items) for each, items in lists.items()},
    }
    made = fitted(base, lists, lambda each, one: _struck(one), start, k, state)
    return Reply(made, _told(fresh, _impact_text(made)))


def _struck(one: Any) -> Any:
    if isinstance(one, str):
        return one
    if isinstance(one, Unresolved):
        return _site(one)
    affected, symbol = one
    return {
        **_place(symbol),
        "hop": affected.hop,
        "relation": str(affected.relation),
        "line": affected.edge.line,
        "evidence": affected.edge.evidence.name.lower(),
    }


def _impact_text(made: Json) -> Iterator[str]:
    yield f"{made['of']}: {made['total']['changed']} changed: {', '.join(made['changed'])}"
    for name, told in (("affected", "may break"), ("tests", "tests to run")):
        yield f"{told}: {made['total'][name]}"
        for one in made[name]:
            yield f"  {one['hop']} {one['path']}:{one['line']} {one['symbol']} ({one['relation']}, {one['evidence']})"
    yield from _sites_text(made, "possible_callers", "calls that could be of what changes")
    if "next_cursor" in made:
        yield _more(made).removeprefix("; ")


# shared


def _index(fresh: Freshness, same: bool = True) -> Json:
    note = "; ".join(part for part in (fresh.note, "" if same else CURSOR_MOVED) if part)
    return {"state": fresh.state, "note": note}


def _place(symbol: Symbol) -> Json:
    return {
        "symbol": symbol.qualified_name,
        "kind": str(symbol.kind),
        "path": symbol.path,
        "start_line": symbol.span.start_line,
        "end_line": symbol.span.end_line,
    }


def _site(site: Unresolved) -> Json:
    return {
        "path": site.path,
        "line": site.reference.line,
        "in": site.reference.source,
        "call": site.reference.expression[:WIDEST],
        "reason": site.reason + (f": {site.detail[:WIDEST]}" if site.detail else ""),
    }


def _sites_text(made: Json, name: str, told: str) -> Iterator[str]:
    if made["total"][name]:
        yield f"{told}: {made['total'][name]}"
        for one in made[name]:
            yield f"  {one['path']}:{one['line']} ? {one['call']} ({one['reason']})"


def _told(fresh: Freshness, lines: Iterator[str]) -> str:
    head = f"{fresh.note}\n\n" if fresh.note else ""
    return head + "\n".join(lines)


def _more(made: Json) -> str:
    return f"; more with cursor {made['next_cursor']}" if "next_cursor" in made else ""


def _clipped(text: str, most: int) -> str:
    lines = [line if len(line) <= WIDEST else f"{line[:WIDEST]}..." for line in text.splitlines()]
    left = len(lines) - most
    return "\n".join(lines[:most] + ([f"... {left} more lines"] if left > 0 else []))


def _short(text: str, most: int) -> str:
    lines = text.count("\n") + 1
    while size({"": text}) > most and lines > 5:
        lines = lines * 2 // 3
        text = _clipped(text, lines)
    return text if size({"": text}) <= most else _clipped(text, 5)


def _last(name: str) -> str:
    """What to look for in files while there is no index: the last name, or the file's."""
    return name.rpartition(":")[0].rpartition("/")[2] if ":" in name else name.removesuffix("()").rpartition(".")[2]
