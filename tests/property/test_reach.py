"""What an edit reaches: after any edits the files that were linked anew, and those left as they were, are all right."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from programs import LANGUAGES, Edits

from files_around import FilesAround
from plait import extraction
from plait.facts import ParsedFile, outline_of
from plait.graph.edit import Edit
from plait.graph.mixed import ScopedGraph
from plait.graph.reach import reached
from plait.model import Graph, SourceFile
from plait.source.languages import language
from plait.terms import terms

EXAMPLES = int(os.environ.get("PLAIT_EXAMPLES", "5"))
STEPS = 6


def parsed(files: Mapping[str, str]) -> dict[str, ParsedFile]:
    made = (extraction.parse(SourceFile(path, language(path) or "", files[path], ""), flow=False) for path in files)
    return {one.path: one for one in made if isinstance(one, ParsedFile)}


def words_of(file: ParsedFile, text: str) -> set[str]:
    """The terms under which the file's symbols are found."""
    lines = text.split("\n")
    own = [
        "\n".join(lines[span.start_line - 1 : span.end_line])
        for symbol in file.symbols
        for span in (symbol.own if symbol.own is not None else (symbol.span,))
    ]
    return {term for one in own for term in terms(one)}


def by_file(graph: Graph) -> dict[str, tuple[list[object], list[object]]]:
    found: dict[str, tuple[list[object], list[object]]] = {}
    for edge in graph.edges:
        found.setdefault(edge.path, ([], []))[0].append(edge)
    for site in graph.unresolved:
        found.setdefault(site.path, ([], []))[1].append(site)
    return found


class Linked:
    """A program that is linked anew only where an edit reaches."""

    def __init__(self, files: Mapping[str, str]) -> None:
        self.texts = dict(files)
        self.files = parsed(files)
        self.graph = by_file(ScopedGraph().build(list(self.files.values())))
        self.relinked: set[str] = set()

    def edited(self, texts: Mapping[str, str]) -> None:
        before = self.files
        again = [path for path in texts if texts[path] != self.texts.get(path)]
        changed = parsed({path: texts[path] for path in again})
        kept = {path: before[path] for path in before if path in texts and path not in again}
        edits = [
            Edit(before.get(path), changed.get(path))
            for path in sorted({*(before.keys() - kept.keys()), *changed.keys()})
        ]
        around = [outline_of(kept[path]) for path in sorted(kept)]
        terms_of = {path: words_of(kept[path], texts[path]) for path in kept}

        def mentioning(names: Collection[str]) -> list[str]:
            if not all(map(terms, names)):
                return sorted(kept)
            asked = {term for name in names for term in terms(name)[:1]}
            return sorted(path for path in kept if terms_of[path] & asked)

        found = reached(edits, around, mentioning, kept.__getitem__) if edits else set()
        assert found is not None
        self.relinked = {*changed, *found}
        graph = ScopedGraph().relink(
            [*changed.values(), *(kept[path] for path in sorted(found))],
            [one for one in around if one.path not in found],
            FilesAround(kept),
        )
        self.graph = {path: self.graph[path] for path in kept if path not in found and path in self.graph}
        self.graph |= by_file(graph)
        self.texts, self.files = dict(texts), {**kept, **changed}


@pytest.mark.parametrize("name", LANGUAGES)
@settings(max_examples=EXAMPLES, deadline=None, derandomize=True, database=None)
@given(seed=st.integers(0, 1_000_000))
def test_an_edit_reaches_what_links_otherwise(name: str, seed: int) -> None:
    assert is_linked(Edits(name, Random(seed)))


def is_linked(edits: Edits) -> bool:
    """Whether step after step each file has the edges and sites that it has among all files linked anew."""
    linked = Linked(edits.files)
    for _ in range(STEPS):
        edits.step()
        linked.edited(edits.files)
        if linked.graph != by_file(ScopedGraph().build(list(linked.files.values()))):
            return False
    return True


@pytest.mark.parametrize("name", LANGUAGES)
def test_a_change_in_one_file_alone_would_be_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """That is, these edits do reach other files."""
    monkeypatch.setattr("test_reach.reached", lambda *given: set())
    assert not all(is_linked(Edits(name, Random(seed))) for seed in range(100))


def test_what_an_edit_does_not_reach_stays() -> None:
    files = {
        "shop/cart.go": "package shop\n\nfunc Total() int {\n\treturn 1\n}\n",
        "shop/bill.go": "package shop\n\nfunc Pay() {\n\tTotal()\n}\n",
        "main.go": 'package main\n\nimport "example.com/shop"\n\nfunc main() {\n\tshop.Pay()\n}\n',
    }
    linked = Linked(files)
    linked.edited(files | {"shop/cart.go": files["shop/cart.go"].replace("1", "2")})
    assert linked.relinked == {"shop/cart.go"}
    linked.edited(linked.texts | {"shop/cart.go": files["shop/cart.go"].replace("Total()", "Total(one int)")})
    assert linked.relinked == {"shop/cart.go", "shop/bill.go"}
    linked.edited(linked.texts | {"shop/cart.go": files["shop/cart.go"].replace("Total", "Sum")})
    assert linked.relinked == {"shop/cart.go", "shop/bill.go"}
