"""`plait eval` as a judge: placebo, categories, conditions, baselines, and what they exit with."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from plait.doors.cli import main
from plait.evaluate.collection import load


def plait(*arguments: str) -> Result:
    return CliRunner().invoke(main, [*arguments, "--embedder", "hashing"], catch_exceptions=False)


@pytest.fixture
def collection(tmp_path: Path) -> Path:
    """The shop's, with a category for each question."""
    shop = load("shop")
    folder = tmp_path / "shop"
    shutil.copytree(shop.corpus.parent, folder)
    rows = [f"{topic.id}\t{topic.text}\t{'odd' if n % 2 else 'even'}" for n, topic in enumerate(shop.topics)]
    (folder / "topics.tsv").write_text("\n".join(rows) + "\n")
    return folder


def test_a_placebo_stands_beside_what_uses_the_graph() -> None:
    strategies = ["--strategy", "lexical", "--strategy", "hybrid"]
    result = plait("eval", "shop", *strategies, "--placebo", "--json")
    found = json.loads(result.stdout)
    (hybrid,) = (label for label in found["strategies"] if label.startswith("hybrid"))
    assert found["placebos"] == {hybrid: f"placebo: {hybrid}"}
    assert [(one["a"], one["b"]) for one in found["comparisons"] if one["measure"] == "Recall@5"] == [
        ("lexical(depth=1000)", hybrid),
        (f"placebo: {hybrid}", hybrid),
    ]
    assert "no placebo, as a shuffled graph changes nothing for lexical" in result.stderr
    assert "hybrid against placebo: hybrid" in plait("eval", "shop", *strategies, "--placebo").stdout


def test_categories_and_verdicts(collection: Path) -> None:
    strategies = ["--strategy", "vector", "--strategy", "lexical"]
    text = plait("eval", str(collection), *strategies, "--show", "1").stdout
    shown = "Recall@5: no difference shown; a true difference of "
    assert all(part in text for part in ("by category (Recall@5)", "p (Holm)", shown, "told here"))
    found = json.loads(plait("eval", str(collection), *strategies, "--measure", "RR", "--json").stdout)
    assert [(one["category"], one["topics"], one["measure"]) for one in found["categories"]] == [
        ("even", 6, "RR"),
        ("odd", 6, "RR"),
    ]
    assert {one["verdict"] for one in found["comparisons"]} == {"undecided"}
    assert found["questions"][1]["category"] == "odd"


def test_conditions_decide_the_exit_code() -> None:
    passes = ["eval", "shop", "--strategy", "lexical", "--fail-on", "recall@7 < 0.1"]
    passed = plait(*passes)
    assert (passed.exit_code, passed.stderr) == (0, "")
    failed = plait(*passes, "--fail-on", "lexical RR > .1")
    assert failed.exit_code == 1
    assert failed.stderr.startswith("failed: lexical: RR is 0.")
    assert failed.stderr.rstrip().endswith("which is > 0.1")
    rows = [line.split() for line in failed.stdout.splitlines()[-2:]]
    assert [(row[0], row[-1]) for row in rows] == [("Recall@7", "passed"), ("lexical", "failed")]


def test_without_a_strategy_a_gate_judges_what_search_uses() -> None:
    found = json.loads(plait("eval", "shop", "--fail-on", "recall@5 < 0.01", "--json").stdout)
    assert [label.partition("(")[0] for label in found["strategies"]] == ["additive"]
    assert found["gates"][0]["failed"] is False


def test_a_baseline_that_was_better_fails_and_one_that_was_not_passes(tmp_path: Path) -> None:
    arguments = ["eval", "shop", "--strategy", "vector"]
    written = plait(*arguments, "--json").stdout
    same, better = tmp_path / "same.json", tmp_path / "better.json"
    same.write_text(written)
    gate = ["--fail-on-regression", "--baseline"]
    passed = plait(*arguments, *gate, str(same))
    assert passed.exit_code == 0
    assert "Recall@5: no query differs" in passed.stdout
    changed = json.loads(written)
    (of_label,) = changed["measures"]["Recall@5"].values()
    of_label["topics"] = dict.fromkeys(of_label["topics"], 1.0)
    better.write_text(json.dumps(changed))
    failed = plait(*arguments, *gate, str(better))
    assert failed.exit_code == 1
    assert f"failed: vector: Recall@5 is worse than in {better} by 0." in failed.stderr
    assert "  lost Q" in failed.stdout
    only_told = plait(*arguments, "--baseline", str(better))
    assert (only_told.exit_code, only_told.stderr) == (0, "")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--fail-on", "recall < 1"], "plait: Recall needs a depth, for example Recall@5"),
        (["--fail-on", "good"], "plait: 'good' is no condition; write for example 'recall@10 < 0.70'"),
        (["--fail-on", "nobody RR < 1"], "plait: 'nobody RR < 1' is about a strategy that is not judged; there are: "),
        (["--fail-on-regression"], "plait: --fail-on-regression needs --baseline FILE (see plait eval --help)"),
        (["--baseline", "nowhere.json"], "plait: nowhere.json: No such file or directory; write a new one"),
        (["--measure", "speed"], "plait: no measure is called 'speed'"),
    ],
)
def test_what_cannot_be_judged(arguments: list[str], message: str) -> None:
    result = plait("eval", "shop", "--strategy", "lexical", *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(message)
