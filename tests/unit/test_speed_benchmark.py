"""What the speed benchmark makes of corpora and measurements; that it measures, but not how much."""

import ast
import os
import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture(autouse=True)
def benchmarks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))


def functions(folder: Path) -> list[ast.FunctionDef]:
    trees = (ast.parse(path.read_text()) for path in sorted(folder.rglob("*.py")))
    return [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]


def test_a_monorepo_has_so_many_functions_and_is_the_same_each_time(tmp_path: Path) -> None:
    import speed_monorepo

    speed_monorepo.write(tmp_path / "one", 200)
    speed_monorepo.exports.cache_clear()
    speed_monorepo.write(tmp_path / "two", 200)
    first, second = (
        {path.relative_to(folder): path.read_text() for path in folder.rglob("*.py")}
        for folder in (tmp_path / "one", tmp_path / "two")
    )
    assert first == second
    assert sum(bool(text) for text in first.values()) == 10
    found = functions(tmp_path / "one")
    assert len(found) == 200
    assert all(ast.get_docstring(one) for one in found)


def test_what_a_module_imports_is_there(tmp_path: Path) -> None:
    import speed_monorepo

    speed_monorepo.write(tmp_path, 1000)
    imports = [
        node
        for path in (tmp_path / "src").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ImportFrom) and node.module != "__future__"
    ]
    assert len(imports) > 100
    for one in imports:
        assert (tmp_path / "src" / str(one.module).replace(".", "/") / f"{one.names[0].name}.py").is_file()


def test_questions_come_from_docstrings_and_comments(tmp_path: Path) -> None:
    import speed_queries

    (tmp_path / "a.py").write_text(
        'def f():\n    """Open the door of a house. And more."""\n\ndef g():\n    """Too short."""\n\ndef h(): pass\n'
    )
    (tmp_path / "b.go").write_text("package b\n\n// Close shuts the door\n// of a house.\nfunc Close() {}\n")
    (tmp_path / "c.js").write_text(
        "/**\n * Paint the door of a house.\n */\nexport function paint() {}\n// not above\n"
    )
    assert speed_queries.questions(tmp_path, 10) == [
        "Open the door of a house",
        "Close shuts the door of a house",
        "Paint the door of a house",
    ]
    assert len(speed_queries.questions(tmp_path, 2)) == 2


def test_an_edit_is_taken_back(tmp_path: Path) -> None:
    import speed_edit

    source = "def first():\n    return 1\n" + "# filling\n" * 60
    for name in ("a.py", "b.py", "c.py", "d.js"):
        (tmp_path / name).write_text(source)
    with suppress(KeyboardInterrupt), speed_edit.edited(tmp_path, 0) as name:
        assert [one.name for one in functions(tmp_path)] == ["first", "first", name, "first"]
        raise KeyboardInterrupt
    assert (tmp_path / "b.py").read_text() == source


def test_quantiles_are_values_that_occurred() -> None:
    from speed_figures import quantiles

    assert quantiles([5.0]) == (5.0, 5.0)
    assert quantiles([float(number) for number in range(200)]) == (100.0, 198.0)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_costs_are_those_of_all_processes(tmp_path: Path) -> None:
    from speed_process import Failed, run

    busy = "x = bytearray(50_000_000); [i * i for i in range(1_000_000)]"
    nested = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {busy!r}]); print('done')"
    cost = run([sys.executable, "-c", nested], os.environ)
    assert cost.output == "done\n"
    assert cost.peak > 50_000_000
    assert cost.cpu > 0
    with pytest.raises(Failed, match="ended with 3: bad"):
        run([sys.executable, "-c", "import sys; print('bad', file=sys.stderr); sys.exit(3)"], os.environ)


def test_bars_apply_at_their_size_and_compare_with_semble() -> None:
    from speed_figures import Bar, Measured, Row

    def measured(functions: int, plait: float, **more: float) -> Measured:
        return Measured("corpus", 1, functions, 0, [Row("warm", "ms", {"plait": plait, **more})])

    bar = Bar("warm", "ms", 5, functions=10_000)
    outcomes = [bar.judged(measured(*one)) for one in ((999, 1.0), (1_000, 4.9), (11_000, 5.0), (11_001, 1.0))]
    assert [one and one.split("  ")[0].strip() for one in outcomes] == [None, "met", "NOT MET", None]

    twice = Bar("warm", "ms", 2, times_semble=True)
    assert twice.judged(measured(1, 4.0)) is None
    assert [str(twice.judged(measured(1, one, semble=2.0))).split("  ")[0] for one in (4.0, 4.1)] == ["met", "NOT MET"]


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_run_over_a_tiny_corpus(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import speed
    import speed_monorepo

    speed_monorepo.write(tmp_path / "corpora" / "tiny", 60)
    monkeypatch.setattr(speed, "QUESTIONS", 4)
    monkeypatch.setattr(speed, "REPEAT", 1)
    monkeypatch.setattr(speed, "compiled", lambda python: None)
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.setattr(sys, "argv", ["speed.py", str(tmp_path / "corpora")])
    speed.main()
    lines = capsys.readouterr().out.splitlines()
    assert "tiny: 60 functions in 5 files" in lines
    measures = {line[2:36].strip(): line[36:].split() for line in lines if line.startswith("  ")}
    for name in ("cold index, searchable", "disk", "first answer, whole process", "warm additive p99"):
        assert float(measures[name][-3].replace(",", "")) > 0
    assert {"no change, in process", "warm lexical p50", "one-file refresh, in process"} <= measures.keys()
    assert not any(line.startswith("  note: plait") for line in lines)
    assert sum(line.startswith("unknown") for line in lines) == 9


def test_the_model_holds_plaits_vectors(tmp_path: Path) -> None:
    """As a reader of the format finds them, with the library's tokenizer; it does not say what a place weighs."""
    import numpy as np
    from safetensors.numpy import load_file
    from tokenizers import Tokenizer

    from plait.embed.code import LEAD, REPEATED, CodeEmbedder

    done = subprocess.run([sys.executable, BENCHMARKS / "speed_model.py", tmp_path], check=False)
    assert done.returncode == 0
    held = load_file(tmp_path / "model.safetensors")
    table = held["embeddings"] * held["weights"][:, None]
    tokenizer = Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    assert len(table) == tokenizer.get_vocab_size()
    rows = table[tokenizer.encode("open the door", add_special_tokens=False).ids]
    weights = (LEAD / (LEAD + np.arange(3))) ** REPEATED
    summed = (rows * weights[:, None]).sum(axis=0)
    (expected,) = CodeEmbedder().encode(["open the door"], role="document")
    assert np.allclose(summed / np.linalg.norm(summed), expected, atol=1e-6)
