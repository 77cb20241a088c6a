"""The report of an evaluation: one HTML file without scripts that needs nothing beside it.

    build_report(path, evaluation, runs, edges, symbols, main_measure, k)

does everything. Its parts can be had alone: `draw` makes the pictures, `page` the text of the page. Losses stand beside
wins in all of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import Any

from plait.errors import MissingExtra
from plait.evaluate import causes, pictures
from plait.evaluate.causes import Explanation, explanations
from plait.evaluate.compare import CONFIDENCE, TIE, Comparison, Outcome, Verdict, outcome_of
from plait.evaluate.gates import Gates
from plait.evaluate.judge import Evaluation, Run
from plait.evaluate.measures import Measure
from plait.evaluate.naming import pair_name, short_labels, short_names
from plait.model import Edge, Ranking, Symbol, SymbolId

MOST_TOLD = 10
"""Worst losses, and greatest gains, told for one pair; how many questions differ is said."""
MOST_NAMED = 12
"""Questions named in a sentence at most."""
MOST_OPEN = 30
"""Questions up to which the table of all of them is unfolded."""
MOST_BARS = 3
MOST_BUMPS = 4
MOST_STEPS = 60
"""Edges and candidates listed for one ranking at most; how many more there are is said."""


@dataclass(frozen=True, slots=True)
class Picture:
    svg: str
    """as `pictures.to_svg` makes it; it goes into the page as it is"""
    caption: str


@dataclass(frozen=True, slots=True)
class Pair:
    """The first label against another one, with what is to be said about its divergent topics."""

    comparison: Comparison
    explanations: tuple[Explanation, ...]
    """worst loss first"""

    def topics(self, outcome: Outcome) -> str:
        """Name them, worst loss first."""
        return _listed([t for t, found in self.comparison.differences.items() if outcome_of(found) is outcome])


def build_report(
    path: Path,
    evaluation: Evaluation,
    runs: Mapping[str, Run],
    edges: Sequence[Edge],
    symbols: Sequence[Symbol],
    main_measure: Measure,
    k: int,
    telling: str | None = None,
    made: str = "",
    about: Sequence[tuple[str, str]] = (),
    gates: Gates | None = None,
) -> None:
    """Write the report: every label against the first, in words, tables, pictures and traces.

    `runs`, `edges` and `symbols` are those that were judged: the same labels, and the snapshot that all rankings come
    from. `main_measure` is one of the evaluation's; `k` is how many results count as found when a swap is explained.
    `telling` is the topic whose calls are drawn; without it, or if nothing diverges there, the one with the greatest
    gain that an edge brought about. `made` says on what graph and with what embedder the runs were made, `about` more
    of the kind, a term and its text each. `gates` are told first.
    Raises MissingExtra without jinja2 or matplotlib.
    """
    _jinja()
    explained = explanations(evaluation, runs, main_measure, k, MOST_TOLD)
    names = short_names(symbols)
    drawn = draw(evaluation, main_measure, explained, edges, symbols, names, telling)
    notes = [f"Another call graph or embedder: all this is {made}."] if made else []
    write(path, page(evaluation, main_measure, explained, names, drawn, notes, about, gates))


def write(path: Path, text: str) -> None:
    path.write_bytes(text.encode("utf-8", "replace"))


def draw(
    evaluation: Evaluation,
    measure: Measure,
    explained: Sequence[Explanation],
    edges: Sequence[Edge],
    symbols: Sequence[Symbol],
    names: Mapping[SymbolId, str],
    telling: str | None = None,
) -> list[Picture]:
    """Draw the differences, some pairs, some topics of the first among them, and the calls behind the best gain.

    Pairs in which B's walk did not reach what A had found come first, since that loss is least expected of it; then
    those that diverge on most topics.
    """
    labels = short_labels(evaluation.labels)
    scores = evaluation.scores[str(measure)]
    out_of_reach = Counter(one.b for one in explained if _out_of_reach(one))
    most = sorted(
        (comparison for comparison in evaluation.comparisons(measure) if comparison.divergent),
        key=lambda comparison: (-out_of_reach[comparison.b], -len(comparison.divergent)),
    )
    shown = [(comparison.a, comparison.b) for comparison in most[:MOST_BARS]]
    made = _intervals(evaluation, measure, labels)
    for comparison in sorted(most[:MOST_BARS], key=lambda c: evaluation.pairs.index((c.a, c.b))):
        a, b = comparison.a, comparison.b
        figure = pictures.swap_bars(comparison, scores[a], scores[b], explained, names, labels)
        made.append(
            Picture(
                pictures.to_svg(figure),
                f"{measure} of every question under {labels[a]} and {labels[b]}. Beside a question whose score differs "
                f"stands who left the first {explained[0].k} (−) and who entered (+), relevant functions in bold.",
            )
        )
    wanted = [one for one in explained if one.topic.id == telling]
    if most_telling := _most_telling(evaluation, measure, wanted or explained):
        made.append(_calls(most_telling, edges, symbols, names, labels))
    if shown:
        pair = [one for one in explained if (one.a, one.b) == shown[0]]
        # They come worst loss first: the ends are the greatest losses and the greatest gains.
        half = MOST_BUMPS // 2
        ends = pair if len(pair) <= MOST_BUMPS else [*pair[:half], *pair[-half:]]
        for one in ends:
            made.append(
                Picture(
                    pictures.to_svg(pictures.rank_bump(one, names, labels)),
                    f"Ranks for {one.topic.id} under {labels[one.a]} (left) and {labels[one.b]} (right): all relevant "
                    f"functions and the first {one.k} of either; ranks count everything that was scored.",
                )
            )
    return made


def _intervals(evaluation: Evaluation, measure: Measure, labels: Mapping[str, str]) -> list[Picture]:
    first = labels[evaluation.labels[0]] if evaluation.labels else ""
    name = partial(pair_name, evaluation, labels=labels)
    made: list[Picture] = []
    family = evaluation.comparisons(measure)
    if any(one.divergent for one in family):
        figure = pictures.interval_rows(f"{measure}: differences to {first}", [(name(one), one) for one in family])
        caption = (
            f"Mean difference in {measure} with its {CONFIDENCE:.0%} interval. In colour: what is better or worse, "
            f"corrected for {_count(len(family), 'comparison')}; grey: what these questions do not show."
        )
        made.append(Picture(pictures.to_svg(figure), caption))
    rows = [
        (f"{category}: {name(one)}", one) for category, own in evaluation.by_category(measure).items() for one in own
    ]
    if rows:
        figure = pictures.interval_rows(f"{measure} by category", rows)
        caption = f"The same within each category, corrected for {_count(len(rows), 'comparison')}."
        made.append(Picture(pictures.to_svg(figure), caption))
    return made


def _out_of_reach(one: Explanation) -> bool:
    """Whether A's first k held something relevant that B, walking from its seeds, never scored."""
    never = {gone.symbol for gone in one.missing_b if gone.cause is causes.Cause.NEVER_A_CANDIDATE}
    return bool(one.ranking_b.trace.seeds) and not never.isdisjoint(one.left)


