"""What the user of `plait eval` wants to know beside the means, and whether it fails: options, placebo, gates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar, cast

import click

from plait.doors.options import COUNT, Common, opened
from plait.doors.terminal import notice
from plait.doors.trial import Trial
from plait.evaluate import gates
from plait.evaluate.compare import Verdict
from plait.evaluate.measures import Measure, parse

Command = TypeVar("Command", bound=Callable[..., Any])

FAILED = 1
"""Exit code of a gate."""

FILE = click.Path(dir_okay=False, path_type=Path)


@dataclass(frozen=True, slots=True)
class Wanted:
    measure: Measure | None
    show: int
    """worst losses and greatest gains told for each pair"""
    placebo: bool
    conditions: tuple[gates.Condition, ...]
    baseline: gates.Baseline | None
    fail_on_regression: bool

    @property
    def is_gate(self) -> bool:
        return bool(self.conditions) or self.baseline is not None

    @property
    def measures(self) -> list[Measure]:
        return [one.measure for one in self.conditions]


def verdicts(command: Command) -> Command:
    """Add the options that decide what is compared and what fails, given to the command as one `Wanted`."""

    @wraps(command)
    def gather(
        *,
        measure: str | None,
        show: int,
        placebo: bool,
        fail_on: tuple[str, ...],
        baseline: Path | None,
        fail_on_regression: bool,
        **given: Any,
    ) -> Any:
        if fail_on_regression and baseline is None:
            raise click.UsageError("--fail-on-regression needs --baseline FILE")
        wanted = Wanted(
            measure=parse(measure) if measure else None,
            show=show,
            placebo=placebo,
            conditions=tuple(map(gates.condition, fail_on)),
            baseline=gates.read_baseline(baseline) if baseline else None,
            fail_on_regression=fail_on_regression,
        )
        return command(wanted=wanted, **given)

    for option in reversed(
        (
            click.option("--measure", metavar="NAME", help="Whose differences are told (Recall at the last --at)."),
            click.option("--show", type=COUNT, default=5, show_default=True, metavar="N", help="Losses, gains told."),
            click.option("--placebo", is_flag=True, help="Compare with a shuffled graph of the same degrees, too."),
            click.option("--fail-on", multiple=True, metavar="CONDITION", help="Exit 1 if so: 'recall@10 < 0.70'."),
            click.option("--baseline", type=FILE, help="Compare with what eval --json printed to this file before."),
            click.option("--fail-on-regression", is_flag=True, help="Exit 1 if it is worse than the baseline."),
        )
    ):
        gather = option(gather)
    return cast(Command, gather)


def completed(trial: Trial, strategies: Sequence[str], wanted: Wanted, common: Common) -> Trial:
    """Measure what is wanted, and run the placebo of the strategies."""
    if wanted.placebo:
        collection, info = trial.evaluation.collection, trial.engine.snapshot().info
        # Where the flow of values waits for `plait index`, the graph that answers is that of scopes, imports and types.
        real = "scoped" if info.pending else info.graph
        shuffled = common.settings | {"graph": f"shuffled(of={real!r})"}
        with opened(str(collection.corpus), Common(common.as_json, shuffled)) as engine:
            trial = trial.beside(Trial.run(engine, collection, strategies, [trial.depth]))
        labels = trial.evaluation.labels
        known = {end for pair in trial.evaluation.controls.items() for end in pair}
        if same := [trial.short[label] for label in labels if label not in known]:
            notice(f"no placebo, as a shuffled graph changes nothing for {', '.join(same)}")
    return trial.measured(wanted.measures, wanted.measure)


def judge(trial: Trial, wanted: Wanted) -> gates.Gates:
    """Try the gates."""
    checked = gates.check(trial.evaluation, wanted.conditions)
    failures = [
        f"{trial.short[one.label]}: {one.condition.measure} is {one.value:.3f}, which is {one.condition.order}"
        f" {one.condition.bound:g}"
        for one in checked
        if one.failed
    ]
    if wanted.baseline is None:
        return gates.Gates(checked, "", None, tuple(failures))
    baseline = wanted.baseline
    for key, value in trial.setting.items():
        if baseline.setting.get(key, value) != value:
            notice(f"{baseline.where} was made with the {key} {baseline.setting[key]}, this is {value}")
    found = gates.regressions(trial.evaluation, baseline, trial.main)
    if wanted.fail_on_regression:
        failures += [
            f"{trial.short[one.b]}: {one.measure} is worse than in {baseline.where} by {-one.mean:.3f}"
            for one in found.comparisons
            if one.verdict is Verdict.WORSE
        ]
    return gates.Gates(checked, baseline.where, found, tuple(failures))


def tell(failures: Sequence[str]) -> int:
    """Say what failed, and return the exit code."""
    for one in failures:
        notice(f"failed: {one}")
    return FAILED if failures else 0
