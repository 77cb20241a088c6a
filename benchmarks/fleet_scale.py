"""A fleet at 10^4, 10^5 and 10^6 functions: what it costs, how fast it answers, and whether the answers are right.

    python benchmarks/fleet_scale.py parity FLEET          # against the embedded index and against every row
    python benchmarks/fleet_scale.py alone FLEET           # each repository against an index made of its folder
    python benchmarks/fleet_scale.py ask FLEET             # seconds of questions
    python benchmarks/fleet_scale.py copies FLEET OTHER N  # a larger fleet: the repositories N times, changed a little
    python benchmarks/fleet_scale.py cost FLEET -- COMMAND # seconds, requests and bytes of a command (options first)
    python benchmarks/fleet_scale.py reads FLEET           # requests, bytes and memory of first and second questions
    python benchmarks/fleet_scale.py size FLEET            # rows and bytes

Needs `plait[scale]`. `cost` reads SeaweedFS's counters (`-metricsPort`, given with `--metrics URL`).
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import resource
import secrets
import statistics
import subprocess
import tempfile
import time
import urllib.request
import zlib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.fs

from plait import plugins
from plait.document import EMBEDDED, TEMPLATES, batch_of
from plait.engine import Answer, Engine
from plait.fleet.fleet import Fleet
from plait.links import links_of
from plait.model import Direction, Document, EdgeKind, Graph, Passage, Ranking, SymbolId
from plait.protocols import Snapshot
from plait.settings import Settings
from plait.store.embedded import EmbeddedSnapshot, EmbeddedWriter
from plait.store.lance.snapshot import LanceSnapshot
from plait.store.lance.tables import BEGUN, HEADS, NUMBERS, OF_BUILDS, SYMBOLS
from plait.store.lance.wide.segments import segments
from plait.store.lance.wide.snapshot import LOOKED_AT, WideSnapshot
from plait.vectors import codes, unit

ALL_ROWS = 1 << 60
NOISE = 0.25
"""Length of what is added to each vector of a copy, against the vector's own."""
RENAMED = 8
"""Of so many terms one is another in each copy."""


def questions(fleet: Fleet, count: int) -> list[tuple[str, str]]:
    """Return repositories with the first line of a docstring of a function in them, drawn over all functions."""
    names = {one.build: one.name for one in fleet.heads()}
    where = "kind IN ('function', 'method') AND NOT is_test AND docstring != ''"
    rows = fleet.tables.read(SYMBOLS, where, ["build", "key", "docstring"]).sort_by("key")
    lines = [" ".join(text.strip().partition("\n")[0].split()) for text in rows["docstring"].to_pylist()]
    found = [
        (names[build], line.rstrip("."))
        for build, line in zip(rows["build"].to_pylist(), lines, strict=True)
        if build in names and 5 <= len(line.split()) <= 15 and re.fullmatch(r"[\w ,.'-]+", line)
    ]
    return random.Random(7).sample(found, count)


def ranked(fleet: Fleet, snapshot: Snapshot, strategy: str, text: str) -> list[tuple[SymbolId, float]]:
    query = fleet.asking(snapshot).query(text)
    ranking: Ranking = plugins.build("strategy", strategy).retrieve(query, snapshot)
    return [(one.symbol, one.score) for one in ranking.candidates[:10]]


def share(found: Sequence[tuple[SymbolId, float]], wanted: Sequence[tuple[SymbolId, float]]) -> float:
    """Return recall@10: how many of the wanted were found, each that ties with the last one being as good as it."""
    if not wanted:
        return 1.0
    least = wanted[-1][1]
    good = {symbol for symbol, _ in wanted} | {symbol for symbol, score in found if score >= least}
    return min(1.0, len({symbol for symbol, _ in found} & good) / len(wanted))


# Parity


