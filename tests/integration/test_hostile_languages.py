"""Hostile text of every language is read, in part or whole, or skipped with a reason; nothing is raised."""

from __future__ import annotations

import pytest
from hostile_languages import CASES, FOUND, SPEECHES, chain, every
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from plait import plugins
from plait.facts import ParsedFile
from plait.graph.generic.build import GenericGraph
from plait.model import EdgeKind, Skipped, SkipReason, SourceFile
from plait.parse import grammars
from plait.parse.treesitter.walk import DEEPEST

ASCII = frozenset({"bash", "elixir", "kotlin", "zig"})
SIGNS = ("", "(", ")", "{", "}", '"', "'", "<", "::", ".", "\n", "\\", "é", "\U0001f980", "/*")


def parse(language: str, text: str) -> ParsedFile | Skipped:
    found: ParsedFile | Skipped = plugins.build("parser", language).parse(
        SourceFile(f"a{SPEECHES[language].suffix}", language, text, "")
    )
    return found


def check(parsed: ParsedFile, text: str) -> None:
    ids = [symbol.id for symbol in parsed.symbols]
    assert len(set(ids)) == len(ids)
    assert all(symbol.parent in ids for symbol in parsed.symbols[1:])
    assert not any(character.isspace() for one in ids for character in one)
    size = len(text.encode())
    for symbol in parsed.symbols:
        for span in (symbol.span, *symbol.own):
            assert 0 <= span.start_byte <= span.end_byte <= size
            assert 1 <= span.start_line <= span.end_line
    sources = set(ids)
    assert all(reference.source in sources for reference in parsed.references)


@pytest.mark.parametrize(("language", "case"), list(every()))
def test_nothing_is_raised_and_what_is_whole_is_found(language: str, case: str) -> None:
    text = CASES[case](SPEECHES[language])
    found = parse(language, text)
    if isinstance(found, Skipped):
        assert case not in FOUND
        assert found.reason is SkipReason.SYNTAX
        return
    check(found, text)
    GenericGraph().build([found])
    if case in FOUND:
        names = {symbol.name.rstrip("_") for symbol in found.symbols}
        assert {"before", "after"} <= names


@pytest.mark.parametrize("use", ["use ::*;", "use {*};", "use ::;", "use ::{self};", "use {self};", "use  as x;"])
def test_half_typed_imports(use: str) -> None:
    found = parse("rust", f"{use}\nfn before() {{\n    after();\n}}\nfn after() {{\n}}\n")
    assert isinstance(found, ParsedFile)
    calls = [edge for edge in GenericGraph().build([found]).edges if edge.kind is EdgeKind.CALLS]
    assert [(edge.source, edge.target) for edge in calls] == [("a.rs:before().", "a.rs:after().")]


@pytest.mark.parametrize("language", SPEECHES)
def test_the_sample_is_linked(language: str) -> None:
    found = parse(language, SPEECHES[language].sample)
    assert isinstance(found, ParsedFile)
    names = {symbol.id: symbol.name.rstrip("_") for symbol in found.symbols}
    edges = GenericGraph().build([found]).edges
    assert ("before", "after") in {(names[e.source], names[e.target]) for e in edges if e.kind is EdgeKind.CALLS}


@pytest.mark.parametrize("language", SPEECHES)
def test_chinese_names(language: str) -> None:
    if language in ASCII:
        pytest.skip("names are ASCII by the language or by its grammar")
    text = SPEECHES[language].sample.replace("before", "x甲").replace("after", "x乙")
    found = parse(language, text)
    assert isinstance(found, ParsedFile)
    assert {"x甲", "x乙"} <= {symbol.name for symbol in found.symbols}


@pytest.mark.parametrize("language", SPEECHES)
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(data=st.data())
def test_mutated_text(language: str, data: st.DataObject) -> None:
    """Pieces of the sample, cut, doubled, swapped and with signs put in, never make it fall over."""
    text = SPEECHES[language].sample * 2
    for _ in range(data.draw(st.integers(1, 6))):
        first = data.draw(st.integers(0, len(text)))
        second = data.draw(st.integers(first, len(text)))
        put = data.draw(st.sampled_from(SIGNS))
        text = text[:first] + put + text[second:] if data.draw(st.booleans()) else text[:second] + put + text[first:]
    found = parse(language, text)
    if isinstance(found, ParsedFile):
        check(found, text)
        GenericGraph().build([found])


def test_a_missing_grammar_skips_the_file_and_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise grammars.GrammarMissing(grammars.GRAMMARS[name], "tree-sitter-go is not installed")

    from plait.parse.treesitter import parser

    parser.prepared.cache_clear()
    monkeypatch.setattr(grammars, "language", missing)
    found = parse("go", "package p\n")
    parser.prepared.cache_clear()
    assert isinstance(found, Skipped)
    assert found.reason is SkipReason.GRAMMAR
    assert found.detail == "tree-sitter-go is not installed; run: pip install 'tree-sitter-go>=0.25'"


@pytest.mark.parametrize("language", sorted(set(SPEECHES) - {"bash"}))
def test_an_endless_chain_is_cut(language: str) -> None:
    """A pipe of Bash is long, not deep. A link of the chain is two references in Haskell, one elsewhere."""
    found = parse(language, chain(SPEECHES[language], 20_000))
    assert isinstance(found, ParsedFile)
    assert found.recovered is not None
    assert found.recovered.problem.endswith(": nested too deep")
    assert len(found.references) <= 2 * DEEPEST
    assert {"before", "after"} <= {symbol.name.rstrip("_") for symbol in found.symbols}
