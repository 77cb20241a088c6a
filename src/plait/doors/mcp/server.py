"""The MCP server: protocol in, tools out, by the official SDK, for both generations of the protocol."""

from __future__ import annotations

import contextlib
import json
import logging
import sys
import tempfile
import traceback
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any

from plait.doors.mcp.answers import Reply, answer
from plait.doors.mcp.schemas import OF_FOLDERS, TOOLS, instructions, tools, wrong
from plait.doors.mcp.warm import Choosing, Warm
from plait.engine import Engine
from plait.errors import BadParameter, MissingExtra, PlaitError
from plait.version import __version__

with contextlib.suppress(ImportError):
    import anyio
    import anyio.to_thread
    from mcp.server import Server
    from mcp.server.stdio import stdio_server
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
    from mcp.types import CallToolResult, ListToolsResult, TextContent, Tool, ToolAnnotations

MOST = 16
"""Repositories that one server keeps ready: each has a thread that watches it."""


def needed() -> None:
    """Raise MissingExtra without the SDK."""
    try:
        import mcp.server  # noqa: F401
    except ImportError:
        raise MissingExtra("the MCP server", "mcp", "mcp") from None


class Repositories:
    """The repositories that tools may ask, opened when they are first asked for."""

    def __init__(self, roots: Sequence[Path], settings: dict[str, Any], *, others: bool) -> None:
        """The first root answers where no `repo` is given. `others`: any folder may be named, not only the roots."""
        self._roots = [root.resolve() for root in roots]
        self._settings = settings
        self._others = others
        self._warm: dict[Path, Warm] = {}
        self._lock = Lock()

    def start(self) -> None:
        """Begin to index the default repository, if it is one that should be."""
        with contextlib.suppress(PlaitError):
            self.of(None).start()

    def close(self) -> None:
        """Watch no longer."""
        for warm in self._warm.values():
            warm.close()

    def of(self, repo: str | None) -> Warm:
        root = self._chosen(repo)
        with self._lock:
            if root not in self._warm:
                if len(self._warm) >= MOST:
                    raise BadParameter(f"this server already serves {MOST} repositories; start another one")
                self._warm[root] = Warm(Engine.open(root, **self._settings))
            return self._warm[root]

    def _chosen(self, repo: str | None) -> Path:
        if repo is None:
            root = self._roots[0]
            if problem := unfit(root):
                raise BadParameter(f"{root} is {problem}; give `repo`, the absolute path of the repository")
            return root
        try:
            given = Path(repo).expanduser()
            root = given.resolve(strict=True)
        except (OSError, RuntimeError, ValueError):
            raise BadParameter(f"repo {repo!r}: there is no such folder; give the absolute path of one") from None
        if root in self._roots:
            return root
        if not self._others:
            raise BadParameter(f"repo {repo!r} is not served here; there are: {', '.join(map(str, self._roots))}")
        if not given.is_absolute():
            raise BadParameter(f"repo {repo!r} must be an absolute path")
        if problem := unfit(root):
            raise BadParameter(f"repo {repo!r} is {problem}; give the folder of one repository")
        return root


def unfit(root: Path) -> str:
    """Why nobody means to index a folder: hosts start servers in such ones; empty if one may."""
    if root == Path(root.anchor):
        return "the root of the file system"
    with contextlib.suppress(RuntimeError):
        if root == Path.home().resolve():
            return "a home folder"
    return "the folder for temporary files" if root == Path(tempfile.gettempdir()).resolve() else ""


def called(repositories: Choosing, name: str, arguments: dict[str, Any]) -> Reply | str:
    """Return the answer of a tool, or why there is none and what to do."""
    described = {tool.name: tool for tool in TOOLS}
    if name not in described:
        return f"there is no tool {name!r}; there are: {', '.join(described)}"
    if problem := wrong(arguments, described[name].arguments):
        return problem
    try:
        return answer(repositories.of(arguments.get("repo")), name, arguments)
    except PlaitError as error:
        return _for_agents(str(error))
    except Exception as error:  # a fault of ours: the agent must hear of it, and the log must hold it
        traceback.print_exc(file=sys.stderr)
        return f"plait failed with {type(error).__name__}: {error}; use grep for this one, and report it"


