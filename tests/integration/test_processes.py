"""Work in several processes gives what one gives, in the same order, whatever becomes of them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from asking import written

from plait import Engine, embedding
from plait.dump import dump
from plait.processes import AHEAD, mapped, processes


def double(number: int) -> int:
    return 2 * number


def die_in_another_process(given: tuple[int, int]) -> int:
    number, parent = given
    if number == 5 and os.getpid() != parent:
        os._exit(1)
    return 2 * number


def test_results_come_in_order_and_parts_are_taken_as_they_are_needed() -> None:
    taken: list[int] = []

    def parts(count: int) -> Iterator[int]:
        for number in range(count):
            taken.append(number)
            yield number

    assert list(mapped(double, parts(40))) == [2 * number for number in range(40)]
    assert list(mapped(double, parts(0))) == []
    taken.clear()
    coming = mapped(double, parts(1000))
    assert next(coming) == 0
    coming.close()
    assert len(taken) <= AHEAD * processes() + 1


def test_a_process_that_dies_leaves_the_rest_to_this_one() -> None:
    parts = [(number, os.getpid()) for number in range(20)]
    assert list(mapped(die_in_another_process, parts)) == [2 * number for number in range(20)]


def test_an_index_is_the_same_however_many_processes_embed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tmp_path / "root"
    root.mkdir()
    written(root, {f"m{n}.py": f"def f{n}(a):\n    return f{n // 2}(a) + {n}\n" for n in range(30)})
    alone = list(dump(Engine.open(root, cache=tmp_path / "alone").snapshot()))
    monkeypatch.setattr(embedding, "WORTH_PROCESSES", 0)
    monkeypatch.setattr(embedding, "BATCH", 7)
    used: list[object] = []

    def counted(work: Any, parts: Any) -> Any:
        for one in mapped(work, parts):
            used.append(one)
            yield one

    monkeypatch.setattr(embedding, "mapped", counted)
    together = list(dump(Engine.open(root, cache=tmp_path / "together").snapshot()))
    assert together == alone
    assert len(used) == 9  # 60 symbols
