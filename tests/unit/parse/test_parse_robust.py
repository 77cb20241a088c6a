"""Nothing that a file holds makes the parser raise."""

from __future__ import annotations

import dataclasses
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from plait.facts import ParsedFile
from plait.model import Skipped, SkipReason, SourceFile, Symbol, SymbolId, SymbolKind
from plait.parse.lines import Lines, split_lines
from plait.parse.python import PythonParser

STANDARD_LIBRARY = Path(dataclasses.__file__).parent
NAMES = "argparse ast bdb cmd contextlib dataclasses enum fractions json/decoder pdb tarfile textwrap typing".split()
SOURCES = [(STANDARD_LIBRARY / f"{name}.py").read_text(encoding="utf-8") for name in NAMES]
PIECES = [piece for source in SOURCES for piece in source.split("\n\n\n") if len(piece) < 5_000]

FUNCTIONS = (SymbolKind.FUNCTION, SymbolKind.METHOD)


def parse(text: str) -> ParsedFile | Skipped:
    return PythonParser().parse(SourceFile("a.py", "python", text, ""))


@pytest.mark.parametrize(
    "text",
    [
        "x = 1\0",
        "\0",
        "[" * 10_000 + "]" * 10_000,
        "x = '\ud800'",
        "lambda: " * 10_000 + "1",
        "(((",
    ],
    ids=lambda text: repr(text[:12]),
)
def test_what_cannot_be_read_is_skipped(text: str) -> None:
    found = parse(text)
    assert isinstance(found, Skipped)
    assert found.reason is SkipReason.SYNTAX
    assert found.detail
    assert "\n" not in found.detail


@pytest.mark.parametrize(
    "text",
    [
        "def f(:",
        "(" * 10_000 + ")" * 10_000,
        "-" * 100_000 + "1",
        "not " * 50_000 + "x",
        "print 'x'",
        "  indented",
        "if x:\n\ty\n        z",
    ],
    ids=lambda text: repr(text[:12]),
)
def test_what_can_be_understood_is_recovered(text: str) -> None:
    found = parse(text)
    assert isinstance(found, ParsedFile)
    assert found.recovered is not None
    assert found.recovered.problem
    assert "\n" not in found.recovered.problem


@pytest.mark.parametrize(
    "text",
    [
        "x = " + "+".join(["f()"] * 10_000),
        "x = a" + ".b()" * 10_000,
        "x = a" + ".b" * 10_000,
        "x" + "[0]" * 10_000,
        "def f(x: " + "|".join(["A"] * 10_000) + "): ...",
        "def f(x: " + "list[" * 90 + "int" + "]" * 90 + "): ...",
        "if a: pass\n" + "elif a: f()\n" * 5_000,
        "x = " + " or ".join(["f()"] * 10_000),
        "x = " + "a if b else " * 2_000 + "c",
        "\n".join(" " * depth + "if x:" for depth in range(99)) + "\n" + " " * 99 + "f()",
        "[" + "x, " * 100_000 + "]",
        "class A:\n" + "".join(f"    def f{n}(self): return self.f{n + 1}()\n" for n in range(3_000)),
    ],
    ids=lambda text: repr(text[:20]),
)
def test_deep_and_long_files_are_read_or_skipped_in_a_moment(text: str) -> None:
    begin = time.process_time()
    parse(text)
    assert time.process_time() - begin < 10


def test_what_the_tree_holds_is_read_however_deep() -> None:
    """`elif` chains nest in the tree; a walk by recursion would end at a few hundred."""
    found = parse("if a: pass\n" + "elif a: f()\n" * 700)
    assert isinstance(found, ParsedFile)
    assert len(found.references) == 700


def test_a_file_that_warns_does_not_warn() -> None:
    assert isinstance(parse("x = '\\d'\nx is 1\nassert (x, 1)\n"), ParsedFile)


def test_escaped_surrogates_can_be_written_out() -> None:
    found = parse("'''\\ud800'''\ndef f(x='\\ud800'): ...\n__all__ = ['\\ud800']\n")
    assert isinstance(found, ParsedFile)
    assert repr(found).encode()
    for symbol in found.symbols:
        assert (symbol.docstring + symbol.signature).encode().decode()
    assert found.exports == ()


