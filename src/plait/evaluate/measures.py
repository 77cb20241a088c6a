"""Measures of one ranking against the judgements of its topic. A measure is a value that prints itself: `nDCG@10`.

What counts when something is empty, as in ir-measures (and in trec_eval with `-c`; without it, trec_eval leaves topics
without results out of the mean):

- every judged topic counts; one without results scores 0;
- a topic that was not judged is left out, whatever was found for it;
- a judged topic with nothing relevant cannot be scored by finding it: it counts, with 0;
- a symbol that was not judged is not relevant.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from plait.errors import BadParameter
from plait.model import SymbolId


@dataclass(frozen=True, slots=True)
class Measure:
    name: str
    k: int | None
    """how deep it looks; None for the whole ranking"""

    def __str__(self) -> str:
        return self.name if self.k is None else f"{self.name}@{self.k}"

    def of(self, ranking: Sequence[SymbolId], judged: Mapping[SymbolId, int]) -> float:
        """Return the score of a ranking, best first and each symbol once, against symbol -> relevance."""
        return _FORMULAS[self.name](ranking[: self.k], judged, self.k)


def _recall(found: Sequence[SymbolId], judged: Mapping[SymbolId, int], k: int | None) -> float:
    """Relevant symbols found, of all relevant symbols."""
    relevant = _relevant(judged)
    return len(relevant.intersection(found)) / len(relevant) if relevant else 0.0


def _precision(found: Sequence[SymbolId], judged: Mapping[SymbolId, int], k: int | None) -> float:
    """Relevant symbols found, of k places, filled or not."""
    places = k or len(found)
    return len(_relevant(judged).intersection(found)) / places if places else 0.0


def _ndcg(found: Sequence[SymbolId], judged: Mapping[SymbolId, int], k: int | None) -> float:
    """Järvelin and Kekäläinen, TOIS 2002, with gain = relevance and discount 1 / log2(1 + rank), as trec_eval does."""
    gains = [max(judged.get(symbol, 0), 0) for symbol in found]
    ideal = _dcg(sorted((max(relevance, 0) for relevance in judged.values()), reverse=True)[:k])
    return _dcg(gains) / ideal if ideal else 0.0


def _dcg(gains: Sequence[int]) -> float:
    return math.fsum(gain / math.log2(1 + rank) for rank, gain in enumerate(gains, start=1))


def _reciprocal_rank(found: Sequence[SymbolId], judged: Mapping[SymbolId, int], k: int | None) -> float:
    """One over the rank of the first relevant symbol; its mean over topics is the MRR (Voorhees, TREC-8)."""
    relevant = _relevant(judged)
    return next((1 / rank for rank, symbol in enumerate(found, start=1) if symbol in relevant), 0.0)


def _success(found: Sequence[SymbolId], judged: Mapping[SymbolId, int], k: int | None) -> float:
    """1 if anything relevant was found."""
    return 1.0 if _relevant(judged).intersection(found) else 0.0


def _relevant(judged: Mapping[SymbolId, int]) -> frozenset[SymbolId]:
    return frozenset(symbol for symbol, relevance in judged.items() if relevance > 0)


_FORMULAS: dict[str, Callable[[Sequence[SymbolId], Mapping[SymbolId, int], int | None], float]] = {
    "Recall": _recall,
    "P": _precision,
    "nDCG": _ndcg,
    "RR": _reciprocal_rank,
    "Success": _success,
}
_SHORT = {"r": "Recall", "mrr": "RR"}
_DEPTH_NEEDED = ("Recall", "P", "Success")


def parse(description: str) -> Measure:
    """Read what a measure prints, in any case, and the usual short forms `R@5` and `MRR`. Raises BadParameter."""
    read = re.fullmatch(r"([A-Za-z]+)(?:@([1-9]\d*))?", description.strip())
    names = {name.lower(): name for name in _FORMULAS} | _SHORT
    if read is None or read[1].lower() not in names:
        known = ", ".join(f"{name}@k" for name in _FORMULAS)
        raise BadParameter(f"no measure is called {description!r}; there are: {known}")
    name, k = names[read[1].lower()], read[2]
    if k is None and name in _DEPTH_NEEDED:
        raise BadParameter(f"{name} needs a depth, for example {name}@5")
    return Measure(name, None if k is None else int(k))


def standard(depths: Sequence[int]) -> tuple[Measure, ...]:
    """Return what is reported for those depths: Recall and nDCG at each, the reciprocal rank, success at 1."""
    at = sorted(set(depths))
    return (
        *(Measure("Recall", k) for k in at),
        *(Measure("nDCG", k) for k in at),
        Measure("RR", None),
        Measure("Success", 1),
    )
