"""Runs the specifications in `calls/*.md`.

Every heading with code below it is one case. A fenced block ```` ```py path=shop/net.py ```` is a file. Each call,
decorator and base in it must be accounted for by a comment at the end of its line:

    self.grow()  #> pool.py:Pool#grow(). [scoped]
    Pool()       #> pool.py:Pool#__init__(). [scoped construct]
    x.run()      #> a.py:A#run(). [ambiguous] ; a.py:B#run(). [ambiguous]
    open(path)   #> unresolved: builtin (open)

`(detail)` may be left out. A block ```` ```edges imports overrides ```` lists all edges of those kinds. In `names.md`
the article's builder is meant, and there are only edges; in `flow.md` values are followed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from plait.facts import ParsedFile
from plait.graph.flow import Flow
from plait.graph.inference import Inference
from plait.graph.names import NameGraph
from plait.graph.program import Program
from plait.graph.scoped import FlowGraph, ScopedGraph, edge_of
from plait.graph.sites import resolve
from plait.model import EdgeKind, Reference, ReferenceKind, SourceFile, SymbolId, Via
from plait.parse.python import PythonParser
from plait.protocols import GraphBuilder

FOLDER = Path(__file__).parent / "calls"
BUILDERS: dict[str, GraphBuilder] = {"names": NameGraph(), "flow": FlowGraph()}
BLOCK = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^#+ (.+)$")


@dataclass
class Case:
    name: str
    builder: GraphBuilder
    files: dict[str, str] = field(default_factory=dict)
    edges: list[tuple[list[EdgeKind], str]] = field(default_factory=list)


def read_cases() -> list[Case]:
    cases: list[Case] = []
    for page in sorted(FOLDER.glob("*.md")):
        builder = BUILDERS.get(page.stem, ScopedGraph())
        # A `#` at the start of a line is a heading only outside of fences.
        for part in re.split(r"^(?=#+ )(?!#>)", _protect(page.read_text()), flags=re.MULTILINE):
            heading = HEADING.match(part.partition("\n")[0])
            case = Case(f"{page.stem}: {heading[1] if heading else ''}", builder)
            for language, info, body in BLOCK.findall(part.replace("\0", "#")):
                if language == "py":
                    case.files[info.strip().removeprefix("path=")] = body
                else:
                    case.edges.append(([EdgeKind(kind) for kind in info.split()], body))
            if case.files:
                cases.append(case)
    return cases


def _protect(text: str) -> str:
    return BLOCK.sub(lambda found: found[0].replace("#", "\0"), text)


def parse(files: dict[str, str]) -> list[ParsedFile]:
    parsed = [PythonParser().parse(SourceFile(path, "python", text, "")) for path, text in files.items()]
    assert all(isinstance(one, ParsedFile) for one in parsed), parsed
    return [one for one in parsed if isinstance(one, ParsedFile)]


def expected(text: str) -> list[tuple[int, str]]:
    found: list[tuple[int, str]] = []
    for number, line in enumerate(text.split("\n"), start=1):
        _, mark, comment = line.partition("#>")
        if mark:
            found += [(number, one.strip()) for one in comment.split(" ; ")]
    return sorted(found)


def outcomes(reference: Reference, path: str, inference: Inference, flow: Flow | None) -> list[str]:
    site = resolve(reference, inference, flow)
    found: list[str] = []
    for target in site.targets:
        edge = edge_of(reference, target, path, site.candidates)
        base = reference.kind is ReferenceKind.BASE
        via = " inherits" if base else "" if edge.via is Via.CALL else f" {edge.via.value}"
        found.append(f"{edge.target} [{edge.evidence.name.lower()}{via}]")
    if site.unknown:
        reason, detail = site.unknown
        found.append(f"unresolved: {reason.value}" + (f" ({detail})" if detail else ""))
    return found


CASES = read_cases()


@pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in CASES])
def test_specification(case: Case) -> None:
    files = parse(case.files)
    graph = case.builder.build(files)
    if not isinstance(case.builder, NameGraph):
        inference = Inference(Program(files))
        flow = Flow(inference.program, inference) if isinstance(case.builder, FlowGraph) else None
        if flow is not None:
            flow.solve()
        for file in files:
            wanted = expected(case.files[file.path])
            actual = sorted(
                (reference.line, one)
                for reference in file.references
                for one in outcomes(reference, file.path, inference, flow)
            )
            without_detail = [
                (line, one.partition(" (")[0])
                if one.startswith("unresolved") and (line, one) not in wanted
                else (line, one)
                for line, one in actual
            ]
            assert sorted(without_detail) == wanted, actual
        sites = [(one, resolve(one, inference, flow)) for file in files for one in file.references]
        resolved = {(one.source, target.id) for one, site in sites for target in site.targets}
        kinds = (EdgeKind.CALLS, EdgeKind.INHERITS)
        linked = {(edge.source, edge.target) for edge in graph.edges if edge.kind in kinds}
        # Calls that no call expression shows are only in the graph.
        assert resolved == linked if flow is None else resolved <= linked
        assert len(graph.unresolved) == sum(1 for _, site in sites if site.unknown)
    for kinds_wanted, body in case.edges:
        listed = [_pair(line) for line in body.split("\n") if line.strip()]
        assert [(edge.source, edge.target) for edge in graph.edges if edge.kind in kinds_wanted] == listed


def _pair(line: str) -> tuple[SymbolId, SymbolId]:
    source, _, target = line.partition(" -> ")
    return SymbolId(source.strip()), SymbolId(target.strip())


def test_names_are_unique() -> None:
    assert len({case.name for case in CASES}) == len(CASES) > 40
