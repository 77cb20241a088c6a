"""`plait watch`: the index follows the files."""

from __future__ import annotations

import json
import time

import click

from plait.doors.options import INDEX, Common, common, opened
from plait.doors.terminal import emit
from plait.model import SnapshotInfo


@click.command()
@click.argument("path", default=".")
@click.option(
    "--interval", type=click.FloatRange(min=0.05), default=1.0, show_default=True, help="Seconds between two looks."
)
@click.option("--once", is_flag=True, help="Bring the index up to date, and end.")
@common(*INDEX)
def watch(path: str, interval: float, once: bool, common: Common) -> None:
    """Keep the index of PATH fresh until Ctrl-C: a line (with --json, a JSON object) for each renewal.

    When no file has changed between two looks, the flow of values is followed as well.
    """
    with opened(path, common) as engine:
        shown: SnapshotInfo | None = None
        try:
            while True:
                started = time.perf_counter()
                info = engine.snapshot().info
                if info == shown and info.pending:
                    engine.index()
                    info = engine.snapshot().info
                if info != shown:
                    _tell(info, time.perf_counter() - started, as_json=common.as_json)
                    shown = info
                elif once:
                    return
                if not once:
                    time.sleep(interval)
        except KeyboardInterrupt:
            return


def _tell(info: SnapshotInfo, seconds: float, *, as_json: bool) -> None:
    edges = sum(info.edges.values())
    waiting = f", flow of values to follow in {info.pending}" if info.pending else ""
    line = f"{info.files} files, {info.symbols} symbols, {edges} edges{waiting}: {seconds * 1000:.0f} ms"
    made = {
        "schema": "plait.watch.v1",
        "state": info.state,
        "files": info.files,
        "symbols": info.symbols,
        "edges": edges,
        "pending": info.pending,
        "seconds": round(seconds, 3),
    }
    emit(made, [json.dumps(made) if as_json else line], as_json=False)
