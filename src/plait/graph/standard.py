"""What is known of Python's own names without reading their source."""

from __future__ import annotations

import builtins

PROTOCOLS = ("typing.Protocol", "typing_extensions.Protocol")
MEMBERLESS_BASES = frozenset(("abc.ABC", "typing.Generic", *PROTOCOLS))
"""Bases out of the repository from which no method is inherited that code calls."""

_PLAIN_TYPES = frozenset(("str", "bytes", "bytearray", "int", "float", "complex", "bool", "range", "?"))
"""Builtin types whose methods never return an object of the repository."""

PASSING_ON = frozenset(
    (
        "asyncio.create_task",
        "asyncio.ensure_future",
        "asyncio.gather",
        "asyncio.run",
        "asyncio.run_coroutine_threadsafe",
        "asyncio.shield",
        "asyncio.wait_for",
        "copy.copy",
        "copy.deepcopy",
        "functools.partial",
        "functools.reduce",
        "operator.attrgetter",
        "operator.itemgetter",
        "typing.NewType",
        "typing.TypeVar",
        "typing.cast",
        "typing_extensions.TypeVar",
    )
)
"""Functions of the standard library whose result can be an object of the repository."""

AWAITABLES = frozenset(
    (
        *(f"{module}.{name}" for module in ("typing", "collections.abc") for name in ("Awaitable", "Coroutine")),
        *("asyncio.Future", "asyncio.Task"),
    )
)
"""Types whose last argument is what awaiting gives."""

UNTYPED = frozenset(("typing.Any", "typing.Callable", "collections.abc.Callable", "typing_extensions.Any"))
"""Annotations that do not say which class."""

_PLAIN_RESULTS = frozenset(
    "open len sorted range enumerate zip repr ascii input hash id ord chr bin hex oct format dir vars globals locals"
    " isinstance issubclass callable all any print hasattr divmod".split()
)
_NO_TYPES = frozenset(("object", "type", "super", "property", "classmethod", "staticmethod"))
_TYPING_ALIASES = {
    "DefaultDict": "dict",
    "Dict": "dict",
    "FrozenSet": "frozenset",
    "List": "list",
    "OrderedDict": "dict",
    "Set": "set",
    "Text": "str",
    "Tuple": "tuple",
}


def builtin_type(name: str) -> bool:
    """Whether the builtin name is a class that says something about its objects."""
    return name not in _NO_TYPES and isinstance(getattr(builtins, name, None), type)


def builtin_result(name: str) -> str | None:
    """The builtin type that calling the builtin name gives; `?` for one of several; None if it can be any object."""
    if name in _PLAIN_RESULTS or ("." in name and name.partition(".")[0] in _PLAIN_TYPES):
        return "?"
    return name if builtin_type(name) else None


def typing_alias(path: str) -> str | None:
    """The builtin type behind `typing.List` and the like."""
    module, _, name = path.rpartition(".")
    return _TYPING_ALIASES.get(name) if module == "typing" else None
