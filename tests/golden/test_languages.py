"""Runs the specifications in `calls/languages/*.md`: one page a language, one case a heading.

A fenced block ```` ```go path=shop/cart.go ```` is a file; the page's name is its language unless the fence names
another. Each site in it must be accounted for by a comment at the end of its line, after `#>`, as in `test_calls.py`:

    c.grow()    //#> a.go:Cart#grow(). [typed]
    open(path)  //#> unresolved: external
    f()         //#> unresolved: dynamic ; missed: a.go:work().
    x.grow()    //#> a.go:Cart#grow(). [name name] wrong

`missed` says what the language would run there and plait does not find; `wrong`, that what is found does not run there.

Lines without such a comment must have no site but those of the language itself (`unresolved: builtin`). A block
```` ```edges inherits overrides ```` lists all edges of those kinds.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from plait import plugins
from plait.facts import ParsedFile
from plait.graph.generic.build import GenericGraph, Linker, edge_of
from plait.graph.generic.dialects import DIALECTS
from plait.model import EdgeKind, Reference, ReferenceKind, SourceFile, Unknown, Via

FOLDER = Path(__file__).parent / "calls" / "languages"
MISSED, WRONG = "missed: ", " wrong"
BLOCK = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass
class Case:
    name: str
    files: dict[str, tuple[str, str]] = field(default_factory=dict)
    """path -> language and text"""
    edges: list[tuple[list[EdgeKind], list[str]]] = field(default_factory=list)


def read_cases() -> list[Case]:
    cases: list[Case] = []
    for page in sorted(FOLDER.glob("*.md")):
        text = BLOCK.sub(lambda found: found[0].replace("\n#", "\n\0"), page.read_text())
        for part in re.split(r"^(?=## )", text, flags=re.MULTILINE)[1:]:
            case = Case(f"{page.stem}: {part[3 : part.index(chr(10))]}")
            for language, info, body in BLOCK.findall(part.replace("\0", "#")):
                if language == "edges":
                    kinds = [EdgeKind(kind) for kind in info.split()]
                    case.edges.append((kinds, [line.strip() for line in body.splitlines() if line.strip()]))
                else:
                    case.files[info.strip().removeprefix("path=")] = (language, body)
            cases.append(case)
    return cases


def parse(files: dict[str, tuple[str, str]]) -> list[ParsedFile]:
    made = [
        plugins.build("parser", lang).parse(SourceFile(path, lang, text, "")) for path, (lang, text) in files.items()
    ]
    assert all(isinstance(one, ParsedFile) for one in made), made
    return [one for one in made if isinstance(one, ParsedFile)]


def expected(text: str) -> list[tuple[int, str]]:
    found: list[tuple[int, str]] = []
    for number, line in enumerate(text.split("\n"), start=1):
        _, mark, comment = line.partition("#>")
        if mark:
            found += [(number, one.strip().removesuffix("*/").strip()) for one in comment.split(" ; ")]
    return sorted(found)


def missed(text: str) -> list[tuple[int, str]]:
    return [(line, one.removeprefix(MISSED)) for line, one in expected(text) if one.startswith(MISSED)]


def outcomes(reference: Reference, path: str, linker: Linker) -> list[str]:
    site = linker.site(reference)
    found: list[str] = []
    for target in site.targets:
        edge = edge_of(reference, target, path)
        base = reference.kind is ReferenceKind.BASE
        via = " inherits" if base else "" if edge.via is Via.CALL else f" {edge.via.value}"
        found.append(f"{edge.target} [{edge.evidence.name.lower()}{via}]")
    if site.unknown is not None and site.unknown[0] is not Unknown.BUILTIN:
        found.append(f"unresolved: {site.unknown[0].value}")
    return found


def actual(files: list[ParsedFile], path: str, *, flow: bool) -> list[tuple[int, str]]:
    file = next(one for one in files if one.path == path)
    family = DIALECTS[file.symbols[0].language].family
    linker = Linker([one for one in files if DIALECTS[one.symbols[0].language].family == family], flow=flow)
    return sorted({(one.line, text) for one in file.references for text in outcomes(one, path, linker)})


CASES = read_cases()


@pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in CASES])
def test_specification(case: Case) -> None:
    files = parse(case.files)
    flow = case.name.partition(":")[0].endswith("_flow")
    for path, (_, text) in case.files.items():
        found = actual(files, path, flow=flow)
        assert found == [(line, one.removesuffix(WRONG)) for line, one in expected(text) if not one.startswith(MISSED)]
        assert not set(missed(text)) & {(line, one.partition(" ")[0]) for line, one in found}
    graph = GenericGraph(flow).build(files)
    for kinds, wanted in case.edges:
        assert [f"{edge.source} -> {edge.target}" for edge in graph.edges if edge.kind in kinds] == wanted


def test_every_language_has_a_page() -> None:
    assert {case.name.partition(":")[0].removesuffix("_flow") for case in CASES} == set(DIALECTS)
