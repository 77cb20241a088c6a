"""How much of what a task needs is in what an agent is given, at the same number of tokens.

    python benchmarks/agents.py LABELS CORPORA [--semble PYTHON MODEL] [--budget N ...]
    python benchmarks/agents.py --swebench LABELS CORPORA [--repository R ...] [--work FOLDER] [--semble ...]

LABELS are the tasks of `knowing`, CORPORA holds a folder for each repository by name; with --swebench both are those of
`quality_swebench.py`, and wanted is what the patch changes. Tokens are counted by one rule
for all (`plait.context.tokens`). Compared are

  plait       `Engine.context`, as its lines of text
  search      `Engine.search`: whole texts of the hits without tests, best first, each if it still fits
  grep+files  what a reader without an index does: words of the question are grepped, and whole files read, those with
              most different words first, then with most matches; the last one up to the budget
  grep+lines  the same files, but only ten lines around each match
  semble      its chunks, best first, each if it still fits

`shown`: mean over the tasks of the part of the wanted names whose function is in it with every line (of a class, the
line that names it). `named`: the same with the defining line, or the signature, alone. A name that no symbol of the
corpus bears counts as missed.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from quality_labels import Task, knowing
from quality_swebench import Instance, checked_out, instances

from plait import Engine
from plait.context import lines, tokens
from plait.model import Filter, Symbol, SymbolKind

BUDGETS = (2000, 4000, 8000)
AROUND = 10
COMMON = frozenset(
    "about after also and are been before being both but can does each find for from has have how into its make more"
    " not one only other our out over should some such that the their them then there these they this those through use"
    " used using was were what when where which while who will with without would you your add".split()
)


@dataclass(frozen=True, slots=True)
class Given:
    """What an agent was given."""

    lines: Mapping[str, set[int]]
    """path -> numbers of whole lines"""
    named: frozenset[str] = frozenset()
    """ids of symbols whose signature is there"""
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class Gold:
    """A symbol with its lines: all that must be there, and the one that defines it."""

    symbol: Symbol
    needed: range
    defining: int

    def shown(self, given: Given) -> bool:
        there = given.lines.get(self.symbol.path, set())
        return there.issuperset(self.needed)

    def named(self, given: Given) -> bool:
        return self.symbol.id in given.named or self.defining in given.lines.get(self.symbol.path, set())


Scores = dict[str, list[list[tuple[float, float, int]]]]
"""tool -> for each budget, for each task: shown, named, tokens used"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("labels", type=Path)
    parser.add_argument("corpora", type=Path)
    parser.add_argument("--swebench", action="store_true", help="LABELS and CORPORA are those of quality_swebench.py")
    parser.add_argument("--repository", action="append", help="with --swebench: owner/name; default: all")
    parser.add_argument("--work", type=Path, default=Path("build/swebench"), help="with --swebench")
    parser.add_argument("--semble", nargs=2, type=Path, metavar=("PYTHON", "MODEL"))
    parser.add_argument("--budget", type=int, action="append")
    given = parser.parse_args()
    budgets = given.budget or BUDGETS
    if given.swebench:
        _swebench(given, budgets)
        return
    for name, root, tasks in knowing(given.labels, given.corpora):
        engine = Engine.open(root)
        gold = [_gold(engine, task) for task in tasks]
        wanted = sum(len(task.names) for task in tasks)
        known = sum(bool(symbols) for one in gold for symbols in one.values())
        print(f"knowing, {name}: {len(tasks)} tasks, {wanted} names, {known} of them in the corpus")
        _print(_scores(engine, [task.text for task in tasks], gold, budgets, given.semble), budgets)


