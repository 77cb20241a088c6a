"""The command that puts together what a reader needs for a question."""

from __future__ import annotations

import click

from plait.doors.options import ASKED, COUNT, Common, common, opened
from plait.doors.terminal import emit
from plait.model import Filter


@click.command("context")
@click.argument("question")
@click.argument("path", default=".")
@click.option("--tokens", type=COUNT, default=4000, show_default=True, metavar="N", help="Size of the answer.")
@click.option("--strategy", metavar="NAME", help="Strategy, as name or name(parameter=value, ...).")
@click.option("--in", "inside", metavar="GLOB", help="Only paths that match; `*` also crosses folders.")
@click.option("--tests/--no-tests", default=False, help="Only tests, or no tests (default).")
@common(*ASKED)
def context_(
    question: str, path: str, tokens: int, strategy: str | None, inside: str | None, tests: bool, common: Common
) -> None:
    """Print the functions of PATH that belong to QUESTION, in the order in which they run.

    Signatures come first, then whole bodies, the best first, while the tokens last. The last line says what is left
    out. QUESTION can narrow itself down as that of a search.
    """
    from plait.context import lines
    from plait.doors.render_context import context_json

    with opened(path, common) as engine:
        found = engine.context(question, tokens=tokens, strategy=strategy, where=Filter(path=inside, tests=tests))
    emit(context_json(found), lines(found), as_json=common.as_json)
