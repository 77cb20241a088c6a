"""The description of the API holds what the operations answer."""

from __future__ import annotations

import re
from typing import Any

import pytest
from http_server import Client

from plait.doors.http.openapi import description
from plait.doors.http.routes import OPERATIONS

ASKED: dict[str, dict[str, Any]] = {
    "/repositories": {},
    "/search": {"q": "parse"},
    "/explain": {"q": "handle", "a": "naive", "b": "additive", "repo": "app"},
    "/why-not": {"q": "handle", "symbol": "lonely", "repo": "app"},
    "/symbols": {"prefix": "s", "repo": "app"},
    "/symbol": {"symbol": "DiskStore", "repo": "app"},
    "/file": {"path": "app/web.py", "repo": "app"},
    "/graph": {"symbol": "handle", "repo": "app", "depth": 2},
    "/callers": {"symbol": "write", "repo": "other"},
    "/callees": {"symbol": "main", "repo": "app"},
    "/path": {"source": "main", "target": "lonely", "repo": "app"},
    "/impact": {"symbol": "app/store.py", "repo": "app"},
    "/flows": {"repo": "app"},
    "/hubs": {"repo": "app"},
    "/unresolved": {"repo": "app"},
    "/status": {"repo": "app", "skipped": "true"},
    "/collections": {},
    "/evaluations/{collection}": {"collection": "shop", "strategy": ["vector", "naive"]},
    "/evaluations/{collection}/topics/{id}": {"collection": "shop", "id": "Q12", "a": "vector", "b": "naive"},
    "/judgements": {"collection": "none"},
}


def check(value: Any, schema: dict[str, Any], document: dict[str, Any], at: str = "") -> None:
    """Compare with the part of JSON Schema that the description uses; every key must be described."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        check(value, document["components"]["schemas"][name], document, at)
    elif "anyOf" in schema:
        if value is not None:
            check(value, schema["anyOf"][0], document, at)
    elif "allOf" in schema:
        known = document["components"]["schemas"]
        parts = [known[one["$ref"].rpartition("/")[2]] if "$ref" in one else one for one in schema["allOf"]]
        check(
            value,
            {
                "type": "object",
                "properties": {k: v for part in parts for k, v in part["properties"].items()},
                "required": [name for part in parts for name in part["required"]],
            },
            document,
            at,
        )
    elif schema["type"] == "array":
        assert isinstance(value, list), at
        for number, one in enumerate(value):
            check(one, schema["items"], document, f"{at}[{number}]")
    elif schema["type"] == "object":
        assert isinstance(value, dict), at
        known = schema.get("properties", {})
        assert set(schema.get("required", ())) <= value.keys(), at
        if known:
            assert value.keys() <= known.keys(), (at, value.keys() - known.keys())
        for name, one in value.items():
            if inner := known.get(name) or schema.get("additionalProperties"):
                check(one, inner, document, f"{at}.{name}")
    else:
        kinds: dict[str, Any] = {"string": str, "integer": int, "number": (int, float), "boolean": bool}
        assert isinstance(value, kinds[schema["type"]]), (at, value)
        assert value in schema.get("enum", [value]), (at, value)
        assert value == schema.get("const", value), (at, value)
        if "minimum" in schema:
            assert value >= schema["minimum"], (at, value)


def test_every_operation_is_asked() -> None:
    assert list(ASKED) == [one.path for one in OPERATIONS]


@pytest.mark.parametrize("path", ASKED)
def test_answers_are_as_described(served: Client, path: str) -> None:
    given = dict(ASKED[path])
    target = re.sub(r"{(\w+)}", lambda found: given.pop(found[1]), path)
    document = served.get("openapi.json").json
    found = served.get(target.removeprefix("/"), **given)
    assert found.status == 200, found.body
    schema = document["paths"][f"/api/v1{path}"]["get"]["responses"]["200"]["content"]["application/json"]["schema"]
    check(found.json, schema, document)


def test_errors_are_as_described(served: Client) -> None:
    document = served.get("openapi.json").json
    for path in ("search", "symbol?symbol=write&repo=app", "symbol?symbol=none&repo=app", "x"):
        check(served.get(path).json, {"$ref": "#/components/schemas/error"}, document)


def test_names_of_operations_are_unique_and_tokens_described() -> None:
    made = description(needs_token=True)
    every = [one for operations in made["paths"].values() for one in operations.values()]
    assert len({one["operationId"] for one in every}) == len(every)
    without = [one["operationId"] for one in every if "401" not in one["responses"]]
    assert without == ["whether_the_server_answers", "whether_questions_can_be_answered"]
    assert made["paths"]["/api/v1/session"]["post"]["security"] == []
    assert "securitySchemes" not in description(needs_token=False)["components"]
