"""SCIP indexes through the command line: given once, remembered, joined again."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest
from asking import as_json, plait, written

from plait import Engine
from plait.errors import BadScip
from plait.evaluate.collection import load
from plait.model import EdgeKind, Evidence
from plait.scip import schema
from plait.scip.names import escaped, parse
from scip_indexes import marked

SHOP = Path(__file__).parents[1] / "fixtures" / "shop.pyrefly-1.5.0.scip"
"""What pyrefly 1.5.0 (`check --preset=strict --report-scip`) says about the corpus of the collection `shop`, without
documentation, symbol information and the folder it ran in (which is named `/shop`)."""

FILES = {
    "a.py": """class A:
#     = pkg a/A#
    def run(self): ...
    #   === pkg a/A#run().
def f(x):
#   = pkg a/f().
    x.run()
    # ^^^ pkg a/A#run().
"""
}


@pytest.fixture
def indexed(tmp_path: Path) -> tuple[Path, Path]:
    """A folder, and a SCIP index of it beside it."""
    plain, index = marked(FILES)
    scip = tmp_path / "index.scip"
    scip.write_bytes(index.SerializeToString())
    return written(tmp_path / "repository", plain), scip


def exact(root: Path) -> int:
    graph = Engine.open(root, embedder="hashing").graph()
    return sum(edge.evidence is Evidence.EXACT for edge in graph.edges)


def test_index_says_in_one_line_what_became_of_the_occurrences(indexed: tuple[Path, Path]) -> None:
    root, scip = indexed
    result = plait("index", root, "--scip", scip)
    (line,) = [line for line in result.stdout.splitlines() if line.startswith("scip")]
    assert line == (
        f"scip        {scip} (test 1): of 4 occurrences joined 4 (definitions 3, calls and bases 1), ignored 0 (none)"
    )
    found = as_json("index", root, "--scip", scip)
    assert found["scip"] == [
        {
            "path": str(scip),
            "tool": "test 1",
            "occurrences": 4,
            "joined": {"definitions": 3, "calls and bases": 1},
            "ignored": {},
        }
    ]


def test_later_answers_use_what_was_joined_without_being_told(indexed: tuple[Path, Path]) -> None:
    root, scip = indexed
    plait("index", root, "--scip", scip)
    assert exact(root) == 1
    assert plait("callers", "A.run", root).stdout.startswith("a.py:4  a.f  [function]  call, exact")
    (root / "b.py").write_text("def new(): ...\n")
    assert exact(root) == 1, "a renewed index joins again"
    plait("index", root)
    assert exact(root) == 1, "so does one that is asked for without the option"


def test_another_index_of_the_folder_joins_it_too(indexed: tuple[Path, Path]) -> None:
    root, scip = indexed
    plait("index", root, "--scip", scip)
    scoped = Engine.open(root, embedder="hashing", graph="scoped").graph()
    assert any(edge.evidence is Evidence.EXACT for edge in scoped.edges)


def test_a_newer_scip_index_is_joined_before_the_next_answer(indexed: tuple[Path, Path]) -> None:
    root, scip = indexed
    opened = Engine.open(root, embedder="hashing")
    first = opened.index(scip=[scip])
    _, index = marked({"a.py": FILES["a.py"].replace("    # ^^^ pkg a/A#run().\n", "")})
    scip.write_bytes(index.SerializeToString())
    assert exact(root) == 0
    assert opened.snapshot().info.state != first.info.state


def test_an_edit_leaves_out_what_has_moved(indexed: tuple[Path, Path]) -> None:
    root, scip = indexed
    plait("index", root, "--scip", scip)
    (root / "a.py").write_text("import os\n" + (root / "a.py").read_text())
    assert exact(root) == 0


def test_a_vanished_scip_index_is_told_in_one_line_and_joined_when_it_is_back(indexed: tuple[Path, Path]) -> None:
    root, scip = indexed
    plait("index", root, "--scip", scip)
    kept = scip.read_bytes()
    scip.unlink()
    for _ in range(2):
        result = plait("search", "run", root)
        assert result.exit_code == 0
        assert result.stderr.splitlines() == [
            f"{scip}: no such file; its exact edges are left out (`plait index --no-scip` forgets it)"
        ]
    scip.write_bytes(kept)
    assert plait("search", "run", root).stderr == ""
    assert exact(root) == 1


def test_no_scip_forgets_it(indexed: tuple[Path, Path]) -> None:
    root, scip = indexed
    plait("index", root, "--scip", scip)
    assert plait("index", root, "--no-scip").exit_code == 0
    scip.unlink()
    assert plait("search", "run", root).stderr == ""
    assert exact(root) == 0


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"hello, world", "no SCIP index (not protobuf"),
        (b"", "no SCIP index (no document in it)"),
        (None, "no such file"),
    ],
)
def test_a_file_that_is_no_scip_index_is_one_line(tmp_path: Path, content: bytes | None, problem: str) -> None:
    root = written(tmp_path / "repository", {"a.py": "def f(): ...\n"})
    broken = tmp_path / "broken.scip"
    if content is not None:
        broken.write_bytes(content)
    result = plait("index", root, "--scip", broken)
    assert (result.exit_code, result.stdout) == (2, "")
    (line,) = result.stderr.splitlines()
    assert line.startswith(f"plait: {broken}: {problem}")
    assert plait("search", "f", root).stderr == "", "what could not be joined is not remembered"


def test_a_graph_that_joins_nothing_says_so(indexed: tuple[Path, Path]) -> None:
    root, scip = indexed
    result = plait("index", root, "--graph", "names", "--scip", scip)
    assert (result.exit_code, "use --graph flow or scoped" in result.stderr) == (2, True)
    plait("index", root, "--scip", scip)
    assert "graph names joins no SCIP index" in plait("search", "f", root, "--graph", "names").stderr


def test_both_options_are_one_too_many(indexed: tuple[Path, Path]) -> None:
    root, scip = indexed
    result = plait("index", root, "--scip", scip, "--no-scip")
    assert (result.exit_code, result.stderr) == (2, "plait: give --scip or --no-scip, not both\n")


def test_without_protobuf_the_error_says_what_to_install(
    indexed: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    root, scip = indexed
    schema.index_message.cache_clear()
    monkeypatch.setitem(sys.modules, "google.protobuf", None)
    result = plait("index", root, "--scip", scip)
    assert result.exit_code == 2
    assert "pip install 'plait[scip]'" in result.stderr


def test_from_python_a_bad_index_is_an_error_of_its_own(tmp_path: Path) -> None:
    root = written(tmp_path / "repository", {"a.py": "def f(): ...\n"})
    with pytest.raises(BadScip):
        Engine.open(root, embedder="hashing").index(scip=[root / "a.py"])


def test_a_type_checker_agrees_with_every_call_of_the_shop(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus"
    shutil.copytree(load("shop").corpus, corpus, ignore=shutil.ignore_patterns("__pycache__"))
    opened = Engine.open(corpus, embedder="hashing")
    opened.index()
    before = {(edge.source, edge.target) for edge in opened.graph().edges if edge.kind is EdgeKind.CALLS}
    report = opened.index(scip=[SHOP])
    after = {(edge.source, edge.target): edge for edge in opened.graph().edges if edge.kind is EdgeKind.CALLS}
    assert set(after) == before
    assert {edge.evidence for edge in after.values()} == {Evidence.EXACT}
    assert {str(outcome): count for outcome, count in report.scip[0].counts.items()} == {
        "definitions": 33,
        "calls and bases": 50,
        "calls out of the folder": 129,
        "not at a call": 798,
        "calls of values": 2,
    }


def test_what_is_exported_as_scip_is_read_back(tmp_path: Path) -> None:
    """Every symbol is found at its name; every call that can be seen in its line becomes exact."""
    files = {
        "pkg/größe.py": "class A:\n    def __init__(self): self.é()\n    def é(self): ...\n\n"
        "class B(A):\n    def é(self): ...\n",
        "main.py": "from pkg.größe import A, B\n\ndef make():\n    return A(), B()\n",
    }
    root, out = written(tmp_path / "repository", files), tmp_path / "graph.scip"
    told = as_json("export", root, "--format", "scip", "-o", out)
    assert told["files"] == [str(out)]
    index = schema.decode(out.read_bytes())
    names = {one.symbol for document in index.documents for one in document.symbols}
    assert "plait . . . `pkg/größe.py`/A#`é`()." in names
    assert all(parse(name) for name in names)
    assert len(names) == 8
    related = [one.symbol for document in index.documents for info in document.symbols for one in info.relationships]
    assert related == ["plait . . . `pkg/größe.py`/A#", "plait . . . `pkg/größe.py`/A#`é`()."]
    report = Engine.open(root, embedder="hashing").index(scip=[out])
    assert {str(one): count for one, count in report.scip[0].counts.items() if one != "not at a call"} == {
        "definitions": 6,
        "calls and bases": 4,
    }


def test_scip_goes_into_a_file_only(indexed: tuple[Path, Path]) -> None:
    result = plait("export", indexed[0], "--format", "scip")
    assert (result.exit_code, result.stderr) == (2, "plait: scip is not text; give --out FILE\n")


@pytest.mark.parametrize(
    ("symbol", "last"),
    [
        ("scip-python python Flask 3.2 `flask.views`/View#as_view().", ("as_view", "().")),
        ("s m p v a/f(+1).", ("f", "().")),
        ("s  s m p v a/`b``c`#", ("b`c", "#")),
        ("s m p v a/f().(x)", ("x", "()")),
        ("s m p v a/C#[T]", ("T", "[]")),
        ("local 4", None),
        ("no symbol", None),
        ("s m p v a/f(", None),
    ],
)
def test_names_of_symbols(symbol: str, last: tuple[str, str] | None) -> None:
    found = parse(symbol)
    assert (found and (found.last.name, found.last.suffix)) == last
    if found and "`" in symbol:
        assert any(escaped(one.name) in symbol for one in found.descriptors)
