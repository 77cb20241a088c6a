"""What to call symbols and strategies where there is little room."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from plait.evaluate.compare import Comparison
from plait.evaluate.judge import Evaluation
from plait.model import Symbol, SymbolId, SymbolKind


class _Names(dict[SymbolId, str]):
    def __missing__(self, symbol: SymbolId) -> str:
        return symbol


def short_names(symbols: Iterable[Symbol]) -> dict[SymbolId, str]:
    """Name each symbol by the shortest end of its qualified name that no other has.

    A method keeps its class and a module its whole name; where even whole names are equal, the line is added. What
    another tool found and is none of the symbols is called as that tool calls it.
    """
    everything = list(symbols)
    whole = Counter(symbol.qualified_name for symbol in everything)
    ends = Counter(end for name in whole for end in _ends(name))
    names = _Names()
    for symbol in everything:
        match symbol.kind:
            case SymbolKind.MODULE:
                least = symbol.qualified_name.count(".")
            case SymbolKind.METHOD:
                least = 1
            case _:
                least = 0
        choices = _ends(symbol.qualified_name)[least:]
        name = next((end for end in choices if ends[end] == 1), symbol.qualified_name)
        again = whole[symbol.qualified_name] > 1
        names[symbol.id] = f"{name} ({symbol.path}:{symbol.span.start_line})" if again else name
    return names


def _ends(name: str) -> list[str]:
    """`a.b.c` ends in `c`, `b.c` and `a.b.c`."""
    parts = name.split(".")
    return [".".join(parts[-length:]) for length in range(1, len(parts) + 1)]


def short_labels(labels: Sequence[str]) -> dict[str, str]:
    """Call `naive(seeds=3, hops=2, k=5)` just `naive`; of several naive ones, say only what differs."""
    made: dict[str, str] = {}
    for label in labels:
        name, own = _parts(label)
        others = [set(_parts(other)[1]) for other in labels if other != label and _parts(other)[0] == name]
        told = [parameter for parameter in own if not all(parameter in other for other in others)]
        made[label] = name if not others else f"{name}({', '.join(told)})" if told else label
    return made


def pair_name(evaluation: Evaluation, one: Comparison, labels: Mapping[str, str]) -> str:
    """Call a pair by its second label alone if the first is the one that all are compared with."""
    if evaluation.controls.get(one.b) == one.a:
        return f"{labels[one.b]} against its placebo"
    return labels[one.b] if one.a == evaluation.labels[0] else f"{labels[one.b]} against {labels[one.a]}"


def _parts(label: str) -> tuple[str, list[str]]:
    """Split a description into its name and its parameters."""
    name, _, rest = label.partition("(")
    return name, rest.removesuffix(")").split(", ") if rest else []
