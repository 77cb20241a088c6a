"""What stands beside the ranking: copies of a hit, and its neighbours on the graph."""

from pathlib import Path

import pytest

from plait import Engine
from plait.finding import alike

BODY = "def area(w, h):\n    if w < 0:\n        raise E\n    if h < 0:\n        raise F\n    return w * h\n"


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("def f(): pass", "def f():  pass", False),  # white space at the ends of lines only
        ("def f():\n    pass", "  def f():\n\n\tpass  ", True),
        ("", "", False),
        ("def f(): pass", "def g(): pass", False),
        (BODY, BODY.replace("area", "size"), False),
        (BODY * 1 + "".join(f"x{i}\n" for i in range(14)), BODY + "".join(f"x{i}\n" for i in range(15)), True),
    ],
)
def test_alike(one: str, other: str, same: bool) -> None:
    assert alike(one, other) is same


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    root = tmp_path / "root"
    root.mkdir()
    painting = "def paint(w, h):\n    return brush(area(w, h))\n\n\ndef brush(x):\n    return x\n"
    (root / "a.py").write_text(f"{BODY}\n\n{painting}")
    (root / "b.py").write_text(BODY)
    (root / "test_a.py").write_text("from a import paint\n\n\ndef test_it():\n    paint(1, 2)\n")
    return Engine.open(root, embedder="hashing", cache=tmp_path / "cache")


def test_a_copy_is_told_by_the_hit_and_takes_no_place(engine: Engine) -> None:
    answer = engine.search("area kind:function", k=2)
    first = answer[0]
    assert {first.symbol.id, *(copy.id for copy in first.copies)} == {"a.py:area().", "b.py:area()."}
    assert [hit.rank for hit in answer] == [1, 2]
    assert all("area" not in hit.symbol.name for hit in answer[1:])


def test_related_are_the_sure_neighbours_without_tests(engine: Engine) -> None:
    answer = engine.search('paint kind:function "def paint"', k=1)
    assert [hit.symbol.name for hit in answer] == ["paint"]
    assert [(one.symbol.name, one.rank, one.edge.line) for one in answer.related] == [("area", 1, 10), ("brush", 1, 10)]


def test_tests_are_related_to_tests(engine: Engine) -> None:
    answer = engine.search('"def test_it" paint', k=1)
    assert [one.symbol.name for one in answer.related] == ["paint"]
