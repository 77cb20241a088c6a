"""The shortcuts of the static embedder give what the whole way gives."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plait.embed import static
from plait.embed.static import StaticEmbedder

CODE = "def f(a):\n    if a:\n        return {\n  'x': a}\n\n\n"
ODD = [
    "",
    " ",
    "\n",
    ":\n",
    "{\n:\n",
    " :\n x",
    "a <s>:\nb",
    "x</s>:\n  z",
    "<unk>",
    "\r\n",
    "a:\r\nb",
    "\t:\n\tx",
    "é:\n語",
    "\0:\n",
]
PIECES = st.sampled_from([*ODD, CODE, "self.value", "    ", ":", "class A:\n", "▁", "<", "s>", "//"])


def whole(text: str) -> list[int]:
    tokens: list[int] = static._tokenizer().encode(text, add_special_tokens=False).ids
    return tokens


def test_no_token_reaches_over_a_line_feed() -> None:
    assert [token for token in static._tokenizer().get_vocab() if "\n" in token] == []


@pytest.mark.parametrize("text", [*ODD, CODE, CODE * 3])
def test_tokens_of_pieces_are_those_of_the_whole(text: str) -> None:
    assert static._tokens([text, CODE]) == [whole(text), whole(CODE)]


@given(st.lists(st.lists(PIECES, max_size=8).map("".join), min_size=2, max_size=4))
def test_tokens_of_pieces_are_those_of_the_whole_for_any_text(texts: list[str]) -> None:
    assert static._tokens(texts) == [whole(text) for text in texts]
    assert StaticEmbedder().count(texts) == [len(whole(text)) for text in texts]


def test_a_question_has_the_vector_that_it_would_have_as_a_document() -> None:
    texts = ["load the invoice", CODE, ""]
    made = StaticEmbedder()
    assert np.array_equal(made.encode(texts, role="query"), made.encode(texts, role="document"))
    assert made.encode(texts, role="query")[2].any() == np.False_


def test_few_pieces_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(static, "KEPT_PIECES", 3)
    expected = StaticEmbedder().count([CODE, CODE * 2])
    for number in range(4):
        StaticEmbedder().count([f"def f{number}():\n    pass\n", "x"])
    assert len(static._pieces) < 8
    assert StaticEmbedder().count([CODE, CODE * 2]) == expected
