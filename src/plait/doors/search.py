"""The command that searches. What it imports, every search waits for."""

from __future__ import annotations

import click

from plait.doors import render
from plait.doors.options import ASKED, COUNT, Common, common, opened
from plait.doors.terminal import emit
from plait.engine import Answer, Engine
from plait.errors import BadParameter
from plait.model import Filter, SymbolKind


@click.command()
@click.argument("query")
@click.argument("path", default=".")
@click.option("-k", type=COUNT, default=10, show_default=True, help="Number of results.")
@click.option("--strategy", metavar="NAME", help="Strategy, as name or name(parameter=value, ...).")
@click.option("--rerank", metavar="NAME", help="Who reads the first 30 again: docs/reranking.md.")
@click.option("--explain", is_flag=True, help="Print every reason for every score.")
@click.option("--kind", type=click.Choice([str(kind) for kind in SymbolKind]), multiple=True, help="Only this kind.")
@click.option("--in", "inside", metavar="GLOB", help="Only paths that match; `*` also crosses folders.")
@click.option("--tests/--no-tests", default=None, help="Only tests, or no tests (default: both).")
@click.option(
    "--repo", "repositories", multiple=True, metavar="[NAME=]PATH", help="Search this instead of PATH; may be repeated."
)
@common(*ASKED, "content")
def search(
    query: str,
    path: str,
    k: int,
    strategy: str | None,
    rerank: str | None,
    explain: bool,
    kind: tuple[str, ...],
    inside: str | None,
    tests: bool | None,
    repositories: tuple[str, ...],
    common: Common,
) -> None:
    """Search PATH for the code (--content: the docs, the configuration) that belongs to QUERY.

    The index is built or refreshed first. With several --repo each result names its repository.
    """
    kinds = frozenset(map(SymbolKind, kind)) if kind else None
    where = Filter(path=inside, kinds=kinds, tests=tests)
    if repositories:
        if path != ".":
            raise BadParameter("give PATH or --repo, not both")
        from plait import several

        answers: dict[str, Answer] = {}
        near: dict[str, float] = {}
        for name, folder in several.named(repositories).items():
            with opened(str(folder), common, name) as engine:
                chosen = _chosen(engine, strategy, rerank)
                answers[name] = engine.search(query, k=k, strategy=chosen, where=where, beside=False)
                if len(repositories) > 1:
                    near[name] = several.nearest(engine, query, where)
        found = several.gathered(query, answers, near, k)
        emit(render.gathered_json(found), render.gathered_text(found, explain=explain), as_json=common.as_json)
        return
    with opened(path, common) as engine:
        answer = engine.search(query, k=k, strategy=_chosen(engine, strategy, rerank), where=where)
    emit(render.answer_json(answer), render.answer_text(answer, explain=explain), as_json=common.as_json)


def _chosen(engine: Engine, strategy: str | None, rerank: str | None) -> str | None:
    return f"reranked(of={strategy or engine.settings.strategy!r}, by={rerank!r})" if rerank else strategy
