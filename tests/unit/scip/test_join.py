"""What a SCIP index changes in the graph, by example. The marks below the code are the index (see `scip_indexes`)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from plait import plugins
from plait.facts import ParsedFile
from plait.graph.confidence import EXACT
from plait.graph.scoped import FlowGraph, ScopedGraph
from plait.model import EdgeKind, Evidence, Graph, Known, SourceFile
from plait.parse.python import PythonParser
from plait.scip import schema
from plait.scip.join import Outcome, Tally, join
from scip_indexes import marked

BASES = """class A:
#     = pkg a/A#
    def run(self): ...
    #   === pkg a/A#run().
class B:
#     = pkg a/B#
    def run(self): ...
    #   === pkg a/B#run().
"""


def joined(
    files: Mapping[str, str],
    now: Mapping[str, str] | None = None,
    encoding: int = schema.UTF32,
    said: bool = True,
    builder: ScopedGraph | FlowGraph | None = None,
    project_root: str = "",
    root: str = "/shop",
) -> tuple[Graph, Tally]:
    """The graph with the marked index; `now` are the files if they have changed since."""
    plain, index = marked(files, encoding, said)
    index.metadata.project_root = project_root
    sources = {path: SourceFile(path, "python", text, "") for path, text in (now or plain).items()}
    parsed = [PythonParser().parse(source) for source in sources.values()]
    facts = [one for one in parsed if isinstance(one, ParsedFile)]
    assert len(facts) == len(sources)
    known, (tally,) = join([("index.scip", index)], sources, facts, Path(root))
    assert sum(tally.counts.values()) == sum(len(one.occurrences) for one in index.documents)
    return (builder or FlowGraph()).build_with(facts, known), tally


def calls(graph: Graph) -> list[str]:
    return [
        f"{edge.source} -> {edge.target} {edge.evidence.name.lower()}"
        for edge in graph.edges
        if edge.kind is EdgeKind.CALLS
    ]


def left(graph: Graph) -> list[str]:
    return [f"{site.reference.expression}: {site.reason} ({site.detail})" for site in graph.unresolved]


USE = """def f(x):
#   = pkg a/f().
    x.run()
    # ^^^ pkg a/A#run().
"""


def test_a_site_that_was_open_gets_an_exact_edge() -> None:
    graph, tally = joined({"a.py": BASES + USE})
    assert calls(graph) == ["a.py:f(). -> a.py:A#run(). exact"]
    assert left(graph) == []
    assert {edge.confidence for edge in graph.edges if edge.kind is EdgeKind.CALLS} == {EXACT}
    assert tally.counts == {Outcome.DEFINITION: 5, Outcome.CALL: 1}


def test_an_edge_that_was_found_too_is_raised() -> None:
    found, _ = joined({"a.py": "def g(): ...\ndef f(): g()\n"})
    assert calls(found) == ["a.py:f(). -> a.py:g(). scoped"]
    text = "def g(): ...\n#   = pkg a/g().\ndef f(): g()\n#   = pkg a/f().\n#        ^ pkg a/g().\n"
    graph, _ = joined({"a.py": text})
    assert calls(graph) == ["a.py:f(). -> a.py:g(). exact"]


def test_other_candidates_of_the_site_give_way() -> None:
    both = "def go():\n    f(A())\n    f(B())\n"
    before, _ = joined({"a.py": BASES + USE.replace("    # ^^^ pkg a/A#run().\n", "") + both})
    assert "a.py:f(). -> a.py:B#run(). ambiguous" in calls(before)
    after, _ = joined({"a.py": BASES + USE + both})
    assert [one for one in calls(after) if one.startswith("a.py:f")] == ["a.py:f(). -> a.py:A#run(). exact"]


def test_methods_that_override_what_is_declared_stay() -> None:
    """A type checker names the base's method; the values that flow there are of the classes below."""
    text = BASES.replace("class B:", "class B(A):") + USE + "def go(): f(B())\n"
    graph, _ = joined({"a.py": text})
    assert [one for one in calls(graph) if one.startswith("a.py:f")] == [
        "a.py:f(). -> a.py:A#run(). exact",
        "a.py:f(). -> a.py:B#run(). flowed",
    ]


def test_further_types_of_a_declared_union_stay() -> None:
    """Pyrefly 1.5.0 names the first type of a union alone."""
    graph, _ = joined({"a.py": BASES + USE.replace("x)", "x: A | B)")}, builder=ScopedGraph())
    assert calls(graph)[:1] == ["a.py:f(). -> a.py:A#run(). exact"]
    assert calls(graph)[1:] == ["a.py:f(). -> a.py:B#run(). ambiguous"]


