from __future__ import annotations

import pytest

from plait.facts import ParsedFile
from plait.model import SourceFile, Symbol, SymbolKind
from plait.parse.lines import Lines
from plait.parse.naming import is_test_path, module_id, module_name
from plait.parse.python import PythonParser


def parse(text: str, path: str = "a.py") -> ParsedFile:
    parsed = PythonParser().parse(SourceFile(path, "python", text, ""))
    assert isinstance(parsed, ParsedFile), parsed
    return parsed


def texts(parsed: ParsedFile, text: str) -> dict[str, list[str]]:
    """The own text of each symbol, by id without the path."""
    source = text.encode()
    return {
        symbol.id.partition(":")[2]: [source[span.start_byte : span.end_byte].decode() for span in symbol.own]
        for symbol in parsed.symbols
    }


def by_id(parsed: ParsedFile) -> dict[str, Symbol]:
    return {symbol.id.partition(":")[2]: symbol for symbol in parsed.symbols}


def test_own_lines_of_module_class_and_function() -> None:
    text = (
        '"""Doc."""\n'
        "import os\n"
        "\n"
        "@mark\n"
        "class A:\n"
        '    """Doc of A."""\n'
        "    x = 1\n"
        "\n"
        "    # nothing but a comment\n"
        "\n"
        "    @mark\n"
        "    def f(self):\n"
        "        return 1\n"
        "\n"
        "    y = 2\n"
        "\n"
        "    def g(self): ...\n"
        "\n"
        "def h():\n"
        "    def inner():\n"
        "        pass\n"
        "    return inner\n"
        "\n"
        "# last words\n"
        "z = 3\n"
    )
    assert texts(parse(text), text) == {
        "/": ['"""Doc."""\nimport os', "# last words\nz = 3"],
        "A#": [
            '@mark\nclass A:\n    """Doc of A."""\n    x = 1\n\n    # nothing but a comment',
            "    y = 2",
        ],
        "A#f().": ["    @mark\n    def f(self):\n        return 1"],
        "A#g().": ["    def g(self): ..."],
        "h().": ["def h():\n    def inner():\n        pass\n    return inner"],
        "h().inner().": ["    def inner():\n        pass"],
    }


def test_a_stretch_of_comments_is_no_text_of_its_own() -> None:
    text = "class A:\n    def f(self): ...\n\n    # about g\n\n    def g(self): ...\n# end\n"
    assert texts(parse(text), text)["A#"] == ["class A:"]
    assert texts(parse(text), text)["/"] == []


def test_definitions_inside_branches_leave_the_branches_lines() -> None:
    text = "if a:\n    def f(): ...\nelse:\n    x = 1\n    def f(): ...\n"
    assert texts(parse(text), text)["/"] == ["if a:", "else:\n    x = 1"]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_any_line_end_of_python(end: str) -> None:
    text = end.join(["x = 'é'", "def f():", "\treturn '\u2028\x0c\x1c'", "", "def g(): pass"])
    parsed = parse(text)
    assert texts(parsed, text) == {
        "/": ["x = 'é'"],
        "f().": [f"def f():{end}\treturn '\u2028\x0c\x1c'"],
        "g().": ["def g(): pass"],
    }
    assert [(s.span.start_line, s.span.end_line) for s in parsed.symbols] == [(1, 5), (2, 3), (5, 5)]


def test_form_feeds_end_no_line() -> None:
    text = "x = 1\n\x0c\ndef f():\n    pass\n\x0cdef g(): pass\n"
    assert texts(parse(text), text) == {
        "/": ["x = 1"],
        "f().": ["def f():\n    pass"],
        "g().": ["\x0cdef g(): pass"],
    }


@pytest.mark.parametrize("text", ["", "\n", "# only a comment\n", "\n\n"])
def test_a_module_without_statements_has_no_own_lines(text: str) -> None:
    parsed = parse(text)
    assert [symbol.own for symbol in parsed.symbols] == [()]
    assert parsed.symbols[0].span.start_line == 1


