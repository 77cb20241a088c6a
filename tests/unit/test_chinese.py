from __future__ import annotations

from collections import Counter
from importlib.resources import files
from pathlib import Path

import pytest

from plait import Engine
from plait.chinese import bridged


@pytest.mark.parametrize(
    ("text", "understood"),
    [
        ("process payment", "process payment"),
        ("处理付款", "处理付款 process handle pay payment"),
        ("数据库连接池", "数据库连接池 database connection pool"),  # the longest word first: not 数据
        ("创建 Stripe 扣款", "创建 Stripe 扣款 create make charge billing"),
        ("鑫", "鑫"),
        ("größer", "größer"),
        ("", ""),
    ],
)
def test_renderings(text: str, understood: str) -> None:
    assert bridged(text) == understood


def test_each_word_is_listed_once() -> None:
    lines = files("plait").joinpath("chinese.txt").read_text(encoding="utf-8").splitlines()
    words = [word for line in lines if not line.startswith("#") for word in line.partition(":")[0].split()]
    assert [word for word, count in Counter(words).items() if count > 1] == []


def test_a_chinese_question_finds_english_code(tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text(
        "def make_payment(order):\n    return charge(order)\n\n\ndef resize(image):\n    return image.scale(2)\n"
    )
    found = Engine.open(tmp_path, embedder="hashing").search("处理付款", k=1)
    assert [hit.symbol.name for hit in found] == ["make_payment"]
