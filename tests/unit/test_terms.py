from __future__ import annotations

import pytest

from plait.terms import query_terms, stem, terms


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("total", ["total"]),
        ("create_payment_intent", ["create_payment_intent", "creat", "payment", "intent"]),
        ("getHTTPResponse", ["gethttpresponse", "get", "http", "respons"]),
        ("HTTPServer2", ["httpserver2", "http", "serv", "2"]),
        ("_private", ["privat"]),
        ("__init__", ["init"]),
        ("a.b(c)", ["a", "b", "c"]),
        ("größe_prüfen", ["größe_prüfen", "größe", "prüfen"]),
        ("_ __ +=", []),
        ("", []),
    ],
)
def test_terms(text: str, expected: list[str]) -> None:
    assert list(terms(text)) == expected


@pytest.mark.parametrize(
    "words",
    [
        "parse parses parsed parsing parser parsers",
        "validate validates validated validation validator",
        "retry retries",
        "alias aliases",
        "class classes",
        "cache caches cached caching",
        "format formats formatted formatter formatting",
        "add adds added adding",
        "connect connects connected connecting connection connections",
        "stop stops stopped stopping",
    ],
)
def test_inflections_have_one_stem(words: str) -> None:
    assert len({stem(word) for word in words.split()}) == 1


@pytest.mark.parametrize(
    "word", ["status", "bus", "need", "speed", "string", "error", "order", "user", "action", "this"]
)
def test_words_that_only_look_inflected_stay(word: str) -> None:
    assert stem(word) == word


def test_stop_words_are_left_out_before_stems_are_made() -> None:
    assert query_terms("how does it process the payments") == ("process", "payment")


def test_repeats_are_kept_in_documents_and_dropped_in_questions() -> None:
    assert terms("sum sum") == ("sum", "sum")
    assert query_terms("sum of the sum") == ("sum",)


def test_a_question_of_stop_words_keeps_them() -> None:
    assert query_terms("with") == ("with",)
