"""How often an edge is right, by the way it was found: the one place with these figures.

They come from benchmarks/results/callgraph-executed.txt: edges that the own tests of flask, click and rich executed, of
all edges out of functions that ran. That is a lower bound, since a branch not taken counts as wrong.
"""

from __future__ import annotations

import math

from plait.model import Via

_BY_VIA = {
    Via.CALL: 0.87,  # 1280 of 1467, `scoped`
    Via.CONSTRUCT: 0.93,  # 272 of 294, `scoped`
    Via.PROPERTY: 0.9,  # 268 of 296, `flow`
    Via.CALLBACK: 0.82,  # 14 of 17, `flow`
    Via.DUNDER: 0.68,  # 50 of 73, `flow`
    Via.DECORATOR: 0.87,  # as CALL: 8 sites are too few to tell
    Via.DECLARATION: 0.93,  # as CONSTRUCT, which finds its class in the same way
    Via.OVERRIDE: 0.93,  # as DECLARATION, from which it follows
    Via.NAME: 0.5,
}

ABSTRACT = 0.1
"""A method that does nothing itself and whose replacements are known."""

SYNTAX = 1.0
"""Read off the source, not resolved."""

EXACT = 0.96
"""What a type checker names as the definition at a call: pyright, pyrefly and ty were right in .95 to .97 of the calls
out of functions of requests, flask, werkzeug and rich whose every line ran. Where branches not taken count as wrong, as
for the figures above, the EXACT edges of pyrefly 1.5.0 have 1516 of 1716, .88 (benchmarks/results/callgraph-scip.txt).
"""

SAME_FILE_NAME = 0.91
"""A bare name that a function of the same file bears: 146 of 160, `names`."""

FLOWED = 0.8
"""Factor for a call that only the flow of values gives. What `flow` adds to `scoped` in benchmarks/results/
callgraph-executed.txt: 99 of 143 calls, constructions and callbacks executed, .69, against .88 for `scoped`."""


def confidence(via: Via, candidates: int = 1, *, flowed: bool = False) -> float:
    """Divided by the root of the number of candidates; that rule is not measured."""
    return round(_BY_VIA[via] * (FLOWED if flowed else 1.0) / math.sqrt(candidates), 4)
