from __future__ import annotations

from pathlib import Path

import pytest

from plait import plugins
from plait.errors import BadParameter, UnknownPlugin
from plait.retrieve.constrained import Constrained
from plait.retrieve.naive import Naive
from plait.settings import Settings


def test_the_first_source_wins(tmp_path: Path) -> None:
    (tmp_path / "plait.toml").write_text('embedder = "hashing"\ngraph = "names"\nstrategy = "lexical"\n')
    settings = Settings.load(tmp_path, {"graph": "scoped", "strategy": None}, {"PLAIT_STRATEGY": "vector"})
    assert (settings.embedder, settings.graph, settings.strategy) == ("hashing", "scoped", "vector")


@pytest.mark.parametrize(
    ("toml", "given", "message"),
    [
        ("embeder = 'x'", {}, "plait.toml: no setting is called 'embeder'"),
        ("max_file_bytes = 'many'", {}, "plait.toml: max_file_bytes must be a number of bytes, not 'many'"),
        ("[", {}, "cannot be read as TOML"),
        ("", {"colour": "red"}, "call: no setting is called 'colour'"),
        ("graph = 3", {}, "graph must be text, not 3"),
        ("submodules = 'perhaps'", {}, "plait.toml: submodules must be true or false, not 'perhaps'"),
    ],
)
def test_a_bad_setting_names_its_source(tmp_path: Path, toml: str, given: dict[str, str], message: str) -> None:
    (tmp_path / "plait.toml").write_text(toml)
    with pytest.raises(BadParameter, match=message.replace("[", r"\[")):
        Settings.load(tmp_path, given, {})


def test_a_strategy_prints_all_its_parameters() -> None:
    assert str(Naive()) == "naive(seeds=3, hops=2, k=5)"
    assert str(Constrained()) == (
        "constrained(seeds=3, walk='calls', hops=1, same_module=True, hub_degree=10, min_evidence='name', "
        "weight=0.5, depth=1000)"
    )


@pytest.mark.parametrize(
    ("description", "error", "message"),
    [
        ("nobody", UnknownPlugin, "no strategy is called 'nobody'; there are: vector, naive, constrained"),
        ("naive(seed=3)", BadParameter, "naive has no parameter 'seed'; its parameters are: seeds, hops, k"),
        ("naive(3)", BadParameter, r"write a name or name\(parameter=value"),
        ("naive(seeds='x')", BadParameter, "naive: seeds must be like 3, not 'x'"),
        ("naive(seeds=True)", BadParameter, "naive: seeds must be like 3, not True"),
        ("constrained(walk='up')", BadParameter, "walk must be one of 'calls', 'called_by', 'both', not 'up'"),
        ("__import__('os').system('x')", BadParameter, "does not describe a strategy"),
        ("structural(template='x')", BadParameter, "template must be one of structural, smoothed"),
    ],
)
def test_a_wrong_description_is_one_clear_line(description: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message) as caught:
        plugins.build("strategy", description)
    assert "\n" not in str(caught.value)


def test_whole_numbers_are_taken_for_fractions() -> None:
    assert plugins.build("strategy", "constrained(weight=1)") == Constrained(weight=1.0)
