"""What the executed benchmark counts, on a package small enough to count by hand."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"

SOURCE = """\
class Shape:
    def __init__(self):
        self.side = 2

    @property
    def area(self):
        return self.side**2

    def __len__(self):
        return 4


def measure(shape):
    if shape:
        return shape.area
    return never()


def whole():
    return sorted([Shape()], key=lambda one: measure(one))


def never():
    return sum(number() for _ in range(2))


def number():
    return 1


def lazily():
    yield number()
"""


def function(name: str, line: int) -> list[object]:
    return ["shapes.py", name, line]


@pytest.fixture
def executed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import scoring

    (tmp_path / "source").mkdir()
    (tmp_path / "source" / "shapes.py").write_text(SOURCE)
    traced = {
        "calls": [
            [function("whole", 19), function("Shape.__init__", 2)],
            [function("whole.<locals>.<lambda>", 20), function("measure", 13)],
            [function("measure", 13), function("Shape.__len__", 9)],
            [function("measure", 13), function("Shape.area", 5)],
            [function("never.<locals>.<genexpr>", 24), function("number", 27)],
            [function("lazily", 31), function("number", 27)],
            [function("never", 23), function("lazily", 31)],
        ],
        "through": [[function("whole", 19), function("measure", 13)]],
        "lines": {"shapes.py": [3, 7, 10, 14, 15, 20, 24, 28, 32]},
        "statements": [
            ["shapes.py", name, line, lines]
            for name, line, lines in [
                ("Shape.__init__", 2, [3]),
                ("Shape.area", 5, [7]),
                ("Shape.__len__", 9, [10]),
                ("measure", 13, [14, 15, 16]),
                ("whole", 19, [20]),
                ("never", 23, [24]),
                ("number", 27, [28]),
                ("lazily", 31, [32]),
            ]
        ],
    }
    (tmp_path / "calls.json").write_text(json.dumps(traced))
    return scoring.Executed(tmp_path)


def names(edges: Iterable[Any]) -> set[tuple[str, str]]:
    return {(caller[1], callee[1]) for caller, callee in edges}


def test_calls_between_plain_functions_count(executed: Any) -> None:
    """Generators are left out; a generator expression is its function's; a lambda's calls are not judged."""
    assert names(executed.calls) == {
        ("whole", "Shape.__init__"),
        ("measure", "Shape.__len__"),
        ("measure", "Shape.area"),
        ("never", "number"),
    }
    assert names(executed.explicit) == {("whole", "Shape.__init__"), ("never", "number")}
    assert names(executed.indirect) == {("whole", "measure")}


def test_only_functions_that_ran_whole_are_judged(executed: Any) -> None:
    """Line 16 of `measure` did not run: its edge to `never` is not wrong. `whole` to `measure` is, but not directly."""

    def edge(caller: str, callee: str) -> tuple:
        return ("shapes.py", caller), ("shapes.py", callee)

    assert "measure" not in {name for _, name in executed.whole}
    found = executed.score(
        [edge("whole", "Shape.__init__"), edge("whole", "measure"), edge("measure", "never"), edge("never", "lazily")]
    )
    assert (found.recall, found.explicit, found.precision, found.direct) == (1 / 4, 1 / 2, 1 / 2, 1)
