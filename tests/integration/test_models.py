"""plait models: what embedders there are and what each costs."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from plait import plugins
from plait.doors.cli import main
from plait.embed import hub, model2vec, remote
from plait.embed.code import MODEL


@pytest.fixture(autouse=True)
def _nobody(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No key, no server, no downloads, no settings but the defaults."""
    for name in remote.KEYS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(remote, "urlopen", _refused)
    monkeypatch.setattr(hub, "kept", lambda model: None)
    monkeypatch.chdir(tmp_path)


def _refused(*args: object, **given: object) -> None:
    raise ConnectionRefusedError("refused")


def plait(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments, catch_exceptions=False)


def listed(*arguments: str) -> list[dict[str, Any]]:
    found = json.loads(plait("models", *arguments, "--json").stdout)
    assert found["schema"] == "plait.models.v1"
    rows: list[dict[str, Any]] = found["embedders"]
    return rows


def test_every_embedder_is_listed_with_its_price() -> None:
    found = listed()
    assert [one["name"] for one in found] == plugins.names("embedder")
    assert [one["name"] for one in found if one["chosen"]] == ["code"]
    for one in found:
        assert bool(one["found"]) == one["at_hand"] == (not one["problem"])
        assert one["about"]["what"]
        assert one["about"]["weights"]


def test_what_needs_nothing_is_at_hand_and_the_others_name_their_mend() -> None:
    found = {one["name"]: one for one in listed()}
    assert [name for name, one in found.items() if one["at_hand"]] == ["code", "static", "hashing"]
    assert [found[name]["dim"] for name in ("code", "static", "hashing", "ollama")] == [256, 256, 256, None]
    assert "no key is set; set PLAIT_EMBEDDING_KEY" in found["openai"]["problem"]
    assert "refused; start the server" in found["ollama"]["problem"]


def test_a_library_that_is_not_installed_is_told_before_anything_else(monkeypatch: pytest.MonkeyPatch) -> None:
    for library in ("model2vec", "onnxruntime", "sentence_transformers"):
        monkeypatch.setitem(sys.modules, library, None)
    found = {one["name"]: one["problem"] for one in listed()}
    assert found["model2vec"].endswith("run: pip install 'plait[model2vec]'")
    assert found["onnx"].endswith("run: pip install 'plait[onnx]'")
    assert found["sentence_transformers"].endswith("run: pip install 'plait[sentence-transformers]'")


def test_the_chosen_embedder_stands_for_its_name(tmp_path: Path) -> None:
    (tmp_path / "plait.toml").write_text("embedder = 'code(dim=64)'\n")
    (chosen,) = (one for one in listed() if one["chosen"])
    assert (chosen["name"], chosen["description"], chosen["dim"]) == ("code", "code(dim=64)", 64)
    assert plait("models").stdout.splitlines()[0] == "* code(dim=64)  at hand"


def test_those_that_are_named_are_listed_alone() -> None:
    pytest.importorskip("model2vec")
    own = f"model2vec(model={str(MODEL)!r})"
    found = listed(own, "hashing(dim=32)")
    assert [(one["description"], one["at_hand"], one["dim"]) for one in found] == [
        (own, True, 256),
        ("hashing(dim=32)", True, 32),
    ]


def test_a_model_that_is_not_downloaded_is_not_downloaded_now(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("model2vec")
    monkeypatch.setattr(model2vec, "_loaded", _refused)
    (found,) = listed("model2vec")
    assert "is not downloaded; the first use downloads it" in found["problem"]


@pytest.mark.parametrize("wrong", ["nobody", "code(", "code(size=3)", "code(dim=0)"])
def test_a_wrong_description(wrong: str) -> None:
    result = plait("models", wrong)
    told = result.stderr + result.stdout
    assert ("NOT at hand" in told) == (wrong in ("code(size=3)", "code(dim=0)"))
    assert result.exit_code == (0 if "NOT at hand" in told else 2)
    assert result.stderr.count("\n") == (1 if result.exit_code else 0)
