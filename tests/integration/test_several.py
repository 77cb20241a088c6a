"""Several repositories in one question."""

from __future__ import annotations

from pathlib import Path

import pytest
from asking import FILES, as_json, lines, plait, written

from plait import Engine
from plait.errors import BadParameter
from plait.several import NEARNESS, named, search


@pytest.fixture
def two(tmp_path: Path) -> tuple[Path, Path]:
    other = {"lib/read.py": "def parse_header(line):\n    return line.split()\n\n\ndef close():\n    pass\n"}
    return written(tmp_path / "app", FILES), written(tmp_path / "lib", other)


def test_results_name_their_repository(two: tuple[Path, Path]) -> None:
    app, lib = two
    found = as_json("search", "parse a header", "--repo", app, "--repo", f"other={lib}", "-k", "2")
    assert [(hit["rank"], hit["repository"], hit["symbol"]) for hit in found["hits"]] == [
        (1, "other", "lib.read.parse_header"),
        (2, "app", "app.web.parse"),
    ]
    assert [one["name"] for one in found["repositories"]] == ["app", "other"]
    assert found["total"] == sum(one["total"] for one in found["repositories"])
    shown = lines("search", "parse a header", "--repo", app, "--repo", f"other={lib}", "-k", "2")
    assert shown[0].startswith("1  other  lib/read.py:1-2  lib.read.parse_header  [function]  ")
    assert shown[2].startswith("2  app  app/web.py:8-9  app.web.parse  [function]  ")
    assert shown[-2].startswith("between repositories it counts as well how near each is: greatest cosine of app 0.")
    assert shown[-1] == f"2 of {found['total']} candidates; -k shows more, --explain all reasons"


def test_each_ranks_as_it_does_alone(two: tuple[Path, Path]) -> None:
    engines = {path.name: Engine.open(path, embedder="hashing") for path in two}
    found = search(engines, "parse a line", k=50)
    for name, engine in engines.items():
        alone = engine.search("parse a line", k=50)
        assert [(one.hit.symbol, one.hit.score) for one in found if one.repository == name] == [
            (hit.symbol, hit.score) for hit in alone
        ]
    assert [one.hit.rank for one in found] == list(range(1, len(found) + 1))
    best = max(one.hit.score for one in found)
    scores = [one.hit.score / best + NEARNESS * found.nearest[one.repository] for one in found]
    assert scores == sorted(scores, reverse=True)
    assert found.state == "+".join(engine.snapshot().info.state for engine in engines.values())


def test_equal_scores_stand_as_the_repositories_were_named(tmp_path: Path) -> None:
    same = {"a.py": "def parse():\n    pass\n"}
    engines = {name: Engine.open(written(tmp_path / name, same), embedder="hashing") for name in ("second", "first")}
    found = search(engines, "parse", k=2)
    assert [one.repository for one in found] == ["second", "first"]


def test_names(tmp_path: Path) -> None:
    (tmp_path / "a=b").mkdir()
    (tmp_path / "c").mkdir()
    assert named([f"x={tmp_path}/c", str(tmp_path / "a=b"), f"{tmp_path}/c/"]) == {
        "x": tmp_path / "c",
        "a=b": tmp_path / "a=b",
        "c": tmp_path / "c",
    }
    for given in ([f"{tmp_path}/c", f"c={tmp_path}"], [f"two words={tmp_path}"]):
        with pytest.raises(BadParameter):
            named(given)
    with pytest.raises(BadParameter):
        search({}, "x")


def test_requests_that_do_not_fit(two: tuple[Path, Path]) -> None:
    app, lib = two
    both = plait("search", "parse", app, "--repo", lib)
    assert (both.exit_code, both.output) == (2, "plait: give PATH or --repo, not both\n")
    missing = plait("search", "parse", "--repo", app, "--repo", lib / "none")
    assert (missing.exit_code, missing.output.count("\n")) == (2, 1)
    assert lines("search", "zzz", "--repo", app, "--strategy", "lexical") == [
        "no result: nothing in the index shares a word or a meaning with the question"
    ]
