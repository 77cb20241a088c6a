"""A block of lines between markers, at the end of a text; taking it out leaves every byte that was there before."""

from __future__ import annotations

import re
from dataclasses import dataclass

_MADE, _JOINED = " (made this file)", " (ended the line before)"


@dataclass(frozen=True, slots=True)
class Fence:
    """How a comment is written around a marker."""

    before: str
    after: str

    def put(self, text: str | None, block: str, front: str = "") -> str:
        """Return the text with the block in it, once; None is a file that is not there: it is to begin with `front`."""
        if text is None:
            return front + self._lines(block, _MADE, "\n")
        if found := self._find(text):
            return text[: found.start()] + self._lines(block, found["note"], found["end"]) + text[found.end() :]
        end = "\r\n" if "\r\n" in text else "\n"
        joined = bool(text) and not text.endswith("\n")
        return text + (end if joined else "") + self._lines(block, _JOINED if joined else "", end)

    def take(self, text: str, front: str = "") -> str | None:
        """Return the text without the block, None for a file to delete; the same text if there is none."""
        found = self._find(text)
        if found is None:
            return text
        before = text[: found.start()]
        if found["note"] == _JOINED:
            before = before.removesuffix(found["end"])
        left = before + text[found.end() :]
        return None if found["note"] == _MADE and left == front else left

    def _lines(self, block: str, note: str, end: str) -> str:
        first, last = f"{self.before}plait:begin{note}{self.after}", f"{self.before}plait:end{self.after}"
        return end.join([first, *block.splitlines(), last, ""])

    def _find(self, text: str) -> re.Match[str] | None:
        before, after = re.escape(self.before), re.escape(self.after)
        notes = "|".join(map(re.escape, (_MADE, _JOINED)))
        first = rf"^{before}plait:begin(?P<note>{notes}|){after}(?P<end>\r?\n)"
        return re.search(rf"{first}.*?^{before}plait:end{after}(?:\r?\n|\Z)", text, re.DOTALL | re.MULTILINE)


MARKDOWN = Fence("<!-- ", " -->")
HASH = Fence("# ", "")
