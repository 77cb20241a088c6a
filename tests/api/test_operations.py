"""What the operations answer. Shapes are checked against the description in test_openapi.py."""

from __future__ import annotations

import json
import threading
import time
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest
from asking import FILES, names, written
from http_server import Client, serving

from plait.doors.http.app import Limits


def test_what_is_served(served: Client) -> None:
    found = served.get("repositories").json
    told = [(one["name"], one["role"], one["ready"], one["files"], one["symbols"]) for one in found["repositories"]]
    assert told == [
        ("app", "repository", True, 4, 18),
        ("other", "repository", True, 2, 9),
        ("corpus:shop", "corpus", True, 8, 41),
    ]
    assert (found["schema"], found["writable"], found["strategy"]) == ("plait.repositories.v1", True, "additive")
    assert found["repositories"][0]["languages"] == ["python"]


def test_search_names_the_repository_of_each_hit(served: Client) -> None:
    found = served.get("search", q="parse", k=3).json
    assert [(hit["rank"], hit["repository"], hit["symbol"]) for hit in found["hits"]] == [
        (1, "app", "app.web.parse"),
        (2, "other", "b.parse_more"),
        (3, found["hits"][2]["repository"], found["hits"][2]["symbol"]),
    ]
    assert [one["name"] for one in found["repositories"]] == ["app", "other"]
    assert found["total"] == sum(one["total"] for one in found["repositories"])
    for hit in found["hits"]:
        assert hit["score"] == pytest.approx(sum(reason["value"] for reason in hit["reasons"]))
    alone = served.get("search", q="parse", repo="other").json
    assert {hit["repository"] for hit in alone["hits"]} == {"other"}
    assert alone["state"] == served.service.board["other"].state


def test_neighbours_are_told_when_asked_for(served: Client) -> None:
    given = {"q": "parse", "repo": "app", "k": 1}
    assert served.get("search", **given).json["related"] == []
    found = served.get("search", **given, related="true").json["related"]
    assert [(one["repository"], one["symbol"]) for one in found] == [("app", "app.web.handle")]
    assert found[0]["text"] == "app.web.handle (calls 1, app/web.py:5)"


def test_search_narrows(served: Client) -> None:
    def found(**more: Any) -> list[str]:
        reply = served.get("search", q="handle", repo="app", strategy="lexical", **more)
        return [hit["symbol"] for hit in reply.json["hits"]]

    assert found() == ["tests.test_web.test_handle", "app.web.handle", "tests.test_web"]
    assert found(tests="true") == ["tests.test_web.test_handle", "tests.test_web"]
    assert found(kind="function", tests="false") == ["app.web.handle"]
    assert found(kind=["module", "class"]) == ["tests.test_web"]
    assert found(path="app/*") == ["app.web.handle"]
    assert found(language="go") == []


def test_one_question_under_two_strategies(served: Client) -> None:
    found = served.get("explain", q="handle request", a="lexical", b="naive(seeds=1)", k=2, repo="app").json
    assert (found["a"]["strategy"].partition("(")[0], found["b"]["strategy"].partition("(")[0]) == ("lexical", "naive")
    moved = {one["symbol"]["symbol"]: (one["a"], one["b"]) for one in found["movements"]}
    assert moved["app.web.handle"][0] == 1
    assert [one["id"] for one in found["movements"] if one["a"] is None or one["a"] > 2] == found["entered"]
    assert all(step["edge"]["kind"] == "calls" for step in found["b"]["steps"])


@pytest.mark.parametrize(
    ("symbol", "more", "answer"),
    [
        ("web.handle", {}, "shown"),
        ("web.handle", {"kind": "class"}, "filtered"),
        ("web.handle", {"strategy": "lexical", "k": 1, "tests": "true"}, "filtered"),
        ("web.handle", {"strategy": "lexical", "k": 1}, "outranked"),
        ("lonely", {"strategy": "lexical"}, "never a candidate"),
        ("other.write", {"strategy": "naive(seeds=1, hops=1, k=1)"}, "never a candidate"),
    ],
)
def test_why_something_is_not_there(served: Client, symbol: str, more: dict[str, Any], answer: str) -> None:
    found = served.get("why-not", q="handle", symbol=symbol, repo="app", **more).json
    assert found["answer"] == answer
    assert found["text"].startswith(answer)
    assert bool(found["above"]) == (answer == "outranked")


