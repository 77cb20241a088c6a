"""Hostile text of every format is cut into blocks, in time that grows with its length; nothing is raised."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from plait import plugins
from plait.facts import ParsedFile
from plait.model import SourceFile, SymbolKind
from plait.parse.lines import Lines

FORMATS = sorted(name for name, path in plugins.BUILT_IN["parser"].items() if ".blocks." in path)
SIGNS = (
    *("# ", "## ", "---", "===", "```", "~~~", "'''", '"""', '"', "'", "`", "/*", "*/", "--", "//", "$$", ";", ":"),
    *("{", "}", "[", "]", "(", ")", "\\", "<<EOT", "EOT", "CREATE TABLE a", "BEGIN", "END", "message A", "rpc B"),
    *("FROM a AS b", "define x", "endef", "- ", "key: ", "\t", "  ", "\n", "\r\n", "\r", "\ufeff", "\0", "é"),
    "\U0001f980",
)
HUGE = {
    "brackets": "[{(" * 60_000,
    "closing": "]})" * 60_000,
    "quotes": "\"'`" * 60_000,
    "one line": "a b = " * 40_000,
    "backslashes": "\\" * 200_000,
    "comments": "/* -- # //" * 20_000,
    "many comment lines": "# a\n-- b\n// c\n" * 20_000,
    "many heads": "# a\n" * 50_000,
    "many keys": "a: 1\n[b]\nc:\n\td\n" * 15_000,
    "many statements": "CREATE TABLE a (b int);\n" * 10_000,
    "CREATE": "CREATE OR " * 20_000,
    "begins": "CREATE FUNCTION f()\n" + "BEGIN\n" * 40_000,
    "messages": "message A {\n" * 15_000,
    "dollars": "$a$ $b$ " * 25_000,
    "heredocs": "a {\nb = <<EOT\n" * 15_000,
    "underlines": "ab\n--\n" * 30_000,
    "spaces": " " * 200_000 + "x",
    "labels": 'a "b" ' * 30_000,
    "escaped quotes": "'\\" * 60_000,
    "escaped double quotes": '"\\' * 60_000,
    "a name and spaces": ("a" + " " * 15_000 + "x\n") * 8,
    "a table and spaces": ("[a" + " " * 15_000 + "x\n") * 8,
    "colons over a row": ":" * 15_000 + "\n" + "-" * 15_000,
    "comments over messages on one line": "// a\n" * 20_000 + "message A { " * 8_000,
    "links": "# " + "![a](" * 30_000,
}


def parse(name: str, text: str) -> ParsedFile:
    parsed = plugins.build("parser", name).parse(SourceFile("a.x", name, text, ""))
    assert isinstance(parsed, ParsedFile)
    return parsed


def check(parsed: ParsedFile, text: str) -> None:
    ids = [symbol.id for symbol in parsed.symbols]
    assert len(set(ids)) == len(ids)
    assert not any(character.isspace() for one in ids for character in one)
    lines = Lines(text)
    runs = [own for symbol in parsed.symbols for own in symbol.own]
    owned = [number for own in runs for number in range(own.start_line, own.end_line + 1)]
    assert len(owned) == len(set(owned))
    filled = {number for number in range(1, len(lines) + 1) if lines.text(number, number)[0].strip(" \t\f")}
    assert filled <= set(owned)
    spans = {symbol.id: symbol.span for symbol in parsed.symbols}
    for symbol in parsed.symbols[1:]:
        assert symbol.parent in spans
        around = spans[symbol.parent]
        assert around.start_line <= symbol.span.start_line <= symbol.span.end_line <= around.end_line
    assert all(symbol.kind is not SymbolKind.FILE for symbol in parsed.symbols[1:])


def every() -> Iterator[tuple[str, str]]:
    yield from ((name, case) for name in FORMATS for case in HUGE)


@pytest.mark.parametrize(("name", "case"), list(every()))
def test_each_line_belongs_to_one_symbol(name: str, case: str) -> None:
    text = HUGE[case][:60_000]
    parsed = parse(name, text)
    if len(parsed.symbols) < 2_000:
        check(parsed, text)


def steps(name: str, text: str) -> int:
    """Lines of plait's own code that run: what is measured instead of seconds."""
    count = 0

    def trace(frame: object, event: str, argument: object) -> object:
        nonlocal count
        count += 1
        return trace

    sys.settrace(trace)  # type: ignore[arg-type]
    try:
        parse(name, text)
    finally:
        sys.settrace(None)
    return count


@pytest.mark.parametrize(("name", "case"), list(every()))
def test_work_grows_with_the_length(name: str, case: str) -> None:
    text = HUGE[case]
    small, large = steps(name, text[:2_000]), steps(name, text[:8_000])
    assert large < 5 * small + 1_000


@pytest.mark.parametrize("name", FORMATS)
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(data=st.data())
def test_random_text(name: str, data: st.DataObject) -> None:
    text = "".join(data.draw(st.lists(st.sampled_from(SIGNS), max_size=60)))
    check(parse(name, text), text)
