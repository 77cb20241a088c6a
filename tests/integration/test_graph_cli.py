from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from asking import as_json, lines, names, plait, written


def test_callees_to_a_depth(app: Path) -> None:
    assert lines("callees", "test_handle", app, "--depth", "2") == [
        "1  tests/test_web.py:5  app.web.handle  [function]  call, scoped",
        "2  app/web.py:5  app.store.Store.save  [method]  call, typed",
        "2  app/web.py:5  app.web.parse  [function]  call, scoped",
        "tests.test_web.test_handle: 3 callees within 2 calls, 0 unresolved sites that could lead to more",
    ]
    found = as_json("callees", "test_handle", app, "--depth", "3", "-k", "1", "--min-evidence", "scoped")
    assert (found["schema"], found["depth"], found["total"], found["limit"]) == ("plait.callees.v1", 3, 3, 1)
    assert (names(found["callees"]), found["callees"][0]["hop"]) == (["app.web.handle"], 1)
    assert found["unresolved_total"] == 1


def test_callers_only_of_one_kind_and_evidence(app: Path) -> None:
    assert names(as_json("callers", "parse", app, "--depth", "9")["callers"]) == [
        *("app.web.handle", "app.web.parse", "tests.test_web.test_handle"),
    ]
    assert names(as_json("callers", "parse", app, "--depth", "9", "--tests")["callers"]) == [
        "tests.test_web.test_handle"
    ]
    assert names(as_json("callers", "parse", app, "--depth", "9", "--no-tests")["callers"]) == [
        *("app.web.handle", "app.web.parse"),
    ]
    assert as_json("callers", "parse", app, "--min-evidence", "exact")["total"] == 0


def test_a_circle_of_calls(app: Path) -> None:
    found = as_json("callers", "ping", app, "--depth", "100")
    assert [(row["symbol"], row["hop"]) for row in found["callers"]] == [("app.web.pong", 1), ("app.web.ping", 2)]


def test_a_class_that_inherits_its_constructor(app: Path) -> None:
    assert lines("callers", "DiskStore", app) == [
        "app/web.py:13  app.web.main  [function]  construct, scoped",
        "app.store.DiskStore: 1 caller, 0 unresolved sites that could be it",
    ]
    assert as_json("path", "main", "DiskStore", app)["answer"] == "known"
    assert as_json("path", "DiskStore", "Store.__init__", app)["steps"] == []


def test_the_shortest_path(app: Path) -> None:
    assert lines("path", "test_handle", "parse", app) == [
        "0  tests/test_web.py:4  tests.test_web.test_handle  [function]",
        "1  tests/test_web.py:5  app.web.handle  [function]  call, scoped",
        "2  app/web.py:5  app.web.parse  [function]  call, scoped",
        "tests.test_web.test_handle to app.web.parse: 2 calls, the shortest known",
    ]
    found = as_json("path", "test_handle", "parse", app)
    assert (found["schema"], found["answer"], found["total"]) == ("plait.path.v1", "known", 2)
    assert names(found["steps"]) == ["app.web.handle", "app.web.parse"]
    assert found["steps"][1]["edge"]["line"] == 5


def test_no_path_is_not_an_unknown_one(app: Path) -> None:
    assert lines("path", "lonely", "store.write", app) == [
        "app.other.lonely to app.store.write: none; every call in 1 symbol it reaches is resolved"
    ]
    assert lines("path", "main", "store.write", app) == [
        "app/web.py:14  ? plugins.run(...)  unknown receiver",
        "app.web.main to app.store.write: no path known; 1 unresolved site on the way could go on,"
        " 0 of them by the name of what leads there",
    ]
    answers = [as_json("path", start, "store.write", app)["answer"] for start in ("lonely", "main", "handle")]
    assert answers == ["none", "unknown", "possible"]


def test_the_sites_that_could_go_on_stand_first_by_name(tmp_path: Path) -> None:
    text = """
def start(a):
    a.other()
    a.middle()
    a.goal()

def middle():
    goal()

def goal():
    pass
"""
    found = as_json("path", "start", "goal", written(tmp_path, {"a.py": text}))
    sites = [(site["expression"], site["likely"]) for site in found["unresolved"]]
    assert sites == [("a.middle", True), ("a.goal", True), ("a.other", False)]


def test_a_path_may_lead_over_an_overriding_method(app: Path) -> None:
    assert lines("path", "handle", "store.write", app)[2:] == [
        "2  app/store.py:10  app.store.DiskStore.save  [method]  may run instead, scoped",
        "3  app/store.py:11  app.store.write  [function]  call, scoped",
        "app.web.handle to app.store.write: 3 steps, possible where an overriding method runs",
    ]


