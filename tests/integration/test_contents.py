"""Docs, configuration, other text and notebooks, each where it is asked for and nowhere else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from asking import FILES, written

from plait import Engine
from plait.dump import dump
from plait.errors import BadParameter, NothingToIndex
from plait.model import Content, SkipReason
from plait.verify import verify

TEXTS = {
    "README.md": "# Shop\nIt sells.\n\n## Refunds\nWho may write to the store, and when.\n",
    "docs/a.rst": "Store\n=====\nHow rows are written.\n",
    "pyproject.toml": "[project]\nname = 'store'\n\n[tool.lint]\nwrite = 1\n",
    "db/schema.sql": "CREATE TABLE refunds (row int);\n",
    "rows.csv": "".join(f"row {number}\n" for number in range(100)),
    "logo.png": "\x89PNG\0",
}
SECRETS = {
    ".env": "TOKEN=1\n",
    "prod.env": "TOKEN=1\n",
    "id_rsa": "x\n",
    "tls/server.pem": "x\n",
    "tls/server.crt": "x\n",
    "infra/prod.tfvars": 'a = "b"\n',
    "secrets.yaml": "a: b\n",
    "notes.txt": "kept here\n-----BEGIN RSA PRIVATE KEY-----\nx\n",
}


@pytest.fixture
def app(tmp_path: Path) -> Path:
    return written(tmp_path / "repository", FILES)


def engine(root: Path, content: str = "code", **settings: object) -> Engine:
    return Engine.open(root, embedder="hashing", content=content, **settings)


def paths(found: Engine) -> list[str]:
    return sorted({symbol.path for symbol in found.snapshot().symbols()})


def notebook(*cells: tuple[str, str]) -> str:
    made = [
        {"cell_type": kind, "metadata": {}, "outputs": [], "source": text.splitlines(keepends=True)}
        for kind, text in cells
    ]
    return json.dumps({"cells": made, "metadata": {}, "nbformat": 4}, indent=1)


def test_each_content_is_of_its_own_files(app: Path) -> None:
    code = paths(engine(app))
    written(app, TEXTS)
    assert paths(engine(app)) == code
    assert paths(engine(app, "docs")) == ["README.md", "docs/a.rst"]
    assert paths(engine(app, "config")) == ["db/schema.sql", "pyproject.toml"]
    every = [*code, "README.md", "docs/a.rst", "db/schema.sql", "pyproject.toml", "rows.csv"]
    assert paths(engine(app, "all")) == sorted(every)


@pytest.mark.parametrize("strategy", ["hybrid", "lexical", "vector", "structural", "naive"])
def test_rankings_of_code_do_not_change_by_a_bit(app: Path, strategy: str) -> None:
    before = engine(app)
    ranked, lines = before.rank("write a row to the store", strategy), list(dump(before.snapshot()))
    written(app, TEXTS)
    for content in Content:
        engine(app, content).search("store")
    after = engine(app)
    assert after.rank("write a row to the store", strategy) == ranked
    assert list(dump(after.snapshot())) == lines


def test_a_section_is_a_hit(app: Path) -> None:
    written(app, TEXTS)
    (hit, *_) = engine(app, "docs").search("refunds", strategy="lexical")
    assert (hit.symbol.id, hit.symbol.kind) == ("README.md:shop/refunds/", "section")
    assert (hit.span.start_line, hit.text) == (4, "## Refunds\nWho may write to the store, and when.")
    assert engine(app, "docs").find("README.md:5").name == "Refunds"
    assert engine(app, "docs").snapshot().info.edges == {}


def test_other_text_is_windows(app: Path) -> None:
    written(app, TEXTS)
    found = engine(app, "all").snapshot()
    assert [symbol.id for symbol in found.symbols() if symbol.kind == "window"] == [
        "rows.csv:L1-L40/",
        "rows.csv:L41-L80/",
        "rows.csv:L81-L100/",
    ]
    assert [skip.reason for skip in found.skipped() if skip.path == "logo.png"] == [SkipReason.BINARY]


@pytest.mark.parametrize("content", ["docs", "config", "all"])
def test_secrets_are_left_out_until_they_are_asked_for(app: Path, content: str) -> None:
    written(app, TEXTS | SECRETS | {".env.example": "TOKEN=\n"})
    found = engine(app, content)
    assert not set(paths(found)) & SECRETS.keys()
    skipped = {skip.path: skip.reason for skip in found.snapshot().skipped()}
    by_name = SECRETS.keys() - {"notes.txt"}
    assert {path: skipped[path] for path in by_name} == dict.fromkeys(by_name, SkipReason.SECRET)
    assert ("notes.txt" in skipped) == (content != "config")
    assert (".env.example" in paths(found)) == (content != "docs")
    written(app, {".plaitignore": "!.env\n"})
    assert (".env" in paths(engine(app, content))) == (content == "all")


@pytest.mark.parametrize("content", list(Content))
@pytest.mark.parametrize("flow_lines", [0, 20_000])
def test_a_renewed_index_equals_a_clean_one(
    app: Path, content: str, flow_lines: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("plait.kept.FLOW_LINES", flow_lines)
    written(app, TEXTS | {"a.ipynb": notebook(("markdown", "# Refunds"), ("code", "def pay():\n    pass\n"))})
    found = engine(app, content)
    found.snapshot()
    for edit in (
        {"README.md": "# Shop\n\n## Sales\n", "pyproject.toml": "[project]\n", "rows.csv": "one\n"},
        {"a.ipynb": notebook(("code", "x = 1"), ("markdown", "# Refunds\n\nmore"), ("code", "def pay(): return x"))},
        {"new.md": "a\n===\n", "new.yml": "a: 1\n", "app/new.py": "def new(): pass\n"},
    ):
        written(app, edit)
        found.snapshot()
        assert verify(found).equal
    (app / "new.md").unlink()
    (app / "new.yml").unlink()
    found.snapshot()
    assert verify(found).equal
    assert (found.refreshed is not None) == (flow_lines == 0 or content != "code")  # values flow through code alone


def test_a_hit_in_a_notebook_names_its_cell(app: Path) -> None:
    cells = (("markdown", "# Refunds\nof sales"), ("code", "%time x\nimport os\n\ndef refund(row):\n    return row\n"))
    written(app, {"work/a.ipynb": notebook(*cells, ("code", "refund(os.name)\n"))})
    found = engine(app)
    (hit, *_) = found.search("refund row", strategy="lexical")
    assert (hit.symbol.qualified_name, hit.symbol.kind, hit.symbol.language) == (
        "work.a_ipynb.refund",
        "function",
        "python",
    )
    assert (hit.cell, hit.cell_line) == (2, 4)
    raw = (app / "work/a.ipynb").read_text().split("\n")
    assert raw[hit.span.start_line - 1].strip() == '"def refund(row):\\n",'
    callers = found.callers("work.a_ipynb.refund").edges
    assert [(edge.source, raw[edge.line - 1].strip()) for edge, _ in callers] == [
        ("work/a.ipynb:/", '"refund(os.name)\\n"')
    ]
    module = found.find("work.a_ipynb")
    assert len(module.own) == 2
    docs = engine(app, "docs").search("sales", strategy="lexical")
    assert [(hit.symbol.id, hit.cell, hit.cell_line, hit.text) for hit in docs] == [
        ("work/a.ipynb:refunds/", 1, 1, "# Refunds\nof sales")
    ]
    both = engine(app, "all").search("sales", strategy="lexical")
    assert [(hit.symbol.id, hit.cell, hit.text) for hit in both] == [("work/a.ipynb:/", 1, "# # Refunds\n# of sales")]


def test_a_notebook_is_no_module_that_others_import(app: Path) -> None:
    written(app, {"tools.py": "def f(): pass\n", "tools.ipynb": notebook(("code", "def f(): pass"))})
    written(app, {"use.py": "from tools import f\n\n\ndef g():\n    f()\n"})
    assert [one.symbol.id for one in engine(app).callees("use.g").reached] == ["tools.py:f()."]


def test_a_notebook_may_be_large_by_what_it_shows(app: Path) -> None:
    whole = json.loads(notebook(("code", "def small(): pass")))
    whole["cells"][0]["outputs"] = [{"data": {"image/png": "A" * 2_000_000}}]
    written(app, {"a.ipynb": json.dumps(whole, indent=1), "b.ipynb": notebook(("code", "x = 1\n" * 200_000))})
    found = engine(app)
    assert found.find("small").path == "a.ipynb"
    (skipped,) = found.snapshot().skipped()
    assert (skipped.path, skipped.reason) == ("b.ipynb", SkipReason.TOO_LARGE)


def test_status_counts_contents_apart(app: Path) -> None:
    written(app, TEXTS)

    def counted() -> list[tuple[str, int, int | None]]:
        return [
            (one.content, one.files, None if one.info is None else one.info.symbols)
            for one in engine(app).status().contents
        ]

    files = engine(app).status().files
    assert counted() == [("code", files, None), ("docs", 2, None), ("config", 2, None)]
    engine(app, "docs").snapshot()
    assert counted() == [("code", files, None), ("docs", 2, 5), ("config", 2, None)]
    assert engine(app).status().others == ()


def test_content_is_a_setting(app: Path) -> None:
    written(app, TEXTS | {"plait.toml": 'content = "docs"\nembedder = "hashing"\n'})
    assert paths(Engine.open(app)) == ["README.md", "docs/a.rst"]
    with pytest.raises(BadParameter, match="content must be one of code, docs, config, all, not 'text'"):
        Engine.open(app, content="text")


def test_nothing_of_a_content_says_what_else_there_is(app: Path) -> None:
    with pytest.raises(NothingToIndex, match="other content"):
        engine(app, "docs").search("refunds")


def test_the_command_line(app: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from click.testing import CliRunner

    from plait.doors.cli import main

    written(app, {"a.ipynb": notebook(("markdown", "x"), ("code", "def refund(): pass"))})
    result = CliRunner().invoke(main, ["search", "refund", str(app), "--embedder", "hashing", "-k", "1"])
    assert "(cell 2, line 1)  a_ipynb.refund  [function]" in result.stdout
    result = CliRunner().invoke(main, ["search", "x", str(app), "--content", "docs", "--json", "--embedder", "hashing"])
    (hit,) = json.loads(result.stdout)["hits"]
    found: dict[str, Any] = {key: hit[key] for key in ("kind", "cell", "cell_line")}
    assert found == {"kind": "file", "cell": 1, "cell_line": 1}
