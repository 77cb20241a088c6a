"""plait's own model: how words become tokens, what is loaded, and what it must know."""

from __future__ import annotations

import hashlib
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer

from plait.embed import code
from plait.embed.code import CodeEmbedder, Pieces
from plait.errors import BadParameter

VOCABULARY = {"[UNK]": 0, "http": 1, "server": 2, "get": 3, "##er": 4, "s": 5, "##s": 6, "2": 7, "##0": 8}


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("HTTPServer.get_server2", [1, 2, 3, 2, 7]),
        ("servers getter", [2, 6]),
        ("GETTER", []),
        ("20 2", [7, 8, 7]),
        ("S" * 101, []),
        ("größer 日本", []),
        ("", []),
    ],
)
def test_words_and_pieces(text: str, tokens: list[int]) -> None:
    pieces = Pieces(VOCABULARY)
    assert pieces.of(text) == tokens
    assert pieces.of(text) == tokens  # the second time from what is kept


@given(st.text(st.sampled_from("aBcDxyzHTTP019_. (#\n"), max_size=60))
def test_tokens_are_those_of_the_tokenizer_that_others_load(text: str) -> None:
    tokenizer = Tokenizer.from_file(str(code.MODEL / "tokenizer.json"))
    assert code._pieces().of(text) == tokenizer.encode(text).ids


def test_a_question_has_the_vector_that_it_would_have_as_a_document() -> None:
    texts = ["load the invoice", "def getHTTPResponse(): pass", ""]
    made = CodeEmbedder()
    assert np.array_equal(made.encode(texts, role="query"), made.encode(texts, role="document"))


def test_the_table_is_not_made_for_a_question() -> None:
    code._table.cache_clear()
    CodeEmbedder().encode(["load the invoice"], role="query")
    assert code._table.cache_info().currsize == 0
    CodeEmbedder().encode(["load the invoice"], role="document")
    assert code._table.cache_info().currsize == 1


def test_fewer_dimensions_are_the_first_ones() -> None:
    whole, part = (CodeEmbedder(dim=dim).encode(["open a file"], role="query")[0] for dim in (256, 128))
    assert np.allclose(part, whole[:128] / np.linalg.norm(whole[:128]), atol=1e-6)
    with pytest.raises(BadParameter, match="at most 256"):
        CodeEmbedder(dim=257)


def test_the_fingerprint_names_the_weights() -> None:
    weights = hashlib.sha256((code.MODEL / "model.safetensors").read_bytes()).hexdigest()
    assert code.FINGERPRINT.endswith(weights[:12])


def test_the_model_fits_into_the_wheel() -> None:
    assert sum(path.stat().st_size for path in code.MODEL.iterdir()) < 12_000_000
    assert json.loads((code.MODEL / "config.json").read_text()) == {"normalize": True}


@pytest.mark.parametrize(
    ("question", "answer", "other"),
    [
        ("sign in", "def authenticate(username, password): ...", "def resize_image(image, width): ..."),
        ("give the money back", "def refund(order): ...", "def parse_header(line): ..."),
        ("try again after an error", "def with_retry(call, attempts): ...", "def draw_circle(x, y): ..."),
        ("delete a row", "def remove_record(table, key): ...", "def read_config(path): ..."),
    ],
)
def test_questions_without_a_word_of_the_code(question: str, answer: str, other: str) -> None:
    asked, right, wrong = CodeEmbedder().encode([question, answer, other], role="document")
    assert asked @ right > asked @ wrong
