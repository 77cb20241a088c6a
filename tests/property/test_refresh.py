"""Incremental equals clean: after any history the index that was renewed step by step has the dump of a new one."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest
from histories import NAMES, STEPS, History, read
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from plait import Engine
from plait.dump import dump
from plait.model import Direction, EdgeKind
from plait.protocols import Snapshot

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="the histories are git's")

EXAMPLES = int(os.environ.get("PLAIT_EXAMPLES", "8"))
"""Histories; `make test-slow` asks for more."""

HISTORIES = settings(max_examples=EXAMPLES, stateful_step_count=16, deadline=None, derandomize=True, database=None)

GRAPHS = ("scoped", "flow")


class Refreshed(RuleBasedStateMachine):
    """One cache for all that is indexed step by step; a new one for each index that it is compared with."""

    @initialize()
    def begin(self) -> None:
        self.place = Path(tempfile.mkdtemp(prefix="plait-history-"))
        self.history = History(self.place / "repository")
        self.engines: dict[tuple[Path, str], Engine] = {}
        self.changed = False
        self.compare(afresh=False, directly=False)

    @rule(name=st.sampled_from(sorted(STEPS)), seed=st.integers(0, 1_000_000))
    def step(self, name: str, seed: int) -> None:
        self.history.step(name, seed)
        self.changed = True

    @rule(afresh=st.booleans(), directly=st.booleans())
    def refresh(self, afresh: bool, directly: bool) -> None:
        if self.changed:
            self.compare(afresh=afresh, directly=directly)

    def teardown(self) -> None:
        try:
            if hasattr(self, "changed") and self.changed:
                self.compare(afresh=True, directly=False)
        finally:
            if hasattr(self, "place"):
                shutil.rmtree(self.place)

    def compare(self, *, afresh: bool, directly: bool) -> None:
        """Compare each index with a clean one: as another process would open it, or without a question before."""
        self.changed = False
        for root in (self.history.root, *self.history.worktrees):
            with tempfile.TemporaryDirectory(dir=self.place) as clean:
                for graph in GRAPHS:
                    if afresh or (root, graph) not in self.engines:
                        self.engines[root, graph] = opened(root, graph, self.place / "cache")
                    engine = self.engines[root, graph]
                    if not directly:
                        engine.snapshot()
                    if graph == "flow":
                        engine.index()  # until then the flow of values need not have been followed
                    expected = opened(root, graph, Path(clean)).snapshot()
                    same(engine.snapshot(), expected)
                    nothing_is_gone(engine, expected)


def opened(root: Path, graph: str, cache: Path) -> Engine:
    return Engine.open(root, embedder="hashing", graph=graph, cache=str(cache))


def same(found: Snapshot, expected: Snapshot) -> None:
    mine, clean = list(dump(found)), list(dump(expected))
    if mine != clean:
        ours, theirs = set(mine), set(clean)
        surplus = [f"- {line}" for line in mine if line not in theirs]
        missing = [f"+ {line}" for line in clean if line not in ours]
        raise AssertionError("\n".join(["the index differs from a clean one", *surplus[:20], *missing[:20]]))
    ids = [symbol.id for symbol in found.symbols()]
    out = found.edges(ids, list(EdgeKind), Direction.OUT)
    assert found.edges(ids, list(EdgeKind), Direction.IN) == out
    for direction in Direction:
        assert sum(found.degree(ids, list(EdgeKind), direction).values()) == len(out)
    for name in NAMES:
        assert found.named(name) == expected.named(name)


def nothing_is_gone(engine: Engine, expected: Snapshot) -> None:
    known = {symbol.id: symbol for symbol in expected.symbols()}
    for name in NAMES[:4]:
        for hit in engine.search(name, k=5):
            assert hit.symbol == known[hit.symbol.id]
            assert hit.text == read(engine.root, hit.symbol.path, hit.span.start_line, hit.span.end_line)


def test_a_renewed_index_equals_a_clean_one() -> None:
    run_state_machine_as_test(Refreshed, settings=HISTORIES)  # type: ignore[no-untyped-call]


def no_change_is_seen(*given: Any, **settings: Any) -> bool:
    return True


def test_these_histories_find_a_refresh_that_misses_something(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("plait.engine.is_fresh", no_change_is_seen)
    once = settings(HISTORIES, phases=[Phase.generate], print_blob=False)
    with pytest.raises((AssertionError, ExceptionGroup)):
        run_state_machine_as_test(Refreshed, settings=once)  # type: ignore[no-untyped-call]
