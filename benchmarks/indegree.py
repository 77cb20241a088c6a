"""Find functions that plait gives many more callers than a type checker does.

    python benchmarks/indegree.py --tools PYTHON FOLDER [NAME ...] [--list]

FOLDER is what `suites.py` has written, PYTHON has pyrefly (benchmarks/README.md). Callers are functions and modules.
Compared are functions but for dunders other than `__init__`, which no reference in the source names. *Over* are those
with more than twice the callers that pyrefly's index gives at call sites and properties. Of the callers above that
number some are right, as unannotated code is where a type checker finds little: *executed* says how many of the edges
to them that only plait has were executed. *Top ten* is the share of all edges that goes to the ten functions with most.
"""

from __future__ import annotations

import argparse
import ast
from collections import defaultdict
from pathlib import Path

import peers
from peer_tools import Edge, Name, Package
from scoring import Executed
from suites import SUITES

FEW = 5
"""Functions with fewer callers than this are counted only: one caller against none is more than twice."""


def callers(edges: set[Edge], functions: set[Name]) -> dict[Name, set[Name]]:
    found: defaultdict[Name, set[Name]] = defaultdict(set)
    for caller, callee in edges:
        last = callee[1].rpartition(".")[2]
        if callee in functions and (not (last.startswith("__") and last.endswith("__")) or last == "__init__"):
            found[callee].add(caller)
    return found


def top_ten(found: dict[Name, set[Name]]) -> float:
    sizes = sorted(map(len, found.values()), reverse=True)
    return sum(sizes[:10]) / max(sum(sizes), 1)


def compare(name: str, folder: Path, python: str, *, listed: bool) -> None:
    package = Executed(folder / name)
    definitions = [one for same in Package(package.root).named.values() for one in same]
    functions = {name for name, node in definitions if not isinstance(node, ast.ClassDef)}
    mine, theirs = (
        callers(edges, functions)
        for tool in ("plait flow", "  and properties")
        for edges in peers.run(tool, python, [package.root]).edges.values()
    )
    over = [callee for callee, found in mine.items() if len(found) > 2 * len(theirs.get(callee, ()))]
    many = sorted((callee for callee in over if len(mine[callee]) >= FEW), key=lambda one: (-len(mine[one]), one))
    extra = [(caller, callee) for callee in many for caller in mine[callee] - theirs.get(callee, set())]
    executed = sum(edge in package.calls for edge in extra)
    print(
        f"  {name:<16}{len(mine):>10}{len(over):>6}{len(many):>9}{f'{executed}/{len(extra)}':>12}"
        f"{top_ten(mine):>12.3f}{top_ten(theirs):>10.3f}",
        flush=True,
    )
    for callee in many if listed else []:
        new = mine[callee] - theirs.get(callee, set())
        right = sum((caller, callee) in package.calls for caller in new)
        print(
            f"      {callee[0]}:{callee[1]} {len(mine[callee])} callers, pyrefly {len(theirs.get(callee, ()))}, "
            f"{right} of the {len(new)} others executed"
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--tools", required=True, help="python of the environment that has pyrefly")
    parser.add_argument("--list", action="store_true", help="name the functions")
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*", help=", ".join(SUITES))
    given = parser.parse_intermixed_args()
    print(f"Callers of a function: {peers.versions(given.tools)}")
    print(f"  {'':<16}{'functions':>10}{'over':>6}{f'and >= {FEW}':>9}{'executed':>12}{'top ten':>12}{'pyrefly':>10}")
    for chosen in given.names or SUITES:
        if (given.folder / chosen / "calls.json").exists():
            compare(chosen, given.folder, given.tools, listed=given.list)
