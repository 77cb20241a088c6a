"""What Python's own parser refuses is read all the same, at the right places, and says so."""

from __future__ import annotations

import ast
import builtins
from pathlib import Path
from typing import Any

import pytest

import plait
from plait.facts import ParsedFile
from plait.model import Skipped, SkipReason, SourceFile
from plait.parse.facts import Facts
from plait.parse.mending import mend
from plait.parse.python import PythonParser
from plait.parse.recovery import recover

OWN = sorted(Path(plait.__file__).parent.rglob("*.py"))
ZOO = Path(__file__).parent / "zoo.py.txt"


def parse(text: str) -> ParsedFile:
    found = PythonParser().parse(SourceFile("a.py", "python", text, ""))
    assert isinstance(found, ParsedFile), found
    return found


def names(found: ParsedFile) -> list[str]:
    return [symbol.qualified_name.removeprefix("a.") for symbol in found.symbols[1:]]


def calls(found: ParsedFile) -> list[str]:
    return [reference.expression for reference in found.references]


def left_out(text: str) -> list[tuple[int, int]]:
    found = parse(text).recovered
    assert found is not None
    return list(found.left_out)


@pytest.mark.parametrize("path", [ZOO, *OWN], ids=lambda path: path.name)
def test_facts_by_way_of_recovery_equal_those_by_way_of_ast(path: Path) -> None:
    file = SourceFile("a.py", "python", path.read_text(encoding="utf-8"), "")
    found = recover(file.text)
    assert found.left_out == ()
    assert Facts(file, flow=True).of(found.tree) == Facts(file, flow=True).of(ast.parse(file.text))


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_line_ends_move_nothing(end: str) -> None:
    text = ZOO.read_text(encoding="utf-8").replace("\n", end)
    file = SourceFile("a.py", "python", text, "")
    assert Facts(file, flow=True).of(recover(text).tree) == Facts(file, flow=True).of(ast.parse(text))


def test_the_tree_compiles() -> None:
    """So its nodes have every field and position that `ast` asks for."""
    tree = recover("def f(a, *b: int, c=1, **d):\n    return [x async for x in a if f'{x!r:>{c}}']\n").tree
    function = tree.body[0]
    assert isinstance(function, ast.FunctionDef)
    assert ast.unparse(function.args) == "a, *b: int, c=1, **d"
    assert ast.unparse(function.body[0]) == "return [x async for x in a if f'{x!r:>{c}}']"


PYTHON_2 = '''\
class Client(object):
    def get(self, (host, port), path=0777):
        """Get it."""
        print "getting %s" % self.name(path), `port`
        print >>log(), path,
        try:
            return self.fetch(host, 10L)
        except IOError, error:
            raise Failure, error.args[0], trace()
        exec 'x = 1' in scope()
        return ur'\\d' <> 2
    def name(self, path): pass
'''


def test_python_2() -> None:
    found = parse(PYTHON_2)
    assert names(found) == ["Client", "Client.get", "Client.name"]
    assert calls(found)[1:] == ["self.name", "log", "self.fetch", "trace", "scope"]
    get = found.symbols[2]
    assert (get.signature, get.docstring) == ("def get(self, (host, port), path=511)", "Get it.")
    assert [binding.target for binding in found.bindings if binding.scope == get.id] == [
        *("self", "(host, port)", "path", "host", "port", "error")
    ]
    assert found.flow.functions[0].parameters[1][0] == "(host, port)"
    assert found.recovered is not None
    assert found.recovered.problem.startswith("line 2: ")
    assert found.recovered.left_out == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("def f(:\n    g()\n", ["f"]),
        ("x = foo(1,\n\ndef f():\n    g()\n", ["f"]),
        ("def f():\n    h(k(1)\n    g()\n\ndef e(): pass\n", ["f", "e"]),
        (
            "class C:\n    def m(self):\n        x.\n        g()\n    def n(self, y\n        g()\n",
            ["C", "C.m", "C.n"],
        ),
        ("class C\n    def m(self)\n        g()\n", ["C", "C.m"]),
        ("def f():\n    x = 'abc\n    g()\n", ["f"]),
        ('def f():\n    """abc\n\ndef e():\n    g()\n', ["f", "e"]),
        ("def f():\n    g()\n    x = '''abc\n   def", ["f"]),
        ("def f():\n    try\n        g()\n    except:\n        pass\n", ["f"]),
        ("def f():\n        x = 1\n    g()\n", ["f"]),
        ("def f():\n    return g() +\ndef e(): pass\n", ["f", "e"]),
        ("%time g()\ndef f():\n    g()\n", ["f"]),
        ("def f(a=1, b): g()\n", ["f"]),
        ("def f(): g()))\nclass D: pass\n", ["f", "D"]),
    ],
)
def test_half_typed(text: str, expected: list[str]) -> None:
    found = parse(text)
    assert names(found) == expected
    assert calls(found).count("g") >= 1


