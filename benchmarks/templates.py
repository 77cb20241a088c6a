"""Which text of a symbol should be embedded, and which piece of a file? Dense search alone: nothing learned or fused.

    python benchmarks/templates.py LABELS CORPORA [--workers 2] [--each FILE]
    python benchmarks/templates.py --knowing LABELS CORPORA

LABELS and CORPORA as in `quality.py`; the package's own collection `shop` is judged beside them. A row is a way to make
texts, a block an embedder. Each row is compared with `plain` of its block over the repositories, as pairs.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from quality_labels import Question, Repository, Target, Task, knowing, ndcg, semble

from plait import Engine
from plait.document import runs_in
from plait.embed.code import CodeEmbedder
from plait.embed.hashing import HashingEmbedder
from plait.embed.static import StaticEmbedder
from plait.evaluate.collection import load, resolve
from plait.evaluate.compare import Comparison, Outcome, compare
from plait.evaluate.texts import Texts as Making
from plait.evaluate.texts import texts as made_of
from plait.finding import find, hits
from plait.model import Query, Span, Symbol
from plait.protocols import Embedder
from plait.vectors import unit

K = 10
SHOP_K = 5
"""The shop has 28 functions: ten of them are a third."""

LINES = 40
"""of a window"""

EMBEDDERS: dict[str, Callable[[], Embedder]] = {
    "code": CodeEmbedder,
    "static": StaticEmbedder,
    "hashing": HashingEmbedder,
}
DIMS: dict[str, tuple[int, ...]] = {"code": (256, 128, 64), "static": (256,), "hashing": (256,)}
TEMPLATES = {
    "plain": "plain",
    "signature": "signature",
    "qualified name": "words",
    "header": "header",
    "structural": "structural",
    "names": "names",
    "shuffled": "shuffled",
}
"""row -> what `plait.evaluate.texts` calls it"""

PIECES = ("function", "class", "file", f"{LINES} lines")
ORDERS = ("ranked", "files")
"""as they come, and the best of each file only"""
PAIRS = (("header", "structural"), ("shuffled", "structural"), ("names", "structural"), ("header", "shuffled"))
KINDS = ("architecture", "semantic", "symbol")
BATCH = 512

Place = tuple[str, int, int]
Texts = list[tuple[Place, str]]
Setting = tuple[str, int, str, str]
"""embedder, dim, row, order"""

Values = dict[Setting, dict[tuple[str, str], float]]
"""nDCG of each (repository, question)"""


@dataclass(frozen=True, slots=True)
class Corpus:
    repository: Repository
    k: int
    kinds: frozenset[str] = frozenset()
    """the symbols that count; all if empty"""


def shop() -> Corpus:
    collection = load("shop")
    snapshot = Engine.open(collection.corpus).snapshot()
    symbols = {one.id: one for one in snapshot.symbols()}
    judged = resolve(collection, lambda name: find(snapshot, name).id)
    questions = []
    for topic in collection.topics:
        relevant = [symbols[one] for one, grade in judged[topic.id].items() if grade > 0]
        targets = tuple(Target(one.path, one.span.start_line, one.span.end_line) for one in relevant)
        questions.append(Question(topic.text, "shop", targets))
    kinds = frozenset(map(str, collection.where.kinds or ()))
    return Corpus(Repository("shop", "python", collection.corpus, tuple(questions)), SHOP_K, kinds)


def templates(corpus: Corpus, embedder: Embedder) -> Iterator[tuple[str, Texts]]:
    """Yield each row's name with its texts; several passages of one symbol have one place."""
    root = corpus.repository.root
    snapshot = Engine.open(root).snapshot()
    symbols = {one.id: one for one in snapshot.symbols() if not corpus.kinds or str(one.kind) in corpus.kinds}
    for row, of in TEMPLATES.items():
        made = made_of(snapshot, Making(of), embedder)
        yield row, [(place_of(symbols[one], symbols[one].span), text.text) for one, text in made if one in symbols]
    runs = runs_in(snapshot.texts(list(symbols)))
    own = ["\n".join(run.text for run in runs(one)) for one in symbols.values()]
    yield from chunks(root, list(symbols.values()), own)