def test_lines_at_the_end() -> None:
    assert len(Lines("")) == 1
    assert len(Lines("a\n")) == 1
    assert len(Lines("a\n\n")) == 2
    assert Lines("a\r\nbé\n").span(1, 2).end_byte == 6


def test_ids() -> None:
    text = (
        "def f():\n"
        "    class C:\n"
        "        async def m(self): ...\n"
        "def f(): ...\n"
        "class C: ...\n"
        "class C:\n"
        "    def m(self):\n"
        "        def m(): ...\n"
        "    @property\n"
        "    def p(self): ...\n"
        "    @p.setter\n"
        "    def p(self, value): ...\n"
        "match x:\n"
        "    case 1:\n"
        "        def g(): ...\n"
        "try:\n"
        "    def h(): ...\n"
        "except A:\n"
        "    with a:\n"
        "        for b in c:\n"
        "            def h(): ...\n"
    )
    assert {key: symbol.kind for key, symbol in by_id(parse(text)).items()} == {
        "/": SymbolKind.MODULE,
        "f().": SymbolKind.FUNCTION,
        "f().C#": SymbolKind.CLASS,
        "f().C#m().": SymbolKind.METHOD,
        "f(+1).": SymbolKind.FUNCTION,
        "C#": SymbolKind.CLASS,
        "C(+1)#": SymbolKind.CLASS,
        "C(+1)#m().": SymbolKind.METHOD,
        "C(+1)#m().m().": SymbolKind.FUNCTION,
        "C(+1)#p().": SymbolKind.METHOD,
        "C(+1)#p(+1).": SymbolKind.METHOD,
        "g().": SymbolKind.FUNCTION,
        "h().": SymbolKind.FUNCTION,
        "h(+1).": SymbolKind.FUNCTION,
    }


def test_a_path_in_an_id_has_no_white_space_and_no_colon() -> None:
    assert module_id("a b/c%d:e\u00a0.py") == "a%20b/c%25d%3Ae%C2%A0.py:/"


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("a/b.py", "a.b"),
        ("src/a/b.py", "a.b"),
        ("src.py", "src"),
        ("a/__init__.py", "a"),
        ("src/__init__.py", "__init__"),
        ("__init__.py", "__init__"),
        ("a/__main__.py", "a.__main__"),
        ("lib/src/a.py", "lib.src.a"),
    ],
)
def test_module_names(path: str, name: str) -> None:
    assert module_name(path) == name


@pytest.mark.parametrize(
    ("path", "is_test"),
    [
        ("tests/a.py", True),
        ("pkg/test/a.py", True),
        ("pkg/_testing/a.py", True),
        ("pkg/test_a.py", True),
        ("pkg/a_test.py", True),
        ("conftest.py", True),
        ("pkg/testing.py", False),
        ("pkg/latest/a.py", False),
        ("pkg/attest.py", False),
    ],
)
def test_what_counts_as_a_test(path: str, is_test: bool) -> None:
    assert is_test_path(path) is is_test
    assert all(symbol.is_test is is_test for symbol in parse("def test_f(): ...", path).symbols)


def test_names_signatures_and_docstrings() -> None:
    text = (
        "class C(Base, metaclass = M):\n"
        "    '''One.\n"
        "\n"
        "    Two.\n"
        "    '''\n"
        "    async def f(self, a : int, * , b = 'x\\n', **rest) -> 'str':\n"
        "        def inner(): ...\n"
    )
    found = by_id(parse(text, "src/shop/net.py"))
    assert found["C#"].signature == "class C(Base, metaclass=M)"
    assert found["C#"].docstring == "One.\n\nTwo."
    assert found["C#f()."].signature == "async def f(self, a: int, *, b='x\\n', **rest) -> 'str'"
    assert found["C#f().inner()."].qualified_name == "shop.net.C.f.inner"
    assert found["/"].qualified_name == "shop.net"
    assert found["/"].name == "net"
    assert found["C#f().inner()."].parent == "src/shop/net.py:C#f()."
    assert found["/"].parent is None
