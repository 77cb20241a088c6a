from __future__ import annotations

import pytest

from plait.terms import query_terms, terms


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("total", ["total"]),
        ("create_payment_intent", ["create_payment_intent", "create", "payment", "intent"]),
        ("getHTTPResponse", ["gethttpresponse", "get", "http", "response"]),
        ("HTTPServer2", ["httpserver2", "http", "server", "2"]),
        ("_private", ["private"]),
        ("__init__", ["init"]),
        ("a.b(c)", ["a", "b", "c"]),
        ("größe_prüfen", ["größe_prüfen", "größe", "prüfen"]),
        ("_ __ +=", []),
        ("", []),
    ],
)
def test_terms(text: str, expected: list[str]) -> None:
    assert list(terms(text)) == expected


def test_repeats_are_kept_in_documents_and_dropped_in_questions() -> None:
    assert terms("sum sum") == ("sum", "sum")
    assert query_terms("sum of the sum") == ("sum",)


def test_a_question_of_stop_words_keeps_them() -> None:
    assert query_terms("with") == ("with",)
