"""The default: words and meaning fused, structure as further reasons."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

from plait.model import Evidence, Query, Ranking, Reason, Source, SymbolId, Trace
from plait.plugins import at_least, describe
from plait.protocols import Snapshot
from plait.ranking import RRF_K, merge, rank, reciprocal_ranks
from plait.retrieve.expansion import Expander, Walk

_IDENTIFIER = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")
_RECEIVER = re.compile(r"\(\*?(\w+)\)(?=\.\w)")
_PARAMETERS = re.compile(r"(?<=\w)(?:::)?<[^<>\s]*>(?=::\w)")
_AROUND = " \t\r\n`'\"()?"
_SCOPE = re.compile(r"(?<=\w)(?:::|\$)(?=[^\W\d])")


@dataclass(frozen=True, slots=True)
class Hybrid:
    """Reciprocal rank fusion of BM25 and plain vectors; vectors with structure, edges and exact names add to it.

    Do no harm: what structure adds are reasons; the fusion's own candidates and addends stay as they are. No figure
    here is tuned yet, each is the plainest that does its work.
    """

    name: ClassVar[str] = "hybrid"
    lexical: float = 1.0
    dense: float = 1.0
    structure: float = 0.5
    """weight of the ranking by vectors with structure in them, against 1 for words and 1 for meaning"""
    edge: float = 0.3
    """part of its fused score that each of the first `seeds` passes on to a callee"""
    seeds: int = 5
    hub_degree: int = 10
    min_evidence: Evidence = Evidence.FLOWED
    exact_name: float = 2.0
    """addend, in first places of a strand, for a symbol that the question calls by its name"""
    depth: int = 200
    """symbols taken from each strand"""

    def __post_init__(self) -> None:
        at_least(self, lexical=0, dense=0, structure=0, edge=0, seeds=0, hub_degree=1, exact_name=0, depth=1)

    def retrieve(self, query: Query, snapshot: Snapshot) -> Ranking:
        words = snapshot.matching(query.terms, self.depth, query.where)
        meaning = snapshot.nearest(query.vector, self.depth, query.where)
        structure = snapshot.nearest(query.vector, self.depth, query.where, "structural")
        strands: list[Mapping[SymbolId, Reason]] = [
            reciprocal_ranks(words, Source.LEXICAL, self.lexical),
            reciprocal_ranks(meaning, Source.DENSE, self.dense),
            self._named(query, snapshot),
        ]
        seeds = {found.symbol: found.score for found in rank(merge(strands), limit=self.seeds).candidates}
        expander = Expander(
            walk=Walk.CALLS,
            hops=1,
            same_module=False,
            hub_degree=self.hub_degree,
            min_evidence=self.min_evidence,
            weight=self.edge,
        )
        expansion = expander.expand(seeds, snapshot, query.where)
        strands += [reciprocal_ranks(structure, Source.STRUCTURE, self.structure), expansion.reasons]
        return rank(merge(strands), trace=Trace(tuple(seeds), expansion.steps))

    def _named(self, query: Query, snapshot: Snapshot) -> dict[SymbolId, Reason]:
        """Return a reason for each symbol whose name, or end of a qualified name, the question spells out."""
        value = self.exact_name / (RRF_K + 1)
        return {
            symbol.id: Reason(Source.NAME, value, name)
            for name in identifiers(query.text)
            for symbol in snapshot.named(name.rpartition(".")[2])
            if f".{symbol.qualified_name}".endswith(f".{name}") and symbol.own and query.where.accepts(symbol)
        }

    def __str__(self) -> str:
        return describe(self)


def identifiers(text: str) -> Iterator[str]:
    """Yield the words of a question that are plainly code, and a question of one word whatever it is.

    Plainly code: dotted, with an underscore inside, or with a capital letter after a small one. As stack traces write
    them, `a::b` and `a$b` are `a.b`, `a<T>::b` is `a.b`, and `a.(*B).c` is `a.B.c`.
    """
    words = _IDENTIFIER.findall(_dotted(text))
    for word in words:
        if len(words) == 1 or "." in word or "_" in word.strip("_") or re.search(r"[a-z0-9][A-Z]", word):
            yield word


def only_name(text: str) -> str:
    """Return the name that a question is, as `identifiers` writes it; "" for one that is more than a name."""
    words = _IDENTIFIER.findall(_dotted(text))
    return words[0] if len(words) == 1 and _dotted(text).strip(_AROUND) == words[0] else ""


def _dotted(text: str) -> str:
    return _SCOPE.sub(".", _PARAMETERS.sub("", _RECEIVER.sub(r"\1", text)))
