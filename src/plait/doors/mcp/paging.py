"""Answers that fit: as much of each list as a number of tokens holds, the totals, and a cursor for the rest."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from plait.context import tokens
from plait.errors import BadParameter

Json = dict[str, Any]

LIMIT = 6_000
"""Tokens of a reply, as `plait.context.tokens` counts them. One host warns from 10,000 on, and the count can be a third
too low: this stays below 8,000."""


def size(value: Json) -> int:
    return tokens(json.dumps(value, ensure_ascii=False))


def offset_of(cursor: str | None, state: str) -> tuple[int, bool]:
    """Where a cursor goes on, and whether the index is still the one that it is of. Raises BadParameter."""
    if cursor is None:
        return 0, True
    found = re.fullmatch(r"(\d{1,9})\.([0-9a-f]{0,12})", cursor)
    if found is None:
        raise BadParameter(f"the cursor {cursor!r} is of no answer; leave it out to begin at the first")
    return int(found[1]), found[2] == state[:12]


def cursor_at(offset: int, state: str) -> str:
    return f"{offset}.{state[:12]}"


def fitted(
    base: Json, lists: Mapping[str, Sequence[Any]], made: Callable[[str, Any], Any], offset: int, most: int, state: str
) -> Json:
    """Return `base` with items offset.. of each list, the same number of each, as many as fit and `most` at the most.

    One item of each is always there, so that a cursor gets on.
    """
    pieces = {name: [made(name, one) for one in items[offset : offset + most]] for name, items in lists.items()}
    count = max([1, *(len(piece) for piece in pieces.values())])
    while True:
        answer = base | {name: piece[:count] for name, piece in pieces.items()}
        if any(len(items) > offset + count for items in lists.values()):
            answer["next_cursor"] = cursor_at(offset + count, state)
        if count == 1 or size(answer) <= LIMIT:
            return answer
        count = max(1, min(count - 1, count * LIMIT // size(answer)))
