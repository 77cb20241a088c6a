"""Requests made from the description of the API, good ones and bad ones: schemathesis checks every reply against it."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import Any

import pytest
from http_server import Client

schemathesis = pytest.importorskip("schemathesis")

EXAMPLES = int(os.environ.get("PLAIT_EXAMPLES", "10"))
"""Requests for each operation."""

STREAM = "/api/v1/progress"
"""It never ends."""


KNOWN = {
    "repo": ["app"],
    "symbol": ["app.web.handle", "app/store.py:3", "app/store.py:Store#", "write", "nothing"],
    "source": ["test_handle", "ping"],
    "target": ["app.web.parse", "lonely"],
    "strategy": ["vector", "lexical", "naive(seeds=2, hops=1, k=3)", "additive", "magic"],
    "a": ["vector", "structural"],
    "b": ["hybrid", "constrained"],
    "expand": ["app/web.py:parse()."],
    "path": ["app/web.py", "app/other.py", "app/*"],
    "collection": ["shop", "none"],
    "id": ["Q1", "Q12", "Q99"],
}
"""Values from which good requests are made: of any text most name nothing."""


def excluded() -> list[Any]:
    from schemathesis.specs.openapi.checks import negative_data_rejection, positive_data_acceptance

    # A text that the schema allows can still be no question and no strategy: 400. One that is too long is 414, which
    # the other check does not know; test_operations.py holds both.
    return [positive_data_acceptance, negative_data_rejection]


def operations(client: Client) -> list[Any]:
    document = client.get("openapi.json").json
    del document["paths"][STREAM]
    for path, methods in document["paths"].items():
        for one in methods["get"]["parameters"] if "get" in methods else ():
            if one["name"] in KNOWN and not path.endswith("/judgements"):
                schema = one["schema"].get("items", one["schema"])
                schema["enum"] = KNOWN[one["name"]]
    schema = schemathesis.openapi.from_dict(document)
    schema.config.base_url = f"http://localhost:{client.port}"
    return [one.ok() for one in schema.get_all_operations()]


def test_every_reply_is_as_described(app_alone: Client) -> None:
    from hypothesis import HealthCheck, Phase, given, settings
    from hypothesis.errors import Unsatisfiable
    from schemathesis import GenerationMode

    answered: set[str] = set()
    for operation in operations(app_alone):
        for mode in GenerationMode:

            @settings(
                max_examples=EXAMPLES,
                deadline=None,
                database=None,
                derandomize=True,
                suppress_health_check=list(HealthCheck),
                phases=[Phase.generate],
            )
            @given(case=operation.as_strategy(generation_mode=mode))
            def ask(case: Any) -> None:
                reply = case.call()
                case.validate_response(reply, excluded_checks=excluded())
                assert reply.status_code != 500
                if reply.status_code < 300:
                    answered.add(case.operation.label)

            with suppress(Unsatisfiable):  # an operation without parameters cannot be asked badly
                ask()
    silent = {one.label for one in operations(app_alone)} - answered
    assert silent <= {"POST /api/v1/judgements", "POST /api/v1/session"}  # nothing is written here; a body by chance
