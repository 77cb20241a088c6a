"""TREC's files: qrels (`topic 0 document relevance`) and runs (`topic Q0 document rank score tag`)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from plait.errors import AmbiguousSymbol, BadCollection, UnknownSymbol
from plait.evaluate.collection import Judgements, lines
from plait.model import Candidate, Ranking, Reason, Source, SymbolId
from plait.ranking import rank

Scores = Mapping[str, Mapping[str, float]]
"""topic -> document -> score"""


def read_run(path: Path) -> Scores:
    """Read a run. As trec_eval does it, the score orders and the rank is not looked at. Raises BadCollection."""
    found: dict[str, dict[str, float]] = {}
    for where, line in lines(path):
        columns = line.split()
        if len(columns) != 6:
            raise BadCollection(where, f"a run has 6 columns (topic Q0 symbol rank score tag), this one {len(columns)}")
        topic, _, document, _, written, _ = columns
        try:
            score = float(written)
        except ValueError:
            score = math.nan
        if not math.isfinite(score):
            raise BadCollection(where, f"a score must be a number, not {written!r}")
        if document in found.setdefault(topic, {}):
            raise BadCollection(where, f"{document} stands twice in the ranking of {topic}")
        found[topic][document] = score
    if not found:
        raise BadCollection(str(path), "holds no result")
    return found


def rankings(scores: Scores, find: Callable[[str], SymbolId]) -> tuple[dict[str, Ranking], int]:
    """Turn another tool's scores into rankings, and count the documents that are no symbol of the corpus.

    Those keep their places, as documents that nobody judged. Of two documents that are one symbol the better counts.
    Equal scores stand by id.
    """
    unknown: set[str] = set()
    made: dict[str, Ranking] = {}
    for topic, documents in scores.items():
        best: dict[SymbolId, float] = {}
        for document, score in documents.items():
            try:
                symbol = find(document)
            except (UnknownSymbol, AmbiguousSymbol):
                symbol = SymbolId(document)
                unknown.add(document)
            best[symbol] = max(score, best.get(symbol, score))
        made[topic] = rank(Candidate(one, (Reason(Source.PRIOR, score, "as given"),)) for one, score in best.items())
    return made, len(unknown)


def run_lines(run: Mapping[str, Ranking], tag: str) -> Iterator[str]:
    """Yield the lines of a run. A score is the number of places from the end, so that no tie is broken elsewhere."""
    name = "-".join(tag.split())
    for topic, ranking in run.items():
        count = len(ranking.candidates)
        for place, candidate in enumerate(ranking.candidates, start=1):
            yield f"{topic} Q0 {candidate.symbol} {place} {count - place + 1} {name}\n"


def qrel_lines(judgements: Judgements) -> Iterator[str]:
    for topic, judged in judgements.items():
        for symbol, relevance in judged.items():
            yield f"{topic} 0 {symbol} {relevance}\n"
