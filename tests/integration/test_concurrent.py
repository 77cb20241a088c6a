"""Many processes index, edit and search one repository at once: no error, and every answer is that of its state."""

from __future__ import annotations

import os
from itertools import product
from pathlib import Path

import pytest
from processes import (
    CONTEXT,
    FILES,
    QUESTIONS,
    Shown,
    ask,
    committed,
    opened,
    replace,
    shown,
    version,
    versioned,
    write,
)

from plait import Engine
from plait.store.changes import EmbeddedChanges
from plait.store.embedded import EmbeddedSnapshot

pytestmark = pytest.mark.skipif(os.name == "nt", reason="a file that is open cannot be replaced there")

PROCESSES = 8
ROUNDS = int(os.environ.get("PLAIT_ROUNDS", "4"))
"""`make test-slow` asks for more."""


def test_processes_that_index_edit_and_search_at_once(tmp_path: Path) -> None:
    root, cache = tmp_path / "repository", tmp_path / "cache"
    write(root, 0)
    expected: dict[tuple[str, str], Shown] = {}
    for chosen in product(range(2), repeat=FILES):
        for number, which in enumerate(chosen):
            replace(root / versioned(number), version(number, which))
        clean = opened(root, tmp_path / f"clean{chosen}")
        expected |= {(clean.snapshot().info.state, asked): shown(clean.search(asked, k=8)) for asked in QUESTIONS}
    assert len(expected) == 2**FILES * len(QUESTIONS)
    assert len(set(map(repr, expected.values()))) > 2**FILES

    started = []
    for number in range(PROCESSES):
        ours, theirs = CONTEXT.Pipe(duplex=False)
        process = CONTEXT.Process(target=ask, args=(root, cache, number, ROUNDS, theirs))
        process.start()
        theirs.close()
        started.append((process, ours))
    answers = []
    for process, ours in started:
        found = ours.recv()
        process.join()
        assert not isinstance(found, str), found
        answers += found
    assert len(answers) == PROCESSES * ROUNDS * len(QUESTIONS)
    for state, question, hits in answers:
        assert hits == expected[state, question]
    assert len({state for state, _, _ in answers}) > 1

    opened(root, tmp_path / "clean").index()
    opened(root, cache).snapshot()
    assert committed(root, cache) == committed(root, tmp_path / "clean"), "what the last writer leaves is whole"
    left = sorted(path.name for path in opened(root, cache).path.parent.iterdir() if path.name.endswith(".new"))
    assert left == []


def test_a_late_writer_leaves_the_changes_to_a_newer_index(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It looked at the index before another one was built, and commits after changes to that one."""
    engine = Engine.open(repository, embedder="hashing", graph="scoped")
    engine.index()
    late = EmbeddedChanges(EmbeddedSnapshot(engine.path))
    base = late._base_now()
    engine.index(force=True)
    (repository / "new.py").write_text("def added():\n    return 1\n")
    committed = engine.snapshot().info
    monkeypatch.setattr(EmbeddedChanges, "_base_now", lambda self: base)
    late.commit(EmbeddedSnapshot(engine.path).info)
    kept = EmbeddedSnapshot(engine.path)
    assert kept.info == committed
    assert [symbol.name for symbol in kept.named("added")] == ["added"]
    assert len(list(engine.path.parent.glob("*.changes"))) == 1
