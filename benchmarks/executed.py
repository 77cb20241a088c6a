"""Score the call graph builders against the calls that a package's own tests execute.

    PYTHONPATH=benchmarks TRACED=PACKAGE TRACE=calls.json python -m pytest -p executed TESTS
    python benchmarks/executed.py PACKAGE calls.json

The first line records, under `sys.setprofile`, which function of PACKAGE (a folder) called which. The second compares.
Recall is the share of executed calls between plain functions that are edges. Precision is the share of edges out of
functions that ran which were executed: a lower bound, since a branch not taken counts as wrong.
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


def score(package: str, trace: str) -> None:
    from plait import plugins, source
    from plait.model import EdgeKind, ParsedFile, SourceFile, SymbolKind
    from plait.parse.python import PythonParser

    root = Path(package).resolve()
    read = (source.read(root, state, limit=1_000_000) for state in source.discover(root)[0])
    parsed = [PythonParser().parse(file) for file in read if isinstance(file, SourceFile)]
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
    for graph in plugins.names("graph"):
        edges = {
            (name[edge.source], name[edge.target]): edge
            for edge in plugins.build("graph", graph).build(files).edges
            if edge.kind is EdgeKind.CALLS and edge.source in name and edge.target in name
        }
        judged = {pair for pair in edges if pair[0] in ran}
        by_via = Counter((str(edges[pair].via), pair in truth) for pair in judged)
        vias = sorted({via for via, _ in by_via})
        print(
            f"  {graph:<8}{len(edges):>6} edges  recall {len(truth & edges.keys()) / len(truth):.3f}"
            f"  precision {len(judged & truth) / max(len(judged), 1):.3f}  "
            + ", ".join(f"{via} {by_via[via, True]}/{by_via[via, True] + by_via[via, False]}" for via in vias)
        )


if __name__ == "__main__":
    score(*sys.argv[1:])
