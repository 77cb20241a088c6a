"""Every plug-in of the package passes the suite of its kind."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path

import pytest

from plait import plugins
from plait.embed.code import CodeEmbedder
from plait.embed.hashing import HashingEmbedder
from plait.embed.model2vec import Model2VecEmbedder
from plait.embed.onnx import OnnxEmbedder
from plait.embed.remote import OllamaEmbedder, OpenAIEmbedder
from plait.embed.sentence_transformers import SentenceTransformersEmbedder
from plait.embed.static import StaticEmbedder
from plait.evaluate.texts import Texts
from plait.graph.mixed import FlowGraph, ScopedGraph
from plait.graph.names import NameGraph
from plait.graph.shuffled import ShuffledGraph
from plait.model import SourceFile
from plait.parse.blocks.parser import BlockParser
from plait.parse.python import PythonParser
from plait.parse.treesitter.parser import TreeSitterParser
from plait.protocols import Parser
from plait.rerank.chat import Chat
from plait.rerank.cross_encoder import CrossEncoder
from plait.rerank.nearest import Nearest
from plait.retrieve.additive import Additive
from plait.retrieve.constrained import Constrained
from plait.retrieve.expansion import Walk
from plait.retrieve.hybrid import Hybrid
from plait.retrieve.lexical import Lexical
from plait.retrieve.naive import Naive
from plait.retrieve.reranked import Reranked
from plait.retrieve.structural import Structural
from plait.retrieve.vector import Vector
from plait.retrieve.weighted import Weighted
from plait.store.embedded import EmbeddedWriter
from plait.store.memory import MemoryWriter
from plait.testing import (
    SOURCES,
    EmbedderContract,
    GraphContract,
    ParserContract,
    StoreContract,
    StrategyContract,
)


class TestReranked(StrategyContract):
    def make(self) -> Reranked:
        return Reranked(of="hybrid", by="nearest(embedder='hashing')", first=3)


class TestHashing(EmbedderContract):
    def make(self) -> HashingEmbedder:
        return HashingEmbedder()


class TestCode(EmbedderContract):
    def make(self) -> CodeEmbedder:
        return CodeEmbedder()


class TestCodeInFewDimensions(EmbedderContract):
    def make(self) -> CodeEmbedder:
        return CodeEmbedder(dim=128)


class TestStatic(EmbedderContract):
    def make(self) -> StaticEmbedder:
        return StaticEmbedder()


class TestMemory(StoreContract):
    def make(self) -> MemoryWriter:
        return MemoryWriter()


class TestEmbedded(StoreContract):
    @pytest.fixture(autouse=True)
    def _folder(self, tmp_path: Path) -> None:
        self.path = tmp_path / "new" / "index.sqlite"

    def make(self) -> EmbeddedWriter:
        return EmbeddedWriter(self.path)

    def test_what_a_killed_writer_left_is_swept(self) -> None:
        left = self.path.with_name(f"{self.path.name}.1.new")
        left.parent.mkdir()
        left.write_bytes(b"begun")
        os.utime(left, (0, 0))
        self.both()
        assert sorted(entry.name for entry in self.path.parent.iterdir()) == [self.path.name]


class TestVector(StrategyContract):
    def make(self) -> Vector:
        return Vector()


class TestLexical(StrategyContract):
    def make(self) -> Lexical:
        return Lexical(depth=7)


class TestNaive(StrategyContract):
    def make(self) -> Naive:
        return Naive(seeds=2)


class TestConstrained(StrategyContract):
    def make(self) -> Constrained:
        return Constrained(walk=Walk.BOTH, hops=2, same_module=False)


class TestStructural(StrategyContract):
    def make(self) -> Structural:
        return Structural()


class TestSmoothed(StrategyContract):
    def make(self) -> Structural:
        return Structural(template="smoothed")


class TestWeighted(StrategyContract):
    def make(self) -> Weighted:
        return Weighted("hybrid", lexical=2.0, dense=0.0, edge=0.5)


class TestAdditive(StrategyContract):
    def make(self) -> Additive:
        return Additive()


class TestHybrid(StrategyContract):
    def make(self) -> Hybrid:
        return Hybrid()


class TestPython(ParserContract):
    SOURCE = SourceFile("shop/cart.py", "python", SOURCES["shop/cart.py"], "")

    def make(self) -> PythonParser:
        return PythonParser()


class TestGo(ParserContract):
    SOURCE = SourceFile(
        "shop/cart.go",
        "go",
        """package shop

// Cart is what somebody means to buy: größer als 0 €.
type Cart struct {
	items []Item
}

func (c *Cart) Add(item Item) {
	c.check(item)
}

func (c *Cart) check(item Item) {}
""",
        "",
    )

    def make(self) -> Parser:
        made: Parser = plugins.build("parser", "go")
        return made


class TestNames(GraphContract):
    def make(self) -> NameGraph:
        return NameGraph()


class TestScoped(GraphContract):
    def make(self) -> ScopedGraph:
        return ScopedGraph()


class TestFlow(GraphContract):
    def make(self) -> FlowGraph:
        return FlowGraph()


class TestShuffled(GraphContract):
    def make(self) -> ShuffledGraph:
        return ShuffledGraph(of="scoped")


@pytest.mark.parametrize("kind", plugins.BUILT_IN)
def test_every_plug_in_has_a_suite_here(kind: plugins.Kind) -> None:
    suites = {
        # Texts has its own in tests/unit/evaluate.
        "strategy": {Vector, Lexical, Naive, Constrained, Structural, Hybrid, Additive, Weighted, Reranked, Texts},
        # The last five have theirs in tests/integration: they need servers, or models of other libraries.
        "embedder": {
            *(CodeEmbedder, HashingEmbedder, StaticEmbedder),
            *(Model2VecEmbedder, OnnxEmbedder, SentenceTransformersEmbedder, OpenAIEmbedder, OllamaEmbedder),
        },
        # All of tests/integration/test_rerankers.py.
        "reranker": {Nearest, CrossEncoder, Chat},
        "graph": {NameGraph, ScopedGraph, FlowGraph, ShuffledGraph},
        "parser": {PythonParser, TreeSitterParser, BlockParser},
    }
    made = {plugins.load(kind, name) for name in plugins.BUILT_IN[kind]}
    # A language of tree-sitter is one class with its own table.
    assert {one.func if isinstance(one, partial) else one for one in made} == suites[kind]
