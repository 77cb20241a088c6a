"""Score the call graph builders on cases in the format of PyCG's micro-benchmark.

    python benchmarks/callgraph.py FOLDER

FOLDER holds cases: folders with `callgraph.json` (caller -> list of callees, dotted names) beside the Python files.
Compared are edges between functions that the case defines; builtins and external names are left out on both sides.

plait gives the calls inside a lambda to the definition around it, so in the second table the callers `<lambdaN>` of the
labels are that definition, and edges to a lambda are left out.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path

from plait import plugins
from plait.model import EdgeKind, SymbolKind
from plait.testing import parsed

Edges = set[tuple[str, str]]
FUNCTIONS = (SymbolKind.FUNCTION, SymbolKind.METHOD)


def found(case: Path, graph: str) -> tuple[Edges, set[str]]:
    """Return the edges between functions and modules, and the names that the case defines."""
    sources = {path.relative_to(case).as_posix(): path.read_text("utf-8") for path in sorted(case.rglob("*.py"))}
    files, _ = parsed(sources)
    symbols = {symbol.id: symbol for file in files for symbol in file.symbols}
    names = {symbol.qualified_name for symbol in symbols.values() if symbol.kind is not SymbolKind.CLASS}
    edges = plugins.build("graph", graph).build(files).edges
    calls = ((symbols[e.source], symbols[e.target]) for e in edges if e.kind is EdgeKind.CALLS)
    return {(a.qualified_name, b.qualified_name) for a, b in calls if b.kind in FUNCTIONS}, names


def labelled(case: Path, names: set[str], *, lambdas: bool) -> Edges:
    truth = json.loads((case / "callgraph.json").read_text("utf-8"))
    edges = {(caller, callee) for caller, callees in truth.items() for callee in callees}
    if not lambdas:
        edges = {(caller.partition(".<lambda")[0], callee) for caller, callee in edges if "<lambda" not in callee}
    return {edge for edge in edges if all(name in names or "<lambda" in name for name in edge)}


def main(folder: str) -> None:
    cases = sorted(path.parent for path in Path(folder).rglob("callgraph.json"))
    if not cases:
        sys.exit(f"{folder}: no callgraph.json below it")
    for title, lambdas in ((f"{len(cases)} cases", True), ("without lambdas", False)):
        print(f"{title:<16}{'exact':>7}{'complete':>10}{'sound':>7}{'precision':>11}{'recall':>8}")
        for graph in plugins.names("graph"):
            count: Counter[str] = Counter()
            for case in cases:
                mine, names = found(case, graph)
                truth = labelled(case, names, lambdas=lambdas)
                count["right"] += len(mine & truth)
                count["found"] += len(mine)
                count["truth"] += len(truth)
                count["complete"] += mine <= truth
                count["sound"] += truth <= mine
                count["exact"] += mine == truth
            precision, recall = count["right"] / max(count["found"], 1), count["right"] / max(count["truth"], 1)
            print(
                f"  {graph:<14}{count['exact']:>7}{count['complete']:>10}{count['sound']:>7}"
                f"{precision:>11.3f}{recall:>8.3f}"
            )


if __name__ == "__main__":
    main(*sys.argv[1:])
