"""Files of every language that has a table, by tree-sitter."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from pathlib import PurePosixPath
from typing import Any

from plait.facts import ParsedFile
from plait.model import Recovered, Skipped, SkipReason, SourceFile
from plait.parse import grammars
from plait.parse.lines import Lines, merged
from plait.parse.naming import is_test_path, module_name
from plait.parse.treesitter.table import Language
from plait.parse.treesitter.walk import METHODS, Walk

_COMPONENTS = (".vue", ".svelte")
_SCRIPT = re.compile(rb"<script\b[^>]*>(.*?)</script>", re.DOTALL | re.IGNORECASE)
_LONE_RETURN = re.compile(rb"\r(?!\n)")
_TEST_STEM = re.compile(
    r"(?:^test[_.-]|[._-](?:test|tests|spec|specs|t)$|(?:^|[a-z0-9_])(?:Test|Tests|TestCase|Spec|IT)$)"
)
_TEST_FOLDER = re.compile(r"(?:^|/)(?:spec|specs|t|[A-Za-z]*Tests?)/")


@dataclass(frozen=True)
class TreeSitterParser:
    language: Language
    flow: bool = True
    """whether to find how values move, in languages in which that is known"""

    def without_flow(self) -> TreeSitterParser:
        return self if self.language.flow is None else replace(self, flow=False)

    def parse(self, file: SourceFile) -> ParsedFile | Skipped:
        """Return what can be understood; Skipped without the grammar, or if nothing of the file is understood."""
        language = self.language
        try:
            parser, actions = prepared(language.name, _grammar(language, file.path))
        except grammars.GrammarMissing as error:
            return Skipped(file.path, SkipReason.GRAMMAR, str(error))
        try:
            source = file.text.encode()
        except UnicodeEncodeError:  # lone surrogates
            return Skipped(file.path, SkipReason.SYNTAX, "lone surrogates")
        if b"\r" in source:
            source = _LONE_RETURN.sub(b"\n", source)
        if file.path.lower().endswith(_COMPONENTS):
            source = _scripts(source)
        if language.blank is not None:
            source = language.blank.sub(lambda found: b" " * len(found[0]), source)
        lines = Lines(file.text)
        walk = Walk(file, language, source, lines)
        root = parser.parse(source).root_node
        walk.over(root, actions)
        walk.settle()
        found = _facts(walk, root.has_error)
        if not self.flow or language.flow is None or isinstance(found, Skipped):
            return found
        return replace(found, flow=language.flow(walk, root))


def _scripts(source: bytes) -> bytes:
    """A component's script blocks, everything around them replaced by blanks, so that lines and columns stay."""
    kept = bytearray(re.sub(rb"[^\n]", b" ", source))
    for found in _SCRIPT.finditer(source):
        kept[found.start(1) : found.end(1)] = found[1]
    return bytes(kept)


def _grammar(language: Language, path: str) -> str:
    return "tsx" if language.grammar == "typescript" and path.lower().endswith(".tsx") else language.grammar


@cache
def prepared(name: str, grammar: str) -> tuple[Any, dict[int, tuple[Any, Any]]]:
    language: Language = import_module(f"plait.parse.treesitter.languages.{name}").LANGUAGE
    rows: dict[str, tuple[Any, Any]] = {}
    for kind in sorted(language.comments):
        rows[kind] = (Walk.visit_comment, None)
    for kind in sorted(language.leading):
        rows[kind] = (Walk.visit_leading, None)
    for kind in sorted(language.wrappers):
        rows[kind] = (Walk.visit_wrapper, None)
    for kind in sorted(language.reads):
        rows[kind] = (Walk.visit_read, None)
    for column, method in METHODS.items():
        for kind, row in getattr(language, column).items():
            rows[kind] = (method, row)
    numbers = grammars.kinds(grammar, rows)
    actions = {numbers[kind]: action for kind, action in rows.items()}
    actions[grammars.ERROR] = (Walk.visit_error, None)
    return grammars.parser(grammar), actions


def _facts(walk: Walk, has_error: bool) -> ParsedFile | Skipped:
    file = walk.file
    by_path = module_name(file.path)
    symbols = walk.drafts.symbols(walk.package, by_path, walk.module.id, is_test(file.path))
    walk.references.sort(key=lambda one: (one.line, one.column, one.expression, one.kind, one.arity))
    walk.bindings.sort(key=lambda one: one.line)
    recovered = None
    if has_error or walk.cut:
        left_out = merged(walk.errors)
        problem = f"line {left_out[0][0]}: not as the grammar says" if left_out else "something is missing"
        if walk.cut and not has_error:
            problem = f"line {walk.cut}: nested too deep"
        lost = sum(last - first + 1 for first, last in left_out)
        if len(symbols) == 1 and not walk.imports and 2 * lost > len(walk.lines):
            return Skipped(file.path, SkipReason.SYNTAX, problem)
        recovered = Recovered(file.path, problem, left_out)
    return ParsedFile(
        path=file.path,
        module=walk.package if not walk.language.by_path else by_path,
        is_package=False,
        symbols=tuple(symbols),
        references=tuple(walk.references),
        imports=tuple(walk.imports),
        bindings=tuple(walk.bindings),
        abstract=tuple(walk.abstract),
        recovered=recovered,
        extensions=tuple(walk.extensions),
        parameters=tuple(walk.parameters),
        arguments=tuple(walk.arguments),
    )


def is_test(path: str) -> bool:
    """Whether every symbol of the file counts as a test: as for Python, and by the other languages' habits.

    Those are `x.test.ts`, `x.spec.js`, `x_spec.rb`, `XTest.java`, `XTests.cs`, `XSpec.scala`, `x.t`, and folders
    called `spec`, `specs`, `t`, `Tests` or `SomethingTests`.
    """
    stem = PurePosixPath(path).stem
    return is_test_path(path) or bool(_TEST_STEM.search(stem)) or bool(_TEST_FOLDER.search(path))
