"""The graph in the formats of other tools. Each writes every name so that it reads back as it was.

| format | is | special characters |
|---|---|---|
| json | `plait.graph.v1` | JSON's |
| graphml | GraphML 1.0, ids as node ids | XML's; what XML 1.0 cannot hold (control characters) as `%` and hex digits |
| dot | a digraph, nodes numbered, ids as attribute `symbol` | backslash escapes |
| mermaid | a flowchart, nodes numbered, labelled with the id | entity codes `#34;` |
| cypher | one statement a line | backslash escapes |
| csv | `nodes.csv` and `edges.csv` | RFC 4180 quotes |
| scip | a SCIP index (binary, see `plait.scip.write`) | backticks |
| dump | all that the index holds (see `plait.dump`) | JSON's |

Nodes stand by id, edges by (source, target, kind, via).
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

from plait.doors.render import Json, edge_json
from plait.errors import CannotWrite
from plait.model import Edge, Evidence, Symbol
from plait.scip.write import index_of
from plait.surveys import WholeGraph

MERMAID_EDGES = 500
"""Mermaid's default for `maxEdges`."""

NODE = ("id", "name", "qualified_name", "kind", "path", "start_line", "end_line", "module", "language", "is_test")
EDGE = ("source", "target", "kind", "via", "evidence", "confidence", "candidates", "path", "line")

_XML_TYPES = {bool: "boolean", int: "int", float: "double", str: "string"}
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_CONTROL = re.compile(r"[\x00-\x1f\x7f\u2028\u2029]")
_NOT_MERMAID = re.compile(r"[^\w\s./():,+-]|[\x00-\x1f]", re.ASCII)


def node_of(symbol: Symbol) -> Json:
    return {
        "id": symbol.id,
        "name": symbol.name,
        "qualified_name": symbol.qualified_name,
        "kind": str(symbol.kind),
        "path": symbol.path,
        "start_line": symbol.span.start_line,
        "end_line": symbol.span.end_line,
        "module": symbol.module,
        "language": symbol.language,
        "is_test": symbol.is_test,
    }


def edge_of(edge: Edge) -> Json:
    made = edge_json(edge)
    return made | {"kind": str(edge.kind), "via": str(edge.via)}


def as_json(graph: WholeGraph) -> Iterator[str]:
    """One node or edge a line."""
    head = {"schema": "plait.graph.v1", "state": graph.state}
    yield json.dumps(head, ensure_ascii=False)[:-1] + ","
    yield from _array("nodes", map(node_of, graph.symbols), ",")
    yield from _array("edges", map(edge_of, graph.edges), "")
    yield "}"


def _array(name: str, values: Iterable[Json], after: str) -> Iterator[str]:
    lines = [json.dumps(value, ensure_ascii=False) for value in values]
    yield f'"{name}": ['
    yield from (f"{line}," for line in lines[:-1])
    yield from lines[-1:]
    yield f"]{after}"


def as_graphml(graph: WholeGraph) -> Iterator[str]:
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">'
    nodes = [node_of(symbol) for symbol in graph.symbols]
    edges = [edge_of(edge) for edge in graph.edges]
    for use, names, rows in (("node", NODE[1:], nodes), ("edge", EDGE[2:], edges)):
        for name in names:
            sort = _XML_TYPES[type(rows[0][name])] if rows else "string"
            yield f'<key id="{use}_{name}" for="{use}" attr.name="{name}" attr.type="{sort}"/>'
    yield '<graph id="plait" edgedefault="directed">'
    for node in nodes:
        yield f"<node id={_attribute(node['id'])}>{_data('node', NODE[1:], node)}</node>"
    for edge in edges:
        yield (
            f"<edge source={_attribute(edge['source'])} target={_attribute(edge['target'])}>"
            f"{_data('edge', EDGE[2:], edge)}</edge>"
        )
    yield "</graph>"
    yield "</graphml>"


def _data(use: str, names: Sequence[str], values: Json) -> str:
    return "".join(f'<data key="{use}_{name}">{_text(values[name])}</data>' for name in names)


def _text(value: object) -> str:
    told = str(value).lower() if isinstance(value, bool) else str(value)
    return escape(_xml(told), {"\r": "&#13;"})


def _attribute(value: str) -> str:
    return quoteattr(_xml(value))


def _xml(text: str) -> str:
    return _NOT_XML.sub(lambda found: "".join(f"%{byte:02X}" for byte in found[0].encode()), text)


def as_dot(graph: WholeGraph) -> Iterator[str]:
    yield "digraph plait {"
    number = {symbol.id: place for place, symbol in enumerate(graph.symbols)}
    for symbol in graph.symbols:
        values = node_of(symbol)
        values = {"label": values["qualified_name"], "symbol": values.pop("id"), **values}
        yield f"  n{number[symbol.id]} [{_dot_attributes(values)}];"
    for edge in graph.edges:
        values = edge_of(edge)
        values = {"label": values["kind"], **{name: values[name] for name in EDGE[2:]}}
        yield f"  n{number[edge.source]} -> n{number[edge.target]} [{_dot_attributes(values)}];"
    yield "}"


