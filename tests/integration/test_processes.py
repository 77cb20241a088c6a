"""Work in several processes gives what one gives, in the same order, whatever becomes of them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from asking import written

from plait import Engine, embedding, extraction, kept, linking
from plait.dump import dump
from plait.processes import AHEAD, Pool, processes


def product(factor: int, number: int) -> int:
    return factor * number


def fall(parent: int, number: int) -> int:
    if number == 5 and os.getpid() != parent:
        os._exit(1)
    return 2 * number


def where(_state: object, _part: object) -> int:
    return os.getpid()


class Counted:
    """A state that tells how often its process has made one, kept in a file of a folder for each process."""

    def __init__(self, folder: Path, factor: int) -> None:
        self.factor = factor
        with (folder / f"{os.getpid()}.{factor}").open("a") as file:
            file.write("made\n")


def by_state(state: Counted, number: int) -> int:
    return state.factor * number


def test_results_come_in_order_and_parts_are_taken_as_they_are_needed() -> None:
    taken: list[int] = []

    def parts(count: int) -> Iterator[int]:
        for number in range(count):
            taken.append(number)
            yield number

    with Pool() as pool:
        assert list(pool.mapped(product, parts(40), int, 2)) == [2 * number for number in range(40)]
        assert list(pool.mapped(product, parts(0), int, 2)) == []
        taken.clear()
        coming = pool.mapped(product, parts(1000), int, 3)
        assert next(coming) == 0
        coming.close()
    assert len(taken) <= AHEAD * processes() + 1


def test_one_work_follows_another_in_the_same_processes_each_with_its_own_state(tmp_path: Path) -> None:
    with Pool() as pool:
        pool.start(os.getpid)
        first = set(pool.mapped(where, range(50), bool))
        for factor in (2, 3):
            made = list(pool.mapped(by_state, range(50), Counted, tmp_path, factor))
            assert made == [factor * number for number in range(50)]
        assert set(pool.mapped(where, range(50), bool)) | first == first
    assert os.getpid() not in first
    assert len(first) <= processes()
    states = list(tmp_path.iterdir())
    assert {file.read_text() for file in states} == {"made\n"}
    assert {file.suffix for file in states} == {".2", ".3"}


def test_a_process_that_was_not_told_what_to_begin_with_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """As one is that starts after the others have taken the parts which tell it."""
    asked: list[bytes] = []
    submit = Pool._submit

    def untold(self: Pool, work: Any, number: int, told: bytes, *given: Any) -> Any:
        asked.append(told)
        return submit(self, work, number, b"" if len(asked) <= AHEAD * processes() else told, *given)

    monkeypatch.setattr(Pool, "_submit", untold)
    with Pool() as pool:
        assert list(pool.mapped(product, range(30), int, 2)) == [2 * number for number in range(30)]
        assert set(pool.mapped(where, range(30), bool)).isdisjoint({os.getpid()})
    assert len(asked) > 60


def test_a_process_that_dies_leaves_the_rest_to_this_one() -> None:
    with Pool() as pool:
        assert list(pool.mapped(fall, range(20), int, os.getpid())) == [2 * number for number in range(20)]
        assert list(pool.mapped(where, range(20), bool)) == [os.getpid()] * 20


def test_a_pool_that_nobody_uses_starts_nothing() -> None:
    with Pool() as pool:
        assert list(pool.mapped(product, iter(()), int, 2)) == []
        assert pool._executor is None


@pytest.mark.parametrize("stages", [("embedding",), ("parsing", "linking", "embedding")])
def test_an_index_is_the_same_however_many_processes_make_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stages: tuple[str, ...]
) -> None:
    root = tmp_path / "root"
    root.mkdir()
    written(root, {f"m{n}.py": f"def f{n}(a):\n    return f{n // 2}(a) + {n}\n" for n in range(30)})
    monkeypatch.setattr(kept, "FLOW_LINES", 0)
    alone = list(dump(Engine.open(root, cache=tmp_path / "alone").snapshot()))
    monkeypatch.setattr(embedding, "WORTH_PROCESSES", 0)
    monkeypatch.setattr(embedding, "BATCH", 7)
    if "parsing" in stages:
        monkeypatch.setattr(extraction, "WORTH_PROCESSES", 0)
        monkeypatch.setattr(linking, "WORTH_PROCESSES", 0)
    used: list[str] = []
    mapped = Pool.mapped

    def counted(self: Pool, work: Any, parts: Iterable[Any], *begin: Any) -> Any:
        for one in mapped(self, work, parts, *begin):
            used.append(work.__name__)
            yield one

    monkeypatch.setattr(Pool, "mapped", counted)
    together = list(dump(Engine.open(root, cache=tmp_path / "together").snapshot()))
    assert together == alone
    assert used.count("_make") == 9  # 60 symbols
    assert set(used) == ({"_parse_all", "_linked", "_make"} if "parsing" in stages else {"_make"})
