"""What a caller may not read is as if it were not there."""

from __future__ import annotations

from pathlib import Path

import pytest

from plait.errors import BadParameter, NoFleet
from plait.fleet.building import build_repository, sources_in
from plait.fleet.fleet import Fleet
from plait.settings import Settings
from plait.store.lance import registry
from plait.testing import SOURCES

SECRET = {"vault.py": "def insert_into_cart(item):\n    '''Insert an item into the cart.'''\n    return item\n"}


def fleet_of(place: Path, repositories: dict[str, dict[str, str]]) -> Fleet:
    made = Fleet.create(str(place / "fleet"), Settings(embedder="hashing", graph="scoped", cache=place / "cache"))
    for name, sources in repositories.items():
        for path, text in sources.items():
            (place / name / path).parent.mkdir(parents=True, exist_ok=True)
            (place / name / path).write_text(text, encoding="utf-8")
    registry.add(made.tables, {name: str(place / name) for name in repositories})
    assert [build_repository(made, name).problem for name in repositories] == [""] * len(repositories)
    return made


@pytest.mark.parametrize("strategy", ["additive", "hybrid", "lexical"])
def test_an_answer_is_that_of_a_fleet_without_what_the_caller_may_not_read(tmp_path: Path, strategy: str) -> None:
    with_secret = fleet_of(tmp_path / "a", {"app": SOURCES, "secret": SECRET})
    without = fleet_of(tmp_path / "b", {"app": SOURCES})
    for question in ("insert an item into the cart", "connect", "insert_into_cart", '"cart" path:*'):
        mine = with_secret.search(question, may={"app"}, strategy=strategy)
        assert (mine.total, mine.hits) == (lambda other: (other.total, other.hits))(
            without.search(question, strategy=strategy)
        )
    everything = with_secret.search("insert an item into the cart", strategy=strategy)
    assert any(hit.symbol.path == "secret//vault.py" for hit in everything)


def test_a_name_that_the_caller_may_not_read_is_a_name_that_nobody_has(tmp_path: Path) -> None:
    fleet = fleet_of(tmp_path, {"app": SOURCES, "secret": SECRET})
    told = []
    for name in ("secret", "nobody"):
        with pytest.raises(BadParameter) as error:
            fleet.search("x", repositories=[name], may={"app"})
        told.append(str(error.value).replace(name, "?"))
    assert told[0] == told[1]


def test_a_repository_without_code_is_set_aside_with_the_reason(tmp_path: Path) -> None:
    fleet = fleet_of(tmp_path, {"app": SOURCES})
    (tmp_path / "empty").mkdir()
    registry.add(fleet.tables, {"empty": str(tmp_path / "empty"), "gone": str(tmp_path / "gone")})
    for name, reason in (("empty", "no source file"), ("gone", "is not there")):
        outcome = build_repository(fleet, name)
        assert outcome.set_aside
        assert reason in outcome.problem
        assert registry.head(fleet.tables, name).problem == outcome.problem
    assert fleet.search("cart", strategy="lexical").total > 0


def test_mirrors_are_found_by_their_path(tmp_path: Path) -> None:
    (tmp_path / "org" / "app.git" / "objects").mkdir(parents=True)
    (tmp_path / "org" / "app.git" / "refs").mkdir()
    (tmp_path / "org" / "app.git" / "HEAD").write_text("ref: refs/heads/main\n")
    (tmp_path / "tool" / ".git").mkdir(parents=True)
    (tmp_path / "notes").mkdir()
    assert sorted(sources_in(tmp_path)) == ["org/app", "tool"]


def test_no_fleet_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(NoFleet, match="no fleet is kept there; `plait fleet add --fleet"):
        Fleet.open(str(tmp_path), tmp_path)
