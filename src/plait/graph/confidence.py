"""How often an edge is right, by the way it was found: the one place with these figures.

Beside each stands what a trial resolver of the project measured on requests / flask with werkzeug / rich: edges that
were executed by the package's own tests, of all edges out of functions covered in full. That is a lower bound, since a
branch not taken counts as wrong. Where nothing was measured, that is said.
"""

from __future__ import annotations

import math

from plait.model import Via

_BY_VIA = {
    Via.CONSTRUCT: 0.95,  # measured 1.00 / .94 / .94
    Via.CALL: 0.92,  # measured .96 / .89 / .95 for one target
    Via.PROPERTY: 0.85,  # measured 1.00 / .67 / .99
    Via.DUNDER: 0.55,  # measured .64 / .54 / .63
    Via.CALLBACK: 0.35,  # measured on three sites only
    Via.DECORATOR: 0.92,  # not measured alone: the trial counted decorators among calls
    Via.NAME: 0.4,  # measured .53 for any number of candidates
    Via.DECLARATION: 0.95,  # not measured: as CONSTRUCT, which finds its class in the same way
    Via.OVERRIDE: 0.95,  # not measured: follows from INHERITS
}

SYNTAX = 1.0
"""Read off the source, not resolved."""

SAME_FILE_NAME = 0.5
"""A bare name that a function of the same file bears. Not measured: scopes are ignored, so it is put between what the
trial measured for a name with any number of candidates (.53 pooled) and for name and arity with one (.83 pooled)."""


FLOWED = 0.8
"""Factor for a call that only the flow of values gives. What `flow` adds to `scoped` in benchmarks/results/
callgraph-executed.txt: 99 of 143 calls, constructions and callbacks executed, .69, against .88 for `scoped`."""


def confidence(via: Via, candidates: int = 1, *, flowed: bool = False) -> float:
    """Divided by the root of the number of candidates; that rule is not measured."""
    return round(_BY_VIA[via] * (FLOWED if flowed else 1.0) / math.sqrt(candidates), 4)
