"""What holds for every graph, whatever the files."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import click
import pytest
import rich
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from plait.facts import ParsedFile
from plait.graph.flow import Flow
from plait.graph.inference import Inference
from plait.graph.names import NameGraph
from plait.graph.program import Program
from plait.graph.scoped import FlowGraph, ScopedGraph
from plait.graph.sites import MAX_CANDIDATES, resolve
from plait.model import EdgeKind, Evidence, Graph, ReferenceKind, SourceFile, Via
from plait.parse.python import PythonParser
from plait.protocols import GraphBuilder

BUILDERS: list[GraphBuilder] = [NameGraph(), ScopedGraph(), FlowGraph()]
STATEMENTS = [
    "import a",
    "import pkg.b",
    "from a import *",
    "from pkg import *",
    "from pkg.b import f, A as B",
    "from . import b",
    "from .b import x",
    "from .. import a as c",
    "x = A()",
    "x = x.f()",
    "y = x",
    "x = y",
    "f = x.f",
    "A = B",
    "x: A | B = None",
    "x: list[A]",
    "T = A | None",
    "y: T",
    "with A() as x: pass",
    "f()",
    "A().f().f()",
    "x.f()",
    "y.x.f()",
    "a.f()",
    "pkg.b.A.f(x)",
    "def f(): return f()",
    "def f(x: A) -> B: return x.f()",
    "async def g(*a, **x): return await x.f()",
    "class A: pass",
    "class A(B):\n    def f(self): return super().f()",
    "class B(A):\n    x = A()\n    def f(self) -> A:\n        self.x = B()\n        return self.x.f()",
    "class B(A, pkg.b.A):\n    @property\n    def x(self) -> 'A': return self\n    def __call__(self): self.x.f()",
    "@f\ndef g(): pass",
    "__all__ = ['f', 'x']",
    "[f() for f in x]",
    "x = x.f",
    "x = [x, f]\nx[0]()\nfor x in x: x()",
    "x = {'f': f, 'A': A}\nx['f']()\nx.get('A')().f()",
    "def g(f=f, *x, **y):\n    f(*x, **y)\n    return g",
    "g = lambda f: f(f)\ng(g)",
    "from functools import partial\nx = partial(x, f)\nx()",
    "def g():\n    yield f\n    yield from g()\nfor f in g(): f()",
    "while x:\n    x = list(x)\n    x = x.values()\n    x.append(x)",
    "try: x = A()\nexcept f as x: x.f()\nelse: x.x()\nfinally: x.f()",
    "with A() as x, x.f() as f: f()",
    "if (f := A()): f.f()",
    "match x:\n    case A(x=f): f()\n    case [f, *x]: x[0]()",
    "raise A",
    "x.f = f\nx.f()\ndel x",
    "setattr(A, 'f', f)\ngetattr(A, 'f')()",
    "def g():\n    global x\n    x = A()\n    x.f()",
]
PATHS = ["a.py", "__init__.py", "pkg/__init__.py", "pkg/b.py", "lib/pkg/b.py", "src/a.py"]


def parse(files: dict[str, str]) -> list[ParsedFile]:
    parsed = [PythonParser().parse(SourceFile(path, "python", text, "")) for path, text in files.items()]
    return [one for one in parsed if isinstance(one, ParsedFile)]


def package(module: object) -> list[ParsedFile]:
    folder = Path(module.__file__).parent  # type: ignore[attr-defined]
    paths = sorted(folder.rglob("*.py"))
    return parse({str(path.relative_to(folder.parent)): path.read_text(encoding="utf-8") for path in paths})


RICH, CLICK = package(rich), package(click)


def check(files: list[ParsedFile], graph: Graph) -> None:
    keys = [(edge.source, edge.target, edge.kind, edge.via) for edge in graph.edges]
    assert keys == sorted(set(keys))
    ids = {symbol.id for file in files for symbol in file.symbols}
    for edge in graph.edges:
        assert edge.source in ids
        assert edge.target in ids
        assert 0 < edge.confidence <= 1
        assert (edge.evidence is Evidence.AMBIGUOUS) == (edge.candidates > 1)


def check_conservation(files: list[ParsedFile], graph: Graph, *, flowing: bool = False) -> None:
    """Each reference has an edge or is unresolved once; both only when it is ambiguous, or a guess by name."""
    inference = Inference(Program(files))
    flow = Flow(inference.program, inference) if flowing else None
    if flow is not None:
        flow.solve()
    order = {file.path: place for place, file in enumerate(sorted(files, key=lambda file: file.path))}
    assert [order[one.path] for one in graph.unresolved] == sorted(order[one.path] for one in graph.unresolved)
    unresolved = list(graph.unresolved)
    edges = {(edge.source, edge.target): edge for edge in graph.edges if edge.kind is EdgeKind.CALLS}
    for file in sorted(files, key=lambda file: file.path):
        for reference in file.references:
            site = resolve(reference, inference, flow)
            assert site.targets or site.unknown
            assert site.candidates <= MAX_CANDIDATES + 1
            if site.unknown is not None:
                assert unresolved.pop(0).reference == reference
                # A call out of the repository can be both: what it leads to, and what is called back from there.
                called_back = not site.unknown[0].could_be_here
                guessed = all(target.via is Via.NAME for target in site.targets)
                assert guessed or site.candidates > 1 or called_back
            if reference.kind is not ReferenceKind.BASE:
                assert all((reference.source, target.id) in edges for target in site.targets)
    assert not unresolved


@pytest.mark.parametrize("files", [RICH, CLICK], ids=["rich", "click"])
@pytest.mark.parametrize("builder", BUILDERS, ids=["names", "scoped", "flow"])
def test_real_packages(builder: GraphBuilder, files: list[ParsedFile]) -> None:
    graph = builder.build(files)
    check(files, graph)
    if not isinstance(builder, NameGraph):
        check_conservation(files, graph, flowing=isinstance(builder, FlowGraph))
    shuffled = list(files)
    random.Random(7).shuffle(shuffled)
    assert builder.build(shuffled) == graph
    calls = [edge for edge in graph.edges if edge.kind is EdgeKind.CALLS]
    assert len(calls) > (50 if isinstance(builder, NameGraph) else 500)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.dictionaries(st.sampled_from(PATHS), st.lists(st.sampled_from(STATEMENTS), max_size=8).map("\n".join)),
    st.randoms(use_true_random=False),
)
def test_any_files(texts: dict[str, str], shuffling: random.Random) -> None:
    files = parse(texts)
    shuffled = list(files)
    shuffling.shuffle(shuffled)
    for builder in BUILDERS:
        graph = builder.build(files)
        check(files, graph)
        assert builder.build(shuffled) == graph
    check_conservation(files, ScopedGraph().build(files))
    check_conservation(files, FlowGraph().build(files), flowing=True)


@pytest.mark.parametrize(
    "text",
    [
        "a0 = f\ndef f(): ...\n" + "".join(f"a{n + 1} = a{n}\n" for n in range(3_000)) + "a3000()",
        "class A0: ...\n" + "".join(f"class A{n + 1}(A{n}): ...\n" for n in range(1_500)) + "A1500().f()",
        "".join(f"def f{n}() -> A{n}: ...\nA{n} = A{n + 1}\n" for n in range(1_000)) + "f0().x()",
        "".join(f"class A{n}(A{n + 1}.B):\n    class B: ...\n" for n in range(600)),
        "x = y\n" * 2_000 + "y = x\n" * 2_000 + "x.f()\n" * 2_000,
        "".join(f"x{n} = x{n + 1}.a(); x{n} = x{n + 2}.b()\n" for n in range(1_000)) + "x0.f()",
        "class A:\n"
        + "".join(f"    def f{n}(self) -> 'A':\n        self.x{n} = self.x{n + 1}.f{n}()\n" for n in range(500)),
    ],
    ids=["aliases", "bases", "returns", "nested", "repeated", "doubled", "attributes"],
)
def test_long_chains_end(text: str) -> None:
    begin = time.process_time()
    ScopedGraph().build(parse({"a.py": text}))
    assert time.process_time() - begin < 20


def test_a_long_circle_of_modules_ends() -> None:
    files = parse({f"m{n}.py": f"from m{(n + 1) % 300} import *\nf()\n" for n in range(300)})
    graph = ScopedGraph().build(files)
    assert len(graph.unresolved) == 300


def test_the_hash_seed_is_nothing() -> None:
    code = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "import hashlib, test_graph_properties as t\n"
        "print(hashlib.sha256(repr(t.ScopedGraph().build(t.CLICK)).encode()).hexdigest())"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code, str(Path(__file__).parent)],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(outputs) == 1
