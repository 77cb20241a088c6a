"""The commands for coding agents."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from plait.doors.options import INDEX, Common, common
from plait.doors.terminal import emit, notice
from plait.errors import BadParameter, NoSuchPath

if TYPE_CHECKING:
    from plait.doors.install.hosts import Host
    from plait.doors.install.installing import Edit

Edits = Callable[["Host", Path], "list[Edit]"]


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


def _choosing(command: Callable[..., None]) -> Callable[..., None]:
    for option in (
        common(),
        click.option("--yes", is_flag=True, help="Write without asking."),
        click.option("--dry-run", is_flag=True, help="Only show what would be written."),
        click.option("--agent", "agents", multiple=True, metavar="NAME", help="Only this one; also one not found."),
    ):
        command = option(command)
    return command


@click.command()
@_choosing
def install(agents: tuple[str, ...], dry_run: bool, yes: bool, common: Common) -> None:
    """Tell the coding agents and editors on this machine of `plait mcp`.

    Adds the server to the settings of each that is found, and a few marked lines to your instructions where it has a
    file for them. Everything else in these files stays as it is; `plait uninstall` takes it out again. NAME is
    claude-code, codex, cursor, vscode, opencode, gemini, zed, windsurf or kiro.
    """
    from plait.doors.install.installing import installing
    from plait.doors.mcp.server import needed

    needed()
    # -P: the folder that an agent starts it in, a repository that may be anybody's, is not to be imported from.
    server = [sys.executable, "-P", "-m", "plait", "mcp"]
    _edit(lambda host, home: installing(host, home, server), agents, dry_run, yes, common)


@click.command()
@_choosing
def uninstall(agents: tuple[str, ...], dry_run: bool, yes: bool, common: Common) -> None:
    """Take out what `plait install` has written, and nothing else."""
    from plait.doors.install.installing import uninstalling

    _edit(uninstalling, agents, dry_run, yes, common)


def _edit(made: Edits, names: Sequence[str], dry_run: bool, yes: bool, common: Common) -> None:
    from plait.doors.install.installing import apply

    home = Path.home()
    edits = [edit for host in _hosts(names, home) for edit in made(host, home)]
    needed = [edit for edit in edits if edit.is_needed and not edit.problem]
    if needed and not dry_run and not yes:
        for edit in needed:
            for line in edit.difference():
                notice(line)
        if not sys.stdin.isatty():
            raise BadParameter("nobody is there to ask; give --yes, or --dry-run to see what would be written")
        click.confirm(f"Write {len(needed)} files?", abort=True, err=True)
    if not dry_run:
        for edit in needed:
            apply(edit)
    emit(_edits_json(edits, dry_run), _edits_text(edits, dry_run), as_json=common.as_json)


def _hosts(names: Sequence[str], home: Path) -> Sequence[Host]:
    from plait.doors.install.hosts import HOSTS, found

    known = {host.name: host for host in HOSTS}
    if unknown := [name for name in names if name not in known]:
        raise BadParameter(f"no agent is called {unknown[0]!r}; there are: {', '.join(known)}")
    hosts = [known[name] for name in dict.fromkeys(names)] or found(home)
    if not hosts:
        raise BadParameter(f"no agent that plait knows is found in {home}; name one with --agent: {', '.join(known)}")
    return hosts


def _edits_json(edits: Sequence[Edit], dry_run: bool) -> dict[str, object]:
    return {
        "schema": "plait.install.v1",
        "dry_run": dry_run,
        "edits": [
            {"agent": edit.host.name, "path": str(edit.path), "what": edit.what, "problem": edit.problem}
            for edit in edits
        ],
    }


def _edits_text(edits: Sequence[Edit], dry_run: bool) -> list[str]:
    lines = []
    for edit in edits:
        would = "would be " if dry_run and edit.is_needed else ""
        problem = f": {edit.problem}" if edit.problem else ""
        lines.append(f"{edit.host.title}: {edit.path} {would}{edit.what}{problem}")
        lines += [f"    {line}" for line in edit.difference()] if dry_run and edit.is_needed else []
    changed = sum(edit.is_needed for edit in edits)
    if dry_run:
        lines.append(f"nothing was written; {changed} of {len(edits)} files would be")
    elif changed:
        lines.append("restart the agents to let them see it")
    return lines
