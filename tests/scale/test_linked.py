"""Calls from one repository into another: found where the package is published by one that the caller may read."""

from __future__ import annotations

import shutil
from pathlib import Path

from plait.fleet.building import build_repository
from plait.fleet.fleet import Fleet
from plait.fleet.linked import Linked
from plait.model import Direction, Edge, EdgeKind
from plait.settings import Settings
from plait.store.lance import registry

LIBRARY = {
    "pyproject.toml": "[project]\nname = 'acme-net'\n",
    "src/acme_net/__init__.py": (
        "from ._client import Client as Client, connect\nfrom .errors import *\nopen_ = connect\n"
    ),
    "src/acme_net/_client.py": (
        "class Base:\n    def close(self):\n        pass\n\n\n"
        "class Client(Base):\n    def __init__(self, url):\n        self.url = url\n\n"
        "    def get(self):\n        pass\n\n\n"
        "def connect(url):\n    return Client(url)\n"
    ),
    "src/acme_net/errors.py": (
        "class NetError(Exception):\n    def __init__(self):\n        pass\n\n\n"
        "class Late(NetError):\n    pass\n\n\ndef explain():\n    pass\n"
    ),
}
APP = {
    "app/main.py": (
        "import json\nimport acme_net\nfrom acme_net import Client, connect as dial, explain, missing\n"
        "from acme_net.errors import Late, NetError\nimport unknown_package\n\n\n"
        "class Mine(Client):\n    def again(self):\n        self.get()\n        self.nothing()\n\n\n"
        "def run():\n    c = Client('x')\n    c.get()\n    c.close()\n"
        "    dial('y')\n    Late()\n    NetError()\n    acme_net.open_('z')\n"
        "    explain()\n    missing()\n    unknown_package.go()\n    json.dumps(1)\n    connect()\n"
    ),
}
GO_LIBRARY = {
    "go.mod": "module example.com/acme/web\n",
    "web.go": "package web\n\ntype Engine struct{}\n\nfunc New() *Engine { return nil }\n",
    "routes.go": "package web\n\nfunc (e *Engine) Get(path string) {}\n",
    "render/json.go": "package render\n\nfunc JSON() {}\n",
}
GO_APP = {
    "go.mod": "module example.com/acme/app\n",
    "main.go": (
        'package main\n\nimport (\n\tr "example.com/acme/web/render"\n\t"example.com/acme/web"\n)\n\n'
        'func main() {\n\tweb.New()\n\tr.JSON()\n}\n\nfunc serve(e *web.Engine) {\n\te.Get("/")\n}\n'
    ),
}
JAVA_LIBRARY = {
    "src/main/java/com/acme/json/Gson.java": (
        "package com.acme.json;\npublic class Gson {\n  public String toJson(Object o) { return null; }\n}\n"
    )
}
JAVA_APP = {
    "src/main/java/com/acme/app/App.java": (
        "package com.acme.app;\nimport com.acme.json.Gson;\nclass App {\n  String f() { Gson g = new Gson();"
        " return g.toJson(1); }\n}\n"
    )
}
ALL = {"app": APP, "net": LIBRARY, "goweb": GO_LIBRARY, "goapp": GO_APP, "gson": JAVA_LIBRARY, "japp": JAVA_APP}


def written(place: Path, sources: dict[str, str]) -> str:
    shutil.rmtree(place, ignore_errors=True)
    for path, text in sources.items():
        (place / path).parent.mkdir(parents=True, exist_ok=True)
        (place / path).write_text(text, encoding="utf-8")
    return str(place)


def fleet_of(place: Path, repositories: dict[str, dict[str, str]]) -> Fleet:
    made = Fleet.create(str(place / "fleet"), Settings(embedder="hashing", graph="scoped", cache=place / "cache"))
    registry.add(made.tables, {name: written(place / name, sources) for name, sources in repositories.items()})
    assert [build_repository(made, name).problem for name in repositories] == [""] * len(repositories)
    return made


def told(edges: list[Edge]) -> list[str]:
    return [f"{one.source} -> {one.target} {one.kind} {one.via} {one.evidence.name.lower()}" for one in edges]


def links(linked: Linked, repository: str) -> list[str]:
    return sorted(told([edge for one in linked.crossings(repository) for edge in one.edges]))


