"""Dense search over texts made on demand: templates, pieces, the placebo."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from plait import Engine, plugins
from plait.embed.hashing import HashingEmbedder
from plait.errors import BadParameter
from plait.evaluate.collection import load
from plait.evaluate.measures import standard
from plait.evaluate.texts import OF_SYMBOLS, PIECES, Embedded, Texts, by_bare_names, calls, shuffled, texts
from plait.model import Direction, EdgeKind
from plait.protocols import Snapshot
from plait.retrieve.structural import Structural
from plait.retrieve.vector import Vector
from plait.testing import QUESTIONS, SOURCES, StrategyContract, question, snapshot_of


class Made(Embedded):
    """Equal to what it describes, as its contract asks."""

    def __eq__(self, other: object) -> bool:
        return self.made == (other.made if isinstance(other, Embedded) else other)

    __hash__ = None  # type: ignore[assignment]


def made(of: str, **more: int) -> Embedded:
    return Made(Texts(of, **more), HashingEmbedder())


@pytest.mark.parametrize("of", [*OF_SYMBOLS, *PIECES])
class TestTexts(StrategyContract):
    @pytest.fixture(autouse=True)
    def _of(self, of: str) -> None:
        self.of = of

    def make(self) -> Embedded:
        return made(self.of)


@pytest.mark.parametrize(("of", "indexed"), [("plain", Vector()), ("structural", Structural())])
def test_the_templates_of_the_index_rank_as_the_index_does(of: str, indexed: Vector | Structural) -> None:
    snapshot = snapshot_of(SOURCES)
    for text in QUESTIONS:
        mine, its = (one.retrieve(question(text), snapshot).candidates for one in (made(of), indexed))
        assert [(one.symbol, one.score) for one in mine] == [(one.symbol, one.score) for one in its]


def test_names_are_the_graph_of_that_name(repository: Path) -> None:
    engine = Engine.open(repository, embedder="hashing", graph="names")
    ids = [one.id for one in engine.snapshot().symbols()]
    found = by_bare_names(Engine.open(repository, embedder="hashing").snapshot())
    assert list(found) == engine.snapshot().edges(ids, [EdgeKind.CALLS], Direction.OUT)
    assert len(found) == 1


def test_the_placebo_keeps_how_often_each_calls_and_is_called() -> None:
    engine = Engine.open(load("shop").corpus, embedder="hashing")
    found = calls(engine.snapshot(), engine.snapshot().symbols())
    mixed = shuffled(found)
    assert Counter(one.source for one in mixed) == Counter(one.source for one in found)
    assert Counter(one.target for one in mixed) == Counter(one.target for one in found)
    assert [one.target for one in mixed] != [one.target for one in found]


def made_of(snapshot: Snapshot, of: str, **more: int) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for symbol, passage in texts(snapshot, Texts(of, **more), HashingEmbedder()):
        found.setdefault(passage.text, set()).add(str(symbol))
    return found


def test_pieces_of_a_class_a_file_and_windows(tmp_path: Path) -> None:
    text = "X = 1\n\nclass A:\n    n = 2\n\n    def f(self):\n        return 3\n\ndef g():\n    pass\n"
    (tmp_path / "a.py").write_text(text)
    snapshot = Engine.open(tmp_path, embedder="hashing").snapshot()
    assert made_of(snapshot, "class") == {
        "X = 1\n": {"a.py:/"},
        "class A:\n    n = 2\n\n    def f(self):\n        return 3": {"a.py:A#", "a.py:A#f()."},
        "def g():\n    pass": {"a.py:g()."},
    }
    assert list(made_of(snapshot, "file").values()) == [{"a.py:/", "a.py:A#", "a.py:A#f().", "a.py:g()."}]
    assert made_of(snapshot, "lines", lines=4) == {
        "X = 1\n\nclass A:\n    n = 2": {"a.py:/", "a.py:A#"},
        "\n    def f(self):\n        return 3\n": {"a.py:A#f()."},
        "def g():\n    pass": {"a.py:g()."},
    }


def test_signatures_and_words_hold_no_code() -> None:
    snapshot = snapshot_of({"a.py": 'def total(cart):\n    """Sum up."""\n    return sum(cart)\n'})
    assert set(made_of(snapshot, "signature")) == {"def total(cart)\nSum up."}
    assert set(made_of(snapshot, "words")) == {"a a.total"}


def test_eval_takes_them_by_name() -> None:
    collection = load("shop")
    engine = Engine.open(collection.corpus, embedder="hashing")
    evaluation, _ = engine.evaluate(collection, ["vector", "texts", "texts(of='shuffled')"], standard([5]))
    assert evaluation.labels[1:] == (
        "texts(of='plain', lines=40, depth=1000)",
        "texts(of='shuffled', lines=40, depth=1000)",
    )
    assert evaluation.scores["Recall@5"][evaluation.labels[0]] == evaluation.scores["Recall@5"][evaluation.labels[1]]


def test_texts_are_made_anew_when_code_changes(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("def total(cart): pass\n")
    engine = Engine.open(tmp_path, embedder="hashing")
    strategy = engine.strategy("texts(of='words')")
    assert len(engine.rank("total", strategy).candidates) == 1
    (tmp_path / "b.py").write_text("def total_of_cart(cart): pass\n")
    assert len(engine.rank("total", strategy).candidates) == 2


def test_files_that_are_gone_have_no_pieces(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("def f(): pass\n")
    snapshot = Engine.open(tmp_path, embedder="hashing").snapshot()
    (tmp_path / "a.py").unlink()
    assert made_of(snapshot, "file") == {}
    assert set(made_of(snapshot, "function")) == {"def f(): pass"}


def test_what_cannot_be_made_is_told() -> None:
    with pytest.raises(BadParameter, match="of must be one of plain, header, structural, names, shuffled, signature"):
        plugins.build("strategy", "texts(of='paragraphs')")
