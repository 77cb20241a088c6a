"""plait finds the code that belongs to a question.

>>> from plait import Engine
>>> Engine.open("path/to/code").search("open a connection", k=3)  # doctest: +SKIP
"""

from importlib import import_module
from typing import TYPE_CHECKING

from plait.version import __version__

if TYPE_CHECKING:
    from plait.engine import Answer, Engine
    from plait.errors import PlaitError, RequestError
    from plait.model import Edge, Evidence, Filter, Hit, Reason, Symbol, SymbolId, Unresolved
    from plait.questions import Relations
    from plait.settings import Settings

__all__ = [
    "Answer",
    "Edge",
    "Engine",
    "Evidence",
    "Filter",
    "Hit",
    "PlaitError",
    "Reason",
    "Relations",
    "RequestError",
    "Settings",
    "Symbol",
    "SymbolId",
    "Unresolved",
    "__version__",
]

_OWNERS = {
    "engine": ("Answer", "Engine"),
    "errors": ("PlaitError", "RequestError"),
    "model": ("Edge", "Evidence", "Filter", "Hit", "Reason", "Symbol", "SymbolId", "Unresolved"),
    "questions": ("Relations",),
    "settings": ("Settings",),
}


def __getattr__(name: str) -> object:
    """Import what is asked for: a process that only parses, or only shows help, needs no engine."""
    for module, names in _OWNERS.items():
        if name in names:
            return getattr(import_module(f"plait.{module}"), name)
    raise AttributeError(f"module 'plait' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
