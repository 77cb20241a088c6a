"""Measure plait inside one process; prints one JSON object. Started by `speed.py`.

    python benchmarks/speed_plait.py check|refresh|warm FOLDER QUESTIONS.json

`check` opens the index and asks whether it is fresh, again and again; `refresh` adds a function to a file and searches
for it; `warm` asks every question with every strategy, of a snapshot that is not checked before each (and again with
the check).
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from speed_clock import medians, timed
from speed_edit import edited
from speed_figures import quantiles

from plait import Engine
from plait.finding import hits, related
from plait.model import SymbolKind

STRATEGIES = ("additive", "lexical", "structural")
CHECKS, REFRESHES = 7, 3
FOUND = 10
"""Results of a search."""


def check(folder: Path) -> dict[str, object]:
    engine = Engine.open(folder)
    first = engine.snapshot()
    took = medians([timed(engine.snapshot) for _ in range(CHECKS)])
    if engine.snapshot() is not first:
        raise SystemExit("the index was not fresh")
    functions = sum(symbol.kind in (SymbolKind.FUNCTION, SymbolKind.METHOD) for symbol in first.symbols())
    return {"check": took, "files": first.info.files, "functions": functions}


def refresh(folder: Path) -> dict[str, object]:
    engine = Engine.open(folder)
    engine.search("warm up")
    took = []
    for number in range(REFRESHES):
        with edited(folder, number) as name:
            took.append(timed(partial(expect, engine, name)))
    return {"refresh": medians(took)}


def expect(engine: Engine, name: str) -> None:
    if not any(hit.symbol.name == name for hit in engine.search(name.replace("_", " "), k=FOUND)):
        raise SystemExit(f"{name} was added and not found")


def warm(folder: Path, questions: Sequence[str]) -> dict[str, object]:
    engine = Engine.open(folder)
    snapshot = engine.snapshot()
    took: dict[str, object] = {}

    def ask(question: str, strategy: str) -> None:
        chosen = engine.strategy(strategy)
        ranking = chosen.retrieve(engine.query(question), snapshot)
        related(snapshot, hits(snapshot, ranking.candidates, FOUND))

    for strategy in STRATEGIES:
        ask("warm up", strategy)
        walls = [timed(partial(ask, one, strategy))["wall"] for one in questions]
        took[f"warm {strategy}"] = quantiles(walls)
    walls = [timed(partial(engine.search, one, k=FOUND))["wall"] for one in questions[::10]]
    return took | {"warm with check": quantiles(walls)}


if __name__ == "__main__":
    what, where, asked = sys.argv[1], Path(sys.argv[2]), json.loads(Path(sys.argv[3]).read_text())
    result = check(where) if what == "check" else refresh(where) if what == "refresh" else warm(where, asked)
    print(json.dumps(result))
