"""The commands that judge strategies on a collection."""

from __future__ import annotations

from itertools import chain
from pathlib import Path

import click

from plait import plugins
from plait.doors import collections, judging, verdict
from plait.doors import demo as demonstration
from plait.doors.options import Common, common, opened
from plait.doors.terminal import emit, notice
from plait.doors.trial import Trial
from plait.errors import BadParameter
from plait.evaluate import judge
from plait.evaluate.collection import load

STRATEGIES = (
    *("vector", "naive", "constrained", "structural", "structural(template='smoothed')"),
    *("lexical", "hybrid", "additive"),
)
"""What `eval` runs if nothing is said: the plain vector ranking first, as the one to compare with."""


html_report = click.option(
    "--html", type=click.Path(dir_okay=False, path_type=Path), help="Write the report with pictures to this file."
)


@click.command("eval")
@click.argument("collection", required=False)
@collections.chosen
@click.option("--strategy", "strategies", multiple=True, metavar="NAME", help="Repeat to compare (default: all).")
@click.option("--at", default="3,5", show_default=True, metavar="K,K", help="Depths of the measures.")
@verdict.verdicts
@html_report
@click.option("--markdown", type=verdict.FILE, help="Write it for a comment under a pull request to this file.")
@common("embedder", "graph", "cache")
def evaluate(
    collection: str | None,
    asked: collections.Asked,
    strategies: tuple[str, ...],
    at: str,
    wanted: verdict.Wanted,
    html: Path | None,
    markdown: Path | None,
    common: Common,
) -> int:
    """Judge strategies on COLLECTION, query by query; every other strategy is compared with the first.

    COLLECTION is a folder with a collection.toml, the name of one of plait's own (shop), a BEIR folder, or with
    --queries the folder of the code. --mine makes one of a repository's commits, documentation and tests. With a
    condition or a baseline, what search uses is judged, if no strategy is given.

    "texts(of='signature')" and the like compare what is embedded: `plait eval shop --strategy "texts(of='?')"` lists
    them.
    """
    depths = _depths(at)
    chosen = collections.choose(collection, asked, common)
    if chosen.folder:
        notice(collections.mined(chosen.collection, chosen.folder))
    if asked.look:
        emit(*collections.look(chosen, asked.look), as_json=common.as_json)
        return 0
    common = chosen.read_with(common)
    with opened(str(chosen.collection.corpus), common) as engine:
        tried = strategies or ([engine.settings.strategy] if wanted.is_gate else _every_strategy())
        loaded = chosen.answerable(engine)
        trial = Trial.run(engine, loaded, tried, depths, collections.other_runs(asked.others, chosen, engine))
    collections.write(asked, chosen, trial)
    trial = verdict.completed(trial, tried, wanted, common)
    gates = verdict.judge(trial, wanted)
    told = trial.explanations(wanted.show)
    lines = judging.evaluation_text(trial.evaluation, trial.main, told, trial.names, trial.short, trial.made)
    found = judge.to_json(trial.evaluation, trial.main) | trial.setting | judging.gates_json(gates)
    found |= {"told": judging.told_json(told, trial.names)}
    emit(found, chain(lines, judging.gates_text(gates, trial.short)), as_json=common.as_json)
    if html:
        trial.write_report(html, gates=gates)
        notice(f"report written to {html}")
    if markdown:
        trial.write_markdown(markdown, told, gates)
        notice(f"comment written to {markdown}")
    return verdict.tell(gates.failures)


@click.command()
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


@click.command()
@html_report
@common("embedder", "cache")
def demo(html: Path | None, common: Common) -> None:
    """Run the published experiment: 28 functions, 12 questions, seven ways to search, and who won and lost."""
    loaded = load("shop")
    trials = []
    embedder = common.settings["embedder"] or demonstration.EMBEDDER
    for builder in demonstration.GRAPHS:
        settings = common.settings | {"embedder": embedder, "graph": builder}
        with opened(str(loaded.corpus), Common(common.as_json, settings)) as engine:
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
