"""The commands that ask the graph."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from plait.doors import export as exports
from plait.doors import render_graph
from plait.doors.options import ASKED, COUNT, Command, Common, common, opened
from plait.doors.terminal import emit, notice
from plait.dump import dump
from plait.errors import BadParameter
from plait.model import Evidence, Unknown

_STRENGTHS = [evidence.name.lower() for evidence in Evidence]
_REASONS = {reason.name.lower(): reason for reason in Unknown}

_min_evidence = click.option(
    "--min-evidence",
    type=click.Choice(_STRENGTHS),
    default=_STRENGTHS[0],
    show_default=True,
    help="Walk only edges that rest on this or more.",
)
_FORMATS = [*exports.FORMATS, *exports.NO_TEXT, exports.DUMP]
_settings = common(*ASKED)


def _limit(default: int, what: str) -> Callable[[Command], Command]:
    return click.option("-k", type=COUNT, default=default, show_default=True, help=f"Number of {what} shown.")


def _tests(default: bool | None, help_text: str) -> Callable[[Command], Command]:
    return click.option("--tests/--no-tests", default=default, help=help_text)


def _relations(name: str) -> Callable[[Command], Command]:
    def wrap(command: Command) -> Command:
        for decorate in (
            _settings,
            _tests(None, "List only tests, or no tests (default: both)."),
            _min_evidence,
            click.option("--depth", type=COUNT, default=1, show_default=True, metavar="N", help="Calls to follow."),
            _limit(50, f"{name} and of unresolved sites"),
            click.argument("path", default="."),
            click.argument("symbol"),
        ):
            command = decorate(command)
        return command

    return wrap


@click.command()
@_relations("callers")
def callers(symbol: str, path: str, k: int, common: Common, **given: Any) -> None:
    """List who calls SYMBOL, nearest first, and the unresolved sites that could.

    SYMBOL is any unique suffix of a qualified name (Client.send), path:line, or a full id.
    """
    _related("callers", symbol, path, k, common, **given)


@click.command()
@_relations("callees")
def callees(symbol: str, path: str, k: int, common: Common, **given: Any) -> None:
    """List what SYMBOL calls, nearest first, and the sites in it that could not be resolved.

    SYMBOL is any unique suffix of a qualified name (Client.send), path:line, or a full id.
    """
    _related("callees", symbol, path, k, common, **given)


def _related(
    name: str, symbol: str, path: str, k: int, common: Common, depth: int, min_evidence: str, tests: bool | None
) -> None:
    with opened(path, common) as engine:
        ask = engine.callers if name == "callers" else engine.callees
        found = ask(symbol, depth=depth, weakest=_evidence(min_evidence), tests=tests)
    emit(
        render_graph.relations_json(found, depth, k),
        render_graph.relations_text(found, depth, k),
        as_json=common.as_json,
    )


@click.command("path")
@click.argument("a")
@click.argument("b")
@click.argument("path", default=".")
@_limit(20, "unresolved sites")
@_settings
def path_(a: str, b: str, path: str, k: int, common: Common) -> None:
    """Show the shortest chain of calls from A to B in PATH.

    Without one it says whether there is none, or none is known: then the unresolved sites that could go on are listed,
    those first that call the name of B or of something that leads to B.
    """
    with opened(path, common) as engine:
        found = engine.path_between(a, b)
    emit(render_graph.path_json(found, k), render_graph.path_text(found, k), as_json=common.as_json)


@click.command()
@click.argument("symbol", metavar="SYMBOL|FILE", required=False)
@click.argument("path", required=False)
@click.option("--diff", metavar="REV", help="Ask about what differs from this git revision: impact --diff REV [PATH].")
@_limit(50, "symbols, tests and unresolved sites")
@_min_evidence
@_settings
def impact(symbol: str | None, path: str | None, diff: str | None, k: int, min_evidence: str, common: Common) -> None:
    """List what may break when SYMBOL or FILE changes, nearest first, and the tests that reach it.

    That is who calls it, over any number of calls, who overrides it or is overridden by it, subclasses, and the modules
    that import a changed module.
    """
    if diff is not None:
        if path is not None:
            raise BadParameter("give a symbol or --diff, not both: plait impact --diff REV [PATH]")
        symbol, path = None, symbol
    elif symbol is None:
        raise BadParameter("impact needs a symbol, a file or --diff REV")
    weakest = _evidence(min_evidence)
    with opened(path or ".", common) as engine:
        if diff is not None:
            found = engine.impact_of_diff(diff, weakest=weakest)
        else:
            found = engine.impact(symbol or "", weakest=weakest)
    emit(render_graph.impact_json(found, k), render_graph.impact_text(found, k), as_json=common.as_json)


@click.command()
@click.argument("path", default=".")
@_limit(20, "hubs")
@_tests(None, "Count only calls out of tests, or none of them (default: both).")
@_settings
def hubs(path: str, k: int, tests: bool | None, common: Common) -> None:
    """List the most called symbols of PATH, each caller counted once, with their share of all that call something."""
    with opened(path, common) as engine:
        found = engine.hubs(k=k, tests=tests)
    emit(render_graph.hubs_json(found, k), render_graph.hubs_text(found, k), as_json=common.as_json)


@click.command()
@click.argument("path", default=".")
@_limit(20, "flows")
@_tests(False, "Follow only calls out of tests, or none of them (default: none).")
@_settings
def flows(path: str, k: int, tests: bool | None, common: Common) -> None:
    """List the entry points of PATH, which nothing in it calls, with what they reach; the biggest first.

    A hub (one of the most called, with five callers or more) ends the flows that reach it and starts one of its own.
    """
    with opened(path, common) as engine:
        found = engine.flows(k=k, tests=tests)
    emit(render_graph.flows_json(found, k), render_graph.flows_text(found, k), as_json=common.as_json)


@click.command()
@click.argument("path", default=".")
@click.option("--reason", type=click.Choice(list(_REASONS)), help="Only this reason (default: all but the first two).")
@_limit(50, "sites")
@_settings
def unresolved(path: str, reason: str | None, k: int, common: Common) -> None:
    """Count the calls in PATH that could not be resolved, by reason, and list the sites."""
    wanted = None if reason is None else _REASONS[reason]
    with opened(path, common) as engine:
        found = engine.unresolved(wanted)
    emit(render_graph.sites_json(found, wanted, k), render_graph.sites_text(found, wanted, k), as_json=common.as_json)


@click.command()
@click.argument("path", default=".")
@click.option("--format", "form", type=click.Choice(_FORMATS), required=True, help="What to write.")
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path),
    metavar="FILE|FOLDER",
    help="Where to (default: stdout); csv: a folder; scip: a file.",
)
@_settings
def export(path: str, form: str, out: Path | None, common: Common) -> None:
    """Write the whole graph of PATH: symbols, and edges with evidence, confidence and site.

    With --out, what was written is told on stdout. csv writes nodes.csv and edges.csv into a folder, dump everything
    that the index holds, a line each, so that two of them can be compared.
    """
    if out is None and (form in exports.NO_TEXT or common.as_json):
        needs = {"csv": "csv writes two files", "scip": "scip is not text"}
        need = needs.get(form, "--json tells what was written to a file")
        raise BadParameter(f"{need}; give --out {'FOLDER' if form == 'csv' else 'FILE'}")
    with opened(path, common) as engine:
        graph = engine.graph()
        lines = dump(engine.snapshot()) if form == exports.DUMP else None
    if out is None:
        for line in lines or exports.FORMATS[form](graph):
            click.echo(line)
        return
    written = exports.write(graph, form, out, lines)
    told = f"{len(graph.symbols):,} symbols and {len(graph.edges):,} edges written to {', '.join(map(str, written))}"
    emit(exports.report(graph, form, written), [told], as_json=common.as_json)
    if form == "mermaid" and len(graph.edges) > exports.MERMAID_EDGES:
        notice(f"mermaid draws no more than {exports.MERMAID_EDGES} edges unless told to (maxEdges)")


def _evidence(name: str) -> Evidence:
    return Evidence[name.upper()]
