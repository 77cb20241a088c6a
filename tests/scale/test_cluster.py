"""A fleet on a real S3 server, built by two real Ray nodes; each is killed or restarted while it is needed."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from cluster import BUCKET, Nodes, ObjectStore, cluster, end

from plait.engine import Engine
from plait.errors import FleetUnreachable
from plait.fleet.building import build_repository
from plait.fleet.cluster import Cluster, build_all
from plait.fleet.fleet import Fleet
from plait.settings import Settings
from plait.store.lance import registry
from plait.store.lance.tables import OF_BUILDS, SYMBOLS
from plait.testing import SOURCES

REPOSITORIES = 8


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[ObjectStore, Nodes]]:
    with cluster(tmp_path_factory.mktemp("cluster")) as both:
        yield both


def written(root: Path, number: int) -> str:
    for path, text in SOURCES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text + f"\n\ndef only_here_{number}():\n    return {number}\n", encoding="utf-8")
    return str(root)


@pytest.fixture
def fleet(running: tuple[ObjectStore, Nodes], tmp_path: Path) -> Fleet:
    settings = Settings(embedder="hashing", graph="scoped", cache=tmp_path / "cache")
    made = Fleet.create(f"s3://{BUCKET}/{tmp_path.name}", settings)
    names = [f"team/repository{number}" for number in range(REPOSITORIES)]
    registry.add(made.tables, {name: written(tmp_path / name, number) for number, name in enumerate(names)})
    return made


def rows_of(fleet: Fleet, name: str) -> Counter[int]:
    return Counter(fleet.tables.latest(name).to_table(columns=["build"])["build"].to_pylist())


def test_a_node_is_killed_and_the_object_store_restarted(
    running: tuple[ObjectStore, Nodes], fleet: Fleet, tmp_path: Path
) -> None:
    store, nodes = running
    coming = build_all(fleet, Cluster())
    outcomes = [next(coming), next(coming)]
    end(nodes.processes.pop())
    outcomes += coming
    nodes.add()
    nodes.wait(2)
    assert [one.problem for one in outcomes] == [""] * REPOSITORIES
    heads = fleet.heads()
    assert [one.generation for one in heads] == [1] * REPOSITORIES
    live = {one.build: one.symbols for one in heads}
    counted = {build: count for build, count in rows_of(fleet, SYMBOLS).items() if build in live}
    assert counted == live
    for number in range(REPOSITORIES):
        (found,) = fleet.snapshot([f"team/repository{number}"]).named(f"only_here_{number}")[:1]
        assert found.path.startswith(f"team/repository{number}//")

    # Whatever a killed node had begun is in no answer, and gone after a sweep.
    registry.sweep(fleet.tables, grace=-1)
    assert all(set(rows_of(fleet, name)) <= set(live) for name in OF_BUILDS)

    # The repository's own index gives the same answer, names of repositories aside.
    one = heads[0]
    alone = Engine.open(one.source, embedder="hashing", graph="scoped", cache=tmp_path / "other")
    mine = fleet.search("insert an item into the cart", repositories=[one.name], strategy="hybrid")
    theirs = alone.search("insert an item into the cart", strategy="hybrid")
    assert [(hit.symbol.path.partition("//")[2], hit.score) for hit in mine] == [
        (hit.symbol.path, hit.score) for hit in theirs
    ]

    store.stop()
    with pytest.raises(FleetUnreachable):
        Fleet.open(fleet.tables.uri, tmp_path / "cold").heads()
    store.start()
    again = Fleet.open(fleet.tables.uri, tmp_path / "cold")
    assert again.search("insert an item into the cart", repositories=[one.name], strategy="hybrid") == mine


def test_two_builders_on_one_repository(fleet: Fleet, tmp_path: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from plait.fleet.fleet import Fleet; "
        "from plait.fleet.building import build_repository; "
        "print(build_repository(Fleet.open(sys.argv[1], Path(sys.argv[2])), 'team/repository0').problem)"
    )
    both = [
        subprocess.Popen(
            [sys.executable, "-c", script, fleet.tables.uri, str(tmp_path / f"cache{number}")],
            stdout=subprocess.PIPE,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        )
        for number in range(2)
    ]
    assert [process.communicate()[0] for process in both] == [b"\n", b"\n"]
    head = registry.head(fleet.tables, "team/repository0")
    assert head.generation == 1
    assert fleet.snapshot(["team/repository0"]).info.symbols == head.symbols
    assert len(fleet.snapshot(["team/repository0"]).symbols()) == head.symbols


def test_what_takes_too_long_is_set_aside_and_tried_again_on_request(
    running: tuple[ObjectStore, Nodes], fleet: Fleet
) -> None:
    name = "team/repository1"
    (outcome,) = build_all(fleet, Cluster(limit=0.0), [name])
    assert (outcome.set_aside, outcome.problem) == (True, "took longer than a build may; see --limit")
    (outcome,) = build_all(fleet, Cluster(), [name])
    assert (outcome.set_aside, outcome.built) == (True, False)
    registry.retry(fleet.tables, [name])
    (outcome,) = build_all(fleet, Cluster(), [name])
    assert (outcome.built, outcome.problem) == (True, "")


def test_only_changed_files_of_changed_repositories_are_redone(fleet: Fleet, tmp_path: Path) -> None:
    name = "team/repository2"
    first = build_repository(fleet, name)
    assert (first.built, first.parsed) == (True, len(SOURCES))
    assert not build_repository(fleet, name).built
    (tmp_path / name / "shop" / "money.py").write_text("def total(cart):\n    return 0\n")
    second = build_repository(fleet, name)
    assert (second.built, second.parsed) == (True, 1)
    assert 0 < second.embedded < first.embedded
    assert registry.head(fleet.tables, name).generation == 2
    assert fleet.search("total", repositories=[name], generation=1, strategy="lexical").hits != ()
