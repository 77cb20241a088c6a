"""JSON schemas of what the API answers, by name. Keys are only ever added."""

from __future__ import annotations

from collections.abc import Sequence

from plait.doors.http.faults import CODES
from plait.doors.render import Json
from plait.model import EdgeKind, Evidence, Source, SymbolKind, Unknown, Via

TEXT: Json = {"type": "string"}
NUMBER: Json = {"type": "number"}
COUNT: Json = {"type": "integer", "minimum": 0}
PLACE: Json = {"type": "integer", "minimum": 1}
WHOLE: Json = {"type": "integer"}
SWITCH: Json = {"type": "boolean"}
TEXTS: Json = {"type": "array", "items": TEXT}


def ref(name: str) -> Json:
    return {"$ref": f"#/components/schemas/{name}"}


def many(items: Json) -> Json:
    return {"type": "array", "items": items}


def by_name(values: Json) -> Json:
    return {"type": "object", "additionalProperties": values}


def maybe(one: Json) -> Json:
    return {"anyOf": [one, {"type": "null"}]}


def choice(values: Sequence[str]) -> Json:
    return {"type": "string", "enum": [*values]}


def thing(optional: Json | None = None, /, **properties: Json) -> Json:
    """An object whose properties are all there, but for the optional ones."""
    return {"type": "object", "properties": properties | (optional or {}), "required": [*properties]}


def answer(schema: str, optional: Json | None = None, /, **properties: Json) -> Json:
    return thing(optional, schema={"type": "string", "const": f"plait.{schema}.v1"}, **properties)


def listed(name: str, items: Json) -> Json:
    """A list that is cut, and how many there are in all."""
    return {f"{name}_total": COUNT, name: many(items)}


def with_(name: str, **properties: Json) -> Json:
    """What a schema has, and these properties too."""
    return {"allOf": [ref(name), thing(**properties)]}


SYMBOL: Json = {
    "id": TEXT,
    "symbol": TEXT,
    "kind": choice([*map(str, SymbolKind)]),
    "path": TEXT,
    "start_line": COUNT,
    "end_line": COUNT,
}
SIDE = thing(strategy=TEXT, returned=COUNT, scored=COUNT, seeds=TEXTS, steps=many(ref("step")), hits=many(ref("hit")))
COMPARED: Json = {
    "query": TEXT,
    "k": PLACE,
    "repository": TEXT,
    "state": TEXT,
    "a": SIDE,
    "b": SIDE,
    "movements": many(ref("movement")),
    "entered": TEXTS,
    "left": TEXTS,
}
EVIDENCE = choice([one.name.lower() for one in Evidence])
UNRESOLVED = listed("unresolved", ref("site"))
ROWS: Json = {"total": COUNT, "limit": PLACE, "edges_total": COUNT, "unresolved_total": COUNT, "repository": TEXT}
RELATED: Json = {
    "repository": TEXT,
    "symbol": ref("symbol_line"),
    "depth": PLACE,
    "total": COUNT,
    "limit": PLACE,
    **listed("overridden", with_("symbol_line", edge=ref("edge"))),
    **UNRESOLVED,
}
AFFECTED = with_("symbol_line", hop=COUNT, relation=TEXT, edge=ref("edge"))
COMPARISON = thing(
    measure=TEXT,
    a=TEXT,
    b=TEXT,
    mean_difference=NUMBER,
    interval=maybe(many(NUMBER)),
    p=NUMBER,
    p_holm=maybe(NUMBER),
    verdict=TEXT,
    smallest_effect=maybe(NUMBER),
    one_topic_moves=NUMBER,
    win=COUNT,
    loss=COUNT,
    tie=COUNT,
    divergent=by_name(NUMBER),
)
MISSING = thing(id=TEXT, symbol=ref("symbol_line"), cause=TEXT, rank=maybe(PLACE), above=TEXTS, text=TEXT)

