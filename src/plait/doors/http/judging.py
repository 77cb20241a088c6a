"""Collections, evaluations of strategies on them, and judgements that are made while searching."""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field

from plait import plugins
from plait.doors.http.asking import comparison_json, missing_json
from plait.doors.http.faults import Fault, bad
from plait.doors.http.marks import Marked, Marks
from plait.doors.http.parameters import Given
from plait.doors.http.served import Served
from plait.doors.render import Json, symbol_json
from plait.doors.trial import Trial
from plait.errors import EmptyQuery
from plait.evaluate import judge
from plait.evaluate.collection import Collection
from plait.questions import symbols_of

MOST_STRATEGIES = 12
DEEPEST = 100
"""The greatest depth of a measure."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A trial that several may look into, one at a time: its rankings read from one snapshot."""

    trial: Trial
    repository: str
    lock: threading.Lock = field(default_factory=threading.Lock)


def collections(service: Served, given: Given) -> Json:
    written = service.marks.names() if service.marks else []
    found = [_listed(one, service.corpora[name], False) for name, one in service.collections.items()]
    for name in written:
        if name not in service.collections and service.marks and (marked := service.marks.read(name)):
            told = f"Judged while searching {marked.repository}."
            found.append(
                {
                    **{"name": name, "description": told, "topics": len(marked.topics)},
                    **{"repository": marked.repository, "writable": True},
                }
            )
    return {"schema": "plait.collections.v1", "collections": found}


def _listed(one: Collection, repository: str, writable: bool) -> Json:
    return {
        "name": one.name,
        "description": one.description,
        "topics": len(one.topics),
        "repository": repository,
        "writable": writable,
    }


def _collection(service: Served, name: str) -> tuple[Collection, str]:
    """Return a collection and the name of the repository that it is about. Raises Fault."""
    if name in service.collections:
        return service.collections[name], service.corpora[name]
    if service.marks and (marked := service.marks.read(name)):
        if found := service.marks.collection(name):
            return found, marked.repository
        raise Fault(404, "unknown_collection", f"nothing is judged in {name} yet")
    known = [*service.collections, *(service.marks.names() if service.marks else ())]
    there = f"there are: {', '.join(known)}" if known else "there are none; `plait serve --collection` serves some"
    raise Fault(404, "unknown_collection", f"no collection is called {name!r}; {there}")


def evaluation(service: Served, given: Given) -> Json:
    collection, _ = _collection(service, given["collection"])
    depths = _depths(given["at"])
    judged = _tried(service, given, given["strategy"] or plugins.names("strategy"), depths)
    with judged.lock:
        trial = judged.trial
        return {
            **judge.to_json(trial.evaluation),
            **trial.setting,
            "repository": judged.repository,
            "short": dict(trial.short),
            "topic_texts": {topic.id: topic.text for topic in collection.topics},
        }


def topic(service: Served, given: Given) -> Json:
    collection, _ = _collection(service, given["collection"])
    found = next((one for one in collection.topics if one.id == given["id"]), None)
    if found is None:
        raise Fault(404, "not_found", f"{collection.name} has no topic {given['id'][:80]!r}")
    judged = _tried(service, given, [given["a"], given["b"]], [given["k"]])
    with judged.lock:
        trial, k = judged.trial, given["k"]
        labels = trial.evaluation.labels
        one = trial.explain(found, labels[0], labels[-1], k=k)
        snapshot = trial.engine.snapshot()
        symbols = symbols_of(snapshot, one.relevant)
        return comparison_json(one, snapshot, judged.repository) | {
            "topic": {"id": found.id, "text": found.text},
            "relevant": [symbol_json(symbols[each]) for each in one.relevant],
            "missing_a": missing_json(one.missing_a, one.ranking_a, k, snapshot),
            "missing_b": missing_json(one.missing_b, one.ranking_b, k, snapshot),
        }


def _tried(service: Served, given: Given, strategies: Sequence[str], depths: Sequence[int]) -> Judged:
    """Run strategies on a collection, or return what was kept of that."""
    collection, name = _collection(service, given["collection"])
    if len(strategies) > MOST_STRATEGIES:
        raise bad(f"{len(strategies)} strategies at once; {MOST_STRATEGIES} are taken")

    def run() -> Judged:
        return Judged(Trial.run(service.alone(name), collection, strategies, depths), name)

    with service.reading(name) as engine:
        described = [str(engine.strategy(one)) for one in strategies]
        key = repr((collection, described, depths))
        found: Judged = service.remembered(name, key, engine, run)
    return found


def _depths(text: str) -> list[int]:
    if not re.fullmatch(r"[0-9]{1,3}(,[0-9]{1,3}){0,9}", text):
        raise bad(f"at must be depths with commas, for example 3,5, not {text[:40]!r}")
    found = [int(one) for one in text.split(",")]
    if min(found) < 1 or max(found) > DEEPEST:
        raise bad(f"at must have depths from 1 to {DEEPEST}")
    return found


def judgements(service: Served, given: Given) -> Json:
    """Return what people have judged: the collections, or one of them."""
    name = given["collection"]
    if service.marks is None:
        if name:
            raise _read_only()
        return {"schema": "plait.judgements.v1", "writable": False, "collections": []}
    if not name:
        return {"schema": "plait.judgements.v1", "writable": True, "collections": service.marks.names()}
    return _marked_json(service.marks, service.marks.read(name) or Marked(name, "", (), {}))


def mark(service: Served, body: Json) -> Json:
    """Judge a symbol. Raises Fault."""
    if service.marks is None:
        raise _read_only()
    repository = service.named(body["repository"])
    if repository not in service.repositories:
        raise bad(f"{repository} is the corpus of a collection; judge in a repository that is served")
    if not body["query"].strip():
        raise Fault(400, "empty_query", str(EmptyQuery()))
    with service.reading(repository) as engine:
        symbol = engine.find(body["symbol"])
    found = service.marks.mark(body["collection"], repository, body["query"], symbol.id, body["relevance"])
    return _marked_json(service.marks, found)


def _marked_json(marks: Marks, one: Marked) -> Json:
    return {
        "schema": "plait.judgements.v1",
        "writable": True,
        "collections": marks.names(),
        "collection": one.collection,
        "repository": one.repository,
        "topics": [
            {
                "id": topic.id,
                "text": topic.text,
                "judged": [
                    {"symbol": symbol, "relevance": relevance} for symbol, relevance in one.judged[topic.id].items()
                ],
            }
            for topic in one.topics
        ],
    }


def _read_only() -> Fault:
    told = "nothing is written here; start the server with a folder for collections: plait serve --write FOLDER"
    return Fault(403, "read_only", told)
