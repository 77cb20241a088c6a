"""Facts are kept by content: what was parsed once is not parsed again, in this folder or another."""

from __future__ import annotations

import pickle
import sqlite3
import zlib
from contextlib import closing
from pathlib import Path

import pytest

from plait import extraction
from plait.engine import Engine
from plait.facts import ParsedFile
from plait.model import Skipped, SourceFile
from plait.store.facts import FactsCache

FILES = {f"m{number}.py": f"def f{number}():\n    return g()\n" for number in range(5)} | {"broken.py": "def (:\n"}


def sources(files: dict[str, str]) -> list[SourceFile]:
    return [SourceFile(path, "python", text, f"digest of {text}") for path, text in files.items()]


def extract(files: dict[str, str], cache: FactsCache | None = None, *, flow: bool = False) -> extraction.Extracted:
    return extraction.extract(sources(files), cache, "state", lambda *_: None, flow=flow)


def write(folder: Path, files: dict[str, str]) -> Path:
    folder.mkdir(exist_ok=True)
    for path, text in files.items():
        (folder / path).write_text(text)
    return folder


def test_facts_from_the_cache_are_those_of_the_parser(tmp_path: Path) -> None:
    cache = FactsCache(tmp_path / "facts.sqlite")
    first, again = extract(FILES, cache), extract(FILES, cache)
    assert again.parsed == first.parsed == extract(FILES).parsed
    assert [one.path for one in first.parsed] == [f"m{number}.py" for number in range(5)]
    assert (first.computed, again.computed) == (6, 1)  # what is no fact, like a broken file, is asked for each time
    assert all(isinstance(one, Skipped) for one in again.skipped)


def test_the_flow_of_values_is_found_when_it_is_asked_for(tmp_path: Path) -> None:
    cache = FactsCache(tmp_path / "facts.sqlite")
    files = {path: text for path, text in FILES.items() if path != "broken.py"}
    assert all(one.flow.constraints == () for one in extract(files, cache).parsed)
    with_flow = extract(files, cache, flow=True)
    assert with_flow.computed == 5
    assert all(one.flow.constraints for one in with_flow.parsed)
    again = extract(files, cache, flow=True)
    assert (again.computed, again.parsed) == (0, with_flow.parsed)
    assert extract(files, cache).computed == 0


def test_a_changed_file_alone_is_parsed_and_a_moved_one_too(tmp_path: Path) -> None:
    cache = FactsCache(tmp_path / "facts.sqlite")
    files = {path: text for path, text in FILES.items() if path != "broken.py"}
    extract(files, cache)
    assert extract(files | {"m1.py": "def other(): ...\n"}, cache).computed == 1
    assert extract({"moved.py": files["m0.py"]}, cache).computed == 1


def test_a_clone_shares_what_was_parsed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLAIT_CACHE", str(tmp_path / "cache"))
    files = {path: text for path, text in FILES.items() if path != "broken.py"}
    one, other = (write(tmp_path / name, files) for name in ("one", "other"))
    assert Engine.open(one).index().parsed == 5
    assert Engine.open(other).index().parsed == 0


def test_a_refresh_parses_what_was_edited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLAIT_CACHE", str(tmp_path / "cache"))
    root = write(tmp_path / "one", FILES)
    (root / "broken.py").unlink()
    engine = Engine.open(root)
    engine.index()
    (root / "m3.py").write_text("def edited(): ...\n")
    assert engine.index().parsed == 1
    assert engine.find("edited").path == "m3.py"


@pytest.mark.parametrize("damage", [b"", b"no database at all", b"SQLite format 3\0" + b"\0" * 200])
def test_a_damaged_cache_is_made_anew(tmp_path: Path, damage: bytes) -> None:
    cache = FactsCache(tmp_path / "facts.sqlite")
    cache.path.write_bytes(damage)
    for _ in range(2):
        assert len(extract(FILES, cache).parsed) == 5
    assert extract(FILES, cache).computed == 1


def test_a_cache_that_cannot_be_written_is_done_without(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert len(extract(FILES, FactsCache(tmp_path / "file" / "facts.sqlite")).parsed) == 5


def test_only_facts_are_read(tmp_path: Path) -> None:
    """A pickle could run anything; this one would make a folder."""
    cache = FactsCache(tmp_path / "facts.sqlite")
    extract(FILES, cache)
    trap = zlib.compress(pickle.dumps(Trap(tmp_path / "made")))
    with sqlite3.connect(cache.path) as database:
        database.execute("UPDATE facts SET value = ?", (trap,))
    database.close()
    assert extract(FILES, cache).computed == 6
    assert not (tmp_path / "made").exists()


def test_what_was_parsed_before_an_interrupt_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = FactsCache(tmp_path / "facts.sqlite")
    files = {f"m{number}.py": f"def f{number}(): ...\n" for number in range(6)}

    def interrupted(stage: str, done: int, total: int) -> None:
        if done == 4:
            raise KeyboardInterrupt

    for parallel in (False, True):
        monkeypatch.setattr(extraction, "WORTH_PROCESSES", 0 if parallel else 1_000_000)
        with pytest.raises(KeyboardInterrupt):
            extraction.extract(sources(files), cache, f"state {parallel}", interrupted, flow=False)
        assert extraction.extract(sources(files), cache, f"state {parallel}", lambda *_: None, flow=False).computed == 2


def test_what_was_parsed_is_kept_as_it_comes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So that little is lost when a build is killed."""
    monkeypatch.setattr(extraction, "KEPT_AT_ONCE", len("def f0(): ...\n") * 2)
    cache = FactsCache(tmp_path / "facts.sqlite")
    counts: list[int] = []

    def count(stage: str, done: int, total: int) -> None:
        if cache.path.exists():
            with closing(sqlite3.connect(cache.path)) as database:
                counts.append(*database.execute("SELECT count(*) FROM facts").fetchone())

    extraction.extract(sources({f"m{n}.py": f"def f{n}(): ...\n" for n in range(6)}), cache, "state", count, flow=False)
    assert counts == [2, 2, 4, 4, 6]


class Trap:
    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, tuple[Path]]:
        return (Path.mkdir, (self.path,))


def test_processes_give_the_same_in_the_same_order(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = extract(FILES)
    monkeypatch.setattr(extraction, "WORTH_PROCESSES", 0)
    monkeypatch.setattr(extraction, "CHUNK", 2)
    parallel = extract(FILES)
    assert parallel == plain
    assert all(isinstance(one, ParsedFile) for one in parallel.parsed)
