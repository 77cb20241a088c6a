"""What asyncio does with the coroutines that are given to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plait.graph.calls import Call

if TYPE_CHECKING:
    from plait.graph.flow import Flow

_RUN = ("run", "run_until_complete")
_PASS = ("create_task", "ensure_future", "shield", "wait_for", "run_coroutine_threadsafe")
"""Their result gives, when it is awaited or asked for, what the coroutine gives."""


def called(flow: Flow, name: str, call: Call) -> bool:
    """Let a call of asyncio's function or of a method of its objects act; return whether the name is one of these."""
    first = call.positional[0] if call.positional else -1
    if name in _RUN:
        flow.watch(first, "await", call.result, call.at)
    elif name in _PASS:
        flow.copy(first, call.result)
    elif name == "gather":
        _gathered(flow, call)
    elif name == "as_completed":
        flow.copy(first, call.result)
    else:
        return False
    return True


def _gathered(flow: Flow, call: Call) -> None:
    made, result = flow.container("list"), flow.node()
    flow.add(result, made)
    for place, node in enumerate(call.positional):
        element = flow.node()
        flow.watch(node, "await", element, call.at)
        flow.put(made, None if call.spread else place, element)
    for node in call.spread:
        given, element = flow.node(), flow.node()
        flow.watch(node, "each", given, call.at)
        flow.watch(given, "await", element, call.at)
        flow.put(made, None, element)
    flow.add(call.result, flow.coroutine(result))
