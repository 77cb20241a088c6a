"""Other tools' files: TREC runs and qrels, BEIR folders, semble's annotations."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from plait.errors import BadCollection, UnknownSymbol
from plait.evaluate.collection import Qrel, Topic, load
from plait.evaluate.formats import beir, semble, trec
from plait.model import SymbolId

A, B = SymbolId("a.py:f()."), SymbolId("a.py:g().")


def find(name: str) -> SymbolId:
    known = {"a.f": A, A: A, "a.g": B, B: B}
    if name not in known:
        raise UnknownSymbol(name, [])
    return known[name]


def test_the_score_orders_a_run_and_ties_stand_by_id(tmp_path: Path) -> None:
    run = tmp_path / "x.run"
    run.write_text("q1 Q0 a.f 1 0.5 x\nq1 Q0 a.g 2 0.75 x\nq2 Q0 a.g 1 1 x\nq2 Q0 a.f 2 1 x\n")
    found, unknown = trec.rankings(trec.read_run(run), find)
    assert {topic: [one.symbol for one in ranking.candidates] for topic, ranking in found.items()} == {
        "q1": [B, A],
        "q2": [A, B],
    }
    assert unknown == 0


def test_what_is_no_symbol_keeps_its_place(tmp_path: Path) -> None:
    run = tmp_path / "x.run"
    run.write_text(f"q1 Q0 else.py 1 3 x\nq1 Q0 a.f 2 2 x\nq1 Q0 {A} 3 1 x\nq1 Q0 a.g 4 0 x\n")
    found, unknown = trec.rankings(trec.read_run(run), find)
    assert [one.symbol for one in found["q1"].candidates] == ["else.py", A, B], "a symbol stands once"
    assert unknown == 1


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("q1 Q0 a 1 0.5", r"x\.run:1: a run has 6 columns .*, this one 5"),
        ("q1 Q0 a 1 best x", r"x\.run:1: a score must be a number, not 'best'"),
        ("q1 Q0 a 1 nan x", r"x\.run:1: a score must be a number, not 'nan'"),
        ("q1 Q0 a 1 2 x\nq1 Q0 a 2 1 x", r"x\.run:2: a stands twice in the ranking of q1"),
        ("\n", "holds no result"),
    ],
)
def test_a_bad_run_is_named(tmp_path: Path, text: str, problem: str) -> None:
    (tmp_path / "x.run").write_text(text)
    with pytest.raises(BadCollection, match=problem):
        trec.read_run(tmp_path / "x.run")


def test_a_run_is_read_back(tmp_path: Path) -> None:
    (tmp_path / "x.run").write_text("q1 Q0 a.g 1 7 x\nq1 Q0 a.f 2 7 x\nq2 Q0 a.g 1 -3 x\n")
    found, _ = trec.rankings(trec.read_run(tmp_path / "x.run"), find)
    (tmp_path / "y.run").write_text("".join(trec.run_lines(found, "a tag of words")))
    assert (tmp_path / "y.run").read_text().splitlines()[0] == f"q1 Q0 {A} 1 2 a-tag-of-words"
    again, _ = trec.rankings(trec.read_run(tmp_path / "y.run"), find)
    order = {topic: [one.symbol for one in ranking.candidates] for topic, ranking in found.items()}
    assert order == {topic: [one.symbol for one in ranking.candidates] for topic, ranking in again.items()}


def test_qrels_are_read_back(tmp_path: Path) -> None:
    judged = {"q1": {A: 2, B: 0}, "q2": {B: 1}}
    (tmp_path / "q.txt").write_text("".join(trec.qrel_lines(judged)))
    (tmp_path / "t.tsv").write_text("q1\tone\nq2\ttwo\n")
    (tmp_path / "c").mkdir()
    keys = {"name": "x", "description": "y", "corpus": "c", "topics": "t.tsv", "qrels": "q.txt", "language": "python"}
    (tmp_path / "collection.toml").write_text("".join(f'{key} = "{value}"\n' for key, value in keys.items()))
    read = load(tmp_path).qrels
    assert [(one.topic, one.symbol, one.relevance) for one in read] == [("q1", A, 2), ("q1", B, 0), ("q2", B, 1)]


def beir_folder(folder: Path, corpus: str, queries: str, qrels: str) -> Path:
    (folder / "qrels").mkdir(parents=True)
    (folder / "corpus.jsonl").write_text(corpus)
    (folder / "queries.jsonl").write_text(queries)
    (folder / "qrels" / "test.tsv").write_text(qrels)
    return folder


QUERIES = '{"_id": "q1", "text": "first\\n one"}\n{"_id": "q2", "text": "second", "metadata": {"category": "hard"}}\n'
HEAD = "query-id\tcorpus-id\tscore\n"


def test_reading_beir(tmp_path: Path) -> None:
    corpus = '{"_id": "a/b.py", "title": "T", "text": "body"}\n{"_id": "ü", "text": "other"}\n'
    folder = beir_folder(tmp_path / "beir", corpus, QUERIES, HEAD + "q1\ta/b.py\t2\nq2\tü\t1\nq9\tü\t1\n")
    assert beir.is_beir(folder)
    assert beir.documents(folder) == {"a%2fb%2epy.txt": "T\nbody\n", "%fc.txt": "other\n"}
    collection = beir.read(folder, tmp_path)
    assert collection.topics == (Topic("q1", "first one"), Topic("q2", "second", "hard"))
    assert collection.by_file
    assert [(one.topic, one.symbol, one.relevance) for one in collection.qrels] == [
        ("q1", "a%252fb%252epy.txt:/", 2),
        ("q2", "%25fc.txt:/", 1),
    ]


@pytest.mark.parametrize(
    ("queries", "qrels", "problem"),
    [
        ("{", HEAD, r"queries\.jsonl:1: cannot be read as JSON"),
        ('{"text": "x"}', HEAD, r"queries\.jsonl:1: a line is an object with an '_id'"),
        (QUERIES, HEAD + "q1 a 1", r"test\.tsv:2: a line is a query's id, a document's id and a whole number"),
        (QUERIES, HEAD + "q1\ta\t0.5", r"test\.tsv:2: a line is a query's id"),
        (QUERIES, HEAD, "no query of queries.jsonl is judged in qrels/test.tsv"),
    ],
)
def test_a_bad_beir_folder_is_named(tmp_path: Path, queries: str, qrels: str, problem: str) -> None:
    with pytest.raises(BadCollection, match=problem):
        beir.read(beir_folder(tmp_path / "beir", "", queries, qrels), tmp_path)


def test_reading_semble(tmp_path: Path) -> None:
    asked = [
        {"query": "how are\nroutes kept", "relevant": ["src/a.py"], "secondary": ["b.py"], "category": "architecture"},
        {"query": "sessions", "relevant": [{"path": "a b.py", "start_line": 3, "end_line": 9}], "secondary": []},
    ]
    (tmp_path / "x.json").write_text(json.dumps(asked))
    collection = semble.read(tmp_path / "x.json", tmp_path)
    assert collection.topics == (Topic("q1", "how are routes kept", "architecture"), Topic("q2", "sessions"))
    assert collection.by_file
    where = f"{tmp_path / 'x.json'}: question "
    assert collection.qrels == (
        Qrel("q1", "src/a.py:/", 1, f"{where}1"),
        Qrel("q1", "b.py:/", 1, f"{where}1"),
        Qrel("q2", "a%20b.py:/", 1, f"{where}2"),
    )


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[", "cannot be read as JSON"),
        ("{}", "holds no question"),
        ("[1]", "question 1: has no text under the key 'query'"),
        ('[{"query": "x"}]', "question 1: names no file under the key 'relevant'"),
        ('[{"query": "x", "relevant": [1]}]', "question 1: names no file under the key 'relevant'"),
        ('[{"query": "x", "relevant": "a.py"}]', "question 1: names no file under the key 'relevant'"),
    ],
)
def test_bad_annotations_are_named(tmp_path: Path, text: str, problem: str) -> None:
    (tmp_path / "x.json").write_text(text)
    with pytest.raises(BadCollection, match=problem):
        semble.read(tmp_path / "x.json", tmp_path)