def parity(fleet: Fleet, count: int) -> None:
    asked = questions(fleet, count)
    print(told(fleet))
    fleet.exact = ALL_ROWS
    exact = fleet.snapshot()
    fleet.exact = 0
    wide = fleet.snapshot()
    assert type(exact) is LanceSnapshot
    assert isinstance(wide, WideSnapshot)
    every = WideSnapshot(wide._layout, wide.info, ALL_ROWS)
    with tempfile.TemporaryDirectory() as folder:
        embedded = in_one_index(exact, Path(folder) / "index")
        print(f"\nTop ten of {count} questions (first lines of docstrings) over all repositories, against one embedded")
        print("index of the same functions: rankings that are equal, scores included, and recall@10")
        print(f"{'':<12}{'builds read whole':>20}{'segments, all rows':>20}{f'segments, {LOOKED_AT:,} rows':>34}")
        for strategy in ("lexical", "vector", "hybrid", "additive"):
            wanted = [ranked(fleet, embedded, strategy, text) for _, text in asked]
            cells = []
            for snapshot in (exact, every, wide):
                found = [ranked(fleet, snapshot, strategy, text) for _, text in asked]
                same = sum(one == other for one, other in zip(found, wanted, strict=True))
                recall = statistics.mean(map(share, found, wanted))
                cells.append(f"{same} of {count}, {recall:.3f}")
            print(f"{strategy:<12}{cells[0]:>20}{cells[1]:>20}{cells[2]:>34}", flush=True)


def in_one_index(snapshot: LanceSnapshot, place: Path) -> EmbeddedSnapshot:
    """Write what a snapshot of a fleet holds into the embedded store."""
    writer = EmbeddedWriter(place)
    for unit_ in sorted(snapshot.units, key=lambda one: one.prefix):
        part = unit_.part
        symbols = unit_.symbols(range(part.count))
        rows = {template: part.matrix(template) for template in EMBEDDED}
        edges = {template: np.searchsorted(rows[template].owners, np.arange(part.count + 1)) for template in EMBEDDED}
        spans = {template: part.spans(template) for template in EMBEDDED}
        documents = [
            Document(
                symbol.id,
                text,
                {
                    template: tuple(
                        Passage(spans[template][row], f"{symbol.id} {template} {row}")
                        for row in range(edges[template][number], edges[template][number + 1])
                    )
                    for template in EMBEDDED
                },
                tuple(words.split(" ")) if words else (),
            )
            for number, (symbol, text, words) in enumerate(
                zip(symbols, part.column("text"), part.column("words"), strict=True)
            )
        ]
        writer.put(symbols, batch_of(documents, {template: rows[template].codes for template in EMBEDDED}))
        writer.derive("smoothed", part.matrix("smoothed").codes)
        edges = snapshot.edges([one.id for one in symbols], list(EdgeKind), Direction.OUT)
        writer.connect(links_of(Graph(tuple(edges), ())))
    return writer.commit(snapshot.info)


def alone(fleet: Fleet, most: int) -> None:
    """Each repository's own index, made of its source, against the same repository asked in the fleet."""
    asked: dict[str, list[str]] = {}
    for name, text in questions(fleet, most * 12):
        asked.setdefault(name, []).append(text)
    heads = {one.name: one for one in fleet.heads()}
    chosen = [name for name in sorted(asked) if Path(heads[name].source).is_dir()][:most]
    same: Counter[str] = Counter()
    total = functions = 0
    for name in chosen:
        engine = Engine.open(heads[name].source, cache=fleet.cache)
        functions += engine.index().info.symbols  # as a fleet, with the flow of values
        for text in asked[name][:5]:
            total += 1
            for strategy in ("lexical", "vector", "hybrid", "additive"):
                mine = shown(fleet.search(text, repositories=[name], strategy=strategy))
                theirs = shown(engine.search(text, strategy=strategy))
                same[strategy] += mine == theirs
    print(f"\n{len(chosen)} repositories ({functions:,} symbols), each asked alone and by an index made of its folder,")
    print(f"{total} questions: equal top tens, scores included")
    print(", ".join(f"{strategy} {count} of {total}" for strategy, count in same.items()))


def shown(answer: Answer) -> list[tuple[str, str, float, int]]:
    return [
        (hit.symbol.path.rpartition("//")[2], hit.symbol.qualified_name, hit.score, len(hit.reasons))
        for hit in answer.hits
    ]


