"""How a question is read: what narrows it, what is left to rank by."""

from pathlib import Path

import pytest

from plait import Engine
from plait.asking import Asked, asked
from plait.errors import BadParameter, EmptyQuery
from plait.model import Filter, SymbolKind
from plait.testing import snapshot_of


@pytest.mark.parametrize(
    ("written", "text", "where"),
    [
        ("open a connection", "open a connection", Filter()),
        ("path:src/net open", "open", Filter(path="*src/net*")),
        ("open path:src/*.py", "open", Filter(path="src/*.py")),
        ('path:"my folder" open', "open", Filter(path="*my folder*")),
        ("lang:py open", "open", Filter(language="python")),
        ("language:C++ open", "open", Filter(language="cpp")),
        ("lang:golang open", "open", Filter(language="go")),
        ("kind:class,method open", "open", Filter(kinds=frozenset({SymbolKind.CLASS, SymbolKind.METHOD}))),
        ("what is std::path:foo", "what is std::path:foo", Filter()),
        ("why\npath:src open", "why\npath:src open", Filter()),
    ],
)
def test_filters(written: str, text: str, where: Filter) -> None:
    assert asked(written) == Asked(text, where, ())


@pytest.mark.parametrize(
    ("written", "quoted"),
    [
        ('where is "no such user" raised', ("no such user",)),
        ('"two  spaces" "and another" "and another"', ("two  spaces", "and another")),
        ('a 3" pipe and a 4" pipe', ()),
        ('say ""', ()),
        ('first line\n"second"', ()),
    ],
)
def test_quotes(written: str, quoted: tuple[str, ...]) -> None:
    assert asked(written).quoted == quoted


@pytest.mark.parametrize(
    ("written", "where", "message"),
    [
        ("kind:banana x", Filter(), "kind:banana: no such kind; there are: module, class, "),
        ("lang:klingon x", Filter(), "lang:klingon: no such language; there are: bash, c, "),
        ("path:a path:b x", Filter(), "path:b: it is narrowed down by this already; leave one out"),
        ("path:b x", Filter(path="a*"), "path:b: it is narrowed down by this already; leave one out"),
    ],
)
def test_what_cannot_be_meant(written: str, where: Filter, message: str) -> None:
    with pytest.raises(BadParameter, match="^" + message.replace("*", r"\*")):
        asked(written, where)


@pytest.mark.parametrize("written", ["", "  ", "path:src", "kind:class lang:go"])
def test_nothing_to_rank_by(written: str) -> None:
    with pytest.raises(EmptyQuery):
        asked(written)


def test_a_snapshot_knows_what_contains_a_string() -> None:
    snapshot = snapshot_of({"a.py": "def f():\n    raise E('No such User')\n\ndef g(user):\n    pass\n"})
    assert [one.rpartition(":")[2] for one in snapshot.containing("no SUCH user")] == ["f()."]
    assert snapshot.containing("nowhere") == frozenset()


def test_search_narrows(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("def connect():\n    raise E('100% refused')\n\nclass Connect:\n    pass\n")
    (tmp_path / "b.go").write_text("package b\nfunc connect() { }\n")
    engine = Engine.open(tmp_path, embedder="hashing", cache=tmp_path / "cache")

    def found(question: str) -> list[str]:
        return sorted(hit.symbol.id for hit in engine.search(question))

    assert {one.partition(":")[0] for one in found("connect")} == {"a.py", "b.go"}
    assert found("connect lang:go kind:function") == ["b.go:connect()."]
    assert found("connect path:a.py kind:class") == ["a.py:Connect#"]
    assert found('connect "100% REFUSED"') == ["a.py:connect()."]
    assert found('connect "nobody writes this"') == []
