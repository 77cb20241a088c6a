from __future__ import annotations

import pytest

from plait.mining.messages import cited_title, question


@pytest.mark.parametrize(
    ("message", "asked"),
    [
        ("Keep the query string when a redirect is followed", "Keep the query string when a redirect is followed"),
        ("fix(router): keep trailing slashes of mounted routes (#123)", "keep trailing slashes of mounted routes"),
        ("[core] Close the socket after a timeout. Fixes #7", "Close the socket after a timeout"),
        ("Close the socket after a timeout\n\nIt was left open.", "Close the socket after a timeout"),
        ("Update: Close the socket after a timeout", "Close the socket after a timeout"),
        ("NET-402 & NET-7621 Close the socket after a timeout", "Close the socket after a timeout"),
        ("SHA-256 is taken for digest authentication", "SHA-256 is taken for digest authentication"),
        (":bug: Do not lose `None` in headers", "Do not lose None in headers"),
    ],
)
def test_what_a_message_asks_for(message: str, asked: str) -> None:
    assert question(message, {}) == asked


@pytest.mark.parametrize(
    "message",
    [
        "Merge branch 'main' into next",
        'Revert "Keep the query string of redirects"',
        "Bump actions/checkout from 3 to 4",
        "chore(deps): update the lock file of the server",
        "Rename the helper of the connection pool",
        "Reformat all of the sources with black",
        "Fix typos in the names of some variables",
        "Vendor the latest version of the parser",
        "Release 2.1.0 of the client library",
        "Add tests for the retry of connections",
        "Refactor how the pool hands out connections",
        "Use yield instead of calling the block",
        "router: replace strings with bytes in the loop",
        "Update src/net/client.py",
        "Fix E741 in the names of the server",
        "Remove unneeded parentheses of the client",
        "Sync codes with the other router",
        "Add a note on how to close the client",
        "Fix bug",
        "more fixes again",
        "This should now work on windows too",
        "",
    ],
)
def test_what_asks_for_nothing(message: str) -> None:
    assert question(message, {}) is None


def test_a_cited_title_is_asked_where_the_message_says_nothing() -> None:
    merge = "Merge pull request #41 from someone/branch\n\nKeep cookies of a redirect to another port"
    titles = dict([found]) if (found := cited_title(merge)) else {}
    assert titles == {"41": "Keep cookies of a redirect to another port"}
    assert question("Fix #41", titles) == "Keep cookies of a redirect to another port"
    assert question("Fix #41 and #42", titles) is None, "two are cited"
    assert question("Fix #42", titles) is None
    assert question("Fix #41", {"41": "Bump the parser to the version 3"}) is None