def test_completion(served: Client) -> None:
    def found(prefix: str, **more: Any) -> list[str]:
        return names(served.get("symbols", prefix=prefix, repo="app", **more).json["symbols"])

    assert found("WRI") == ["app.other.write", "app.store.write"]
    assert found("store.sa")[0] == "app.store.Store.save"
    assert found("app.store.d") == ["app.store.DiskStore", "app.store.DiskStore.save"]
    assert found("andl") == ["app.web.handle", "tests.test_web.test_handle"]
    assert found("", path="app/other.py") == ["app.other", "app.other.lonely", "app.other.write"]
    assert served.get("symbols", prefix="", repo="app", limit=1).json["total"] == 18


def test_a_symbol_with_its_text(served: Client) -> None:
    found = served.get("symbol", symbol="DiskStore", repo="app").json
    assert names(found["contains"]) == ["app.store.DiskStore.save"]
    assert (found["parent"]["symbol"], found["callers_total"], found["language"]) == ("app.store", 1, "python")
    assert found["text"].startswith("class DiskStore(Store):")
    save = served.get("symbol", symbol="app/store.py:5", repo="app").json
    assert (save["symbol"]["symbol"], save["signature"]) == ("app.store.Store.save", "def save(self, row)")


def test_the_text_of_a_file(served: Client) -> None:
    found = served.get("file", path="app/other.py", repo="app", start_line=5, end_line=99).json
    assert (found["text"], found["start_line"], found["end_line"], found["lines"]) == (
        *("def lonely():\n    return 1", 5, 6, 6),
    )
    assert found["changed"] is False
    assert served.get("file", path="app/other.py", repo="app", start_line=50).json["text"] == ""


def test_the_graph_around_a_symbol(served: Client) -> None:
    def hops(**more: Any) -> dict[str, int]:
        found = served.get("graph", symbol="handle", repo="app", **more).json
        return {node["symbol"]: node["hop"] for node in found["nodes"]}

    near = {"app.web.handle": 0, "app.store.Store.save": 1, "app.web.parse": 1, "tests.test_web.test_handle": -1}
    assert hops() | {"app.store.DiskStore.save": 1} == near | {"app.store.DiskStore.save": 1}
    assert hops(direction="in") == {"app.web.handle": 0, "tests.test_web.test_handle": -1}
    assert hops(direction="in", tests="false") == {"app.web.handle": 0}
    assert hops(min_evidence="exact") == {"app.web.handle": 0}
    assert len(hops(limit=2)) == 2
    found = served.get("graph", symbol="handle", repo="app").json
    assert found["total"] == len(found["nodes"])
    assert found["complete"] is True
    shown = {node["id"] for node in found["nodes"]}
    assert all({edge["source"], edge["target"]} <= shown for edge in found["edges"])
    parse = next(node for node in found["nodes"] if node["symbol"] == "app.web.parse")
    assert (parse["callers"], parse["callees"], parse["unresolved"]) == (2, 1, 1)


def test_a_node_is_opened(served: Client) -> None:
    opened = served.get("graph", symbol="test_handle", repo="app", expand="app/web.py:handle().").json
    assert {node["symbol"]: node["hop"] for node in opened["nodes"]}["app.web.parse"] == 2


def test_hubs_are_shown_and_not_walked_through(tmp_path: Path) -> None:
    callers = "".join(f"def caller{n}():\n    hub()\n\n\n" for n in range(6))
    root = written(tmp_path / "hubs", {"a.py": f"def hub():\n    below()\n\n\ndef below():\n    pass\n\n\n{callers}"})
    with serving({"hubs": root}) as client:
        found = client.get("graph", symbol="caller0", depth=3).json
        told = {node["symbol"]: (node["hop"], node["is_folded"]) for node in found["nodes"]}
        assert told == {"a.caller0": (0, False), "a.hub": (1, True)}
        opened = client.get("graph", symbol="caller0", expand="a.py:hub().").json
        assert len(opened["nodes"]) == 8
        assert {node["symbol"]: node["hop"] for node in opened["nodes"]}["a.below"] == 2


