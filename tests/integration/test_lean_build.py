"""A build holds what it is working on and no more, and comes out the same in any number of parts."""

from __future__ import annotations

import ast
import gc
import os
from pathlib import Path
from typing import Any

import pytest

from plait import gathered, kept, linking, spool
from plait.dump import dump
from plait.engine import Engine
from plait.facts import Brief, FlowFacts, ParsedFile
from plait.parse import facts
from plait.parse.flow import FlowWalk
from plait.processes import Pool
from plait.store import segment_writer

FILES = 24
SCRIPTS = 2


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Modules of which each calls into the two before, below it in the order of ids and not, beside another language.

    `m/x.py` and `m.py` have ids in an order that is not that of their paths.
    """
    root = tmp_path / "repository"
    (root / "m").mkdir(parents=True)
    for number in range(FILES):
        path = root / ("m" if number % 2 else "") / f"m{number}.py"
        imports = [
            f"from {'m.' if one % 2 else ''}m{one} import A{one}, f{one}\n" for one in range(max(0, number - 2), number)
        ]
        calls = [f"    A{one}().run(f{one}())\n" for one in range(max(0, number - 2), number)]
        methods = "    def run(self, other):\n        return missing(other)\n\n"
        path.write_text("".join([*imports, f"\nclass A{number}:\n{methods}def f{number}():\n    pass\n", *calls]))
    (root / "m.py").write_text("from m.m1 import *\n\nf1()\n")
    (root / "run.js").write_text("import { go } from './go.js'\nexport function run() { go() }\n")
    (root / "go.js").write_text("export function go() {}\n")
    return root


def in_parts(monkeypatch: pytest.MonkeyPatch, *, files: int = 3, symbols: int = 8) -> None:
    monkeypatch.setattr(linking, "PART", files)
    monkeypatch.setattr(gathered.ParsedFiles.__init__, "__defaults__", (symbols, symbols))
    monkeypatch.setattr(spool.Spool.__init__, "__defaults__", (1,))
    monkeypatch.setattr(segment_writer, "_SPOOLED", 1)
    monkeypatch.setattr(segment_writer, "_PIECE", 2)
    monkeypatch.setattr("plait.store.postings._MANY", 40)
    monkeypatch.setattr("plait.embedding.BATCH", 5)
    monkeypatch.setattr("plait.document.GATHERED", 7)


@pytest.mark.parametrize("graph", ["scoped", "flow"])
def test_parts_make_what_the_whole_makes(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, graph: str
) -> None:
    monkeypatch.setattr(kept, "FLOW_LINES", 0)
    whole = Engine.open(repository, cache=tmp_path / "whole", graph=graph).snapshot()
    assert whole.info.edges["calls"] > 2 * FILES
    in_parts(monkeypatch)
    parts = Engine.open(repository, cache=tmp_path / "parts", graph=graph).snapshot()
    assert list(dump(parts)) == list(dump(whole))


@pytest.mark.parametrize("dies", [False, True])
def test_processes_make_what_one_makes(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dies: bool
) -> None:
    monkeypatch.setattr(kept, "FLOW_LINES", 0)
    whole = Engine.open(repository, cache=tmp_path / "whole").snapshot()
    monkeypatch.setattr(linking, "WORTH_PROCESSES", 10)
    monkeypatch.setattr(linking, "PART", 5)
    used: list[object] = []

    mapped = Pool.mapped

    def counted(self: Pool, work: Any, parts: Any, *begin: Any) -> Any:
        for one in mapped(self, die_elsewhere if dies else work, parts, *begin):
            used.append(one)
            yield one

    monkeypatch.setattr(Pool, "mapped", counted)
    monkeypatch.setenv("LINKING", str(os.getpid()))
    parts = Engine.open(repository, cache=tmp_path / "parts").snapshot()
    assert list(dump(parts)) == list(dump(whole))
    assert len(used) == 5  # 25 files of Python


def die_elsewhere(linker: linking._Linker, part: tuple[int, int]) -> bytes:
    if os.getpid() != int(os.environ["LINKING"]):
        os._exit(1)
    return linking._linked(linker, part)


def test_in_memory_as_well(repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = Engine.open(repository, cache=tmp_path / "whole", graph="scoped").snapshot()
    in_parts(monkeypatch)
    (tmp_path / "file").write_text("")
    kept_nowhere = Engine.open(repository, cache=tmp_path / "file", graph="scoped")
    assert list(dump(kept_nowhere.snapshot())) == list(dump(whole))


def test_a_package_at_the_root_is_linked_at_once(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its files may import it by a name that only all of them tell."""
    (repository / "__init__.py").write_text("")
    (repository / "user.py").write_text("from outer.m0 import f0\nfrom outer.m2 import f2\nf0()\nf2()\n")
    whole = Engine.open(repository, cache=tmp_path / "whole", graph="scoped").snapshot()
    in_parts(monkeypatch)
    parts = Engine.open(repository, cache=tmp_path / "parts", graph="scoped").snapshot()
    assert list(dump(parts)) == list(dump(whole))


def test_few_files_are_open_at_once(repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    in_parts(monkeypatch)
    gc.collect()
    before = sum(isinstance(one, ParsedFile | Brief) for one in gc.get_objects())
    most = {"parsing": 0, "linking": 0, "embedding": 0}

    def count(stage: str, done: int, total: int) -> None:
        if stage in most:
            alive = sum(isinstance(one, ParsedFile | Brief) for one in gc.get_objects()) - before
            most[stage] = max(most[stage], alive)

    Engine.open(repository, cache=tmp_path / "cache", graph="scoped", progress=count).snapshot()
    # 8 symbols are those of two modules, or of one and all small files; a part opens what its three files reach.
    assert most["parsing"] == 0
    assert 0 < most["linking"] <= 9
    assert 0 < most["embedding"] <= 9


def test_values_are_followed_only_when_somebody_waits_for_it(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    followed: list[FlowWalk] = []

    class Counted(FlowWalk):
        def of(self, tree: ast.Module) -> FlowFacts:
            followed.append(self)
            return super().of(tree)

    monkeypatch.setattr(facts, "FlowWalk", Counted)
    monkeypatch.setattr(kept, "FLOW_LINES", 0)
    opened = Engine.open(repository, cache=tmp_path / "cache")
    assert opened.snapshot().info.pending == FILES + 1 + SCRIPTS
    assert len(followed) == 0
    assert opened.index().info.pending == 0
    assert len(followed) == FILES + 1
    (repository / "m0.py").write_text((repository / "m0.py").read_text() + "\nf0()\n")
    assert opened.snapshot().info.pending > 0
    assert len(followed) == FILES + 1
    clean = Engine.open(repository, cache=tmp_path / "clean")
    assert opened.index().info.pending == clean.index().info.pending == 0
    assert list(dump(opened.snapshot())) == list(dump(clean.snapshot()))
