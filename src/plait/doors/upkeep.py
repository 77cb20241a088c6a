"""The commands about the index itself: build it, is it fresh, remove it, is everything there that plait needs."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path

import click

from plait.doctor import Check, examine, megabytes
from plait.doors.options import CONTENT, Common, common, opened
from plait.doors.render import Json, counted
from plait.doors.render_index import (
    left_out_lines,
    recovered_json,
    recovered_lines,
    recovered_text,
    report_json,
    report_text,
    skipped_json,
)
from plait.doors.terminal import ProgressBar, emit, notice
from plait.doors.watching import wakings
from plait.engine import Engine
from plait.errors import BadParameter, IndexBusy, NothingToIndex
from plait.indexing import by_reason
from plait.model import Content, Skipped, SnapshotInfo
from plait.protocols import Snapshot
from plait.settings import Settings
from plait.status import Indexed, Status
from plait.store.folders import Kept, clear, discard, facts_of, folder_of, folders, imported_of, mined_of
from plait.verify import Verdict
from plait.verify import verify as compare

GATE_FAILED = 1


@click.command()
@click.argument("path", default=".")
@click.option("--force", is_flag=True, help="Compute every vector again.")
@click.option(
    "--skipped", "show_skipped", is_flag=True, help="List what was left out or read in part, with the reason."
)
@click.option(
    "--scip",
    multiple=True,
    metavar="FILE",
    help="Join the exact references of a SCIP index; remembered for PATH. Repeat for several.",
)
@click.option("--no-scip", is_flag=True, help="Forget the SCIP indexes remembered for PATH.")
@common(*CONTENT)
def index(path: str, force: bool, show_skipped: bool, scip: tuple[str, ...], no_scip: bool, common: Common) -> None:
    """Build the index of PATH (default: the current folder)."""
    if scip and no_scip:
        raise BadParameter("give --scip or --no-scip, not both")
    with opened(path, common) as engine:
        report = engine.index(force=force, scip=scip if scip or no_scip else None)
        skipped = engine.snapshot().skipped() if show_skipped else None
    emit(report_json(report, skipped), report_text(report, skipped), as_json=common.as_json)


@click.command()
@click.argument("path", default=".")
@click.option("--skipped", "show_skipped", is_flag=True, help="List all that is left out, by reason.")
@common(*CONTENT)
def status(path: str, show_skipped: bool, common: Common) -> None:
    """Tell what is indexed of PATH and whether it is fresh. Nothing is built."""
    with opened(path, common) as engine:
        found = engine.status()
    emit(status_json(found, show_skipped), _status_text(found, path, show_skipped), as_json=common.as_json)


@click.command("clear")
@click.argument("path", required=False)
@click.option("--all", "every", is_flag=True, help="The indexes of all folders.")
@common("cache")
def clear_(path: str | None, every: bool, common: Common) -> None:
    """Delete the indexes of PATH (default: the current folder), the SCIP indexes remembered for it, and the
    collections mined of it.
    """
    if every and path:
        raise BadParameter("give a folder or --all, not both")
    try:
        root = Path(path or ".").expanduser().resolve()
    except (OSError, RuntimeError, ValueError) as error:
        raise BadParameter(f"{path}: names no folder ({error})") from None
    cache = Settings.load(root, common.settings).cache
    gone = [
        one
        for folder in ([*folders(cache), facts_of(cache).parent] if every else [folder_of(cache, root)])
        for one in clear(folder)
    ]
    mined = sum(map(discard, [mined_of(cache), imported_of(cache)] if every else [mined_of(cache, root)]))
    where = str(cache) if every else str(root)
    indexes, size = sum(one.is_index for one in gone), mined + sum(one.size for one in gone)
    made: Json = {"schema": "plait.clear.v1", "where": where, "indexes": indexes, "bytes": size}
    told = (
        f"{where}: {counted(indexes, 'index', 'indexes')} deleted, {megabytes(size)} freed"
        if gone or mined
        else (f"{where}: no index, nothing to delete")
    )
    emit(made, [told], as_json=common.as_json)


@click.command()
@click.argument("path", default=".")
@common(*CONTENT)
def verify(path: str, common: Common) -> None:
    """Compare the index of PATH, renewed if it is stale, with a clean one that is built aside from nothing.

    Exits with 1 and the first differing lines if they differ: `-` stands before what only the index has, `+` before
    what it lacks. The lines are those of `plait export --format dump`.
    """
    with opened(path, common) as engine:
        found = compare(engine)
    emit(_verdict_json(found), _verdict_text(found, path), as_json=common.as_json)
    if not found.equal:
        raise click.exceptions.Exit(GATE_FAILED)


@click.command()
@click.argument("path", default=".")
@click.option("--once", is_flag=True, help="Renew the index if it is stale, and end.")
@click.option(
    "--interval",
    type=click.FloatRange(min=0, min_open=True),
    metavar="SECONDS",
    help="Look this often (default: when told to, with plait[watch]; else every second).",
)
@common(*CONTENT)
def watch(path: str, once: bool, interval: float | None, common: Common) -> None:
    """Keep the index of PATH fresh until Ctrl-C, and print a line (with --json an object) whenever it is renewed.

    Questions do that by themselves. This makes their first answer after an edit as fast as any other. In a large folder
    it also follows the flow of values, once no file has changed between two looks.
    """
    engine = Engine.open(path, progress=ProgressBar(), **common.settings)
    told: list[str] = []
    before: Snapshot | None = None
    with suppress(KeyboardInterrupt):
        for _ in wakings(engine.root, interval):
            found, milliseconds, problems = _renewed(engine, patient=not once)
            if found is not None and found is before and found.info.pending:
                with suppress(IndexBusy):  # the next look tries again
                    engine.index()  # no file has changed between two looks: time for the flow of values
                found, milliseconds, problems = _renewed(engine, patient=not once)
            if found is not None and found is not before:
                shown = _watch_json if common.as_json else _watch_text
                click.echo(shown(found.info, milliseconds))
            for problem in problems:
                if problem not in told:
                    notice(problem)
            told, before = problems, found or before
            if once:
                return


def _renewed(engine: Engine, *, patient: bool) -> tuple[Snapshot | None, int, list[str]]:
    """Return the index as it is now, how long that took, and what should be known.

    A patient one returns None where there is nothing to index yet.
    """
    started = time.perf_counter()
    engine.progress = bar = ProgressBar()
    found: Snapshot | None = None
    problems: list[str] = []
    try:
        found = engine.snapshot()
        problems = engine.notices
    except NothingToIndex as error:
        if not patient:
            raise
        problems = [str(error)]
    finally:
        bar.close()
    return found, round((time.perf_counter() - started) * 1000), problems


@click.command()
@common("embedder", "cache")
def doctor(common: Common) -> None:
    """Check the environment: versions, libraries, git, cache, embedder; each fault with its mend.

    Exits with 1 if something is missing that plait cannot do without.
    """
    checks = examine(Settings.load(Path.cwd(), common.settings))
    failed = any(check.needed and not check.ok for check in checks)
    made: Json = {
        "schema": "plait.doctor.v1",
        "ok": not failed,
        "checks": [
            {
                "name": check.name,
                "ok": check.ok,
                "needed": check.needed,
                "found": check.found,
                "mend": "" if check.ok else check.mend,
            }
            for check in checks
        ],
    }
    emit(made, _checks_text(checks), as_json=common.as_json)
    if failed:
        raise click.exceptions.Exit(GATE_FAILED)


def status_json(found: Status, show_skipped: bool) -> Json:
    made: Json = {
        "schema": "plait.status.v1",
        "root": str(found.root),
        "indexed": found.info is not None,
        "fresh": found.fresh,
        "changed": asdict(found.changed) | {"scip": found.scip_changed},
        "files_now": found.files,
        "listed_by": "git" if found.by_git else "ignore files",
        "commit_now": found.commit,
        "content": found.settings.content,
        "contents": [
            {"content": one.content, "files": one.files, "symbols": None if one.info is None else one.info.symbols}
            for one in found.contents
        ],
        "index": None,
        "recovered": len(found.recovered),
        "skipped": {str(reason): count for reason, count in by_reason(found.skipped).items()},
        "other_indexes": [_kept_json(one) for one in found.others],
    }
    if found.info is not None and found.index is not None:
        made["index"] = _kept_json(found.index) | {
            "state": found.info.state,
            "commit": found.info.commit,
            "embedder": found.info.embedder,
            "graph": found.info.graph,
            "files": found.info.files,
            "symbols": found.info.symbols,
            "edges": dict(found.info.edges),
            "unresolved": found.info.unresolved,
        }
    if show_skipped:
        made["skipped_files"] = skipped_json(found.skipped)
        made["recovered_files"] = recovered_json(found.recovered)
    return made


def _kept_json(one: Kept) -> Json:
    return {"path": str(one.path), "bytes": one.size, "made": _time(one.made)}


def _status_text(found: Status, path: str, show_skipped: bool) -> Iterator[str]:
    yield str(found.root)
    settings = found.settings
    if found.info is None or found.index is None:
        problem = "damaged" if found.index else "none"
        wanted = f"embedder {settings.embedder}, graph {settings.graph}"
        wanted += "" if settings.content is Content.CODE else f", content {settings.content}"
        yield f"index       {problem} for {wanted}; `plait index {path}` makes it"
        yield f"to index    {counted(found.files, 'file')}, listed by {_lister(found)}"
    else:
        info = found.info
        yield f"index       {_freshness(found)}"
        yield f"made        {_time(found.index.made)}{_commits(info.commit, found.commit)}"
        yield f"embedder    {info.embedder}"
        yield f"graph       {info.graph}"
        yield f"files       {info.files:,}, listed by {_lister(found)}"
        yield f"symbols     {info.symbols:,}"
        yield f"edges       {', '.join(f'{kind} {count:,}' for kind, count in info.edges.items()) or 'none'}"
        yield f"unresolved  {info.unresolved:,}"
        yield f"size        {megabytes(found.index.size)}, {found.index.path}"
    yield f"content     {'; '.join(map(_content_text, found.contents))}"
    yield from left_out_lines(found.skipped)
    yield from recovered_lines(found.recovered, listed=show_skipped)
    if found.others:
        size = megabytes(sum(one.size for one in found.others))
        count = counted(len(found.others), "index", "indexes")
        yield f"others      {count} by other settings or another plait, {size}; `plait clear {path}` deletes all"
    if show_skipped:
        yield from _grouped(found.skipped)
        yield from (f"{one.path}  {recovered_text(one)}" for one in found.recovered)
    elif found.skipped:
        yield "--skipped lists what is left out; a line `!path` in a .plaitignore file brings it back"


def _content_text(one: Indexed) -> str:
    told = f"{one.content} {counted(one.files, 'file')}"
    if one.info is not None:
        return f"{told}, {counted(one.info.symbols, 'symbol')} indexed"
    return f"{told}, not indexed before --content {one.content} asks" if one.files else told


def _grouped(skipped: Sequence[Skipped]) -> Iterator[str]:
    by_place = sorted(skipped, key=lambda skip: (skip.reason, skip))
    for reason, group in groupby(by_place, key=lambda skip: skip.reason):
        yield f"{reason}:"
        for skip in group:
            several = f"({skip.count:,} files)" if skip.count > 1 else ""
            yield "  " + "  ".join(part for part in (skip.path, skip.detail, several) if part)


def _freshness(found: Status) -> str:
    if found.fresh:
        return "fresh"
    told = [f"{count:,} {name}" for name, count in asdict(found.changed).items() if count]
    told += ["SCIP indexes"] if found.scip_changed else []
    changed = counted(found.changed.files, "file")
    return f"stale: {changed} changed ({', '.join(told)}); the next question renews it"


def _commits(then: str, now: str) -> str:
    if not then:
        return ""
    return f", at commit {then[:12]}" + (f" ({now[:12] or 'none'} is checked out now)" if now != then else "")


def _lister(found: Status) -> str:
    return "git" if found.by_git else "the folder's own ignore files"


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).astimezone().isoformat(timespec="seconds")


def _watch_json(info: SnapshotInfo, milliseconds: int) -> str:
    counts = {"files": info.files, "symbols": info.symbols, "edges": sum(info.edges.values())}
    return json.dumps({"schema": "plait.watch.v1", "state": info.state, **counts, "milliseconds": milliseconds})


def _watch_text(info: SnapshotInfo, milliseconds: int) -> str:
    counts = (counted(info.files, "file"), counted(info.symbols, "symbol"), counted(sum(info.edges.values()), "edge"))
    return f"{_time(time.time())}  {', '.join(counts)}  {milliseconds:,} ms"


def _verdict_json(found: Verdict) -> Json:
    return {
        "schema": "plait.verify.v1",
        "root": str(found.root),
        "index": str(found.index),
        "equal": found.equal,
        "problem": found.problem,
        "tables": [
            {
                "table": one.table,
                "lines": one.lines,
                "clean": one.clean,
                "surplus": one.surplus,
                "missing": one.missing,
                "first": list(one.shown),
            }
            for one in found.tables
        ],
    }


def _verdict_text(found: Verdict, path: str) -> Iterator[str]:
    lines = sum(one.lines for one in found.tables)
    if found.equal:
        yield f"{found.root}: the index equals a clean one, {counted(lines, 'line')} of {len(found.tables)} tables"
        return
    yield f"{found.root}: the index differs from a clean one; `plait index {path} --force` makes it anew"
    if found.problem:
        yield found.problem
    for one in found.tables:
        if one.surplus or one.missing:
            yield f"{one.table}: {counted(one.surplus, 'line')} too many, {one.missing:,} missing, of {one.clean:,}"
            yield from (f"  {line}" for line in one.shown)
            if len(one.shown) < one.surplus + one.missing:
                yield "  ..."


def _checks_text(checks: Sequence[Check]) -> Iterator[str]:
    width = max(len(check.name) for check in checks)
    for check in checks:
        verdict = "ok" if check.ok else "MISSING" if check.needed else "without"
        yield f"{check.name:{width}}  {verdict:7}  {check.found}"
        if not check.ok:
            yield f"{'':{width}}           -> {check.mend}"
