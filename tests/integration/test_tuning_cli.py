"""`plait tune`: from questions to a plait.toml that search goes by, or to nothing."""

from __future__ import annotations

import json
import shutil
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from plait.doors.cli import main
from plait.engine import Engine
from plait.errors import BadParameter
from plait.evaluate.collection import load
from plait.settings import Settings, write_setting


def plait(*arguments: str) -> Result:
    return CliRunner().invoke(main, [*arguments, "--embedder", "hashing"], catch_exceptions=False)


@pytest.fixture
def collection(tmp_path: Path) -> Path:
    """Each function of the shop is asked for by the words of its name, which meaning made of hashes finds badly."""
    shop = load("shop")
    folder = tmp_path / "made"
    shutil.copytree(shop.corpus, folder / "corpus")
    engine = Engine.open(folder / "corpus", embedder="hashing")
    functions = [symbol for symbol in engine.snapshot().symbols() if symbol.kind == "function"]
    asked = [f"q{n}\twhere do we {one.name.replace('_', ' ')}\n" for n, one in enumerate(functions)]
    (folder / "topics.tsv").write_text("".join(asked))
    (folder / "qrels.txt").write_text("".join(f"q{n} 0 {one.id} 1\n" for n, one in enumerate(functions)))
    (folder / "collection.toml").write_text(
        'name = "made"\ndescription = ""\ncorpus = "corpus"\ntopics = "topics.tsv"\nqrels = "qrels.txt"\n'
        'language = "python"\n'
    )
    return folder


def test_what_is_worth_it_is_written_and_search_goes_by_it(collection: Path) -> None:
    corpus = collection / "corpus"
    (corpus / "plait.toml").write_text('# ours\nstrategy = "vector"  # for now\nmax_file_bytes = 500000\n')
    tried = plait("tune", str(collection), "--dry-run")
    assert "worth it; nothing is written in a dry run" in tried.stdout
    assert tomllib.loads((corpus / "plait.toml").read_text())["strategy"] == "vector"
    found = json.loads(plait("tune", str(collection), "--json").stdout)
    assert (found["worth_it"], found["configured"]) == (True, "vector")
    assert found["held_out"]["interval"][0] > 0
    written = (corpus / "plait.toml").read_text()
    assert written.startswith("# ours\n")
    assert tomllib.loads(written) == {"strategy": found["chosen"], "max_file_bytes": 500000}
    answer = json.loads(plait("search", "reserve stock", str(corpus), "--json").stdout)
    assert answer["strategy"] == str(Engine.open(corpus).strategy(found["chosen"]))


def test_what_is_the_best_already_stays(collection: Path) -> None:
    corpus = collection / "corpus"
    (corpus / "plait.toml").write_text('strategy = "lexical"\n')
    result = plait("tune", str(collection), "--strategy", "lexical")
    assert "Nothing to gain is shown" in result.stdout
    assert result.exit_code == 0
    assert (corpus / "plait.toml").read_text() == 'strategy = "lexical"\n'


def test_too_few_questions() -> None:
    result = plait("tune", "shop")
    assert result.exit_code == 2
    assert result.stderr.startswith("plait: shop: 12 questions have an answer, and fitting needs 20 or more")


def test_settings_are_written_line_by_line(tmp_path: Path) -> None:
    path = tmp_path / "plait.toml"
    value = """weighted(of="hybrid(min_evidence='flowed')", edge=0.0)"""
    write_setting(path, "strategy", value)
    assert Settings.load(tmp_path, {}, {}).strategy == value
    path.write_text('submodules = true\n"strategy" = "lexical"\n[other]\n')
    write_setting(path, "strategy", value)
    assert tomllib.loads(path.read_text()) == {"submodules": True, "strategy": value, "other": {}}
    path.write_text('strategy = """\nlexical"""\n')
    with pytest.raises(BadParameter, match="cannot be edited line by line; write `strategy = "):
        write_setting(path, "strategy", value)
    assert path.read_text() == 'strategy = """\nlexical"""\n'
