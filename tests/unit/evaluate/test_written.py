from __future__ import annotations

from pathlib import Path

import pytest

from plait.errors import BadCollection
from plait.evaluate.collection import Topic
from plait.evaluate.formats import written

QUESTIONS = """
- query: where is the delay
    between two tries computed
  relevant: [Client.delay, net/backoff.py:30]
- query: refuse a redirect to another host
  id: redirect
  category: security
  relevant: {Session.rebuild: 2, Session.strip: 0}
"""


def test_questions_of_a_person(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text(QUESTIONS)
    topics, qrels = written.read(tmp_path / "mine.yaml")
    assert topics == (
        Topic("written-1", "where is the delay between two tries computed", "written"),
        Topic("redirect", "refuse a redirect to another host", "security"),
    )
    assert [(one.topic, one.symbol, one.relevance) for one in qrels] == [
        ("written-1", "Client.delay", 1),
        ("written-1", "net/backoff.py:30", 1),
        ("redirect", "Session.rebuild", 2),
        ("redirect", "Session.strip", 0),
    ]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "holds no question"),
        ("query: x", "holds no question"),
        ("- relevant: [f]", "question 1: has no text under the key 'query'"),
        ("- x", "question 1: has no text under the key 'query'"),
        ("- {query: x}", "'relevant' must be a list of symbols, or symbols with whole numbers"),
        ("- {query: x, relevant: f}", "'relevant' must be a list"),
        ("- {query: x, relevant: []}", "'relevant' must be a list"),
        ("- {query: x, relevant: {f: yes}}", "'relevant' must be a list"),
        ("- {query: x, relevant: [1]}", "'relevant' must be a list"),
        ("- {query: x, relevant: [f], id: a b}", "an id is one word"),
        ("- {query: x, relevant: [f], id: a}\n- {query: y, relevant: [f], id: a}", "no other question has, not 'a'"),
        ("- {query: [", "cannot be read as YAML"),
        ("- !!python/object/apply:os.system [ls]", "cannot be read as YAML"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, text: str, problem: str) -> None:
    (tmp_path / "mine.yaml").write_text(text)
    with pytest.raises(BadCollection, match=problem):
        written.read(tmp_path / "mine.yaml")
