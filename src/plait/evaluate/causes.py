"""Why a relevant symbol is not among the first k, and what moved between two rankings of one topic.

There are three causes, and a symbol that is missing has exactly one of them:

- never a candidate: the strategy did not score it at all;
- outranked: its rank among all that was scored is beyond k, and of those before it that are not relevant some have a
  greater score;
- cut: its rank is within k, but the strategy kept fewer; or beyond, where only relevant symbols and equal scores stand
  before it.

Whoever stands above a symbol that the strategy's own cut removed took no place from it, so that is never `outranked`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from plait.evaluate.collection import Topic
from plait.evaluate.compare import Comparison
from plait.evaluate.judge import Evaluation, Run
from plait.evaluate.measures import Measure
from plait.model import Candidate, Edge, Ranking, Reason, Step, SymbolId
from plait.ranking import positions

MOST_ABOVE = 5
"""Symbols named as those that outrank one at most."""


class Cause(StrEnum):
    NEVER_A_CANDIDATE = "never a candidate"
    OUTRANKED = "outranked"
    CUT = "cut"


@dataclass(frozen=True, slots=True)
class Missing:
    symbol: SymbolId
    cause: Cause
    rank: int | None
    """1-based, among all that was scored; None if it was not"""
    above: tuple[SymbolId, ...]
    """outranked: those of the first k scored that are irrelevant and have a greater score, in order; else empty"""


@dataclass(frozen=True, slots=True)
class Movement:
    """Where one symbol stands in the rankings of A and of B."""

    symbol: SymbolId
    relevant: bool
    a: int | None
    """1-based rank among all that A scored; None if it was not"""
    b: int | None
    step: Step | None
    """the edge by which B reached it, if B walked to it"""
    gained: tuple[Reason, ...]
    """reasons under B of a source that A does not use for it, else edges that A lacks or counts otherwise, greatest
    first; empty if A and B share no source, since then B does not add to A's score but has another one"""
    lost: tuple[Reason, ...] = ()
    """the same the other way round: reasons under A that B lacks"""
    step_a: Step | None = None
    """the edge by which A reached it, if A walked to it"""


@dataclass(frozen=True, slots=True)
class Explanation:
    topic: Topic
    k: int
    relevant: tuple[SymbolId, ...]
    """by id"""
    a: str
    b: str
    ranking_a: Ranking
    ranking_b: Ranking
    movements: tuple[Movement, ...]
    """of every symbol that is relevant or among the first k of either: by rank under A, then under B, then id"""
    missing_a: tuple[Missing, ...]
    missing_b: tuple[Missing, ...]

    @property
    def left(self) -> tuple[SymbolId, ...]:
        """What is among A's first k and not among B's, in A's order."""
        return _without(_first(self.ranking_a, self.k), _first(self.ranking_b, self.k))

    @property
    def entered(self) -> tuple[SymbolId, ...]:
        """What is among B's first k and not among A's, in B's order."""
        return _without(_first(self.ranking_b, self.k), _first(self.ranking_a, self.k))


def missing(ranking: Ranking, relevant: Collection[SymbolId], k: int) -> tuple[Missing, ...]:
    """Return every relevant symbol that is not among the first k, by id, with its cause."""
    pool = ranking.pool or ranking.candidates
    place = positions(pool)
    first = set(_first(ranking, k))
    found: list[Missing] = []
    for symbol in sorted(relevant):
        if symbol in first:
            continue
        if symbol not in place:
            found.append(Missing(symbol, Cause.NEVER_A_CANDIDATE, None, ()))
            continue
        rank, score = place[symbol], pool[place[symbol] - 1].score
        above = tuple(c.symbol for c in pool[:k] if c.symbol not in relevant and c.score > score) if rank > k else ()
        found.append(Missing(symbol, Cause.OUTRANKED if above else Cause.CUT, rank, above))
    return tuple(found)


