"""The tools for agents beside the API, by the SDK's own client, of both generations of the protocol."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from http_server import TOKEN, Client, serving

pytest.importorskip("mcp")

import anyio
import httpx2
from mcp import Client as Agent
from mcp.client.streamable_http import streamable_http_client

from plait.doors.http.guard import Access


def called(client: Client, mode: Any, tool: str, arguments: dict[str, Any], token: str = "") -> Any:
    async def run() -> Any:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        async with httpx2.AsyncClient(headers=headers) as http:
            transport = streamable_http_client(f"http://127.0.0.1:{client.port}/mcp", http_client=http)
            async with Agent(transport, mode=mode) as agent:
                assert "call `context` FIRST" in (agent.instructions or "")
                assert len((await agent.list_tools()).tools) == 4
                return await agent.call_tool(tool, arguments)

    return anyio.run(run)


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_tools_are_asked_over_what_is_served(served: Client, mode: Any) -> None:
    found = called(served, mode, "symbol", {"symbol": "app.web.parse", "repo": "app"})
    assert not found.is_error
    assert found.structured_content["index"] == {"state": "ready", "note": ""}
    assert "app.web.handle" in [one["symbol"] for one in found.structured_content["callers"]]


def test_of_several_one_must_be_named(served: Client) -> None:
    assert "say which repository" in called(served, "legacy", "search", {"query": "parse"}).content[0].text
    unknown = called(served, "legacy", "search", {"query": "parse", "repo": "zzz"})
    assert unknown.is_error
    assert unknown.content[0].text == "no repository is called 'zzz'; there are: app, other, corpus:shop"


def test_a_file_that_was_edited_since_is_told_of(app: Path) -> None:
    with serving({"app": app}) as client:
        client.service.stop()
        (app / "app" / "web.py").write_text("def parse():\n    pass\n")
        client.service.keepers["app"].join(30)
        found = called(client, "legacy", "symbol", {"symbol": "app.web.parse"}).structured_content
    assert found["index"]["state"] == "stale"
    assert "app/web.py" in found["index"]["note"]


def test_the_token_is_asked_for_and_only_posts_are_taken(app: Path) -> None:
    access = Access.of("127.0.0.1", (), (), TOKEN)
    with serving({"app": app}, access=access) as client:
        asked = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).encode()
        headers = [("Content-Type", "application/json"), ("Accept", "application/json, text/event-stream")]
        assert client.ask("/mcp", method="POST", body=asked, headers=headers).code == "unauthorized"
        told = client.ask("/mcp", method="POST", body=asked, headers=[*headers, ("Authorization", f"Bearer {TOKEN}")])
        assert len(told.json["result"]["tools"]) == 4
        assert client.ask("/mcp", headers=[("Authorization", f"Bearer {TOKEN}")]).code == "method_not_allowed"
        assert not called(client, "legacy", "search", {"query": "parse"}, TOKEN).is_error


def test_a_server_is_ready_once_its_repositories_can_be_asked(served: Client, app: Path) -> None:
    assert (served.ask("/ready").status, served.ask("/ready").json["ready"]) == (200, True)
    with serving({"app": app}, wait=False) as client:
        before = client.ask("/ready")
        assert before.status == (200 if before.json["ready"] else 503)
        client.wait("app")
        assert client.ask("/ready").status == 200