def _most_telling(evaluation: Evaluation, measure: Measure, explained: Sequence[Explanation]) -> Explanation | None:
    """Prefer a gain, one that an edge brought about, the greatest; among equals the first."""

    def weight(one: Explanation) -> tuple[bool, bool, float]:
        scores = evaluation.scores[str(measure)]
        gain = scores[one.b][one.topic.id] - scores[one.a][one.topic.id]
        walked = any(
            move.symbol in one.entered and move.relevant and (move.step or any(r.edge for r in move.gained))
            for move in one.movements
        )
        return gain > 0, walked, gain

    return max(explained, key=weight, default=None)


def _calls(
    one: Explanation,
    edges: Sequence[Edge],
    symbols: Sequence[Symbol],
    names: Mapping[SymbolId, str],
    labels: Mapping[str, str],
) -> Picture:
    modules = {symbol.id: symbol.module for symbol in symbols}
    module = Counter(modules[symbol] for symbol in one.relevant).most_common(1)[0][0]
    asked = f"{one.topic.id}  {one.topic.text}"
    return Picture(
        pictures.to_svg(pictures.call_graph(module, symbols, edges, names, one.relevant, asked)),
        f"Who calls whom in {module}, which holds relevant functions of {one.topic.id}, where {labels[one.b]} and "
        f"{labels[one.a]} part. Blue: the functions that hang together by calls around them.",
    )


