"""Precision and recall of the generic call graph on the cases in tests/golden/calls/languages.

    python benchmarks/language_cases.py

The labels are the cases' own marks: an edge is right unless it is marked `wrong`, and what the language would run and
nothing leads to is marked `missed`. Bases are left out. A case shows what is found as often as what is not, and was
written by those who made the rules, so other code does worse; `name` counts the right ones that rest on the name alone.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "golden"))

from test_languages import CASES, MISSED, WRONG, Case, expected

_EDGE = re.compile(r"\[(\w+)( \w+)?\]")


def marks(case: Case) -> Counter[str]:
    found: Counter[str] = Counter(cases=1)
    for _, text in case.files.values():
        for _, one in expected(text):
            edge = _EDGE.search(one)
            if one.startswith(MISSED):
                found["missed"] += 1
            elif edge is None or edge[2] == " inherits":
                continue
            elif one.endswith(WRONG):
                found["wrong"] += 1
            else:
                found["right"] += 1
                found["name"] += edge[2] == " name"
    return found


def main() -> None:
    tallies: dict[str, Counter[str]] = {}
    for case in CASES:
        tallies.setdefault(case.name.partition(":")[0], Counter()).update(marks(case))
    print(f"{'language':16} cases  right  name  wrong  missed  precision  recall")
    for name, of in tallies.items():
        precision = of["right"] / (of["right"] + of["wrong"])
        recall = of["right"] / (of["right"] + of["missed"])
        print(
            f"{name:16} {of['cases']:5} {of['right']:6} {of['name']:5} {of['wrong']:6} {of['missed']:7}"
            f" {precision:10.3f} {recall:7.3f}"
        )


if __name__ == "__main__":
    main()
