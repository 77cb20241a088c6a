"""Draw every curve of the additive model, as it stands in `curves.json`: one picture, which needs no library.

    python benchmarks/curves.py docs/curves.svg

Each panel is a column of `plait.retrieve.features`: across what the column says of a candidate, up what that is worth
in the score. All panels have one scale upwards, so that heights can be compared; across each begins at 0.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from plait.retrieve.curves import curves
from plait.retrieve.features import GROUPS

ACROSS, WIDE, HIGH = 4, 210, 130
LEFT, TOP, RIGHT, BELOW = 34, 28, 10, 18
"""of a panel, around what is drawn"""
SHARES_TO = 1.0
"""Most columns are shares; the others end a little beyond their last step."""


def main() -> None:
    learned = curves()
    names = [name for columns in GROUPS.values() for name in columns if name in learned]
    group = {name: str(source) for source, columns in GROUPS.items() for name in columns}
    least = min(float(curve.values.min()) for curve in learned.values())
    most = max(float(curve.values.max()) for curve in learned.values())
    rows = -(-len(names) // ACROSS)
    width, height = ACROSS * WIDE, rows * HIGH
    drawn = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif"',
        'font-size="9">',
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
    ]
    for place, name in enumerate(names):
        x, y = place % ACROSS * WIDE + LEFT, place // ACROSS * HIGH + TOP
        wide, high = WIDE - LEFT - RIGHT, HIGH - TOP - BELOW
        curve = learned[name]
        last = float(curve.ends[-1])
        end = SHARES_TO if last < SHARES_TO else last * 1.2

        def across(value: float, x: float = x, wide: float = wide, end: float = end) -> str:
            return f"{x + wide * value / end:.1f}"

        def up(value: float, y: float = y, high: float = high) -> str:
            return f"{y + high * (most - value) / (most - least):.1f}"

        edges = [0.0, *np.clip(curve.ends, 0, end).tolist(), end]
        path = f"M{across(0)},{up(float(curve.values[0]))}"
        for value, after in zip(curve.values.tolist(), edges[1:], strict=True):
            path += f"V{up(value)}H{across(after)}"
        drawn += [
            f'<text x="{x}" y="{y - 12}" font-size="11" font-weight="bold">{name}'
            f'<tspan fill="#777" font-weight="normal"> ({group[name]})</tspan></text>',
            f'<path d="M{x},{up(0)}H{x + wide}" stroke="#ccc"/>',
            f'<path d="M{x},{y}V{y + high}" stroke="#ccc"/>',
            f'<path d="{path}" fill="none" stroke="#0b6e99" stroke-width="1.6"/>',
            *(
                f'<text x="{x - 4}" y="{float(up(value)) + 3:.1f}" text-anchor="end" fill="#777">{value:+.1f}</text>'
                for value in (least, most)
            ),
            f'<text x="{x - 4}" y="{float(up(0)) + 3:.1f}" text-anchor="end" fill="#777">0</text>',
            f'<text x="{x + wide}" y="{y + high + 11}" text-anchor="end" fill="#777">{end:.3g}</text>',
        ]
    drawn.append("</svg>")
    Path(sys.argv[1]).write_text("\n".join(drawn) + "\n")


if __name__ == "__main__":
    main()