def chunks(root: Path, symbols: Sequence[Symbol], own: Sequence[str]) -> Iterator[tuple[str, Texts]]:
    """Yield pieces of files by size, one text each, however long."""
    lines = {
        path: (root / path).read_text(encoding="utf-8", errors="replace").splitlines()
        for path in sorted({one.path for one in symbols})
        if not path.endswith(".ipynb")
    }
    yield "function", [(place_of(one, one.span), text) for one, text in zip(symbols, own, strict=True) if text.strip()]
    modules = {one.id for one in symbols if one.parent is None}
    outer: Texts = []
    for one, text in zip(symbols, own, strict=True):
        if one.id in modules:
            outer.append((place_of(one, one.span), text))
        elif one.parent in modules and one.path in lines:
            outer.append(
                (place_of(one, one.span), "\n".join(lines[one.path][one.span.start_line - 1 : one.span.end_line]))
            )
    yield "class", [(place, text) for place, text in outer if text.strip()]
    yield "file", [((path, 1, len(found)), "\n".join(found)) for path, found in lines.items()]
    yield (
        f"{LINES} lines",
        [
            ((path, start + 1, min(start + LINES, len(found))), "\n".join(found[start : start + LINES]))
            for path, found in lines.items()
            for start in range(0, len(found), LINES)
        ],
    )


def place_of(symbol: Symbol, span: Span) -> Place:
    return symbol.path, span.start_line, span.end_line


def judged(corpus: Corpus) -> Values:
    found: Values = {}
    questions = corpus.repository.questions
    for name, make in EMBEDDERS.items():
        embedder = make()
        asked = embedder.encode([question.text for question in questions], role="query")
        for row, texts in templates(corpus, embedder):
            if corpus.kinds and row in PIECES:
                continue  # its documents are functions
            places = [place for place, _ in texts]
            batches = [texts[start : start + BATCH] for start in range(0, len(texts), BATCH)]
            vectors = np.concatenate([embedder.encode([text for _, text in one], role="document") for one in batches])
            for dim in DIMS[name]:
                scores = unit(asked[:, :dim]) @ unit(vectors[:, :dim]).T
                for question, scored in zip(questions, scores, strict=True):
                    for order, ranked in best(places, scored, corpus.k).items():
                        of = found.setdefault((name, dim, row, order), {})
                        of[corpus.repository.name, question.text] = ndcg(ranked, question.targets, corpus.k)
    return found


