"""How often an edge of the generic graph is right, by evidence.

Measured beside compilers on gson, commons-lang, zod and axios (benchmarks/results/languages.txt): of the SCOPED and
TYPED edges .99 are right, after what was found there was mended, so they stay at .95; of the NAME ones 89 of 310; of
the AMBIGUOUS ones, with two targets and more, 855 of 3,103. FLOWED is an estimate.
"""

from __future__ import annotations

from plait.model import Evidence, Via

_BY_EVIDENCE = {
    Evidence.TYPED: 0.95,
    Evidence.SCOPED: 0.95,
    Evidence.FLOWED: 0.9,
    Evidence.NAME: 0.3,
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
