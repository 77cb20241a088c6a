"""Calls between repositories: how many of the sites that name another's package are linked, and are the edges right?

    python benchmarks/fleet_edges.py REPOSITORY... > benchmarks/results/fleet-edges.txt

Each REPOSITORY is a folder. They are built as a fleet, and their copies once more as one tree, in which imports lead
from one to the next as within a repository. Compared are the calls and bases that lead from one to another. `--sample
N` prints edges with their source line, for a person to judge. Needs `plait[scale]`.
"""

from __future__ import annotations

import argparse
import random
import shutil
import tempfile
import time
from collections import Counter
from pathlib import Path

from plait.engine import Engine
from plait.fleet.building import build_repository
from plait.fleet.fleet import Fleet
from plait.fleet.linked import Crossing, Linked
from plait.model import Direction, Edge, EdgeKind, Evidence
from plait.settings import Settings
from plait.store.lance import registry

KINDS = (EdgeKind.CALLS, EdgeKind.INHERITS)
SKIPPED = shutil.ignore_patterns(".git", "node_modules")


def of(symbol: str) -> str:
    return symbol.partition("//")[0]


def in_one_tree(folders: dict[str, Path], place: Path) -> dict[tuple[str, str], Edge]:
    """Return the calls and bases between the folders of one tree, with ids as a fleet has them."""
    for name, folder in folders.items():
        shutil.copytree(folder, place / "tree" / name, ignore=SKIPPED, symlinks=True)
    engine = Engine.open(place / "tree", embedder="hashing", cache=place / "tree-cache")
    snapshot = engine.snapshot()
    found: dict[tuple[str, str], Edge] = {}
    for edge in snapshot.edges([one.id for one in snapshot.symbols()], KINDS, Direction.OUT):
        source, target = (one.replace("/", "//", 1) for one in (edge.source, edge.target))
        if of(source) != of(target) and edge.evidence > Evidence.NAME:
            found[source, target] = edge
    return found


def table(crossings: dict[str, list[Crossing]]) -> list[str]:
    lines = [f"{'from':<20} {'into':<20} {'names':>6} {'linked':>7} {'share':>6}"]
    pairs: Counter[tuple[str, str]] = Counter()
    linked: Counter[tuple[str, str]] = Counter()
    for name, sites in crossings.items():
        for one in sites:
            if len(one.publishers) == 1 and one.publishers[0] != name:
                pairs[name, one.publishers[0]] += 1
                linked[name, one.publishers[0]] += bool(one.edges)
    for (name, other), count in sorted(pairs.items()):
        share = linked[name, other] / count
        lines.append(f"{name:<20} {other:<20} {count:>6} {linked[name, other]:>7} {share:>6.3f}")
    whole = linked.total() / max(1, pairs.total())
    return [*lines, f"{'all':<20} {'':<20} {pairs.total():>6} {linked.total():>7} {whole:>6.3f}"]


def main() -> None:
    asked = argparse.ArgumentParser()
    asked.add_argument("folders", nargs="+", type=Path)
    asked.add_argument("--sample", type=int, default=0)
    given = asked.parse_args()
    folders = {one.resolve().name: one.resolve() for one in given.folders}
    with tempfile.TemporaryDirectory() as made:
        place = Path(made)
        fleet = Fleet.create(str(place / "fleet"), Settings(embedder="hashing", cache=place / "cache"))
        registry.add(fleet.tables, {name: str(folder) for name, folder in folders.items()})
        for name in folders:
            outcome = build_repository(fleet, name)
            assert not outcome.problem, outcome
        started = time.perf_counter()
        linker = Linked(fleet)
        crossings = {name: linker.crossings(name) for name in folders}
        seconds = time.perf_counter() - started
        edges = {
            (edge.source, edge.target): edge for sites in crossings.values() for one in sites for edge in one.edges
        }
        print(*table(crossings), sep="\n")
        print(f"\n{len(edges):,} edges, linked in {seconds:.1f} s with all parts read; by evidence:", end=" ")
        evidence = Counter(edge.evidence.name.lower() for edge in edges.values())
        print(", ".join(f"{name} {count:,}" for name, count in sorted(evidence.items())))
        targets = sorted({target for _, target in edges})
        fresh = Linked(fleet)
        times = []
        for target in random.Random(0).sample(targets, min(100, len(targets))):
            (symbol,) = fresh.symbols([edges[next(one for one in edges if one[1] == target)].target])
            started = time.perf_counter()
            fresh.related(symbol, Direction.IN)
            times.append(time.perf_counter() - started)
        times.sort()
        print(f"callers of one symbol, warm: median {times[len(times) // 2] * 1000:.0f} ms, slowest {times[-1]:.2f} s")
        tree = in_one_tree(folders, place)
        both = edges.keys() & tree.keys()
        print(
            f"as one tree: {len(tree):,} edges; in both {len(both):,}, only in the fleet {len(edges) - len(both):,}, "
            f"only in the tree {len(tree) - len(both):,}"
        )
        print(f"of the tree's found: {len(both) / max(1, len(tree)):.3f}; ", end="")
        print(f"of the fleet's confirmed: {len(both) / max(1, len(edges)):.3f}")
        vias = Counter(str(tree[one].via) for one in tree.keys() - both)
        print("only in the tree, by via: " + ", ".join(f"{via} {count}" for via, count in vias.most_common()))
        if given.sample:
            show("sample of all", random.Random(1).sample(sorted(edges), min(given.sample, len(edges))), edges, folders)
            show("only in the fleet", sorted(edges.keys() - both), edges, folders)
            show("only in the tree", sorted(tree.keys() - both), tree, folders)


Edges = dict[tuple[str, str], Edge]


def show(title: str, pairs: list[tuple[str, str]], edges: Edges, folders: dict[str, Path]) -> None:
    print(f"\n# {title}: {len(pairs)}")
    for source, target in pairs:
        edge = edges[source, target]
        path = edge.path.removeprefix(f"{of(source)}//").removeprefix(f"{of(source)}/")
        line = (folders[of(source)] / path).read_text(errors="replace").splitlines()[edge.line - 1].strip()
        print(f"{source}\n  -> {target}\n  {edge.evidence.name.lower()} {edge.via} line {edge.line}: {line[:110]}")


if __name__ == "__main__":
    main()
