from __future__ import annotations

import pytest

from plait.mining.place import in_program, is_function
from plait.mining.question import Origin, Question, names
from plait.model import Span, Symbol, SymbolId, SymbolKind


def function(path: str, name: str, kind: SymbolKind = SymbolKind.FUNCTION) -> Symbol:
    span = Span(1, 2, 0, 10)
    return Symbol(SymbolId(f"{path}:{name}()."), name, kind, path, "python", "m", f"m.{name}", span, (span,))


@pytest.mark.parametrize(
    ("text", "name", "is_named"),
    [
        ("Close the pool in close_all_connections", "close_all_connections", True),
        ("Close all connections of the pool", "close_all_connections", True),
        ("closeAllConnections forgets the last one", "close_all_connections", True),
        ("All connections are closed at the end", "close_all_connections", False),
        ("Renders templates without a request", "render", True),
        ("Rendered without a request", "prerender", False),
        ("render() without a request", "render", True),
        ("do it when it is on", "on", False),
    ],
)
def test_whether_a_text_names_a_function(text: str, name: str, is_named: bool) -> None:
    assert names(text, function("a.py", name)) is is_named


def test_questions_that_name_the_answer_are_a_category() -> None:
    answer = (SymbolId("a.py:f()."),)
    assert Question(Origin.COMMIT, "x", answer, True, "").category == "commit, named"
    assert Question(Origin.TEST, "x", answer, False, "").category == "test"


@pytest.mark.parametrize(
    ("path", "inside"),
    [("src/net.py", True), ("tests/test_net.py", False), ("docs/conf.py", False), ("setup.py", False),
     ("examples/app.py", False), ("vendor/x/net.go", False), ("net.md", False), ("src/test_net.py", False)],
)  # fmt: skip
def test_what_is_of_the_program(path: str, inside: bool) -> None:
    assert in_program(path) is inside
    assert is_function(function(path, "f")) is inside
    assert not is_function(function(path, "F", SymbolKind.CLASS))
