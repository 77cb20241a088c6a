"""The command that fits a strategy to a repository, if that is worth it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from plait.doors import collections
from plait.doors.options import Common, common, opened
from plait.doors.render import Json
from plait.doors.terminal import ProgressBar, emit
from plait.engine import Engine
from plait.errors import BadCollection, BadParameter
from plait.evaluate.collection import FILE, Collection, Judgements, built_in, resolve
from plait.evaluate.judge import comparison_json
from plait.evaluate.measures import Measure, parse
from plait.evaluate.tuning import LEAST, OUTER, Pool, Tuned, tune
from plait.settings import FILE as SETTINGS
from plait.settings import write_setting

FAMILIES = ("additive", "hybrid", "lexical")
"""What is tried beside the configured strategy."""


@click.command("tune")
@click.argument("where", default=".", metavar="COLLECTION|PATH")
@click.option("--queries", type=collections.FILES, help="Add questions of your own: YAML.")
@click.option("--measure", default="nDCG@10", show_default=True, metavar="NAME", help="What is to become better.")
@click.option("--strategy", "strategies", multiple=True, metavar="NAME", help="Weigh these, not the usual three.")
@click.option("--dry-run", is_flag=True, help="Write nothing.")
@common("embedder", "graph", "cache")
def tune_(
    where: str, queries: Path | None, measure: str, strategies: tuple[str, ...], dry_run: bool, common: Common
) -> None:
    """Fit the weights of words, meaning, structure and edges to a repository; write plait.toml if it is worth it.

    COLLECTION is as in `plait eval`; for the PATH of a repository a collection is made of it. The gain is measured on
    questions that were left out of the fitting (nested cross-validation), and plait.toml is written into the repository
    only if the gain's interval excludes harm.
    """
    mined = where not in built_in() and Path(where).is_dir() and not (Path(where) / FILE).is_file()
    asked = collections.Asked(where if mined else None, queries, None, None, (), None)
    chosen = collections.choose(None if mined else where, asked, common)
    wanted = parse(measure)
    with opened(str(chosen.collection.corpus), chosen.read_with(common)) as engine:
        collection = chosen.answerable(engine)
        root = Path(where).resolve() if mined else collection.corpus.resolve()
        configured = Engine.open(root, **common.settings).settings.strategy
        found, judgements = _fitted(engine, collection, [configured, *(strategies or FAMILIES)], wanted)
    target = None
    if found.worth_it and not dry_run:
        target = root / SETTINGS
        write_setting(target, "strategy", found.chosen.description)
    emit(_json(found, judgements, target), _text(found, judgements, target, wanted), as_json=common.as_json)


def _fitted(
    engine: Engine, collection: Collection, descriptions: list[str], measure: Measure
) -> tuple[Tuned, Judgements]:
    snapshot = engine.snapshot()
    every = resolve(collection, lambda name: engine.find(name).id)
    judgements = {topic: judged for topic, judged in every.items() if any(one > 0 for one in judged.values())}
    if len(judgements) < LEAST:
        raise BadCollection(
            collection.name, f"{len(judgements)} questions have an answer, and fitting needs {LEAST} or more; add some"
        )
    if collection.by_file:
        raise BadParameter(f"{collection.name} is judged by file; fitting needs questions that are judged by symbol")
    topics = [topic for topic in collection.topics if topic.id in judgements]
    strategies = {str(made): (label, made) for label in reversed(descriptions) for made in [engine.strategy(label)]}
    families: dict[str, list[Pool]] = {label: [] for label, _ in reversed(strategies.values())}
    bar = ProgressBar()
    try:
        for done, topic in enumerate(topics):
            bar("asking", done, len(topics))
            query = engine.query(topic.text, collection.where)
            for label, strategy in strategies.values():
                families[label].append(Pool(strategy.retrieve(query, snapshot), judgements[topic.id]))
        bar("fitting", 0, 1)
        ordered = {topic.id: judgements[topic.id] for topic in topics}
        return tune(ordered, families, measure), ordered
    finally:
        bar.close()


def _text(found: Tuned, judgements: Judgements, target: Path | None, measure: Measure) -> Iterator[str]:
    one = found.held_out
    low, high = one.interval or (0.0, 0.0)
    yield f"{len(judgements)} questions, {measure}, {OUTER} folds"
    yield f"configured: {one.a}: {found.before:.3f}"
    yield (
        f"tuned, on questions left out of the fitting: {found.before + one.mean:.3f}, that is {one.mean:+.3f}"
        f" (95 % interval {low:+.3f} to {high:+.3f}, p {one.p:.3f})"
    )
    yield f"on the questions it was fitted to: {found.fitted:.3f}"
    for number, choice in enumerate(found.folds, start=1):
        yield f"  without fold {number}: {choice}"
    yield f"  all: {found.chosen}"
    if target:
        yield f"written to {target}: strategy = {found.chosen.description}"
    elif found.worth_it:
        yield "worth it; nothing is written in a dry run"
    elif one.interval and low > 0:
        yield "What fits all questions best is what is configured: nothing to change."
    else:
        would = "" if one.detectable is None else f" These questions would show a gain of {one.detectable:.3f}."
        yield f"Nothing to gain is shown: the interval does not exclude harm, and nothing is written.{would}"


def _json(found: Tuned, judgements: Judgements, target: Path | None) -> Json:
    return {
        "schema": "plait.tune.v1",
        "topics": len(judgements),
        "configured": found.held_out.a,
        "mean_before": round(found.before, 6),
        "mean_held_out": round(found.before + found.held_out.mean, 6),
        "mean_fitted": round(found.fitted, 6),
        "held_out": comparison_json(found.held_out),
        "folds": [choice.description for choice in found.folds],
        "chosen": found.chosen.description,
        "worth_it": found.worth_it,
        "written": None if target is None else str(target),
    }
