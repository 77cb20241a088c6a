"""One renderer for every door: the same values as JSON and as lines of text.

JSON objects carry their versioned schema. Keys are only ever added within a version.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from plait.engine import Answer
from plait.indexing import IndexReport, by_reason
from plait.model import (
    Edge,
    EdgeKind,
    Evidence,
    Hit,
    Reason,
    Recovered,
    Skipped,
    SkipReason,
    Source,
    Symbol,
    Unresolved,
)
from plait.scip.join import JOINED, Tally

Json = dict[str, Any]

SUFFIXES = 8
"""How many suffixes of files in other languages are shown."""
REGIONS = 8
"""How many regions of a file that was read in part are shown."""


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
    return {
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


def answer_json(answer: Answer) -> Json:
    return {
        "schema": "plait.search.v1",
        "query": answer.query,
        "strategy": answer.strategy,
        "state": answer.state,
        "total": answer.total,
        "hits": [hit_json(hit) for hit in answer],
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


def report_json(report: IndexReport, skipped: Sequence[Skipped] | None) -> Json:
    made: Json = {
        "schema": "plait.index.v1",
        "root": report.info.root,
        "state": report.info.state,
        "embedder": report.info.embedder,
        "graph": report.info.graph,
        "files": report.info.files,
        "skipped": dict(report.skipped),
        "recovered": len(report.recovered),
        "symbols": report.info.symbols,
        "edges": [
            {"kind": kind, "evidence": evidence.name.lower(), "count": count}
            for (kind, evidence), count in report.edges.items()
        ],
        "unresolved": dict(report.unresolved),
        "embedded": report.embedded,
        "reused": report.reused,
        "seconds": round(report.seconds, 3),
    }
    if report.scip:
        made["scip"] = [
            {
                "path": tally.name,
                "tool": tally.tool,
                "occurrences": sum(tally.counts.values()),
                "joined": {one: count for one, count in tally.counts.items() if one in JOINED},
                "ignored": {one: count for one, count in tally.counts.items() if one not in JOINED},
            }
            for tally in report.scip
        ]
    if skipped is not None:
        made["skipped_files"] = skipped_json(skipped)
        made["recovered_files"] = recovered_json(report.recovered)
    return made


def skipped_json(skipped: Sequence[Skipped]) -> list[Json]:
    return [{"path": skip.path, "reason": skip.reason, "detail": skip.detail, "count": skip.count} for skip in skipped]


def answer_text(answer: Answer, *, explain: bool) -> Iterator[str]:
    """Yield lines: a line for each hit with the reasons below it, and last what there is beyond."""
    width = len(str(len(answer)))
    for hit in answer:
        place = f"{hit.symbol.path}:{hit.span.start_line}-{hit.span.end_line}"
        yield f"{hit.rank:>{width}}  {place}  {hit.symbol.qualified_name}  [{hit.symbol.kind}]  {hit.score:.4f}"
        if explain:
            yield from (f"{'':{width}}    {reason_text(reason)}" for reason in hit.reasons)
        else:
            yield f"{'':{width}}    {why(hit.reasons)}"
    if not answer.hits:
        yield "no result: nothing in the index shares a word or a meaning with the question"
    elif answer.strategy.startswith("hybrid(") and not any(_by_words(hit) for hit in answer):
        yield "no word of the question is in these results: they are only the nearest in meaning"
    elif answer.total > len(answer):
        yield f"{len(answer)} of {answer.total} candidates; -k shows more, --explain all reasons"


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


def report_text(report: IndexReport, skipped: Sequence[Skipped] | None) -> Iterator[str]:
    info = report.info
    yield f"{info.root}"
    yield f"files       {info.files:,}"
    yield from left_out_lines(report.left_out)
    yield from recovered_lines(report.recovered, listed=skipped is not None)
    yield f"symbols     {info.symbols:,}"
    kinds = [kind for kind in EdgeKind if any(kind is found for found, _ in report.edges)]
    for place, kind in enumerate(kinds):
        by_evidence = {
            evidence.name.lower(): report.edges[kind, evidence]
            for evidence in sorted(Evidence, reverse=True)
            if (kind, evidence) in report.edges
        }
        yield f"{'edges' if place == 0 else '':12}{kind} {sum(by_evidence.values()):,} ({_listed(by_evidence)})"
    if not kinds:
        yield "edges       none"
    yield f"unresolved  {_listed(report.unresolved)}"
    yield from (f"scip        {_tally(tally)}" for tally in report.scip)
    yield f"vectors     {report.embedded:,} computed, {report.reused:,} reused, by {info.embedder}"
    yield f"seconds     {report.seconds:.1f}"
    for skip in skipped or ():
        yield f"{skip.path}  {skip.reason}" + (f": {skip.detail}" if skip.detail else "")
    for one in report.recovered if skipped is not None else ():
        yield f"{one.path}  {recovered_text(one)}"


def recovered_lines(recovered: Sequence[Recovered], *, listed: bool) -> Iterator[str]:
    """Yield how many files with errors were read; nothing if there are none."""
    if recovered:
        in_part = sum(bool(one.left_out) for one in recovered)
        hint = "" if listed else "; --skipped lists them"
        yield f"recovered   {counted(len(recovered), 'file')} with errors, {in_part:,} of them in part{hint}"


def recovered_json(recovered: Sequence[Recovered]) -> list[Json]:
    return [
        {
            "path": one.path,
            "problem": one.problem,
            "left_out": [{"start_line": first, "end_line": last} for first, last in one.left_out],
        }
        for one in recovered
    ]


def recovered_text(one: Recovered) -> str:
    """Say what is wrong with a file and how much of it was read."""
    if not one.left_out:
        return f"recovered: {one.problem}; nothing left out"
    shown = [f"{first}" if first == last else f"{first}-{last}" for first, last in one.left_out[:REGIONS]]
    more = ", ..." if len(one.left_out) > REGIONS else ""
    lines = "line" if len(shown) == 1 and "-" not in shown[0] else "lines"
    regions = counted(len(one.left_out), "region")
    return f"recovered: {one.problem}; {regions} not fully understood ({lines} {', '.join(shown)}{more})"


def _tally(tally: Tally) -> str:
    joined = {one: count for one, count in tally.counts.items() if one in JOINED}
    ignored = {one: count for one, count in tally.counts.items() if one not in JOINED}
    return (
        f"{tally.name} ({tally.tool}): of {sum(tally.counts.values()):,} occurrences joined {sum(joined.values()):,}"
        f" ({_listed(joined)}), ignored {sum(ignored.values()):,} ({_listed(ignored)})"
    )


def _listed(counts: Any) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in counts.items()) or "none"


def left_out_lines(skipped: Sequence[Skipped]) -> Iterator[str]:
    """Yield what was left out by reason, and how many files of which suffix are in no language that plait reads."""
    foreign = [skip for skip in skipped if skip.reason is SkipReason.UNSUPPORTED]
    yield f"skipped     {_listed(by_reason(skip for skip in skipped if skip.reason is not SkipReason.UNSUPPORTED))}"
    if foreign:
        foreign.sort(key=lambda skip: (-skip.count, skip.path))
        shown = ", ".join(f"{skip.path.removeprefix('*')} {skip.count:,}" for skip in foreign[:SUFFIXES])
        more = sum(skip.count for skip in foreign[SUFFIXES:])
        yield f"not indexed {shown}" + (f", others {more:,}" if more else "")


def counted(count: int, noun: str, nouns: str = "") -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {nouns or f'{noun}s'}"