def explain(
    topic: Topic, judged: Mapping[SymbolId, int], k: int, a: tuple[str, Ranking], b: tuple[str, Ranking]
) -> Explanation:
    """Explain one topic under two labelled rankings."""
    relevant = tuple(sorted(symbol for symbol, relevance in judged.items() if relevance > 0))
    (label_a, ranking_a), (label_b, ranking_b) = a, b
    pool_a, pool_b = ranking_a.pool or ranking_a.candidates, ranking_b.pool or ranking_b.candidates
    place_a, place_b = positions(pool_a), positions(pool_b)
    reached_a, reached_b = _reached(ranking_a), _reached(ranking_b)
    shown = {*relevant, *_first(ranking_a, k), *_first(ranking_b, k)}
    last = max(len(pool_a), len(pool_b)) + 1
    return Explanation(
        topic=topic,
        k=k,
        relevant=relevant,
        a=label_a,
        b=label_b,
        ranking_a=ranking_a,
        ranking_b=ranking_b,
        movements=tuple(
            Movement(
                symbol=symbol,
                relevant=symbol in relevant,
                a=place_a.get(symbol),
                b=place_b.get(symbol),
                step=reached_b.get(symbol),
                gained=_gained(_candidate(pool_a, place_a, symbol), _candidate(pool_b, place_b, symbol)),
                lost=_gained(_candidate(pool_b, place_b, symbol), _candidate(pool_a, place_a, symbol)),
                step_a=reached_a.get(symbol),
            )
            for symbol in sorted(shown, key=lambda s: (place_a.get(s, last), place_b.get(s, last), s))
        ),
        missing_a=missing(ranking_a, relevant, k),
        missing_b=missing(ranking_b, relevant, k),
    )


def explanations(
    evaluation: Evaluation, runs: Mapping[str, Run], measure: Measure, k: int, most: int | None = None
) -> list[Explanation]:
    """Explain the topics that are no tie, pair by pair, worst loss first.

    With `most`, only so many of the worst losses and so many of the greatest gains of each pair.
    """
    topics = {topic.id: topic for topic in evaluation.topics}
    nothing = Ranking(())
    made: list[Explanation] = []
    for a, b in evaluation.pairs:
        for topic in extremes(evaluation.compare(measure, a, b), most):
            found_a, found_b = runs[a].get(topic, nothing), runs[b].get(topic, nothing)
            made.append(explain(topics[topic], evaluation.judgements[topic], k, (a, found_a), (b, found_b)))
    return made


def extremes(comparison: Comparison, most: int | None) -> tuple[str, ...]:
    """Return the topics of the `most` worst losses and of the `most` greatest gains, worst loss first; None is all."""
    losses = [topic for topic in comparison.divergent if comparison.differences[topic] < 0]
    gains = [topic for topic in comparison.divergent if comparison.differences[topic] > 0]
    return tuple(losses + gains) if most is None else (*losses[:most], *gains[len(gains) - min(most, len(gains)) :])


def cause_text(absent: Missing, ranking: Ranking, k: int, names: Mapping[SymbolId, str]) -> str:
    """Say the cause in one sentence; `names` holds what to call each symbol."""
    match absent.cause:
        case Cause.NEVER_A_CANDIDATE if step := _reached(ranking).get(absent.symbol):
            return f"never a candidate: reached over {_edge_text(step, names)}, but not scored"
        case Cause.NEVER_A_CANDIDATE if ranking.trace.seeds:
            seeds = ", ".join(names[symbol] for symbol in ranking.trace.seeds)
            return f"never a candidate: neither a seed nor within reach of the seeds {seeds}"
        case Cause.NEVER_A_CANDIDATE:
            return "never a candidate"
        case Cause.OUTRANKED:
            above = [names[symbol] for symbol in absent.above]
            more = f" and {len(above) - MOST_ABOVE} more" if len(above) > MOST_ABOVE else ""
            return f"outranked at rank {absent.rank} by {', '.join(above[:MOST_ABOVE])}{more}"
        case Cause.CUT if absent.rank is not None and absent.rank <= k:
            return f"cut: rank {absent.rank}, but the strategy keeps {len(ranking.candidates)}"
        case Cause.CUT:
            return f"cut at k = {k}: rank {absent.rank}, nothing irrelevant scores higher among the first {k}"


