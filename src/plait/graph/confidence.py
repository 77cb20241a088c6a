"""How often an edge is right, by the way it was found: the one place with these figures.

They come from the last table of benchmarks/results/callgraph-executed.txt: edges that the own tests of requests, flask,
werkzeug and rich executed, of all edges out of functions whose every line ran. A lower bound: a target that no test
takes counts as wrong. These packages were looked at while the rules were made; the same file has two that were not.
"""

from __future__ import annotations

from plait.model import Via

_BY_VIA = {
    Via.CALL: 0.99,  # 933 of 945 with one target, declared
    Via.CONSTRUCT: 0.99,  # 268 of 272
    Via.PROPERTY: 0.99,  # 192 of 194
    Via.DECORATOR: 0.99,  # as CALL: too few to tell
    Via.DECLARATION: 0.99,  # as CONSTRUCT, which finds its class in the same way
    Via.DUNDER: 0.8,  # 132 of 166
    Via.NAME: 0.67,  # 6 of 9
    Via.OVERRIDE: 0.55,  # 6 of 11: each of several methods that run where one does nothing
    Via.CALLBACK: 0.57,  # 4 of 7
}
_BY_TARGETS = (1.0, 0.95, 0.78, 0.5)
"""Factor for each of one, two, three, four and more targets of a call: 16 of 17, 7 of 9, 5 of 10."""

ABSTRACT = 0.04
"""A method that does nothing itself and whose replacements are known: 1 of 25 such calls."""

OVERRIDES = 0.99
"""As DECLARATION, from which it follows."""

SYNTAX = 1.0
"""Read off the source, not resolved."""

EXACT = 0.99
"""What a type checker names as the definition at a call: 1178 of 1195 with pyrefly 1.5.0, `flow + SCIP`."""

SAME_FILE_NAME = 0.99
"""A bare name that a function of the same file bears: 93 of 94, `names`."""

FLOWED = 0.94
"""Factor for a call that only the flow of values gives: 89 of 96 with one target."""


def confidence(via: Via, targets: int = 1, *, flowed: bool = False) -> float:
    """Dunder methods, overriding ones, callbacks and properties are found by flow alone, and counted so."""
    by_flow = FLOWED if flowed and via in (Via.CALL, Via.CONSTRUCT) else 1.0
    return round(_BY_VIA[via] * by_flow * _BY_TARGETS[min(targets, len(_BY_TARGETS)) - 1], 4)
