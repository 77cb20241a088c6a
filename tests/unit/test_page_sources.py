"""The web page has a word and a colour for every kind of reason."""

from __future__ import annotations

import re
from pathlib import Path

from plait.model import Source

PAGE = Path(__file__).parents[2] / "web" / "src"


def test_every_kind_of_reason_has_a_place_a_word_and_a_colour() -> None:
    reasons, style = (PAGE / "reasons.ts").read_text(), (PAGE / "style.css").read_text()
    listed = re.search(r"SOURCES = \[(.*?)\]", reasons)
    said = re.search(r"SAYS[^{]*\{(.*?)\}", reasons, re.DOTALL)
    assert listed
    assert said
    every = sorted(Source)
    assert sorted(re.findall(r'"(\w+)"', listed[1])) == every
    assert sorted(re.findall(r"(\w+): \"", said[1])) == every
    assert sorted(re.findall(r"\.of-(\w+) \{", style)) == every
