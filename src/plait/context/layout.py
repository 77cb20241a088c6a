"""A context as lines of text: first the flow, a line for each part, then the bodies in the same order."""

from __future__ import annotations

from collections.abc import Iterator

from plait.context.parts import Context, Part
from plait.context.tokens import tokens
from plait.model import Symbol

NAMED = 12
"""Symbols that are left out and named; the others are counted."""

NAMES = 0.03
"""Part of the budget for these names."""

LONGEST = 160
"""Characters of a signature."""

CALLS = 8
"""Calls of a part that are told; the others are counted."""

NO_WORD = "no word of the question is in any of these: they are only the nearest in meaning"


def lines(context: Context) -> Iterator[str]:
    """Yield the whole answer; a body is one item of several lines."""
    for part in context.parts:
        yield outline(part)
    for part in context.parts:
        if part.shown is not None:
            yield ""
            yield f"# {part.number} {place(part.symbol)}\n{part.shown.text}"
    if context.parts:
        yield ""
    yield last(context)


def outline(part: Part) -> str:
    """What is shown below has its signature there."""
    told = named(part.symbol) if part.shown is None else within_module(part.symbol)
    calls = " ".join(map(str, part.calls[:CALLS]))
    more = f" and {len(part.calls) - CALLS} more" if len(part.calls) > CALLS else ""
    return f"{part.number} {place(part.symbol)} {told}" + (f" -> {calls}{more}" if calls else "")


def last(context: Context) -> str:
    if not context.parts:
        return "nothing: no code among what may be shown shares a word or a meaning with the question"
    shown = [part.shown for part in context.parts if part.shown]
    whole = sum(one.is_whole for one in shown)
    told = "" if context.by_words else f"{NO_WORD}; "
    told += f"{len(context.parts)} of {context.total} candidates, {whole} with the whole body"
    if len(shown) > whole:
        told += f" and {len(shown) - whole} with a part of it"
    if context.left_out:
        names = _names(context)
        more = len(context.left_out) - len(names)
        told += f"; left out: {', '.join(names)}" + (f"{' and ' if names else ''}{more} more" if more > 0 else "")
    return told


def _names(context: Context) -> list[str]:
    room = context.budget * NAMES
    found: list[str] = []
    for symbol in context.left_out[:NAMED]:
        room -= tokens(f"{symbol.qualified_name}, ")
        if room < 0:
            break
        found.append(symbol.qualified_name)
    return found


def named(symbol: Symbol) -> str:
    """The signature under the name within the module, on one line."""
    head = " ".join(symbol.signature.split())
    _, found, rest = head.partition(symbol.name)
    told = within_module(symbol) + (rest if found else "")
    return told if len(told) <= LONGEST else f"{told[: LONGEST - 3]}..."


def within_module(symbol: Symbol) -> str:
    return symbol.qualified_name.removeprefix(f"{symbol.module}.")


def place(symbol: Symbol) -> str:
    return f"{symbol.path}:{symbol.span.start_line}-{symbol.span.end_line}"


def cost_of_outline(symbol: Symbol) -> int:
    """An estimate: with the signature, room for a number and a call or two."""
    return tokens(f"99 {place(symbol)} {named(symbol)} -> 99 99\n")


def cost_of_body(symbol: Symbol, text: str) -> int:
    return tokens(f"\n# 99 {place(symbol)}\n{text}\n")
