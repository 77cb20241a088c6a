"""From a ranking to what an agent should read: which functions, in which order, how much of each.

The best candidates are taken with their names and signatures until a part of the budget is used, then bodies, the best
first, while the rest lasts. A body that does not fit is passed over for the next one; of the best candidate the
first lines and those that match best are shown then, and in what is left at the end those of the best one passed over.
What was taken stands in the order in which it runs: who calls before who is called, each entry with all that it leads
to before the next entry.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from plait.context.layout import cost_of_body, cost_of_outline, lines
from plait.context.parts import Context, Part, Shown
from plait.context.tokens import tokens
from plait.errors import BadParameter
from plait.finding import Lines
from plait.graph import walks
from plait.model import Candidate, Direction, Ranking, Source, Symbol, SymbolId, SymbolKind

if TYPE_CHECKING:
    from plait.protocols import Snapshot

STRATEGY = "additive(first=0, repeat=0, each=1)"
"""What ranks for a context where search takes its default: what belongs together often stands in one file, of which a
list of results shows little. On knowing's tasks more is found at each budget (benchmarks/results/agents.txt)."""

SMALLEST = 200
"""Tokens below which no answer makes sense: a signature and what was left out take about a hundred."""

OUTLINE = 0.25
"""Part of the budget for names and signatures; what they do not use goes to the bodies."""

FOOT = 60
"""Tokens for the last line, and as many for each thousand of the budget up to four, since it names what is left out."""

BEST = 0.3
"""Part of the room for bodies that the best candidate has where all of it does not fit."""

EXCERPT = 150
"""Tokens below which a part of a body says nothing."""

HEAD = 3
"""First lines of a body of which a part is shown."""

WORDS = frozenset({Source.LEXICAL, Source.NAME, Source.PATH})

KINDS = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.CLASS})


@dataclass(frozen=True, slots=True)
class _Known:
    symbol: Symbol
    rank: int
    candidate: Candidate


def written(context: Context) -> int:
    """How large a context is as its lines of text."""
    return tokens("\n".join(lines(context)))


