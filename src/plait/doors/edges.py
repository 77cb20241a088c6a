"""The commands about single edges: `plait edges audit`, in which a person says which of a sample are right."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import click

from plait.doors.judging import table
from plait.doors.options import COUNT, Common, common, opened
from plait.doors.render import Json, edge_json
from plait.doors.terminal import emit, escaped, notice
from plait.engine import Engine
from plait.evaluate import audit as auditing
from plait.evaluate.audit import Precision, Said
from plait.model import Edge, EdgeKind, Evidence, Symbol, SymbolId
from plait.store.folders import folder_of

KINDS = (EdgeKind.CALLS, EdgeKind.INHERITS, EdgeKind.REFERENCES)
"""What is a claim about the code; that a class contains its methods is none."""
AROUND = 2
"""Lines shown before and after the site."""
TARGET_LINES = 3
KEYS = {"y": Said.RIGHT, "n": Said.WRONG, "u": Said.UNSURE}
STOP = "q"


@click.group()
def edges() -> None:
    """Judge the edges of the graph."""


@edges.command()
@click.argument("path", default=".")
@click.option("--each", type=COUNT, default=20, show_default=True, metavar="N", help="Edges of each kind and evidence.")
@click.option("--kind", "kinds", type=click.Choice([*map(str, KINDS)]), multiple=True, help="Only this kind.")
@click.option(
    "--evidence",
    "evidences",
    type=click.Choice([one.name.lower() for one in Evidence]),
    multiple=True,
    help="Only this evidence.",
)
@click.option("--tests/--no-tests", default=None, help="Only edges out of tests, or none of them (default: both).")
@click.option("--answers", type=click.Path(dir_okay=False, path_type=Path), help="File of the answers (in the cache).")
@click.option("--report", is_flag=True, help="Ask nothing; only tell how right the edges are.")
@common("embedder", "graph", "cache")
def audit(
    path: str,
    each: int,
    kinds: tuple[str, ...],
    evidences: tuple[str, ...],
    tests: bool | None,
    answers: Path | None,
    report: bool,
    common: Common,
) -> None:
    """Show edges of PATH one by one, ask whether each is right, and tell how right its kind and evidence are.

    Every answer is kept at once: the next audit goes on where this one ended, and with a greater --each it asks for
    more. With --json nothing is asked; what would be is listed, for another program to ask.
    """
    with opened(path, common) as engine:
        place = answers or _answers_of(engine)
        symbols = {symbol.id: symbol for symbol in engine.graph().symbols}
        groups = auditing.strata(
            edge
            for edge in engine.graph().edges
            if edge.kind in (kinds or KINDS)
            and (not evidences or edge.evidence.name.lower() in evidences)
            and (tests is None or symbols[edge.source].is_test == tests)
        )
        said = auditing.read_answers(place)
        asked = auditing.sample(groups, each, said)
        if not (report or common.as_json):
            _ask(engine, symbols, asked, place)
            said = auditing.read_answers(place)
            asked = auditing.sample(groups, each, said)
    found = auditing.precisions(groups, said)
    emit(_json(found, asked, place), _text(found, asked, place), as_json=common.as_json)


def _answers_of(engine: Engine) -> Path:
    """Return where answers about a folder are kept: not in the folder of its indexes, which may be cleared any time."""
    cache = engine.settings.cache
    return cache / "audits" / f"{folder_of(cache, engine.root).name}.jsonl"


def _ask(engine: Engine, symbols: Mapping[SymbolId, Symbol], asked: Sequence[Edge], place: Path) -> None:
    for number, edge in enumerate(asked, start=1):
        notice("")
        for line in _shown(engine, symbols, edge):
            notice(escaped(line))
        try:
            key = click.prompt(
                f"{number} of {len(asked)}: right? (y)es, (n)o, (u)nsure, (q)uit",
                type=click.Choice([*KEYS, STOP]),
                show_choices=False,
                err=True,
            )
        except click.Abort:
            notice("")
            return
        if key == STOP:
            return
        auditing.add_answer(place, edge, KEYS[key])


def _shown(engine: Engine, symbols: Mapping[SymbolId, Symbol], edge: Edge) -> Iterator[str]:
    """Yield the claim, the site with lines around it, and the first lines of the target."""
    source, target = symbols[edge.source], symbols[edge.target]
    several = f", one of {edge.candidates} that it could be" if edge.candidates > 1 else ""
    yield f"{source.qualified_name} {edge.kind} {target.qualified_name}"
    yield f"  [{edge.kind} by {edge.via}, {edge.evidence.name.lower()}, confidence {edge.confidence:.2f}{several}]"
    yield f"  {edge.path}:{edge.line}"
    yield from _lines(engine.root / edge.path, edge.line - AROUND, edge.line + AROUND, edge.line)
    yield f"  {target.path}:{target.span.start_line}"
    start = target.span.start_line
    yield from _lines(engine.root / target.path, start, min(start + TARGET_LINES - 1, target.span.end_line), start)


def _lines(path: Path, first: int, last: int, marked: int) -> Iterator[str]:
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        yield "    (the file cannot be read)"
        return
    for number, line in enumerate(lines, start=1):
        if first <= number <= last:
            yield f"  {'>' if number == marked else ' '} {number:>5}  {line}"


def _text(found: Sequence[Precision], asked: Sequence[Edge], place: Path) -> Iterator[str]:
    rows = []
    for one in found:
        interval = f"{one.interval[0]:.3f} to {one.interval[1]:.3f}" if one.interval else ""
        value = "" if one.value is None else f"{one.value:.3f}"
        counts = [f"{one.edges:,}", str(one.right), str(one.wrong), str(one.unsure)]
        rows.append([str(one.kind), one.evidence.name.lower(), *counts, value, interval])
    head = ["kind", "evidence", "edges", "right", "wrong", "unsure", "precision", "95 % interval"]
    yield from table(head, rows)
    yield f"{len(asked)} of the sample are not answered; answers are in {place}"


def _json(found: Sequence[Precision], asked: Sequence[Edge], place: Path) -> Json:
    return {
        "schema": "plait.audit.v1",
        "answers": str(place),
        "precision": [
            {
                "kind": one.kind,
                "evidence": one.evidence.name.lower(),
                "edges": one.edges,
                "right": one.right,
                "wrong": one.wrong,
                "unsure": one.unsure,
                "precision": None if one.value is None else round(one.value, 6),
                "interval": None if one.interval is None else [round(end, 6) for end in one.interval],
            }
            for one in found
        ],
        "unanswered": [edge_json(edge) for edge in asked],
    }
