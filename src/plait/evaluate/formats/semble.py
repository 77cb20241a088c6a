"""semble's annotation files: a JSON list of questions with the files that belong to them.

    [{"query": "...", "relevant": ["a.py"], "secondary": ["b.py"], "category": "semantic"}]

What is relevant and what is secondary counts alike, as semble's own scores have it. It is judged by file here: a file
stands where the first of its symbols stands. semble counts the places of chunks instead, so its figures differ; lines,
which a few annotations narrow a file down to, are not looked at.
"""

from __future__ import annotations

import json
from pathlib import Path

from plait.errors import BadCollection
from plait.evaluate.collection import Collection, Qrel, Topic
from plait.evaluate.files import file_id


def read(path: Path, corpus: Path) -> Collection:
    """Read an annotation file about the code in a folder. Raises BadCollection."""
    try:
        entries = json.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError) as error:
        raise BadCollection(str(path), f"cannot be read as JSON ({error})") from error
    topics: list[Topic] = []
    qrels: list[Qrel] = []
    for number, entry in enumerate(entries if isinstance(entries, list) else [], start=1):
        where = f"{path}: question {number}"
        if not isinstance(entry, dict) or not isinstance(entry.get("query"), str) or not entry["query"].strip():
            raise BadCollection(where, "has no text under the key 'query'")
        topics.append(Topic(f"q{number}", " ".join(entry["query"].split()), str(entry.get("category") or "")))
        lists = [entry.get(key) or [] for key in ("relevant", "secondary")]
        named = [one for several in lists if isinstance(several, list) for one in several]
        paths = [one.get("path") if isinstance(one, dict) else one for one in named]
        if not paths or not all(isinstance(one, str) for one in paths):
            raise BadCollection(where, "names no file under the key 'relevant'")
        qrels += [Qrel(f"q{number}", str(file_id(str(one))), 1, where) for one in dict.fromkeys(paths)]
    if not topics:
        raise BadCollection(str(path), "holds no question; give a list of objects with 'query' and 'relevant'")
    about = f"semble's questions about {path.stem}"
    return Collection(path.stem, about, corpus, "", tuple(topics), tuple(qrels), by_file=True)