SCHEMAS: dict[str, Json] = {
    "error": answer(
        "error",
        error=thing(
            {"near": TEXTS, "choices": TEXTS},
            code=choice(sorted({code for codes in CODES.values() for code in codes})),
            message=TEXT,
        ),
    ),
    "symbol_line": thing(**SYMBOL),
    "edge": thing(
        source=TEXT,
        target=TEXT,
        kind=choice([*map(str, EdgeKind)]),
        via=choice([*map(str, Via)]),
        evidence=EVIDENCE,
        confidence={"type": "number", "minimum": 0, "maximum": 1},
        candidates=PLACE,
        path=TEXT,
        line=COUNT,
    ),
    "reason": thing({"edge": ref("edge")}, source=choice([*map(str, Source)]), value=NUMBER, detail=TEXT),
    "step": thing(hop=PLACE, direction=choice(["in", "out"]), reached=TEXT, edge=ref("edge")),
    "site": thing(
        {"likely": SWITCH},
        source=TEXT,
        expression=TEXT,
        path=TEXT,
        line=COUNT,
        reason=choice([*map(str, Unknown)]),
        detail=TEXT,
    ),
    "hit": thing(
        {"cell": PLACE, "cell_line": PLACE, "copies": many(ref("symbol_line"))},
        rank=PLACE,
        **SYMBOL,
        score=NUMBER,
        reasons=many(ref("reason")),
        text=TEXT,
        repository=TEXT,
        language=TEXT,
        is_test=SWITCH,
    ),
    "movement": thing(
        id=TEXT,
        symbol=ref("symbol_line"),
        a=maybe(PLACE),
        b=maybe(PLACE),
        relevant=SWITCH,
        gained=many(ref("reason")),
        lost=many(ref("reason")),
        step=maybe(ref("step")),
        text=TEXT,
    ),
    "repositories": answer(
        "repositories",
        version=TEXT,
        writable=SWITCH,
        repositories=many(
            thing(
                name=TEXT,
                root=TEXT,
                role=choice(["repository", "corpus"]),
                ready=SWITCH,
                state=TEXT,
                files=COUNT,
                symbols=COUNT,
                languages=TEXTS,
                progress=maybe(thing(stage=TEXT, done=COUNT, total=COUNT)),
                problem=TEXT,
            )
        ),
        strategies=TEXTS,
        strategy=TEXT,
        kinds=TEXTS,
        limits=by_name(PLACE),
    ),
    "search": answer(
        "search",
        query=TEXT,
        strategy=TEXT,
        state=TEXT,
        total=COUNT,
        k=PLACE,
        milliseconds=NUMBER,
        repositories=many(thing(name=TEXT, state=TEXT, total=COUNT, nearest=maybe(NUMBER))),
        notices=TEXTS,
        hits=many(ref("hit")),
        related=many(with_("symbol_line", repository=TEXT, edge=ref("edge"), text=TEXT)),
    ),
    "comparison": answer("comparison", **COMPARED),
    "topic": answer(
        "comparison",
        **COMPARED,
        topic=thing(id=TEXT, text=TEXT),
        relevant=many(ref("symbol_line")),
        missing_a=many(MISSING),
        missing_b=many(MISSING),
    ),
    "whynot": answer(
        "whynot",
        query=TEXT,
        strategy=TEXT,
        k=PLACE,
        repository=TEXT,
        symbol=ref("symbol_line"),
        answer=choice(["shown", "outranked", "cut", "never a candidate", "filtered"]),
        rank=maybe(PLACE),
        scored=COUNT,
        text=TEXT,
        reasons=many(ref("reason")),
        score=NUMBER,
        above=many(thing(rank=PLACE, score=NUMBER, symbol=ref("symbol_line"), reasons=many(ref("reason")))),
        seeds=many(ref("symbol_line")),
    ),
    "symbols": answer("symbols", total=COUNT, limit=PLACE, symbols=many(ref("symbol_line"))),
    "symbol": answer(
        "symbol",
        repository=TEXT,
        symbol=ref("symbol_line"),
        language=TEXT,
        module=TEXT,
        signature=TEXT,
        docstring=TEXT,
        parent=maybe(ref("symbol_line")),
        is_test=SWITCH,
        text=TEXT,
        **listed("contains", ref("symbol_line")),
        callers_total=COUNT,
        callees_total=COUNT,
        unresolved_total=COUNT,
    ),
    "file": answer(
        "file",
        repository=TEXT,
        path=TEXT,
        language=TEXT,
        lines=COUNT,
        start_line=PLACE,
        end_line=COUNT,
        text=TEXT,
        changed=SWITCH,
        symbols=many(ref("symbol_line")),
    ),
    "graph": answer(
        "graph",
        repository=TEXT,
        symbol=ref("symbol_line"),
        depth=PLACE,
        direction=TEXT,
        limit=PLACE,
        total=COUNT,
        complete=SWITCH,
        nodes=many(
            with_(
                "symbol_line",
                hop=WHOLE,
                callers=COUNT,
                callees=COUNT,
                unresolved=COUNT,
                is_hub=SWITCH,
                is_folded=SWITCH,
                is_test=SWITCH,
            )
        ),
        edges=many(ref("edge")),
        **UNRESOLVED,
    ),
    "callers": answer("callers", **RELATED, callers=many(with_("symbol_line", hop=PLACE, edge=ref("edge")))),
    "callees": answer("callees", **RELATED, callees=many(with_("symbol_line", hop=PLACE, edge=ref("edge")))),
    "path": answer(
        "path",
        repository=TEXT,
        source=ref("symbol_line"),
        target=ref("symbol_line"),
        answer=choice(["known", "possible", "unknown", "none"]),
        total=COUNT,
        limit=PLACE,
        steps=many(with_("symbol_line", edge=ref("edge"))),
        searched=COUNT,
        **UNRESOLVED,
    ),
    "impact": answer(
        "impact",
        {"revision": TEXT, "files": COUNT, **listed("deleted", ref("symbol_line")), **listed("unread", thing())},
        repository=TEXT,
        limit=PLACE,
        **listed("changed", ref("symbol_line")),
        total=COUNT,
        affected=many(AFFECTED),
        **listed("tests", AFFECTED),
        **UNRESOLVED,
    ),
    "hubs": answer(
        "hubs", **ROWS, hubs=many(with_("symbol_line", callers=COUNT, share=NUMBER, unresolved_total=COUNT))
    ),
    "flows": answer(
        "flows",
        **ROWS,
        flows=many(
            thing(
                entry=ref("symbol_line"),
                reaches=COUNT,
                is_hub=SWITCH,
                members=many(with_("symbol_line", hop=COUNT)),
                **listed("hubs", ref("symbol_line")),
            )
        ),
    ),
    "unresolved": answer(
        "unresolved",
        repository=TEXT,
        reason=maybe(TEXT),
        edges_total=COUNT,
        reasons=many(thing(reason=TEXT, count=COUNT)),
        total=COUNT,
        limit=PLACE,
        unresolved=many(ref("site")),
    ),
    "status": answer(
        "status",
        {
            "skipped_total": COUNT,
            "skipped_files": many(thing(path=TEXT, reason=TEXT, detail=TEXT, count=COUNT)),
            "recovered_files": many(
                thing(path=TEXT, problem=TEXT, left_out=many(thing(start_line=PLACE, end_line=PLACE)))
            ),
        },
        repository=TEXT,
        notices=TEXTS,
        root=TEXT,
        indexed=SWITCH,
        fresh=SWITCH,
        changed=thing(),
        files_now=COUNT,
        listed_by=TEXT,
        commit_now=TEXT,
        content=TEXT,
        contents=many(thing(content=TEXT, files=COUNT, symbols=maybe(COUNT))),
        index=maybe(thing()),
        recovered=COUNT,
        other_indexes=many(thing()),
        skipped=by_name(COUNT),
    ),
    "collections": answer(
        "collections",
        collections=many(thing(name=TEXT, description=TEXT, topics=COUNT, repository=TEXT, writable=SWITCH)),
    ),
    "evaluation": answer(
        "eval",
        collection=TEXT,
        topics=COUNT,
        unjudged=TEXTS,
        without_relevant=TEXTS,
        strategies=TEXTS,
        measures=by_name(by_name(thing(mean=NUMBER, topics=by_name(NUMBER)))),
        questions=many(thing(id=TEXT, text=TEXT, category=TEXT, relevant=TEXTS)),
        placebos=by_name(TEXT),
        comparisons=many(COMPARISON),
        categories=many(thing()),
        graph=TEXT,
        embedder=TEXT,
        repository=TEXT,
        short=by_name(TEXT),
        topic_texts=by_name(TEXT),
    ),
    "judgements": answer(
        "judgements",
        {
            "collection": TEXT,
            "repository": TEXT,
            "topics": many(thing(id=TEXT, text=TEXT, judged=many(thing(symbol=TEXT, relevance=WHOLE)))),
        },
        writable=SWITCH,
        collections=TEXTS,
    ),
    "refresh": answer("refresh", repositories=TEXTS),
    "ready": answer("ready", ready=SWITCH, version=TEXT),
    "health": answer("health", status=choice(["ok", "indexing", "problem"]), version=TEXT),
}
