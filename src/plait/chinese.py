"""Chinese questions about English code: each known word is joined by its English renderings.

The list (`chinese.txt`) is plait's own: words of software and of business. Words are found from the left, the longest
first; what is not in the list stays as it is and has no rendering.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]+")


def bridged(text: str) -> str:
    """Return the text, and behind it the English words of its Chinese ones; a text without Chinese as it is."""
    english = [word for run in _HAN.findall(text) for word in _rendered(run)]
    return " ".join([text, *english])


def _rendered(run: str) -> list[str]:
    lexicon, longest = _lexicon()
    found: list[str] = []
    start = 0
    while start < len(run):
        for end in range(min(start + longest, len(run)), start, -1):
            if run[start:end] in lexicon:
                found += lexicon[run[start:end]]
                start = end
                break
        else:
            start += 1
    return found


@cache
def _lexicon() -> tuple[dict[str, list[str]], int]:
    """Return the renderings of each word, and the length of the longest word."""
    found: dict[str, list[str]] = {}
    for line in files("plait").joinpath("chinese.txt").read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            words, _, english = line.partition(":")
            found |= dict.fromkeys(words.split(), english.split())
    return found, max(map(len, found))