def _swebench(given: argparse.Namespace, budgets: Sequence[int]) -> None:
    """Judge instances whose commit is at hand and whose patch changes a function; the issue is the question."""
    every: Scores = {}
    wanted = known = count = 0
    for one in instances(given.labels):
        if given.repository and one.repository not in given.repository:
            continue
        root = checked_out(one, given.corpora, given.work) if one.functions else None
        if root is None:
            continue
        engine = Engine.open(root, cache=given.work / "cache")
        gold = _changed(engine, one)
        count, wanted = count + 1, wanted + len(gold)
        known += sum(bool(symbols) for symbols in gold.values())
        for tool, per_budget in _scores(engine, [one.issue], [gold], budgets, given.semble).items():
            for place, scores in enumerate(per_budget):
                every.setdefault(tool, [[] for _ in budgets])[place] += scores
    print(f"SWE-bench Lite, {count} instances, {wanted} functions, {known} of them in the corpus")
    _print(every, budgets)


def _scores(
    engine: Engine,
    questions: Sequence[str],
    gold: Sequence[Mapping[str, Sequence[Gold]]],
    budgets: Sequence[int],
    semble: tuple[Path, Path] | None,
) -> Scores:
    found = {"plait": [[_context(engine, text, one) for text in questions] for one in budgets]}
    found["search"] = [[_search(engine, text, one) for text in questions] for one in budgets]
    contents = _contents(engine)
    greps = [_grepped(contents, text) for text in questions]
    found["grep+files"] = [[_read(contents, grep, one) for grep in greps] for one in budgets]
    found["grep+lines"] = [[_around(contents, grep, one) for grep in greps] for one in budgets]
    if semble:
        chunks = _semble(*semble, engine.root, questions)
        found["semble"] = [[_packed(one, budget) for one in chunks] for budget in budgets]
    return {
        tool: [[_score(one, answer) for one, answer in zip(gold, answers, strict=True)] for answers in per_budget]
        for tool, per_budget in found.items()
    }


def _score(gold: Mapping[str, Sequence[Gold]], given: Given) -> tuple[float, float, int]:
    shown = sum(any(one.shown(given) for one in symbols) for symbols in gold.values())
    named = sum(any(one.named(given) for one in symbols) for symbols in gold.values())
    return shown / len(gold), named / len(gold), given.tokens


def _print(scores: Scores, budgets: Sequence[int]) -> None:
    print(f"{'':12}" + "".join(f"{f'{one:,} tokens':>27}" for one in budgets))
    print(f"{'':12}" + f"{'shown':>11}{'named':>8}{'used':>8}" * len(budgets))
    for tool, per_budget in scores.items():
        means = [np.mean(rows, axis=0) for rows in per_budget]
        print(f"{tool:12}" + "".join(f"{s:11.3f}{n:8.3f}{u:8.0f}" for s, n, u in means), flush=True)


def _changed(engine: Engine, one: Instance) -> dict[str, list[Gold]]:
    snapshot = engine.snapshot()
    found: dict[str, list[Gold]] = {}
    for label in sorted(one.functions):
        path, _, name = label.partition(":")
        symbols = snapshot.named(name.rpartition(".")[2])
        found[label] = [
            _lines_of(engine.root, symbol)
            for symbol in symbols
            if symbol.path == path and symbol.qualified_name[len(symbol.module) + 1 :] == name
        ]
    return found


def _gold(engine: Engine, task: Task) -> dict[str, list[Gold]]:
    snapshot = engine.snapshot()
    found: dict[str, list[Gold]] = {}
    for name in task.names:
        symbols = [
            one
            for one in snapshot.named(name.rpartition(".")[2])
            if task.is_met(one.name, one.qualified_name, strict=True) & {name}
        ]
        found[name] = [_lines_of(engine.root, symbol) for symbol in symbols if not symbol.is_test]
    return found


def _lines_of(root: Path, symbol: Symbol) -> Gold:
    text = (root / symbol.path).read_text(errors="replace").splitlines()
    span = symbol.span
    pattern = re.compile(rf"\b(def|class)\s+{re.escape(symbol.name)}\b")
    defining = next(
        (n for n in range(span.start_line, span.end_line + 1) if pattern.search(text[n - 1])), span.start_line
    )
    whole = symbol.kind in (SymbolKind.FUNCTION, SymbolKind.METHOD)
    return Gold(symbol, range(span.start_line, span.end_line + 1) if whole else range(defining, defining + 1), defining)


