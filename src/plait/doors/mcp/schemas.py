"""What an agent is told of the server: instructions, and for each tool its name, title, description and both schemas.

Hosts cut instructions and descriptions near 2,000 characters, and one gives weight to the first 500 only, so what
matters comes first. Schemas are JSON Schema 2020-12.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

Schema = dict[str, Any]

_INSTRUCTIONS = """\
plait finds code by meaning and by who calls whom. For a task or a "how does ... work" question call `context` FIRST,
with the task in plain words: it returns the functions that belong together, in the order they run, with their code,
and replaces most grep and file reading. `search` finds places; `symbol` shows a function with its callers and callees;
`impact` tells what may break before you edit. Names, `path:line` and ids from one answer can be given to the next.

Every reply says how much there is in all (`total`) and gives a `next_cursor` where there is more. `index.state` is
`ready`, `stale` (files named in `index.note` have changed: read them) or `partial` (the index is still being built:
ask again in a few seconds). Callers marked `possible`, and `possible_callers`, are calls that could not be resolved
for sure: "no callers" means none only if there are no possible ones either. For literal strings and for files that are
not code grep is better. """

OF_FOLDERS = "`repo` is the absolute path of the repository; leave it out for the one that the server was started in."
OF_NAMES = (
    "`repo` is the name of a repository; without it all that you may read are asked, and names of repositories stand"
    " before paths: `org/app//net.py`."
)
OF_FEW = "`repo` is the name of a repository; leave it out if the server has only one."

_STRING: Schema = {"type": "string"}
_COUNT: Schema = {"type": "integer", "minimum": 0}
_REPO = {
    "type": "string",
    "maxLength": 4096,
    "description": "Absolute path of the repository; default: the folder that the server was started for.",
}
_CURSOR = {"type": "string", "maxLength": 64, "description": "`next_cursor` of the answer before, for more of it."}
_TESTS = {"type": "boolean", "description": "true: tests only, false: no tests."}
_SYMBOL = {
    "type": "string",
    "minLength": 1,
    "maxLength": 1000,
    "description": "Any unique end of a qualified name (Client.send), path:line, or an id.",
}


def _object(required: dict[str, Schema], optional: dict[str, Schema] | None = None) -> Schema:
    return {"type": "object", "properties": required | (optional or {}), "required": [*required]}


def _arguments(required: dict[str, Schema], optional: dict[str, Schema]) -> Schema:
    return _object(required, optional) | {"additionalProperties": False}


def _list(of: Schema) -> Schema:
    return {"type": "array", "items": of}


_PLACE: dict[str, Schema] = {
    "symbol": _STRING,
    "kind": _STRING,
    "path": _STRING,
    "start_line": _COUNT,
    "end_line": _COUNT,
}
_INDEX = _object({"state": {"enum": ["ready", "stale", "partial"]}, "note": _STRING})
_SITE = _object({"path": _STRING, "line": _COUNT, "in": _STRING, "call": _STRING, "reason": _STRING})
_CALL = _object(
    {"symbol": _STRING, "path": _STRING, "line": _COUNT, "evidence": _STRING, "possible": {"type": "boolean"}}
)
_AFFECTED = _object({**_PLACE, "hop": _COUNT, "relation": _STRING, "line": _COUNT, "evidence": _STRING})
_MORE: dict[str, Schema] = {"next_cursor": _STRING}


@dataclass(frozen=True, slots=True)
class Described:
    name: str
    title: str
    description: str
    arguments: Schema
    answer: Schema


CONTEXT = Described(
    "context",
    "Code for a task",
    "The functions that belong to a task or question, in the order in which they run (callers before what they call),"
    " as many as fit into `tokens`: signatures first, then whole bodies, best first. Start here for `how does X work`,"
    " `where is X done`, `change X`."
    " `calls` are numbers of other functions in the answer; `left_out` names what did not fit.",
    _arguments(
        {
            "question": {
                "type": "string",
                "minLength": 1,
                "maxLength": 4000,
                "description": "The task or question in plain words, with names of functions if you know some.",
            }
        },
        {
            "tokens": {
                "type": "integer",
                "minimum": 200,
                "maximum": 20000,
                "default": 4000,
                "description": "Size of the answer; above 8000 some hosts cut it.",
            },
            "path": {"type": "string", "maxLength": 1000, "description": "Glob of paths, `*` also crosses folders."},
            "tests": {"type": "boolean", "description": "true: only tests; default: no tests."},
            "repo": _REPO,
        },
    ),
    _object(
        {
            "question": _STRING,
            "index": _INDEX,
            "total": _COUNT,
            "shown": _COUNT,
            "functions": _list(
                _object(
                    {"number": _COUNT, **_PLACE, "signature": _STRING, "calls": _list(_COUNT)},
                    {"code": _STRING, "is_whole": {"type": "boolean"}, "stale": {"type": "boolean"}},
                )
            ),
            "left_out": _object({"total": _COUNT, "first": _list(_STRING)}),
        }
    ),
)

SEARCH = Described(
    "search",
    "Search code",
    "Functions, methods and classes that match a question, by words, meaning and call graph, best first, with the"
    " reasons and the call that led there. Returns places with the first lines; `context` returns whole code.",
    _arguments(
        {
            "query": {
                "type": "string",
                "minLength": 1,
                "maxLength": 4000,
                "description": "What the code does, or names in it.",
            }
        },
        {
            "k": {"type": "integer", "minimum": 1, "maximum": 50, "default": 10, "description": "Number of hits."},
            "cursor": _CURSOR,
            "path": {"type": "string", "maxLength": 1000, "description": "Glob of paths, `*` also crosses folders."},
            "kind": {"enum": ["function", "method", "class", "module"], "description": "Only this kind."},
            "tests": _TESTS,
            "repo": _REPO,
        },
    ),
    _object(
        {
            "query": _STRING,
            "index": _INDEX,
            "total": _COUNT,
            "shown": _COUNT,
            "hits": _list(
                _object(
                    {
                        "rank": _COUNT,
                        **_PLACE,
                        "score": {"type": "number"},
                        "stale": {"type": "boolean"},
                        "reasons": _list(_STRING),
                        "by_calls": _list(_STRING),
                        "code": _STRING,
                    }
                )
            ),
        },
        _MORE,
    ),
)

SYMBOL = Described(
    "symbol",
    "Callers and callees",
    "A function, method or class: its code, who calls it and what it calls. `possible`: one of several targets, or a"
    " call that could not be resolved. Use before changing a signature, and to follow a flow step by step.",
    _arguments(
        {"symbol": _SYMBOL},
        {
            "k": {"type": "integer", "minimum": 1, "maximum": 100, "default": 25, "description": "Of each list."},
            "cursor": _CURSOR,
            "depth": {"type": "integer", "minimum": 1, "maximum": 5, "default": 1, "description": "Calls to follow."},
            "repo": _REPO,
        },
    ),
    _object(
        {
            **_PLACE,
            "id": _STRING,
            "index": _INDEX,
            "code": _STRING,
            "total": _object(dict.fromkeys(("callers", "possible_callers", "callees", "unresolved_calls"), _COUNT)),
            "callers": _list(_CALL),
            "possible_callers": _list(_SITE),
            "callees": _list(_CALL),
            "unresolved_calls": _list(_SITE),
        },
        _MORE,
    ),
)

IMPACT = Described(
    "impact",
    "What may break",
    "What may break when something changes, nearest first, and the tests to run. Give one of: `symbol`, `file` (path),"
    " or `diff` (a git revision such as HEAD: what differs from it now).",
    _arguments(
        {},
        {
            "symbol": _SYMBOL,
            "file": {"type": "string", "minLength": 1, "maxLength": 4096, "description": "Path of a file."},
            "diff": {"type": "string", "minLength": 1, "maxLength": 200, "description": "A git revision."},
            "k": {"type": "integer", "minimum": 1, "maximum": 100, "default": 25, "description": "Of each list."},
            "cursor": _CURSOR,
            "repo": _REPO,
        },
    ),
    _object(
        {
            "of": _STRING,
            "index": _INDEX,
            "total": _object(dict.fromkeys(("changed", "affected", "tests", "possible_callers"), _COUNT)),
            "changed": _list(_STRING),
            "affected": _list(_AFFECTED),
            "tests": _list(_AFFECTED),
            "possible_callers": _list(_SITE),
        },
        _MORE,
    ),
)

TOOLS = (CONTEXT, SEARCH, SYMBOL, IMPACT)
"""In the order in which they are listed: hosts show the first ones first."""


def instructions(repo: str) -> str:
    """Return what an agent is told first; `repo` says what that argument is."""
    return f"{_INSTRUCTIONS}{repo}\n"


def tools(repo: str) -> tuple[Described, ...]:
    """Return the tools with another description of `repo`."""
    return tuple(
        replace(
            one,
            arguments=one.arguments
            | {"properties": one.arguments["properties"] | {"repo": _REPO | {"description": repo}}},
        )
        for one in TOOLS
    )


def wrong(arguments: dict[str, Any], schema: Schema) -> str:
    """What is wrong with arguments, with what would be right; empty if nothing is.

    Knows what the schemas above use: type, enum, least and most, lengths, what is required and what else there is.
    """
    known = schema["properties"]
    for name in schema["required"]:
        if name not in arguments:
            return f"`{name}` is missing: {known[name]['description']}"
    for name, value in arguments.items():
        if name not in known:
            return f"there is no argument `{name}`; there are: {', '.join(known)}"
        if problem := _unfit(value, known[name]):
            return f"`{name}` must be {problem}"
    return ""


def _unfit(value: Any, schema: Schema) -> str:
    if "enum" in schema:
        return "" if value in schema["enum"] else f"one of {', '.join(schema['enum'])}"
    if schema["type"] == "boolean":
        return "" if isinstance(value, bool) else "true or false"
    if schema["type"] == "integer":
        least, most = schema["minimum"], schema["maximum"]
        fits = isinstance(value, int) and not isinstance(value, bool) and least <= value <= most
        return "" if fits else f"a whole number from {least} to {most}"
    least, most = schema.get("minLength", 0), schema["maxLength"]
    return "" if isinstance(value, str) and least <= len(value) <= most else f"text of {least} to {most} characters"
