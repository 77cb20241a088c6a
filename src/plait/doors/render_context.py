"""A context as JSON; its lines of text are `plait.context.lines`."""

from __future__ import annotations

from plait.context import Context, lines, tokens
from plait.doors.render import Json, symbol_json


def context_json(context: Context) -> Json:
    return {
        "schema": "plait.context.v1",
        "query": context.query,
        "strategy": context.strategy,
        "state": context.state,
        "budget": context.budget,
        "tokens": tokens("\n".join(lines(context))),
        "total": context.total,
        "functions": [
            symbol_json(part.symbol)
            | {
                "number": part.number,
                "rank": part.rank,
                "score": part.score,
                "signature": part.symbol.signature,
                "calls": [*part.calls],
                "text": part.shown.text if part.shown else None,
                "is_whole": part.shown is not None and part.shown.is_whole,
            }
            for part in context.parts
        ],
        "left_out_total": len(context.left_out),
        "left_out": [symbol_json(symbol) for symbol in context.left_out],
    }
