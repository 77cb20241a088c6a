"""The MCP server as agents reach it: the SDK's client over standard streams and HTTP, and what may go wrong there."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import anyio
import pytest
from asking import written
from click.testing import CliRunner
from mcp import Client, StdioServerParameters, stdio_client
from serving import COMMAND, environment, over_http, over_stdio, serving

from plait.doors.cli import main as plait
from plait.doors.mcp.server import make

MODES = {"legacy": "2025-11-25", "auto": "2026-07-28"}
"""How a client connects -> the generation of the protocol: with a handshake, and without."""


async def ready(client: Client) -> None:
    """Ask until the index is there, as the answers say to."""
    for _ in range(60):
        result = await client.call_tool("symbol", {"symbol": "app.web.parse"})
        if not result.is_error and (result.structured_content or {})["index"]["state"] == "ready":
            return
        await anyio.sleep(1)


async def asked(client: Client, version: str) -> None:
    """Look at everything that a host looks at, and call each tool."""
    assert client.protocol_version == version
    assert client.server_info
    assert client.server_info.name == "plait"
    assert "call `context` FIRST" in (client.instructions or "")
    tools = (await client.list_tools()).tools
    assert [tool.name for tool in tools] == ["context", "search", "symbol", "impact"]
    for tool in tools:
        assert tool.title
        assert tool.annotations
        assert (tool.annotations.read_only_hint, tool.annotations.destructive_hint) == (True, False)
        assert tool.input_schema["additionalProperties"] is False
        assert tool.output_schema
    answers = {
        "context": {"question": "handle a request"},
        "search": {"query": "handle a request", "k": 2},
        "symbol": {"symbol": "Store.save"},
        "impact": {"file": "app/web.py"},
    }
    await ready(client)
    for name, arguments in answers.items():
        result = await client.call_tool(name, arguments)  # the client checks it against the output schema
        assert not result.is_error
        assert result.structured_content
        assert result.structured_content["index"]["state"] == "ready"
        assert [block.type for block in result.content] == ["text"]
    result = await client.call_tool("symbol", {"symbol": "zzz"})
    assert result.is_error
    assert "`search` finds symbols by words" in result.content[0].text  # type: ignore[union-attr]


@pytest.mark.parametrize("mode", MODES)
def test_in_this_process(app: Path, mode: Any) -> None:
    async def run() -> None:
        with serving(app) as repositories:
            async with Client(make(lambda _: repositories), mode=mode) as client:
                await asked(client, MODES[mode])

    anyio.run(run)


@pytest.mark.parametrize("mode", MODES)
def test_over_stdio(app: Path, mode: Any) -> None:
    async def run() -> None:
        async with Client(stdio_client(over_stdio(app)), mode=mode) as client:
            await asked(client, MODES[mode])

    anyio.run(run)


def test_as_an_agent_starts_it_that_was_told_by_install(
    app: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    assert CliRunner().invoke(plait, ["install", "--agent", "claude-code", "--yes"]).exit_code == 0
    entry = json.loads((tmp_path / ".claude.json").read_text())["mcpServers"]["plait"]
    (app / "click.py").write_text("raise SystemExit('what lies in the repository must not run')\n")

    async def run() -> None:
        parameters = StdioServerParameters(
            command=entry["command"], args=entry["args"], cwd=app, env={**environment(), "PLAIT_EMBEDDER": "hashing"}
        )
        async with Client(stdio_client(parameters), mode="legacy") as client:
            await asked(client, MODES["legacy"])

    anyio.run(run)


def test_eight_clients_at_once_over_http(app: Path) -> None:
    found: dict[int, list[str]] = {}

    async def client(url: str, number: int) -> None:
        async with Client(url, mode=[*MODES][number % 2]) as session:  # type: ignore[arg-type]
            for _ in range(5):
                result = await session.call_tool("symbol", {"symbol": ["app.web.parse", "app.web.pong"][number % 2]})
                assert result.structured_content
                callers = [one["symbol"] for one in result.structured_content["callers"]]
                found.setdefault(number, []).extend(callers)

    async def run(url: str) -> None:
        async with Client(url, mode="legacy") as session:
            await asked(session, MODES["legacy"])
        async with anyio.create_task_group() as group:
            for number in range(8):
                group.start_soon(client, url, number)

    with over_http(app) as url:
        anyio.run(run, url)
    assert found == {
        number: [["app.web.handle", "app.web.parse"], ["app.web.ping"]][number % 2] * 5 for number in range(8)
    }


def test_http_serves_only_its_own_repositories_and_no_foreign_host(app: Path, tmp_path: Path) -> None:
    other = written(tmp_path / "other", {"b.py": "def elsewhere():\n    return 1\n"})

    async def run(url: str) -> None:
        async with Client(url, mode="auto") as session:
            result = await session.call_tool("search", {"query": "elsewhere", "repo": str(other)})
            assert result.is_error
            assert "is not served here" in result.content[0].text  # type: ignore[union-attr]

    def status(url: str, **headers: str) -> int:
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).encode()
        accepted = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        request = urllib.request.Request(url, body, accepted | headers)
        try:
            with urllib.request.urlopen(request) as response:
                return int(response.status)
        except urllib.error.HTTPError as error:
            return error.code

    with over_http(app) as url:
        anyio.run(run, url)
        assert status(url, Host="evil.example") == 421
        assert status(url, Origin="http://evil.example") == 403


def test_other_addresses_than_this_machine_are_refused(app: Path) -> None:
    command = [sys.executable, *COMMAND, str(app), "--http", "--host", "0.0.0.0"]
    ended = subprocess.run(command, env=environment(), capture_output=True, text=True, timeout=120, check=False)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.splitlines()[-1].startswith("plait: 0.0.0.0: only the loopback")


class Raw:
    """A server whose lines are written and read by hand."""

    def __init__(self, root: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, *COMMAND, str(root)],
            env=environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )

    def send(self, line: bytes) -> None:
        assert self.process.stdin
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def ask(self, id_: int, method: str, **parameters: Any) -> dict[str, Any]:
        """Send a request; return its result, after whatever else is said before."""
        self.send(json.dumps({"jsonrpc": "2.0", "id": id_, "method": method, "params": parameters}).encode())
        assert self.process.stdout
        for line in self.process.stdout:
            answer = json.loads(line)  # nothing else than the protocol is on standard output
            assert answer["jsonrpc"] == "2.0"
            if answer.get("id") == id_ and "method" not in answer:
                result: dict[str, Any] = answer["result"]
                return result
        raise AssertionError("the server has ended")

    def begin(self) -> None:
        information = {"name": "test", "version": "1"}
        begun = self.ask(0, "initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo=information)
        assert begun["serverInfo"]["name"] == "plait"
        self.send(b'{"jsonrpc": "2.0", "method": "notifications/initialized"}')

    def search(self, id_: int, query: str) -> dict[str, Any]:
        for again in range(60):
            answer = self.ask(id_ + again, "tools/call", name="search", arguments={"query": query})
            structured: dict[str, Any] = answer.get("structuredContent", {})
            if structured.get("index", {}).get("state") == "ready":
                break
            time.sleep(1)
        return structured

    def __enter__(self) -> Raw:
        self.begin()
        return self

    def __exit__(self, *_: object) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            if stream:
                stream.close()


def fuzzed(random_: random.Random) -> bytes:
    """A line that is nearly a request, or nothing like one."""
    call = {
        "jsonrpc": random_.choice(["2.0", "2.0", "1.0", 2, None]),
        "id": random_.choice([1001, "a", None, -1, 1.5, [], {}, 10**30, "x" * 1000]),
        "method": random_.choice(["tools/call", "tools/list", "initialize", "no/such", "", None, 7, "ping", "a/../x"]),
        "params": random_.choice(
            [
                {"name": "search"},
                {"name": "search", "arguments": {"query": 5}},
                {"name": "search", "arguments": [1]},
                {"name": None},
                {"name": "x" * 5000, "arguments": {}},
                {"name": "context", "arguments": {"question": "\ud800", "tokens": -1}},
                {"cursor": "\x00"},
                [],
                "text",
                None,
            ]
        ),
    }
    for key in random_.sample([*call], random_.choice([0, 0, 0, 1, 2])):
        del call[key]
    line = json.dumps(call).encode()
    match random_.randrange(8):
        case 0:
            return line[: random_.randrange(len(line))]
        case 1:
            return random_.randbytes(random_.randrange(200)).replace(b"\n", b" ")
        case 2:
            return b"[" + line + b"," + line + b"]"
        case 3:
            return b"[" * random_.randrange(3000)
        case _:
            return line


def test_fuzzed_messages_leave_the_server_answering(app: Path) -> None:
    random_ = random.Random(9)
    with Raw(app) as server:
        for number in range(300):
            server.send(fuzzed(random_))
            if number % 100 == 99:
                tools = server.ask(10_000 + number, "tools/list")["tools"]
                assert len(tools) == 4
        assert server.search(20_000, "handle a request")["hits"]


def test_a_server_that_was_killed_is_followed_by_one_that_answers_the_same(app: Path) -> None:
    with Raw(app):
        pass  # and it is killed while it makes the index
    with Raw(app) as second:
        answer = second.search(1, "handle a request")
    with Raw(app) as third:
        assert third.search(1, "handle a request") == answer
        assert answer["index"] == {"state": "ready", "note": ""}
        assert third.process.stdin
        third.process.stdin.close()  # as a host ends it
        assert third.process.wait(timeout=60) == 0
