from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

import pytest

from plait.errors import MissingExtra
from plait.evaluate import causes, gates, judge, measures, naming
from plait.evaluate.collection import Collection, Judgements, Topic
from plait.evaluate.judge import Evaluation, Run
from plait.model import (
    Candidate,
    Direction,
    Edge,
    EdgeKind,
    Evidence,
    Ranking,
    Reason,
    Source,
    Span,
    Step,
    Symbol,
    SymbolId,
    SymbolKind,
    Trace,
    Via,
)

pytest.importorskip("matplotlib")
pytest.importorskip("jinja2")

from plait.evaluate import report

EVIL = "<script>alert('&')</script>"
MAIN = measures.parse("Recall@2")
VECTOR, NAIVE = "vector(depth=9)", f"naive(note='{EVIL}', k=2)"
VOID = {"meta", "br", "link", "img", "hr", "input"}


def symbol(name: str, module: str = "shop.payment", kind: SymbolKind = SymbolKind.FUNCTION, line: int = 1) -> Symbol:
    span = Span(line, line + 1, 0, 9)
    path = f"{module.replace('.', '/')}.py"
    qualified = module if kind is SymbolKind.MODULE else f"{module}.{name}"
    return Symbol(SymbolId(f"{path}:{name}@{line}"), name, kind, path, "python", module, qualified, span, (span,))


SYMBOLS = [symbol(name) for name in ("checkout", "total", "intent", "refund", EVIL)]
IDS = {one.name: one.id for one in SYMBOLS}
EDGES = [Edge(IDS["checkout"], IDS["total"], EdgeKind.CALLS, Via.CALL, Evidence.NAME, 0.5, f"shop/{EVIL}.py", 89)]


def ranking(names: str, kept: int | None = None, trace: Trace = Trace()) -> Ranking:
    pool = tuple(
        Candidate(IDS[name], (Reason(Source.DENSE, 0.9 - place / 10), Reason(Source.LEXICAL, 0.01)))
        for place, name in enumerate(names.split())
    )
    return Ranking(pool[:kept], pool, trace)


def runs(*labels: str, differ: bool = True) -> dict[str, Run]:
    trace = Trace((IDS["checkout"],), (Step(EDGES[0], Direction.OUT, 1),))
    before = {"Q1": ranking("checkout refund total"), "Q2": ranking("intent refund total"), "Q3": ranking("refund")}
    after = {"Q1": ranking("checkout total", 2, trace), "Q2": ranking("refund", 2), "Q3": ranking("refund")}
    return {label: before if not number or not differ else after for number, label in enumerate(labels)}


def evaluation(found: dict[str, Run]) -> Evaluation:
    topics = (Topic("Q1", f"pay {EVIL}"), Topic("Q2", "intend"), Topic("Q3", "refund"), Topic("Q4", "not judged"))
    judgements: Judgements = {"Q1": {IDS["total"]: 1}, "Q2": {IDS["intent"]: 1, IDS[EVIL]: 1}, "Q3": {IDS["refund"]: 1}}
    collection = Collection(f"shop{EVIL}", f"What it is {EVIL}", Path(), "python", topics, ())
    return judge.evaluate(collection, judgements, found, [MAIN, measures.parse("RR")])


def made(folder: Path, *labels: str, differ: bool = True) -> str:
    found = runs(*labels, differ=differ)
    path = folder / "report.html"
    report.build_report(path, evaluation(found), found, EDGES, SYMBOLS, MAIN, 2)
    return path.read_text(encoding="utf-8")


