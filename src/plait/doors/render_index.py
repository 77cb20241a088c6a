"""How the commands about an index show what was read, left out and found: as JSON and as lines of text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from plait.doors.render import Json, counted
from plait.indexing import IndexReport, by_reason
from plait.model import EdgeKind, Evidence, Recovered, Skipped, SkipReason
from plait.scip.join import JOINED, Tally

SUFFIXES = 8
"""How many suffixes of files in other languages are shown."""
REGIONS = 8
"""How many regions of a file that was read in part are shown."""


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
    apart = (SkipReason.UNSUPPORTED, SkipReason.CONTENT)
    yield f"skipped     {_listed(by_reason(skip for skip in skipped if skip.reason not in apart))}"
    if foreign:
        foreign.sort(key=lambda skip: (-skip.count, skip.path))
        shown = ", ".join(f"{skip.path.removeprefix('*')} {skip.count:,}" for skip in foreign[:SUFFIXES])
        more = sum(skip.count for skip in foreign[SUFFIXES:])
        yield f"not indexed {shown}" + (f", others {more:,}" if more else "")
