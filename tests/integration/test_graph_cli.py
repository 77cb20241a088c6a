from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from plait.doors.cli import main

FILES = {
    "app/store.py": """class Store:
    def __init__(self):
        self.rows = []

    def save(self, row):
        raise NotImplementedError


class DiskStore(Store):
    def save(self, row):
        return write(row)


def write(row):
    return len(row)
""",
    "app/web.py": """from app.store import DiskStore, Store, write


def handle(request, store: Store):
    return store.save(parse(request))


def parse(request):
    return parse(request[1:]) if request else request.body()


def main(plugins):
    store = DiskStore()
    plugins.run(store)


def ping():
    return pong()


def pong():
    return ping()
""",
    "app/other.py": """def write(row):
    return row


def lonely():
    return 1
""",
    "tests/test_web.py": """from app.web import handle


def test_handle():
    handle("x", None)
""",
}


@pytest.fixture
def app(tmp_path: Path) -> Path:
    return written(tmp_path / "repository", FILES)


def written(root: Path, files: dict[str, str]) -> Path:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    return root


def plait(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, [*map(str, arguments), "--embedder", "hashing"], catch_exceptions=False)


def lines(*arguments: str | Path) -> list[str]:
    result = plait(*arguments)
    assert (result.exit_code, result.stderr) == (0, "")
    return result.stdout.splitlines()


def as_json(*arguments: str | Path) -> dict[str, Any]:
    result = plait(*arguments, "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def names(rows: list[dict[str, Any]]) -> list[str]:
    return [row["symbol"] for row in rows]


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
        "it inherits app.store.Store.__init__: 1 caller of that could make one, too",
        "app.store.DiskStore: 0 callers, 0 unresolved sites that could be it",
    ]
    assert as_json("path", "main", "DiskStore", app)["answer"] == "possible"


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
        "app.web.handle to app.store.write: 3 steps, possible by what is overridden or inherited",
    ]


def test_impact(app: Path) -> None:
    assert lines("impact", "store.write", app) == [
        "changed  app/store.py:14-15  app.store.write  [function]",
        "1  app/store.py:11  app.store.DiskStore.save  [method]  calls, scoped",
        "2  app/store.py:10  app.store.Store.save  [method]  overridden by, scoped",
        "3  app/web.py:5  app.web.handle  [function]  calls, typed",
        "test  4  tests/test_web.py:5  tests.test_web.test_handle  [function]  calls, scoped",
        "1 changed symbol, 3 symbols and 1 test that may break, 0 unresolved sites that could be more",
    ]


@pytest.mark.parametrize("name", ["app/store.py", "store.py", "./app/store.py"])
def test_impact_of_a_file(app: Path, name: str) -> None:
    found = as_json("impact", name, app)
    assert (found["schema"], found["changed_total"], found["tests_total"]) == ("plait.impact.v1", 7, 1)
    assert [(row["symbol"], row["relation"]) for row in found["affected"]] == [
        ("app.web", "imports"),
        ("app.web.handle", "calls"),
        ("app.web.main", "calls"),
    ]


def git(root: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *identity, *arguments], cwd=root, check=True, capture_output=True)


def committed(root: Path) -> Path:
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "first")
    return root


def test_impact_of_a_difference(app: Path) -> None:
    committed(app)
    store = app / "app" / "store.py"
    store.write_text(store.read_text().replace("return len(row)", "return len(row) + 1"))
    other = app / "app" / "other.py"
    other.write_text(
        other.read_text().replace("def lonely():\n    return 1\n", "# --- a/x\n").replace("(row)", "(rows)")
    )
    (app / "app" / "new file.py").write_text("from app.other import lonely\n\n\ndef fresh():\n    lonely()\n")
    found = as_json("impact", "--diff", "HEAD", app)
    assert (found["revision"], found["files"]) == ("HEAD", 3)
    assert names(found["changed"]) == ["app.new file", "app.new file.fresh", "app.other.write", "app.store.write"]
    assert names(found["deleted"]) == ["app.other.lonely"]
    assert names(found["affected"])[:1] == ["app.store.DiskStore.save"]
    assert names(found["tests"]) == ["tests.test_web.test_handle"]
    assert [(site["expression"], site["path"]) for site in found["unresolved"]] == [("lonely", "app/new file.py")]
    assert lines("impact", "--diff", "HEAD", app)[-1].startswith("since HEAD: 4 changed symbols, 1 deleted, 3 symbols")


