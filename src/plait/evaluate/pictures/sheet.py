"""The sheet that pictures are drawn on: measured text, boxes, curves; and how it becomes SVG or PNG.

Lengths are points, the origin is the top left. Nothing else in the package knows matplotlib. Colours are Okabe and
Ito's, which people tell apart whatever their colour vision; no colour says what a word, a weight or a dash does not say
too.
"""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from plait.errors import MissingExtra

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Figure

WIDTH = 600.0
"""Points: 800 px on a page."""
MARGIN = 10.0
"""Points that stay free at each side."""
TITLE, BODY, SMALL = 12.0, 9.0, 8.0
"""Font sizes in points."""
LINE = 10.5
"""Points from one line of small text to the next."""
HEAD = 6.0
"""Points from the tip of an arrow head to its back."""

ORANGE, SKY, GREEN, BLUE, VERMILION = "#e69f00", "#56b4e9", "#009e73", "#0072b2", "#d55e00"
INK, GREY, PALE, PAPER = "#1a1a1a", "#595959", "#b3b3b3", "#ffffff"
GRID, FAINT, WEAK_SKY, WEAK_BLUE = "#e0e0e0", "#8c8c8c", "#cfe6f5", "#a9c4d8"
FLOW_TINT, RELEVANT_TINT, OTHER_TINT = "#dceefb", "#ffd98a", "#f2f2f2"

DARK = {
    **{ORANGE: "#ffc04d", SKY: "#3f88b5", GREEN: "#5fd3ab", BLUE: "#9fd8ff", VERMILION: "#ffa066"},
    **{INK: "#e6e7e9", GREY: "#a5abb3", PALE: "#565c63", PAPER: "#16181b"},
    **{GRID: "#33383d", FAINT: "#7d848c", WEAK_SKY: "#24465a", WEAK_BLUE: "#3b5a70"},
    **{FLOW_TINT: "#17364a", RELEVANT_TINT: "#6b4f10", OTHER_TINT: "#262a2e"},
}
"""What each colour is where the page is dark. The paler of two stays the paler against the paper."""

_STYLE: dict[Any, Any] = {
    "font.family": ["sans-serif"],
    # DejaVu Sans comes with matplotlib and is what widths are measured in; the others are no wider.
    "font.sans-serif": ["DejaVu Sans", "Verdana", "Arial", "Helvetica"],
    "svg.fonttype": "none",
    "svg.hashsalt": "plait",
    "axes.unicode_minus": True,
}


def to_svg(figure: Figure) -> str:
    """Return one `<svg>` element to stand in an HTML page.

    It scales with the page, its text is text, its title is the figure's label, and it brings no id or style that
    could meet another picture's. Each colour is a variable of the page, `--p-1a1a1a`, with its value here if the page
    sets none (see DARK).
    """
    made = io.BytesIO()
    with styled():
        figure.savefig(made, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    root = ElementTree.fromstring(made.getvalue())
    for element in list(root):
        if _plain(element.tag) in ("metadata", "defs"):
            root.remove(element)
    for element in root.iter():
        element.tag = _plain(element.tag)
        # Nothing drawn here is clipped, a marker or a hatch, so nothing refers to an id.
        element.attrib = {_plain(name): _themed(value) for name, value in element.attrib.items() if name != "id"}
    wide = figure.get_figwidth() * 96
    root.attrib = {
        "xmlns": "http://www.w3.org/2000/svg",
        "viewBox": root.attrib["viewBox"],
        "role": "img",
        "style": f"width:100%;min-width:{wide * 0.9:.0f}px;max-width:{wide:.0f}px;"
        "stroke-linejoin:round;stroke-linecap:butt",
    }
    title = ElementTree.Element("title")
    title.text = str(figure.get_label())
    root.insert(0, title)
    return ElementTree.tostring(root, encoding="unicode")


def _themed(value: str) -> str:
    return re.sub("#([0-9a-f]{6})", r"var(--p-\1, #\1)", value)


def dark_variables() -> str:
    """Return what the style of a page says where it is dark."""
    return ";".join(f"--p-{colour[1:]}:{dark}" for colour, dark in DARK.items())


def to_png(figure: Figure) -> bytes:
    """Return the figure at 192 dots per inch."""
    made = io.BytesIO()
    with styled():
        figure.savefig(made, format="png", dpi=192, metadata={"Software": None})
    return made.getvalue()


def _plain(name: str) -> str:
    return name.rpartition("}")[2]


@contextmanager
def styled() -> Iterator[None]:
    """Inside, matplotlib has our style, whatever the user's is; afterwards the user's again.

    Whatever measures or draws stands inside; without matplotlib entering raises MissingExtra.
    """
    try:
        import matplotlib
    except ImportError as error:
        raise MissingExtra("the HTML report", "matplotlib", "report") from error
    with matplotlib.rc_context(), warnings.catch_warnings():
        # A name in a script that DejaVu Sans lacks is measured a little wrong; the page's reader has the font.
        warnings.filterwarnings("ignore", message="Glyph .* missing")
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_STYLE)
        yield