def test_a_class_is_constructed_and_inherited() -> None:
    text = """class A:
#     = pkg a/A#
    def __init__(self): ...
class B(A): ...
#       ^ pkg a/A#
#     = pkg a/B#
def f(): return A()
#   = pkg a/f().
#               ^ pkg a/A#
"""
    graph, _ = joined({"a.py": text})
    assert calls(graph) == ["a.py:f(). -> a.py:A#__init__(). exact"]
    assert [(edge.target, edge.evidence) for edge in graph.edges if edge.kind is EdgeKind.INHERITS] == [
        ("a.py:A#", Evidence.EXACT)
    ]


def test_a_site_in_a_definition_that_was_not_found_is_not_trusted() -> None:
    """The index lacks `f`, so the line may have been another function's when it was made."""
    graph, tally = joined({"a.py": BASES + USE.replace("#   = pkg a/f().\n", "")})
    assert (calls(graph), tally.counts[Outcome.MOVED]) == ([], 1)


def test_calling_what_a_property_returns_is_not_calling_the_property() -> None:
    text = BASES.replace("    def run", "    @property\n    def run", 1) + USE
    graph, _ = joined({"a.py": text})
    assert calls(graph) == []


def test_one_of_several_definitions_of_a_name_means_all_of_them() -> None:
    """An index names the first; which one exists is not known before the program runs."""
    text = """if 1:
    def g(): ...
    #   = pkg a/g().
else:
    def g(): ...
def f(): g()
#   = pkg a/f().
#        ^ pkg a/g().
"""
    graph, _ = joined({"a.py": text})
    assert calls(graph) == [f"a.py:f(). -> a.py:g({again}). ambiguous" for again in ("", "+1")]


def test_an_overload_means_the_implementation() -> None:
    text = """from typing import overload
@overload
def g(x: int): ...
#   = pkg a/g().
@overload
def g(x: str): ...
def g(x): ...
def f(): g(1)
#   = pkg a/f().
#        ^ pkg a/g().
"""
    graph, _ = joined({"a.py": text})
    assert calls(graph) == ["a.py:f(). -> a.py:g(+2). exact"]


def test_what_leads_out_of_the_folder_says_where_to() -> None:
    text = """def f(x):
#   = pkg a/f().
    x.get()
    # ^^^ scip-test pip requests 2.0 `requests.api`/get().
    x.join()
    # ^^^^ scip-test python python-stdlib 3.11 builtins/str#join().
    x.walk()
    # ^^^^ scip-test python python-stdlib 3.11 `os.path`/walk().
    x.gone()
    # ^^^^ pkg b/gone().
"""
    graph, tally = joined({"a.py": text})
    assert left(graph) == [
        "x.get: external (requests)",
        "x.join: builtin (str)",
        "x.walk: external (os)",
        "x.gone: unknown receiver ()",
    ]
    assert tally.counts == {Outcome.DEFINITION: 1, Outcome.OUTSIDE: 3, Outcome.VALUE: 1}


def test_a_method_here_may_override_what_is_declared_outside() -> None:
    text = """class A:
#     = pkg a/A#
    def emit(self): ...
    #   ==== pkg a/A#emit().
def f(x):
#   = pkg a/f().
    x.emit()
    # ^^^^ scip-test python python-stdlib 3.11 logging/Handler#emit().
f(A())
"""
    graph, _ = joined({"a.py": text})
    assert "a.py:f(). -> a.py:A#emit(). flowed" in calls(graph)


@pytest.mark.parametrize("said", [True, False])
@pytest.mark.parametrize("encoding", [schema.UTF8, schema.UTF16, schema.UTF32])
def test_columns_are_counted_in_the_units_of_the_document(encoding: int, said: bool) -> None:
    """An encoding that is not said is the one under which the names fit."""
    text = """def größe(): ...
#   ===== pkg a/`größe`().
def f(): return "🚀é", größe()
#   = pkg a/f().
#                     ^^^^^ pkg a/`größe`().
"""
    graph, tally = joined({"a.py": text}, encoding=encoding, said=said)
    assert calls(graph) == ["a.py:f(). -> a.py:größe(). exact"]
    assert Outcome.MOVED not in tally.counts


STALE = BASES + USE


@pytest.mark.parametrize(
    ("edit", "reason"),
    [
        (lambda text: "import os\n" + text, "every line has moved"),
        (lambda text: text.replace("x.run()", "x.ran()"), "another name is called"),
        (lambda text: text.replace("x.run()", "y = 1; x.run()"), "the call has moved within its line"),
        (lambda text: text.replace("def f(x):", "def g(x):"), "the function around is another one"),
        (lambda text: text.replace("def run", "def ran"), "the definition has another name"),
    ],
)
def test_what_does_not_fit_the_text_of_today_is_left_out(edit: object, reason: str) -> None:
    plain, _ = marked({"a.py": STALE})
    assert callable(edit)
    graph, _ = joined({"a.py": STALE}, {"a.py": edit(plain["a.py"])})
    assert not [edge for edge in graph.edges if edge.evidence is Evidence.EXACT], reason


