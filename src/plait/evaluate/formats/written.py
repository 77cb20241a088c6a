"""Questions that a person writes, in YAML:

    - query: where is the delay between two tries computed
      relevant: [Client.retry_delay, net/backoff.py:30]
    - query: refuse a redirect to another host
      id: redirect                # else written-1, written-2, ...
      category: security          # else written
      relevant: {Session.rebuild_auth: 2, Session.should_strip_auth: 1}

What is relevant is named as for `plait callers`, and graded if it is a mapping.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from plait.errors import BadCollection, MissingExtra
from plait.evaluate.collection import Qrel, Topic


def read(path: Path) -> tuple[tuple[Topic, ...], tuple[Qrel, ...]]:
    """Return the questions of a file with what is relevant for them. Raises BadCollection, MissingExtra."""
    topics: list[Topic] = []
    qrels: list[Qrel] = []
    for number, entry in enumerate(_entries(path), start=1):
        where = f"{path}: question {number}"
        query = entry.get("query") if isinstance(entry, dict) else None
        if not isinstance(entry, dict) or not isinstance(query, str) or not query.strip():
            raise BadCollection(where, "has no text under the key 'query'")
        name = str(entry.get("id") or f"written-{number}")
        if len(name.split()) != 1 or any(topic.id == name for topic in topics):
            raise BadCollection(where, f"an id is one word that no other question has, not {name!r}")
        topics.append(Topic(name, " ".join(query.split()), " ".join(str(entry.get("category") or "written").split())))
        qrels += [Qrel(name, symbol, relevance, where) for symbol, relevance in _relevant(entry.get("relevant"), where)]
    if not topics:
        raise BadCollection(str(path), "holds no question; give a list of entries with 'query' and 'relevant'")
    return tuple(topics), tuple(qrels)


def _entries(path: Path) -> list[Any]:
    try:
        import yaml
    except ImportError as error:
        raise MissingExtra("reading questions in YAML", "pyyaml", "queries") from error
    try:
        found = yaml.safe_load(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise BadCollection(str(path), f"cannot be read as YAML ({' '.join(str(error).split())})") from error
    return found if isinstance(found, list) else []


def _relevant(given: object, where: str) -> list[tuple[str, int]]:
    graded: dict[Any, Any] = given if isinstance(given, dict) else {}
    if isinstance(given, list) and all(isinstance(one, str) for one in given):
        graded = dict.fromkeys(given, 1)
    found = [(symbol, grade) for symbol, grade in graded.items() if isinstance(symbol, str) and type(grade) is int]
    if not found or len(found) < len(graded):
        raise BadCollection(where, "'relevant' must be a list of symbols, or symbols with whole numbers")
    return found
