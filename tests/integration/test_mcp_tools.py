"""What the MCP server's tools answer, and that answers stay small."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from asking import FILES, written
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from serving import refused, serving, told

from plait.doors.mcp.schemas import OF_FEW, OF_FOLDERS, OF_NAMES, TOOLS, instructions
from plait.doors.mcp.server import Repositories, called

SCHEMAS = {tool.name: tool for tool in TOOLS}


@pytest.fixture
def served(app: Path) -> Iterator[Repositories]:
    with serving(app) as repositories:
        yield repositories


def fits(tool: str, answer: dict[str, Any]) -> dict[str, Any]:
    Draft202012Validator(SCHEMAS[tool].answer).validate(answer)
    return answer


def test_what_a_host_shows_of_the_server_is_short_and_says_the_main_thing_first() -> None:
    assert [tool.name for tool in TOOLS] == ["context", "search", "symbol", "impact"]
    for repo in (OF_FOLDERS, OF_FEW, OF_NAMES):
        assert len(instructions(repo).encode()) < 2_000
        assert "call `context` FIRST" in instructions(repo)[:500]
    for tool in TOOLS:
        Draft202012Validator.check_schema(tool.arguments)
        Draft202012Validator.check_schema(tool.answer)
        assert len(tool.description) < 1_000


def test_context(served: Repositories) -> None:
    answer = fits("context", told(served, "context", question="handle a request", tokens=1000))
    assert answer["index"] == {"state": "ready", "note": ""}
    assert answer["shown"] == len(answer["functions"]) == answer["total"] - answer["left_out"]["total"]
    (handle,) = [one for one in answer["functions"] if one["symbol"] == "app.web.handle"]
    (parse,) = [one for one in answer["functions"] if one["symbol"] == "app.web.parse"]
    assert handle["calls"][0] == parse["number"] or parse["number"] in handle["calls"]
    assert handle["number"] < parse["number"]
    assert handle["code"] == "def handle(request, store: Store):\n    return store.save(parse(request))"


def test_context_stays_within_the_tokens(served: Repositories) -> None:
    small = told(served, "context", question="handle a request", tokens=300)
    assert len(json.dumps(small)) <= 900
    assert small["left_out"]["total"] > 0


def test_search_tells_reasons_and_the_calls_that_led_there(served: Repositories) -> None:
    answer = fits("search", told(served, "search", query="handle a request", k=3))
    assert (answer["shown"], [hit["rank"] for hit in answer["hits"]]) == (3, [1, 2, 3])
    (handle,) = [hit for hit in answer["hits"] if hit["symbol"] == "app.web.handle"]
    assert handle["by_calls"] == ["calls save (app/web.py:5) [typed]"]
    assert "name (handle)" in handle["reasons"]
    assert handle["code"] == "def handle(request, store: Store):\n    return store.save(parse(request))"
    assert handle["stale"] is False


def test_pages_of_a_search_are_the_whole_ranking(served: Repositories) -> None:
    whole = [hit["symbol"] for hit in told(served, "search", query="row", k=50)["hits"]]
    pages, cursor = [], {}
    while True:
        page = told(served, "search", query="row", k=2, **cursor)
        pages += page["hits"]
        assert page["total"] == len(whole)
        if "next_cursor" not in page:
            break
        cursor = {"cursor": page["next_cursor"]}
    assert [hit["symbol"] for hit in pages] == whole
    assert [hit["rank"] for hit in pages] == [*range(1, len(whole) + 1)]


def test_symbol_tells_what_is_known_apart_from_what_is_possible(served: Repositories) -> None:
    answer = fits("symbol", told(served, "symbol", symbol="Store.save"))
    assert [(one["symbol"], one["possible"]) for one in answer["callers"]] == [("app.web.handle", False)]
    assert [(one["symbol"], one["line"]) for one in answer["callers"]] == [("app.web.handle", 5)]
    run = fits("symbol", told(served, "symbol", symbol="app.web.main"))
    assert [one["symbol"] for one in run["callees"]] == ["app.store.DiskStore", "app.store.Store.__init__"]
    assert [(one["call"], one["reason"]) for one in run["unresolved_calls"]] == [("plugins.run", "unknown receiver")]
    assert run["code"].startswith("def main(plugins):")


def test_impact_of_a_symbol_a_file_and_a_difference(served: Repositories, app: Path) -> None:
    answer = fits("impact", told(served, "impact", symbol="app.web.parse"))
    assert [one["symbol"] for one in answer["affected"]] == ["app.web.handle"]
    assert [one["symbol"] for one in answer["tests"]] == ["tests.test_web.test_handle"]
    of_file = fits("impact", told(served, "impact", file="app/store.py"))
    assert "app.store.write" in of_file["changed"]
    for command in (["init", "-q"], ["add", "."], ["-c", "user.name=a", "-c", "user.email=a", "commit", "-qm", "a"]):
        subprocess.run(["git", *command], cwd=app, check=True)
    (app / "app/web.py").write_text(FILES["app/web.py"].replace("request.body()", "request.text()"))
    of_diff = fits("impact", told(served, "impact", diff="HEAD"))
    assert of_diff["changed"] == ["app.web.parse"]
    assert [one["symbol"] for one in of_diff["affected"]] == ["app.web.handle"]


@pytest.mark.parametrize(
    ("tool", "arguments", "message"),
    [
        ("search", {}, "`query` is missing: What the code does"),
        ("search", {"query": ""}, "`query` must be text of 1 to 4000 characters"),
        ("search", {"query": "  "}, "the query is empty; say in a few words"),
        ("search", {"query": "x", "k": 0}, "`k` must be a whole number from 1 to 50"),
        ("search", {"query": "x", "k": True}, "`k` must be a whole number from 1 to 50"),
        ("search", {"query": "x", "kind": "verb"}, "`kind` must be one of function, method, class, module"),
        ("search", {"query": "x", "limit": 3}, "there is no argument `limit`; there are: query, k, cursor"),
        ("search", {"query": "x", "cursor": "???"}, "the cursor '???' is of no answer; leave it out to begin"),
        ("search", {"query": "lang:klingon x"}, "no such language; there are: bash"),
        ("context", {"question": "x", "tokens": 10}, "`tokens` must be a whole number from 200 to 20000"),
        ("symbol", {"symbol": "zzz"}, "no symbol is called 'zzz'; `search` finds symbols by words"),
        ("symbol", {"symbol": "save"}, "app.store.DiskStore.save"),
        ("impact", {}, "give one of `symbol`, `file` and `diff`"),
        ("impact", {"symbol": "a", "file": "b"}, "give one of `symbol`, `file` and `diff`"),
        ("impact", {"diff": "no-such-revision"}, "no-such-revision"),
        ("impact", {"symbol": "handle", "repo": "/no/such/folder"}, "there is no such folder; give the absolute path"),
        ("impact", {"symbol": "handle", "repo": "/"}, "the root of the file system"),
        ("impact", {"symbol": "handle", "repo": "."}, "must be an absolute path"),
        ("grep", {"pattern": "x"}, "there is no tool 'grep'; there are: context, search, symbol, impact"),
    ],
)
def test_errors_say_what_to_do(served: Repositories, tool: str, arguments: dict[str, Any], message: str) -> None:
    assert message in refused(served, tool, **arguments)


def test_another_repository_can_be_named_over_stdio_only(app: Path, tmp_path: Path) -> None:
    other = written(tmp_path / "other", {"b.py": "def elsewhere():\n    return 1\n"})
    with serving(app) as repositories:
        assert told(repositories, "search", query="elsewhere", repo=str(other))["hits"][0]["path"] == "b.py"
    with serving(app, others=False) as repositories:
        assert "is not served here; there are:" in refused(repositories, "search", query="elsewhere", repo=str(other))
    with serving(app, other, others=False) as repositories:
        assert told(repositories, "search", query="elsewhere", repo=str(other))["hits"][0]["path"] == "b.py"


def test_a_folder_without_code_is_an_error_and_no_empty_answer(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with serving(tmp_path / "empty") as repositories:
        assert "no source file in a language that plait reads" in refused(repositories, "search", query="x")
        (tmp_path / "empty/a.py").write_text("def now():\n    return 1\n")
        assert told(repositories, "search", query="now")["hits"][0]["symbol"] == "a.now"


CALLERS = 5_000


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Path:
    files = {"hub.py": "def everybodys(x):\n    return x\n"}
    for number in range(0, CALLERS, 100):
        calls = "".join(f"\n\ndef caller_{n}(x):\n    return everybodys(x)\n" for n in range(number, number + 100))
        files[f"callers_{number}.py"] = f"from hub import everybodys\n{calls}"
    return written(tmp_path_factory.mktemp("hub"), files)


def test_five_thousand_callers(hub: Path) -> None:
    with serving(hub, graph="scoped") as repositories:
        answer = told(repositories, "symbol", symbol="everybodys", k=100)
        assert answer["total"]["callers"] == CALLERS
        seen = {(one["path"], one["symbol"]) for one in answer["callers"]}
        count = len(answer["callers"])
        offset, _, state = answer["next_cursor"].partition(".")
        assert int(offset) == count
        for cursor in (answer["next_cursor"], f"{CALLERS - 50}.{state}"):
            answer = told(repositories, "symbol", symbol="everybodys", k=100, cursor=cursor)
            count += len(answer["callers"])
            seen |= {(one["path"], one["symbol"]) for one in answer["callers"]}
        assert len(answer["callers"]) == 50
        assert "next_cursor" not in answer
        assert count == len(seen)
        struck = told(repositories, "impact", symbol="everybodys", k=100)
        assert struck["total"]["affected"] == CALLERS
        assert told(repositories, "context", question="everybodys caller", tokens=8000)["total"] > 0
        assert told(repositories, "search", query="everybodys", k=50)["total"] > 0


def test_code_on_endless_lines_stays_small(tmp_path: Path) -> None:
    source = "def wide():\n" + f"    yield '{'x' * 10_000}'\n" * 50
    with serving(written(tmp_path / "wide", {"a.py": source})) as repositories:
        assert told(repositories, "search", query="wide")["total"] == 1
        assert told(repositories, "symbol", symbol="wide")["symbol"] == "a.wide"
        assert told(repositories, "context", question="wide")["shown"] == 1


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
NAMES = sorted({name for tool in TOOLS for name in tool.arguments["properties"] if name != "repo"})


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.sampled_from([tool.name for tool in TOOLS] + ["", "nothing"]),
    st.dictionaries(
        st.sampled_from([*NAMES, "x"]), ANYTHING | st.sampled_from(["handle", "HEAD", "app/web.py", 1]), max_size=4
    ),
)
def test_any_arguments_get_an_answer_or_an_error(served: Repositories, tool: str, arguments: dict[str, Any]) -> None:
    reply = called(served, tool, arguments)
    if isinstance(reply, str):
        assert reply
        assert "plait failed with" not in reply
    else:
        fits(tool, json.loads(json.dumps(reply.structured)))
