"""Incremental equals clean: after any history the index that was renewed step by step has the dump of a new one."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest
from histories import NAMES, POLYGLOT_STEPS, STEPS, History, Polyglot, read
from hypothesis import given, settings
from hypothesis import strategies as st

from plait import Engine
from plait.dump import dump
from plait.model import Direction, EdgeKind
from plait.protocols import Snapshot

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="the histories are git's")

EXAMPLES = int(os.environ.get("PLAIT_EXAMPLES", "5"))
"""Histories; `make test-slow` asks for more."""

HISTORIES = settings(max_examples=EXAMPLES, deadline=None, derandomize=True, database=None)


@dataclass(frozen=True, slots=True)
class Step:
    name: str
    seed: int
    together: bool
    """the index is not asked between this step and the next"""
    afresh: bool
    """another process asks"""
    flow: bool
    """the graph that follows values is asked, too"""
    directly: bool
    """that one is indexed without a question before"""


SEEDS = st.integers(0, 1_000_000)
SELDOM = st.sampled_from([False] * 3 + [True])
STEP = st.builds(Step, st.sampled_from(sorted(STEPS)), SEEDS, SELDOM, SELDOM, SELDOM, st.booleans())
LAST = Step("touch", 0, together=False, afresh=True, flow=True, directly=False)


class Compared:
    """One cache for all that is indexed step by step; a new one for each index that it is compared with."""

    def __init__(self, place: Path, history: History) -> None:
        self.place = place
        self.history = history
        self.refreshed = 0
        self.engines: dict[tuple[Path, str], Engine] = {}

    def follow(self, steps: Sequence[Step]) -> None:
        self.compare(LAST)
        for step in [*steps, LAST]:
            self.history.step(step.name, step.seed)
            if not step.together:
                self.compare(step)

    def compare(self, step: Step) -> None:
        for root in (self.history.root, *self.history.worktrees):
            with tempfile.TemporaryDirectory(dir=self.place) as clean:
                for graph in ("scoped", "flow") if step.flow else ("scoped",):
                    engine = self._engine(root, graph, step.afresh)
                    if graph == "scoped" or not step.directly:
                        engine.snapshot()
                    if graph == "flow":
                        engine.index()  # until then the flow of values need not have been followed
                    self.refreshed += engine.refreshed is not None
                    new = opened(root, graph, Path(clean))
                    new.index()
                    expected = new.snapshot()
                    same(engine.snapshot(), expected)
                    nothing_is_gone(engine, expected)

    def _engine(self, root: Path, graph: str, afresh: bool) -> Engine:
        if afresh or (root, graph) not in self.engines:
            self.engines[root, graph] = opened(root, graph, self.place / "cache")
        return self.engines[root, graph]


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


@HISTORIES
@given(st.lists(STEP, min_size=12, max_size=12), st.sampled_from([0, 10, 1000]), st.sampled_from([0, 20_000]))
def test_a_renewed_index_equals_a_clean_one(steps: list[Step], few: int, flow_lines: int) -> None:
    """Also where changes are soon joined with what was built, and where the flow of values is followed later."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("plait.store.changes.FEW", few)
        patched.setattr("plait.store.changes.PART", 0.0)
        patched.setattr("plait.kept.FLOW_LINES", flow_lines)
        follow(steps)


def follow(steps: Sequence[Step], languages: Sequence[str] = (), seed: int = 0) -> int:
    """Return how often an index was asked that had been renewed, not built."""
    with tempfile.TemporaryDirectory(prefix="plait-history-") as place:
        root = Path(place) / "repository"
        compared = Compared(Path(place), Polyglot(root, languages, seed) if languages else History(root))
        compared.follow(steps)
    return compared.refreshed


SPOKEN = ("c", "go", "java", "javascript", "php", "ruby", "rust", "swift", "typescript")
OFTEN = st.sampled_from(["edit"] * 20 + sorted(POLYGLOT_STEPS))
POLYGLOT_STEP = st.builds(Step, OFTEN, SEEDS, SELDOM, SELDOM, SELDOM, st.booleans())


@HISTORIES
@given(st.lists(POLYGLOT_STEP, min_size=10, max_size=10), SEEDS, st.sampled_from([0, 10, 1000]))
def test_in_other_languages_too(steps: list[Step], seed: int, few: int) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("plait.store.changes.FEW", few)
        patched.setattr("plait.store.changes.PART", 0.0)
        assert follow(steps, SPOKEN, seed)


def test_those_histories_find_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("plait.refresh.reached", lambda *given: set())
    steps = [Step("edit", seed, False, False, False, False) for seed in range(30)]
    with pytest.raises(AssertionError, match="the index differs from a clean one"):
        follow(steps, ("elixir", "haskell", "php", "swift"))


@pytest.mark.parametrize("fault", ["a change is missed", "only what changed is linked", "neighbours stay as they are"])
def test_these_histories_find_a_fault(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if fault == "a change is missed":
        monkeypatch.setattr("plait.kept.is_fresh", lambda *given, **settings: True)
    elif fault == "only what changed is linked":
        monkeypatch.setattr("plait.refresh.reached", lambda *given: set())
    else:
        monkeypatch.setattr("plait.refresh._pairs", lambda edges: set())
    random = Random(1)
    steps = [Step(name, random.randrange(1000), False, False, False, False) for name in EDITS * 3]
    with pytest.raises(AssertionError, match="the index differs from a clean one"):
        follow(steps)


EDITS = ("edit_a_body", "rename_a_definition", "add_a_function", "remove_a_definition", "change_a_base")
