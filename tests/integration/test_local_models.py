"""Models in folders: a static one in model2vec's format, and a small network as ONNX."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

import numpy as np
import pytest

from plait import Engine
from plait.embed import hub, sentence_transformers
from plait.embed.code import MODEL
from plait.embed.hashing import HashingEmbedder
from plait.embed.model2vec import Model2VecEmbedder
from plait.embed.onnx import OnnxEmbedder
from plait.embed.sentence_transformers import SentenceTransformersEmbedder
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


class Library(ModuleType):
    """As much of sentence-transformers as is used: a model that is a folder, one that the hub has, no other."""

    loaded: ClassVar[list[tuple[str, bool]]] = []
    here: ClassVar[set[str]] = set()

    class Tokens:
        def encode(self, text: str, **_: object) -> list[int]:
            return [0] * len(text.split())

    class SentenceTransformer:
        tokenizer: Any

        def __init__(self, model: str, *, device: str, local_files_only: bool = False) -> None:
            Library.loaded.append((model, local_files_only))
            if local_files_only and model not in Library.here:
                raise OSError(f"cannot find {model}\nand much more")
            self.tokenizer = Library.Tokens()

        def encode_query(self, texts: list[str], **_: object) -> Any:
            return HashingEmbedder(dim=48).encode([f"query {text}" for text in texts], role="query") * 3

        def encode_document(self, texts: list[str], **_: object) -> Any:
            return HashingEmbedder(dim=48).encode([f"passage {text}" for text in texts], role="document") * 3


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setitem(sys.modules, "sentence_transformers", Library("sentence_transformers"))
    monkeypatch.setattr(Library, "loaded", [])
    monkeypatch.setattr(Library, "here", {str(tmp_path)})
    sentence_transformers._loaded.cache_clear()
    (tmp_path / "model.safetensors").write_bytes(b"weights")
    return tmp_path


class TestSentenceTransformers(EmbedderContract):
    @pytest.fixture(autouse=True)
    def _library(self, library: Path) -> None:
        self.folder = library

    def make(self) -> SentenceTransformersEmbedder:
        return SentenceTransformersEmbedder(model=str(self.folder))


def test_questions_and_documents_have_what_the_model_puts_before_them(library: Path) -> None:
    embedder = SentenceTransformersEmbedder(model=str(library))
    for role, before in (("query", "query"), ("document", "passage")):
        wanted = HashingEmbedder(dim=48).encode([f"{before} cart"], role="query")
        assert np.allclose(embedder.encode(["cart"], role=role), wanted)  # type: ignore[arg-type]


def test_a_name_is_looked_for_here_before_the_hub_is_asked(library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr(hub, "ask", asked.append)
    SentenceTransformersEmbedder(model="some/model").encode(["x"], role="query")
    assert Library.loaded == [("some/model", True), ("some/model", False)]
    assert asked == ["some/model"]
    with pytest.raises(CannotEmbed, match=r"cannot find other/model; give a folder with model="):
        SentenceTransformersEmbedder(model="other/model").at_hand()
    assert asked == ["some/model"]


def test_a_hub_that_is_out_of_reach_is_told_at_once(library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(model: str) -> None:
        raise ConnectionError("no network")

    monkeypatch.setattr(hub, "ask", refuse)
    with pytest.raises(CannotEmbed, match="no network; give a folder with model=, or be online once"):
        SentenceTransformersEmbedder(model="some/model").encode(["x"], role="query")
    assert Library.loaded == [("some/model", True)]


def test_two_runtimes_of_minilm_agree() -> None:
    """PLAIT_MINILM is a folder with all-MiniLM-L6-v2 as sentence-transformers keeps it, and as model.onnx."""
    folder = os.environ.get("PLAIT_MINILM", "")
    if not folder:
        pytest.skip("PLAIT_MINILM names no folder")
    pytest.importorskip("sentence_transformers")
    pytest.importorskip("onnxruntime")
    one, other = SentenceTransformersEmbedder(model=folder), OnnxEmbedder(folder=folder)
    texts = ["def total(cart): return sum(cart)", "verify the user's password", ""]
    assert np.allclose(one.encode(texts, role="document"), other.encode(texts, role="document"), atol=1e-5)
    assert one.count(texts) == other.count(texts)


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


def test_a_name_of_the_hub_is_asked_for_once_before_anything_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("model2vec")

    def refuse(model: str) -> None:
        raise ConnectionError(f"no network for {model}")

    monkeypatch.setattr(hub, "kept", lambda model: None)
    monkeypatch.setattr(hub, "ask", refuse)
    with pytest.raises(CannotEmbed, match=r"no network for some/model; give a folder with model="):
        Model2VecEmbedder(model="some/model").encode(["x"], role="query")


def test_a_folder_that_is_not_there_is_no_name_of_the_hub(tmp_path: Path) -> None:
    pytest.importorskip("model2vec")
    with pytest.raises(CannotEmbed, match="no such folder; give a folder with model="):
        Model2VecEmbedder(model=str(tmp_path / "none")).encode(["x"], role="query")