async def in_a_thread(work: Callable[[], Reply | str]) -> Reply | str:
    return await anyio.to_thread.run_sync(work)


def make(
    chosen: Callable[[Any], Choosing],
    repo: str = OF_FOLDERS,
    run: Callable[[Callable[[], Reply | str]], Awaitable[Reply | str]] = in_a_thread,
) -> Server[Any]:
    """Return a server that any transport can run.

    `chosen` returns what the caller may ask, given the request's context; `repo` tells agents what that argument is.
    """
    described = TOOLS if repo == OF_FOLDERS else tools(repo)

    async def list_tools(context: Any, parameters: Any) -> ListToolsResult:
        return ListToolsResult(
            tools=[
                Tool(
                    name=tool.name,
                    title=tool.title,
                    description=tool.description,
                    input_schema=tool.arguments,
                    output_schema=tool.answer,
                    annotations=ToolAnnotations(
                        title=tool.title,
                        read_only_hint=True,
                        destructive_hint=False,
                        idempotent_hint=True,
                        open_world_hint=False,
                    ),
                )
                for tool in described
            ]
        )

    async def call_tool(context: Any, parameters: Any) -> CallToolResult:
        reply = await run(partial(called, chosen(context), parameters.name, parameters.arguments or {}))
        if isinstance(reply, str):
            return CallToolResult(content=[TextContent(type="text", text=reply)], is_error=True)
        return CallToolResult(
            content=[TextContent(type="text", text=reply.text)], structured_content=_plain(reply.structured)
        )

    return Server(
        "plait",
        version=__version__,
        title="plait: code search by meaning and calls",
        instructions=instructions(repo),
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def _plain(value: dict[str, Any]) -> dict[str, Any]:
    """Strings of code can hold lone surrogates, which no JSON in UTF-8 can."""
    plain: dict[str, Any] = json.loads(json.dumps(value, ensure_ascii=False).encode(errors="replace"))
    return plain


def _for_agents(message: str) -> str:
    """An error's next step, in the words of the tools instead of the command line's."""
    return message.replace("`plait search` finds symbols by words", "`search` finds symbols by words")


def serve_stdio(repositories: Repositories) -> None:
    """Serve until standard input ends. Nothing but the protocol goes to standard output."""
    repositories.start()

    async def run() -> None:
        server = make(lambda _: repositories)
        async with stdio_server() as (read, write):
            await server.run(read, write, server.create_initialization_options())

    logging.basicConfig(level=logging.WARNING, stream=sys.stderr)
    anyio.run(run)


def serve_http(repositories: Repositories, host: str, port: int) -> None:
    """Serve at http://HOST:PORT/mcp until interrupted; only for the loopback, as nobody is asked who they are."""
    if host not in ("127.0.0.1", "localhost", "::1"):
        raise BadParameter(f"{host}: only the loopback (127.0.0.1, localhost, ::1), as this server asks for no token")
    import uvicorn

    repositories.start()
    app = make(lambda _: repositories).streamable_http_app(host=host, json_response=True)
    uvicorn.run(app, host=host, port=port, log_level="warning", lifespan="on")


class Mounted:
    """The tools as a part of another ASGI application, which has decided already whether the caller is let in.

    Each request stands for itself, so any of several processes can answer it. Enter `running` around all requests.
    """

    def __init__(
        self,
        chosen: Callable[[dict[str, Any]], Choosing],
        repo: str,
        run: Callable[[Callable[[], Reply | str]], Awaitable[Reply | str]],
    ) -> None:
        """`chosen` returns what a caller may ask, given the scope of the request."""
        server = make(lambda context: chosen(context.request.scope), repo, run)
        self._manager = StreamableHTTPSessionManager(server, json_response=True, stateless=True)

    def running(self) -> contextlib.AbstractAsyncContextManager[None]:
        return self._manager.run()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await self._manager.handle_request(scope, receive, send)
