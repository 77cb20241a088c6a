"""plait finds the code that belongs to a question.

>>> from plait import Engine
>>> Engine.open("path/to/code").search("open a connection", k=3)  # doctest: +SKIP
"""

from plait.engine import Answer, Engine
from plait.errors import PlaitError, RequestError
from plait.model import Edge, Evidence, Filter, Hit, Reason, Symbol, SymbolId, Unresolved
from plait.questions import Relations
from plait.settings import Settings
from plait.version import __version__

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