INSERTED = [
    *("\r", "\r\n", "\x0c", "\u2028", "\0", '"""', "'", "(", ")", "[", "}", ":", "`", "\\", "\\\n", "\t", "\n", "."),
    *("\n    ", "@", "é", "def ", "class ", "print 'x'", "lambda ", "<<<<<<< HEAD\n", "async ", "*", " = ", "f'{"),
    "match x:\n case (",
]


@st.composite
def mutated(draw: st.DrawFn) -> str:
    text = draw(st.sampled_from(PIECES)) + draw(st.sampled_from(["", "\n"]))
    for _ in range(draw(st.integers(0, 4))):
        place = draw(st.integers(0, len(text)))
        match draw(st.sampled_from(["replace", "repeat", "swap lines", "truncate"])):
            case "replace":
                removed = draw(st.integers(0, 30))
                added = draw(st.one_of(st.text(max_size=6), st.sampled_from(INSERTED)))
                text = text[:place] + added + text[place + removed :]
            case "repeat":
                text = text[:place] + text[max(0, place - draw(st.integers(0, 60))) :]
            case "swap lines":
                lines = text.split("\n")
                one, other = draw(st.integers(0, len(lines) - 1)), draw(st.integers(0, len(lines) - 1))
                lines[one], lines[other] = lines[other], lines[one]
                text = "\n".join(lines)
            case "truncate":
                text = text[: max(place, len(text) // 2)]
    return text


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(mutated())
def test_mutated_files(text: str) -> None:
    found = parse(text)
    if isinstance(found, Skipped):
        return
    check(found, text)


@pytest.mark.parametrize("text", SOURCES, ids=NAMES)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_own_sources(text: str, end: str) -> None:
    text = text.replace("\n", end)
    found = parse(text)
    assert isinstance(found, ParsedFile)
    check(found, text)


def around(symbol: Symbol, by_id: dict[SymbolId, Symbol]) -> list[SymbolId]:
    found: list[SymbolId] = []
    while symbol.parent is not None:
        found.append(symbol.parent)
        symbol = by_id[symbol.parent]
    return found


def check(found: ParsedFile, text: str) -> None:
    """What holds for every file that is read."""
    source = text.encode()
    lines = Lines(text)
    ids = [symbol.id for symbol in found.symbols]
    assert len(set(ids)) == len(ids)
    assert all(len(one.split()) == 1 for one in ids)
    by_id = {symbol.id: symbol for symbol in found.symbols}
    covered: dict[int, str] = {}
    for symbol in found.symbols:
        for span in (symbol.span, *symbol.own):
            assert span == lines.span(span.start_line, span.end_line)
            assert span.start_byte == 0 or source[span.start_byte - 1 : span.start_byte] in (b"\n", b"\r")
            assert span.end_byte == len(source) or source[span.end_byte : span.end_byte + 1] in (b"\n", b"\r")
            assert symbol.span.start_line <= span.start_line <= span.end_line <= symbol.span.end_line
        if symbol.parent is not None:
            parent = by_id[symbol.parent].span
            assert parent.start_line <= symbol.span.start_line
            assert symbol.span.end_line <= parent.end_line
        if any(by_id[one].kind in FUNCTIONS for one in around(symbol, by_id)):
            continue  # inside of a function, whose text it is too
        for span in symbol.own:
            for line in range(span.start_line, span.end_line + 1):
                # Broken text can define two on one line.
                assert covered.setdefault(line, symbol.id) == symbol.id or found.recovered
    assert list(found.references) == sorted(found.references, key=lambda one: (one.line, one.column))
    assert all(one.source in by_id for one in found.references)
    assert all(one.scope in by_id for one in (*found.bindings, *found.imports))
    text_lines = split_lines(text)
    for one in (*found.references, *found.bindings, *found.imports):
        assert 1 <= one.line <= len(lines)
    for reference in found.references:
        assert 0 <= reference.column <= len(text_lines[reference.line - 1])
    if found.recovered is not None:
        before = 0
        for first, last in found.recovered.left_out:
            assert before < first <= last <= len(lines)
            before = last
