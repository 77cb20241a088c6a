"""Linking one file anew opens the files that tell of what it asks for, and no others."""

from __future__ import annotations

from files_around import FilesAround
from plait import extraction
from plait.facts import ParsedFile, outline_of
from plait.graph.mixed import ScopedGraph
from plait.model import SourceFile
from plait.tellings import Tellings, told_by

FILES = {
    "app/main.go": 'package app\n\nimport "x.org/shop/cart"\n\nfunc Run() int { return cart.Total(load()) }\n',
    "app/load.go": "package app\n\nfunc load() []int { return nil }\n",
    "app/other.go": "package app\n\nfunc unload() {}\n",
    "cart/total.go": "package cart\n\nfunc Total(items []int) int { return len(items) }\n",
    "cart/tax.go": "package cart\n\nfunc Tax() int { return 0 }\n",
}


def parsed(path: str, text: str) -> ParsedFile:
    file = extraction.parse(SourceFile(path, "go", text, ""), flow=False)
    assert isinstance(file, ParsedFile)
    return file


def test_only_what_tells_of_a_name_that_is_asked_for_is_opened() -> None:
    files = {path: parsed(path, text) for path, text in FILES.items()}
    around = FilesAround(files)
    outlines = [outline_of(one) for one in files.values() if one.path != "app/main.go"]
    graph = ScopedGraph().relink([files["app/main.go"]], outlines, around)
    whole = ScopedGraph().build(list(files.values()))
    assert list(graph.edges) == [edge for edge in whole.edges if edge.path == "app/main.go"]
    assert {edge.target for edge in graph.edges} >= {"app/load.go:load().", "cart/total.go:Total()."}
    assert sorted(around.opened) == ["app/load.go", "cart/tax.go", "cart/total.go"]


def test_a_file_that_has_changed_is_lacking_until_it_is_added_again() -> None:
    before, after = parsed("a.go", "package a\n\nfunc Old() {}\n"), parsed("a.go", "package a\n\nfunc New() {}\n")
    tellings = Tellings()
    tellings.add("a.go", "1", told_by(before))
    assert tellings.lacking({"a.go": "1"}) == []
    assert tellings.lacking({"a.go": "2", "b.go": "1"}) == ["a.go", "b.go"]
    tellings.add("a.go", "2", told_by(after))
    kept = Tellings.unpacked(tellings.packed())
    assert kept.lacking({"a.go": "2"}) == []
    assert set(kept.of("New")) == {"a.go"}
    assert not Tellings.unpacked(b"damaged")
