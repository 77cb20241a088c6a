"""The commands that build an index and search it."""

from __future__ import annotations

import click

from plait.doors import render
from plait.doors.options import COUNT, INDEX, Common, common, opened
from plait.doors.terminal import emit
from plait.errors import BadParameter
from plait.model import Filter, SymbolKind


@click.command()
@click.argument("path", default=".")
@click.option("--force", is_flag=True, help="Compute every vector again.")
@click.option(
    "--skipped", "show_skipped", is_flag=True, help="List what was left out or read in part, with the reason."
)
@click.option(
    "--scip",
    multiple=True,
    metavar="FILE",
    help="Join the exact references of a SCIP index; remembered for PATH. Repeat for several.",
)
@click.option("--no-scip", is_flag=True, help="Forget the SCIP indexes remembered for PATH.")
@common(*INDEX)
def index(path: str, force: bool, show_skipped: bool, scip: tuple[str, ...], no_scip: bool, common: Common) -> None:
    """Build the index of PATH (default: the current folder)."""
    if scip and no_scip:
        raise BadParameter("give --scip or --no-scip, not both")
    with opened(path, common) as engine:
        report = engine.index(force=force, scip=scip if scip or no_scip else None)
        skipped = engine.snapshot().skipped() if show_skipped else None
    emit(render.report_json(report, skipped), render.report_text(report, skipped), as_json=common.as_json)


@click.command()
@click.argument("query")
@click.argument("path", default=".")
@click.option("-k", type=COUNT, default=10, show_default=True, help="Number of results.")
@click.option("--strategy", metavar="NAME", help="Strategy, as name or name(parameter=value, ...).")
@click.option("--explain", is_flag=True, help="Print every reason for every score.")
@click.option("--kind", type=click.Choice([str(kind) for kind in SymbolKind]), multiple=True, help="Only this kind.")
@click.option("--in", "inside", metavar="GLOB", help="Only paths that match; `*` also crosses folders.")
@click.option("--tests/--no-tests", default=None, help="Only tests, or no tests (default: both).")
@common(*INDEX)
def search(
    query: str,
    path: str,
    k: int,
    strategy: str | None,
    explain: bool,
    kind: tuple[str, ...],
    inside: str | None,
    tests: bool | None,
    common: Common,
) -> None:
    """Search PATH for the code that belongs to QUERY; the index is built or refreshed first."""
    kinds = frozenset(map(SymbolKind, kind)) if kind else None
    with opened(path, common) as engine:
        answer = engine.search(query, k=k, strategy=strategy, where=Filter(path=inside, kinds=kinds, tests=tests))
    emit(render.answer_json(answer), render.answer_text(answer, explain=explain), as_json=common.as_json)
