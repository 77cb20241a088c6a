"""Models in folders: a static one in model2vec's format, and a small network as ONNX."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from plait import Engine
from plait.embed.code import MODEL
from plait.embed.model2vec import Model2VecEmbedder
from plait.embed.onnx import OnnxEmbedder
from plait.errors import BadParameter, CannotEmbed
from plait.testing import EmbedderContract

WORDS = ["[PAD]", "[UNK]", "total", "cart", "sum", "def", "return", "user", "password", "verify", "the", "one", "two"]


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A network that looks each token up in a table: the form of a transformer's input and output."""
    onnx = pytest.importorskip("onnx")
    pytest.importorskip("onnxruntime")
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Whitespace

    folder = tmp_path_factory.mktemp("network")
    table = np.random.default_rng(0).normal(size=(len(WORDS), 24)).astype(np.float32)
    kinds = onnx.TensorProto
    graph = onnx.helper.make_graph(
        [onnx.helper.make_node("Gather", ["table", "input_ids"], ["last_hidden_state"])],
        "lookup",
        [onnx.helper.make_tensor_value_info("input_ids", kinds.INT64, ["batch", "tokens"])],
        [onnx.helper.make_tensor_value_info("last_hidden_state", kinds.FLOAT, ["batch", "tokens", 24])],
        [onnx.numpy_helper.from_array(table, "table")],
    )
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=9)
    onnx.save(model, str(folder / "model.onnx"))
    tokenizer = Tokenizer(WordLevel({word: number for number, word in enumerate(WORDS)}, "[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder


class TestOnnx(EmbedderContract):
    @pytest.fixture(autouse=True)
    def _network(self, network: Path) -> None:
        self.folder = network

    def make(self) -> OnnxEmbedder:
        return OnnxEmbedder(folder=str(self.folder))


class TestModel2Vec(EmbedderContract):
    @pytest.fixture(autouse=True)
    def _library(self) -> None:
        pytest.importorskip("model2vec")

    def make(self) -> Model2VecEmbedder:
        return Model2VecEmbedder(model=str(MODEL))


def test_an_index_by_a_network_is_searched(network: Path, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("def total(cart): return sum(cart)\ndef verify(user, password): pass\n")
    engine = Engine.open(tmp_path, embedder=f"onnx(folder={json.dumps(str(network))})")
    assert engine.search("verify the user password", strategy="vector")[0].symbol.name == "verify"


def test_what_stands_before_a_question_counts_for_questions(network: Path) -> None:
    embedder = OnnxEmbedder(folder=str(network), query="sum ")
    assert not np.allclose(embedder.encode(["cart"], role="query"), embedder.encode(["cart"], role="document"))
    assert embedder.fingerprint != OnnxEmbedder(folder=str(network)).fingerprint


def test_a_folder_without_a_model_is_told(tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime")
    with pytest.raises(CannotEmbed, match=r"none of model\.onnx"):
        OnnxEmbedder(folder=str(tmp_path)).encode(["x"], role="query")
    with pytest.raises(BadParameter, match="give the model's folder"):
        OnnxEmbedder()
    (tmp_path / "model.onnx").write_bytes(b"no model")
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(CannotEmbed, match="export the model again"):
        OnnxEmbedder(folder=str(tmp_path)).encode(["x"], role="query")


def test_a_static_model_that_is_none_is_told(tmp_path: Path) -> None:
    pytest.importorskip("model2vec")
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(CannotEmbed, match="give a folder with model="):
        Model2VecEmbedder(model=str(tmp_path)).encode(["x"], role="query")