def step_text(step: Step, names: Mapping[SymbolId, str]) -> str:
    """Say an edge as it was walked: `hop 1: a -> calls b (file:line, scoped)`."""
    edge = step.edge
    return (
        f"hop {step.hop}: {names[edge.source]} calls {names[edge.target]}"
        f" ({edge.path}:{edge.line}, {edge.evidence.name.lower()}), reached {names[step.reached]}"
    )


def movement_text(movement: Movement, names: Mapping[SymbolId, str]) -> str:
    """Say where a symbol stood, where it stands, and what B adds that moved it, or lacks if it fell."""
    before, after = ("not a candidate" if rank is None else f"rank {rank}" for rank in (movement.a, movement.b))
    why = ""
    fell = movement.a is not None and (movement.b is None or movement.b > movement.a)
    if not fell and (edges := [reason for reason in movement.gained if reason.edge]):
        why = "; ".join(map(_reason_text, edges))
    elif movement.step:
        why = f"reached over {_edge_text(movement.step, names)}"
    elif movement.gained and not fell:
        why = "; ".join(f"{reason.value:+.3f} {reason.source}" for reason in movement.gained)
    elif fell:
        if edges := [reason for reason in movement.lost if reason.edge]:
            why = "; ".join(f"without {_reason_text(reason)}" for reason in edges)
        elif movement.step_a and movement.b is None:
            why = f"before, reached over {_edge_text(movement.step_a, names)}"
        else:
            why = "; ".join(f"without {reason.value:+.3f} {reason.source}" for reason in movement.lost)
    return f"{before} -> {after}" + (f"; {why}" if why else "")


def _edge_text(step: Step, names: Mapping[SymbolId, str]) -> str:
    edge = step.edge
    return f"{names[edge.source]} -> {names[edge.target]} ({_site(edge)})"


def _site(edge: Edge) -> str:
    return f"{edge.path}:{edge.line}, {edge.kind}, {edge.evidence.name.lower()}"


def _reason_text(reason: Reason) -> str:
    """Say what an edge adds; strategies name the edge in the detail, its kind and evidence are added here."""
    edge = reason.edge
    return f"{reason.value:+.3f} {reason.detail}" + (f" [{edge.kind}, {edge.evidence.name.lower()}]" if edge else "")


def _reached(ranking: Ranking) -> dict[SymbolId, Step]:
    """Return the first edge by which each symbol was reached."""
    return {step.reached: step for step in reversed(ranking.trace.steps)}


def _gained(before: Candidate | None, after: Candidate | None) -> tuple[Reason, ...]:
    if before is None or after is None:
        return () if after is None else tuple(reason for reason in after.reasons if reason.edge)
    had = {reason.source for reason in before.reasons}
    new = [reason for reason in after.reasons if reason.source not in had]
    if not new:
        walked = {(reason.edge, reason.value) for reason in before.reasons}
        new = [reason for reason in after.reasons if reason.edge and (reason.edge, reason.value) not in walked]
    return tuple(sorted(new, key=lambda reason: -reason.value)) if len(new) < len(after.reasons) else ()


def _candidate(pool: Sequence[Candidate], place: Mapping[SymbolId, int], symbol: SymbolId) -> Candidate | None:
    return pool[place[symbol] - 1] if symbol in place else None


def _first(ranking: Ranking, k: int) -> tuple[SymbolId, ...]:
    return tuple(candidate.symbol for candidate in ranking.candidates[:k])


def _without(symbols: Sequence[SymbolId], others: Sequence[SymbolId]) -> tuple[SymbolId, ...]:
    return tuple(symbol for symbol in symbols if symbol not in others)
