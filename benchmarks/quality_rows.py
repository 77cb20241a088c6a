"""Labelled questions as rows to learn from: what `additive` knows of each candidate, and whether it is an answer.

Semble's labels are of files (and of lines in some), so of one file two rows are kept: which function of it is meant
they do not say. That the mined collections say (`plait eval --mine`): a commit changed these functions, a docstring
belongs to that one. Their rows are all of the files of the answer, and the best of the others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from quality_labels import Question, Repository, ndcg

from plait import Engine
from plait.evaluate.collection import load, resolve
from plait.model import SymbolId, SymbolKind
from plait.protocols import Snapshot
from plait.retrieve.additive import FILES_FOR_A_PLACE, FIRST_EACH, FIRST_REPEAT, Additive, named_symbols
from plait.retrieve.features import COLUMNS, columns

OF_A_FILE = 2
"""Rows of one file, the best by words and meaning, where labels are of files."""

BEST, OF_AN_ANSWER = 40, 80
"""Rows of the best candidates, and of the files of the answer, where labels are of functions."""

K = 10
FUNCTIONS = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD})


@dataclass(frozen=True, slots=True)
class Taken:
    """What a candidate loses for so many better ones of its file."""

    behind: Callable[[int], float]
    first: int = 0
    """so many places come first by what `in_front` leaves"""


def in_front(better: int) -> float:
    return FIRST_REPEAT * min(better, 1) + FIRST_EACH * better


@dataclass(frozen=True, slots=True)
class Rows:
    question: Question
    matrix: Any
    """a row for each candidate, a column for each of COLUMNS"""
    places: Sequence[tuple[str, int, int]]
    """path, first and last line of each candidate"""
    relevant: Any
    functions: Any
    """which candidates are functions or methods"""
    kept: Any
    """the rows to learn from"""
    answers: int = 0
    """functions to find; 0 where the question's targets say what is"""

    def value(self, scores: Any, taken: Taken) -> float:
        """Return nDCG@10 as semble computes it, or recall of the functions among the first ten."""
        order = ranked(scores, [path for path, _, _ in self.places], taken)
        if not self.answers:
            return ndcg([self.places[row] for row in order[:K]], self.question.targets)
        first = [row for row in order if self.functions[row]][:K]
        return float(self.relevant[first].sum()) / self.answers


def ranked(scores: Any, paths: Sequence[str], taken: Taken) -> list[int]:
    """Return the rows, best first, as `Additive` orders them."""
    files = len(set(paths))
    few = min(1.0, files / Additive().many_files)
    first = min(taken.first, files // FILES_FOR_A_PLACE)
    met: dict[str, int] = {}
    rest, front = scores.copy(), scores.copy()
    for row in np.lexsort((np.arange(len(scores)), -scores)).tolist():
        better = met.get(paths[row], 0)
        rest[row] -= few * taken.behind(better)
        front[row] -= in_front(better)
        met[paths[row]] = better + 1
    found: list[int] = np.lexsort((np.arange(len(scores)), -front))[:first].tolist()
    chosen = set(found)
    return found + [row for row in np.lexsort((np.arange(len(scores)), -rest)).tolist() if row not in chosen]


def of_files(repository: Repository) -> list[Rows]:
    """Return the rows of semble's questions about a repository."""
    engine = Engine.open(repository.root)
    found = []
    for question in repository.questions:
        one, _ = _rows(engine, engine.snapshot(), question)
        relevant = np.array([any(target.is_met(*place) for target in question.targets) for place in one.places])
        met: dict[str, int] = {}
        kept = []
        for row in _best(one):
            path = one.places[row][0]
            met[path] = met.get(path, 0) + 1
            if met[path] <= OF_A_FILE:
                kept.append(row)
        found.append(replace(one, relevant=relevant, kept=np.array(sorted(kept))))
    return found


def of_functions(folder: Path) -> tuple[str, list[Rows]]:
    """Return the repository's name and the rows of a mined collection, of unanswerable questions too."""
    collection = load(folder)
    engine = Engine.open(collection.corpus)
    snapshot = engine.snapshot()
    judged = resolve(collection, lambda name: engine.find(name).id)
    found = []
    for topic in collection.topics:
        answer = {symbol for symbol, relevance in judged.get(topic.id, {}).items() if relevance > 0}
        if not answer:
            continue
        one, candidates = _rows(engine, snapshot, Question(topic.text, topic.category.partition(",")[0], ()))
        relevant = np.array([symbol in answer for symbol in candidates])
        files = {path for (path, _, _), is_answer in zip(one.places, relevant, strict=True) if is_answer}
        beside = [row for row, (path, _, _) in enumerate(one.places) if path in files][:OF_AN_ANSWER]
        kept = sorted({*_best(one)[:BEST], *beside, *np.flatnonzero(relevant).tolist()})
        found.append(replace(one, relevant=relevant, kept=np.array(kept), answers=len(answer)))
    return collection.name.partition(",")[0], found


def _rows(engine: Engine, snapshot: Snapshot, question: Question) -> tuple[Rows, Sequence[SymbolId]]:
    """The candidates, none of them relevant or kept yet, and their ids."""
    strategy = Additive()
    query = engine.query(question.text)
    named = named_symbols(query, snapshot)
    pool = snapshot.pool(query, strategy.depth, strategy.seeds, named)
    table = columns(query, pool, named)
    places = [(one.path, one.span.start_line, one.span.end_line) for one in snapshot.symbols(pool.ids)]
    functions = np.array([kind in FUNCTIONS for kind in pool.kinds])
    matrix = np.column_stack([table[column] for column in COLUMNS]).astype(np.float32)
    nothing = np.zeros(len(places), dtype=np.bool_)
    return Rows(question, matrix, places, nothing, functions, np.flatnonzero(nothing)), pool.ids


def _best(one: Rows) -> list[int]:
    """Rows by words, meaning and name, best first."""
    column: Mapping[str, Any] = dict(zip(COLUMNS, one.matrix.T, strict=True))
    base = column["words"] + column["meaning"] + 0.3 * column["name"]
    found: list[int] = np.lexsort((np.arange(len(base)), -base)).tolist()
    return found
