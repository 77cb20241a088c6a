"""A caller is answered, on every path, as by a fleet that has their repositories alone: byte for byte."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from fleet_server import Client, built, serving, written

from plait.doors.http.routes import BASE, OPERATIONS
from plait.errors import BadParameter
from plait.fleet import access
from plait.fleet.access import Team
from plait.fleet.building import build_repository
from plait.fleet.fleet import EXACT, Fleet
from plait.store.lance.upkeep import optimize
from plait.store.lance.wide.snapshot import WideSnapshot
from plait.testing import SOURCES

NET = """
from tools import close


def connect(host):
    '''Open a connection.'''
    return close(host)
"""
TOOLS = """
import os

LIMIT = 3


def close(host):
    return os.fspath(host)


class Socket:
    size = 1
"""
KEYS = """
def insert_into_cart(zebra):
    '''Insert an item into the cart, connect.'''
    return zebra
"""
MINE = {"org/app": SOURCES, "org/lib": {"net.py": NET, "tools.py": TOOLS}}
LOCKS = """
def turn(insert):
    '''Turn a key in the lock of the cart, connect.'''
    return insert
"""
THEIRS = {"vault/keys": {"vault_keys.py": KEYS, "net.py": NET}, "vault/locks": {"locks.py": LOCKS, "net.py": NET}}
SECRETS = {
    "mine": re.compile(rb"vault|zebra|insert_into_cart|\bturn\b|lock in", re.IGNORECASE),
    "theirs": re.compile(rb"org/lib|recount|socket|fspath|sum_up|shop/", re.IGNORECASE),
}
PATTERNS = {"mine": "org/*", "theirs": "vault/*"}
HIDDEN = {"mine": "vault/keys", "theirs": "org/lib"}

TABLE: dict[str, list[dict[str, Any]]] = {
    "/repositories": [{}],
    "/search": [
        {"q": "insert an item into the cart"},
        {"q": "connect", "related": "true", "k": 3},
        {"q": "open a connection path:*net*", "repo": "org/lib"},
        {"q": "cart", "repo": ["org/app", "org/lib"], "strategy": "lexical", "path": "shop/*"},
        {"q": "insert_into_cart"},
        {"q": "zebra", "strategy": "lexical"},
        {"q": "connect lang:python", "strategy": "hybrid", "k": 200, "related": "true"},
        {"q": "connect", "strategy": "vector", "k": 1},
        {"q": '"return close"'},
        {"q": "cart", "repo": "{hidden}"},
    ],
    "/explain": [
        {"q": "connect", "a": "lexical", "b": "hybrid", "repo": "org/lib"},
        {"q": "connect", "a": "lexical", "b": "hybrid", "repo": "{hidden}"},
        {"q": "connect", "a": "lexical", "b": "hybrid"},
    ],
    "/why-not": [
        {"q": "connect", "symbol": "Socket", "repo": "org/lib"},
        {"q": "connect", "symbol": "insert_into_cart", "repo": "org/lib"},
        {"q": "connect", "symbol": "Socket", "repo": "{hidden}"},
    ],
    "/symbols": [{"prefix": "", "repo": "org/app"}, {"prefix": "in", "repo": "org/lib"}, {"repo": "{hidden}"}, {}],
    "/symbol": [
        {"symbol": "connect", "repo": "org/lib"},
        {"symbol": "insert_into_cart", "repo": "org/app"},
        {"symbol": "{hidden}//vault_keys.py:insert_into_cart().", "repo": "org/app"},
        {"symbol": "connect", "repo": "{hidden}"},
        {"symbol": "connect"},
    ],
    "/file": [
        {"path": "net.py", "repo": "org/lib"},
        {"path": "tools.py", "repo": "org/lib", "start_line": 3, "end_line": 7},
        {"path": "vault_keys.py", "repo": "org/lib"},
        {"path": "../keys/vault_keys.py", "repo": "org/lib"},
        {"path": "net.py", "repo": "{hidden}"},
    ],
    "/graph": [{"symbol": "connect", "repo": "org/lib", "depth": 2}, {"symbol": "connect", "repo": "{hidden}"}],
    "/callers": [{"symbol": "close", "repo": "org/lib"}, {"symbol": "connect", "repo": "{hidden}"}],
    "/callees": [{"symbol": "connect", "repo": "org/lib"}, {"symbol": "connect", "repo": "{hidden}"}],
    "/path": [
        {"source": "connect", "target": "close", "repo": "org/lib"},
        {"source": "connect", "target": "connect", "repo": "{hidden}"},
    ],
    "/impact": [
        {"symbol": "close", "repo": "org/lib"},
        {"symbol": "net.py", "repo": "org/lib"},
        {"diff": "HEAD", "repo": "org/lib"},
        {"symbol": "connect", "repo": "{hidden}"},
    ],
    "/flows": [{"repo": "org/app"}, {"repo": "{hidden}"}],
    "/hubs": [{"repo": "org/app"}, {"repo": "{hidden}"}],
    "/unresolved": [{"repo": "org/lib", "reason": "external"}, {"repo": "{hidden}"}],
    "/status": [{"repo": "org/app", "skipped": "true"}, {"repo": "{hidden}"}],
    "/collections": [{}],
    "/evaluations/{collection}": [{"collection": "shop"}],
    "/evaluations/{collection}/topics/{id}": [{"collection": "shop", "id": "Q1", "a": "naive", "b": "lexical"}],
    "/judgements": [{}, {"collection": "shop"}],
}
STATUSES = {
    "/why-not": [200, 404, 404],
    "/search": [200, 200, 200, 200, 200, 200, 200, 200, 200, 404],
    "/explain": [200, 404, 400],
    "/symbol": [200, 404, 404, 404, 400],
    "/symbols": [200, 200, 404, 400],
    "/file": [200, 200, 404, 404, 404],
    "/impact": [200, 200, 501, 404],
    "/evaluations/{collection}": [404],
    "/evaluations/{collection}/topics/{id}": [404],
    "/judgements": [200, 403],
}
"""Of the others: 200, and 404 where the hidden repository is named."""

VOLATILE = re.compile(rb'"(milliseconds|made)":("[^"]*"|[0-9.]+)')


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("served")
    written(made, MINE | THEIRS)
    return made


@dataclass(frozen=True)
class Both:
    """A team that is asked in a fleet of all repositories, and in one that has its own alone."""

    team: str
    mine: With
    without: With
    token: str

    @property
    def hidden(self) -> str:
        return HIDDEN[self.team]

    def secrets(self, reply: Any) -> re.Match[bytes] | None:
        return SECRETS[self.team].search(reply.body + repr(reply.headers).encode())


@pytest.fixture(scope="module")
def fleets(place: Path) -> dict[str, Fleet]:
    every = {"whole": MINE | THEIRS, "mine": MINE, "theirs": THEIRS}
    made = {
        which: built(place / which, {name: place / name for name in names}, place / f"cache-{which}")
        for which, names in every.items()
    }
    for one in made.values():
        optimize(one.tables)
    return made


@pytest.fixture(scope="module", params=["each build", "segments"])
def everybody(request: pytest.FixtureRequest, place: Path, fleets: dict[str, Fleet]) -> Iterator[dict[str, Both]]:
    """Servers that answer from each build, or from segments of many, by team."""
    exact = 0 if request.param == "segments" else EXACT
    tokens = {which: place / f"access-{which}-{exact}.toml" for which in fleets}
    given = {team: access.made(tokens["whole"], team, [pattern]) for team, pattern in PATTERNS.items()}
    with ExitStack() as stack:
        whole = stack.enter_context(serving(fleets["whole"], tokens["whole"], exact=exact))
        found = {}
        for team, pattern in PATTERNS.items():
            alone = access.made(tokens[team], team, [pattern])
            without = stack.enter_context(serving(fleets[team], tokens[team], exact=exact))
            found[team] = Both(team, With(whole, given[team]), With(without, alone), given[team])
        yield found


@pytest.fixture(params=["mine", "theirs"])
def both(request: pytest.FixtureRequest, everybody: dict[str, Both]) -> Both:
    return everybody[request.param]


class With:
    """A client that sends a token."""

    def __init__(self, client: Client, token: str) -> None:
        self.client, self.token = client, token

    def get(self, target: str) -> Any:
        return self.client.ask(target, headers=[("Authorization", f"Bearer {self.token}")])

    def post(self, target: str, value: object) -> Any:
        sent = [("Content-Type", "application/json"), ("Accept", "application/json, text/event-stream")]
        return self.client.ask(
            target,
            method="POST",
            body=json.dumps(value).encode(),
            headers=[*sent, ("Authorization", f"Bearer {self.token}")],
        )


def target(path: str, given: dict[str, Any], hidden: str) -> str:
    named = {name: value for name, value in given.items() if f"{{{name}}}" in path}
    asked = {name: value for name, value in given.items() if name not in named}
    filled = urlencode(asked, doseq=True).replace(urlencode({"": "{hidden}"})[1:], urlencode({"": hidden})[1:])
    return f"{BASE}{path.format(**named)}?{filled}"


def told(reply: Any) -> tuple[int, dict[str, str], bytes]:
    headers = {name: value for name, value in reply.headers.items() if name not in ("date", "content-length")}
    return reply.status, headers, VOLATILE.sub(rb"", reply.body)


def test_every_operation_is_in_the_table() -> None:
    assert [one.path for one in OPERATIONS] == list(TABLE)


def test_segments_answer_where_they_are_to(everybody: dict[str, Both], request: pytest.FixtureRequest) -> None:
    replica = everybody["mine"].mine.client.service.replica  # type: ignore[attr-defined]
    view = replica.seen_by("mine")
    assert view.built == list(MINE)
    wide = isinstance(replica.engine(view, view.built, named=True).snapshot(), WideSnapshot)
    assert wide == (request.node.callspec.params["everybody"] == "segments")


@pytest.mark.parametrize("path", TABLE)
def test_an_answer_is_that_of_a_fleet_with_the_permitted_repositories(both: Both, path: str) -> None:
    statuses = []
    for given in TABLE[path]:
        found = both.mine.get(target(path, given, both.hidden))
        assert told(found) == told(both.without.get(target(path, given, both.hidden))), given
        statuses.append(found.status)
        # Only what the caller has written can come back.
        own = json.dumps(given, ensure_ascii=False).encode()
        if b"{hidden}" in own:
            nobody = both.mine.get(target(path, given, "nobody/atall"))
            echoed = found.body.replace(both.hidden.encode(), b"nobody/atall")
            assert (found.status, VOLATILE.sub(b"", echoed)) == (nobody.status, VOLATILE.sub(b"", nobody.body)), given
        elif not SECRETS[both.team].search(own):
            assert not both.secrets(found), given
    expected = STATUSES.get(path, [404 if one.get("repo") == "{hidden}" else 200 for one in TABLE[path]])
    if both.team == "mine":
        assert statuses == expected
    else:  # the table names repositories of the other team
        assert all(status == 404 for status, one in zip(statuses, TABLE[path], strict=True) if one.get("repo"))


def test_what_is_written_and_streamed_and_counted_tells_nothing_either(both: Both) -> None:
    mine, without, hidden = both.mine, both.without, both.hidden
    own = mine.get(f"{BASE}/repositories").json["repositories"][0]["name"]
    for body in ({"repository": hidden}, {"repository": "nobody"}, {"repository": own}, {}):
        found, other = (one.post(f"{BASE}/refresh", body) for one in (mine, without))
        assert told(found) == told(other)
        assert found.status == (404 if body.get("repository") in (hidden, "nobody") else 501)
    mark = {"collection": "c", "repository": hidden, "query": "x", "symbol": "y", "relevance": 1}
    assert told(mine.post(f"{BASE}/judgements", mark)) == told(without.post(f"{BASE}/judgements", mark))
    assert mine.get("/metrics").code == without.get("/metrics").code == "operators_only"
    for name in (hidden, "nobody"):
        streams = [one.get(f"{BASE}/progress?repo={name}") for one in (mine, without)]
        assert (streams[0].status, told(streams[0])) == (404, told(streams[1]))
    for client in (mine, without):
        for path in ("/health", "/ready", f"{BASE}/openapi.json"):
            assert told(client.client.ask(path))[0] == (401 if "openapi" in path else 200)
    assert told(mine.client.ask("/health")) == told(without.client.ask("/health"))
    assert told(mine.get(f"{BASE}/openapi.json")) == told(without.get(f"{BASE}/openapi.json"))


@pytest.mark.parametrize(
    "asked",
    [
        "/search?q=connect&strategy={}",
        "/search?q=connect&k={}",
        "/search?q=connect&path={}/*",
        "/search?q=path:{}/*%20connect",
        "/search?q=%22{}%22",
        "/symbols?prefix={}",
        "/symbol?symbol={}//net.py:connect().",
        "/callers?symbol={}//connect",
        "/impact?symbol={}",
        "/collections?x={}",
        "/evaluations/{}",
        "/{}",
        "/file?path={}//net.py",
    ],
)
def test_a_name_in_another_place_is_that_of_nobody(both: Both, asked: str) -> None:
    """Also in errors, which repeat what was asked and nothing else."""
    for name, no in ((both.hidden, "nobody/atall"), (both.hidden.partition("/")[0], "nobody")):
        found, other = (one.get(f"{BASE}{asked.format(name)}") for one in (both.mine, both.without))
        assert told(found) == told(other)
        nobody = both.mine.get(f"{BASE}{asked.format(no)}")
        echoed = found.body.replace(name.encode(), no.encode())
        assert (found.status, VOLATILE.sub(b"", echoed)) == (nobody.status, VOLATILE.sub(b"", nobody.body))


CALLS: list[dict[str, Any]] = [
    {"name": "search", "arguments": {"query": "insert an item into the cart"}},
    {"name": "search", "arguments": {"query": "connect", "repo": "org/lib"}},
    {"name": "search", "arguments": {"query": "connect", "repo": "{hidden}"}},
    {"name": "context", "arguments": {"question": "open a connection"}},
    {"name": "symbol", "arguments": {"symbol": "close"}},
    {"name": "symbol", "arguments": {"symbol": "insert_into_cart"}},
    {"name": "symbol", "arguments": {"symbol": "net.connect"}},
    {"name": "impact", "arguments": {"symbol": "tools.close", "repo": "org/lib"}},
    {"name": "impact", "arguments": {"file": "vault_keys.py"}},
    {"name": "impact", "arguments": {"diff": "HEAD"}},
    {"name": "context", "arguments": {"question": "connect", "repo": "{hidden}"}},
    {"name": "symbol", "arguments": {"symbol": "{hidden}//net.py:connect()."}},
    {"name": "impact", "arguments": {"symbol": "connect", "repo": "{hidden}"}},
]


@pytest.mark.parametrize("number", range(len(CALLS)))
def test_tools_of_agents_see_the_same(both: Both, number: int) -> None:
    replies = []
    for name in (both.hidden, "nobody/atall"):
        call = json.loads(json.dumps(CALLS[number]).replace("{hidden}", name))
        asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
        found, other = (one.post("/mcp", asked) for one in (both.mine, both.without))
        assert found.status == 200
        assert told(found) == told(other)
        replies.append(VOLATILE.sub(b"", found.body.replace(name.encode(), b"NAME")))
    own = json.dumps(CALLS[number]).encode()
    if b"{hidden}" in own:
        assert replies[0] == replies[1]
    elif not SECRETS[both.team].search(own):
        assert not both.secrets(found)
    if both.team == "mine":
        assert found.json["result"].get("isError", False) == (number in (2, 5, 8, 9, 10, 11, 12)), found.json


@pytest.mark.parametrize("method", ["tools/list", "initialize", "resources/list", "prompts/list", "nonsense"])
def test_what_else_agents_ask_is_the_same_for_all(both: Both, method: str) -> None:
    client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "a", "version": "1"}}
    asked = {"jsonrpc": "2.0", "id": 1, "method": method, "params": client if method == "initialize" else {}}
    found, other = (one.post("/mcp", asked) for one in (both.mine, both.without))
    assert told(found) == told(other)
    assert not both.secrets(found)


def test_who_has_no_token_is_told_nothing(both: Both) -> None:
    mine, without, token = both.mine, both.without, both.token
    paths = [target(path, TABLE[path][0], both.hidden) for path in TABLE]
    for asked in (*paths, "/metrics", f"{BASE}/progress", f"{BASE}/openapi.json"):
        for sent in ([], [("Authorization", "Bearer plait_wrong")], [("Authorization", f"Basic {token}")]):
            found, other = (one.client.ask(asked, headers=sent) for one in (mine, without))
            assert found.code == "unauthorized"
            assert told(found) == told(other)


def test_a_load_balancer_may_ask_by_address_whether_it_is_well_and_nothing_else(everybody: dict[str, Both]) -> None:
    mine = everybody["mine"]
    for path in ("/health", "/ready"):
        assert mine.mine.client.ask(path, host="10.0.0.7:8765").status == 200
    sent = [("Authorization", f"Bearer {mine.token}")]
    for path in ("/", "/metrics", f"{BASE}/repositories", "/health/"):
        assert mine.mine.client.ask(path, host="10.0.0.7:8765", headers=sent).code == "forbidden_host"


def test_a_browser_is_given_a_cookie_that_is_as_good_as_the_token(everybody: dict[str, Both]) -> None:
    mine, token = everybody["mine"].mine, everybody["mine"].token
    body = json.dumps({"token": token}).encode()
    sent = [("Content-Type", "application/json")]
    made = mine.client.ask(f"{BASE}/session", method="POST", body=body, headers=sent)
    assert made.status == 204
    cookie = made.headers["set-cookie"].partition(";")[0]
    assert all(one in made.headers["set-cookie"] for one in ("HttpOnly", "SameSite=strict"))
    found = mine.client.ask(f"{BASE}/repositories", headers=[("Cookie", cookie)])
    assert [one["name"] for one in found.json["repositories"]] == ["org/app", "org/lib"]
    wrong = json.dumps({"token": "plait_wrong"}).encode()
    assert mine.client.ask(f"{BASE}/session", method="POST", body=wrong, headers=sent).code == "unauthorized"


def test_an_operator_may_read_the_metrics_and_a_wider_team_sees_more(place: Path, everybody: dict[str, Both]) -> None:
    served = everybody["mine"].mine.client
    replica = served.service.replica  # type: ignore[attr-defined]
    operator = access.made(replica._access, "operators", ["*", "!org/lib"], operator=True)
    replica.look()
    told = With(served, operator)
    assert b"plait_requests_total" in told.get("/metrics").body
    names = [one["name"] for one in told.get(f"{BASE}/repositories").json["repositories"]]
    assert names == ["org/app", "vault/keys", "vault/locks"]
    found = told.get(f"{BASE}/search?q=insert+an+item+into+the+cart&strategy=lexical").json
    assert "vault/keys" in [hit["repository"] for hit in found["hits"]]


def test_a_token_that_is_taken_out_is_none_and_a_broken_file_changes_nothing(
    fleets: dict[str, Fleet], tmp_path: Path
) -> None:
    tokens = tmp_path / "access.toml"
    first = access.made(tokens, "mine", ["org/*"])
    with serving(fleets["whole"], tokens) as client:
        mine = With(client, first)
        text = tokens.read_text()
        tokens.write_text(text + "[[token]\n")
        client.service.replica.look()  # type: ignore[attr-defined]
        assert mine.get(f"{BASE}/repositories").status == 200
        tokens.write_text(text.replace(access.digest(first), access.digest("another")))
        client.service.replica.look()  # type: ignore[attr-defined]
        assert mine.get(f"{BASE}/repositories").code == "unauthorized"


def test_a_new_build_answers_and_its_hits_are_of_one_ranking(place: Path, tmp_path: Path) -> None:
    sources = {name: tmp_path / name for name in MINE}
    written(tmp_path, MINE)
    fleet = built(tmp_path / "fleet", sources, tmp_path / "cache")
    with serving(fleet) as client:
        question = f"{BASE}/search?q=open+a+connection&k=20"
        found = client.ask(question).json
        expected = fleet.search("open a connection", k=20)
        assert [(f"{hit['repository']}//{hit['id']}", hit["score"]) for hit in found["hits"]] == [
            (hit.symbol.id, hit.score) for hit in expected
        ]
        assert found["total"] == expected.total
        (tmp_path / "org/lib/net.py").write_text(NET.replace("connect", "reconnect"))
        assert build_repository(fleet, "org/lib").built
        client.service.replica.look()  # type: ignore[attr-defined]
        assert "reconnect" in [hit["symbol"].rpartition(".")[2] for hit in client.ask(question).json["hits"]]
        for path, text in SOURCES.items():
            shown = client.ask(f"{BASE}/file?repo=org/app&path={path}").json
            assert (shown["text"], shown["lines"]) == ("\n".join(text.splitlines()), len(text.splitlines()))


def test_too_many_symbols_for_one_question_is_one_line(place: Path) -> None:
    alone = built(place / "alone", {name: place / name for name in MINE}, place / "cache-alone")
    with serving(alone, most=3) as client:
        found = client.ask(f"{BASE}/search?q=cart")
        assert (found.status, found.code) == (400, "bad_request")
        assert "name fewer with repo=NAME" in found.json["error"]["message"]
        assert client.ask(f"{BASE}/search?q=cart&repo=org/app").status == 200
        optimize(alone.tables)  # segments have them all: none is gone through one by one
        client.service.replica.look()  # type: ignore[attr-defined]
        assert client.ask(f"{BASE}/search?q=cart").status == 200


@pytest.mark.parametrize(
    ("patterns", "may", "may_not"),
    [
        (["org/*"], ["org/app", "org/app/sub"], ["org", "other/app", "ORG/app"]),
        (["*", "!org/keys*"], ["org/app", "a"], ["org/keys", "org/keys-old"]),
        (["!org/keys", "*"], ["org/app"], ["org/keys"]),
        (["org/app"], ["org/app"], ["org/app2"]),
        ([], [], ["org/app"]),
    ],
)
def test_patterns(patterns: list[str], may: list[str], may_not: list[str]) -> None:
    team = Team("t", tuple(patterns))
    assert [one for one in (*may, *may_not) if team.may(one)] == may


def test_a_file_of_permissions_is_read_whole_or_not_at_all(tmp_path: Path) -> None:
    tokens = tmp_path / "access.toml"
    token = access.made(tokens, "pay", ["org/pay-*"], "ci of pay")
    assert tokens.stat().st_mode & 0o777 == 0o600
    assert token not in tokens.read_text()
    assert access.load(tokens).team_of(token) == "pay"
    assert access.load(tokens).team_of(token + "x") is None
    second = access.made(tokens, "pay")
    assert (access.load(tokens).team_of(second), access.load(tokens).team_of(token)) == ("pay", "pay")
    assert [one.label for one in access.load(tokens).tokens] == ["ci of pay", ""]
    for team, patterns, reason in (("new", [], "what it may read"), ("pay", ["*"], "already"), ("a b", ["*"], "name")):
        with pytest.raises(BadParameter, match=reason):
            access.made(tokens, team, patterns)
    text = tokens.read_text()
    for wrong in (
        text.replace('team = "pay"', 'team = "other"', 1),
        text.replace("sha256:", "md5:", 1),
        text.replace("repositories", "repos"),
        text.replace('["org/pay-*"]', '"org/pay-*"'),
        text + "[teams]\n",
        text + "[",
    ):
        tokens.write_text(wrong)
        with pytest.raises(BadParameter, match=r"access\.toml"):
            access.load(tokens)
