"""The description of the API, OpenAPI 3.1, from the table of operations."""

from __future__ import annotations

import re
from collections.abc import Sequence

from plait.doors.http.faults import CODES
from plait.doors.http.parameters import Parameter
from plait.doors.http.routes import BASE, MARK, OPERATIONS, PROGRESS, REFRESH, SESSION_BODY
from plait.doors.http.schemas import SCHEMAS, ref
from plait.doors.render import Json
from plait.version import __version__

ALWAYS = (400, 403, 429, 500, 504)
"""Statuses that every operation can have."""


def description(*, needs_token: bool) -> Json:
    """Return the document; with a token, operations have 401 and the schemes to send it by."""
    paths: dict[str, Json] = {
        f"{BASE}{one.path}": {"get": _operation(one.about, one.parameters, one.schema, one.faults)}
        for one in OPERATIONS
    }
    paths[f"{BASE}/judgements"]["post"] = _operation(
        "Judge a symbol for a question.", (), "judgements", (404, 409, 413, 415, 503), body=MARK
    )
    paths[f"{BASE}/refresh"] = {
        "post": _operation("Look for edits now.", (), "refresh", (404, 413, 415, 501), body=REFRESH, status=202)
    }
    session = _operation("Exchange the token for a cookie.", (), "", (401, 413, 415), body=SESSION_BODY, status=204)
    paths[f"{BASE}/session"] = {"post": session | {"security": []}}
    stream = _operation("How indexes stand and grow, as server-sent events.", PROGRESS, "", (404,))
    stream["responses"]["200"]["content"] = {"text/event-stream": {"schema": {"type": "string"}}}
    paths[f"{BASE}/progress"] = {"get": stream}
    paths["/health"] = {"get": _operation("Whether the server answers.", (), "health", ()) | {"security": []}}
    ready = _operation("Whether questions can be answered.", (), "ready", ()) | {"security": []}
    ready["responses"]["503"] = ready["responses"]["200"] | {"description": "Not now."}
    paths["/ready"] = {"get": ready}
    made: Json = {
        "openapi": "3.1.0",
        "info": {
            "title": "plait",
            "version": __version__,
            "description": "Finds the code that belongs to a question, and shows why. Errors have one shape.",
        },
        "paths": paths,
        "components": {"schemas": SCHEMAS},
    }
    if needs_token:
        made["components"]["securitySchemes"] = {
            "token": {"type": "http", "scheme": "bearer"},
            "session": {"type": "apiKey", "in": "cookie", "name": "plait_session"},
        }
        made["security"] = [{"token": []}, {"session": []}]
        for operations in paths.values():
            for operation in operations.values():
                if "security" not in operation:
                    operation["responses"]["401"] = _fault(401)
    return made


def _operation(
    about: str,
    parameters: Sequence[Parameter],
    schema: str,
    faults: Sequence[int],
    *,
    body: Sequence[Parameter] = (),
    status: int = 200,
) -> Json:
    good: Json = {"description": about}
    if schema:
        good["content"] = {"application/json": {"schema": ref(schema)}}
    made: Json = {
        "summary": about,
        "operationId": re.sub(r"\W+", "_", about.strip(".").lower()),
        "parameters": [one.described for one in parameters],
        "responses": {str(status): good} | {str(one): _fault(one) for one in sorted({*ALWAYS, *faults})},
    }
    if body:
        fields: Json = {
            "type": "object",
            "properties": {one.name: one.schema | {"description": one.about} for one in body},
            "required": [one.name for one in body if one.required],
            "additionalProperties": False,
        }
        made["requestBody"] = {"required": True, "content": {"application/json": {"schema": fields}}}
    return made


def _fault(status: int) -> Json:
    return {
        "description": ", ".join(CODES[status]),
        "content": {"application/json": {"schema": ref("error")}},
    }
