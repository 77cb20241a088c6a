"""Contract suites: what every embedder, store, strategy, parser and graph builder must do, for plug-in authors.

Subclass a suite in a test file and say how the thing is made; pytest collects the inherited tests:

    class TestMine(EmbedderContract):
        def make(self) -> Embedder:
            return MyEmbedder()
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from plait import plugins
from plait.document import EMBEDDED, TEMPLATES, Neighbours, runs_of
from plait.dump import dump
from plait.embed.hashing import HashingEmbedder
from plait.embedding import embed
from plait.facts import ParsedFile
from plait.links import links_of
from plait.model import (
    Candidate,
    Direction,
    EdgeKind,
    Filter,
    Graph,
    Query,
    Recovered,
    Skipped,
    SkipReason,
    SnapshotInfo,
    SourceFile,
    SymbolKind,
)
from plait.parse.python import PythonParser
from plait.ranking import ordered
from plait.store.memory import MemoryWriter
from plait.terms import query_terms

if TYPE_CHECKING:
    from plait.model import Symbol
    from plait.protocols import Embedder, GraphBuilder, Parser, Snapshot, Strategy, Writer

SOURCES = {
    "shop/cart.py": '''"""Carts."""

from shop.db import run
from shop.money import total as sum_up

LIMIT = 20


class Cart:
    """What somebody means to buy."""

    size = 0

    def add(self, item):
        self.check(item)
        run("insert", item)

    def check(self, item):
        if item is None:
            raise ValueError(item)


def checkout(cart: Cart):
    cart.check(None)
    return sum_up(cart)


def recount(cart):
    return recount(cart) if cart else unknown(cart)
''',
    "shop/db.py": """def run(statement, value):
    return connect().execute(statement, value)


def connect():
    import sqlite3

    return sqlite3.connect(":memory:")
""",
    "shop/money.py": '''def total(cart):
    """Prices, then discounts, then taxes: größer als 0 €."""
    return sum(price for price in cart)
''',
    "tests/test_shop.py": """from shop.cart import checkout


def test_checkout():
    assert checkout([]) == 0
