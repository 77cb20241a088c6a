"""Runs the specifications in `contents/*.md`: what is a block of a file that is not code.

A fenced block `~~~sql path=schema.sql` is a file, and `~~~symbols` behind it lists its symbols in order, the file
first: kind, id, and the lines of its own text, `-` for none. The id of the file is written as its path.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from plait import plugins
from plait.facts import ParsedFile
from plait.model import Content, SourceFile, Symbol
from plait.source.languages import language

FOLDER = Path(__file__).parent / "contents"
CASE = re.compile(r"^~~~(\w+) path=(\S+)\n(.*?)^~~~\n~~~symbols\n(.*?)^~~~$", re.MULTILINE | re.DOTALL)
CASES = [
    pytest.param(*found.groups(), id=f"{page.stem}: {found[2]}:{page.read_text()[: found.start()].count(chr(10)) + 1}")
    for page in sorted(FOLDER.glob("*.md"))
    for found in CASE.finditer(page.read_text())
]


def shown(symbol: Symbol) -> str:
    own = " ".join(f"{span.start_line}-{span.end_line}" for span in symbol.own)
    return f"{symbol.kind} {symbol.id.removesuffix(':/')} {own or '-'}"


@pytest.mark.parametrize(("spoken", "path", "text", "expected"), CASES)
def test_specification(spoken: str, path: str, text: str, expected: str) -> None:
    assert spoken in (language(path, Content.DOCS), language(path, Content.CONFIG))
    parsed = plugins.build("parser", spoken).parse(SourceFile(path, spoken, text, ""))
    assert isinstance(parsed, ParsedFile)
    assert [shown(symbol) for symbol in parsed.symbols] == expected.splitlines()
    assert parsed.references == ()
    ids = {symbol.id for symbol in parsed.symbols}
    assert all(symbol.parent in ids for symbol in parsed.symbols[1:])


def test_every_language_has_a_case() -> None:
    blocks = {name for name, path in plugins.BUILT_IN["parser"].items() if ".blocks." in path}
    assert {case.values[0] for case in CASES} == blocks - {"windows"}