PYTHON_LINKS = [
    "app//app/main.py:Mine# -> net//src/acme_net/_client.py:Client# inherits declaration scoped",
    "app//app/main.py:Mine#again(). -> net//src/acme_net/_client.py:Client#get(). calls call typed",
    "app//app/main.py:run(). -> net//src/acme_net/_client.py:Base#close(). calls call typed",
    "app//app/main.py:run(). -> net//src/acme_net/_client.py:Client#__init__(). calls construct scoped",
    "app//app/main.py:run(). -> net//src/acme_net/_client.py:Client#get(). calls call typed",
    "app//app/main.py:run(). -> net//src/acme_net/_client.py:connect(). calls call scoped",
    "app//app/main.py:run(). -> net//src/acme_net/_client.py:connect(). calls call scoped",
    "app//app/main.py:run(). -> net//src/acme_net/errors.py:Late# calls construct scoped",
    "app//app/main.py:run(). -> net//src/acme_net/errors.py:NetError#__init__(). calls construct scoped",
    "app//app/main.py:run(). -> net//src/acme_net/errors.py:NetError#__init__(). calls construct scoped",
    "app//app/main.py:run(). -> net//src/acme_net/errors.py:explain(). calls call scoped",
]


def test_names_lead_to_what_the_other_repository_defines_or_passes_on(tmp_path: Path) -> None:
    linked = Linked(fleet_of(tmp_path, ALL))
    assert links(linked, "app") == PYTHON_LINKS
    assert links(linked, "goapp") == [
        "goapp//main.go:main(). -> goweb//render/json.go:JSON(). calls call scoped",
        "goapp//main.go:main(). -> goweb//web.go:New(). calls call scoped",
        "goapp//main.go:serve(). -> goweb//routes.go:Engine#Get(). calls call typed",
    ]
    app = "japp//src/main/java/com/acme/app/App.java:App#f()."
    gson = "gson//src/main/java/com/acme/json/Gson.java:Gson#"
    assert links(linked, "japp") == [
        f"{app} -> {gson} calls construct scoped",
        f"{app} -> {gson}toJson(). calls call typed",
    ]
    assert links(linked, "net") == []


def test_both_directions_are_the_same_edges(tmp_path: Path) -> None:
    linked = Linked(fleet_of(tmp_path, ALL))
    there = {edge for name in ALL for one in linked.crossings(name) for edge in one.edges}
    targets = sorted({one.target for one in there})
    back = {one for target in targets for one in linked.edges([target], list(EdgeKind), Direction.IN)}
    across = {one for one in back if one.source.partition("//")[0] != one.target.partition("//")[0]}
    assert {(one.source, one.target, one.kind) for one in there} == {
        (one.source, one.target, one.kind) for one in across
    }
    callers = linked.related(linked.find("Client.get"), Direction.IN)
    assert [(reach.hop, symbol.id) for reach, symbol in callers.reached] == [
        (1, "app//app/main.py:Mine#again()."),
        (1, "app//app/main.py:run()."),
    ]
    callees = linked.related(linked.find("app.main.run"), Direction.OUT)
    assert [(one.outward.package, one.outward.name, one.publishers) for one in callees.open] == [
        ("python:acme_net", "missing", ("net",)),
        ("python:unknown_package", "go", ()),
    ]


def test_a_package_of_two_repositories_leads_nowhere_and_says_so(tmp_path: Path) -> None:
    fleet = fleet_of(tmp_path, ALL | {"fork": LIBRARY})
    linked = Linked(fleet)
    assert linked.ambiguous() == {"python:acme_net": ("fork", "net")}
    assert links(linked, "app") == []
    assert {one.publishers for one in linked.crossings("app")} == {(), ("fork", "net")}
    assert linked.related(linked.find("net//acme_net._client.connect"), Direction.IN).rivals == ("fork",)
    # Who may not read the fork gets the answer of a fleet without it; who may not read the library, no edge into it.
    assert links(Linked(fleet, set(ALL)), "app") == PYTHON_LINKS
    unread = Linked(fleet, {"app"})
    assert unread.ambiguous() == {}
    assert {(one.edges, one.publishers) for one in unread.crossings("app")} == {((), ())}


def test_after_rebuilds_links_are_those_of_a_clean_fleet(tmp_path: Path) -> None:
    shrunk = LIBRARY | {
        "src/acme_net/_client.py": "def connect(url):\n    pass\n",
        "src/acme_net/errors.py": "x = 1\n",
    }
    moved = {"app/main.py": APP["app/main.py"].replace("acme_net.open_('z')", "acme_net.errors.explain()")}
    fleet = fleet_of(tmp_path / "a", ALL)
    now = dict(ALL)
    for step, (name, sources) in enumerate((("net", shrunk), ("app", moved), ("net", LIBRARY))):
        now[name] = sources
        written(tmp_path / "a" / name, sources)
        assert build_repository(fleet, name).built
        mine, clean = Linked(fleet), Linked(fleet_of(tmp_path / f"clean{step}", now))
        assert {one: mine.crossings(one) for one in ALL} == {one: clean.crossings(one) for one in ALL}
    assert "app//app/main.py:run(). -> net//src/acme_net/errors.py:explain(). calls call scoped" in links(mine, "app")