def best(places: Sequence[Place], scores: Any, k: int) -> dict[str, list[Place]]:
    """Return the first k places, and the first k of different files."""
    first: dict[Place, None] = {}
    files: dict[str, Place] = {}
    for at in np.argsort(-scores, kind="stable").tolist():
        first.setdefault(places[at])
        files.setdefault(places[at][0], places[at])
        if len(files) >= k:
            break
    return {"ranked": list(first)[:k], "files": list(files.values())[:k]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("labels", type=Path)
    parser.add_argument("corpora", type=Path)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--only", nargs="*", default=[], metavar="NAME")
    parser.add_argument("--knowing", action="store_true", help="the tasks of `knowing` instead, which ask for symbols")
    parser.add_argument("--each", type=Path, help="write every value: embedder, dim, row, order, repository, question")
    given = parser.parse_args()
    if given.knowing:
        report_tasks(given.labels, given.corpora)
        return
    repositories = [one for one in semble(given.labels, given.corpora) if not given.only or one.name in given.only]
    corpora = [shop(), *(Corpus(one, K) for one in repositories)]
    values: Values = {}
    with ProcessPoolExecutor(given.workers) as pool:
        for corpus, found in zip(corpora, pool.map(judged, corpora), strict=True):
            for setting, each in found.items():
                values.setdefault(setting, {}).update(each)
            print(corpus.repository.name, file=sys.stderr, flush=True)
    if given.each:
        lines = [(*setting, *asked, f"{value:.4f}") for setting, of in values.items() for asked, value in of.items()]
        given.each.write_text("".join("\t".join(map(str, line)) + "\n" for line in lines))
    categories = {(one.name, asked.text): asked.category for one in repositories for asked in one.questions}
    languages = {one.name: one.language for one in repositories}
    report(values, categories, languages)


def report_tasks(labels: Path, corpora: Path) -> None:
    """Print, for each embedder and row, the share of the symbols asked for among the first ten, and how it compares."""
    indexes = [(name, Engine.open(root), tasks) for name, root, tasks in knowing(labels, corpora)]
    rows = {**TEMPLATES, **{row: row.rpartition(" ")[2] for row in PIECES}}
    for embedder in (CodeEmbedder(), CodeEmbedder(dim=128), StaticEmbedder(), HashingEmbedder()):
        print(f"\n{embedder.name}, {embedder.dim} dimensions, {sum(len(tasks) for *_, tasks in indexes)} tasks")
        print(f"{'':15} {'R@10':>7}  {'less plain':26} {'won':>4}{'lost':>5}")
        plain: dict[str, float] = {}
        for row, of in rows.items():
            found = {key: value for one in indexes for key, value in recalls(*one, Making(of), embedder)}
            plain = plain or found
            told = f"{gain(plain, found)} {counts(plain, found)}" if found is not plain else ""
            print(f"{row:15} {np.mean(list(found.values())):7.4f}  {told}".rstrip(), flush=True)


def recalls(
    name: str, engine: Engine, tasks: Sequence[Task], made: Making, embedder: Embedder
) -> Iterator[tuple[str, float]]:
    strategy = made.over(embedder)
    for task in tasks:
        (vector,) = embedder.encode([task.text], role="query")
        ranking = strategy.retrieve(Query(task.text, vector, ()), engine.snapshot())
        best = [hit.symbol for hit in hits(engine.snapshot(), ranking.candidates, K)]
        met = set().union(*(task.is_met(one.name, one.qualified_name, strict=True) for one in best))
        yield f"{name} {task.text}", len(met) / len(task.names)


def report(values: Values, categories: Mapping[tuple[str, str], str], languages: Mapping[str, str]) -> None:
    for name, dims in DIMS.items():
        for dim in dims:
            print(f"\n{name}, {dim} dimensions")
            compared = f"{'less plain':26} {'won':>4}{'lost':>5}"
            print(f"{'':15} {'ranked':>7}  {compared}   {'files':>7}  {'less plain':26} {'shop':>5}")
            for row in (*TEMPLATES, *PIECES):
                told = [f"{row:15}"]
                for order in ORDERS:
                    plain = means(values[name, dim, "plain", order], categories)
                    mine = means(values[name, dim, row, order], categories)
                    told += [
                        f"{np.mean(list(mine.values())):7.4f} ",
                        f"{gain(plain, mine) if row != 'plain' else '':26}",
                    ]
                    told += [counts(plain, mine), " "] if order == "ranked" else []
                at_shop = [v for (one, _), v in values[name, dim, row, "ranked"].items() if one == "shop"]
                print(" ".join([*told, f"{np.mean(at_shop):5.3f}" if at_shop else ""]).rstrip())
    name, dim = "code", DIMS["code"][0]
    print(f"\nPairs of rows, {name}, {dim} dimensions, ranked: the second less the first")
    for a, b in PAIRS:
        first, second = (means(values[name, dim, row, "ranked"], categories) for row in (a, b))
        print(f"{a:15} {b:15} {gain(first, second)} {counts(first, second)}")
    kinds = {kind: [key for key, its in categories.items() if its == kind] for kind in KINDS}
    each = {f"{one} ({its})": [key for key in categories if key[0] == one] for one, its in languages.items()}
    print("\nWhere structure helps and hurts: `plain`, `header`, `structural`; structural less plain, by question")
    for groups in (kinds, each):
        print()
        for line in sorted(helped(values, name, dim, group, members) for group, members in groups.items()):
            print(line[1])


def helped(values: Values, name: str, dim: int, group: str, members: Sequence[tuple[str, str]]) -> tuple[float, str]:
    """Return what structure adds in a group of questions, and the line that tells it."""
    found = [
        {"\t".join(key): values[name, dim, row, "ranked"][key] for key in members}
        for row in ("plain", "header", "structural")
    ]
    one = compare("nDCG", "plain", "structural", found[0], found[2])
    shown = "".join(f"{np.mean(list(each.values())):9.4f}" for each in found)
    return one.mean, f"{group:26}{shown}  {interval(one)}"


def means(of: Mapping[tuple[str, str], float], among: Collection[tuple[str, str]]) -> dict[str, float]:
    """Return the mean of each repository's questions, by name."""
    found: dict[str, list[float]] = {}
    for (repository, question), value in of.items():
        if (repository, question) in among:
            found.setdefault(repository, []).append(value)
    return {repository: float(np.mean(every)) for repository, every in sorted(found.items())}


def gain(a: Mapping[str, float], b: Mapping[str, float]) -> str:
    return interval(compare("nDCG", "a", "b", a, b))


def interval(one: Comparison) -> str:
    low, high = one.interval or (0.0, 0.0)
    return f"{one.mean:+.4f} [{low:+.4f}, {high:+.4f}]"


def counts(a: Mapping[str, float], b: Mapping[str, float]) -> str:
    one = compare("nDCG", "a", "b", a, b)
    return f"{one.count(Outcome.WIN):4}{one.count(Outcome.LOSS):5}"


if __name__ == "__main__":
    main()
