"""Questions out of a corpus: the first sentences of its docstrings and of the comments above its functions."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator
from pathlib import Path

LEAST_WORDS, MOST_WORDS = 4, 20
MOST_BYTES = 1_000_000
MOST_FILES = 2_000
"""Of more files only some are read, spread evenly."""

_SENTENCE = re.compile(r"\.(?:\s|$)|\n\s*\n")
_COMMENTED = re.compile(
    r"((?:^[ \t]*//[^\n]*\n)+|^[ \t]*/\*\*.*?\*/[ \t]*\n)"
    r"[ \t]*(?:export\s+|default\s+|public\s+|static\s+|async\s+)*(?:func|function|class|fn)\b",
    re.MULTILINE | re.DOTALL,
)
_MARKS = re.compile(r"^[ \t]*(?:///?|/\*\*|\*/|\*)[ \t]?|\*/", re.MULTILINE)


def questions(folder: Path, count: int) -> list[str]:
    """Return different questions, at most `count`, spread evenly over all that were found, in the order of files."""
    files = [path for path in sorted(folder.rglob("*")) if path.suffix in READERS and ".git" not in path.parts]
    step = max(len(files) // MOST_FILES, 1)
    found: dict[str, None] = {}
    for path in files[::step]:
        if path.is_file() and path.stat().st_size < MOST_BYTES:
            for text in READERS[path.suffix](path.read_text(errors="replace")):
                found[_question(text)] = None
    every = [question for question in found if question]
    return every if len(every) <= count else [every[place * len(every) // count] for place in range(count)]


def _question(text: str) -> str:
    words = _SENTENCE.split(text.strip(), maxsplit=1)[0].split()
    return " ".join(words) if LEAST_WORDS <= len(words) <= MOST_WORDS else ""


def _docstrings(text: str) -> Iterator[str]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield ast.get_docstring(node) or ""


def _comments(text: str) -> Iterator[str]:
    for comment in _COMMENTED.findall(text):
        yield _MARKS.sub("", comment)


READERS = {".py": _docstrings} | dict.fromkeys((".js", ".mjs", ".ts", ".go", ".java", ".rs"), _comments)
