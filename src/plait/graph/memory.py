"""Memory for questions that can depend on one another, and on themselves."""

from __future__ import annotations

from collections.abc import Callable, Hashable

from plait.graph.values import Opaque, Values

MAX_DEPTH = 24
"""Questions that may wait for one another; a longer chain of aliases or returns counts as unknown."""

_TOO_DEEP = -1


class Memory:
    """Answers by question, with questions that depend on themselves cut at the repetition.

    An answer found while a question further out was still open, and that met it, is kept only until that one is
    answered: asked alone it could be fuller.
    """

    def __init__(self) -> None:
        self._known: dict[Hashable, Values] = {}
        self._provisional: dict[Hashable, tuple[Values, int]] = {}
        self._open: dict[Hashable, int] = {}
        self._met = MAX_DEPTH + 1
        """the outermost open question that was met since the one now answered began"""

    def cut(self) -> None:
        """Say that the question now answered was not followed to its end."""
        self._met = _TOO_DEEP

    def once(self, question: Hashable, compute: Callable[[], Values]) -> Values:
        known = self._known.get(question)
        if known is not None:
            return known
        if question in self._open:
            self._met = min(self._met, self._open[question])
            return ()
        if question in self._provisional:
            values, met = self._provisional[question]
            self._met = min(self._met, met)
            return values
        depth = len(self._open)
        if depth >= MAX_DEPTH:
            self.cut()
            return (Opaque(),)
        before, self._met = self._met, MAX_DEPTH + 1
        self._open[question] = depth
        try:
            values = compute()
        finally:
            del self._open[question]
        if self._met >= depth:
            self._known[question] = values
            self._provisional = {key: one for key, one in self._provisional.items() if one[1] < depth}
            self._met = before
        else:
            self._provisional[question] = (values, self._met)
            self._met = min(before, self._met)
        if not self._open:
            self._provisional.clear()
            self._met = MAX_DEPTH + 1
        return values