def _add(lines: dict[str, set[int]], path: str, first: int, last: int) -> None:
    lines.setdefault(path, set()).update(range(first, last + 1))


def _context(engine: Engine, question: str, budget: int) -> Given:
    context = engine.context(question, tokens=budget)
    there: dict[str, set[int]] = {}
    for part in context.parts:
        if part.shown is not None and part.shown.is_whole:
            for span in part.symbol.own:
                _add(there, part.symbol.path, span.start_line, span.end_line)
    return Given(there, frozenset(part.symbol.id for part in context.parts), tokens("\n".join(lines(context))))


def _search(engine: Engine, question: str, budget: int) -> Given:
    hits = engine.search(question, k=100, where=Filter(tests=False))
    return _packed([(hit.symbol.path, hit.span.start_line, hit.span.end_line, hit.text) for hit in hits], budget)


def _packed(pieces: Iterable[tuple[str, int, int, str]], budget: int) -> Given:
    there: dict[str, set[int]] = {}
    used = 0
    for path, first, last, text in pieces:
        cost = tokens(f"{path}:{first}-{last}\n{text}\n")
        if used + cost <= budget:
            _add(there, path, first, last)
            used += cost
    return Given(there, tokens=used)


def _contents(engine: Engine) -> dict[str, list[str]]:
    paths = [record.state.path for record in engine.snapshot().records() if record.digest]
    return {path: (engine.root / path).read_text(errors="replace").splitlines() for path in paths}


def _grepped(contents: Mapping[str, Sequence[str]], question: str) -> list[tuple[str, list[int]]]:
    """The files with a match, best first, with the numbers of the lines that match; names may hold a word inside."""
    words = sorted({word for word in re.findall(r"[a-z_]{3,}", question.lower()) if word not in COMMON})
    found = []
    for path, text in contents.items():
        low = [line.lower() for line in text]
        different = sum(any(word in line for line in low) for word in words)
        at = [number for number, line in enumerate(low, start=1) if any(word in line for word in words)]
        if at:
            found.append((different, len(at), path, at))
    found.sort(key=lambda one: (-one[0], -one[1], one[2]))
    return [(path, at) for _, _, path, at in found]


def _read(contents: Mapping[str, Sequence[str]], grep: Sequence[tuple[str, list[int]]], budget: int) -> Given:
    return _line_by_line(
        ((path, n, contents[path][n - 1]) for path, _ in grep for n in range(1, len(contents[path]) + 1)), budget
    )


def _around(contents: Mapping[str, Sequence[str]], grep: Sequence[tuple[str, list[int]]], budget: int) -> Given:
    def each() -> Iterator[tuple[str, int, str]]:
        for path, at in grep:
            near = {m for n in at for m in range(max(1, n - AROUND), min(len(contents[path]), n + AROUND) + 1)}
            yield from ((path, n, contents[path][n - 1]) for n in sorted(near))

    return _line_by_line(each(), budget)


def _line_by_line(read: Iterable[tuple[str, int, str]], budget: int) -> Given:
    there: dict[str, set[int]] = {}
    size = 0
    for path, number, line in read:
        size += len(line.encode()) + 1 + (0 if path in there else len(path.encode()) + 1)
        if size > budget * 3:
            break
        _add(there, path, number, number)
    return Given(there, tokens=min(budget, -(-size // 3)))


def _semble(python: Path, model: Path, root: Path, questions: Sequence[str]) -> list[list[tuple[str, int, int, str]]]:
    with tempfile.TemporaryDirectory() as folder:
        asked = Path(folder, "questions.json")
        asked.write_text(json.dumps(questions))
        environment = os.environ | {"SEMBLE_CACHE_LOCATION": folder, "SEMBLE_MODEL_NAME": str(model)}
        environment.pop("PYTHONPATH", None)
        script = Path(__file__).with_name("agents_semble.py")
        done = subprocess.run(
            [str(python), str(script), str(root), str(asked)], env=environment, stdout=subprocess.PIPE, check=True
        )
    return [[(p, a, b, t) for p, a, b, t in json.loads(line)] for line in done.stdout.splitlines()]


if __name__ == "__main__":
    main()
