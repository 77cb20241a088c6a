"""How the tests talk to the MCP server: in this process, over standard streams and over HTTP."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from mcp import StdioServerParameters

from plait.context import tokens
from plait.doors.mcp.server import Repositories, called

COMMAND = ["-m", "plait", "mcp", "--embedder", "hashing"]

MOST = 8_000
"""Tokens of a reply that no host cuts."""


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}


def over_stdio(root: Path) -> StdioServerParameters:
    return StdioServerParameters(command=sys.executable, args=[*COMMAND, str(root)], env=environment())


@contextmanager
def over_http(*roots: Path) -> Iterator[str]:
    """Start a server; give its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, *COMMAND, *map(str, roots), "--http", "--port", str(port)],
        env=environment(),
        stderr=subprocess.DEVNULL,
    )
    try:
        until = time.monotonic() + 60
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                break
            except OSError:
                assert process.poll() is None
                assert time.monotonic() < until
                time.sleep(0.05)
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.kill()
        process.wait()


@contextmanager
def serving(*roots: Path, others: bool = True, graph: str = "flow", patience: float = 300.0) -> Iterator[Repositories]:
    """Serve in this process; questions wait so many seconds for the first index."""
    repositories = Repositories(roots, {"embedder": "hashing", "graph": graph}, others=others)
    try:
        with patch("plait.doors.mcp.warm.COLD", patience):
            yield repositories
    finally:
        repositories.close()


def told(repositories: Repositories, tool: str, **arguments: Any) -> dict[str, Any]:
    """Return a structured answer; it is small enough, and so is its text."""
    reply = called(repositories, tool, arguments)
    assert not isinstance(reply, str), reply
    for size in (tokens(json.dumps(reply.structured)), tokens(reply.text)):
        assert size <= max(MOST, arguments.get("tokens", 0))
    return reply.structured


def refused(repositories: Repositories, tool: str, **arguments: Any) -> str:
    reply = called(repositories, tool, arguments)
    assert isinstance(reply, str)
    return reply
