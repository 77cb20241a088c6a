"""Collections and runs that go to other tools and come back: their figures are ours."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import ir_measures
import pytest
from asking import as_json, lines, plait

THEIRS = {
    "Recall@3": ir_measures.R @ 3,
    "Recall@5": ir_measures.R @ 5,
    "nDCG@3": ir_measures.nDCG @ 3,
    "nDCG@5": ir_measures.nDCG @ 5,
    "RR": ir_measures.RR,
    "Success@1": ir_measures.Success @ 1,
}
STRATEGIES = ("--strategy", "lexical", "--strategy", "naive")


@pytest.fixture
def exported(tmp_path: Path) -> Path:
    result = plait("eval", "shop", *STRATEGIES, "--export", tmp_path / "shop", "--runs", tmp_path / "runs")
    assert result.exit_code == 0
    assert result.stderr.splitlines() == [
        f"collection written to {tmp_path / 'shop'}",
        f"runs written to {tmp_path / 'runs'}",
    ]
    return tmp_path


def per_topic(found: Mapping[str, Any], label: str) -> dict[str, dict[str, float]]:
    return {measure: scores[label]["topics"] for measure, scores in found["measures"].items()}


def test_ir_measures_finds_our_figures_in_our_files(exported: Path) -> None:
    ours = as_json("eval", exported / "shop", *STRATEGIES)
    qrels = list(ir_measures.read_trec_qrels(str(exported / "shop" / "qrels.txt")))
    for label, name in zip(ours["strategies"], ("lexical", "naive"), strict=True):
        run = list(ir_measures.read_trec_run(str(exported / "runs" / f"{name}.run")))
        for measure, scores in per_topic(ours, label).items():
            theirs = {one.query_id: one.value for one in ir_measures.iter_calc([THEIRS[measure]], qrels, run)}
            assert len(theirs) == len(scores) == 12
            assert theirs == pytest.approx(scores, abs=1e-6), (label, measure)


@pytest.mark.filterwarnings("ignore")
def test_ranx_finds_our_figures_in_our_files(exported: Path) -> None:
    """Where ranx is installed (`pip install ranx`): with its compiler it is too large to be asked for."""
    ranx = pytest.importorskip("ranx")
    ours = as_json("eval", exported / "shop", *STRATEGIES)
    qrels = ranx.Qrels.from_file(str(exported / "shop" / "qrels.txt"), kind="trec")
    names = {"Recall@3": "recall@3", "Recall@5": "recall@5", "nDCG@3": "ndcg@3", "nDCG@5": "ndcg@5", "RR": "mrr"}
    for label, name in zip(ours["strategies"], ("lexical", "naive"), strict=True):
        run = ranx.Run.from_file(str(exported / "runs" / f"{name}.run"), kind="trec")
        means = ranx.evaluate(qrels, run, [*names.values(), "hit_rate@1"], make_comparable=True)
        for measure, theirs in (names | {"Success@1": "hit_rate@1"}).items():
            assert means[theirs] == pytest.approx(ours["measures"][measure][label]["mean"], abs=1e-6), (label, measure)


def test_an_exported_collection_is_the_same_collection(exported: Path) -> None:
    before, after = (as_json("eval", one, *STRATEGIES) for one in ("shop", exported / "shop"))
    assert after["measures"] == before["measures"]


def test_a_run_is_judged_beside_ours(exported: Path) -> None:
    found = as_json("eval", "shop", "--strategy", "lexical", "--run", exported / "runs" / "naive.run")
    _, other = found["strategies"]
    assert other == "naive"
    ours = as_json("eval", "shop", *STRATEGIES)
    assert per_topic(found, other) == per_topic(ours, ours["strategies"][1])
    told = lines("eval", "shop", "--strategy", "lexical", "--run", exported / "runs" / "naive.run")
    assert "naive     naive" in told, "its label is the name of its file"


def test_a_run_of_another_tool(exported: Path) -> None:
    run = exported / "grep.run"
    run.write_text("Q1 Q0 not/there.py 1 9.5 grep\nQ1 Q0 verify_password 2 3.25 grep\n")
    result = plait("eval", "shop", "--strategy", "lexical", "--run", run, "--json")
    assert result.exit_code == 0
    assert result.stderr == f"{run}: 1 of 2 results name no symbol of the corpus and count as irrelevant\n"
    scores = per_topic(json.loads(result.stdout), "grep")["RR"]
    assert scores["Q1"] == 0.5
    assert sum(scores.values()) == 0.5, "a topic without results scores 0"


def test_two_runs_of_one_name(exported: Path) -> None:
    (exported / "other").mkdir()
    other = exported / "other" / "naive.run"
    other.write_text((exported / "runs" / "naive.run").read_text())
    result = plait("eval", "shop", "--run", exported / "runs" / "naive.run", "--run", other)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "two runs are called naive; give one of the files another name" in result.stderr


def test_a_beir_folder(exported: Path) -> None:
    """Written from the shop, it is a collection of documents of which each is one function."""
    folder = exported / "beir"
    (folder / "qrels").mkdir(parents=True)
    for name in ("corpus.jsonl", "queries.jsonl", "qrels/test.tsv"):
        (folder / name).write_text((exported / "shop" / name).read_text())
    found = as_json("eval", folder, "--strategy", "lexical")
    assert (found["collection"], found["topics"]) == ("beir", 12)
    rows = [row.split("\t") for row in (folder / "qrels" / "test.tsv").read_text().splitlines()[1:]]
    perfect = exported / "perfect.run"
    perfect.write_text("".join(f"{topic} Q0 {document} 1 {score} x\n" for topic, document, score in rows))
    found = as_json("eval", folder, "--strategy", "lexical", "--run", perfect)
    assert set(found["measures"]["nDCG@5"]["perfect"]["topics"].values()) == {1.0}
    assert found["measures"]["Recall@5"]["lexical(depth=1000)"]["mean"] > 0.5


def test_annotations_of_semble(repository: Path, tmp_path: Path) -> None:
    asked = tmp_path / "shop.json"
    asked.write_text(json.dumps([{"query": "discounts and taxes", "relevant": ["shop/money.py"]}]))
    run = tmp_path / "files.run"
    run.write_text("q1 Q0 shop/cart.py 1 2 x\nq1 Q0 shop/money.py 2 1 x\n")
    found = as_json("eval", repository, "--queries", asked, "--strategy", "lexical", "--run", run)
    assert found["measures"]["RR"]["lexical(depth=1000)"]["topics"] == {"q1": 1.0}
    assert found["measures"]["RR"]["files"]["topics"] == {"q1": 0.5}


def test_export_overwrites_nothing(exported: Path) -> None:
    result = plait("eval", "shop", "--strategy", "lexical", "--export", exported / "shop")
    assert result.exit_code == 2
    assert "it is not empty); give another folder to --export" in result.stderr