def test_what_the_command_line_answers_as_well(served: Client) -> None:
    assert names(served.get("callers", symbol="app.web.parse", repo="app").json["callers"]) == [
        *("app.web.handle", "app.web.parse"),
    ]
    assert served.get("callees", symbol="handle", repo="app", min_evidence="typed").json["total"] == 1
    assert served.get("path", source="test_handle", target="app.web.parse", repo="app").json["answer"] == "known"
    found = served.get("impact", symbol="app/store.py", repo="app").json
    assert names(found["tests"]) == ["tests.test_web.test_handle"]
    assert served.get("flows", repo="app").json["flows"][0]["entry"]["symbol"] == "tests.test_web.test_handle"
    assert served.get("hubs", repo="app", k=1).json["total"] > 1
    sites = served.get("unresolved", repo="app", reason="receiver").json
    assert {site["reason"] for site in sites["unresolved"]} == {"unknown receiver"}
    assert served.get("status", repo="app", skipped="true").json["fresh"] is True


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("search", 400, "bad_request"),
        ("search?q=", 400, "empty_query"),
        ("search?q=lang%3Ago", 400, "empty_query"),
        ("search?q=x&k=0", 400, "bad_request"),
        ("search?q=x&k=201", 400, "bad_request"),
        ("search?q=x&k=1&k=2", 400, "bad_request"),
        ("search?q=x&k=%D9%A1", 400, "bad_request"),
        ("search?q=x&tests=1", 400, "bad_request"),
        ("search?q=x&kind=thing", 400, "bad_request"),
        ("search?q=x&strategy=magic", 400, "bad_request"),
        ("search?q=x&strategy=naive(seeds=0)", 400, "bad_request"),
        ("search?q=x&wanted=1", 400, "bad_request"),
        ("search?q=x%00", 400, "bad_request"),
        (f"search?q={'x' * 2001}", 414, "query_too_long"),
        ("search?q=x&repo=nobody", 404, "unknown_repository"),
        ("symbol?symbol=handle", 400, "repository_required"),
        ("symbol?symbol=nothing&repo=app", 404, "unknown_symbol"),
        ("symbol?symbol=write&repo=app", 409, "ambiguous_symbol"),
        ("graph?symbol=handle&repo=app&depth=11", 400, "bad_request"),
        ("impact?repo=app", 400, "bad_request"),
        ("impact?repo=app&symbol=handle&diff=HEAD", 400, "bad_request"),
        ("impact?repo=app&diff=HEAD", 400, "bad_request"),
        ("impact?repo=app&diff=--output%3Dx", 400, "bad_request"),
        ("evaluations/nothing", 404, "unknown_collection"),
        ("evaluations/shop?at=0", 400, "bad_request"),
        ("evaluations/shop/topics/Q99?a=vector&b=naive", 404, "not_found"),
        ("judgements?collection=..", 400, "bad_request"),
        ("nothing", 404, "not_found"),
        ("", 404, "not_found"),
    ],
)
def test_what_cannot_be_answered(served: Client, path: str, status: int, code: str) -> None:
    found = served.get(path)
    assert (found.status, found.code) == (status, code)
    assert "\n" not in found.json["error"]["message"]


def test_errors_that_help_on(served: Client) -> None:
    choices = served.get("symbol", symbol="write", repo="app").json["error"]["choices"]
    assert choices == ["app.other.write", "app.store.write"]
    assert served.get("symbol", symbol="handel", repo="app").json["error"]["near"][0] == "app.web.handle"


def test_methods(served: Client) -> None:
    for method, path, allowed in (
        ("POST", "/api/v1/search?q=x", "GET, HEAD"),
        ("DELETE", "/api/v1/judgements", "GET, HEAD, POST"),
        ("GET", "/api/v1/session", "POST"),
        ("PUT", "/", "GET, HEAD"),
        ("OPTIONS", "/api/v1/search", "GET, HEAD"),
    ):
        found = served.ask(path, method=method)
        assert (found.status, found.headers["allow"]) == (405, allowed)
    head = served.ask("/api/v1/repositories", method="HEAD")
    assert (head.status, head.body) == (200, b"")