def test_a_difference_in_a_folder_of_the_work_tree_and_odd_names(app: Path) -> None:
    odd = app / "app" / 'a "b"\tc\\dé.py'
    odd.write_text("def odd():\n    pass\n")
    committed(app)
    odd.write_text("def odd():\n    return 1\n")
    (app / "tests" / "test_web.py").unlink()
    found = as_json("impact", "--diff", "HEAD", app / "app")
    assert [row["path"] for row in found["changed"]] == [odd.name]
    assert (found["deleted"], names(found["changed"])[0].endswith(".odd")) == ([], True)
    assert names(as_json("impact", "--diff", "HEAD", app)["deleted"]) == [
        *("tests.test_web", "tests.test_web.test_handle"),
    ]


def test_a_changed_file_that_cannot_be_read_is_told(app: Path) -> None:
    committed(app)
    (app / "app" / "other.py").write_text("def write(:\n")
    found = as_json("impact", "--diff", "HEAD", app)
    assert (found["changed"], found["deleted"]) == ([], [])
    assert [(row["path"], row["reason"]) for row in found["unread"]] == [("app/other.py", "syntax error")]


def test_a_difference_starts_no_program_of_the_repository(app: Path, tmp_path: Path) -> None:
    (app / ".gitattributes").write_text("*.py filter=evil diff=evil\n")
    committed(app)
    for key in ("filter.evil.clean", "filter.evil.process", "diff.evil.textconv", "diff.evil.command", "diff.external"):
        git(app, "config", key, f"touch {tmp_path / 'started'}; cat")
    git(app, "config", "filter.evil.required", "true")
    store = app / "app" / "store.py"
    store.write_text(store.read_text().replace("return len(row)", "return 2"))
    assert names(as_json("impact", "--diff", "HEAD", app)["changed"]) == ["app.store.write"]
    assert not (tmp_path / "started").exists()


def test_hubs(app: Path) -> None:
    (app / "app" / "more.py").write_text("from app.web import parse\n\n\ndef a():\n    parse(1)\n    parse(2)\n")
    assert lines("hubs", app, "-k", "1") == [
        "app/web.py:8-9  app.web.parse  [function]  2 callers, 28.6% of all that call something",
        "7 called symbols, 8 calls resolved, 2 unresolved sites could be more; the first 1 are shown, -k shows more",
    ]
    found = as_json("hubs", app, "--tests")
    assert (found["schema"], names(found["hubs"]), found["edges_total"]) == ("plait.hubs.v1", ["app.web.handle"], 1)


def test_flows(app: Path) -> None:
    assert lines("flows", app) == [
        "app/web.py:4-5  app.web.handle  [function]  reaches 2",
        "    app.store.Store.save, app.web.parse",
        "app/store.py:10-11  app.store.DiskStore.save  [method]  reaches 1",
        "    app.store.write",
        "app/web.py:12-14  app.web.main  [function]  reaches 1",
        "    app.store.Store.__init__",
        "app/web.py:17-18  app.web.ping  [function]  reaches 1",
        "    app.web.pong",
        "4 flows, 6 calls resolved, 2 unresolved sites could be more",
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
        "8 call edges, 2 unresolved sites that could be calls within the repository;"
        " the first 1 are shown, -k shows more",
    ]
    found = as_json("unresolved", app, "--reason", "builtin")
    assert (found["schema"], found["total"], found["unresolved"][0]["expression"]) == ("plait.unresolved.v1", 1, "len")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["callers", "write"], "plait: 'write' could be 2 symbols; say which: app.other.write, app.store.write"),
        (["path", "main", "nobody"], "plait: no symbol is called 'nobody'; "),
        (["callers", "parse", "--depth", "0"], "plait: --depth must be at least 1, not 0"),
        (["hubs", "-k", "0"], "plait: -k must be at least 1, not 0"),
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