def test_occurrences_whose_text_has_moved_are_counted() -> None:
    plain, _ = marked({"a.py": STALE})
    _, tally = joined({"a.py": STALE}, {"a.py": "import os\n" + plain["a.py"]})
    assert tally.counts[Outcome.MOVED] == 6


def test_the_same_call_of_another_receiver_is_not_taken_for_the_old_one() -> None:
    text = """class A:
#     = pkg a/A#
    def run(self): ...
    #   === pkg a/A#run().
def f(a, b):
#   = pkg a/f().
#     = pkg a/f().(a)
#        = pkg a/f().(b)
    a.run()
#   ^ pkg a/f().(a)
    # ^^^ pkg a/A#run().
"""
    plain, _ = marked({"a.py": text})
    assert calls(joined({"a.py": text})[0]) == ["a.py:f(). -> a.py:A#run(). exact"]
    graph, _ = joined({"a.py": text}, {"a.py": plain["a.py"].replace("    a.run()", "    b.run()")})
    assert calls(graph) == ["a.py:f(). -> a.py:A#run(). name"]


def test_an_alias_of_an_import_is_the_name_that_was_imported() -> None:
    text = {
        "a.py": "def g(): ...\n#   = pkg a/g().\n",
        "b.py": "from a import g as h\ndef f(): h()\n#   = pkg b/f().\n#        ^ pkg a/g().\n",
    }
    graph, _ = joined(text)
    assert calls(graph) == ["b.py:f(). -> a.py:g(). exact"]


def test_a_symbol_that_two_files_define_helps_only_at_home() -> None:
    """Two `conftest.py` are one module to a producer that names modules without their folder."""
    home = "def g(): ...\n#   = pkg conftest/g().\n"
    home += "def f(): g()\n#   = pkg conftest/f().\n#        ^ pkg conftest/g().\n"
    away = "def f(g): g()\n#   = pkg c/f().\n#         ^ pkg conftest/g().\n"
    graph, tally = joined({"a/conftest.py": home, "b/conftest.py": home, "c.py": away})
    assert calls(graph) == [f"{path}:f(). -> {path}:g(). exact" for path in ("a/conftest.py", "b/conftest.py")]
    assert tally.counts[Outcome.VALUE] == 1


def test_nested_functions_may_be_local_symbols() -> None:
    text = "def f():\n#   = pkg a/f().\n    def g(): ...\n    #   = local 1\n    g()\n    ^ local 1\n"
    graph, _ = joined({"a.py": text.replace("    ^ local", "#   ^ local")})
    assert calls(graph) == ["a.py:f(). -> a.py:f().g(). exact"]


def test_a_file_that_is_not_indexed_is_counted() -> None:
    plain, _ = marked({"a.py": BASES + USE})
    _, tally = joined({"a.py": BASES + USE, "a.ts": USE}, plain)
    assert tally.counts[Outcome.NOT_INDEXED] == 2


@pytest.mark.parametrize(
    ("project_root", "root", "path"),
    [
        ("file:///elsewhere", "/shop", "a.py"),
        ("file:///shop/", "/shop", "a.py"),
        ("file:///shop", "/shop/src", "src/a.py"),
        ("file:///my%20shop/src", "/my shop", "a.py"),
    ],
)
def test_paths_count_from_the_root_of_the_index(project_root: str, root: str, path: str) -> None:
    ours = "src/a.py" if root == "/my shop" else "a.py"
    plain, _ = marked({ours: BASES + USE})
    graph, _ = joined({path: BASES + USE}, plain, project_root=project_root, root=root)
    assert calls(graph) == [f"{ours}:f(). -> {ours}:A#run(). exact"]


def test_constructors_and_accessors_of_scip_typescript() -> None:
    text = "class A {\n  constructor() {}\n  get total() { return 1 }\n}\nfunction f() {\n  return new A()\n}\n"
    lines = text.split("\n")
    source = SourceFile("a.ts", "typescript", text, "")
    parsed = plugins.build("parser", "typescript").parse(source)
    index = schema.index_message()()
    document = index.documents.add(relative_path="a.ts", position_encoding=schema.UTF16)
    for line, name, symbol, is_definition in (
        (0, "A", "a/A#", True),
        (1, "constructor", "a/A#`<constructor>`().", True),
        (2, "total", "a/A#`<get>total`().", True),
        (4, "f", "a/f().", True),
        (5, "A", "a/A#`<constructor>`().", False),
    ):
        column = lines[line].index(name)
        role = schema.DEFINITION if is_definition else 0
        place = [line, column, column + len(name)]
        document.occurrences.add(range=place, symbol=f"scip-test npm shop 1.0 {symbol}", symbol_roles=role)
    known, (tally,) = join([("index.scip", index)], {"a.ts": source}, [parsed], Path("/shop"))
    assert tally.counts == {Outcome.DEFINITION: 4, Outcome.CALL: 1}
    assert known == {("a.ts", 6, 13): Known(("a.ts:A#constructor().",))}
