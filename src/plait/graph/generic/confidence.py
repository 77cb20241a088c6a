"""How often an edge of the generic graph is right, by evidence.

Not measured but for SWARM-JS (benchmarks/results/languages.txt): there .96 of the edges without flow are right, which
TYPED and SCOPED follow. Of the FLOWED ones 69 of 71 are right there, in small cases that were looked at while the rules
were made; FLOWED is an estimate below that, and the others are below what such edges have for Python
(`plait.graph.confidence`).
"""

from __future__ import annotations

from plait.model import Evidence, Via

_BY_EVIDENCE = {
    Evidence.TYPED: 0.95,
    Evidence.SCOPED: 0.95,
    Evidence.FLOWED: 0.9,
    Evidence.NAME: 0.6,
    Evidence.AMBIGUOUS: 0.5,
}
_BY_COUNT = (1.0, 1.0, 0.66, 0.5)
"""Factor for each of one, two, three, four and more targets, one of which is right."""

DECLARED = 0.1
"""A method without a body whose replacements are known."""

OVERRIDING = 0.55

SYNTAX = 1.0
IMPORT = 0.95


def confidence(evidence: Evidence, via: Via, candidates: int) -> float:
    if via is Via.DECLARATION and candidates > 1:
        return DECLARED
    if via is Via.OVERRIDE and candidates > 1:
        return round(OVERRIDING * _BY_COUNT[min(candidates, 4) - 1], 4)
    return round(_BY_EVIDENCE[evidence] * _BY_COUNT[min(candidates, 4) - 1], 4)
