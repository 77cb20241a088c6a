"""What the speed benchmark makes of its measurements: quantiles, the table and the bars."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

CPU_SECONDS, SECONDS, BYTES, MILLISECONDS, CPU_MILLISECONDS = "CPU s", "s", "MB", "ms", "CPU ms"


def quantiles(values: Sequence[float]) -> tuple[float, float]:
    """Return the median and the 99th percentile, each a value that occurred (the nearest rank)."""
    ordered = sorted(values)
    return tuple(ordered[min(len(ordered) * part // 100, len(ordered) - 1)] for part in (50, 99))  # type: ignore[return-value]


@dataclass(frozen=True, slots=True)
class Row:
    """One measure of one corpus by each tool that has it."""

    measure: str
    unit: str
    of: Mapping[str, float]


@dataclass(slots=True)
class Measured:
    corpus: str
    files: int = 0
    functions: int = 0
    chunks: int = 0
    """of semble"""
    rows: list[Row] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def value(self, measure: str, unit: str, tool: str = "plait") -> float | None:
        found = (row.of.get(tool) for row in self.rows if (row.measure, row.unit) == (measure, unit))
        return next(found, None)


@dataclass(frozen=True, slots=True)
class Bar:
    """What plait must reach at a size; a corpus counts from a tenth of that size to a tenth above it."""

    measure: str
    unit: str
    limit: float
    functions: int = 0
    files: int = 0
    times_semble: bool = False
    """the limit is a multiple of semble's figure"""

    def applies(self, one: Measured) -> bool:
        sizes = ((one.functions, self.functions), (one.files, self.files))
        return all(not wanted or wanted <= 10 * size <= 11 * wanted for size, wanted in sizes)

    def judged(self, one: Measured) -> str | None:
        """Return the line of a corpus; None if the bar does not apply or something was not measured."""
        value, peer = one.value(self.measure, self.unit), one.value(self.measure, self.unit, "semble")
        if not self.applies(one) or value is None or (self.times_semble and not peer):
            return None
        figure, unit = (value / peer, "x semble") if self.times_semble and peer else (value, self.unit)
        outcome = "met    " if figure < self.limit or (self.times_semble and figure == self.limit) else "NOT MET"
        return f"{outcome}  {one.corpus:<18}{self.measure:<34}{figure:>10,.2f} {unit:<9} bar {self.limit:,.0f} {unit}"


BARS = (
    Bar("cold index, searchable", SECONDS, 2, times_semble=True),
    Bar("cold index, searchable", CPU_SECONDS, 2, times_semble=True),
    Bar("first answer, whole process", CPU_MILLISECONDS, 300, functions=100_000),
    Bar("warm additive p50", MILLISECONDS, 5, functions=10_000),
    Bar("warm additive p50", MILLISECONDS, 15, functions=100_000),
    Bar("no change, in process", MILLISECONDS, 100, files=5_000),
    Bar("one-file refresh, in process", MILLISECONDS, 150, functions=100_000),
    Bar("cold index, searchable", BYTES, 3_000, functions=1_000_000),
    Bar("cold index, flow followed", BYTES, 3_000, functions=1_000_000),
)
"""Of the issue that asks for the index. Two cores."""


def table(one: Measured, tools: Sequence[str]) -> Iterator[str]:
    peers = [tool for tool in tools if tool != "plait"]
    size = f"{one.functions:,} functions in {one.files:,} files" if one.functions else "plait reads none of its files"
    yield f"{one.corpus}: {size}{f'; semble: {one.chunks:,} chunks' if one.chunks else ''}"
    ratios = "".join(f"{f'plait/{peer}':>14}" for peer in peers)
    yield f"  {'':<34}{'':<8}{''.join(f'{tool:>12}' for tool in tools)}{ratios}"
    for row in one.rows:
        figures = "".join(f"{row.of[tool]:>12,.1f}" if tool in row.of else f"{'-':>12}" for tool in tools)
        compared = "".join(f"{_ratio(row.of.get('plait'), row.of.get(peer)):>14}" for peer in peers)
        yield f"  {row.measure:<34}{row.unit:<8}{figures}{compared}"
    for note in one.notes:
        yield f"  note: {note}"


def _ratio(value: float | None, peer: float | None) -> str:
    return "-" if value is None or not peer else f"{value / peer:,.2f}"


def bars(measured: Sequence[Measured]) -> Iterator[str]:
    for bar in BARS:
        lines = [line for line in (bar.judged(one) for one in measured) if line]
        where = f"{bar.functions:,} functions" if bar.functions else f"{bar.files:,} files" if bar.files else "any size"
        yield from lines or [f"unknown  {'':<18}{bar.measure:<34}no corpus of {where} measured"]
