"""JSON replies."""

from __future__ import annotations

import json

from starlette.responses import Response

from plait.doors.http.faults import Fault
from plait.doors.render import Json


def written(value: Json) -> bytes:
    """Write JSON; what is not UTF-8, as in the name of a file, becomes `?`."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode(errors="replace")


def reply(body: bytes, status: int = 200) -> Response:
    return Response(body, status, media_type="application/json")


def fault_reply(fault: Fault) -> Response:
    made = reply(written(fault.json), fault.status)
    if fault.retry:
        made.headers["Retry-After"] = str(fault.retry)
    if fault.status == 401:
        made.headers["WWW-Authenticate"] = "Bearer"
    return made
