from __future__ import annotations

import csv
import json
import re
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

import pytest
from asking import as_json, plait, written

from plait import Engine
from plait.model import Direction, EdgeKind

HOSTILE = "pkg/a<b>&\"c'd\\e\nf\rg\x01;#{|}--> é\u2028=.py"


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    text = "class Größe:\n    def __init__(self): one()\n\ndef one(): two()\n\ndef two(): one()\n"
    return written(tmp_path / "repository", {HOSTILE: text, "plain.py": "def plain(): return plain()\n"})


def graph_of(root: Path) -> tuple[list[str], list[tuple[str, str, str]]]:
    snapshot = Engine.open(root, embedder="hashing").snapshot()
    symbols = [symbol.id for symbol in snapshot.symbols()]
    edges = snapshot.edges(symbols, list(EdgeKind), Direction.OUT)
    assert len(edges) > 6
    return list(symbols), [(edge.source, edge.target, str(edge.kind)) for edge in edges]


def exported(root: Path, form: str, tmp_path: Path) -> str:
    out = tmp_path / "graph"
    told = as_json("export", root, "--format", form, "--out", out)
    symbols, edges = graph_of(root)
    assert (told["schema"], told["nodes"], told["edges"]) == ("plait.export.v1", len(symbols), len(edges))
    assert told["files"] == [str(out)]
    with out.open(encoding="utf-8", newline="") as file:
        text = file.read()
    assert plait("export", root, "--format", form).stdout_bytes.decode() == text
    return text


def test_export_as_json(hostile: Path, tmp_path: Path) -> None:
    found = json.loads(exported(hostile, "json", tmp_path))
    symbols, edges = graph_of(hostile)
    assert found["schema"] == "plait.graph.v1"
    assert [node["id"] for node in found["nodes"]] == symbols
    assert [(edge["source"], edge["target"], edge["kind"]) for edge in found["edges"]] == edges
    assert {edge["path"] for edge in found["edges"]} == {HOSTILE, "plain.py"}
    assert all(0 < edge["confidence"] <= 1 and edge["evidence"] and edge["line"] for edge in found["edges"])


def test_export_as_graphml(hostile: Path, tmp_path: Path) -> None:
    space = "{http://graphml.graphdrawing.org/xmlns}"
    root = ElementTree.fromstring(exported(hostile, "graphml", tmp_path).encode())
    symbols, edges = graph_of(hostile)
    as_written = [symbol.replace("\x01", "%01") for symbol in symbols]
    assert [node.get("id") for node in root.iter(f"{space}node")] == as_written
    keys = {key.get("id"): key.get("attr.type") for key in root.iter(f"{space}key")}
    assert (keys["edge_confidence"], keys["node_is_test"], keys["node_start_line"]) == ("double", "boolean", "int")
    paths = []
    for place, edge in enumerate(root.iter(f"{space}edge")):
        data = {datum.get("key"): datum.text for datum in edge}
        source, target, kind = edges[place]
        assert (edge.get("source"), edge.get("target")) == (
            source.replace("\x01", "%01"),
            target.replace("\x01", "%01"),
        )
        assert data["edge_kind"] == kind
        assert set(data) <= set(keys)
        paths.append(data["edge_path"])
    assert set(paths) == {HOSTILE.replace("\x01", "%01"), "plain.py"}
    assert len(paths) == len(edges)


DOT_TEXT = r'"((?:[^"\\\n]|\\.)*)"'
DOT_LINE = re.compile(rf"  n(\d+)(?: -> n(\d+))? \[((?:\w+={DOT_TEXT}(?:, )?)+)\];")


