"""One renderer for every door: the same values as JSON and as lines of text.

JSON objects carry their versioned schema. Keys are only ever added within a version.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from plait.asking import asked
from plait.engine import Answer
from plait.model import Edge, Hit, Reason, Related, Source, Symbol, Unresolved

if TYPE_CHECKING:
    from plait.several import Found, Gathered

Json = dict[str, Any]

COPIES = 3
"""Copies of a hit that are named."""


def symbol_json(symbol: Symbol) -> Json:
    return {
        "id": symbol.id,
        "symbol": symbol.qualified_name,
        "kind": symbol.kind,
        "path": symbol.path,
        "start_line": symbol.span.start_line,
        "end_line": symbol.span.end_line,
    }


def edge_json(edge: Edge) -> Json:
    return {
        "source": edge.source,
        "target": edge.target,
        "kind": edge.kind,
        "via": edge.via,
        "evidence": edge.evidence.name.lower(),
        "confidence": round(edge.confidence, 4),
        "candidates": edge.candidates,
        "path": edge.path,
        "line": edge.line,
    }


def reason_json(reason: Reason) -> Json:
    made: Json = {"source": reason.source, "value": reason.value, "detail": reason.detail}
    if reason.edge is not None:
        made["edge"] = edge_json(reason.edge)
    return made


def hit_json(hit: Hit) -> Json:
    made: Json = {
        "rank": hit.rank,
        "path": hit.symbol.path,
        "start_line": hit.span.start_line,
        "end_line": hit.span.end_line,
        "symbol": hit.symbol.qualified_name,
        "id": hit.symbol.id,
        "kind": hit.symbol.kind,
        "score": hit.score,
        "reasons": [reason_json(reason) for reason in hit.reasons],
        "text": hit.text,
    }
    if hit.copies:
        made["copies"] = [symbol_json(symbol) for symbol in hit.copies]
    return made | ({"cell": hit.cell, "cell_line": hit.cell_line} if hit.cell else {})


def answer_json(answer: Answer) -> Json:
    return {
        "schema": "plait.search.v1",
        "query": answer.query,
        "strategy": answer.strategy,
        "state": answer.state,
        "total": answer.total,
        "hits": [hit_json(hit) for hit in answer],
        "related": [
            {**symbol_json(one.symbol), "rank": one.rank, "edge": edge_json(one.edge)} for one in answer.related
        ],
    }


def unresolved_json(site: Unresolved) -> Json:
    return {
        "source": site.reference.source,
        "expression": site.reference.expression,
        "path": site.path,
        "line": site.reference.line,
        "reason": site.reason,
        "detail": site.detail,
    }


def found_json(found: Found) -> Json:
    symbol = found.hit.symbol
    place = {"repository": found.repository, "language": symbol.language, "is_test": symbol.is_test}
    return hit_json(found.hit) | place


def parts_json(found: Gathered) -> list[Json]:
    """Return what each repository had, and how near its nearest passage is; null if it was asked alone."""
    return [
        {"name": name, "state": answer.state, "total": answer.total, "nearest": found.nearest.get(name)}
        for name, answer in found.answers.items()
    ]


def gathered_json(found: Gathered) -> Json:
    return {
        "schema": "plait.search.v1",
        "query": found.query,
        "strategy": found.strategy,
        "state": found.state,
        "total": found.total,
        "repositories": parts_json(found),
        "hits": [found_json(one) for one in found],
    }


def answer_text(answer: Answer, *, explain: bool) -> Iterator[str]:
    """Yield lines: a line for each hit with the reasons below it, and last what there is beyond."""
    width = len(str(len(answer)))
    for hit in answer:
        yield from _hit_text(hit, width, explain=explain)
    if answer.related:
        yield "beside them on the graph: " + "; ".join(map(related_text, answer.related))
    yield from _beyond(answer, answer.hits)


def gathered_text(found: Gathered, *, explain: bool) -> Iterator[str]:
    """As answer_text; the name of the repository stands before each path."""
    width = len(str(len(found)))
    for one in found:
        yield from _hit_text(one.hit, width, explain=explain, repository=one.repository)
    if len(found.nearest) > 1 and len(found):
        near = ", ".join(f"{name} {cosine:.2f}" for name, cosine in found.nearest.items())
        yield f"between repositories it counts as well how near each is: greatest cosine of {near}"
    yield from _beyond(found, [one.hit for one in found])


def _hit_text(hit: Hit, width: int, *, explain: bool, repository: str = "") -> Iterator[str]:
    place = f"{hit.symbol.path}:{hit.span.start_line}-{hit.span.end_line}"
    place += f" (cell {hit.cell}, line {hit.cell_line})" if hit.cell else ""
    place = f"{repository}  {place}" if repository else place
    yield f"{hit.rank:>{width}}  {place}  {hit.symbol.qualified_name}  [{hit.symbol.kind}]  {hit.score:.4f}"
    if explain:
        yield from (f"{'':{width}}    {reason_text(reason)}" for reason in hit.reasons)
    else:
        yield f"{'':{width}}    {why(hit.reasons)}"
    if hit.copies:
        yield f"{'':{width}}    the same text in {_listed(hit.copies)}"


def _beyond(answer: Answer | Gathered, hits: Sequence[Hit]) -> Iterator[str]:
    if not hits:
        question = asked(answer.query)
        narrowed = bool(question.quoted) or not question.where.is_empty
        within = " within what it is narrowed to; leave out a filter or the quotes" if narrowed else ""
        yield f"no result: nothing in the index shares a word or a meaning with the question{within}"
    elif answer.strategy.startswith("hybrid(") and not any(map(_by_words, hits)):
        yield "no word of the question is in these results: they are only the nearest in meaning"
    elif answer.total > len(hits):
        yield f"{len(hits)} of {answer.total} candidates; -k shows more, --explain all reasons"


def _listed(copies: Sequence[Symbol]) -> str:
    told = ", ".join(f"{copy.path}:{copy.span.start_line}" for copy in copies[:COPIES])
    return told + (f" and {len(copies) - COPIES:,} more" if len(copies) > COPIES else "")


def related_text(one: Related) -> str:
    verb = "called by" if one.edge.target == one.symbol.id else "calls"
    return f"{one.symbol.qualified_name} ({verb} {one.rank}, {one.edge.path}:{one.edge.line})"


def _by_words(hit: Hit) -> bool:
    return any(reason.source in (Source.LEXICAL, Source.NAME) for reason in hit.reasons)


def reason_text(reason: Reason) -> str:
    told = f"{reason.value:+.4f}  {reason.source}"
    if reason.detail:
        told += f": {reason.detail}"
    if reason.edge is not None:
        told += f" [{reason.edge.evidence.name.lower()}, confidence {reason.edge.confidence:.2f}]"
    return told


def why(reasons: Sequence[Reason]) -> str:
    """Return the reasons on one line, greatest first; ties as they stand."""
    told = sorted(reasons, key=lambda reason: -reason.value)
    return "; ".join(f"{reason.source} ({reason.detail})" if reason.detail else f"{reason.source}" for reason in told)


def counted(count: int, noun: str, nouns: str = "") -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {nouns or f'{noun}s'}"
