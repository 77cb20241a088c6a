"""Three pictures of an evaluation: a module's call graph, scores per topic in pairs, ranks of one topic in pairs.

Each is laid out here, in points on one sheet without axes, because nothing in it is a measured scale except the bars.
Colours are Okabe and Ito's, which people tell apart whatever their colour vision; no colour says what a word, a weight
or a dash does not say too.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise, zip_longest
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from plait.errors import MissingExtra
from plait.evaluate.causes import Explanation, Movement, cause_text, movement_text
from plait.evaluate.compare import Comparison, Outcome, outcome_of
from plait.graph.analyse import flows, layers
from plait.model import Edge, EdgeKind, Evidence, Ranking, Symbol, SymbolId, SymbolKind

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH = 600.0
"""Points: 800 px on a page."""
MARGIN = 10.0
TITLE, BODY, SMALL = 12.0, 9.0, 8.0
LINE = 10.5
HEAD = 6.0

ORANGE, SKY, GREEN, BLUE, VERMILION = "#e69f00", "#56b4e9", "#009e73", "#0072b2", "#d55e00"
INK, GREY, PALE, PAPER = "#1a1a1a", "#595959", "#b3b3b3", "#ffffff"
FLOW_TINT, RELEVANT_TINT, OTHER_TINT = "#dceefb", "#ffd98a", "#f2f2f2"

MOST_BOXES = 30
MOST_AROUND = 12
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
    with _matplotlib():
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
        "style": f"width:100%;min-width:{wide * 0.7:.0f}px;max-width:{wide:.0f}px;"
        "stroke-linejoin:round;stroke-linecap:butt",
    }
    title = ElementTree.Element("title")
    title.text = str(figure.get_label())
    root.insert(0, title)
    return ElementTree.tostring(root, encoding="unicode")


def to_png(figure: Figure) -> bytes:
    """Return the figure at 192 dots per inch."""
    made = io.BytesIO()
    with _matplotlib():
        figure.savefig(made, format="png", dpi=192, metadata={"Software": None})
    return made.getvalue()


def _plain(name: str) -> str:
    return name.rpartition("}")[2]


@contextmanager
def _matplotlib() -> Iterator[None]:
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


def _width(text: str, size: float, bold: bool = False) -> float:
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(size=size, weight="bold" if bold else "normal")
    return float(text_to_path.get_text_width_height_descent(_clean(text), font, ismath=False)[0])


def _fit(text: str, room: float, size: float, bold: bool = False) -> str:
    """Return the text, or as much of its beginning as fits, with an ellipsis."""
    text = _clean(text)
    if _width(text, size, bold) <= room:
        return text
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if _width(text[:middle].rstrip() + "…", size, bold) <= room:
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
            made.append(_fit(" ".join(words), room, size))
            break
        count = 1
        while count < len(words) and _width(" ".join(words[: count + 1]), size) <= room:
            count += 1
        made.append(_fit(" ".join(words[:count]), room, size))
        words = words[count:]
    return made


def _figure(value: float) -> str:
    return f"{value:.3f}"


class _Sheet:
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
        self.text(MARGIN, 16, _fit(text, self.width - 2 * MARGIN, TITLE, True), TITLE, bold=True)

    def key(self, x: float, y: float, text: str) -> float:
        """Write a word of a legend; return where the next entry begins."""
        self.text(x, y, text, SMALL, GREY)
        return x + _width(text, SMALL) + 18

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
        style = {"fontsize": size, "color": colour, "fontweight": weight, "ha": align, "va": "center_baseline"}
        self.axes.text(x, y, _clean(text), parse_math=False, **style)

    def box(
        self, x: float, y: float, width: float, height: float, fill: str, line: str | None = None, thick: float = 1
    ) -> None:
        """Draw a rectangle, rounded if it has a line around it."""
        from matplotlib.patches import BoxStyle, FancyBboxPatch

        corner = BoxStyle("Round", pad=0, rounding_size=4) if line else BoxStyle("Square", pad=0)
        style = {"facecolor": fill, "edgecolor": line or "none", "linewidth": thick, "clip_on": False, "zorder": 3}
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
    with _matplotlib():
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
    gaps: list[float] = []
    before = 0
    for rank in [*sorted({*at_a, *at_b}), 10**9]:
        for edge in sorted({cut_a, cut_b}):
            if before <= edge < rank:
                below[edge] = y + 7
                y += 14
        if rank == 10**9:
            break
        if rank > before + 1:
            gaps.append(y + 4)
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
    sheet = _Sheet(WIDTH, total, f"Ranks for {explanation.topic.id}: {label_a} and {label_b}")
    sheet.title(f"{explanation.topic.id}  {explanation.topic.text}")
    sheet.text(left, 44, _fit(label_a, room, BODY + 1, True), BODY + 1, bold=True, align="right")
    sheet.text(right, 44, _fit(label_b, room, BODY + 1, True), BODY + 1, bold=True)
    sheet.curve([(MARGIN, 56), (WIDTH - MARGIN, 56)], PALE, 0.8)
    for gap in gaps:
        sheet.text(left + 11, gap, "⋮", SMALL, GREY, align="center")
        sheet.text(right - 11, gap, "⋮", SMALL, GREY, align="center")
    told_a, told_b = (f"k = {k}" if edge == k else f"{edge} kept" for edge in (cut_a, cut_b))
    sheet.text(MARGIN, below[cut_a], told_a, SMALL, GREY)
    sheet.curve([(MARGIN + _width(told_a, SMALL) + 6, below[cut_a]), (WIDTH / 2, below[cut_a])], INK, 1, True)
    end = WIDTH - MARGIN
    if cut_a != cut_b:
        sheet.text(end, below[cut_b], told_b, SMALL, GREY, align="right")
        end -= _width(told_b, SMALL) + 6
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
        shown = _fit(names[move.symbol], room, BODY, move.relevant)
        for x, y, rank, notes, align in (
            (left, from_y, move.a, notes_a[move.symbol], "right"),
            (right, to_y, move.b, notes_b[move.symbol], "left"),
        ):
            sheet.text(x, y, shown, BODY, colour, move.relevant, align)
            sheet.text(x + (11 if align == "right" else -11), y, str(rank or "–"), BODY, GREY, align="center")
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
    with _matplotlib():
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
    label_a, label_b = labels.get(comparison.a, comparison.a), labels.get(comparison.b, comparison.b)
    start = MARGIN + min(max((_width(topic, BODY, True) for topic in topics), default=0), 80) + 10
    length = 190.0
    note = start + length + 34
    room = WIDTH - MARGIN - note
    differs = {topic: outcome_of(comparison.differences[topic]) is not Outcome.TIE for topic in topics}
    notes = {topic: _swap(explained[topic], names) if topic in explained else [] for topic in topics}
    heights = {topic: 24 + 11 * len(notes[topic]) if differs[topic] else 20 for topic in topics}
    heights = {topic: max(height, 32) if differs[topic] else height for topic, height in heights.items()}
    top = 78.0
    left_out = len(scores_a) - len(topics)
    total = top + sum(heights.values()) + 6 * len(topics) + (18 if left_out else 4) + 4

    sheet = _Sheet(WIDTH, total, f"{comparison.measure} of {label_a} and {label_b} for every topic")
    mean_a = sum(scores_a.values()) / len(scores_a) if scores_a else 0.0
    mean_b = sum(scores_b.values()) / len(scores_b) if scores_b else 0.0
    wins, ties, losses = (comparison.count(outcome) for outcome in Outcome)
    title = f"{comparison.measure}: mean {_figure(mean_a)} under {label_a}, {_figure(mean_b)} under {label_b}"
    hidden = "; the mean hides the swap" if wins and losses else ""
    sheet.text(MARGIN, 16, _fit(title, WIDTH - 2 * MARGIN, TITLE, True), TITLE, bold=True)
    sheet.text(
        MARGIN, 36, f"{losses} of {len(scores_a)} topics worse, {wins} better, {ties} the same{hidden}", BODY + 1
    )
    x = start
    for colour, text in ((SKY, label_a), (BLUE, label_b)):
        shown = _fit(text, 150, BODY)
        sheet.box(x, 52, 16, 8, colour)
        sheet.text(x + 21, 56, shown, BODY)
        x += 21 + _width(shown, BODY) + 18
    y = top
    for share in (0.0, 0.5, 1.0):
        sheet.curve(
            [
                (start + share * length, top - 6),
                (start + share * length, top - 6 + sum(heights.values()) + 6 * len(topics)),
            ],
            "#e0e0e0",
            0.8,
            zorder=1,
        )
    for topic in topics:
        strong = differs[topic]
        sheet.text(
            start - 8,
            y + (10.5 if strong else 7.5),
            _fit(topic, 80, BODY, strong),
            BODY,
            INK if strong else GREY,
            strong,
            "right",
        )
        for number, (score, colour, weak) in enumerate(
            ((scores_a[topic], SKY, "#cfe6f5"), (scores_b[topic], BLUE, "#a9c4d8"))
        ):
            thick = 10 if strong else 7
            place = y + number * (thick + 1)
            sheet.box(start, place, max(score * length, 1), thick, colour if strong else weak)
            if strong:
                sheet.text(start + score * length + 4, place + thick / 2, f"{score:.2f}", SMALL, INK)
        text = explained[topic].topic.text if topic in explained else ""
        if strong:
            sheet.text(note, y + 6, _fit(text, room, SMALL), SMALL, GREY)
            for number, (sign, strongly, weakly) in enumerate(notes[topic]):
                at = y + 18 + 11 * number
                colour = VERMILION if sign == "−" else GREEN
                bold = _fit(strongly, room, BODY, True)
                sheet.text(note, at, bold, BODY, colour, True)
                used = _width(bold, BODY, True) + (5 if bold else 0)
                if weakly and room - used > 40:
                    sheet.text(note + used, at, _fit(weakly, room - used, SMALL), SMALL, GREY)
        y += heights[topic] + 6
    if left_out:
        sheet.text(MARGIN, total - 12, f"{left_out} topics with no or a smaller difference are not drawn", SMALL, GREY)
    return sheet.figure


def _swap(explanation: Explanation, names: Mapping[SymbolId, str]) -> list[tuple[str, str, str]]:
    """Return the sign, the relevant and the other symbols that left and that entered."""
    made: list[tuple[str, str, str]] = []
    for sign, symbols in (("−", explanation.left), ("+", explanation.entered)):
        if symbols:
            relevant = [f"{sign}{names[symbol]}" for symbol in symbols if symbol in explanation.relevant]
            others = [f"{sign}{names[symbol]}" for symbol in symbols if symbol not in explanation.relevant]
            made.append((sign, "  ".join(relevant), "  ".join(others)))
    return made or [("=", "", "the same functions in another order")]


# The call graph of a module


@dataclass(slots=True)
class _Node:
    """A box, or a bend of an edge that crosses a layer."""

    symbol: SymbolId | None
    layer: int
    width: float
    height: float
    y: float = 0.0
    before: list[int] = field(default_factory=list)
    after: list[int] = field(default_factory=list)


def call_graph(
    module: str,
    symbols: Sequence[Symbol],
    edges: Sequence[Edge],
    names: Mapping[SymbolId, str],
    relevant: Collection[SymbolId] = (),
    asked: str = "",
) -> Figure:
    """Draw who calls whom in a module and at its border, from left to right.

    The part of the module that hangs together by calls and holds most of the relevant symbols (without relevant ones:
    the biggest) is marked as the flow. `symbols` and `edges` may be those of the whole repository; `asked` is the
    topic for the title.
    """
    with _matplotlib():
        return _call_graph(module, symbols, edges, names, relevant, asked)


def _call_graph(
    module: str,
    symbols: Sequence[Symbol],
    edges: Sequence[Edge],
    names: Mapping[SymbolId, str],
    relevant: Collection[SymbolId],
    asked: str,
) -> Figure:
    functions = {
        symbol.id: symbol
        for symbol in symbols
        if symbol.kind in (SymbolKind.FUNCTION, SymbolKind.METHOD) and (symbol.module == module or not symbol.is_test)
    }
    own = [symbol.id for symbol in functions.values() if symbol.module == module]
    inside = set(own)
    calls = [e for e in edges if e.kind is EdgeKind.CALLS and e.source in functions and e.target in functions]
    found = flows(edge for edge in calls if edge.source in inside and edge.target in inside)
    flow = set(max(found, key=lambda one: sum(s in relevant for s in one.symbols)).symbols) if found else set()
    touching = [
        edge for edge in calls if (edge.source in inside or edge.target in inside) and edge.source != edge.target
    ]
    first = [s for s in own if s in flow or s in relevant] + [s for s in own if s not in flow and s not in relevant]
    around = dict.fromkeys(
        end
        for edge in sorted(touching, key=lambda e: (not flow.intersection((e.source, e.target)), e.source, e.target))
        for end in (edge.source, edge.target)
        if end not in inside
    )
    everything = [*first, *around]
    drawn = {*first[:MOST_BOXES], *list(around)[:MOST_AROUND]}
    evidence: dict[tuple[SymbolId, SymbolId], Evidence] = {}
    for edge in touching:
        if edge.source in drawn and edge.target in drawn:
            pair = (edge.source, edge.target)
            evidence[pair] = max(edge.evidence, evidence.get(pair, edge.evidence))
    linked = {end for pair in evidence for end in pair}
    alone = [symbol for symbol in own if symbol in drawn and symbol not in linked]

    def label(symbol: SymbolId) -> str:
        return _fit(names[symbol], 150, BODY, symbol in relevant)

    def size(symbol: SymbolId) -> tuple[float, float]:
        other = "" if symbol in inside else _fit(functions[symbol].module, 150, SMALL)
        return max(
            _width(label(symbol), BODY, symbol in relevant), _width(other, SMALL)
        ) + 16, 24 if symbol in inside else 31

    nodes, routes = _place(
        {symbol: size(symbol) for symbol in everything if symbol in linked},
        _layer(linked, [edge for edge in touching if (edge.source, edge.target) in evidence]),
        evidence,
    )
    columns = max((node.layer for node in nodes), default=-1) + 1
    wide = [max((n.width for n in nodes if n.layer == layer), default=0.0) for layer in range(columns)]
    gap = max(44.0, (WIDTH - 2 * MARGIN - sum(wide)) / max(columns - 1, 1)) if columns > 1 else 0
    gap = min(gap, 110.0)
    width = max(WIDTH, 2 * MARGIN + sum(wide) + gap * (columns - 1))
    x_of = [MARGIN + sum(wide[:layer]) + gap * layer for layer in range(columns)]
    top = 62.0
    low = min((node.y - node.height / 2 for node in nodes), default=0.0)
    for node in nodes:
        node.y += top - low
    y = max((node.y + node.height / 2 for node in nodes), default=top - 12) + 22

    rows: list[list[tuple[SymbolId, float, float]]] = []
    x = width
    for symbol in alone:
        box = _width(label(symbol), BODY, symbol in relevant) + 16
        if x + box > width - MARGIN:
            rows.append([])
            x = MARGIN
        rows[-1].append((symbol, x, box))
        x += box + 10
    alone_top = y
    if rows:
        y += 18 + 32 * len(rows) + 6
    left_out = len(everything) - len(drawn)
    total = y + 26 + (16 if left_out else 0)

    sheet = _Sheet(width, total, f"Call graph of {module}")
    sheet.text(MARGIN, 16, f"Calls in {_fit(module, 300, TITLE, True)}", TITLE, bold=True)
    sheet.text(MARGIN, 36, _fit(asked, width - 2 * MARGIN, BODY), BODY, GREY)
    for (source, target), route in routes.items():
        blue = source in flow and target in flow
        _arrow(sheet, nodes, route, x_of, wide, blue, evidence[source, target] < Evidence.SCOPED, gap)
    for node in nodes:
        if node.symbol is None:
            continue
        symbol = node.symbol
        _function(
            sheet,
            x_of[node.layer],
            node.y,
            node.width,
            node.height,
            label(symbol),
            "" if symbol in inside else functions[symbol].module,
            symbol in relevant,
            symbol in flow,
        )
    if rows:
        sheet.text(MARGIN, alone_top + 4, "no edges", SMALL, GREY, bold=True)
    for number, row in enumerate(rows):
        for symbol, x, box in row:
            _function(sheet, x, alone_top + 28 + 32 * number, box, 24, label(symbol), "", symbol in relevant, False)
    y = total - 14
    if left_out:
        sheet.text(MARGIN, y - 16, f"{left_out} more functions are not drawn", SMALL, GREY)
    x = MARGIN
    for fill, line, text in (
        (RELEVANT_TINT, ORANGE, "relevant"),
        (FLOW_TINT, BLUE, "same flow"),
        (OTHER_TINT, PALE, "other module"),
    ):
        sheet.box(x, y - 5, 16, 10, fill, line)
        sheet.text(x + 21, y, text, SMALL, GREY)
        x += 21 + _width(text, SMALL) + 16
    for dashed, text in ((False, "call resolved by scope or better"), (True, "call matched by name only")):
        sheet.curve([(x, y), (x + 22, y)], GREY, 1.2, dashed)
        sheet.text(x + 27, y, text, SMALL, GREY)
        x += 27 + _width(text, SMALL) + 16
    return sheet.figure


def _function(
    sheet: _Sheet, x: float, y: float, width: float, height: float, name: str, module: str, relevant: bool, flow: bool
) -> None:
    line = ORANGE if relevant else BLUE if flow else PALE if module else GREY
    fill = RELEVANT_TINT if relevant else FLOW_TINT if flow else OTHER_TINT if module else PAPER
    sheet.box(x, y - height / 2, width, height, fill, line, 1.6 if relevant or flow else 1)
    colour = GREY if module and not relevant else INK
    sheet.text(x + width / 2, y - (6 if module else 0), name, BODY, colour, relevant, "center")
    if module:
        sheet.text(x + width / 2, y + 7, _fit(module, 150, SMALL), SMALL, GREY, align="center")


def _layer(ids: Collection[SymbolId], edges: Sequence[Edge]) -> dict[SymbolId, int]:
    """As graph.layers, but what nothing calls stands just before what it calls."""
    layer = layers(ids, edges)
    called = {edge.target for edge in edges}
    for symbol in layer:
        if symbol not in called:
            layer[symbol] = max(min((layer[edge.target] for edge in edges if edge.source == symbol), default=1) - 1, 0)
    return layer


def _place(
    sizes: Mapping[SymbolId, tuple[float, float]],
    layer: Mapping[SymbolId, int],
    pairs: Iterable[tuple[SymbolId, SymbolId]],
) -> tuple[list[_Node], dict[tuple[SymbolId, SymbolId], list[int]]]:
    """Return nodes with their heights on the page, and for each pair the nodes that its edge leads through.

    Sugiyama's way: bends where an edge crosses a layer, order in the layers by the mean place of the neighbours, then
    each node as near to its neighbours as the order lets it.
    """
    nodes = [_Node(symbol, layer[symbol], *size) for symbol, size in sizes.items()]
    index = {node.symbol: number for number, node in enumerate(nodes) if node.symbol}
    routes: dict[tuple[SymbolId, SymbolId], list[int]] = {}
    for source, target in sorted(pairs):
        route = [index[source]]
        for between in range(layer[source] + 1, layer[target]):
            nodes.append(_Node(None, between, 0, 8))
            route.append(len(nodes) - 1)
        route.append(index[target])
        routes[source, target] = route
        for one, two in pairwise(route):
            if nodes[one].layer < nodes[two].layer:
                nodes[one].after.append(two)
                nodes[two].before.append(one)
    order: list[list[int]] = [[] for _ in range(max((node.layer for node in nodes), default=-1) + 1)]
    for number, node in enumerate(nodes):
        order[node.layer].append(number)
    best, fewest = [list(column) for column in order], _crossings(order, nodes)
    for sweep in range(12):
        place = {number: i for column in order for i, number in enumerate(column)}
        forward = sweep % 2 == 0
        for column in order if forward else reversed(order):

            def mean(number: int, place: dict[int, int] = place, forward: bool = forward) -> float:
                near = nodes[number].before if forward else nodes[number].after
                return sum(place[one] for one in near) / len(near) if near else float(place[number])

            column.sort(key=mean)
            place.update({number: i for i, number in enumerate(column)})
        if (count := _crossings(order, nodes)) < fewest:
            best, fewest = [list(column) for column in order], count
    for column in best:
        y = 0.0
        for number in column:
            nodes[number].y = y + nodes[number].height / 2
            y += nodes[number].height + 12
    for _ in range(16):
        for column in best:
            _settle([nodes[number] for number in column], nodes)
    return nodes, routes


def _crossings(order: Sequence[Sequence[int]], nodes: Sequence[_Node]) -> int:
    place = {number: i for column in order for i, number in enumerate(column)}
    count = 0
    for column in order:
        lines = [(place[number], place[after]) for number in column for after in nodes[number].after]
        count += sum(a < c and b > d for a, b in lines for c, d in lines)
    return count


def _settle(column: Sequence[_Node], nodes: Sequence[_Node]) -> None:
    """Move a column's nodes to where the sum of squared distances from their neighbours' mean is least.

    The order and the gaps are kept; pooling adjacent violators solves this exactly.
    """
    offset, y = [], 0.0
    for node in column:
        offset.append(y + node.height / 2)
        y += node.height + 12
    blocks: list[tuple[float, int]] = []
    for node, shift in zip(column, offset, strict=True):
        near = [nodes[one].y for one in (*node.before, *node.after)]
        block = ((sum(near) / len(near) if near else node.y) - shift, 1)
        while blocks and blocks[-1][0] > block[0]:
            value, count = blocks.pop()
            block = ((value * count + block[0] * block[1]) / (count + block[1]), count + block[1])
        blocks.append(block)
    values = [value for value, count in blocks for _ in range(count)]
    for node, shift, value in zip(column, offset, values, strict=True):
        node.y = value + shift


def _arrow(
    sheet: _Sheet,
    nodes: Sequence[_Node],
    route: Sequence[int],
    x_of: Sequence[float],
    wide: Sequence[float],
    blue: bool,
    dashed: bool,
    gap: float,
) -> None:
    colour, thick = (BLUE, 1.5) if blue else ("#8c8c8c", 1.0)
    source, target = nodes[route[0]], nodes[route[-1]]
    start = (x_of[source.layer] + source.width, source.y)
    if source.layer == target.layer:
        tip = (x_of[target.layer] + target.width, target.y)
        out = x_of[source.layer] + wide[source.layer] + gap / 3
        sheet.curve([start, (out, source.y), (out, target.y), (tip[0] + HEAD, target.y)], colour, thick, dashed)
        sheet.head(*tip, colour, leftwards=True)
        return
    points = [start, (x_of[source.layer] + wide[source.layer], source.y)]
    for number in route[1:-1]:
        bend = nodes[number]
        points += [(x_of[bend.layer], bend.y), (x_of[bend.layer] + wide[bend.layer], bend.y)]
    tip = (x_of[target.layer], target.y)
    sheet.curve([*points, (tip[0] - HEAD, tip[1])], colour, thick, dashed)
    sheet.head(*tip, colour)
