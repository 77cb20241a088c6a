"""Every operation of the API in one table, from which it is routed, checked and described."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from plait.doors.http import asking, browsing, graphs, judging
from plait.doors.http.marks import NAME as COLLECTION
from plait.doors.http.parameters import DEPTH, LIMIT, QUERY, Given, K, Parameter, integer, switch, text
from plait.doors.http.served import Served
from plait.doors.render import Json
from plait.model import Evidence, SymbolKind, Unknown
from plait.source.languages import SPOKEN

BASE = "/api/v1"


@dataclass(frozen=True, slots=True)
class Operation:
    path: str
    """below BASE, with `{name}` for what a parameter in the path stands for"""
    about: str
    answer: Callable[[Served, Given], Json]
    parameters: tuple[Parameter, ...]
    schema: str
    """of the reply, in `plait.doors.http.schemas`"""
    faults: tuple[int, ...] = ()
    """statuses beside those that every operation has"""
    patient: bool = False
    """may take minutes"""


REPO = text("repo", "Name of the repository; may be left out if one is served.")
REPOS = text("repo", "Name of a repository; repeat it for several, leave it out for all.", many=True)
QUESTION = text("q", "The question; path:, lang:, kind: and double quotes narrow it.", required=True, most=QUERY)
STRATEGY = text("strategy", "Strategy as name or name(parameter=value, ...); the server's by default.")
RELATED_TOO = switch("related", "Also tell the neighbours of the hits on the graph.", default=False)
FIRST = integer("k", 10, 1, K, "How many are shown.")
WHERE = (
    Parameter("kind", "text", "Only this kind; repeat it for several.", many=True, choices=tuple(map(str, SymbolKind))),
    Parameter("language", "text", "Only this language.", choices=tuple(sorted(SPOKEN))),
    text("path", "Only paths that match this glob; `*` also crosses folders."),
    switch("tests", "true: only tests; false: none."),
)
SYMBOL = text("symbol", "An id, a unique end of a qualified name, or path:line.", required=True)
TESTS = switch("tests", "true: only tests; false: none.")
MORE = integer("k", 50, 1, LIMIT, "How many of each list are shown.")
ROWS = integer("k", 20, 1, K, "How many are shown.")
DEEP = integer("depth", 1, 1, DEPTH, "Within how many calls.")
MIN_EVIDENCE = Parameter(
    "min_evidence",
    "text",
    "Leave out edges with less evidence; from the least to the most trusted.",
    default="ambiguous",
    choices=tuple(one.name.lower() for one in Evidence),
)
SIDES = (
    text("a", "The one strategy.", required=True),
    text("b", "The other strategy.", required=True),
)
RELATED = (SYMBOL, DEEP, MORE, MIN_EVIDENCE, TESTS, REPO)
NAMED = text("collection", "Name of the collection.", required=True, in_path=True)

ASKED = (404, 503)
"""Statuses of what asks one repository."""
FOUND = (404, 409, 503)
"""Of what names a symbol."""

OPERATIONS = (
    Operation("/repositories", "What is served.", browsing.repositories, (), "repositories"),
    Operation(
        "/search",
        "The symbols that belong to a question, with the reasons.",
        asking.search,
        (QUESTION, REPOS, FIRST, STRATEGY, *WHERE, RELATED_TOO),
        "search",
        (*ASKED, 414),
    ),
    Operation(
        "/explain",
        "One question under two strategies.",
        asking.compared,
        (QUESTION, *SIDES, FIRST, REPO, *WHERE),
        "comparison",
        (*ASKED, 414),
    ),
    Operation(
        "/why-not",
        "Why a symbol is not among the first k.",
        asking.why_not,
        (QUESTION, SYMBOL, STRATEGY, FIRST, REPO, *WHERE),
        "whynot",
        (*FOUND, 414),
    ),
    Operation(
        "/symbols",
        "Symbols by the beginning of a name, or those of one file.",
        browsing.symbols,
        (
            text("prefix", "What a name begins with, or holds; case does not count."),
            text("path", "Exactly this file's symbols."),
            WHERE[0],
            integer("limit", 20, 1, LIMIT, "How many are shown."),
            REPO,
        ),
        "symbols",
        ASKED,
    ),
    Operation("/symbol", "One symbol with its text.", browsing.symbol, (SYMBOL, REPO), "symbol", FOUND),
    Operation(
        "/file",
        "The text of an indexed file as it is now.",
        browsing.file,
        (
            text("path", "From the root of the repository, as in a hit.", required=True),
            REPO,
            integer("start_line", 1, 1, 10**8, "The first line."),
            integer("end_line", 0, 0, 10**8, "The last line; 0: the last of the file."),
        ),
        "file",
        (403, *ASKED),
    ),
    Operation(
        "/graph",
        "The call graph around a symbol.",
        graphs.graph,
        (
            SYMBOL,
            DEEP,
            Parameter(
                *("direction", "text", "in: who calls it; out: what it calls."),
                default="both",
                choices=("both", "in", "out"),
            ),
            MIN_EVIDENCE,
            integer("limit", 100, 1, LIMIT, "How many nodes are shown."),
            TESTS,
            text("expand", "Id of a node whose neighbours are shown as well; repeat it for several.", many=True),
            REPO,
        ),
        "graph",
        FOUND,
    ),
    Operation("/callers", "Who calls a symbol.", graphs.callers, RELATED, "callers", FOUND),
    Operation(
        "/callees",
        "What a symbol calls.",
        graphs.callees,
        RELATED,
        "callees",
        FOUND,
    ),
    Operation(
        "/path",
        "The shortest chain of calls from one symbol to another.",
        graphs.path,
        (
            text("source", "Where it begins: a symbol.", required=True),
            text("target", "Where it ends: a symbol.", required=True),
            ROWS,
            REPO,
        ),
        "path",
        FOUND,
    ),
    Operation(
        "/impact",
        "What may break when a symbol or a file changes, or by what differs from a git revision.",
        graphs.impact,
        (
            text("symbol", "A symbol, or the path of a file; or else diff."),
            text("diff", "A git revision."),
            MORE,
            MIN_EVIDENCE,
            REPO,
        ),
        "impact",
        (*FOUND, 501),
    ),
    Operation("/flows", "The entry points that reach most.", graphs.flows, (ROWS, TESTS, REPO), "flows", ASKED),
    Operation("/hubs", "The most called symbols.", graphs.hubs, (ROWS, TESTS, REPO), "hubs", ASKED),
    Operation(
        "/unresolved",
        "The calls that could not be resolved.",
        graphs.unresolved,
        (
            Parameter(
                *("reason", "text", "Only with this reason; without one, all that could stay in the repository."),
                choices=tuple(one.name.lower() for one in Unknown),
            ),
            MORE,
            REPO,
        ),
        "unresolved",
        ASKED,
    ),
    Operation(
        "/status",
        "What is indexed and whether it is still so.",
        browsing.status,
        (
            REPO,
            switch("skipped", "List what was left out, with the reason.", default=False),
            integer("limit", 200, 1, LIMIT, "How many of what was left out are listed."),
            integer("offset", 0, 0, 10**8, "How many of them are passed over."),
        ),
        "status",
        (404,),
    ),
    Operation("/collections", "Judged questions.", judging.collections, (), "collections"),
    Operation(
        "/evaluations/{collection}",
        "Strategies side by side on a collection.",
        judging.evaluation,
        (
            NAMED,
            text("strategy", "A strategy; repeat it for several; the others are compared with the first.", many=True),
            text("at", "Depths of the measures, with commas.", default="3,5", most=40),
        ),
        "evaluation",
        (*ASKED, 409),
        patient=True,
    ),
    Operation(
        "/evaluations/{collection}/topics/{id}",
        "One question of a collection under two strategies.",
        judging.topic,
        (
            NAMED,
            text("id", "Id of the topic.", required=True, in_path=True),
            *SIDES,
            integer("k", 5, 1, K, "How many places count."),
        ),
        "topic",
        (*ASKED, 409),
        patient=True,
    ),
    Operation(
        "/judgements",
        "What people have judged here.",
        judging.judgements,
        (text("collection", "One collection with its topics.", pattern=COLLECTION, most=64),),
        "judgements",
        (403, 409),
    ),
)

PROGRESS = (REPOS,)
MARK = (
    text("collection", "Name of the collection; made on first use.", required=True, pattern=COLLECTION, most=64),
    text("repository", "Name of the repository.", required=True),
    text("query", "The question.", required=True, most=QUERY),
    text("symbol", "What is judged: an id, a unique end of a qualified name, or path:line.", required=True),
    Parameter(
        *("relevance", "integer", "0: not relevant, to 3; null takes the judgement away."),
        required=True,
        most=3,
        nullable=True,
    ),
)
REFRESH = (
    text("repository", "Name of the repository; all without one.", default=""),
    switch("full", "Build anew and follow the flow of values.", default=False),
)
SESSION_BODY = (text("token", "The server's token.", required=True),)