# Speed


def ask(fleet: Fleet, count: int) -> None:
    asked = questions(fleet, count)
    print(told(fleet))
    scoped = [[name] for name, _ in asked]
    names = [one.name for one in fleet.heads()]
    half = set(random.Random(3).sample(names, len(names) // 2))
    everything: list[list[str] | None] = [None] * count
    print(f"\nMilliseconds of {count} questions, the second time that each is asked")
    print(f"{'':<44}{'p50':>6}{'p95':>6}   first time: p50")
    for strategy in ("hybrid", "additive", "lexical", "vector"):
        timed(f"{strategy}, one repository", fleet, asked, scoped, strategy)
    for strategy in ("hybrid", "additive", "lexical", "vector"):
        timed(f"{strategy}, all", fleet, asked, everything, strategy)
    timed("hybrid, who may read half of them", fleet, asked, everything, "hybrid", half)
    wide = fleet.snapshot()
    if isinstance(wide, WideSnapshot):
        every = WideSnapshot(wide._layout, wide.info, ALL_ROWS)
        print(f"\nrecall@10 of {LOOKED_AT:,} rows of each segment against all rows, {count} questions")
        for strategy in ("vector", "hybrid", "additive"):
            print(f"  {strategy:<12}{recall(fleet, strategy, asked, wide, every):.3f}", flush=True)
        for looked_at in (15_000, 30_000, 100_000, 200_000):
            other = WideSnapshot(wide._layout, wide.info, looked_at)
            found = recall(fleet, "vector", asked, other, every)
            print(f"  vector with {looked_at:>7,} rows   {found:.3f}", flush=True)


def recall(fleet: Fleet, strategy: str, asked: Sequence[tuple[str, str]], one: Snapshot, every: Snapshot) -> float:
    return statistics.mean(
        share(ranked(fleet, one, strategy, text), ranked(fleet, every, strategy, text)) for _, text in asked
    )


def timed(
    label: str,
    fleet: Fleet,
    asked: Sequence[tuple[str, str]],
    scopes: Sequence[list[str] | None],
    strategy: str,
    may: set[str] | None = None,
) -> None:
    rounds: list[list[float]] = []
    for _ in range(2):
        rounds.append([])
        for (_, text), scope in zip(asked, scopes, strict=True):
            began = time.perf_counter()
            fleet.search(text, repositories=scope, strategy=strategy, may=may)
            rounds[-1].append(1000 * (time.perf_counter() - began))
    first, second = rounds
    p95 = statistics.quantiles(second, n=20)[-1]
    print(f"{label:<44}{statistics.median(second):>6.0f}{p95:>6.0f}{statistics.median(first):>18.0f}", flush=True)


# Copies


def copies(fleet: Fleet, other: Fleet, count: int) -> None:
    """Write the repositories `count` times under other names, with an eighth of their terms and all vectors changed."""
    heads = [one for one in fleet.heads() if one.build]
    old = np.array(sorted(one.build for one in heads), dtype=np.int64)
    places = {build: place for place, build in enumerate(old.tolist())}
    tables = {}
    for name in OF_BUILDS:
        rows = fleet.tables.latest(name).to_table()
        tables[name] = rows.filter(pc.is_in(rows["build"], pa.array(old)))
    for copy in range(count):
        new = np.array(sorted({secrets.randbits(38) for _ in range(2 * len(old))})[: len(old)], dtype=np.int64)
        for name, rows in tables.items():
            changed = moved(rows, old, new)
            if name == SYMBOLS:
                changed = renamed(changed, copy)
            if name in TEMPLATES:
                changed = perturbed(changed, copy)
            for start in range(0, max(1, len(changed)), 100_000):
                other.tables.append(name, other.tables.write(name, changed.slice(start, 100_000)))
        now = time.time()
        begun = [{"build": int(new[places[one.build]]), "name": f"copy{copy}/{one.name}", "at": now} for one in heads]
        other.tables.add(BEGUN, begun)
        written = [
            {
                **{"name": f"copy{copy}/{one.name}", "source": one.source, "generation": 1},
                **{"build": int(new[places[one.build]]), "state": one.state, "symbols": one.symbols},
                **{"terms": one.terms, "packages": [], "attempts": 0, "problem": "", "tried": ""},
                "history": json.dumps([[1, int(new[places[one.build]]), one.state, now]]),
            }
            for one in heads
        ]
        other.tables.add(HEADS, written)
        print(f"copy {copy} written", flush=True)


def moved(rows: pa.Table, old: np.ndarray, new: np.ndarray) -> pa.Table:
    mask = (1 << NUMBERS) - 1
    for column in ("build", "key", "owner", "source", "target"):
        at = rows.schema.get_field_index(column)
        if at >= 0 and rows.schema.field(at).type == pa.int64():
            values = rows[column].to_numpy()
            builds = values if column == "build" else values >> NUMBERS
            found = new[np.searchsorted(old, builds)]
            if column != "build":
                found = (found << NUMBERS) | (values & mask)
            rows = rows.set_column(at, rows.schema.field(at), pa.array(found))
    return rows


def renamed(rows: pa.Table, copy: int) -> pa.Table:
    own: dict[str, str] = {}

    def changed(term: str) -> str:
        if term not in own:
            is_other = zlib.crc32(f"{copy} {term}".encode()) % RENAMED == 0
            own[term] = f"{term}{chr(97 + copy % 26)}{copy}" if is_other and len(term) > 3 else term
        return own[term]

    words = [" ".join(map(changed, text.split(" "))) for text in rows["words"].to_pylist()]
    return rows.set_column(rows.schema.get_field_index("words"), rows.schema.field("words"), pa.array(words))


def perturbed(rows: pa.Table, copy: int) -> pa.Table:
    draw = np.random.default_rng(copy)
    field = rows.schema.field("codes")
    made = []
    for start in range(0, len(rows), 50_000):
        flat = rows["codes"].slice(start, 50_000).combine_chunks().flatten().to_numpy(zero_copy_only=False)
        found = unit(flat.reshape(-1, field.type.list_size).astype(np.float32))
        noise = draw.normal(0, NOISE / found.shape[1] ** 0.5, found.shape).astype(np.float32)
        changed = codes(unit(found + noise)).astype(np.float16)
        made.append(pa.FixedSizeListArray.from_arrays(pa.array(changed.ravel()), found.shape[1]))
    return rows.set_column(rows.schema.get_field_index("codes"), field, pa.chunked_array(made))


# Costs


def cost(fleet: str, metrics: str, command: Sequence[str]) -> None:
    before, began = counters(metrics), time.perf_counter()
    used = os.times()
    subprocess.run(command, check=True)
    seconds = time.perf_counter() - began
    now = os.times()
    cpu = now.children_user + now.children_system - used.children_user - used.children_system
    found = counters(metrics)
    spent = {name: found[name] - before.get(name, 0) for name in sorted(found) if found[name] != before.get(name, 0)}
    print(f"{seconds:.0f} s ({cpu:.0f} s of processors, Ray's workers aside): {spent}")
    print(f"for {told(Fleet.open(fleet, cache()))}")


def reads(uri: str, metrics: str) -> None:
    """Ask with an empty cache, then again; nobody else may use the object store meanwhile."""
    asked = questions(Fleet.open(uri, cache()), 4)
    print(told(Fleet.open(uri, cache())))
    with tempfile.TemporaryDirectory() as folder:
        fleet = Fleet.open(uri, Path(folder))
        for label, named in (("one repository", True), ("all", False)):
            for which, (name, text) in zip(("first", "second"), (asked[0], (asked[0][0], asked[1][1])), strict=True):
                before, began = counters(metrics), time.perf_counter()
                fleet.search(text, repositories=[name] if named else None, strategy="hybrid")
                seconds = time.perf_counter() - began
                found = {key: round(value - before.get(key, 0), 1) for key, value in counters(metrics).items()}
                spent = ", ".join(f"{key} {value:g}" for key, value in sorted(found.items()) if value)
                peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
                print(f"  {label}, {which:<8}{seconds:>7.2f} s   {spent or 'nothing'}; peak of memory {peak:,.0f} MB")
        kept = sum(one.stat().st_size for one in Path(folder).rglob("*") if one.is_file())
        print(f"  kept on the local disk: {kept / 1e6:,.0f} MB")


def counters(metrics: str) -> dict[str, float]:
    found: dict[str, float] = {}
    text = urllib.request.urlopen(metrics).read().decode()
    for kind, value in re.findall(r'^SeaweedFS_s3_request_total\{.*type="(\w+)"\} (\S+)', text, re.M):
        found[kind] = found.get(kind, 0.0) + float(value)
    for way, value in re.findall(r"^SeaweedFS_s3_bucket_traffic_(\w+)_bytes_total\{.*\} (\S+)", text, re.M):
        found[f"MB {way}"] = round(float(value) / 1e6, 1)
    return found


def size(fleet: Fleet) -> None:
    print(told(fleet))
    store, root = stored(fleet.tables.uri)
    found: Counter[str] = Counter()
    files: Counter[str] = Counter()
    for one in store.get_file_info(pa.fs.FileSelector(root, recursive=True)):
        if one.is_file:
            first, *rest = one.path[len(root) :].strip("/").split("/")
            kind = "segments" if first == "segments" else first.removesuffix(".lance")
            if rest and rest[0] == "_indices":
                kind += " (index)"
            elif rest and rest[0] != "data" and first != "segments":
                kind = "versions"
            found[kind] += one.size
            files[kind] += 1
    symbols = sum(one.symbols for one in fleet.heads())
    for kind, total in sorted(found.items(), key=lambda one: -one[1]):
        print(f"  {kind:<24}{total / 1e6:>10,.1f} MB{files[kind]:>8} files{total / symbols:>8,.0f} B a symbol")
    total = found.total()
    print(f"  {'together':<24}{total / 1e6:>10,.1f} MB{files.total():>8} files{total / symbols:>8,.0f} B a symbol")


def stored(uri: str) -> tuple[pa.fs.FileSystem, str]:
    if not uri.startswith("s3://"):
        return pa.fs.LocalFileSystem(), uri
    endpoint = os.environ["AWS_ENDPOINT"].partition("://")
    return pa.fs.S3FileSystem(endpoint_override=endpoint[2], scheme=endpoint[0]), uri.removeprefix("s3://")


def told(fleet: Fleet) -> str:
    heads = [one for one in fleet.heads() if one.build]
    functions = fleet.tables.latest(SYMBOLS).count_rows("kind IN ('function', 'method')")
    known = segments(fleet.tables)
    return (
        f"{functions:,} functions ({sum(one.symbols for one in heads):,} symbols) in {len(heads):,} repositories, "
        f"{len(known)} segments of {', '.join(f'{sum(one.counts):,}' for one in known) or 'none'}"
    )


def cache() -> Path:
    return Settings().cache


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("parity", "alone", "ask", "copies", "cost", "reads", "size"))
    parser.add_argument("fleet")
    parser.add_argument("rest", nargs="*")
    parser.add_argument("--questions", type=int, default=100)
    parser.add_argument("--repositories", type=int, default=12)
    parser.add_argument("--metrics", default="http://127.0.0.1:9327/metrics")
    given = parser.parse_args()
    if given.what == "cost":
        cost(given.fleet, given.metrics, given.rest)
        return
    if given.what == "reads":
        reads(given.fleet, given.metrics)
        return
    fleet = Fleet.open(given.fleet, cache())
    match given.what:
        case "parity":
            parity(fleet, given.questions)
        case "alone":
            alone(fleet, given.repositories)
        case "ask":
            ask(fleet, given.questions)
        case "size":
            size(fleet)
        case _:
            about = fleet.about
            other = Fleet.create(given.rest[0], Settings(embedder=about.embedder, graph=about.graph, cache=cache()))
            copies(fleet, other, int(given.rest[1]))


if __name__ == "__main__":
    main()
