"""When does the graph help? The experiment's strategies, structure, fusion and placebos on many collections.

    python benchmarks/study.py WORK [--knowing LABELS CORPORA] [--only NAME ...]

The repositories of REPOSITORIES are cloned into WORK/repositories (unless they are there), mined, and judged; `shop`
and the tasks of `knowing` (labels as in benchmarks/README.md; CORPORA holds a folder for each repository) are judged as
well. Scores are kept in WORK/scores, a file for each collection, so that what was stopped goes on; then
docs/study/README.md and docs/study/figures.json are written.
"""

from __future__ import annotations

import argparse
import json
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from quality_labels import knowing
from study_page import page

from plait.doors.trial import Trial
from plait.engine import Engine
from plait.evaluate.collection import FILE, Collection, Qrel, Topic, load
from plait.evaluate.measures import parse
from plait.mining.mine import FLOWS, mine
from plait.mining.question import order as order_of
from plait.model import EdgeKind

REPOSITORIES = {
    "xarray": ("https://github.com/pydata/xarray", "b1c1dc549b62bdfc8de0bdded24f56464cf0db1a"),
    "sphinx": ("https://github.com/sphinx-doc/sphinx", "e44a40eb2f810558ccd9da1425421270ccb81351"),
    "pylint": ("https://github.com/pylint-dev/pylint", "3a99b2d728d0c8ff5267e0c38ebad4f5ba228dac"),
    "ktor": ("https://github.com/ktorio/ktor", "ef92e5537d7465961f1b3f2b21e217fc35bcfa1f"),
    "Newtonsoft.Json": ("https://github.com/JamesNK/Newtonsoft.Json", "09bb545d72969ad7fb4ea07db0d5c34f4fc07877"),
}
"""None of which the default strategy was learned from by its functions; ktor and Newtonsoft.Json, by files, were among
the repositories of semble's set that it was (`learned_from` in curves.json)."""

WITHOUT = {
    "hybrid": "hybrid(structure=0.0, edge=0.0)",
    "additive": "weighted(of='additive(seeds=0)', structure=0.0, edge=0.0)",
}
"""Strategies without what they have of the graph."""
WITH_GRAPH = ("naive", "constrained", "structural", "hybrid", "additive")
STRATEGIES = ("vector", "lexical", *WITH_GRAPH, *WITHOUT.values())
MOST = 120
"""Questions of one collection, taken as if by chance, so that none of them is most of the study."""
MEASURES = tuple(map(parse, ("Recall@5", "nDCG@10")))
ROOT = Path(__file__).parent.parent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=Path)
    parser.add_argument("--knowing", nargs=2, type=Path, metavar=("LABELS", "CORPORA"))
    parser.add_argument("--only", nargs="*", metavar="NAME")
    given = parser.parse_args()
    scores = given.work / "scores"
    scores.mkdir(parents=True, exist_ok=True)
    for name, open_ in collections(given.work, given.knowing):
        kept = scores / f"{name}.json"
        if not kept.exists() and (not given.only or name in given.only):
            print(f"judging {name}", flush=True)
            kept.write_text(json.dumps(judged(name, open_())))
    figures = [json.loads((scores / f"{name}.json").read_text()) for name in order(scores)]
    folder = ROOT / "docs" / "study"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "figures.json").write_text("[\n" + ",\n".join(map(json.dumps, figures)) + "\n]\n")
    (folder / "README.md").write_text(page(figures, WITH_GRAPH, WITHOUT))


def order(scores: Path) -> list[str]:
    """The shop first, then mined collections, their flows, and the others."""
    names = sorted(path.stem for path in scores.glob("*.json"))
    return sorted(names, key=lambda name: (name != "shop", "knowing" in name, "flows" in name))


def collections(work: Path, labels: list[Path] | None) -> Iterator[tuple[str, Any]]:
    yield "shop", lambda: load("shop")
    for name, (url, commit) in REPOSITORIES.items():
        yield name, lambda name=name, url=url, commit=commit: load(mined(work, name, url, commit))
        yield f"{name}, flows", lambda name=name, url=url, commit=commit: load(mined(work, name, url, commit) / FLOWS)
    for name, root, tasks in knowing(*labels) if labels else ():
        yield f"{name} of knowing", lambda name=name, root=root, tasks=tasks: asked(name, root, tasks)


def mined(work: Path, name: str, url: str, commit: str) -> Path:
    made = work / "mined" / name
    if (made / FILE).exists():
        return made
    place = work / "repositories" / name
    if not place.exists():
        subprocess.run(["git", "clone", "--quiet", url, str(place)], check=True)
    subprocess.run(["git", "-C", str(place), "checkout", "--quiet", commit], check=True)
    engine = Engine.open(place)
    return mine(engine.root, engine.settings, engine.progress)


def asked(name: str, root: Path, tasks: Any) -> Collection:
    """A symbol is relevant whose qualified name ends in a name of the task; tasks without any are left out."""
    topics, qrels = [], []
    symbols = Engine.open(root).snapshot().symbols()
    for number, task in enumerate(tasks, start=1):
        found = [one.id for one in symbols if task.is_met(one.name, one.qualified_name, strict=True)]
        if found:
            topics.append(Topic(f"task-{number}", task.text, task.level))
            qrels += [Qrel(f"task-{number}", symbol, 1, "") for symbol in found]
    return Collection(name, f"tasks of knowing about {name}", root, "", tuple(topics), tuple(qrels))


def some(collection: Collection) -> Collection:
    topics = sorted(collection.topics, key=lambda topic: order_of(f"{topic.id} {topic.text}"))[:MOST]
    chosen = {topic.id for topic in topics}
    return replace(
        collection,
        topics=tuple(topic for topic in collection.topics if topic.id in chosen),
        qrels=tuple(qrel for qrel in collection.qrels if qrel.topic in chosen),
    )


def commit_of(root: Path) -> str:
    asked = ["git", "-C", str(root), "rev-parse", "--short", "HEAD"]
    return subprocess.run(asked, check=True, capture_output=True, text=True).stdout.strip()


def judged(name: str, collection: Collection) -> Mapping[str, Any]:
    collection = some(collection)
    engine = Engine.open(collection.corpus)
    trial = Trial.run(engine, collection, STRATEGIES, [5])
    info = engine.snapshot().info
    graph = "scoped" if info.pending else info.graph
    shuffled = Engine.open(collection.corpus, graph=f"shuffled(of={graph!r})")
    trial = trial.beside(Trial.run(shuffled, collection, WITH_GRAPH, [5])).measured(MEASURES, None)
    made = trial.evaluation
    # A run is called as it was asked for.
    called = {str(engine.strategy(one)): one for one in STRATEGIES}
    called |= {sham: f"placebo: {called[label]}" for label, sham in made.controls.items()}
    return {
        "name": name,
        "description": collection.description,
        "plait": commit_of(ROOT),
        "files": info.files,
        "lines": info.lines,
        "symbols": info.symbols,
        "calls": dict(info.edges).get(EdgeKind.CALLS, 0),
        "graph": graph,
        "embedder": info.embedder,
        "categories": {topic.id: topic.category for topic in made.topics},
        "scores": {
            str(measure): {
                called[label]: {topic: round(score, 6) for topic, score in made.scores[str(measure)][label].items()}
                for label in made.labels
            }
            for measure in MEASURES
        },
    }


if __name__ == "__main__":
    main()