def test_both_sides_of_a_merge_conflict_are_read() -> None:
    text = "def f():\n<<<<<<< HEAD\n    a()\n||||||| base\n    b()\n=======\n    c()\n>>>>>>> other\n    d()\n"
    assert calls(parse(text)) == ["a", "c", "d"]
    assert left_out(text) == [(2, 2), (4, 6), (8, 8)]


def test_references_stand_where_they_are() -> None:
    """Columns are characters, though both grammars count bytes, and mending moves nothing."""
    found = parse("x = ('ü', `größe(1)`, foo(2,\ndef ö(): über.größe(ß())\n")
    assert [(one.expression, one.line, one.column) for one in found.references] == [
        *(("größe", 1, 11), ("foo", 1, 22), ("über.größe", 2, 14), ("ß", 2, 20))
    ]


def test_mending_keeps_the_columns_of_a_line() -> None:
    text = "f('ü\nx = `a`)\nclass C\n  if a: b.\nüü = \\\n   'a\n"
    mended = mend(text).text
    for before, after in zip(text.encode().split(b"\n"), mended.encode().split(b"\n"), strict=True):
        assert len(after) >= len(before.rstrip())
        assert after[: len(before)].count(b"C") == before.count(b"C")


def test_only_what_is_broken_is_left_out() -> None:
    assert left_out("def f():\n    a()\n\nx = 1 $ 2\n\ndef g():\n    b()\ny = = 3\n") == [(4, 4), (8, 8)]


def test_nothing_is_invented_around_an_error() -> None:
    """A parser that skips `d` would see the call `c(1)()`."""
    assert "c()" not in calls(parse("def f(): pass\nx = c(1) d ()\n"))


def test_rubble_stays_skipped() -> None:
    for text in ("This is prose. It's long (and so on.\n" * 20, "\x01\x02\x03\x80" * 500, "\0", "x = '\ud800'"):
        found = PythonParser().parse(SourceFile("a.py", "python", text, ""))
        assert isinstance(found, Skipped)
        assert found.reason is SkipReason.SYNTAX
        assert found.detail
        assert "\n" not in found.detail


def test_without_the_grammar_the_file_is_skipped_and_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *given: Any) -> Any:
        if name.startswith("tree_sitter"):
            raise ImportError(name)
        return real(name, *given)

    monkeypatch.setattr(builtins, "__import__", without)
    found = PythonParser().parse(SourceFile("a.py", "python", "print 'x'\n", ""))
    assert isinstance(found, Skipped)
    assert "pip install tree-sitter-python" in found.detail


def test_values_are_followed_though_a_file_is_deep() -> None:
    """What lies too deep is cut out of the flow alone, and named; symbols and calls are all there."""
    deep = "x = " + "f(" * 150 + "g()" + ")" * 150
    found = parse(f"def f(a): return a\ndef g(): pass\n{deep}\ny = f\ny()\n")
    assert calls(found).count("f") == 150
    assert found.flow.functions
    assert found.flow.unfollowed is None or found.flow.unfollowed.left_out == ((3, 3),)
    chain = parse("def f(): pass\nx = a" + ".b()" * 900 + "\n")
    assert len(chain.references) == 900
    assert chain.flow.functions
    assert chain.flow.unfollowed is not None
    assert chain.flow.unfollowed.left_out == ((2, 2),)
    assert "not followed" in chain.flow.unfollowed.problem


def test_sums_and_alternatives_of_any_length_are_followed() -> None:
    found = parse("def f(): pass\nx = " + " + ".join(["f()"] * 1_500) + "\nif a: pass\n" + "elif b: f()\n" * 1_500)
    followed = [constraint for constraint in found.flow.constraints if constraint[0] == "call"]
    assert len(found.references) == len(followed) == 3_000
    assert found.flow.unfollowed is None or found.flow.unfollowed.left_out == ()