class Page(HTMLParser):
    """Reads a page strictly: what is opened is closed, in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: Counter[str] = Counter()
        self.ids: Counter[str] = Counter()
        self.links: list[str] = []
        self.headings: list[str] = []
        self.words: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.attributes += attrs
        values = dict(attrs)
        if values.get("id"):
            self.ids[str(values["id"])] += 1
        if tag == "a":
            self.links.append(str(values["href"]))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.attributes += attrs

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)
        if self.open and self.open[-1] == "h2":
            self.headings.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())


def test_a_page_stands_alone(tmp_path: Path) -> None:
    text = made(tmp_path, VECTOR, NAIVE)
    page = Page(text)
    assert text.startswith("<!DOCTYPE html>")
    assert page.tags.keys().isdisjoint({"script", "link", "img", "iframe", "object", "embed", "base"})
    assert not [name for name, _ in page.attributes if name.startswith("on") or name == "src"]
    assert all(link.startswith("#") and page.ids[link[1:]] == 1 for link in page.links)
    assert set(page.ids.values()) == {1}
    assert "@import" not in text
    assert "url(" not in text


def test_names_questions_and_labels_are_text(tmp_path: Path) -> None:
    text = made(tmp_path, VECTOR, NAIVE)
    assert "<script" not in text
    assert EVIL in Page(text).text


def test_the_order_of_a_page(tmp_path: Path) -> None:
    page = Page(made(tmp_path, VECTOR, NAIVE))
    assert page.headings == [
        "Means",
        "The average hides",
        "Every question",
        "Pictures",
        "Traces",
        "What was not measured",
        "How to read this",
    ]
    assert page.tags["figure"] == page.tags["figcaption"] == page.tags["svg"] == 5
    assert page.tags["title"] == 6


def test_losses_stand_before_wins_with_their_causes(tmp_path: Path) -> None:
    text = Page(made(tmp_path, VECTOR, NAIVE)).text
    hidden = text[text.index("The average hides") : text.index("Every question")]
    assert "1 lost (Q2), 1 won (Q1), 1 the same" in hidden
    assert hidden.index("Lost") < hidden.index("Won")
    assert f"total : rank 3 -> rank 2; reached over checkout -> total (shop/{EVIL}.py:89, calls, name)" in hidden
    assert "Missing under naive: intent , never a candidate" in hidden
    assert "Missing under vector: total , outranked at rank 3 by checkout, refund" in hidden


def test_a_trace_names_seeds_edges_and_both_rankings(tmp_path: Path) -> None:
    text = Page(made(tmp_path, VECTOR, NAIVE)).text
    trace = text[text.index("Traces") : text.index("What was not measured")]
    assert "Seeds: checkout" in trace
    assert f"hop 1: checkout calls total (shop/{EVIL}.py:89, name), reached total" in trace
    assert "Candidates: 2 scored, 2 kept" in trace
    assert "+0.900 dense +0.010 lexical" in trace


def test_labels_stand_in_full_once(tmp_path: Path) -> None:
    text = Page(made(tmp_path, VECTOR, NAIVE)).text
    assert text.count(VECTOR) == text.count(NAIVE) == 1


def test_what_is_left_out_is_said(tmp_path: Path) -> None:
    assert "nothing is judged for them: Q4" in Page(made(tmp_path, VECTOR, NAIVE)).text


def test_one_strategy_only(tmp_path: Path) -> None:
    page = Page(made(tmp_path, VECTOR))
    assert "There is no second strategy to compare it with." in page.text
    assert page.tags["svg"] == 0
    assert page.tags["section"] == 0


def test_no_question_tells_the_strategies_apart(tmp_path: Path) -> None:
    page = Page(made(tmp_path, VECTOR, NAIVE, differ=False))
    assert "the means hide nothing" in page.text
    assert "There is no divergent question to trace." in page.text
    assert page.tags["svg"] == 0


def test_nothing_is_judged(tmp_path: Path) -> None:
    found = runs(VECTOR, NAIVE)
    empty = judge.evaluate(evaluation(found).collection, {}, found, [MAIN])
    report.build_report(tmp_path / "empty.html", empty, found, EDGES, SYMBOLS, MAIN, 2)
    assert "0 questions" in Page((tmp_path / "empty.html").read_text(encoding="utf-8")).text


def test_other_pairs_can_be_explained_and_notes_added() -> None:
    found = runs(VECTOR, NAIVE)
    judged = evaluation(found)
    names = naming.short_names(SYMBOLS)
    explained = causes.explanations(judged, {NAIVE: found[VECTOR], VECTOR: found[NAIVE]}, MAIN, 2)
    text = Page(report.page(judged, MAIN, explained[::-1], names, notes=["the weather"])).text
    assert "the weather" in text


def test_a_run_without_a_topic_has_found_nothing(tmp_path: Path) -> None:
    found = runs(VECTOR, NAIVE)
    found[NAIVE] = {}
    report.build_report(tmp_path / "r.html", evaluation(found), found, EDGES, SYMBOLS, MAIN, 2)
    assert "Candidates: 0 scored, 0 kept" in Page((tmp_path / "r.html").read_text(encoding="utf-8")).text


def test_pages_are_the_same_under_another_hash_seed(tmp_path: Path) -> None:
    program = (
        "import sys, pathlib, test_report as t; sys.stdout.buffer.write("
        "t.made(pathlib.Path(sys.argv[1]), t.VECTOR, t.NAIVE).encode())"
    )
    pages = {
        subprocess.run(
            [sys.executable, "-c", program, str(tmp_path)],
            env={**os.environ, "PYTHONHASHSEED": seed},
            cwd=Path(__file__).parent,
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert pages == {made(tmp_path, VECTOR, NAIVE).encode()}


@pytest.mark.parametrize("library", ["jinja2", "matplotlib"])
def test_a_missing_library_is_named(library: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(MissingExtra, match=f"needs {library}.*plait\\[report\\]"):
        made(tmp_path, VECTOR, NAIVE)
    assert not list(tmp_path.iterdir())


def test_short_labels() -> None:
    labels = ["naive(seeds=3, k=5)", "naive(seeds=3, k=9)", "vector(depth=1)", "plain"]
    assert list(naming.short_labels(labels).values()) == ["naive(k=5)", "naive(k=9)", "vector", "plain"]


def test_short_names() -> None:
    symbols = [
        symbol("shop.cart", "shop.cart", SymbolKind.MODULE),
        symbol("add", "shop.cart"),
        symbol("add", "shop.stock"),
        symbol("Cart.add", "shop.cart", SymbolKind.METHOD),
        symbol("pay", "shop.cart", line=3),
        symbol("pay", "shop.cart", line=9),
        symbol("once"),
    ]
    assert list(naming.short_names(symbols).values()) == [
        "shop.cart",
        "cart.add",
        "stock.add",
        "Cart.add",
        "pay (shop/cart.py:3)",
        "pay (shop/cart.py:9)",
        "once",
    ]


def test_ranks_are_drawn_where_a_walk_did_not_reach_what_was_found() -> None:
    """Other pairs may diverge on more questions: that loss is the one that nobody expects of a graph."""
    found = runs(VECTOR, NAIVE)
    nothing = ranking("")
    found = {VECTOR: found[VECTOR], "other": {"Q1": nothing, "Q2": nothing, "Q3": nothing}, NAIVE: dict(found[NAIVE])}
    found[NAIVE]["Q2"] = ranking("refund", 2, Trace((IDS["refund"],)))
    judged = evaluation(found)
    explained = causes.explanations(judged, found, MAIN, 2)
    assert [one.topic.id for one in explained if one.b == "other"] == ["Q3", "Q2"]
    drawn = report.draw(judged, MAIN, explained, EDGES, SYMBOLS, naming.short_names(SYMBOLS))
    ranks = [picture.caption for picture in drawn if picture.caption.startswith("Ranks for")]
    assert [caption.split(" under ")[0] for caption in ranks] == ["Ranks for Q2", "Ranks for Q1"]
    assert all("naive" in caption for caption in ranks)


def test_what_counts_with_nothing_relevant_is_said() -> None:
    found = runs(VECTOR, NAIVE)
    made = evaluation(found)
    judged = judge.evaluate(made.collection, {**made.judgements, "Q3": {IDS["refund"]: 0}}, found, [MAIN])
    text = Page(report.page(judged, MAIN, [], naming.short_names(SYMBOLS))).text
    assert "Questions with nothing relevant in the judgements count with 0 for every strategy: Q3." in text


def test_no_interval_has_its_reason() -> None:
    found = runs(VECTOR, NAIVE)
    made = evaluation(found)
    judged = judge.evaluate(made.collection, {"Q1": made.judgements["Q1"]}, found, [MAIN])
    assert "none: fewer than two questions" in Page(report.page(judged, MAIN, [], naming.short_names(SYMBOLS))).text


def judged_with_everything(count: int = 60) -> tuple[Evaluation, dict[str, Run]]:
    """Two categories, a strategy with a placebo, and a difference that is more than chance explains."""
    topics = tuple(Topic(f"Q{n}", f"question {n}", "odd" if n % 2 else "even") for n in range(count))
    judgements: Judgements = {topic.id: {IDS["total"]: 1} for topic in topics}
    good, bad = ranking("total checkout"), ranking("checkout refund total")
    found: dict[str, Run] = {
        "vector(depth=9)": {topic.id: bad for topic in topics},
        "naive(k=2)": {topic.id: good if n < 40 else bad for n, topic in enumerate(topics)},
        "placebo: naive(k=2)": {topic.id: bad for topic in topics},
    }
    collection = Collection("made", "", Path(), "python", topics, ())
    controls = {"naive(k=2)": "placebo: naive(k=2)"}
    return judge.evaluate(collection, judgements, found, [MAIN], controls), found


def test_verdicts_categories_placebos_and_baselines_are_reported(tmp_path: Path) -> None:
    judged, found = judged_with_everything()
    asked = {topic.id: topic.text for topic in judged.topics}
    before = gates.Baseline("b.json", asked, {"Recall@2": {"naive(k=2)": dict.fromkeys(asked, 1.0)}}, {})
    failed = gates.Gates((), "b.json", gates.regressions(judged, before, MAIN), ("naive: worse",))
    path = tmp_path / "r.html"
    about = [("The code", "3 files")]
    report.build_report(path, judged, found, EDGES, SYMBOLS, MAIN, 2, about=about, gates=failed)
    page = Page(path.read_text(encoding="utf-8"))
    for part in (
        "60 questions on the collection made were put to 2 strategies",
        "By more than chance explains, in Recall@2 against vector: naive better.",
        "Who calls whom matters to naive: on a shuffled graph the Recall@2 is lower.",
        "Failed : naive: worse",
        "naive lost Q40, Q41, Q42, Q43, Q44, Q45, Q46, Q47, Q48, Q49, Q50, Q51 and 8 more.",
        "even 30 questions",
        "naive against its placebo",
        "These are the worst losses and the greatest gains; 30 more questions differ.",
        "the graph was shuffled once, with one seed",
        "The code 3 files",
    ):
        assert part in page.text, part
    assert page.headings[:2] == ["Against the baseline", "Means"]


def test_without_a_placebo_the_page_says_how_to_run_one(tmp_path: Path) -> None:
    assert "Whether it is the graph that helps: run it with --placebo." in Page(made(tmp_path, VECTOR, NAIVE)).text
