"""Score the call graph builders against the calls that a package's own tests execute.

    PYTHONPATH=benchmarks TRACED=PACKAGE TRACE=calls.json python -m pytest -p executed TESTS
    python benchmarks/executed.py PACKAGE calls.json [INDEX.scip]

The first line records, under `sys.setprofile`, which function of PACKAGE (a folder) called which. The second compares.
Recall is the share of executed calls between plain functions that are edges. Precision is the share of edges out of
functions that ran which were executed: a lower bound, since a branch not taken counts as wrong. With a SCIP index, `+`
marks the graphs that it is joined with.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from collections import Counter
from pathlib import Path
from types import FrameType

Name = tuple[str, str]
"""path and qualified name in the file, `<locals>` left out"""

_executed: set[tuple[str, str, str, str]] = set()


def _record(frame: FrameType, event: str, argument: object) -> None:
    if event != "call" or frame.f_back is None:
        return
    callee, caller = frame.f_code, frame.f_back.f_code
    if callee.co_filename.startswith(os.environ["TRACED"]) and caller.co_filename.startswith(os.environ["TRACED"]):
        _executed.add((caller.co_filename, caller.co_qualname, callee.co_filename, callee.co_qualname))


def pytest_sessionstart() -> None:
    os.environ["TRACED"] = str(Path(os.environ["TRACED"]).resolve())
    sys.setprofile(_record)
    threading.setprofile(_record)


def pytest_sessionfinish() -> None:
    sys.setprofile(None)
    Path(os.environ["TRACE"]).write_text(json.dumps(sorted(_executed)), encoding="utf-8")


def score(package: str, trace: str, scip: str = "") -> None:
    from plait import plugins, source
    from plait.facts import ParsedFile
    from plait.model import EdgeKind, Evidence, SourceFile, SymbolKind
    from plait.parse.python import PythonParser
    from plait.scip.join import join
    from plait.scip.schema import decode

    root = Path(package).resolve()
    read = (source.read(root, state, limit=1_000_000) for state in source.discover(root)[0])
    sources = {file.path: file for file in read if isinstance(file, SourceFile)}
    parsed = [PythonParser().parse(file) for file in sources.values()]
    files = [file for file in parsed if isinstance(file, ParsedFile)]
    name: dict[str, Name] = {
        symbol.id: (symbol.path, symbol.qualified_name[len(symbol.module) + 1 :])
        for file in files
        for symbol in file.symbols
        if symbol.kind in (SymbolKind.FUNCTION, SymbolKind.METHOD)
    }
    known = set(name.values())

    def plain(path: str, qualified: str) -> Name:
        return path[len(str(root)) + 1 :], qualified.replace(".<locals>", "")

    calls = [(plain(a, b), plain(c, d)) for a, b, c, d in json.loads(Path(trace).read_text("utf-8"))]
    truth = {call for call in calls if known.issuperset(call)}
    ran = {end for call in calls for end in call}
    print(f"{root.name}: {len(known)} functions, {len(truth)} calls executed")
    graphs = {one: plugins.build("graph", one).build(files) for one in plugins.names("graph")}
    if scip:
        known, (tally,) = join([(scip, decode(Path(scip).read_bytes()))], sources, files, root)
        print(f"  {tally.tool}: " + ", ".join(f"{outcome} {count}" for outcome, count in tally.counts.items()))
        for one in ("scoped", "flow"):
            graphs[f"{one}+"] = plugins.build("graph", one).build_with(files, known)
    for graph, built in graphs.items():
        edges = {}
        for edge in sorted(built.edges, key=lambda edge: edge.evidence):
            if edge.kind is EdgeKind.CALLS and edge.source in name and edge.target in name:
                edges[name[edge.source], name[edge.target]] = edge
        judged = {pair for pair in edges if pair[0] in ran}
        by_via = Counter((str(edges[pair].via), pair in truth) for pair in judged)
        exact = Counter(pair in truth for pair in judged if edges[pair].evidence is Evidence.EXACT)
        if exact:
            by_via["of these exact", True], by_via["of these exact", False] = exact[True], exact[False]
        vias = sorted({via for via, _ in by_via})
        open_ = sum(site.reason.could_be_here for site in built.unresolved)
        print(
            f"  {graph:<8}{len(edges):>6} edges  recall {len(truth & edges.keys()) / len(truth):.3f}"
            f"  precision {len(judged & truth) / max(len(judged), 1):.3f}  {open_} sites open  "
            + ", ".join(f"{via} {by_via[via, True]}/{by_via[via, True] + by_via[via, False]}" for via in vias)
        )


if __name__ == "__main__":
    score(*sys.argv[1:])