def test_hubs(app: Path) -> None:
    (app / "app" / "more.py").write_text("from app.web import parse\n\n\ndef a():\n    parse(1)\n    parse(2)\n")
    assert lines("hubs", app, "-k", "1") == [
        "app/web.py:8-9  app.web.parse  [function]  2 callers, 28.6% of all that call something",
        "8 called symbols, 9 calls resolved, 2 unresolved sites could be more; the first 1 are shown, -k shows more",
    ]
    found = as_json("hubs", app, "--tests")
    assert (found["schema"], names(found["hubs"]), found["edges_total"]) == ("plait.hubs.v1", ["app.web.handle"], 1)


def test_flows(app: Path) -> None:
    assert lines("flows", app) == [
        "app/web.py:4-5  app.web.handle  [function]  reaches 2",
        "    app.store.Store.save, app.web.parse",
        "app/web.py:12-14  app.web.main  [function]  reaches 2",
        "    app.store.DiskStore, app.store.Store.__init__",
        "app/store.py:10-11  app.store.DiskStore.save  [method]  reaches 1",
        "    app.store.write",
        "app/web.py:17-18  app.web.ping  [function]  reaches 1",
        "    app.web.pong",
        "4 flows, 7 calls resolved, 2 unresolved sites could be more",
    ]
    found = as_json("flows", app, "-k", "1")
    assert (found["schema"], found["total"], len(found["flows"])) == ("plait.flows.v1", 4, 1)
    assert [row["hop"] for row in found["flows"][0]["members"]] == [1]


def test_a_hub_is_folded_in_flows(tmp_path: Path) -> None:
    text = "def hub():\n    deep()\n\n\ndef deep():\n    pass\n" + "".join(
        f"def f{n}():\n    hub()\n" for n in range(5)
    )
    found = as_json("flows", written(tmp_path, {"a.py": text}))
    told = [
        (row["entry"]["symbol"], row["reaches"], names(row["members"]), names(row["hubs"])) for row in found["flows"]
    ]
    assert told == [
        *((f"a.f{number}", 1, [], ["a.hub"]) for number in range(5)),
        ("a.hub", 1, ["a.deep"], []),
    ]


def test_unresolved(app: Path) -> None:
    assert lines("unresolved", app, "-k", "1") == [
        "       2  unknown receiver",
        "       1  builtin (leads out of the repository)",
        "app/web.py:9  ? request.body(...)  unknown receiver",
        "9 call edges, 2 unresolved sites that could be calls within the repository;"
        " the first 1 are shown, -k shows more",
    ]
    found = as_json("unresolved", app, "--reason", "builtin")
    assert (found["schema"], found["total"], found["unresolved"][0]["expression"]) == ("plait.unresolved.v1", 1, "len")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["callers", "write"], "plait: 'write' could be 2 symbols; say which: app.other.write, app.store.write"),
        (["path", "main", "nobody"], "plait: no symbol is called 'nobody'; "),
        (["callers", "parse", "--depth", "0"], "plait: Invalid value for '--depth': 0 is not in the range x>=1."),
        (["hubs", "-k", "0"], "plait: Invalid value for '-k': 0 is not in the range x>=1."),
        (["impact"], "plait: impact needs a symbol, a file or --diff REV"),
        (["impact", "--diff", "--output=x"], "plait: {root}: git knows no commit '--output=x' here"),
        (["export", "--format", "csv"], "plait: csv writes two files; give --out FOLDER"),
        (["export", "--format", "dot", "--json"], "plait: --json tells what was written to a file; give --out FILE"),
        (["export", "--format", "dot", "--out", "no/such/folder"], "plait: no/such/folder: cannot be written ("),
    ],
)
def test_what_cannot_run_exits_with_2_and_one_line(
    app: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str
) -> None:
    monkeypatch.chdir(app)
    result = plait(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(message.format(root=app))
    assert result.stderr.count("\n") == 1


def test_questions_to_the_graph_load_no_numerical_library(app: Path) -> None:
    plait("index", app)
    asked = """
import sys
from click.testing import CliRunner
from plait.doors.cli import main
for line in sys.argv[2:]:
    done = CliRunner().invoke(main, [*line.split(), sys.argv[1], "--embedder", "hashing"])
    assert done.exit_code == 0, done.output
print({"numpy", "tokenizers"} & set(sys.modules))
"""
    questions = ["callers parse", "callees main", "path main parse", "impact parse", "hubs", "flows", "unresolved"]
    command = [sys.executable, "-c", asked, str(app), *questions, "export --format json"]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "set()\n"
