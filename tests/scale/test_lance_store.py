"""The Lance store answers as the memory store does, and keeps what a commit promises."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from plait.batch import DIGEST, Batch, Rows, Terms
from plait.dump import dump
from plait.errors import Overtaken
from plait.model import Direction, EdgeKind, Filter, SnapshotInfo, Symbol, SymbolId
from plait.store.lance import registry
from plait.store.lance.part import Parts
from plait.store.lance.snapshot import LanceSnapshot, Unit
from plait.store.lance.tables import BEGUN, HEADS, SYMBOLS, Tables
from plait.store.lance.upkeep import optimize, tidy
from plait.store.lance.writer import LanceWriter
from plait.store.memory import MemoryWriter
from plait.testing import QUESTIONS, SOURCES, StoreContract, question, snapshot_of


class TestLance(StoreContract):
    @pytest.fixture(autouse=True)
    def _fleet(self, tables: Tables, tmp_path: Path) -> None:
        registry.add(tables, {"app": "/"})
        self.tables, self.parts = tables, Parts(tables, tmp_path / "cache")

    def make(self) -> LanceWriter:
        return LanceWriter(self.tables, self.parts, "app")


OTHER = {"lib/db.py": "def run(statement):\n    return statement\n\n\ndef insert(item):\n    run(item)\n"}


@pytest.fixture
def parts(tables: Tables, tmp_path: Path) -> Parts:
    return Parts(tables, tmp_path / "cache")


def built(tables: Tables, parts: Parts, name: str, sources: dict[str, str]) -> LanceSnapshot:
    registry.add(tables, {name: "/"})
    snapshot = snapshot_of(sources, LanceWriter(tables, parts, name))
    assert isinstance(snapshot, LanceSnapshot)
    return snapshot


def together(tables: Tables, parts: Parts, *names: str) -> LanceSnapshot:
    heads = registry.heads(tables, names)
    units = [Unit(head.name, parts.of(head.build)) for head in heads]
    return LanceSnapshot(units, units[0].part.info)


class Renamed(MemoryWriter):
    """Notes what is put, with a repository's name in front."""

    def __init__(self, name: str, into: list[Any]) -> None:
        super().__init__()
        self.name, self.into = name, into

    def put(self, symbols: Sequence[Symbol], batch: Batch) -> None:
        super().put(symbols, batch)
        for place, symbol in enumerate(symbols):
            named = SymbolId(f"{self.name}//{symbol.id}")
            path = f"{self.name}//{symbol.path}"
            parent = None if symbol.parent is None else SymbolId(f"{self.name}//{symbol.parent}")
            self.into.append((named, replace(symbol, id=named, path=path, parent=parent), _alone(batch, place)))


def _alone(batch: Batch, place: int) -> Batch:
    """Return the one document at a place as a batch."""
    words = list(batch.terms.of_each())[place]
    terms = Terms(words, np.arange(len(words), dtype=np.uint32), np.array([len(words)], dtype=np.uint32))
    found = {}
    for template, rows in batch.rows.items():
        first, end = int(rows.counts[:place].sum()), int(rows.counts[: place + 1].sum())
        digests = rows.digests[first * DIGEST : end * DIGEST]
        found[template] = Rows(rows.counts[place : place + 1], rows.spans[first:end], digests, rows.codes[first:end])
    return Batch([batch.texts[place]], terms, found)


def test_several_repositories_answer_as_one_index_of_them_all(tables: Tables, parts: Parts) -> None:
    everything: list[Any] = []
    for name, sources in (("org/app", SOURCES), ("org/app2", OTHER), ("org/secret", OTHER | SOURCES)):
        built(tables, parts, name, sources)
        if name != "org/secret":
            snapshot_of(sources, Renamed(name, everything))
    writer = MemoryWriter()
    for _, symbol, batch in sorted(everything, key=lambda one: one[0]):
        writer.put([symbol], batch)
    reference = writer.commit(SnapshotInfo("", "", "", "", 0, 0))
    mine = together(tables, parts, "org/app", "org/app2")
    assert mine.symbols() == reference.symbols()
    for text in QUESTIONS:
        for where in (Filter(), Filter(path="org/app2//*"), Filter(path="*/db.py", tests=False)):
            asked = question(text, where=where)
            for k in (1, 3, 100):
                assert mine.matching(asked.terms, k, where) == reference.matching(asked.terms, k, where)
                assert mine.nearest(asked.vector, k, where) == reference.nearest(asked.vector, k, where)
    assert list(mine.postings()) == list(reference.postings())
    assert len(mine.edges([one.id for one in mine.symbols()], list(EdgeKind), Direction.OUT)) > 0


def test_a_build_that_was_not_committed_is_nowhere(tables: Tables, parts: Parts) -> None:
    built(tables, parts, "app", SOURCES)
    before = registry.head(tables, "app")
    first, second = LanceWriter(tables, parts, "app"), LanceWriter(tables, parts, "app")
    snapshot_of(OTHER, first)
    with pytest.raises(Overtaken, match="app: another builder has committed"):
        snapshot_of(SOURCES, second)
    after = registry.head(tables, "app")
    assert (after.generation, after.build) == (before.generation + 1, first.build)
    assert second.build not in {one.build for one in after.history}


def test_an_earlier_generation_can_still_be_asked(tables: Tables, parts: Parts) -> None:
    for sources in (SOURCES, OTHER):
        built(tables, parts, "app", sources)
    head = registry.head(tables, "app")
    assert [one.number for one in head.history] == [2, 1]
    for generation, sources in zip(head.history, (OTHER, SOURCES), strict=True):
        part = parts.of(generation.build)
        found = LanceSnapshot([Unit("", part)], part.info)
        assert found.symbols() == snapshot_of(sources).symbols()


def test_sweeping_deletes_what_no_head_names_and_nothing_else(tables: Tables, parts: Parts) -> None:
    for sources in (SOURCES, OTHER, SOURCES, OTHER, SOURCES):
        built(tables, parts, "app", sources)
    LanceWriter(tables, parts, "app")
    kept = {one.build for one in registry.head(tables, "app").history}
    assert registry.sweep(tables, grace=1e6) == 0
    assert registry.sweep(tables, grace=-1) == 3
    assert set(tables.latest(SYMBOLS).to_table(columns=["build"])["build"].to_pylist()) == kept
    assert together(tables, parts, "app").info.symbols == len(snapshot_of(SOURCES).symbols())


def test_tidying_joins_what_every_build_reads_whole(tables: Tables, parts: Parts) -> None:
    for name in ("app", "lib", "app"):
        built(tables, parts, name, OTHER)
    before = registry.heads(tables)
    assert [len(tables.latest(name).get_fragments()) > 1 for name in (HEADS, BEGUN)] == [True, True]
    tidy(tables)
    assert [len(tables.latest(name).get_fragments()) for name in (HEADS, BEGUN)] == [1, 1]
    assert registry.heads(tables) == before


def test_optimizing_joins_pieces_and_changes_no_answer(tables: Tables, parts: Parts, tmp_path: Path) -> None:
    for name in ("app", "lib", "app"):
        built(tables, parts, name, SOURCES if name == "app" else OTHER)
    before = list(dump(together(tables, parts, "app", "lib")))
    assert optimize(tables, grace=1e6).fragments > 0
    fresh = Parts(Tables(tables.uri), tmp_path / "fresh")
    assert list(dump(together(fresh.tables, fresh, "app", "lib"))) == before
