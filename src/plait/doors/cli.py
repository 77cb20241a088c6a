"""The command line.

Exit codes: 0 ran (also with no result), 2 could not run: one line on stderr says why and what to do. 1 is a gate
that failed: `plait doctor` has one.
"""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path
from typing import Any

import click

from plait import __version__, plugins
from plait.doors import demo as demonstration
from plait.doors import graph, judging, render, upkeep
from plait.doors.options import COUNT, INDEX, Common, common, opened
from plait.doors.terminal import emit, notice
from plait.doors.trial import Trial
from plait.errors import BadParameter, PlaitError
from plait.evaluate import judge
from plait.evaluate.collection import load
from plait.model import Filter, SymbolKind

COULD_NOT_RUN = 2
INTERRUPTED = 130
"""As a shell reports a program that Ctrl-C ended: 128 and the signal's number."""

STRATEGIES = ("vector", "naive", "constrained", "structural", "structural(template='smoothed')", "lexical", "hybrid")
"""What `eval` runs if nothing is said: the plain vector ranking first, as the one to compare with."""


class Plait(click.Group):
    """Turns every error raised on purpose into one line and exit code 2."""

    def main(self, *args: Any, **extra: Any) -> Any:
        try:
            ended = super().main(*args, **extra | {"standalone_mode": False})
        except click.exceptions.NoArgsIsHelpError as error:
            click.echo(error.ctx.get_help() if error.ctx else "")
            ended = 0
        except click.ClickException as error:
            context = error.ctx if isinstance(error, click.UsageError) else None
            command = ["plait", *(context.command_path.split()[1:] if context else []), "--help"]
            notice(f"plait: {' '.join(error.format_message().split())} (see {' '.join(command)})")
            ended = COULD_NOT_RUN
        except click.Abort:
            ended = INTERRUPTED
        sys.exit(ended if isinstance(ended, int) else 0)

    def invoke(self, ctx: click.Context) -> Any:
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                # A name that the terminal's encoding lacks is shown escaped instead of ending the program.
                stream.reconfigure(errors="backslashreplace")
        try:
            return super().invoke(ctx)
        except PlaitError as error:
            notice(f"plait: {' '.join(str(error).split())}")
            ctx.exit(COULD_NOT_RUN)
        except BrokenPipeError:
            # Who reads our output has seen enough. What is still buffered must not fail once more at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            ctx.exit(0)
        except OSError as error:
            notice(f"plait: {error.strerror or error}{f': {error.filename}' if error.filename else ''}")
            ctx.exit(COULD_NOT_RUN)


html_report = click.option(
    "--html", type=click.Path(dir_okay=False, path_type=Path), help="Write the report with pictures to this file."
)


@click.group(cls=Plait, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="plait")
def main() -> None:
    """Find the code that belongs to a question, and see why."""


for command in (*graph.COMMANDS, *upkeep.COMMANDS):
    main.add_command(command)


@main.command()
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


@main.command()
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


@main.command("eval")
@click.argument("collection")
@click.option("--strategy", "strategies", multiple=True, metavar="NAME", help="Repeat to compare (default: all).")
@click.option("--at", default="3,5", show_default=True, metavar="K,K", help="Depths of the measures.")
@html_report
@common("embedder", "graph", "cache")
def evaluate(collection: str, strategies: tuple[str, ...], at: str, html: Path | None, common: Common) -> None:
    """Judge strategies on COLLECTION, query by query; every other strategy is compared with the first.

    COLLECTION is a folder with a collection.toml, or the name of one of plait's own (shop).
    """
    depths = _depths(at)
    loaded = load(collection)
    with opened(str(loaded.corpus), common) as engine:
        trial = Trial.run(engine, loaded, strategies or _every_strategy(), depths)
    lines = judging.evaluation_text(trial.evaluation, trial.explanations(), trial.names, trial.short, trial.made)
    emit(judge.to_json(trial.evaluation) | trial.setting, lines, as_json=common.as_json)
    if html:
        trial.write_report(html)
        notice(f"report written to {html}")


@main.command()
@click.argument("collection")
@click.argument("query_id")
@click.option("--strategy", "strategies", multiple=True, metavar="NAME", help="Give two: before and after.")
@click.option("--at", default="5", show_default=True, metavar="K", help="How many places count.")
@common("embedder", "graph", "cache")
def explain(collection: str, query_id: str, strategies: tuple[str, ...], at: str, common: Common) -> None:
    """Trace one query of COLLECTION under two strategies: seeds, edges walked, rankings, and the cause of each miss."""
    if len(strategies) != 2:
        raise BadParameter(f"explain compares two strategies, {len(strategies)} given; give --strategy A --strategy B")
    (depth, *more) = _depths(at)
    if more:
        raise BadParameter("explain looks at one depth; give --at 5")
    loaded = load(collection)
    topic = loaded.topic(query_id)
    with opened(str(loaded.corpus), common) as engine:
        trial = Trial.run(engine, loaded, strategies, [depth])
    if len(trial.evaluation.labels) != 2:
        raise BadParameter("explain compares two strategies, and these are the same; give two that differ")
    explanation = trial.explain(topic, *trial.evaluation.labels, k=depth)
    emit(
        judging.explanation_json(explanation) | trial.setting,
        judging.explanation_text(explanation, trial.names, trial.made),
        as_json=common.as_json,
    )


def _every_strategy() -> list[str]:
    """Plait's own, then those of installed plug-ins."""
    own = plugins.BUILT_IN["strategy"]
    return [*STRATEGIES, *(name for name in plugins.names("strategy") if name not in own)]


def _depths(text: str) -> list[int]:
    try:
        depths = [int(part) for part in text.split(",")]
    except ValueError:
        depths = []
    if not depths or min(depths) < 1:
        raise BadParameter(f"--at takes whole numbers from 1, separated by commas, not {text!r}; for example --at 3,5")
    return depths


@main.command()
@html_report
@common("embedder", "cache")
def demo(html: Path | None, common: Common) -> None:
    """Run the published experiment: 28 functions, 12 questions, seven ways to search, and who won and lost."""
    loaded = load("shop")
    trials = []
    for builder in demonstration.GRAPHS:
        with opened(str(loaded.corpus), Common(common.as_json, common.settings | {"graph": builder})) as engine:
            trials.append(Trial.run(engine, loaded, STRATEGIES, demonstration.DEPTHS))
    names, resolved = trials
    made = {
        "schema": "plait.demo.v1",
        "names": judge.to_json(names.evaluation) | names.setting,
        "flow": judge.to_json(resolved.evaluation) | resolved.setting,
    }
    emit(made, demonstration.told(names, resolved), as_json=common.as_json)
    if html:
        names.write_report(html, telling="Q8")
        notice(f"report written to {html}")
