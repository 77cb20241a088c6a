"""The commands for many repositories at once: `plait fleet ...`. Needs `plait[scale]`."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from plait.doors import fleet_serve, render
from plait.doors.options import COUNT
from plait.doors.terminal import ProgressBar, emit, notice
from plait.errors import BadParameter, NoFleet
from plait.model import Filter
from plait.settings import Settings

if TYPE_CHECKING:
    from plait.fleet.fleet import Fleet

_fleet = click.option("--fleet", "uri", envvar="PLAIT_FLEET", required=True, metavar="URI", help="Folder or s3://...")
_cache = click.option("--cache", metavar="FOLDER", help="Folder on the local disk (default: the platform's).")
_json = click.option("--json", "as_json", is_flag=True, help="Print JSON with a versioned schema.")


@click.group()
def fleet() -> None:
    """Index and ask many repositories, kept in an object store.

    The fleet is a folder, or an address such as s3://bucket/fleet (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY,
    AWS_ENDPOINT, AWS_REGION), gs://..., az://...; give it with --fleet or PLAIT_FLEET. Needs plait[scale].
    """


fleet.add_command(fleet_serve.serve)
fleet.add_command(fleet_serve.token)


@fleet.command()
@click.argument("sources", nargs=-1)
@_fleet
@click.option("--list", "listing", type=click.Path(exists=True, dir_okay=False), help="File: a NAME SOURCE a line.")
@click.option("--embedder", metavar="NAME", help="Embedder of a new fleet: code (default), static or hashing.")
@click.option("--graph", metavar="NAME", help="Graph builder of a new fleet: flow (default), scoped or names.")
@_cache
def add(
    sources: Sequence[str], uri: str, listing: str | None, embedder: str | None, graph: str | None, cache: str | None
) -> None:
    """Add repositories: folders, all git repositories (also bare mirrors) below a folder, or addresses.

    Makes the fleet if there is none. Nothing is built yet.
    """
    from plait.fleet.fleet import Fleet
    from plait.store.lance import registry

    settings = Settings.load(Path.cwd(), {"embedder": embedder, "graph": graph, "cache": cache})
    found = _listed(listing) if listing else {}
    for source in sources:
        found |= _sources(source)
    if not found:
        raise BadParameter("nothing to add; give folders, a folder of git mirrors, addresses, or --list FILE")
    try:
        opened = Fleet.open(uri, settings.cache)
        _ = opened.about
    except NoFleet:
        opened = Fleet.create(uri, settings)
    new = registry.add(opened.tables, found)
    click.echo(f"{render.counted(len(new), 'repository', 'repositories')} added, {len(found) - len(new):,} known")


@fleet.command()
@click.argument("names", nargs=-1)
@_fleet
@click.option("--address", default="", metavar="HOST:PORT", help="Ray cluster, or auto (default: this machine).")
@click.option("--workers", type=COUNT, help="Repositories at a time (default: one for each processor).")
@click.option("--limit", type=COUNT, default=3600, show_default=True, help="Seconds that one repository may take.")
@click.option("--retry", is_flag=True, help="Also try what was set aside.")
@_cache
@_json
def build(
    names: Sequence[str],
    uri: str,
    address: str,
    workers: int | None,
    limit: int,
    retry: bool,
    cache: str | None,
    as_json: bool,
) -> None:
    """Build what has changed: all repositories, or those of these NAMES. What cannot be built is set aside."""
    from plait.fleet.cluster import Cluster, build_all
    from plait.store.lance import registry

    opened = _opened(uri, cache)
    known = {one.name for one in opened.heads()}
    for name in sorted(set(names) - known):
        raise BadParameter(f"the fleet has no repository {name!r}; `plait fleet status` lists them")
    if retry:
        registry.retry(opened.tables, names or known)
    bar = ProgressBar()
    started = time.perf_counter()
    counts: Counter[str] = Counter()
    problems: dict[str, str] = {}
    try:
        for outcome in build_all(opened, Cluster(address, workers or 0, float(limit)), names or None, bar):
            counts["built"] += outcome.built
            counts["unchanged"] += not outcome.built and not outcome.problem
            counts["parsed"] += outcome.parsed
            counts["embedded"] += outcome.embedded
            if outcome.problem:
                problems[outcome.name] = outcome.problem
    finally:
        bar.close()
    seconds = time.perf_counter() - started
    lines = [
        f"{counts['built']:,} built, {counts['unchanged']:,} unchanged, {len(problems):,} set aside; "
        f"{counts['parsed']:,} files parsed, {counts['embedded']:,} texts embedded; {seconds:.1f} s"
    ]
    lines += [f"set aside: {name}: {problem}" for name, problem in sorted(problems.items())]
    value = {"schema": "plait.fleet.build.v1", **counts, "set_aside": dict(sorted(problems.items()))}
    emit(value, lines, as_json=as_json)


@fleet.command()
@_fleet
@click.option("--problems", is_flag=True, help="Only repositories with a problem.")
@_cache
@_json
def status(uri: str, problems: bool, cache: str | None, as_json: bool) -> None:
    """Show the repositories, and why some could not be built."""
    from plait.fleet.fleet import head_json
    from plait.fleet.linked import Linked

    opened = _opened(uri, cache)
    heads = opened.heads()
    shown = [one for one in heads if one.problem or not problems]
    built = [one for one in heads if one.build]
    lines = [
        f"{render.counted(len(heads), 'repository', 'repositories')}, {len(built):,} built, "
        f"{sum(one.problem != '' for one in heads):,} with a problem; {sum(one.symbols for one in heads):,} symbols"
    ]
    ambiguous = Linked(opened).ambiguous()
    if ambiguous:
        lines.append(f"{render.counted(len(ambiguous), 'package')} published by several: no calls are linked into them")
        lines += [f"{package}  {', '.join(names)}" for package, names in list(ambiguous.items())[:20]]
    for one in shown:
        told = f"generation {one.generation}, {one.symbols:,} symbols, {one.state[:12]}" if one.build else "not built"
        lines.append(f"{one.name}  {told}" + (f"; {one.problem}" if one.problem else ""))
    value = {
        "schema": "plait.fleet.status.v1",
        "repositories": [head_json(one) for one in shown],
        "ambiguous": {package: list(names) for package, names in ambiguous.items()},
    }
    emit(value, lines, as_json=as_json)


@fleet.command()
@click.argument("query")
@_fleet
@click.option("-k", type=COUNT, default=10, show_default=True, help="Number of results.")
@click.option("--repo", "repositories", multiple=True, metavar="NAME", help="Only this repository; may be repeated.")
@click.option("--may", multiple=True, metavar="NAME", help="Answer as for a caller who may read these alone.")
@click.option("--generation", type=COUNT, help="Ask an earlier build of the repository.")
@click.option("--strategy", metavar="NAME", help="Strategy, as name or name(parameter=value, ...).")
@click.option("--explain", is_flag=True, help="Print every reason for every score.")
@click.option("--in", "inside", metavar="GLOB", help="Only paths that match; they begin with REPOSITORY//.")
@_cache
@_json
def search(
    query: str,
    uri: str,
    k: int,
    repositories: Sequence[str],
    may: Sequence[str],
    generation: int | None,
    strategy: str | None,
    explain: bool,
    inside: str | None,
    cache: str | None,
    as_json: bool,
) -> None:
    """Search all repositories, or some, for the code that belongs to QUERY. Nothing is built."""
    answer = _opened(uri, cache).search(
        query,
        k=k,
        strategy=strategy,
        where=Filter(path=inside),
        repositories=repositories or None,
        may=may or None,
        generation=generation,
    )
    emit(render.answer_json(answer), render.answer_text(answer, explain=explain), as_json=as_json)


def _relations(command: Callable[..., None]) -> Callable[..., None]:
    for decorate in (
        *(_json, _cache),
        click.option("--may", multiple=True, metavar="NAME", help="Answer as for a caller who may read these alone."),
        click.option("--repo", "repositories", multiple=True, metavar="NAME", help="Repository of SYMBOL."),
        click.option("--depth", type=COUNT, default=1, show_default=True, metavar="N", help="Calls to follow."),
        click.option("-k", type=COUNT, default=50, show_default=True, help="Number of symbols shown."),
        *(_fleet, click.argument("symbol")),
    ):
        command = decorate(command)
    return command


@fleet.command()
@_relations
def callers(symbol: str, **given: Any) -> None:
    """List who calls SYMBOL, in its repository and in all others, nearest first.

    SYMBOL is any unique end of a qualified name, REPOSITORY//NAME, or an id.
    """
    _related("callers", symbol, **given)


@fleet.command()
@_relations
def callees(symbol: str, **given: Any) -> None:
    """List what SYMBOL calls, in its repository and in all others, nearest first, and what is named elsewhere and not
    found.

    SYMBOL is any unique end of a qualified name, REPOSITORY//NAME, or an id.
    """
    _related("callees", symbol, **given)


def _related(
    name: str,
    symbol: str,
    uri: str,
    k: int,
    depth: int,
    repositories: Sequence[str],
    may: Sequence[str],
    cache: str | None,
    as_json: bool,
) -> None:
    from plait.doors import render_fleet
    from plait.fleet.linked import Linked
    from plait.model import Direction

    linked = Linked(_opened(uri, cache), may or None)
    direction = Direction.IN if name == "callers" else Direction.OUT
    found = linked.related(linked.find(symbol, repositories or None), direction, depth)
    emit(render_fleet.across_json(found, k), render_fleet.across_text(found, k), as_json=as_json)


@fleet.command()
@_fleet
@_cache
def optimize(uri: str, cache: str | None) -> None:
    """Join small pieces, renew the indexes, delete what no repository names. To be run on a schedule."""
    from plait.store.lance.upkeep import optimize as run

    done = run(_opened(uri, cache).tables)
    click.echo(
        f"{done.builds} old builds deleted, {done.fragments} pieces joined, {done.indexes} indexes renewed, "
        f"{render.counted(done.segments, 'segment')} made"
    )


def _opened(uri: str, cache: str | None) -> Fleet:
    from plait.fleet.fleet import Fleet

    return Fleet.open(uri, Settings.load(Path.cwd(), {"cache": cache}).cache)


def _sources(source: str) -> dict[str, str]:
    from plait.fleet.building import sources_in

    if "://" in source:
        return {source.partition("://")[2].partition("/")[2].removesuffix("/").removesuffix(".git"): source}
    path = Path(source).expanduser().resolve()
    if not path.is_dir():
        raise BadParameter(f"{source}: no such folder; give a folder, a folder of git mirrors, or an address")
    found = sources_in(path)
    if not found:
        notice(f"{source}: no git repository in it; it is added as one repository")
    return found or {path.name: str(path)}


def _listed(path: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for number, line in enumerate(Path(path).read_text(encoding="utf-8").splitlines(), start=1):
        words = line.split("#")[0].split(maxsplit=1)
        if len(words) == 2:
            found[words[0]] = words[1].strip() if "://" in words[1] else str(Path(words[1].strip()).resolve())
        elif words:
            raise BadParameter(f"{path}:{number}: not a name and a source; write `NAME FOLDER` or `NAME ADDRESS`")
    return found