def _clean(text: str) -> str:
    """Without what may not stand in XML or would break a line."""
    return "".join(character if character.isprintable() else "\ufffd" for character in text)


def width_of(text: str, size: float, bold: bool = False) -> float:
    """Points that the text takes in DejaVu Sans of that size in points."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(size=size, weight="bold" if bold else "normal")
    return float(text_to_path.get_text_width_height_descent(_clean(text), font, ismath=False)[0])


def fit(text: str, room: float, size: float, bold: bool = False) -> str:
    """Return the text, or as much of its beginning as fits into `room` points, with an ellipsis."""
    text = _clean(text)
    if width_of(text, size, bold) <= room:
        return text
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if width_of(text[:middle].rstrip() + "…", size, bold) <= room:
            low = middle
        else:
            high = middle - 1
    return text[:low].rstrip(" ,;") + "…"


def wrap(text: str, room: float, size: float, lines: int) -> list[str]:
    """Break at blanks into at most that many lines of `room` points, top first; what is too much is cut with "…"."""
    made: list[str] = []
    words = _clean(text).split(" ")
    while words:
        if len(made) == lines - 1:
            made.append(fit(" ".join(words), room, size))
            break
        count = 1
        while count < len(words) and width_of(" ".join(words[: count + 1]), size) <= room:
            count += 1
        made.append(fit(" ".join(words[:count]), room, size))
        words = words[count:]
    return made


class Sheet:
    """A drawing area in points, the origin at the top left."""

    def __init__(self, width: float, height: float, label: str) -> None:
        from matplotlib.figure import Figure

        self.width = width
        self.figure = Figure(figsize=(width / 72, height / 72), facecolor=PAPER)
        self.figure.set_label(_clean(label))
        self.axes: Axes = self.figure.add_axes((0, 0, 1, 1))
        self.axes.set_xlim(0, width)
        self.axes.set_ylim(height, 0)
        self.axes.set_axis_off()

    def title(self, text: str) -> None:
        self.text(MARGIN, 16, fit(text, self.width - 2 * MARGIN, TITLE, True), TITLE, bold=True)

    def key(self, x: float, y: float, text: str) -> float:
        """Write a word of a legend; return where the next entry begins."""
        self.text(x, y, text, SMALL, GREY)
        return x + width_of(text, SMALL) + 18

    def text(
        self,
        x: float,
        y: float,
        text: str,
        size: float = BODY,
        colour: str = INK,
        bold: bool = False,
        align: str = "left",
    ) -> None:
        """Write one line whose middle is at y."""
        weight = "bold" if bold else "normal"
        style: dict[str, Any] = {
            "fontsize": size,
            "color": colour,
            "fontweight": weight,
            "ha": align,
            "va": "center_baseline",
        }
        self.axes.text(x, y, _clean(text), parse_math=False, **style)

    def box(
        self, x: float, y: float, width: float, height: float, fill: str, line: str | None = None, thick: float = 1
    ) -> None:
        """Draw a rectangle, rounded if it has a line around it."""
        from matplotlib.patches import FancyBboxPatch

        corner = "round,pad=0,rounding_size=4" if line else "square,pad=0"
        style: dict[str, Any] = {
            "facecolor": fill,
            "edgecolor": line or "none",
            "linewidth": thick,
            "clip_on": False,
            "zorder": 3,
        }
        self.axes.add_patch(FancyBboxPatch((x, y), width, height, corner, **style))

    def curve(
        self,
        points: Sequence[tuple[float, float]],
        colour: str,
        thick: float,
        dashed: bool = False,
        over: bool = False,
    ) -> None:
        """Draw through the points, level at each of them; over the boxes or under them."""
        from matplotlib.patches import PathPatch
        from matplotlib.path import Path

        vertices, codes = [points[0]], [Path.MOVETO]
        for (x0, y0), (x1, y1) in pairwise(points):
            middle = (x0 + x1) / 2
            vertices += [(x1, y1)] if y0 == y1 else [(middle, y0), (middle, y1), (x1, y1)]
            codes += [Path.LINETO] if y0 == y1 else [Path.CURVE4] * 3
        style = {"edgecolor": colour, "linewidth": thick, "linestyle": (0, (4, 2.5)) if dashed else "-"}
        path = Path(vertices, codes)
        self.axes.add_patch(PathPatch(path, facecolor="none", clip_on=False, zorder=4 if over else 2, **style))

    def head(self, x: float, y: float, colour: str, leftwards: bool = False) -> None:
        """Draw an arrow head whose tip is there."""
        from matplotlib.patches import Polygon

        back = x + HEAD if leftwards else x - HEAD
        corners = [(x, y), (back, y - 2.6), (back, y + 2.6)]
        self.axes.add_patch(Polygon(corners, facecolor=colour, linewidth=0, clip_on=False, zorder=4))
