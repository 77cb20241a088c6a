"""Broken, deep, long and tangled files go through the whole of an indexing run: none is lost without a word.

Seconds are measured by `benchmarks/hostile.py`; here it is what comes out.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from hostile import CASES, LARGE

from plait import plugins
from plait.doors.cli import main
from plait.indexing import build
from plait.model import Direction, EdgeKind
from plait.store.memory import MemoryWriter


@pytest.mark.parametrize("name", [name for name in CASES if name not in LARGE])
def test_nothing_is_lost_without_a_word(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    for path, content in case.files().items():
        (tmp_path / path).write_bytes(content)
    snapshot, report = build(
        tmp_path, MemoryWriter(), plugins.build("embedder", "hashing"), graph="flow", max_file_bytes=1_000_000
    )
    became = {skip.path: str(skip.reason) for skip in snapshot.skipped()}
    became |= {one.path: "recovered" for one in report.recovered}
    first = min(case.files().keys() - {"companion.py"})
    assert became.get(first, "indexed") == case.becomes
    assert report.info.files + len(snapshot.skipped()) == len(case.files())

    symbols = snapshot.symbols()
    assert {"companion", *case.defines} <= {symbol.name for symbol in symbols}
    named = {symbol.id: symbol.name for symbol in symbols}
    edges = snapshot.edges(list(named), [EdgeKind.CALLS], Direction.OUT)
    assert set(case.calls) <= {(named[edge.source], named[edge.target]) for edge in edges}


def test_the_index_tells_what_was_read_in_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLAIT_CACHE", str(tmp_path / "cache"))
    root = tmp_path / "root"
    root.mkdir()
    (root / "broken.py").write_text("def f():\n    g()\n\nx = 1 $ 2\n\ndef g(: pass\n")
    (root / "old.py").write_text("print 'x'\n")
    (root / "prose.py").write_text("This is prose. It's long (and so on.\n" * 9)
    short = CliRunner().invoke(main, ["index", str(root)]).stdout
    assert "recovered   2 files with errors, 1 of them in part; --skipped lists them" in short.splitlines()
    full = CliRunner().invoke(main, ["index", str(root), "--skipped"]).stdout.splitlines()
    assert "broken.py  recovered: line 4: invalid syntax; 2 regions not fully understood (lines 4, 6)" in full
    status = CliRunner().invoke(main, ["status", str(root), "--skipped"]).stdout.splitlines()
    assert {line for line in full if "  recovered: " in line} <= set(status)
    (old,) = (line for line in full if line.startswith("old.py  recovered: line 1: "))
    assert old.endswith("; nothing left out")
    assert any(line.startswith("prose.py  syntax error: line 1: ") for line in full)
