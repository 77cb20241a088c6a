from __future__ import annotations

import re
from pathlib import Path

import pytest

from plait.errors import BadCollection, UnknownSymbol
from plait.evaluate.collection import built_in, load, resolve
from plait.model import SymbolId, SymbolKind

TOML = 'name="x"\ndescription="y"\ncorpus="c"\ntopics="t.tsv"\nqrels="q.txt"\nlanguage="python"\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "c").mkdir()
    (tmp_path / "collection.toml").write_text(TOML)
    (tmp_path / "t.tsv").write_text("# id and text\n\nq1\tfirst question\nq2\tsecond\n")
    (tmp_path / "q.txt").write_text("q1 0 a.f 1\nq1 0 a.g 0\nq2 0 a.f 2\n")
    return tmp_path


def test_loading(folder: Path) -> None:
    collection = load(folder)
    assert collection == load(folder / "collection.toml")
    assert [topic.text for topic in collection.topics] == ["first question", "second"]
    assert [qrel.relevance for qrel in collection.qrels] == [1, 0, 2]
    assert collection.corpus == folder / "c"
    assert collection.topic("Q2").text == "second"


def test_kinds_of_documents(folder: Path) -> None:
    (folder / "collection.toml").write_text(TOML + 'kinds = ["class"]')
    assert load(folder).where.kinds == {SymbolKind.CLASS}
    (folder / "collection.toml").write_text(TOML + 'kinds = ["clas"]')
    with pytest.raises(BadCollection, match="kinds must be a list of some of module, class, function, method"):
        load(folder)


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("t.tsv", "q1 no tab", r"t\.tsv:1: a topic is an id, a tab and a text, and perhaps a tab and a category"),
        ("t.tsv", "q1\tx\ty\tz", r"t\.tsv:1: a topic is an id, a tab and a text, and perhaps a tab and a category"),
        ("t.tsv", "# ids\n\n\tx", r"t\.tsv:3: a topic is an id, a tab and a text, and perhaps a tab and a category"),
        ("t.tsv", "q 1\tx", r"t\.tsv:1: a topic's id is one word, as qrels have it, not 'q 1'"),
        ("t.tsv", "q1\tx\nq1\ty", r"t\.tsv:2: topic q1 stands here twice"),
        ("t.tsv", "\n", r"t\.tsv: holds no topic"),
        ("q.txt", "q1 0 a.f", r"q\.txt:1: a qrel has 4 columns .*, this one 3"),
        ("q.txt", "q9 0 a.f 1", r"q\.txt:1: no topic is called q9"),
        ("q.txt", "q1 0 a.f yes", r"q\.txt:1: relevance must be a whole number, not 'yes'"),
        ("q.txt", "q1 0 a.f --1", r"q\.txt:1: relevance must be a whole number, not '--1'"),
        ("q.txt", f"q1 0 a.f {'9' * 5000}", r"q\.txt:1: relevance must be a whole number"),
        ("q.txt", "q1 0 a.f 0.5", r"q\.txt:1: relevance must be a whole number, not '0\.5'"),
        ("q.txt", "# none", r"q\.txt: holds no qrel"),
        ("collection.toml", "name=", "cannot be read as TOML"),
        ("collection.toml", 'name="x"', "the key 'description' is missing or not text"),
        ("collection.toml", TOML.replace('"c"', '"nowhere"'), "the corpus folder .*nowhere does not exist"),
    ],
)
def test_a_broken_collection_names_file_and_line(folder: Path, file: str, text: str, message: str) -> None:
    (folder / file).write_text(text)
    with pytest.raises(BadCollection, match=message):
        load(folder)


def test_a_missing_file_is_named(folder: Path) -> None:
    (folder / "q.txt").unlink()
    with pytest.raises(BadCollection, match=r"q\.txt: cannot be read"):
        load(folder)
    with pytest.raises(BadCollection, match=r"no-such: no collection; .*: shop"):
        load("no-such")


def test_resolving_symbols(folder: Path) -> None:
    def find(name: str) -> SymbolId:
        if name == "a.g":
            raise UnknownSymbol(name, ["a.f"])
        return SymbolId(name)

    with pytest.raises(BadCollection, match=re.escape("q.txt:2: no symbol is called 'a.g'; did you mean a.f?")):
        resolve(load(folder), find)
    (folder / "q.txt").write_text("q2 0 a.f 1\n")
    assert resolve(load(folder), find) == {"q2": {"a.f": 1}}, "a topic without qrels is not judged"
    (folder / "q.txt").write_text("q2 0 a.f 1\nq2 0 a.f 1\n")
    with pytest.raises(BadCollection, match=r"q\.txt:2: a\.f is judged twice for q2"):
        resolve(load(folder), find)


def test_every_collection_of_ours_loads() -> None:
    assert built_in() == ["shop"]
    shop = load("shop")
    assert len(shop.topics) == 12
    assert {qrel.topic for qrel in shop.qrels} == {topic.id for topic in shop.topics}


def test_windows_line_ends_and_a_byte_order_mark_change_nothing(folder: Path) -> None:
    before = load(folder)
    for name in ("t.tsv", "q.txt"):
        text = (folder / name).read_text()
        (folder / name).write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    assert load(folder) == before


def test_an_absolute_corpus(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    elsewhere = tmp_path_factory.mktemp("corpus")
    (folder / "collection.toml").write_text(TOML.replace('"c"', f"'{elsewhere}'"))
    assert load(folder).corpus == elsewhere


def test_a_topic_by_its_exact_id_first(folder: Path) -> None:
    (folder / "t.tsv").write_text("q1\tsmall\nQ1\tbig\n")
    (folder / "q.txt").write_text("Q1 0 a.f 1\n")
    collection = load(folder)
    assert [collection.topic(wanted).text for wanted in ("q1", "Q1")] == ["small", "big"]
    with pytest.raises(BadCollection, match="x: no topic 'q7'; there are: q1, Q1"):
        collection.topic("q7")
