"""The commands that answer for a fleet, and that say who may read what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from plait.doors.options import COUNT
from plait.doors.render import counted
from plait.doors.terminal import emit, notice
from plait.errors import BadParameter
from plait.settings import Settings

if TYPE_CHECKING:
    from plait.doors.http.ending import Ending

_access = click.option(
    "--access",
    envvar="PLAIT_FLEET_ACCESS",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="Teams, what they may read, and digests of their tokens (or PLAIT_FLEET_ACCESS).",
)

STREAM = 15.0
"""Seconds that a stream of progress stays open, so that it never keeps a replica from ending; browsers come again."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """From what a replica is made, on whichever node."""

    uri: str
    cache: str
    disk: int
    """bytes"""
    access: str | None
    address: str
    hosts: tuple[str, ...]
    origins: tuple[str, ...]
    threads: int
    seconds: float
    symbols: int


def application(recipe: Recipe) -> Ending:
    """Return the ASGI application of one replica. What the fleet cannot tell yet it asks for until it can."""
    from plait.doors.http.app import Limits, Server
    from plait.doors.http.ending import Ending
    from plait.doors.http.fleet import FleetService, TeamAccess
    from plait.fleet.fleet import Fleet
    from plait.fleet.replica import Replica

    fleet = Fleet.open(recipe.uri, Path(recipe.cache))
    fleet.parts.most = recipe.disk
    replica = Replica(fleet, None if recipe.access is None else Path(recipe.access), most=recipe.symbols)
    replica.look()
    access = TeamAccess.over(
        replica, recipe.address, recipe.hosts, recipe.origins, has_tokens=recipe.access is not None
    )
    limits = Limits(threads=recipe.threads, seconds=recipe.seconds, stream_seconds=STREAM)
    ending = Ending()
    ending.app = Server(FleetService(replica), access, limits, ended=lambda: ending.is_ending).app()
    return ending


@click.command()
@click.option("--fleet", "uri", envvar="PLAIT_FLEET", required=True, metavar="URI", help="Folder or s3://...")
@_access
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen at, on every node.")
@click.option("--port", type=click.IntRange(1, 65535), default=8765, show_default=True)
@click.option("--allow-host", multiple=True, metavar="NAME", help="Answer to this name; may be repeated.")
@click.option("--allow-origin", multiple=True, metavar="URL", help="Let pages of this origin ask; may be repeated.")
@click.option("--address", default="", metavar="HOST:PORT", help="Ray cluster, or auto (default: this machine).")
@click.option("--replace", is_flag=True, help="End first what plait serves on that cluster.")
@click.option("--min-replicas", type=COUNT, default=1, show_default=True, help="Replicas that are always there.")
@click.option("--max-replicas", type=COUNT, default=4, show_default=True, help="Replicas under load.")
@click.option(
    "--ongoing", type=COUNT, default=4, show_default=True, help="Requests a replica has before another is started."
)
@click.option("--cpus", type=click.FloatRange(min=0), default=1.0, show_default=True, help="Processors of a replica.")
@click.option(
    "--drain",
    type=click.FloatRange(min=0),
    default=30.0,
    show_default=True,
    help="Seconds for what is being answered when a replica ends.",
)
@click.option("--threads", type=COUNT, default=4, show_default=True, help="Questions a replica answers at a time.")
@click.option(
    "--seconds", type=click.FloatRange(min=0.1), default=30.0, show_default=True, help="When a question is given up."
)
@click.option(
    "--symbols", type=COUNT, default=1_000_000, show_default=True, help="Symbols that one question may go through."
)
@click.option("--cache", metavar="FOLDER", help="Folder on each node's local disk (default: the platform's).")
@click.option("--disk", type=COUNT, default=4, show_default=True, metavar="GB", help="The most that is kept there.")
def serve(
    uri: str,
    access: str | None,
    host: str,
    port: int,
    allow_host: Sequence[str],
    allow_origin: Sequence[str],
    address: str,
    replace: bool,
    min_replicas: int,
    max_replicas: int,
    ongoing: int,
    cpus: float,
    drain: float,
    threads: int,
    seconds: float,
    symbols: int,
    cache: str | None,
    disk: int,
) -> None:
    """Answer for the fleet over HTTP and, at /mcp, to coding agents: replicas on a Ray cluster, by Ray Serve.

    The API is that of `plait serve`. With --access each token sees the repositories of its team alone; the file is read
    again when it changes. It ends at Ctrl-C or SIGTERM, after what is being answered.
    """
    from plait.fleet.replicas import Replicas, needed, run

    needed()
    from plait.doors.http.guard import admitted
    from plait.fleet import access as permissions
    from plait.fleet.fleet import Fleet
    from plait.fleet.fleet import address as absolute

    admitted(host, allow_host, allow_origin, "" if access else permissions.HOW)
    known = None if access is None else permissions.load(Path(access))
    folder = Settings.load(Path.cwd(), {"cache": cache}).cache
    count = len(Fleet.open(uri, folder).heads())
    recipe = Recipe(
        uri=absolute(uri),
        cache=str(folder),
        disk=disk * 10**9,
        access=None if access is None else str(Path(access).absolute()),
        address=host,
        hosts=tuple(allow_host),
        origins=tuple(allow_origin),
        threads=threads,
        seconds=seconds,
        symbols=symbols,
    )

    def made() -> Ending:
        return application(recipe)

    def begun() -> None:
        who = "whoever can reach it" if known is None else counted(len(known.teams), "team")
        what = counted(count, "repository", "repositories")
        notice(f"plait fleet serve: http://{host}:{port}/ answers {who} about {what}; Ctrl-C ends it")

    how = Replicas(
        *(host, port, min_replicas, max_replicas, ongoing),
        drain=drain,
        cpus=cpus,
        address=address,
        replace=replace,
    )
    left = run(made, how, begun)
    told = f"; {counted(left, 'answer')} took longer than --drain {drain:g} and were cut off" if left else ""
    notice(f"plait fleet serve: ended{told}")


@click.group()
def token() -> None:
    """Make tokens for teams, and list them."""


def _file(access: str | None) -> Path:
    if access is None:
        raise BadParameter("say in which file the tokens are kept, with --access FILE or PLAIT_FLEET_ACCESS")
    return Path(access)


@token.command()
@click.argument("team")
@_access
@click.option(
    "--repo",
    "repositories",
    multiple=True,
    metavar="PATTERN",
    help="What a new TEAM may read, as 'org/*'; '!org/keys' takes away; may be repeated.",
)
@click.option("--operator", is_flag=True, help="A new TEAM may read /metrics, which count everybody's requests.")
@click.option("--label", default="", metavar="TEXT", help="What it is for; shown by `list`.")
def new(team: str, access: str | None, repositories: Sequence[str], operator: bool, label: str) -> None:
    """Make a token for TEAM and print it: it is kept nowhere, the file has its digest."""
    from plait.fleet import access as permissions

    path = _file(access)
    click.echo(permissions.made(path, team, repositories, label, operator=operator))
    team_now = permissions.load(path).teams[team]
    notice(f"{team} may read {', '.join(team_now.repositories)} (as {path} says); the token is not shown again")


@token.command("list")
@_access
@click.option("--json", "as_json", is_flag=True, help="Print JSON with a versioned schema.")
def listed(access: str | None, as_json: bool) -> None:
    """List teams and their tokens. To take a token back, delete its lines from the file."""
    from plait.fleet import access as permissions

    found = permissions.load(_file(access))
    lines, teams = [], []
    for name, team in found.teams.items():
        own = [one for one in found.tokens if one.team == name]
        lines.append(f"{name}  {', '.join(team.repositories) or 'nothing'}" + ("  operator" if team.operator else ""))
        lines += [f"    {one.digest[:19]}  {one.made}  {one.label}".rstrip() for one in own]
        tokens = [{"digest": one.digest, "made": one.made, "label": one.label} for one in own]
        told = {"name": name, "repositories": list(team.repositories), "operator": team.operator}
        teams.append({**told, "tokens": tokens})
    emit({"schema": "plait.fleet.tokens.v1", "teams": teams}, lines, as_json=as_json)
