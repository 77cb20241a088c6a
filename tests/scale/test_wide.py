"""What segments answer is what the builds themselves answer, as long as every row is looked at."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from test_fleet import SECRET, fleet_of

from plait.errors import BrokenIndex
from plait.fleet.building import build_repository
from plait.fleet.fleet import Fleet
from plait.model import Filter, SnapshotInfo, SymbolKind
from plait.store.cells import Cells, divided
from plait.store.lance import registry
from plait.store.lance.part import Parts
from plait.store.lance.snapshot import LanceSnapshot, Unit
from plait.store.lance.tables import Tables
from plait.store.lance.upkeep import optimize, segment
from plait.store.lance.wide import segments
from plait.store.lance.wide.index import WideIndex
from plait.store.lance.wide.making import make
from plait.store.lance.wide.segments import Covered, Plan
from plait.store.lance.wide.snapshot import WideSnapshot
from plait.store.lance.writer import LanceWriter
from plait.testing import QUESTIONS, SOURCES, StoreContract
from plait.vectors import codes, squares

OTHER = {"lib/db.py": "def run(statement):\n    return statement\n\n\ndef insert(item):\n    run(item)\n"}
STRATEGIES = ["additive", "hybrid", "lexical", "vector"]


class WideWriter(LanceWriter):
    """Answers from a segment."""

    def commit(self, info: SnapshotInfo) -> WideSnapshot:
        super().commit(info)
        assert segment(self.tables, grace=-1) == 1
        units = [Unit("", Parts(self.tables, self.cache).of(self.build))]
        index = WideIndex(self.tables, self.cache)
        assert index.look()
        layout = index.layout(units)
        assert layout is not None
        return WideSnapshot(layout, info)

    cache: Path


class TestWide(StoreContract):
    @pytest.fixture(autouse=True)
    def _fleet(self, tables: Tables, tmp_path: Path) -> None:
        registry.add(tables, {"app": "/"})
        self.tables, self.cache = tables, tmp_path / "cache"

    def make(self) -> WideWriter:
        made = WideWriter(self.tables, Parts(self.tables, self.cache), "app")
        made.cache = self.cache
        return made


@pytest.fixture
def fleet(tmp_path: Path) -> Fleet:
    """Three repositories in a segment, one in a second segment, one that was built again since, one in none."""
    made = fleet_of(tmp_path, {"a/one": SOURCES, "a/two": OTHER, "secret": SECRET, "old": OTHER})
    assert optimize(made.tables, grace=1e6).segments == 1
    added = {"b/three": OTHER | SOURCES, "b/four": SECRET}
    for name, sources in added.items():
        for path, text in sources.items():
            (tmp_path / name / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name / path).write_text(text, encoding="utf-8")
    registry.add(made.tables, {name: str(tmp_path / name) for name in added})
    assert build_repository(made, "b/four").built
    assert segment(made.tables, grace=1e6) == 1
    (tmp_path / "old" / "lib" / "db.py").write_text("def insert_into_cart(row):\n    return row\n", encoding="utf-8")
    assert [build_repository(made, name).built for name in ("old", "b/three")] == [True, True]
    made.exact = 0
    return made


def both(fleet: Fleet, *names: str) -> tuple[WideSnapshot, LanceSnapshot]:
    wide = fleet.snapshot(names or None)
    assert isinstance(wide, WideSnapshot)
    fleet.exact = 10**9
    exact = fleet.snapshot(names or None)
    fleet.exact = 0
    assert not isinstance(exact, WideSnapshot)
    assert exact.info == wide.info
    return wide, exact


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("may", [None, {"a/one", "b/three", "old"}, {"a/two", "b/four"}])
def test_segments_answer_as_the_builds_do(fleet: Fleet, strategy: str, may: set[str] | None) -> None:
    asked = [
        *QUESTIONS,
        *("insert an item into the cart", "insert_into_cart", '"insert" item', "run path:lib", "insert kind:function"),
        *("insert lang:python", "nothing of the kind zzz"),
    ]
    for text in asked:
        wide = fleet.search(text, strategy=strategy, may=may)
        fleet.exact = 10**9
        assert fleet.search(text, strategy=strategy, may=may) == wide
        fleet.exact = 0


def test_a_snapshot_over_segments_is_the_one_over_builds(fleet: Fleet) -> None:
    for names in ((), ("a/one", "b/three", "old"), ("secret",)):
        wide, exact = both(fleet, *names)
        ids = [one.id for one in exact.symbols()]
        assert [one.id for one in wide.symbols()] == ids
        assert wide.symbols(ids) == exact.symbols(ids)
        assert wide.texts(ids) == exact.texts(ids)
        assert wide.named("insert") == exact.named("insert")
        assert wide.containing("INSERT") == exact.containing("INSERT")
        for where in (Filter(path="*/db.py"), Filter(kinds=frozenset({SymbolKind.METHOD})), Filter(tests=False)):
            assert wide.matching(("insert",), 100, where) == exact.matching(("insert",), 100, where)


def test_who_may_not_read_a_repository_gets_the_statistics_of_the_others(fleet: Fleet) -> None:
    may = {"a/one", "b/three"}
    mine = fleet.snapshot(may=may)
    hits = mine.matching(("insert", "cart"), 100).candidates
    assert isinstance(mine, WideSnapshot)
    assert {one.symbol.partition("//")[0] for one in hits} == may
    assert mine.matching(("insert", "cart"), 100) == both(fleet, *sorted(may))[1].matching(("insert", "cart"), 100)


def test_segments_are_joined_when_new_ones_are_as_large_and_made_anew_when_worn() -> None:
    known = [Covered(1, (10, 11), (600, 400)), Covered(2, (12,), (100,))]
    live = {10: 600, 11: 400, 12: 100}
    assert segments.plan(known, live, size=10_000) == Plan((), ())
    # 60 new symbols stay beside the hundred; 150 take them in.
    assert segments.plan(known, live | {13: 60}, size=10_000) == Plan(({13: 60},), ())
    assert segments.plan(known, live | {13: 150}, size=10_000) == Plan(({12: 100, 13: 150},), (2,))
    # Of the first segment too little is asked for; of the second nothing.
    assert segments.plan(known, {11: 400}, size=10_000) == Plan(({11: 400},), (2, 1))
    # What is large enough is left alone, and no segment is larger than it may be.
    assert segments.plan(known, live | {13: 900, 14: 900}, size=1_000) == Plan(({12: 100, 13: 900}, {14: 900}), (2,))


def test_the_newest_segment_answers_for_a_build() -> None:
    known = [Covered(1, (10, 11), (1, 1)), Covered(2, (11, 12), (1, 1))]
    assert segments.by_segment(known, [10, 11]) == {2: {11}, 1: {10}}


def test_replaced_segments_and_those_never_ended_are_deleted_after_the_grace(fleet: Fleet) -> None:
    tables = fleet.tables
    segments.begin(tables)
    before = {one.segment for one in segments.segments(tables)}
    assert segment(tables, grace=1e6) == 1
    (left,) = segments.segments(tables)
    assert left.segment not in before
    assert segments.sweep(tables, grace=1e6) == 0
    assert segments.sweep(tables, grace=-1) == 3
    kept = {one.name for one in Path(tables.uri, "segments").iterdir() if any(one.iterdir())}
    assert kept == {str(left.segment)}
    assert [one.segment for one in segments.segments(tables)] == [left.segment]
    wide, exact = both(fleet)
    assert wide.matching(("insert",), 100) == exact.matching(("insert",), 100)


def test_a_segment_whose_making_was_ended_answers_nothing_and_is_deleted(
    fleet: Fleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    tables = fleet.tables
    before = segments.segments(tables)
    monkeypatch.setattr("plait.store.lance.wide.making._write_vectors", killed)
    with pytest.raises(KeyboardInterrupt):
        segment(tables, grace=1e6)
    assert segments.segments(tables) == before
    (begun,) = {one.name for one in Path(tables.uri, "segments").iterdir()} - {str(one.segment) for one in before}
    assert sorted(one.name for one in Path(tables.uri, "segments", begun).iterdir()) == [
        f"{name}.lance" for name in ("documents", "links", "postings", "texts")
    ]
    assert segments.sweep(tables, grace=-1) == 1
    assert not any(Path(tables.uri, "segments", begun).iterdir())
    wide, exact = both(fleet)
    assert wide.matching(("insert",), 100) == exact.matching(("insert",), 100)


def test_a_segment_that_was_swept_while_it_was_made_is_not_committed(fleet: Fleet) -> None:
    before = segments.segments(fleet.tables)
    begun = segments.begin(fleet.tables)
    assert segments.sweep(fleet.tables, grace=-1) == 1
    with pytest.raises(BrokenIndex, match="was swept while it was made"):
        segments.commit(fleet.tables, begun, {1: 1})
    assert segments.segments(fleet.tables) == before


def test_of_two_that_optimize_at_once_one_answers(fleet: Fleet) -> None:
    tables = fleet.tables
    live = {one.build: one.symbols for one in registry.heads(tables)}
    todo = segments.plan(segments.segments(tables), live)
    (builds,) = todo.make
    made = []
    for number in range(2):  # both had planned before either had ended
        own = Tables(tables.uri)
        made.append(make(own, builds))
        segments.replace(own, todo.replaced)
        assert len(both(fleet)[0]._layout.placed) == 1, number
    known = segments.segments(tables)
    assert [one.segment for one in known] == made
    assert segments.by_segment(known, list(live)) == {made[1]: set(live)}
    for text in QUESTIONS:
        wide, exact = both(fleet)
        assert wide.matching((text,), 100) == exact.matching((text,), 100)
        assert [one.id for one in wide.symbols()] == [one.id for one in exact.symbols()]
    assert segment(tables, grace=1e6) == 0
    assert [one.segment for one in segments.segments(tables)] == made[1:]


def test_once_a_segment_is_on_the_disk_questions_read_nothing_from_the_tables(
    fleet: Fleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert segment(fleet.tables, grace=1e6) == 1
    before = {text: fleet.search(text, strategy=strategy) for text in QUESTIONS for strategy in STRATEGIES}
    again = Fleet.open(fleet.tables.uri, fleet.cache)
    again.exact = 0
    read: list[str] = []

    def noted(tables: Tables, name: str, *rest: object) -> object:
        read.append(name)
        return original(tables, name, *rest)  # type: ignore[arg-type]

    original = Tables.read
    monkeypatch.setattr(Tables, "read", noted)
    assert {text: again.search(text, strategy=strategy) for text in QUESTIONS for strategy in STRATEGIES} == before
    assert set(read) <= {"builds"}  # what each tells of itself, once


def test_who_looks_ahead_has_a_segment_on_the_disk_before_it_answers(fleet: Fleet, tmp_path: Path) -> None:
    index = WideIndex(fleet.tables, tmp_path / "other")
    assert index.look(ahead=True)
    assert not index.look(ahead=True)
    known = {str(one.segment) for one in segments.segments(fleet.tables)}
    (folder,) = (tmp_path / "other").iterdir()
    assert {one.name for one in folder.iterdir()} == known
    for one in known:
        assert sorted(file.stem for file in (folder / one).iterdir()) == sorted(segments.OF_SEGMENT)
    # Those that are replaced go.
    assert segment(fleet.tables, grace=1e6) == 1
    assert index.look()
    assert not any(folder.iterdir())


def test_threads_ask_while_the_list_of_repositories_changes(fleet: Fleet) -> None:
    want = fleet.search("insert an item into the cart").hits
    ended = threading.Event()

    def ask() -> int:
        asked = 0
        while not ended.is_set():
            assert fleet.search("insert an item into the cart").hits == want
            asked += 1
        return asked

    with ThreadPoolExecutor(4) as pool:
        asking = [pool.submit(ask) for _ in range(4)]
        for number in range(20):
            registry.add(Tables(fleet.tables.uri), {f"later{number}": "/nowhere"})
        ended.set()
        assert min(one.result() for one in asking) > 0


def test_cells_that_are_looked_into_hold_enough_rows_that_are_allowed() -> None:
    random = np.random.default_rng(1)
    rows = codes(random.normal(size=(3_000, 16)).astype(np.float32))
    centres, cell = divided(rows)
    assert len(centres) == 110
    order = np.argsort(cell, kind="stable")
    owners = order.astype(np.int32)
    starts = np.append(np.searchsorted(cell[order], np.arange(110)), 3_000)
    cells = Cells(rows[order], squares(rows[order]), owners, centres, starts)
    vector = rows[17].astype(np.float32)
    numbers, cosines, places = cells.nearest(vector, 500)
    assert 500 <= len(numbers) < 700
    assert list(numbers) == sorted(numbers)
    assert numbers[cosines.argmax()] == 17
    assert list(owners[places]) == list(numbers)
    allowed = np.zeros(3_000, dtype=np.bool_)
    allowed[::30] = True
    assert set(cells.nearest(vector, 500, allowed)[0]) == set(range(0, 3_000, 30))
    numbers, _, _ = cells.nearest(vector, 50, allowed)
    assert 50 <= len(numbers) < 60
    assert not set(numbers) - set(range(0, 3_000, 30))
    exact = cells.of(vector, np.array([3, 17, 2_999]))
    assert list(exact[0]) == [3, 17, 2_999]
    assert exact[1][1] == pytest.approx(1.0)
