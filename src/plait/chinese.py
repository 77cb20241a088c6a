"""Chinese questions about English code: each known word is joined by its English renderings.

The list (`chinese.txt`) is plait's own: words of software and of business. Words are found from the left, the longest
first; what is not in the list stays as it is and has no rendering.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files

_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]+")

Lexicon = Mapping[str, Sequence[str]]
"""The English renderings of each word."""


def bridged(text: str) -> str:
    """Return the text, and behind it the English words of its Chinese ones; a text without Chinese as it is."""
    return rendered(text, _lexicon()) if _HAN.search(text) else text


def rendered(text: str, lexicon: Lexicon) -> str:
    """As `bridged`, by another list of words."""
    longest = max(map(len, lexicon), default=0)
    english = [word for run in _HAN.findall(text) for word in _rendered(run, lexicon, longest)]
    return " ".join([text, *english])


def lexicon_in(text: str) -> Lexicon:
    """Read lines of `word word: rendering rendering`; of a word that comes twice the last counts."""
    found: dict[str, list[str]] = {}
    for line in text.splitlines():
        if not line.startswith("#"):
            words, _, english = line.partition(":")
            found |= dict.fromkeys(words.split(), english.split())
    return found


def _rendered(run: str, lexicon: Lexicon, longest: int) -> list[str]:
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
def _lexicon() -> Lexicon:
    return lexicon_in(files("plait").joinpath("chinese.txt").read_text(encoding="utf-8"))