def page(
    evaluation: Evaluation,
    main: Measure,
    explained: Sequence[Explanation],
    names: Mapping[SymbolId, str],
    drawn: Sequence[Picture] = (),
    notes: Sequence[str] = (),
    about: Sequence[tuple[str, str]] = (),
    gates: Gates | None = None,
) -> str:
    """Return the page. Explanations may be of any pairs of labels and any topics; `notes` add to what is not measured.

    Everything but the pictures is escaped: names, questions and labels may hold anything.
    """
    labels = short_labels(evaluation.labels)
    comparisons = {measure: evaluation.comparisons(measure) for measure in evaluation.measures}
    shams = set(evaluation.controls.values())
    pairs = _pairs(evaluation, main, explained)
    text: str = (
        _jinja()
        .from_string((files("plait.evaluate") / "templates" / "report.html.j2").read_text(encoding="utf-8"))
        .render(
            evaluation=evaluation,
            main=main,
            labels=labels,
            names=names,
            pairs=pairs,
            comparisons=comparisons,
            categories=evaluation.by_category(main),
            shown=[label for label in evaluation.labels if label not in shams],
            about=about,
            gates=gates,
            dark=pictures.dark_variables(),
            open=len(evaluation.topics) <= MOST_OPEN,
            Verdict=Verdict,
            pair_name=partial(pair_name, evaluation, labels=labels),
            summary=_summary(evaluation, main, comparisons[main], labels),
            pictures=drawn,
            notes=[*_notes(evaluation), *notes],
            measures=[(measure, _meaning(measure)) for measure in evaluation.measures],
            outcome_of=outcome_of,
            Outcome=Outcome,
            causes=causes,
            sides=_sides,
            rows=_rows,
            most=MOST_STEPS,
            listed_topics=_listed,
            confidence=f"{CONFIDENCE:.0%}",
        )
    )
    return text


def _meaning(measure: Measure) -> str:
    first = f"the first {measure.k}" if measure.k else "all that is returned"
    return {
        "Recall": f"the share of all relevant functions that is among {first}",
        "P": f"the share of {first} that is relevant",
        "nDCG": f"relevant functions among {first}, worth less the lower they stand; 1 is the best possible order",
        "RR": "one over the rank of the first relevant function",
        "Success": f"1 if anything relevant is among {first}",
    }[measure.name]