def _dot_attributes(values: Json) -> str:
    return ", ".join(f"{name}={_dot(str(value))}" for name, value in values.items())


def _dot(text: str) -> str:
    plain = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\r", "\\r")
    return f'"{plain}"'


def as_mermaid(graph: WholeGraph) -> Iterator[str]:
    """An arrow is dotted where the target is not sure."""
    yield "flowchart LR"
    number = {symbol.id: place for place, symbol in enumerate(graph.symbols)}
    for symbol in graph.symbols:
        yield f'  n{number[symbol.id]}["{_mermaid(symbol.id)}"]'
    for edge in graph.edges:
        arrow = "-.->" if edge.evidence < Evidence.FLOWED else "-->"
        told = f"{edge.kind} {edge.via}, {edge.evidence.name.lower()} {edge.confidence:.2f}, {edge.path}:{edge.line}"
        yield f'  n{number[edge.source]} {arrow}|"{_mermaid(told)}"| n{number[edge.target]}'


def _mermaid(text: str) -> str:
    return _NOT_MERMAID.sub(lambda found: f"#{ord(found[0])};", text)


def as_cypher(graph: WholeGraph) -> Iterator[str]:
    yield "CREATE INDEX plait_symbol IF NOT EXISTS FOR (s:Symbol) ON (s.id);"
    for symbol in graph.symbols:
        yield f"CREATE (:Symbol {_map(node_of(symbol))});"
    for edge in graph.edges:
        values = edge_of(edge)
        ends = f"(a:Symbol {{id: {_cypher(edge.source)}}}), (b:Symbol {{id: {_cypher(edge.target)}}})"
        kept = {name: values[name] for name in EDGE[3:]}
        yield f"MATCH {ends} CREATE (a)-[:{edge.kind.name} {_map(kept)}]->(b);"


def _map(values: Json) -> str:
    return "{" + ", ".join(f"{name}: {_cypher(value)}" for name, value in values.items()) + "}"


def _cypher(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (int, float)):
        return str(value)
    plain = str(value).replace("\\", "\\\\").replace("'", "\\'")
    return "'" + _CONTROL.sub(lambda found: f"\\u{ord(found[0]):04X}", plain) + "'"


def nodes_csv(graph: WholeGraph) -> Iterator[str]:
    return _table(NODE, map(node_of, graph.symbols))


def edges_csv(graph: WholeGraph) -> Iterator[str]:
    return _table(EDGE, map(edge_of, graph.edges))


def _table(names: Sequence[str], rows: Iterable[Json]) -> Iterator[str]:
    for values in (list(names), *([row[name] for name in names] for row in rows)):
        line = io.StringIO()
        csv.writer(line, lineterminator="").writerow(values)
        yield line.getvalue()


FORMATS: dict[str, Callable[[WholeGraph], Iterator[str]]] = {
    "json": as_json,
    "graphml": as_graphml,
    "dot": as_dot,
    "mermaid": as_mermaid,
    "cypher": as_cypher,
}
"""Those of one text file; csv is two, and scip is binary."""

NO_TEXT = ("csv", "scip")

DUMP = "dump"
"""More than the graph: its lines are made from the snapshot."""


def write(graph: WholeGraph, form: str, out: Path, lines: Iterable[str] | None = None) -> list[Path]:
    """Write the file, or for csv the two files into the folder, which is made; return what was written.

    `lines` are what to write in a format that is made from more than the graph. Raises CannotWrite.
    """
    if form == "scip":
        content = index_of(graph.symbols, graph.edges, graph.texts)
        try:
            out.write_bytes(content)
        except OSError as error:
            raise CannotWrite(str(out), error.strerror or str(error), "give another place to --out") from error
        return [out]
    if form == "csv":
        files: dict[Path, Iterable[str]] = {out / "nodes.csv": nodes_csv(graph), out / "edges.csv": edges_csv(graph)}
    else:
        files = {out: FORMATS[form](graph) if lines is None else lines}
    for path, text in files.items():
        try:
            if form == "csv":
                out.mkdir(parents=True, exist_ok=True)
            with path.open("w", encoding="utf-8", newline="") as file:
                file.writelines(f"{line}\n" for line in text)
        except OSError as error:
            raise CannotWrite(str(path), error.strerror or str(error), "give another place to --out") from error
    return list(files)


def report(graph: WholeGraph, form: str, written: Sequence[Path]) -> Json:
    return {
        "schema": "plait.export.v1",
        "format": form,
        "state": graph.state,
        "nodes": len(graph.symbols),
        "edges": len(graph.edges),
        "unresolved_total": graph.unresolved,
        "files": [str(path) for path in written],
    }
