"""The commands for coding agents."""

from __future__ import annotations

from pathlib import Path

import click

from plait.doors.options import INDEX, Common, common
from plait.doors.terminal import notice
from plait.errors import NoSuchPath


@click.command("mcp")
@click.argument("paths", metavar="[PATH]...", nargs=-1)
@click.option("--http", is_flag=True, help="Serve streamable HTTP at http://HOST:PORT/mcp instead of stdio.")
@click.option("--host", default="127.0.0.1", show_default=True, help="With --http: an address of this machine itself.")
@click.option("--port", type=click.IntRange(1, 65535), default=8377, show_default=True, help="With --http.")
@common(*INDEX)
def mcp_(paths: tuple[str, ...], http: bool, host: str, port: int, common: Common) -> None:
    """Serve the tools context, search, symbol and impact to coding agents by MCP.

    PATHs are the repositories, the folder that it is started in by default; the first one answers unless a call names
    another. Over stdio a call may name any folder, over HTTP only these. `plait install` tells agents of the server.
    """
    from plait.doors.mcp.server import Repositories, needed, serve_http, serve_stdio

    needed()
    roots = [Path(path).expanduser() for path in paths or (".",)]
    for root in roots:
        if not root.is_dir():
            raise NoSuchPath(str(root))
    repositories = Repositories(roots, common.settings, others=not http)
    if http:
        notice(f"plait: MCP at http://{host}:{port}/mcp")
        serve_http(repositories, host, port)
    else:
        serve_stdio(repositories)
