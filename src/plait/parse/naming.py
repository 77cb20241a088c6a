"""Names that follow from a path: ids, modules, and what counts as a test."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from plait.model import SymbolId

_RESERVED = re.compile(r"[\s%:]")
_NOT_IN_A_NAME = re.compile(r"[\s%:/()\x00-\x1f]")
_WORD_BREAK = re.compile(r"[-_.]")
_TEST_WORDS = {"test", "tests", "testing"}


def _percent(found: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in found[0].encode())


def module_id(path: str) -> SymbolId:
    """The module's id: white space, `%` and `:` in the path are percent-encoded, so an id splits at its only colon."""
    return SymbolId(f"{_RESERVED.sub(_percent, path)}:/")


def child_id(parent: SymbolId, name: str, *, is_class: bool, repetition: int) -> SymbolId:
    """The id of a definition in `parent`; repetition counts the earlier ones of the same name and sort."""
    prefix = parent.removesuffix("/") if parent.endswith(":/") else parent
    again = f"+{repetition}" if repetition else ""
    if is_class:
        return SymbolId(f"{prefix}{name}({again})#" if again else f"{prefix}{name}#")
    return SymbolId(f"{prefix}{name}({again}).")


def block_id(parent: SymbolId, name: str, repetition: int) -> SymbolId:
    """The id of a part of a file that is not code, as a SCIP namespace: a heading by its anchor on GitHub."""
    prefix = parent.removesuffix("/") if parent.endswith(":/") else parent
    again = f"(+{repetition})" if repetition else ""
    return SymbolId(f"{prefix}{_NOT_IN_A_NAME.sub(_percent, name)}{again}/")


def module_name(path: str) -> str:
    """Dotted, from the source root: a leading `src/` and a last `__init__` are left out, unless nothing else is there.

    A notebook keeps its ending: no import means it, and a module of the same name may lie beside it.

    >>> [module_name(path) for path in ("src/shop/net.py", "shop/__init__.py", "__init__.py", "numpy.ipynb")]
    ['shop.net', 'shop', '__init__', 'numpy_ipynb']
    """
    if path.endswith(".ipynb"):
        path = f"{path.removesuffix('.ipynb')}_ipynb"
    parts = PurePosixPath(path).with_suffix("").parts
    if len(parts) > 1 and parts[0] == "src":
        parts = parts[1:]
    if len(parts) > 1 and parts[-1] == "__init__":
        parts = parts[:-1]
    return ".".join(parts)


def is_test_path(path: str) -> bool:
    """Whether every symbol of the file counts as a test.

    So it is below a folder with the word test, tests or testing in its name (words end at `-`, `_` and `.`), and in a
    file called `test_*`, `*_test` or `conftest`. Names of functions and classes alone make no test: `test_` and `Test`
    also begin names of the tested.
    """
    pure = PurePosixPath(path)
    if any(_TEST_WORDS.intersection(_WORD_BREAK.split(folder.lower())) for folder in pure.parts[:-1]):
        return True
    return pure.stem.startswith("test_") or pure.stem.endswith("_test") or pure.stem == "conftest"
