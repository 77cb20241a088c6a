"""From a Jupyter notebook to the text of some of its cells, line for line where they stand in the file.

The text has as many lines as the file, and each line of a cell is where the file has it, whatever is between them is
left blank: a line number means the same here, in an editor, for grep and for git. That is so for notebooks as Jupyter
writes them, with a line of the file for each line of a cell. In others the cells follow each other, a blank line
between them, and lines are counted there.
"""

from __future__ import annotations

import ast
import json
import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from plait.model import Content, SkipReason

_KEY = re.compile(r'(\s*)"source"\s*:\s*(.*)')
_TYPE = re.compile(r'(\s+)"cell_type"\s*:')
_BODY_IS_PYTHON = frozenset("time timeit capture prun memit mprun lprun debug pypy python python3 skip".split())
"""Cell magics below which Python stands (`%%time`); below all others (`%%bash`, `%%html`) it is something else."""
_PYTHON = ("", "python", "ipython", "python2", "python3", "plaintext")
"""`plaintext` is what Visual Studio Code writes as long as no kernel was chosen."""
_MAGIC = re.compile(r"\s*(?:[%!]|\?{1,2}[\w.%])")
_HELP = re.compile(r"\s*%{0,2}[\w.]+\?{1,2}\s*")
_ASSIGNED = re.compile(r"([\w.,\s\[\]'\"]+=\s*)([!%].*)")


@dataclass(frozen=True, slots=True)
class Notebook:
    text: str
    cells: tuple[int, ...]
    """the line at which each cell begins, all cells in order"""


@dataclass(frozen=True, slots=True)
class _Cell:
    kind: str
    lines: tuple[str, ...]
    """without their ends"""


@dataclass(frozen=True, slots=True)
class _Parts:
    language: str
    """empty for Python"""
    cells: list[_Cell]


Problem = tuple[SkipReason, str]


def read(text: str, content: Content) -> Notebook | Problem:
    """Return the code cells (Python's alone), for DOCS the text cells, for ALL both, text as comments.

    Of IPython's own syntax nothing but a comment is left, so that a cell with magics is Python.
    """
    parts = _parts(text)
    if not isinstance(parts, _Parts):
        return parts
    language, found = parts.language, parts.cells
    if language and content is not Content.DOCS:
        return SkipReason.KERNEL, f"its kernel speaks {language}"
    shown = [_shown(cell, content) for cell in found]
    raw = re.split(r"\r\n|\r|\n", text)
    starts = _starts(raw, found)
    if starts is None:
        starts = []
        following: list[str] = []
        for cell, lines in zip(found, shown, strict=True):
            starts.append(len(following) + 1)
            following += [*(lines or [""] * len(cell.lines)), ""]
        return Notebook(_joined(following), tuple(starts))
    placed = [""] * len(raw)
    for start, lines in zip(starts, shown, strict=True):
        placed[start - 1 : start - 1 + len(lines)] = lines
    return Notebook(_joined(placed), tuple(starts))


def _joined(lines: Sequence[str]) -> str:
    return "\n".join(lines).rstrip("\n") + "\n"


def _parts(text: str) -> _Parts | Problem:
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError) as error:
        return SkipReason.SYNTAX, f"not JSON: {str(error).splitlines()[0]}"
    if not isinstance(whole, dict) or not isinstance(whole.get("cells"), list):
        older = isinstance(whole, dict) and "worksheets" in whole
        hint = "a notebook before version 4; `jupyter nbconvert --to notebook` renews it" if older else "not a notebook"
        return SkipReason.SYNTAX, hint
    found: list[_Cell] = []
    for number, cell in enumerate(whole["cells"], start=1):
        made = _cell(cell)
        if made is None:
            return SkipReason.SYNTAX, f"cell {number} is none"
        found.append(made)
    return _Parts(_language(whole.get("metadata")), found)


def _cell(cell: Any) -> _Cell | None:
    if not isinstance(cell, dict):
        return None
    source = cell.get("source", "")
    whole = "".join(source) if isinstance(source, list) and all(isinstance(one, str) for one in source) else source
    if not isinstance(whole, str) or not isinstance(cell.get("cell_type"), str):
        return None
    lines = re.split(r"\r\n|\r|\n", whole)
    return _Cell(cell["cell_type"], tuple(lines[:-1] if not lines[-1] else lines))


def _language(metadata: Any) -> str:
    """Return the kernel's language if the notebook names one and it is not Python."""
    about = metadata if isinstance(metadata, dict) else {}
    named = [
        one.get(key)
        for one, key in ((about.get("kernelspec"), "language"), (about.get("language_info"), "name"))
        if isinstance(one, dict)
    ]
    spoken = next((str(one) for one in named if one), "")
    return "" if spoken.lower() in _PYTHON else spoken


def _shown(cell: _Cell, content: Content) -> list[str]:
    if cell.kind == "code":
        return [] if content is Content.DOCS else masked(cell.lines)
    if cell.kind != "markdown" or content is Content.CODE:
        return []
    return list(cell.lines) if content is Content.DOCS else [f"# {line}".rstrip() for line in cell.lines]


def _starts(raw: Sequence[str], cells: Sequence[_Cell]) -> list[int] | None:
    """Return the line of the file at which each cell's text begins; None unless each line of it has one of its own."""
    indent = next((found[1] for line in raw if (found := _TYPE.match(line))), None)
    keys = [
        (number, found[2].rstrip())
        for number, line in enumerate(raw, start=1)
        if '"source"' in line[:64] and (found := _KEY.match(line)) and found[1] == indent
    ]
    if len(keys) != len(cells):
        return None
    starts: list[int] = []
    for (number, rest), cell in zip(keys, cells, strict=True):
        alone = rest != "["
        if len(cell.lines) > 1 and alone:
            return None
        start = number if alone else number + 1
        if not alone and [_string(line) for line in raw[start - 1 : start - 1 + len(cell.lines)]] != list(cell.lines):
            return None
        starts.append(start)
    return starts


def _string(line: str) -> str | None:
    """Return the string that a line of a list holds, without a line end."""
    try:
        found = json.loads(line.strip().removesuffix(","))
    except (ValueError, RecursionError):
        return None
    return found.rstrip("\r\n") if isinstance(found, str) else None


def masked(lines: Sequence[str]) -> list[str]:
    """Return a cell's lines with what only IPython understands as comments; where a statement must stand, `pass`."""
    found = list(lines)
    first = next((place for place, line in enumerate(found) if line.strip()), None)
    if first is not None and found[first].startswith("%%"):
        name = re.match(r"%%(\w*)", found[first])
        if name is None or name[1] not in _BODY_IS_PYTHON:
            return [f"# {line}".rstrip() for line in found]
        found[first] = f"# {found[first]}"
    if _is_python("\n".join(found)):
        return found
    goes_on = False
    for place, line in enumerate(found):
        assigned = _ASSIGNED.fullmatch(line)
        if goes_on or _MAGIC.match(line) or _HELP.fullmatch(line):
            indent = line[: len(line) - len(line.lstrip())]
            word = "pass  " if indent and not goes_on else ""
            found[place] = f"{indent}{word}# {line.strip()}".rstrip()
            goes_on = line.endswith("\\")
        elif assigned:
            found[place] = f"{assigned[1]}...  # {assigned[2]}"
            goes_on = line.endswith("\\")
    return found


def _is_python(text: str) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            ast.parse(text)
        except SyntaxError:
            return False
        except (ValueError, RecursionError, MemoryError):
            return True  # not for magics
    return True
