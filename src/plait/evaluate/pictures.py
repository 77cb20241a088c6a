"""Pictures of an evaluation: scores per topic in pairs, ranks of one topic in pairs; the sheet they are drawn on.

Each is laid out here, in points on one sheet without axes, because nothing in it is a measured scale except the bars.
Colours are Okabe and Ito's, which people tell apart whatever their colour vision; no colour says what a word, a weight
or a dash does not say too.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import pairwise, zip_longest
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from plait.errors import MissingExtra
from plait.evaluate.causes import Explanation, Movement, cause_text, movement_text
from plait.evaluate.compare import Comparison, Outcome, outcome_of
from plait.model import Ranking, SymbolId

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Figure

WIDTH = 600.0
"""Points: 800 px on a page."""
MARGIN = 10.0
TITLE, BODY, SMALL = 12.0, 9.0, 8.0
LINE = 10.5
HEAD = 6.0

ORANGE, SKY, GREEN, BLUE, VERMILION = "#e69f00", "#56b4e9", "#009e73", "#0072b2", "#d55e00"
INK, GREY, PALE, PAPER = "#1a1a1a", "#595959", "#b3b3b3", "#ffffff"
FLOW_TINT, RELEVANT_TINT, OTHER_TINT = "#dceefb", "#ffd98a", "#f2f2f2"

MOST_ROWS = 25

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
    could meet another picture's.
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
        element.attrib = {_plain(name): value for name, value in element.attrib.items() if name != "id"}
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
    """Inside, matplotlib has our style, whatever the user's is; afterwards the user's again."""
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
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(size=size, weight="bold" if bold else "normal")
    return float(text_to_path.get_text_width_height_descent(_clean(text), font, ismath=False)[0])


def fit(text: str, room: float, size: float, bold: bool = False) -> str:
    """Return the text, or as much of its beginning as fits, with an ellipsis."""
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


def _wrap(text: str, room: float, size: float, lines: int) -> list[str]:
    """Break at blanks into at most that many lines; what is too much is cut with an ellipsis."""
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


# Ranks of one topic


def rank_bump(
    explanation: Explanation, names: Mapping[SymbolId, str], labels: Mapping[str, str] | None = None
) -> Figure:
    """Draw how ranks move from A (left) to B (right) for the relevant symbols and the first k of either.

    Ranks between those shown are left out. Beside a symbol stands why it is missing, or what lifted it. `labels` holds
    shorter names of A and B.
    """
    with styled():
        return _rank_bump(explanation, names, labels or {})


def _rank_bump(explanation: Explanation, names: Mapping[SymbolId, str], labels: Mapping[str, str]) -> Figure:
    moves, k = explanation.movements, explanation.k
    room = 212.0
    left, right = MARGIN + room, WIDTH - MARGIN - room
    notes_a, notes_b = _reasons(explanation, names, room)
    cut_a, cut_b = _cut(explanation.ranking_a, k), _cut(explanation.ranking_b, k)
    at_a = {move.a: move.symbol for move in moves if move.a is not None}
    at_b = {move.b: move.symbol for move in moves if move.b is not None}
    absent_a = [move.symbol for move in moves if move.a is None]
    absent_b = [move.symbol for move in moves if move.b is None]

    def height(a: SymbolId | None, b: SymbolId | None) -> float:
        return 17 + LINE * max(len(notes_a[a]) if a else 0, len(notes_b[b]) if b else 0)

    y = 66.0
    middle: dict[int, float] = {}
    below: dict[int, float] = {}
    gaps: list[tuple[float, float]] = []
    before = 0
    for rank in [*sorted({*at_a, *at_b}), 10**9]:
        for edge in sorted({cut_a, cut_b}):
            if before <= edge < rank:
                below[edge] = y + 7
                y += 14
        if rank == 10**9:
            break
        if rank > before + 1:
            ends = ((left + 11, at_a), (right - 11, at_b))
            gaps += [(x, y + 4) for x, side in ends if any(place >= rank for place in side)]
            y += 10
        middle[rank] = y + 8.5
        y += height(at_a.get(rank), at_b.get(rank))
        before = rank
    band = y + 4
    places: list[float] = []
    if absent_a or absent_b:
        y = band + 22
        for a, b in zip_longest(absent_a, absent_b):
            places.append(y + 8.5)
            y += height(a, b)
    total = y + 30

    label_a, label_b = labels.get(explanation.a, explanation.a), labels.get(explanation.b, explanation.b)
    sheet = Sheet(WIDTH, total, f"Ranks for {explanation.topic.id}: {label_a} and {label_b}")
    sheet.title(f"{explanation.topic.id}  {explanation.topic.text}")
    sheet.text(left, 44, fit(label_a, room, BODY + 1, True), BODY + 1, bold=True, align="right")
    sheet.text(right, 44, fit(label_b, room, BODY + 1, True), BODY + 1, bold=True)
    sheet.curve([(MARGIN, 56), (WIDTH - MARGIN, 56)], PALE, 0.8)
    for x, gap in gaps:
        sheet.text(x, gap, "⋮", SMALL, GREY, align="center")
    told_a, told_b = (f"k = {k}" if edge == k else f"{edge} kept" for edge in (cut_a, cut_b))
    sheet.text(MARGIN, below[cut_a], told_a, SMALL, GREY)
    sheet.curve([(MARGIN + width_of(told_a, SMALL) + 6, below[cut_a]), (WIDTH / 2, below[cut_a])], INK, 1, True)
    end = WIDTH - MARGIN
    if cut_a != cut_b:
        sheet.text(end, below[cut_b], told_b, SMALL, GREY, align="right")
        end -= width_of(told_b, SMALL) + 6
    sheet.curve([(WIDTH / 2, below[cut_b]), (end, below[cut_b])], INK, 1, True)
    if places:
        sheet.box(MARGIN, band, WIDTH - 2 * MARGIN, total - 26 - band, OTHER_TINT)
        sheet.text(MARGIN + 6, band + 10, "not a candidate", SMALL, GREY, True)
    used: set[str] = set()
    for move in sorted(moves, key=lambda move: move.relevant):
        from_y = places[absent_a.index(move.symbol)] if move.a is None else middle[move.a]
        to_y = places[absent_b.index(move.symbol)] if move.b is None else middle[move.b]
        colour = _colour(move, cut_a, cut_b)
        used.add(colour)
        line, thick = (colour, 2.4) if move.relevant else (PALE, 1.0)
        sheet.curve([(left + 20, from_y), (right - 20, to_y)], line, thick, over=True)
        shown = fit(names[move.symbol], room, BODY, move.relevant)
        for x, y, place, notes, align in (
            (left, from_y, move.a, notes_a[move.symbol], "right"),
            (right, to_y, move.b, notes_b[move.symbol], "left"),
        ):
            sheet.text(x, y, shown, BODY, colour, move.relevant, align)
            sheet.text(x + (11 if align == "right" else -11), y, str(place or "–"), BODY, GREY, align="center")
            for number, note in enumerate(notes, start=1):
                sheet.text(x, y + 1 + LINE * number, note, SMALL, GREY, align=align)
    x = MARGIN
    for colour, text in (
        (VERMILION, "relevant, lost"),
        (GREEN, "relevant, won"),
        (BLUE, "relevant, in both or in neither"),
        (GREY, "not relevant"),
    ):
        if colour in used:
            strong = colour != GREY
            sheet.curve([(x, total - 11), (x + 18, total - 11)], colour if strong else PALE, 2.4 if strong else 1)
            x = sheet.key(x + 23, total - 11, text)
    return sheet.figure


def _reasons(
    explanation: Explanation, names: Mapping[SymbolId, str], room: float
) -> tuple[dict[SymbolId, list[str]], dict[SymbolId, list[str]]]:
    """Return for each symbol the lines under its name: why it is missing under A, and under B, or what raised it."""
    a: dict[SymbolId, list[str]] = {move.symbol: [] for move in explanation.movements}
    b = dict(a)
    for move in explanation.movements:
        # The text begins with the ranks, which stand beside the name.
        if _risen(move) and (why := movement_text(move, names).partition("; ")[2]):
            b[move.symbol] = _wrap(why, room, SMALL, 2)
    for notes, ranking, absent in (
        (a, explanation.ranking_a, explanation.missing_a),
        (b, explanation.ranking_b, explanation.missing_b),
    ):
        for gone in absent:
            notes[gone.symbol] = _wrap(cause_text(gone, ranking, explanation.k, names), room, SMALL, 3)
    return a, b


def _risen(move: Movement) -> bool:
    return move.b is not None and (move.a is None or move.b < move.a)


def _cut(ranking: Ranking, k: int) -> int:
    """After which rank among all scored the first k end."""
    kept, scored = len(ranking.candidates), len(ranking.pool or ranking.candidates)
    return k if kept >= min(k, scored) else kept


def _colour(move: Movement, cut_a: int, cut_b: int) -> str:
    if not move.relevant:
        return GREY
    under_a = move.a is not None and move.a <= cut_a
    under_b = move.b is not None and move.b <= cut_b
    return BLUE if under_a == under_b else VERMILION if under_a else GREEN


# Scores of all topics


def swap_bars(
    comparison: Comparison,
    scores_a: Mapping[str, float],
    scores_b: Mapping[str, float],
    explanations: Iterable[Explanation],
    names: Mapping[SymbolId, str],
    labels: Mapping[str, str] | None = None,
) -> Figure:
    """Draw every topic's score under A and under B, and for topics that differ who left the first k and who entered.

    With more than MOST_ROWS topics the ties are left out, then the smallest differences; the picture says so.
    """
    with styled():
        explained = {one.topic.id: one for one in explanations if (one.a, one.b) == (comparison.a, comparison.b)}
        return _swap_bars(comparison, scores_a, scores_b, explained, names, labels or {})


def _swap_bars(
    comparison: Comparison,
    scores_a: Mapping[str, float],
    scores_b: Mapping[str, float],
    explained: Mapping[str, Explanation],
    names: Mapping[SymbolId, str],
    labels: Mapping[str, str],
) -> Figure:
    topics = list(scores_a)
    if len(topics) > MOST_ROWS:
        largest = sorted(comparison.divergent, key=lambda topic: -abs(comparison.differences[topic]))[:MOST_ROWS]
        topics = [topic for topic in topics if topic in largest]
    left_out = len(scores_a) - len(topics)
    label_a, label_b = labels.get(comparison.a, comparison.a), labels.get(comparison.b, comparison.b)
    mean_a, mean_b = (sum(scores.values()) / max(len(scores), 1) for scores in (scores_a, scores_b))
    losses, wins, ties = (comparison.count(outcome) for outcome in (Outcome.LOSS, Outcome.WIN, Outcome.TIE))
    notes = {topic: _swap(explained[topic], names) if topic in explained else [] for topic in topics}
    strong = {topic: outcome_of(comparison.differences[topic]) is not Outcome.TIE for topic in topics}
    heights = {topic: 26 + LINE * max(len(notes[topic]), 1) if strong[topic] else 24 for topic in topics}

    start = MARGIN + min(max((width_of(topic, BODY, True) for topic in topics), default=0), 80) + 10
    length = 190.0
    note = start + length + 34
    room = WIDTH - MARGIN - note
    top, end = 84.0, 84.0 + sum(heights.values())
    sheet = Sheet(WIDTH, end + (20 if left_out else 6), f"{comparison.measure} of {label_a} and {label_b}, by topic")
    sheet.title(f"{comparison.measure}: mean {mean_a:.3f} under {label_a}, {mean_b:.3f} under {label_b}")
    hidden = "; the mean hides the swap" if wins and losses else ""
    sheet.text(
        MARGIN, 36, f"{losses} of {len(scores_a)} topics worse, {wins} better, {ties} the same{hidden}", BODY + 1
    )
    x = start
    for colour, text in ((SKY, label_a), (BLUE, label_b)):
        sheet.box(x, 52, 16, 8, colour)
        x = sheet.key(x + 21, 56, fit(text, 150, SMALL))
    for share, text in ((0.0, "0"), (0.5, ".5"), (1.0, "1")):
        x = start + share * length
        sheet.text(x, top - 10, text, SMALL, GREY, align="center")
        sheet.curve([(x, top - 3), (x, end)], "#e0e0e0", 0.8)
    y = top
    for topic in topics:
        thick, size = (10.0, BODY) if strong[topic] else (7.0, SMALL)
        name = fit(topic, 80, size, strong[topic])
        sheet.text(start - 8, y + thick, name, size, INK if strong[topic] else GREY, strong[topic], "right")
        for score, colour, weak, at in (
            (scores_a[topic], SKY, "#cfe6f5", y),
            (scores_b[topic], BLUE, "#a9c4d8", y + thick + 1),
        ):
            sheet.box(start, at, max(score * length, 1), thick, colour if strong[topic] else weak)
            if strong[topic]:
                sheet.text(start + score * length + 4, at + thick / 2, f"{score:.2f}", SMALL)
        if topic in explained and strong[topic]:
            sheet.text(note, y + 6, fit(explained[topic].topic.text, room, SMALL), SMALL, GREY)
            for number, (colour, relevant, others) in enumerate(notes[topic], start=1):
                at = y + 7 + (LINE + 0.5) * number
                shown = fit(relevant, room, BODY, True)
                sheet.text(note, at, shown, BODY, colour, True)
                used = width_of(shown, BODY, True) + 6 if shown else 0
                if others and room - used > 40:
                    sheet.text(note + used, at, fit(others, room - used, SMALL), SMALL, GREY)
        y += heights[topic]
    if left_out:
        sheet.text(MARGIN, end + 8, f"{left_out} topics with no or a smaller difference are not drawn", SMALL, GREY)
    return sheet.figure


def _swap(explanation: Explanation, names: Mapping[SymbolId, str]) -> list[tuple[str, str, str]]:
    """Return a colour, the relevant and the other symbols: of those that left, then of those that entered."""
    made: list[tuple[str, str, str]] = []
    for sign, colour, symbols in (("−", VERMILION, explanation.left), ("+", GREEN, explanation.entered)):
        relevant = [f"{sign}{names[symbol]}" for symbol in symbols if symbol in explanation.relevant]
        others = [f"{sign}{names[symbol]}" for symbol in symbols if symbol not in explanation.relevant]
        if symbols:
            made.append((colour, "  ".join(relevant), "  ".join(others)))
    return made or [(GREY, "", "the same functions in another order")]
