"""Errors as the API tells them: a status, a code for programs, one line for people."""

from __future__ import annotations

from typing import Any

from plait.doors.render import Json
from plait.errors import (
    AmbiguousSymbol,
    BrokenIndex,
    CannotEmbed,
    CannotWrite,
    EmptyQuery,
    IndexBusy,
    MissingExtra,
    NothingToIndex,
    NotInAFleet,
    NotIndexed,
    PlaitError,
    UnknownSymbol,
)


class Fault(Exception):
    def __init__(self, status: int, code: str, message: str, more: Json | None = None, *, retry: int = 0) -> None:
        """`retry` is the number of seconds after which to ask again; 0 without such a hint."""
        super().__init__(message)
        self.status, self.code, self.message, self.more, self.retry = status, code, message, more or {}, retry

    def __reduce__(self) -> tuple[Any, ...]:
        return _fault, (self.status, self.code, self.message, self.more, self.retry)

    @property
    def json(self) -> Json:
        return {
            "schema": "plait.error.v1",
            "error": {"code": self.code, "message": " ".join(self.message.split()), **self.more},
        }


def _fault(status: int, code: str, message: str, more: Json, retry: int) -> Fault:
    return Fault(status, code, message, more, retry=retry)


def bad(message: str) -> Fault:
    return Fault(400, "bad_request", message)


def not_found(message: str) -> Fault:
    return Fault(404, "not_found", message)


def too_busy() -> Fault:
    return Fault(429, "too_many_requests", "more questions wait than are taken; ask again in a second", retry=1)


CODES: dict[int, tuple[str, ...]] = {
    400: ("bad_request", "empty_query", "repository_required"),
    401: ("unauthorized",),
    403: ("forbidden_host", "forbidden_origin", "read_only", "outside_roots", "operators_only"),
    404: ("not_found", "unknown_symbol", "unknown_repository", "unknown_collection"),
    405: ("method_not_allowed",),
    409: ("ambiguous_symbol", "bad_request"),
    413: ("too_large",),
    414: ("query_too_long",),
    415: ("unsupported_media_type",),
    429: ("too_many_requests",),
    500: ("internal",),
    501: ("not_in_a_fleet",),
    503: ("not_ready", "missing_extra"),
    504: ("timeout",),
}
"""Every code by its status."""


def fault_of(error: PlaitError) -> Fault:
    """Tell an error of plait's own in the API's terms."""
    told = str(error)
    match error:
        case EmptyQuery():
            return Fault(400, "empty_query", told)
        case UnknownSymbol(near=near):
            return Fault(404, "unknown_symbol", told, {"near": list(near)})
        case AmbiguousSymbol(choices=choices):
            return Fault(409, "ambiguous_symbol", told, {"choices": list(choices)})
        case NotInAFleet():
            return Fault(501, "not_in_a_fleet", told)
        case MissingExtra():
            return Fault(503, "missing_extra", told)
        case NotIndexed() | NothingToIndex() | IndexBusy() | BrokenIndex() | CannotWrite():
            return Fault(503, "not_ready", told, retry=2)
        case CannotEmbed():
            return Fault(503, "not_ready", told, retry=10)
        case _:
            return bad(told)