""",
}
"""A small repository that the suites run on."""

BROKEN = Recovered("broken.py", "line 3: invalid syntax", ((3, 4), (9, 9)))

QUESTIONS = ("insert an item into the cart", "connect", "taxes and discounts", "LIMIT", "nothing of this is there")


def parsed(sources: dict[str, str]) -> tuple[list[ParsedFile], dict[str, SourceFile]]:
    files = {path: SourceFile(path, "python", text, path) for path, text in sources.items()}
    facts = [PythonParser().parse(file) for file in files.values()]
    return [file for file in facts if isinstance(file, ParsedFile)], files


def snapshot_of(
    sources: dict[str, str], writer: Writer | None = None, embedder: Embedder | None = None, graph: str = "scoped"
) -> Snapshot:
    """Index texts that are in memory (path -> text), by default into the memory store with the hashing embedder."""
    embedder = embedder or HashingEmbedder()
    writer = writer or MemoryWriter()
    facts, files = parsed(sources)
    linked: Graph = plugins.build("graph", graph).build(facts)
    symbols = sorted((symbol for file in facts for symbol in file.symbols), key=lambda symbol: symbol.id)
    names = {symbol.id: symbol.name for symbol in symbols}
    embedded = embed(symbols, runs_of(files), Neighbours(linked.edges), names, embedder, writer)
    writer.connect(links_of(linked))
    writer.observe([], [Skipped("logo.png", SkipReason.BINARY)], [BROKEN])
    counts = embedded.passages
    return writer.commit(SnapshotInfo("state", "/", embedder.fingerprint, graph, len(facts), len(symbols), counts))


def question(text: str, embedder: Embedder | None = None, where: Filter = Filter()) -> Query:
    (vector,) = (embedder or HashingEmbedder()).encode([text], role="query")
    return Query(text, vector, query_terms(text), where)


class EmbedderContract:
    def make(self) -> Embedder:
        raise NotImplementedError

    TEXTS = ("def total(cart): return sum(cart)", "verify the user's password", "größer als 0 €", "x")

    def test_shape_and_length(self) -> None:
        import numpy as np

        embedder = self.make()
        rows = embedder.encode(self.TEXTS, role="document")
        assert rows.shape == (len(self.TEXTS), embedder.dim)
        assert rows.dtype == np.float32
        assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)

    def test_a_row_does_not_depend_on_its_batch(self) -> None:
        embedder = self.make()
        rows = embedder.encode(self.TEXTS, role="document")
        for row, text in zip(rows, self.TEXTS, strict=True):
            assert (embedder.encode([text], role="document")[0] == row).all()
        assert (embedder.encode(self.TEXTS[::-1], role="document")[::-1] == rows).all()

    def test_no_texts_and_empty_texts(self) -> None:
        embedder = self.make()
        assert embedder.encode([], role="query").shape == (0, embedder.dim)
        assert not embedder.encode([""], role="query").any()

    def test_the_window_holds_at_least_a_line(self) -> None:
        embedder = self.make()
        assert embedder.window >= 32
        assert embedder.count(["", "one two three"])[0] == 0
        assert embedder.count(["", "one two three"])[1] >= 3

    def test_no_more_tokens_than_bytes_and_a_mark_at_either_end(self) -> None:
        texts = [*self.TEXTS, "a b c d", "....", "\t\t\n\n", "日本語", "🙂🙂"]
        counts = self.make().count(texts)
        assert all(count <= len(text.encode()) + 2 for count, text in zip(counts, texts, strict=True))

    def test_the_fingerprint_is_stable(self) -> None:
        assert self.make().fingerprint == self.make().fingerprint


class StoreContract:
    """A store must answer exactly as the memory store does, to the last digit."""

    def make(self) -> Writer:
        raise NotImplementedError

    def both(self) -> tuple[Snapshot, Snapshot]:
        return snapshot_of(SOURCES, self.make()), snapshot_of(SOURCES)

    FILTERS = (
        Filter(),
        Filter(path="shop/*"),
        Filter(kinds=frozenset({SymbolKind.METHOD})),
        Filter(tests=True),
        Filter(tests=False),
        Filter(module="shop.cart"),
        Filter(language="cobol"),
    )

    def test_symbols_and_texts(self) -> None:
        mine, reference = self.both()
        ids = [symbol.id for symbol in reference.symbols()]
        assert mine.symbols() == reference.symbols()
        assert mine.symbols([*ids[::-1], ids[0]]) == reference.symbols([*ids[::-1], ids[0]])
        assert mine.texts(ids) == reference.texts(ids)
        assert mine.named("checkout") == reference.named("checkout") != []
        assert mine.named("nobody") == []
        for text in ("cart", "RETURN", "i", "100%", "nowhere"):
            assert mine.containing(text) == reference.containing(text)
        assert len(mine.containing("cart")) > 1
        assert mine.info == reference.info

    def test_rankings(self) -> None:
        mine, reference = self.both()
        for text in QUESTIONS:
            for where in self.FILTERS:
                asked = question(text, where=where)
                for k in (1, 3, 100):
                    assert mine.matching(asked.terms, k, where) == reference.matching(asked.terms, k, where)
                    for template in TEMPLATES:
                        found = mine.nearest(asked.vector, k, where, template)
                        assert found == reference.nearest(asked.vector, k, where, template)
                        assert len(found.candidates) <= k
        assert mine.matching(["shop"], 1, Filter(ids=frozenset())).candidates == ()

    def test_pools(self) -> None:
        mine, reference = self.both()
        everything = [symbol.id for symbol in reference.symbols()]
        for text in QUESTIONS:
            for where in self.FILTERS:
                for depth, seeds, also in ((1, 0, ()), (2, 1, everything[:1]), (100, 5, ())):
                    found = mine.pool(question(text, where=where), depth, seeds, also)
                    same = reference.pool(question(text, where=where), depth, seeds, also)
                    assert found.ids == same.ids == sorted(set(found.ids))
                    assert all(where.accepts(symbol) for symbol in reference.symbols(found.ids))
                    for name in ("seeds", "names", "kinds", "paths", "calls"):
                        assert getattr(found, name) == getattr(same, name)
                    for name in ("tests", "lengths", "rarity", "lexical", "callers", "callees"):
                        assert (getattr(found, name) == getattr(same, name)).all()
                    assert all((found.dense[one] == same.dense[one]).all() for one in EMBEDDED)
                    assert list(map(found.span, range(len(found.ids)))) == list(map(same.span, range(len(found.ids))))
        assert set(mine.pool(question("zzzz"), 5, 0, everything[:2]).ids) >= set(everything[:2])

    def test_edges(self) -> None:
        mine, reference = self.both()
        ids = [symbol.id for symbol in reference.symbols()]
        for direction in Direction:
            for kinds in ([EdgeKind.CALLS], [EdgeKind.CALLS, EdgeKind.CONTAINS], []):
                assert mine.edges(ids, kinds, direction) == reference.edges(ids, kinds, direction)
                assert mine.edges(ids[:3], kinds, direction) == reference.edges(ids[:3], kinds, direction)
                assert mine.degree(ids, kinds, direction) == reference.degree(ids, kinds, direction)

    def test_unresolved_skipped_and_recovered(self) -> None:
        mine, reference = self.both()
        assert mine.unresolved() == reference.unresolved() != []
        assert mine.unresolved(name="unknown") == reference.unresolved(name="unknown") != []
        source = reference.unresolved(name="unknown")[0].reference.source
        assert mine.unresolved(source=source) == reference.unresolved(source=source)
        assert mine.skipped() == reference.skipped() == [Skipped("logo.png", SkipReason.BINARY)]
        assert mine.recovered() == reference.recovered() == [BROKEN]
        assert mine.files() == reference.files()

    def test_stored_vectors_are_found_by_their_text(self) -> None:
        from plait.document import digest

        mine, reference = self.both()
        texts = reference.texts([symbol.id for symbol in reference.symbols()])
        digests = {digest(text) for text in texts.values()}
        found, expected = mine.vectors(digests), reference.vectors(digests)
        assert sorted(found) == sorted(expected) != []
        assert all((found[key] == expected[key]).all() for key in found)

    def test_everything_can_be_read_in_one_order(self) -> None:
        mine, reference = self.both()
        assert list(mine.postings()) == list(reference.postings()) != []
        for template in TEMPLATES:
            assert list(mine.passages(template)) == list(reference.passages(template)) != []
        assert list(dump(mine)) == list(dump(reference)) != []


class StrategyContract:
    def make(self) -> Strategy:
        raise NotImplementedError

    def test_prints_itself_and_is_read_back(self) -> None:
        assert plugins.build("strategy", str(self.make())) == self.make()

    def test_total_order_and_pool(self) -> None:
        snapshot = snapshot_of(SOURCES)
        for text in QUESTIONS:
            ranking = self.make().retrieve(question(text), snapshot)
            candidates = tuple(ranking.candidates)
            assert candidates == ordered(candidates)
            assert tuple(ranking.pool[: len(candidates)]) == candidates
            ids = [candidate.symbol for candidate in ranking.pool]
            assert len(set(ids)) == len(ids)

    def test_every_candidate_has_finite_reasons_of_different_kinds(self) -> None:
        snapshot = snapshot_of(SOURCES)
        for candidate in _candidates(self.make(), snapshot):
            assert candidate.reasons
            assert all(math.isfinite(reason.value) for reason in candidate.reasons)
            sources = [reason.source for reason in candidate.reasons]
            assert len(set(sources)) == len(sources)

    def test_filters_hold_for_every_candidate(self) -> None:
        snapshot = snapshot_of(SOURCES)
        for where in StoreContract.FILTERS:
            found = _candidates(self.make(), snapshot, where)
            assert all(where.accepts(symbol) for symbol in snapshot.symbols([c.symbol for c in found]))

    def test_an_edge_that_is_a_reason_is_an_edge_of_the_snapshot(self) -> None:
        snapshot = snapshot_of(SOURCES)
        for candidate in _candidates(self.make(), snapshot):
            for edge in (reason.edge for reason in candidate.reasons if reason.edge):
                assert candidate.symbol in (edge.source, edge.target)
                assert edge in snapshot.edges([edge.source], [edge.kind], Direction.OUT)


def _candidates(strategy: Strategy, snapshot: Snapshot, where: Filter = Filter()) -> list[Candidate]:
    return [
        found for text in QUESTIONS for found in strategy.retrieve(question(text, where=where), snapshot).candidates
    ]


class ParserContract:
    SOURCE: SourceFile
    """a file of the language with at least one function"""

    def make(self) -> Parser:
        raise NotImplementedError

    def test_facts_are_a_function_of_the_file(self) -> None:
        assert self.make().parse(self.SOURCE) == self.make().parse(self.SOURCE)

    def test_ids_are_unique_and_parents_exist(self) -> None:
        symbols = self._symbols(self.SOURCE)
        ids = [symbol.id for symbol in symbols]
        assert len(set(ids)) == len(ids)
        assert symbols[0].kind in (SymbolKind.MODULE, SymbolKind.FILE)
        assert all(symbol.parent in ids for symbol in symbols[1:])
        assert not any(character.isspace() for symbol in ids for character in symbol)

    def test_the_text_of_a_span_is_its_lines(self) -> None:
        for text in (self.SOURCE.text, self.SOURCE.text.replace("\n", "\r\n")):
            file = replace(self.SOURCE, text=text)
            content, lines = text.encode(), text.replace("\r\n", "\n").split("\n")
            for symbol in self._symbols(file):
                for span in (symbol.span, *symbol.own):
                    own = content[span.start_byte : span.end_byte].decode().replace("\r\n", "\n")
                    assert own == "\n".join(lines[span.start_line - 1 : span.end_line])

    def test_broken_text_never_raises(self) -> None:
        text = self.SOURCE.text
        for broken in (text[: len(text) // 2], "\0" + text, text.replace("(", ""), "(" * 5000, text * 3):
            assert self.make().parse(replace(self.SOURCE, text=broken)) is not None

    def _symbols(self, file: SourceFile) -> Sequence[Symbol]:
        facts = self.make().parse(file)
        assert isinstance(facts, ParsedFile)
        return facts.symbols


class GraphContract:
    def make(self) -> GraphBuilder:
        raise NotImplementedError

    def test_the_order_of_files_does_not_matter(self) -> None:
        facts, _ = parsed(SOURCES)
        assert self.make().build(facts) == self.make().build(facts[::-1])

    def test_edges_join_known_symbols_once(self) -> None:
        facts, _ = parsed(SOURCES)
        ids = {symbol.id for file in facts for symbol in file.symbols}
        edges = self.make().build(facts).edges
        keys: list[Any] = [(edge.source, edge.target, edge.kind, edge.via) for edge in edges]
        assert edges
        assert keys == sorted(set(keys))
        assert all(edge.source in ids and edge.target in ids for edge in edges)
        assert all(0 < edge.confidence <= 1 and edge.candidates >= 1 for edge in edges)

    def test_no_files(self) -> None:
        assert self.make().build([]) == Graph((), ())
