"""Questions from tests and from flows: what they are about, in their own words -> functions that they reach."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath

from plait.graph.walks import is_class
from plait.mining.docstrings import sentence
from plait.mining.place import is_function
from plait.mining.question import Origin, Question, named, one_line, order, same, words
from plait.model import Edge, EdgeKind, Evidence, Symbol, SymbolId
from plait.surveys import FlowRow
from plait.terms import STOP_WORDS, terms

TESTS, FLOWS = 80, 40
"""Questions of each, taken as if by chance."""

LEAST = 4
"""Telling words of a test's name and documentation."""

CALLED = 3
"""Functions under test at most: a test of more is about what they do together."""

TOLD = 2
"""Telling words that a test and a function that it calls have in common at least, the function's whole text taken: else
the test is about what the function leads to, or calls it to prepare or to look."""

SHARED = 0.02
"""Share of the tests that call a function, from which on it is what tests are made with and not what they are about."""

FEWEST, MOST = 2, 8
"""Functions of a flow, without its entry."""

_CONSTRUCTORS = frozenset(("__init__", "__new__", "__post_init__", "__construct", "constructor", "initialize"))
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_]+")
_TEST = frozenset(("test", "tests", "should", "it", "works", "work", "ok", "basic", "simple", "case", "regression"))


def of_tests(symbols: Sequence[Symbol], edges: Sequence[Edge], texts: Mapping[SymbolId, str]) -> list[Question]:
    """Return the questions of tests that call few functions: those in the file that the test's is named for."""
    here = {symbol.id: symbol for symbol in symbols}
    called: dict[SymbolId, list[SymbolId]] = {}
    for edge in edges:
        if edge.kind is not EdgeKind.CALLS or edge.evidence < Evidence.FLOWED or is_class(edge.target):
            continue
        source, target = here.get(edge.source), here.get(edge.target)
        if source is None or target is None or not is_test_function(source):
            continue
        if is_function(target) and not _is_nested(target):
            called.setdefault(source.id, []).append(target.id)
    counts = Counter(target for targets in called.values() for target in dict.fromkeys(targets))
    most = max(SHARED * len(called), 3)
    found: dict[str, Question] = {}
    for test in sorted(called, key=order):
        if (text := wording(here[test])) is None:
            continue
        home, told = _home(here[test].path), _telling(text)
        rare = sorted({one for one in called[test] if counts[one] <= most and _home(here[one].path) == home})
        rare = [one for one in rare if not _constructs(here[one])] or rare
        answer = [one for one in rare if _common(told, here[one], texts[one]) >= TOLD]
        if 0 < len(answer) <= CALLED:
            is_named = named(text, [here[one] for one in answer])
            found.setdefault(same(text), Question(Origin.TEST, text, tuple(answer), is_named, test))
        if len(found) == TESTS:
            break
    return sorted(found.values(), key=lambda one: one.source)


def is_test_function(symbol: Symbol) -> bool:
    return symbol.is_test and not is_class(symbol.id) and symbol.name.lower().lstrip("_").startswith("test")


def _is_nested(function: Symbol) -> bool:
    """Whether it is defined in another function."""
    return function.parent is not None and function.parent.endswith(").")


def _constructs(function: Symbol) -> bool:
    """Whether it makes an object: tests need one to call anything else."""
    return function.name in _CONSTRUCTORS or function.qualified_name.split(".")[-2:-1] == [function.name]


def wording(test: Symbol) -> str | None:
    """Return the words of a test's name, or of its documentation if it has some; None if they tell too little."""
    text = sentence(test) or " ".join(part if part.isupper() else part.lower() for part in _PART.findall(test.name))
    text = one_line(
        re.sub(
            r"^(?:tests?|testing|ensures?|checks?|verif(?:y|ies)|makes? sure|asserts?|unit ?tests?)\b"
            r"(?:\s+(?:that|if|whether|for|the fact that|of|case))?\s*",
            "",
            text,
            flags=re.IGNORECASE,
        )
    )
    return text if len(_telling(text)) >= LEAST else None


def _telling(text: str) -> dict[str, None]:
    """The terms of what a text says, in order."""
    said = [word for word in words(text.lower()) if word not in _TEST and not word.isdigit()]
    return dict.fromkeys(term for word in said if word not in STOP_WORDS for term in terms(word))


def _common(told: Mapping[str, None], function: Symbol, text: str) -> int:
    spoken = frozenset(terms(f"{function.qualified_name} {text}"))
    return sum(term in spoken for term in told)


def _home(path: str) -> str:
    """What the files of a test and of what it tests are called, both."""
    stem = PurePosixPath(path).stem
    stem = re.sub(r"^(?:test[_.-]?)|(?:[_.-]?(?:tests?|spec|specs))$", "", stem, flags=re.IGNORECASE)
    return re.sub(r"[^a-z0-9]", "", stem.lower())


def of_flows(rows: Sequence[FlowRow]) -> list[Question]:
    """Return the questions of flows of a few functions, whose entry is documented: what it says -> those functions.

    The entry is not part of the answer, as it would be found by its name.
    """
    found: dict[str, Question] = {}
    for row in sorted(rows, key=lambda row: order(row.entry.id)):
        if row.is_hub or not is_function(row.entry) or (text := sentence(row.entry)) is None:
            continue
        answer = sorted(symbol.id for symbol, _ in row.members if is_function(symbol))
        if FEWEST <= len(answer) <= MOST:
            functions = [symbol for symbol, _ in row.members if is_function(symbol)]
            found.setdefault(
                same(text), Question(Origin.FLOW, text, tuple(answer), named(text, functions), row.entry.id)
            )
        if len(found) == FLOWS:
            break
    return sorted(found.values(), key=lambda one: one.source)