def test_strategies_on_a_collection(served: Client) -> None:
    assert [one["name"] for one in served.get("collections").json["collections"]][:1] == ["shop"]
    found = served.get("evaluations/shop", strategy=["vector", "naive"], at="3,5").json
    assert (found["schema"], found["repository"], len(found["topic_texts"])) == ("plait.eval.v1", "corpus:shop", 12)
    assert list(found["short"].values()) == ["vector", "naive"]
    assert list(found["measures"]) == ["Recall@3", "Recall@5", "nDCG@3", "nDCG@5", "RR", "Success@1"]
    one = served.get("evaluations/shop/topics/Q8", a="vector", b="naive", k=5).json
    assert one["topic"] == {"id": "Q8", "text": "process payment and create Stripe charge"}
    relevant = {symbol["id"] for symbol in one["relevant"]}
    for side in ("a", "b"):
        shown = {hit["id"] for hit in one[side]["hits"]}
        assert {lost["id"] for lost in one[f"missing_{side}"]} == relevant - shown
    same = served.get("evaluations/shop/topics/Q8", a="vector", b="vector").json
    assert same["entered"] == same["left"] == []


def test_judging_while_searching(served: Client) -> None:
    def mark(query: str, symbol: str, relevance: int | None, repository: str = "app") -> Any:
        body = {"collection": "mine", "repository": repository, "query": query, "symbol": symbol}
        return served.post("judgements", body | {"relevance": relevance})

    empty = served.get("judgements", collection="mine").json
    assert empty["topics"] == []
    mark("save  a\trow", "Store.save", 2)
    mark("save a row", "app.store.write", 0)
    found = mark("parse it", "web.parse", 1).json
    assert found["topics"] == [
        {
            "id": "q1",
            "text": "save a row",
            "judged": [
                {"symbol": "app/store.py:Store#save().", "relevance": 2},
                {"symbol": "app/store.py:write().", "relevance": 0},
            ],
        },
        {"id": "q2", "text": "parse it", "judged": [{"symbol": "app/web.py:parse().", "relevance": 1}]},
    ]
    assert served.get("judgements", collection="mine").json == found
    assert served.get("collections").json["collections"][1]["topics"] == 2
    judged = served.get("evaluations/mine", strategy=["lexical"], at="1").json
    assert judged["measures"]["Success@1"][judged["strategies"][0]]["topics"]["q2"] == 1.0
    mark("save a row", "Store.save", None)
    left = mark("save a row", "app.store.write", None).json
    assert [topic["id"] for topic in left["topics"]] == ["q2"]
    refused = mark("parse it", "more.store.write", 1, "other")
    assert (refused.status, refused.code) == (409, "bad_request")
    mark("parse it", "web.parse", None)
    assert served.get("judgements", collection="mine").json["topics"] == []


@pytest.mark.parametrize(
    ("change", "status", "code"),
    [
        ({"collection": "../up"}, 400, "bad_request"),
        ({"collection": ".hidden"}, 400, "bad_request"),
        ({"collection": "a/b"}, 400, "bad_request"),
        ({"collection": "x" * 65}, 400, "bad_request"),
        ({"relevance": 4}, 400, "bad_request"),
        ({"relevance": True}, 400, "bad_request"),
        ({"relevance": "1"}, 400, "bad_request"),
        ({"query": "  "}, 400, "empty_query"),
        ({"query": "x" * 2001}, 400, "bad_request"),
        ({"symbol": "nothing"}, 404, "unknown_symbol"),
        ({"repository": "nobody"}, 404, "unknown_repository"),
        ({"repository": "corpus:shop"}, 400, "bad_request"),
        ({"more": 1}, 400, "bad_request"),
    ],
)
def test_judgements_that_are_refused(served: Client, change: dict[str, Any], status: int, code: str) -> None:
    good = {"collection": "bad", "repository": "app", "query": "a", "symbol": "web.handle", "relevance": 1}
    found = served.post("judgements", good | change)
    assert (found.status, found.code) == (status, code)
    assert "bad" not in served.get("judgements").json["collections"]