def _jinja() -> Any:
    try:
        import jinja2
    except ImportError as error:
        raise MissingExtra("the HTML report", "jinja2", "report") from error
    environment = jinja2.Environment(
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["signed"] = _signed
    environment.filters["figure"] = lambda value: f"{value:.3f}"
    return environment


def _signed(value: float) -> str:
    return f"{value:+.3f}".replace("-", "−") if abs(value) >= 0.0005 else "0.000"


def _pairs(evaluation: Evaluation, main: Measure, explained: Sequence[Explanation]) -> list[Pair]:
    """Return the evaluation's pairs, then whatever other pairs are explained, in their order."""
    ends = dict.fromkeys(evaluation.pairs)
    ends.update({(one.a, one.b): None for one in explained})
    family = {(one.a, one.b): one for one in evaluation.comparisons(main)}
    made: list[Pair] = []
    for a, b in ends:
        comparison = family.get((a, b)) or evaluation.compare(main, a, b)
        place = {topic: number for number, topic in enumerate(comparison.differences)}
        own = sorted((one for one in explained if (one.a, one.b) == (a, b)), key=lambda one: place[one.topic.id])
        made.append(Pair(comparison, tuple(own)))
    return made


def _summary(
    evaluation: Evaluation, main: Measure, comparisons: Sequence[Comparison], labels: Mapping[str, str]
) -> list[str]:
    """Say what was asked, what the means are, and what they hide: one sentence each."""
    first = evaluation.labels[0]
    number = len(evaluation.topics)
    shams = set(evaluation.controls.values())
    means = {label: evaluation.mean(main, label) for label in evaluation.labels if label not in shams}
    asked = (
        f"{_count(number, 'question')} on the collection {evaluation.collection.name} "
        f"{'was' if number == 1 else 'were'} put to {_count(len(means), 'strategy', 'strategies')}, and "
        f"{main} ({_meaning(main)}) says how well each was answered."
    )
    if not comparisons:
        return [asked, f"The mean is {means[first]:.3f}.", "There is no second strategy to compare it with."]
    best, worst = max(means, key=means.__getitem__), min(means, key=means.__getitem__)
    spread = (
        f"All means are {means[first]:.3f}"
        if best == worst or means[best] == means[worst]
        else f"{_all_with(means[best], means, labels)} the best mean, {means[best]:.3f}, "
        f"{_all_with(means[worst], means, labels)} the worst, {means[worst]:.3f}"
    )
    own = (
        ""
        if first in (best, worst)
        else f", and {labels[first]}, which the others are compared with, {means[first]:.3f}"
    )
    against = [one for one in comparisons if one.a == first]
    return [
        asked,
        f"{spread}{own}.",
        _sure(against, main, labels),
        *_placebos([one for one in comparisons if one.b in evaluation.controls and one.a != first], main, labels),
        _hidden(against, labels),
    ]


def _sure(comparisons: Sequence[Comparison], main: Measure, labels: Mapping[str, str]) -> str:
    """Say which differences are more than chance; without any, how large one would have to be."""
    first = labels[comparisons[0].a]
    said = [
        f"{', '.join(labels[one.b] for one in comparisons if one.verdict is verdict)} {verdict}"
        for verdict in (Verdict.BETTER, Verdict.WORSE)
        if any(one.verdict is verdict for one in comparisons)
    ]
    if said:
        return f"By more than chance explains, in {main} against {first}: {'; '.join(said)}."
    sizes = [one.detectable for one in comparisons if one.detectable is not None]
    size = f"; one of {min(sizes):.3f} or more would mostly have been found" if sizes else ""
    return f"No difference in {main} to {first} is more than chance explains{size}."


def _placebos(comparisons: Sequence[Comparison], main: Measure, labels: Mapping[str, str]) -> list[str]:
    if not comparisons:
        return []
    gains = [labels[one.b] for one in comparisons if one.verdict is Verdict.BETTER]
    if gains:
        return [f"Who calls whom matters to {', '.join(gains)}: on a shuffled graph the {main} is lower."]
    return ["No strategy is shown to be better than on a shuffled graph, so none is shown to gain by who calls whom."]


def _all_with(mean: float, means: Mapping[str, float], labels: Mapping[str, str]) -> str:
    """Name every strategy that has the mean, with its verb."""
    same = [labels[label] for label, found in means.items() if abs(found - mean) <= TIE]
    return f"{same[0]} has" if len(same) == 1 else f"{', '.join(same[:-1])} and {same[-1]} have"


def _hidden(comparisons: Sequence[Comparison], labels: Mapping[str, str]) -> str:
    most = max(comparisons, key=lambda c: len(c.divergent))
    if not most.divergent:
        return f"In {comparisons[0].measure} the means hide nothing: no question scores better or worse by it."
    lost = [topic for topic in most.divergent if most.differences[topic] < 0]
    won = [topic for topic in most.divergent if most.differences[topic] > 0]
    losses = sum(c.count(Outcome.LOSS) for c in comparisons)
    wins = sum(c.count(Outcome.WIN) for c in comparisons)
    return (
        f"Behind the means, {labels[most.b]} loses {_listed(lost) or 'no question'} against {labels[most.a]} and "
        f"wins {_listed(won) or 'none'}; all strategies together lose {_count(losses, 'answer')} and win {wins}."
    )


def _listed(topics: Sequence[str]) -> str:
    more = f" and {len(topics) - MOST_NAMED} more" if len(topics) > MOST_NAMED else ""
    return ", ".join(topics[:MOST_NAMED]) + more


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"


def _notes(evaluation: Evaluation) -> list[str]:
    """Say what the figures do not tell, whatever they are."""
    others = len(evaluation.labels) - 1
    made = [
        "Only what the collection judges: a function that nobody judged counts as not relevant, however well it fits.",
        "Other code: nothing here says how the strategies do on another repository or another language.",
        "Time, memory and the cost of building the index.",
        "Whether a person would have been helped: rank and relevance are all that is looked at.",
    ]
    if len(evaluation.measures) > 1 and others:
        made.append(
            "All measures together: p is corrected for the comparisons by one measure, or for those in all categories; "
            "whoever looks through many measures for a small p will find one."
        )
    if evaluation.controls:
        made.append("Other placebos: the graph was shuffled once, with one seed.")
    elif others:
        made.append("Whether it is the graph that helps: run it with --placebo.")
    if evaluation.without_relevant:
        made.append(
            f"Questions with nothing relevant in the judgements count with 0 for every strategy: "
            f"{', '.join(evaluation.without_relevant)}."
        )
    if evaluation.unjudged:
        made.append(f"Left out, because nothing is judged for them: {', '.join(evaluation.unjudged)}.")
    return made


def _sides(one: Explanation) -> list[tuple[str, Ranking, tuple[causes.Missing, ...]]]:
    return [(one.a, one.ranking_a, one.missing_a), (one.b, one.ranking_b, one.missing_b)]


def _rows(one: Explanation) -> list[tuple[int, list[Any]]]:
    """Return ranks with A's and B's candidate there: the first k, then the relevant ones wherever they stand.

    A side without a candidate to show at a rank has None.
    """
    shown: list[dict[int, Any]] = []
    for _, ranking, _ in _sides(one):
        pool = ranking.pool or ranking.candidates
        shown.append(
            {
                place: candidate
                for place, candidate in enumerate(pool, start=1)
                if place <= min(one.k, len(ranking.candidates)) or candidate.symbol in one.relevant
            }
        )
    return [(place, [side.get(place) for side in shown]) for place in sorted({*shown[0], *shown[1]})]
