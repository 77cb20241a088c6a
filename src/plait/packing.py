"""Facts as bytes: between processes and where they are kept."""

from __future__ import annotations

import io
import pickle
import zlib
from typing import Any, TypeVar

from plait import facts, model

_T = TypeVar("_T")


def pack(value: object) -> bytes:
    return zlib.compress(pickle.dumps(value, pickle.HIGHEST_PROTOCOL), 1)


def unpack(packed: bytes, kind: type[_T]) -> _T | None:
    """Return what was packed; None for bytes that are damaged or hold something else."""
    try:
        found = _Reader(io.BytesIO(zlib.decompress(packed))).load()
    except Exception:  # whatever damaged bytes do to a decoder
        return None
    return found if isinstance(found, kind) else None


class _Reader(pickle.Unpickler):
    """Makes nothing but facts, whatever somebody has written into the file."""

    def find_class(self, module: str, name: str) -> Any:
        if module in (facts.__name__, model.__name__):
            return super().find_class(module, name)
        raise pickle.UnpicklingError(f"{module}.{name} is no fact")
