"""Questions from documentation: the first sentence of a function's -> the function, without its documentation."""

from __future__ import annotations

import ast
import re
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence

from plait.mining.place import is_function
from plait.mining.question import Origin, Question, named, one_line, order, same, words
from plait.model import Symbol, SymbolId

ENOUGH = 150
"""Questions, taken as if by chance."""

LEAST, MOST = 5, 40
"""Words of a sentence."""

LINES = 3
"""Lines of code that a function has at least, besides its documentation: less is an answer to no question."""

_ROLE = re.compile(
    r":[\w:+.-]+:`~?\.?([^`<]+?)(?:\s*<[^`]*>)?`|\{@\w+\s+([^}]*)\}|"
    r"<\w+ \w+=\"(?:\w:)?([^\"<>]*)\" ?/>|</?\w[^<>]{0,39}>|"
    r"\[([^\]]+)\](?:\([^)]*\)|\[[^\]]*\])|(?<!\w)\[([A-Za-z_][\w.:#]*)\]"
)
_END = re.compile(
    r"(?<!\be\.g)(?<!\bi\.e)(?<!\bcf)(?<!\betc)(?<=[\w)\]'\"`])[.!:;](?=\s|$)|\n\s*\n|"
    r"\n(?=\s*(?:[:@\\][a-z]|[-*•]\s|\d+\.\s|>>>|\.\.\s|\w+:\s*$|[-=~]{3,}))"
)
_NO_QUESTION = re.compile(
    r"^(?:deprecated|todo|fixme|note|xxx|hack|see|same as|like|alias|shortcut|shorthand|wrapper|override[sd]?|"
    r"overriding|implement(?:s|ation)?|inherit\w*|internal|private|helper|copyright|licen[sc]e|copied|borrowed|taken|adapted|noqa|"
    r"type:|eslint|istanbul|nolint|pylint|constructor|creates? an? (?:new )?instance|will|"
    r"initiali[sz]e[sd]?|init|args?|"
    r"arguments|parameters?|params?|returns?:|example|usage|"
    r"the following|test|we|i|this|it|these|that|here|sometimes)\b|^[@:\\]",
    re.IGNORECASE,
)
_POINTING = re.compile(
    r"https?://|\b(?:(?:if|whether) this (?:is|was|has|should|can)|"
    r"deprecated|see also|as above|ditto|not implemented|subclass\w*)\b",
    re.IGNORECASE,
)


def questions(symbols: Sequence[Symbol], texts: Mapping[SymbolId, str], taken: frozenset[SymbolId]) -> list[Question]:
    """Return the questions, by symbol, ENOUGH at most. `taken` stay as they are, and no function stands around another.

    A sentence that two functions share, or that stands in the text of anything else, leads to none.
    """
    sentences: dict[SymbolId, tuple[Symbol, str]] = {}
    kept = {symbol.parent for symbol in symbols} | taken
    for symbol in symbols:
        if not is_function(symbol) or symbol.id in kept or not symbol.docstring:
            continue
        if (said := sentence(symbol)) is not None:
            sentences[symbol.id] = (symbol, said)
    shared = Counter(same(said) for _, said in sentences.values())
    found: list[Question] = []
    for symbol, said in sorted(sentences.values(), key=lambda one: order(one[0].id)):
        text = texts[symbol.id]
        bare = without(symbol, text)
        if shared[same(said)] > 1 or bare is None or same(said) in same(bare) or _lines(bare) < LINES:
            continue
        found.append(Question(Origin.DOCSTRING, said, (symbol.id,), named(said, [symbol]), symbol.id))
        if len(found) == ENOUGH:
            break
    return sorted(_only_there(found, texts), key=lambda one: one.source)


def sentence(symbol: Symbol) -> str | None:
    """Return the first sentence of a symbol's documentation in plain words; None if it is no question."""
    text = _ROLE.sub(lambda role: f" {next(filter(None, role.groups()), '')} ", symbol.docstring)
    text = re.sub(r" +(?=[.,;:!?)])", "", text)
    text = one_line(_END.split(text.strip(), maxsplit=1)[0].replace("`", "").replace("*", " "))
    # Where documentation begins with the name of what it documents, the name is no word of the sentence.
    text = re.sub(rf"^{re.escape(symbol.name)}(?:\(\))?\s+(?:is\s+|-\s+|:\s+)?", "", text)
    said = words(text)
    if not LEAST <= len(said) <= MOST or _NO_QUESTION.search(text) or _POINTING.search(text):
        return None
    if sum(len(word) for word in said) < len(text) / 2:
        return None
    return text


def without(symbol: Symbol, text: str) -> str | None:
    """Return a symbol's text with blank lines in the place of its documentation; None if that cannot be done."""
    lines = text.split("\n")
    span = _in_python(text) if symbol.language == "python" else _above(symbol.docstring, lines)
    if span is None:
        return None
    first, last = span
    return "\n".join([*lines[:first], *[""] * (last - first), *lines[last:]])


def _in_python(text: str) -> tuple[int, int] | None:
    """Return the lines of a function's docstring, from 0 and half-open; None if other code stands on them."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            (block,) = ast.parse(f"if 1:\n{text}" if text[:1].isspace() else text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    shift = 1
    if isinstance(block, ast.If):
        shift, block = 2, block.body[0]
    if not isinstance(block, (ast.FunctionDef, ast.AsyncFunctionDef)) or len(block.body) < 2:
        return None
    said, then = block.body[:2]
    if not isinstance(said, ast.Expr) or said.end_lineno is None:
        return None
    first, last = said.lineno - shift, said.end_lineno - shift + 1
    given = (node for node in ast.walk(block.args) if isinstance(node, ast.expr))
    before = max((node.end_lineno or 0 for node in given), default=0)
    lines = text.split("\n")
    alone = lines[first].lstrip()[:1] in "\"'rRuUbB" and then.lineno - shift >= last and before - shift < first
    return (first, last) if alone else None


def _above(docstring: str, lines: Sequence[str]) -> tuple[int, int] | None:
    """Return the lines of the comment with which a symbol's text begins, as far as it is the documentation."""
    marks = " \t/*#!-;<>'%\r"
    told = {line.strip(marks) for line in docstring.split("\n")} - {""}
    seen: set[str] = set()
    last = 0
    for number, line in enumerate(lines):
        bare = line.strip(marks)
        if bare and bare not in told:
            break
        if bare:
            seen.add(bare)
            last = number + 1
    if seen != told or not last:
        return None
    while last < len(lines) and lines[last].strip() in ("*/", "**/", "-}", "]]"):
        last += 1
    return 0, last


def _lines(text: str) -> int:
    return sum(bool(line.strip(" \t\r{}()[];")) for line in text.split("\n"))


def _only_there(found: Sequence[Question], texts: Mapping[SymbolId, str]) -> list[Question]:
    """Those whose sentence stands in no other text; a text around the function's is its own."""
    whole = {symbol: same(text) for symbol, text in texts.items()}
    kept = []
    for one in found:
        said = same(one.text)
        (own,) = one.answer
        if all(symbol == own or said not in text for symbol, text in whole.items()):
            kept.append(one)
    return kept