def compose(
    query: str,
    strategy: str,
    ranking: Ranking,
    snapshot: Snapshot,
    budget: int,
    size: Callable[[Context], int] = written,
) -> Context:
    """Choose from the candidates as many as fit the budget, in tokens as `size` counts what is made of a context.

    Modules are passed over: their definitions are candidates themselves. Raises BadParameter for less than SMALLEST.
    """
    if budget < SMALLEST:
        raise BadParameter(f"the budget must be at least {SMALLEST} tokens, not {budget}")
    symbols = {one.id: one for one in snapshot.symbols([one.symbol for one in ranking.candidates])}
    known = [
        _Known(symbols[one.symbol], rank, one)
        for rank, one in enumerate(ranking.candidates, start=1)
        if symbols[one.symbol].kind in KINDS
    ]
    by_words = any(reason.source in WORDS for one in known for reason in one.candidate.reasons)
    room = budget - FOOT * min(4, 1 + budget // 1000)
    most = _outlined(known, round(room * OUTLINE))[0]
    texts = snapshot.texts([one.symbol.id for one in most])
    calls = _calls(snapshot, [one.symbol.id for one in most])
    while True:
        parts = _parts(most, texts, calls, room)
        left_out = tuple(one.symbol for one in known[len(parts) :])
        context = Context(query, strategy, snapshot.info.state, budget, len(known), parts, left_out, by_words)
        over = size(context) - budget
        if over <= 0 or (len(parts) <= 1 and not any(part.shown for part in parts)):
            return context
        room -= over  # numbers and calls are longer than what was reckoned for them


def _parts(
    known: Sequence[_Known],
    texts: Mapping[SymbolId, str],
    all_calls: Mapping[SymbolId, Sequence[SymbolId]],
    room: int,
) -> tuple[Part, ...]:
    taken, used = _outlined(known, round(room * OUTLINE))
    ids = [one.symbol.id for one in taken]
    bodies = _bodies(taken, texts, room - used)
    of = {one.symbol.id: one for one in taken}
    calls = {one: [target for target in all_calls[one] if target in of] for one in ids}
    flow = in_flow(ids, calls)
    number = {one: place for place, one in enumerate(flow, start=1)}
    return tuple(
        Part(
            number=number[one],
            rank=of[one].rank,
            symbol=of[one].symbol,
            score=of[one].candidate.score,
            calls=tuple(sorted(number[target] for target in calls[one])),
            shown=bodies.get(one),
        )
        for one in flow
    )


def _outlined(known: Sequence[_Known], room: int) -> tuple[Sequence[_Known], int]:
    """As many of the first as fit, one at least, and what they cost."""
    used = 0
    for place, one in enumerate(known):
        cost = cost_of_outline(one.symbol)
        if place and used + cost > room:
            return known[:place], used
        used += cost
    return known, used


def _bodies(taken: Sequence[_Known], texts: Mapping[SymbolId, str], room: int) -> dict[SymbolId, Shown]:
    """The texts that fit, best first. What lies within one that is shown, or is a copy of it, is not shown again."""
    found: dict[SymbolId, Shown] = {}
    whole: list[tuple[Symbol, Lines]] = []
    passed_over: list[_Known] = []
    for one in taken:
        symbol, text = one.symbol, texts[one.symbol.id]
        compared = Lines(text)
        if _is_bare(symbol, text) or any(_within(symbol, other) or compared.are_alike(its) for other, its in whole):
            continue
        cost = cost_of_body(symbol, text)
        if cost <= room:
            found[symbol.id] = Shown(text)
            whole.append((symbol, compared))
            room -= cost
        elif one is taken[0] and (cut := _excerpt(one, text, round(room * BEST))):
            found[symbol.id] = cut
            room -= cost_of_body(symbol, cut.text)
        else:
            passed_over.append(one)
    for one in passed_over[:1]:
        if cut := _excerpt(one, texts[one.symbol.id], room):
            found[one.symbol.id] = cut
    return found


def _excerpt(one: _Known, text: str, room: int) -> Shown | None:
    """The first lines, and as many as fit from where the question matched best; of a class, the first lines alone."""
    room -= cost_of_body(one.symbol, "")
    if room < EXCERPT:
        return None
    rows, first = text.splitlines(), one.symbol.span.start_line
    is_run = len(rows) == one.symbol.span.end_line - first + 1
    spans = [reason.span for reason in one.candidate.reasons if reason.span] if is_run else []
    start = max(HEAD, min(spans[0].start_line - first, len(rows) - 1)) if spans else HEAD
    shown = [*rows[:HEAD], *([_gap(first + HEAD, first + start - 1)] if start > HEAD else [])]
    used = tokens("\n".join([*shown, _gap(first, one.symbol.span.end_line)]) + "\n")
    end = start
    while end < len(rows) and used + (cost := tokens(rows[end] + "\n")) <= room:
        used += cost
        end += 1
    if end == start:
        return None
    shown += rows[start:end]
    if end < len(rows):
        shown.append(_gap(first + end, one.symbol.span.end_line) if is_run else f"... {len(rows) - end} more lines")
    return Shown("\n".join(shown), is_whole=False)


def _gap(first: int, last: int) -> str:
    return f"... lines {first}-{last} left out"


def _is_bare(symbol: Symbol, text: str) -> bool:
    """Whether a class has nothing but its header outside of its methods."""
    return symbol.kind is SymbolKind.CLASS and len(text.strip().splitlines()) < 2


def _within(symbol: Symbol, other: Symbol) -> bool:
    """Whether a function's lines are among those of another function."""
    return (
        other.kind is not SymbolKind.CLASS
        and other.path == symbol.path
        and other.span.start_line <= symbol.span.start_line
        and symbol.span.end_line <= other.span.end_line
    )


def _calls(snapshot: Snapshot, ids: Sequence[SymbolId]) -> dict[SymbolId, list[SymbolId]]:
    """Which of them calls which, itself left out; best first, as the ids are."""
    among = {one: place for place, one in enumerate(ids)}
    found: dict[SymbolId, set[SymbolId]] = {one: set() for one in ids}
    for edge in snapshot.edges(ids, walks.CALLS, Direction.OUT):
        if edge.target in among and edge.target != edge.source:
            found[edge.source].add(edge.target)
    return {one: sorted(found[one], key=among.__getitem__) for one in ids}


def in_flow(ids: Sequence[SymbolId], calls: Mapping[SymbolId, Sequence[SymbolId]]) -> list[SymbolId]:
    """Order them so that callers stand before what they call, but for calls that lead back.

    Entries, which none of the others calls, come by rank, each followed by what it leads to; a cycle that no entry
    leads to is entered at its best.
    """
    finished: dict[SymbolId, None] = {}
    # Depth first, and each symbol noted once all behind it is: read backwards that is an order without backward calls.
    for start in reversed(_starts(ids, calls)):
        stack = [(start, iter([*reversed(calls[start])]))] if start not in finished else []
        open_ = {start}
        while stack:
            one, rest = stack[-1]
            following = next((target for target in rest if target not in finished and target not in open_), None)
            if following is None:
                finished[one] = None
                stack.pop()
            else:
                open_.add(following)
                stack.append((following, iter([*reversed(calls[following])])))
    return [*reversed(finished)]


def _starts(ids: Sequence[SymbolId], calls: Mapping[SymbolId, Sequence[SymbolId]]) -> list[SymbolId]:
    """The entries and the best of each cycle that none leads to, by rank."""
    called = {target for one in ids for target in calls[one]}
    starts: set[SymbolId] = set()
    reached: set[SymbolId] = set()
    for start in [*(one for one in ids if one not in called), *ids]:
        if start not in reached:
            starts.add(start)
            ahead = [start]
            while ahead:
                one = ahead.pop()
                if one not in reached:
                    reached.add(one)
                    ahead += calls[one]
    return [one for one in ids if one in starts]