def test_nothing_is_written_without_a_folder_for_it(app_alone: Client) -> None:
    body = {"collection": "a", "repository": "app", "query": "a", "symbol": "web.handle", "relevance": 1}
    assert app_alone.post("judgements", body).code == "read_only"
    assert app_alone.get("judgements").json["writable"] is False


def test_an_edit_is_seen(tmp_path: Path) -> None:
    root = written(tmp_path / "app", FILES)
    with serving({"app": root}) as client:
        before = client.get("repositories").json["repositories"][0]["state"]
        written(root, {"app/new.py": "def quite_new():\n    pass\n"})
        assert client.post("refresh", {"repository": "app"}).status == 202
        until = time.monotonic() + 30
        while client.service.board["app"].state == before:
            assert time.monotonic() < until
            time.sleep(0.01)
        assert client.get("search", q="quite new", k=1).json["hits"][0]["symbol"] == "app.new.quite_new"


def test_progress_is_streamed(tmp_path: Path) -> None:
    root = written(tmp_path / "app", FILES)
    with serving({"app": root}) as client:
        connection = HTTPConnection("127.0.0.1", client.port, timeout=30)
        connection.request("GET", "/api/v1/progress?repo=app", headers={"Host": "localhost"})
        reply = connection.getresponse()
        assert reply.headers["Content-Type"].startswith("text/event-stream")
        event, data, _ = (reply.readline().decode().strip() for _ in range(3))
        assert event == "event: ready"
        first = json.loads(data.removeprefix("data: "))
        assert (first["repository"], first["files"], first["notices"]) == ("app", 4, [])
        client.post("refresh", {})
        assert reply.readline() == b"event: ready\n"
        reply.readline(), reply.readline()
        written(root, {"app/new.py": "def quite_new():\n    pass\n"})
        kinds = set()
        while True:
            line = reply.readline().decode()
            kinds.update([line.strip()] if line.startswith("event") else [])
            if line.startswith("data") and json.loads(line[6:]).get("files") == 5:
                break
        assert kinds - {"event: progress"} == {"event: ready"}  # a renewal can be over between two looks
        reply.close()
        connection.close()


def test_a_folder_without_code_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with serving({"empty": tmp_path / "empty"}, wait=False) as client:
        until = time.monotonic() + 30
        while not client.service.board["empty"].problem:
            assert time.monotonic() < until
            time.sleep(0.01)
        found = client.get("search", q="x")
        assert (found.status, found.code, found.headers["retry-after"]) == (503, "not_ready", "10")
        assert "no source file" in found.json["error"]["message"]
        assert client.ask("/health").json["status"] == "problem"


def test_questions_that_are_too_many(tmp_path: Path) -> None:
    root = written(tmp_path / "app", FILES)
    with serving({"app": root}, limits=Limits(threads=1, waiting=0, seconds=0.2)) as client:
        late = _slow(client)
        assert (late.status, late.code) == (504, "timeout")
        busy = client.get("search", q="parse")
        assert (busy.status, busy.code, busy.headers["retry-after"]) == (429, "too_many_requests", "1")


def _slow(client: Client) -> Any:
    """Ask while nobody gets a reader for a second."""
    lock = client.service.readers["app"]._lock
    lock.acquire()
    try:
        return client.get("search", q="parse")
    finally:
        threading.Timer(1, lock.release).start()


def test_metrics_are_counted(served: Client) -> None:
    served.get("symbol", symbol="nothing", repo="app")
    served.ask("/health", host="evil.example")
    told = served.ask("/metrics").body.decode().splitlines()
    assert 'plait_repository_symbols{repository="app"} 18' in told
    assert any(line.startswith('plait_requests_total{operation="GET /api/v1/symbol",status="404"} ') for line in told)
    assert any(line.startswith('plait_rejected_total{code="forbidden_host"} ') for line in told)
    counted = 'plait_request_seconds_count{operation="GET /api/v1/symbol"}'
    count = next(line for line in told if line.startswith(counted))
    last = next(line for line in told if 'operation="GET /api/v1/symbol",le="+Inf"' in line)
    assert count.split()[-1] == last.split()[-1]
