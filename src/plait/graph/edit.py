"""One file before and after an edit, and the names in it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from plait.facts import ParsedFile

_IDENTIFIER = re.compile(r"\w+|(?<![\w$])\$(?![\w$])")
"""Words, and the dollar that is a name of its own in scripts."""


@dataclass(frozen=True, slots=True)
class Edit:
    """The facts of a file before and after; None where there was or is none."""

    before: ParsedFile | None
    after: ParsedFile | None

    @property
    def files(self) -> list[ParsedFile]:
        return [file for file in (self.before, self.after) if file is not None]


def words(*texts: str | None) -> set[str]:
    return {word for text in texts if text for word in _IDENTIFIER.findall(text)}
