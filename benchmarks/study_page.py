"""The page of the study (`study.py`): every difference with its interval, pooled, by category and by collection."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from plait.evaluate.compare import Comparison, Verdict, compare, holm

Figures = Mapping[str, Any]
"""of one collection, as `study.judged` returns them"""

SIGNS = {Verdict.BETTER: "**better**", Verdict.WORSE: "**worse**", Verdict.UNDECIDED: "not shown"}
MAIN, SECOND = "Recall@5", "nDCG@10"
NAMES = {
    ("vector", "naive"): "naive expansion against vectors",
    ("vector", "constrained"): "constrained expansion against vectors",
    ("vector", "structural"): "structure in the vectors against plain vectors",
}


def page(figures: Sequence[Figures], with_graph: Sequence[str], without: Mapping[str, str]) -> str:
    return "".join(f"{line}\n" for line in _page(figures, with_graph, without))


def _page(figures: Sequence[Figures], with_graph: Sequence[str], without: Mapping[str, str]) -> Iterator[str]:
    mined = [one for one in figures if _is_mined(one)]
    flows = [one for one in figures if "flows" in one["name"]]
    pairs = _pairs(with_graph, without)
    pooled = _family(pairs, mined, MAIN)
    questions = sum(len(one["categories"]) for one in mined)
    yield "# When does the graph help?"
    yield ""
    yield (
        "Written by `benchmarks/study.py`; do not edit. Each line compares two ways to search that differ in one "
        "thing, question by question: what is added is the graph, or the graph is exchanged for a shuffled one in "
        "which everyone calls and is called as often as before (a placebo). Intervals, p and verdicts are those of "
        "[`plait eval`](../judging.md): *better* and *worse* need p below .05 after Holm's correction and an "
        "interval without 0. *Would show* is the smallest true difference that four of five such collections show."
    )
    yield ""
    yield "## Short"
    yield ""
    yield from _short(pooled, len(mined), questions)
    yield ""
    yield f"## All mined repositories together: {MAIN}"
    yield ""
    yield f"{questions} questions of {len(mined)} repositories, pooled; corrected for {len(pooled)} comparisons."
    yield ""
    yield from _table("", [(_called(one), one) for one in pooled])
    yield ""
    yield f"## The same by {SECOND}"
    yield ""
    yield "Naive expansion keeps five results, which counts against it here."
    yield ""
    yield from _table("", [(_called(one), one) for one in _family(pairs, mined, SECOND)])
    yield ""
    yield f"## By kind of question: {MAIN}"
    yield ""
    yield (
        "*named*: the question holds the name of an answer. Which functions a test reaches is itself read from the "
        "call graph, so the lines of *test* say little for it. All lines of this section are corrected together."
    )
    yield ""
    categories = sorted({category for one in mined for category in one["categories"].values()})
    by_category = [(category, _made(pairs, mined, MAIN, category)) for category in categories]
    family = iter(holm([one for _, made in by_category for one in made]))
    for category, made in by_category:
        corrected = [next(family) for _ in made]
        count = len(corrected[0].differences) if corrected else 0
        yield from _table(f"{category}: {count} questions", [(_called(one), one) for one in corrected])
        yield ""
    yield f"## By collection: {MAIN}"
    yield ""
    yield "Corrected within each collection."
    yield ""
    for one in [*(one for one in figures if one not in flows)]:
        yield f"### {one['name']}"
        yield ""
        yield (
            f"{one['description']} {len(one['categories'])} questions; {one['files']:,} files, "
            f"{one['lines']:,} lines, {one['symbols']:,} symbols; graph {one['graph']}, {one['calls']:,} calls; "
            f"ranked by plait at commit {one['plait']}."
        )
        yield ""
        yield from _table("", [(_called(each), each) for each in _family(pairs, [one], MAIN)])
        yield ""
    if flows:
        yield "## Questions that are derived from the graph"
        yield ""
        yield (
            "What an entry point says of itself, asked for the functions that it reaches. That the graph finds what "
            "the graph says is no argument for it, so these are in no figure above."
        )
        yield ""
        yield from _table("", [(_called(one), one) for one in _family(pairs, flows, MAIN)])
        yield ""
    yield "## Means"
    yield ""
    labels = ["vector", "lexical", *with_graph, *without.values()]
    yield f"| {MAIN} | {' | '.join(f'`{label}`' for label in labels)} |"
    yield f"|---|{'---:|' * len(labels)}"
    for one in figures:
        means = [_mean(one["scores"][MAIN][label]) for label in labels]
        yield f"| {one['name']} | {' | '.join(f'{mean:.3f}' for mean in means)} |"
    yield ""
    yield "## What this does not show"
    yield ""
    yield "- Questions made of commits, documentation and tests are not what people type, and the pooled lines weigh"
    yield "  every question alike, so that a repository with many counts for more. Questions of one repository are not"
    yield "  independent; the intervals take them to be."
    yield "- Of each collection at most 120 questions are asked, taken by a hash of their ids and texts."
    yield "- `additive` was learned from other repositories by their functions, but by files from ktor and"
    yield "  Newtonsoft.Json too, and from flask and fastapi by both (`learned_from` in `curves.json`)."
    yield "- One shuffled graph for each collection, with one seed."
    yield "- Without its graph `additive` keeps the curves that were learned with it; learned anew they might do"
    yield "  better, and the gain of the graph would be less."
    yield "- Structure in the vectors is more than the graph: module and name stand there as well. Its line against the"
    yield "  placebo is the one about calls."
    yield "- SWE-bench Lite is not among the collections: see `benchmarks/quality_swebench.py`."
    yield ""
    yield "## Again"
    yield ""
    yield "```sh"
    yield "python benchmarks/study.py WORK --knowing LABELS CORPORA   # some minutes for each repository"
    yield "```"


def _short(pooled: Sequence[Comparison], repositories: int, questions: int) -> Iterator[str]:
    adds = [one for one in pooled if not one.a.startswith("placebo")]
    shams = [one for one in pooled if one.a.startswith("placebo")]
    better = [one for one in adds if one.verdict is Verdict.BETTER]
    worse = [one for one in adds if one.verdict is Verdict.WORSE]
    real = [one for one in shams if one.verdict is Verdict.BETTER]
    rarely = "Rarely. " if len(better) * 2 < len(adds) else ""
    yield (
        f"{rarely}On {questions} questions of {repositories} repositories, adding the graph makes {MAIN} better in "
        f"{len(better)} of {len(adds)} ways to add it and worse in {len(worse)}:"
    )
    yield ""
    yield from (f"- {_called(one)}: {_interval(one)}, {SIGNS[one.verdict]}" for one in adds)
    yield ""
    yield (
        f"It matters who calls whom, that is, the graph does better than a shuffled one, in {len(real)} of "
        f"{len(shams)}:"
    )
    yield ""
    yield from (f"- {_called(one)}: {_interval(one)}, {SIGNS[one.verdict]}" for one in shams)


def _pairs(with_graph: Sequence[str], without: Mapping[str, str]) -> list[tuple[str, str]]:
    return [
        *NAMES,
        *((base, strategy) for strategy, base in without.items()),
        *((f"placebo: {strategy}", strategy) for strategy in with_graph),
    ]


def _is_mined(one: Figures) -> bool:
    return one["name"] != "shop" and "flows" not in one["name"] and "knowing" not in one["name"]


def _family(pairs: Sequence[tuple[str, str]], figures: Sequence[Figures], measure: str) -> tuple[Comparison, ...]:
    return holm(_made(pairs, figures, measure))


def _made(
    pairs: Sequence[tuple[str, str]], figures: Sequence[Figures], measure: str, category: str = ""
) -> list[Comparison]:
    made = []
    for a, b in pairs:
        scores: list[dict[str, float]] = [{}, {}]
        for one in figures:
            found = one["scores"][measure]
            # Where a shuffled graph changes nothing there is no placebo, and it would have scored the same.
            for kept, label in zip(scores, (a if a in found else b, b), strict=True):
                kept |= {
                    f"{one['name']} {topic}": score
                    for topic, score in found[label].items()
                    if category in ("", one["categories"][topic])
                }
        made.append(compare(measure, a, b, *scores))
    return [one for one in made if one.differences]


def _called(one: Comparison) -> str:
    if one.a.startswith("placebo"):
        return f"`{one.b}` against its placebo"
    return NAMES.get((one.a, one.b), f"`{one.b}` against itself without the graph")


def _interval(one: Comparison) -> str:
    if one.interval is None:
        return f"{one.mean:+.3f} (no interval)"
    return f"{one.mean:+.3f} ({one.interval[0]:+.3f} to {one.interval[1]:+.3f})"


def _mean(scores: Mapping[str, float]) -> float:
    return sum(scores.values()) / max(len(scores), 1)


def _table(title: str, rows: Sequence[tuple[str, Comparison]]) -> Iterator[str]:
    head = [title, "difference (95 % interval)", "p", "p (Holm)", "lost / tied / won", "would show", "verdict"]
    yield f"| {' | '.join(head)} |"
    yield "|---|---:|---:|---:|---:|---:|---|"
    for name, one in rows:
        losses = sum(found < -1e-9 for found in one.differences.values())
        wins = sum(found > 1e-9 for found in one.differences.values())
        cells = [
            name,
            _interval(one),
            f"{one.p:.3f}",
            f"{one.p if one.corrected is None else one.corrected:.3f}",
            f"{losses} / {len(one.differences) - losses - wins} / {wins}",
            "" if one.detectable is None else f"{one.detectable:.3f}",
            SIGNS[one.verdict] if wins or losses else "nothing differs",
        ]
        yield f"| {' | '.join(cells)} |"
