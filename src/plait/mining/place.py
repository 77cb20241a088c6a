"""Which files and functions can be an answer."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from plait.model import Symbol, SymbolKind
from plait.parse.treesitter.parser import is_test
from plait.source import language

ASIDE = frozenset(
    "doc docs documentation example examples sample samples demo demos bench benches benchmark benchmarks contrib "
    "script scripts tool tools tutorial tutorials vendor third_party 3rdparty node_modules dist build sandbox "
    "fixtures testdata mocks __tests__ __mocks__ e2e testsuite external extern externals _vendor vendored deps _deps "
    "packaging ci hack".split()
)
"""Folders of what stands beside the program."""

_CONFIGURES = re.compile(
    r"(?:^|/)(?:setup|noxfile|tasks|fabfile|conf|gulpfile|gruntfile|rakefile|build|make)\.\w+$|"
    r"\.(?:conf|config|d)\.\w+$|^[\w.-]+\.(?:sh|bash|ps1)$|(?:^|/)\.",
    re.IGNORECASE,
)
"""Files that configure or build the program, and that only declare."""

_TEST_MODULES = frozenset(("test", "tests"))


def in_program(path: str) -> bool:
    """Whether a file is code of the program itself: not of its tests, its documentation or what is copied into it."""
    if language(path) is None or is_test(path) or _CONFIGURES.search(path):
        return False
    return ASIDE.isdisjoint(part.lower() for part in PurePosixPath(path).parts[:-1])


def is_function(symbol: Symbol) -> bool:
    """Whether a symbol is a function that can be an answer."""
    if symbol.kind not in (SymbolKind.FUNCTION, SymbolKind.METHOD) or symbol.is_test:
        return False
    return in_program(symbol.path) and _TEST_MODULES.isdisjoint(symbol.qualified_name.split(".")[:-1])