def test_export_as_dot(hostile: Path, tmp_path: Path) -> None:
    first, *statements, last, end = exported(hostile, "dot", tmp_path).split("\n")
    assert (first, last, end) == ("digraph plait {", "}", "")
    symbols, edges = graph_of(hostile)
    nodes: list[str] = []
    found: list[tuple[str, str, str]] = []
    for statement in statements:
        line = DOT_LINE.fullmatch(statement)
        assert line, statement
        values = {name: unescaped(text) for name, text in re.findall(rf"(\w+)={DOT_TEXT}", line[3])}
        if line[2] is None:
            assert int(line[1]) == len(nodes)
            nodes.append(values["symbol"])
        else:
            found.append((nodes[int(line[1])], nodes[int(line[2])], values["kind"]))
    assert (nodes, found) == (symbols, edges)


def unescaped(text: str) -> str:
    return re.sub(r"\\(.)", lambda found: {"n": "\n", "r": "\r"}.get(found[1], found[1]), text)


def test_export_as_mermaid(hostile: Path, tmp_path: Path) -> None:
    first, *statements, end = exported(hostile, "mermaid", tmp_path).split("\n")
    assert (first, end) == ("flowchart LR", "")
    symbols, edges = graph_of(hostile)
    nodes = [re.fullmatch(r'  n(\d+)\["([^"\[\]<>]*)"\]', one) for one in statements[: len(symbols)]]
    plain = [re.sub(r"#(\d+);", lambda code: chr(int(code[1])), node[2]) for node in nodes if node]
    assert plain == symbols
    arrows = [re.fullmatch(r'  n(\d+) -\.?->\|"(\w+) [^"|<>]*"\| n(\d+)', one) for one in statements[len(symbols) :]]
    assert [(symbols[int(one[1])], symbols[int(one[3])], one[2]) for one in arrows if one] == edges


def test_export_as_cypher(hostile: Path, tmp_path: Path) -> None:
    _, *statements, end = exported(hostile, "cypher", tmp_path).split("\n")
    symbols, edges = graph_of(hostile)
    assert end == ""
    value = r"(?:'(?:[^'\\]|\\['\\]|\\u[0-9A-F]{4})*'|[\d.]+|true|false)"
    values = rf"\{{\w+: {value}(?:, \w+: {value})*\}}"
    node = re.compile(rf"CREATE \(:Symbol {values}\);")
    edge = re.compile(rf"MATCH \(a:Symbol {values}\), \(b:Symbol {values}\) CREATE \(a\)-\[:[A-Z]+ {values}\]->\(b\);")
    assert [bool(node.fullmatch(one)) for one in statements] == [True] * len(symbols) + [False] * len(edges)
    assert all(edge.fullmatch(one) for one in statements[len(symbols) :])


def test_export_as_csv(hostile: Path, tmp_path: Path) -> None:
    out = tmp_path / "a" / "tables"
    result = plait("export", hostile, "--format", "csv", "--out", out)
    assert (result.exit_code, result.stdout.startswith("7 symbols and 9 edges written to ")) == (0, True)
    symbols, edges = graph_of(hostile)
    with (out / "nodes.csv").open(encoding="utf-8", newline="") as file:
        nodes = list(csv.DictReader(file))
    with (out / "edges.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [node["id"] for node in nodes] == symbols
    assert {node["path"] for node in nodes} == {HOSTILE, "plain.py"}
    assert [(row["source"], row["target"], row["kind"]) for row in rows] == edges
    assert {row["path"] for row in rows} == {HOSTILE, "plain.py"}


def test_a_dump_is_everything_line_by_line(hostile: Path, tmp_path: Path) -> None:
    text = exported(hostile, "dump", tmp_path)
    snapshot = Engine.open(hostile, embedder="hashing").snapshot()
    assert text.splitlines() == text[:-1].split("\n")
    tables = Counter(line.split()[0] for line in text.splitlines())
    assert tables == {
        "info": 9,
        "file": 2,
        "symbol": snapshot.info.symbols,
        "text": snapshot.info.symbols,
        "edge": sum(snapshot.info.edges.values()),
        "posting": sum(len(found) for _, found in snapshot.postings()),
        "vector": sum(snapshot.info.passages.values()),
    }
    assert "edge plain.py:plain(). plain.py:plain(). calls call " in text
    assert "posting größe " in text
    assert str(hostile) not in text
