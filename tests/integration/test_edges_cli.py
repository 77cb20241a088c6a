"""`plait edges audit`: asks a person, keeps each answer, goes on later, and tells precisions."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner, Result

from plait.doors.cli import main
from plait.evaluate.collection import load

CORPUS = str(load("shop").corpus)


def audit(*arguments: str, answers: str = "") -> Result:
    command = ["edges", "audit", CORPUS, "--kind", "calls", "--embedder", "hashing", *arguments]
    return CliRunner().invoke(main, command, input=answers, catch_exceptions=False)


def test_a_person_is_asked_and_can_go_on_later(tmp_path: Path) -> None:
    kept = ["--answers", str(tmp_path / "answers.jsonl"), "--each", "4"]
    first = audit(*kept, answers="y\nn\nq\n")
    assert "1 of 4: right? (y)es, (n)o, (u)nsure, (q)uit" in first.stderr
    assert "calls by call, scoped, confidence" in first.stderr
    assert "\n  >" in first.stderr
    assert first.stdout.splitlines()[1].split()[:5] == ["calls", "scoped", "44", "1", "1"]
    assert "2 of the sample are not answered" in first.stdout
    second = audit(*kept, answers="maybe\nu\ny\n")
    assert "1 of 2: right?" in second.stderr
    assert second.stdout.splitlines()[1].split()[:8] == ["calls", "scoped", "44", "2", "1", "1", "0.667", "0.208"]
    assert "0 of the sample are not answered" in second.stdout
    assert len((tmp_path / "answers.jsonl").read_text().splitlines()) == 4


def test_the_end_of_the_input_is_the_end_of_the_audit(tmp_path: Path) -> None:
    result = audit("--answers", str(tmp_path / "a.jsonl"), "--each", "3", answers="y\n")
    assert result.exit_code == 0
    assert "2 of the sample are not answered" in result.stdout


def test_json_and_report_ask_nothing(tmp_path: Path) -> None:
    answers = tmp_path / "a.jsonl"
    found = json.loads(audit("--json", "--each", "3", "--answers", str(answers)).stdout)
    assert (found["schema"], len(found["unanswered"]), found["answers"]) == ("plait.audit.v1", 3, str(answers))
    assert found["precision"][0]["precision"] is None
    assert "right?" not in audit("--report", "--answers", str(answers)).stderr
    assert not answers.exists()


def test_answers_that_cannot_be_read(tmp_path: Path) -> None:
    answers = tmp_path / "a.jsonl"
    answers.write_text("?\n")
    result = audit("--answers", str(answers))
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"plait: {answers}:1: this is no answer")
