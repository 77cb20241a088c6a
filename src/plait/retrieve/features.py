"""What can be said of each candidate of a question, as numbers: the columns that `additive` weighs.

Every column is a function of the question and of a `Pool`, so any store gives the same. Shares are from 0 to 1: of the
highest score in the pool, or of the rarity (inverse document frequency) of all terms of the question.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from plait.model import Pool, Query, Source, SymbolId, SymbolKind
from plait.terms import terms

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Column = NDArray[np.float64]

# Sources of reasons: which columns speak together.
GROUPS: Mapping[Source, tuple[str, ...]] = {
    Source.LEXICAL: ("words", "words_of_all", "coverage"),
    Source.DENSE: ("meaning", "cosine"),
    Source.STRUCTURE: ("structure",),
    Source.NAME: ("name", "name_share", "qualified", "named", "defined"),
    Source.FILE: (
        *("file_words", "file_words_sum", "file_coverage", "file_all", "file_meaning", "file_meaning_sum"),
        *("file_structure", "file_name", "file_names", "file_named", "siblings"),
    ),
    Source.PATH: ("stem", "stem_share", "folders"),
    Source.EDGE: ("called", "calls"),
    Source.PRIOR: ("depth", "length", "module", "class", "function", "callers"),
    Source.PENALTY: ("test", "example", "stub", "entry", "legacy"),
}
BM25_MOST = 2.2
"""k1 + 1: what a term can add to BM25 stays below its rarity times this (`plait.store.bm25`)."""

COLUMNS = tuple(column for columns in GROUPS.values() for column in columns)

_TEST = re.compile(
    r"(^|/)(tests?|specs?|testing|__tests__|fixtures?)(/|$)|(_test|\.test|\.spec|Tests?)\.\w+$|(^|/)test_",
    re.IGNORECASE,
)
_EXAMPLE = re.compile(r"(^|/)(examples?|samples?|demos?|docs?|benchmarks?|bench)(/|$)", re.IGNORECASE)
_STUB = re.compile(r"\.d\.[cm]?ts$|\.pyi$")
_ENTRY = re.compile(r"(^|/)(__init__|index|mod|lib|main|init|prelude|package)\.\w+$")
_LEGACY = re.compile(r"compat|legacy|deprecated|polyfill|internal|shim", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Place:
    """What a path tells."""

    stem: frozenset[str]
    folders: frozenset[str]
    depth: int
    flags: tuple[bool, ...]
    """test, example, stub, entry, legacy"""


@lru_cache(maxsize=50_000)
def _place(path: str) -> _Place:
    folder, _, name = path.rpartition("/")
    flags = tuple(bool(pattern.search(path)) for pattern in (_TEST, _EXAMPLE, _STUB, _ENTRY, _LEGACY))
    return _Place(frozenset(terms(name.partition(".")[0])), frozenset(terms(folder)), path.count("/"), flags)


@lru_cache(maxsize=100_000)
def _words(name: str) -> frozenset[str]:
    return frozenset(terms(name))


@lru_cache(maxsize=100_000)
def _descriptors(symbol: SymbolId) -> frozenset[str]:
    """The terms of the names of a symbol and of the definitions around it."""
    return frozenset(terms(symbol.partition(":")[2]))


def columns(query: Query, pool: Pool, named: frozenset[SymbolId]) -> dict[str, Column]:
    """Return each of COLUMNS, a number for each row of the pool. `named` are the symbols that the question names."""
    count = len(pool.ids)
    whole = max(float(pool.rarity.sum()), 1e-9)
    lexical = pool.lexical.sum(axis=1)
    words = _share(lexical)
    has = pool.lexical > 0
    meaning, structure = _share(pool.dense["plain"]), _share(pool.dense["structural"])
    order: dict[str, int] = {}
    file = np.array([order.setdefault(path, len(order)) for path in pool.paths], dtype=np.int64)
    files = _Files(file, len(order))
    places = [_place(path) for path in order]
    names = _Shared(list(map(_words, pool.names)), query.terms)
    stems = _Shared([place.stem for place in places], query.terms)
    folders = _Shared([place.folders for place in places], query.terms)
    qualified = _Shared(list(map(_descriptors, pool.ids)), query.terms)
    own = np.array([symbol in named for symbol in pool.ids], dtype=np.float64)
    called, calls = _passed_on(pool, words + meaning)
    flags = np.array([place.flags for place in places], dtype=np.float64).reshape(-1, 5)[file]
    kinds = np.array([_KINDS.get(kind, 3) for kind in pool.kinds], dtype=np.int64)
    bound = whole * BM25_MOST
    return {
        "words": words,
        "words_of_all": lexical / bound,
        "coverage": _weight(has, pool.rarity) / whole,
        "meaning": meaning,
        "cosine": pool.dense["plain"],
        "structure": structure,
        "name": (name := _weight(names.has, pool.rarity) / whole),
        "name_share": names.share,
        "qualified": _weight(qualified.has, pool.rarity) / whole,
        "named": own,
        "defined": own * (kinds != _METHOD),
        "file_words": files.best(words),
        "file_words_sum": _share(files.sum(words**2)),
        "file_coverage": _weight(files.any(has), pool.rarity) / whole,
        "file_all": files.best_of_each(pool.lexical) / bound,
        "file_meaning": files.best(meaning),
        "file_meaning_sum": _share(files.sum(meaning**4)),
        "file_structure": files.best(structure),
        "file_name": files.best(name),
        "file_names": _weight(files.any(qualified.has), pool.rarity) / whole,
        "file_named": files.best(own),
        "siblings": np.log1p(files.sum(np.ones(count))),
        "stem": (_weight(stems.has, pool.rarity) / whole)[file],
        "stem_share": stems.share[file],
        "folders": (_weight(folders.has, pool.rarity) / whole)[file],
        "called": called,
        "calls": calls,
        "depth": np.array([place.depth for place in places], dtype=np.float64)[file],
        "length": np.log1p(pool.lengths),
        "module": (kinds == _MODULE).astype(np.float64),
        "class": (kinds == _CLASS).astype(np.float64),
        "function": (kinds == _FUNCTION).astype(np.float64),
        "callers": np.log1p(pool.callers),
        **dict(zip(("test", "example", "stub", "entry", "legacy"), flags.T, strict=True)),
    }


_MODULE, _CLASS, _FUNCTION, _METHOD = range(4)
_KINDS = {SymbolKind.MODULE: _MODULE, SymbolKind.CLASS: _CLASS, SymbolKind.FUNCTION: _FUNCTION}


class _Files:
    """Columns of files, spread over their rows again."""

    def __init__(self, file: NDArray[np.int64], count: int) -> None:
        self._file = file
        self._count = count

    def best(self, column: Column) -> Column:
        found = np.zeros(self._count)
        np.maximum.at(found, self._file, column)
        return found[self._file]

    def sum(self, column: Column) -> Column:
        found: Column = np.bincount(self._file, weights=column, minlength=self._count).astype(np.float64)
        return found[self._file]

    def any(self, has: NDArray[np.bool_]) -> NDArray[np.bool_]:
        found = np.zeros((self._count, has.shape[1]), dtype=np.bool_)
        np.logical_or.at(found, self._file, has)
        return found[self._file]

    def best_of_each(self, addends: Column) -> Column:
        """Add up what each term gives to the symbol of the file to which it gives most."""
        found = np.zeros((self._count, addends.shape[1]))
        np.maximum.at(found, self._file, addends)
        sums: Column = found.sum(axis=1)
        return sums[self._file]


def _share(column: Column) -> Column:
    highest = column.max(initial=0.0)
    return column / highest if highest > 0 else column


def _weight(has: NDArray[np.bool_], rarity: Column) -> Column:
    """Add up the rarity of the terms that each row has, term by term: the same on every machine."""
    found = np.zeros(len(has))
    for term, weight in enumerate(rarity.tolist()):
        found += has[:, term] * weight
    return found


class _Shared:
    """What sets of words share with a question."""

    def __init__(self, sets: Sequence[frozenset[str]], asked: Sequence[str]) -> None:
        self.has = np.zeros((len(sets), len(asked)), dtype=np.bool_)
        """a row for each set, a column for each term of the question"""
        place = {term: column for column, term in enumerate(asked)}
        shares_none = frozenset(asked).isdisjoint
        self.has.flat[
            [
                row * len(asked) + place[word]
                for row, words in enumerate(sets)
                if not shares_none(words)
                for word in words
                if word in place
            ]
        ] = True
        lengths = np.array([len(words) for words in sets], dtype=np.int64)
        self.share: Column = self.has.sum(axis=1) / np.maximum(lengths, 1)
        """of the words of the set those that the question has"""


def _passed_on(pool: Pool, base: Column) -> tuple[Column, Column]:
    """What a candidate gains from the best one that calls it, and from the best one that it calls.

    An edge passes on the score of its other end times its confidence, divided by log2(2 + d): d is how many symbols
    call the one reached, or how many the one reached calls.
    """
    place = {symbol: row for row, symbol in enumerate(pool.ids)}
    called, calls = np.zeros(len(pool.ids)), np.zeros(len(pool.ids))
    if pool.calls:
        source = np.array([place[edge.source] for edge in pool.calls])
        target = np.array([place[edge.target] for edge in pool.calls])
        sure = np.array([edge.confidence for edge in pool.calls])
        np.maximum.at(called, target, base[source] * sure / np.log2(2 + pool.callers[target]))
        np.maximum.at(calls, source, base[target] * sure / np.log2(2 + pool.callees[source]))
    return called, calls
