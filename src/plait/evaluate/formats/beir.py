"""BEIR's folders: `corpus.jsonl`, `queries.jsonl` and `qrels/test.tsv`.

A BEIR document is a text with an id. Written are the symbols of a corpus, with their ids and texts. To be read, each
document becomes a file of a corpus (`documents`), and the collection is judged by file.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from plait.errors import BadCollection
from plait.evaluate.collection import Collection, Judgements, Qrel, Topic, lines
from plait.evaluate.files import file_id
from plait.model import Symbol, SymbolId

CORPUS, QUERIES, QRELS = "corpus.jsonl", "queries.jsonl", "qrels/test.tsv"
_HEAD = "query-id\tcorpus-id\tscore\n"


def is_beir(folder: Path) -> bool:
    return all((folder / name).is_file() for name in (CORPUS, QUERIES, QRELS))


def write(
    folder: Path,
    topics: Iterable[Topic],
    judgements: Judgements,
    symbols: Iterable[Symbol],
    texts: Mapping[SymbolId, str],
) -> None:
    """Write a folder that any tool which reads BEIR can search and judge."""
    (folder / "qrels").mkdir(parents=True, exist_ok=True)
    documents = ({"_id": one.id, "title": one.qualified_name, "text": texts.get(one.id, "")} for one in symbols)
    _write(folder / CORPUS, documents)
    asked = ({"_id": one.id, "text": one.text, "metadata": {"category": one.category}} for one in topics)
    _write(folder / QUERIES, asked)
    rows = (f"{topic}\t{one}\t{grade}\n" for topic, judged in judgements.items() for one, grade in judged.items())
    (folder / QRELS).write_text(_HEAD + "".join(rows), encoding="utf-8")


def _write(path: Path, values: Iterable[dict[str, Any]]) -> None:
    path.write_text("".join(f"{json.dumps(value, ensure_ascii=False)}\n" for value in values), encoding="utf-8")


def documents(folder: Path) -> dict[str, str]:
    """Return the documents as files: path -> title and text. Raises BadCollection."""
    return {
        path_of(document): f"{entry.get('title') or ''}\n{entry.get('text') or ''}".strip() + "\n"
        for document, entry in _entries(folder / CORPUS)
    }


def path_of(document: str) -> str:
    """Where a document lies: its id, with all that a name of a file should not hold spelt out, as text."""
    return "".join(c if c.isascii() and (c.isalnum() or c in "-_") else f"%{ord(c):x}" for c in document) + ".txt"


def document(name: str) -> SymbolId:
    """The id that stands for a document, by its own id."""
    return file_id(path_of(name))


def read(folder: Path, corpus: Path) -> Collection:
    """Read topics and qrels; `corpus` holds the files of `documents`. Raises BadCollection."""
    topics = tuple(_topic(name, entry) for name, entry in _entries(folder / QUERIES))
    asked = {topic.id for topic in topics}
    qrels: list[Qrel] = []
    for where, line in lines(folder / QRELS):
        columns = line.split("\t")
        if line == _HEAD.strip():
            continue
        if len(columns) != 3 or not columns[2].strip().lstrip("-").isdecimal():
            raise BadCollection(where, "a line is a query's id, a document's id and a whole number, with tabs between")
        if columns[0] in asked:
            qrels.append(Qrel(columns[0], str(document(columns[1])), int(columns[2]), where))
    judged = {qrel.topic for qrel in qrels}
    kept = tuple(topic for topic in topics if topic.id in judged and topic.text)
    if not kept:
        raise BadCollection(str(folder), "no query of queries.jsonl is judged in qrels/test.tsv")
    return Collection(folder.name, f"the BEIR folder {folder.name}", corpus, "", kept, tuple(qrels), by_file=True)


def _topic(name: str, entry: Mapping[str, Any]) -> Topic:
    about = entry.get("metadata")
    category = str(about.get("category") or "") if isinstance(about, dict) else ""
    return Topic(name, " ".join(str(entry.get("text") or "").split()), " ".join(category.split()))


def _entries(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    for where, line in lines(path):
        try:
            entry = json.loads(line)
        except ValueError as error:
            raise BadCollection(where, f"cannot be read as JSON ({error})") from error
        if not isinstance(entry, dict) or "_id" not in entry:
            raise BadCollection(where, "a line is an object with an '_id'")
        yield str(entry["_id"]), entry
