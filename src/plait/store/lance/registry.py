"""Which repositories a fleet has, and which build of each is the one to ask.

The row of a repository is its head. A build is committed by one conditional update of that row: it holds only if the
generation is still the one that the builder began with, so of two builders one wins and the other has written nothing
that anybody sees.
"""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from plait.errors import BadParameter, Overtaken
from plait.store.lance.tables import BEGUN, HEADS, OF_BUILDS, Tables, among, persistent, quoted, reaching

KEPT = 3
"""Generations of a repository that can still be asked: the last ones."""

GRACE = 3600.0
"""Seconds for which a build that was begun and is named by no head may still be going on, and for which one that was
replaced may still be read."""

_BUILD_BITS = 38

_NONE = "array_remove(make_array(''), '')"
"""An empty list of texts: `make_array()` has no type."""


@dataclass(frozen=True, slots=True)
class Generation:
    number: int
    build: int
    state: str
    """of its source"""
    at: float
    """seconds since the epoch at which it was committed"""


@dataclass(frozen=True, slots=True)
class Head:
    """A repository as it stands."""

    name: str
    source: str
    """where the code comes from"""
    generation: int
    """0 before the first build"""
    build: int
    state: str
    """of the source at that build"""
    symbols: int
    terms: int
    packages: tuple[str, ...]
    """that it publishes, as others name them: `python:requests`"""
    history: tuple[Generation, ...]
    """the generations that can be asked, newest first"""
    attempts: int
    """that failed since the last build"""
    problem: str
    """of the last attempt that failed; empty after a build"""
    tried: str
    """state of the source at that attempt"""


def version(tables: Tables) -> int:
    """Return what grows with every change of a repository's row."""
    return int(tables.latest(HEADS).version)


def heads(tables: Tables, names: Collection[str] | None = None) -> list[Head]:
    """Return the repositories, by name: those of these names, or all."""
    where = None if names is None else f"name IN ({', '.join(map(quoted, sorted(names)))})" if names else "false"
    known = tables.latest(HEADS)
    with reaching(tables.uri):
        rows = known.to_table(filter=where).to_pylist()
    found: dict[str, Head] = {}
    for row in rows:
        history = tuple(Generation(*one) for one in json.loads(row.pop("history")))
        head = Head(**row | {"packages": tuple(row["packages"]), "history": history})
        known = found.get(head.name)
        if known is None or head.generation > known.generation:  # two who add at the same moment
            found[head.name] = head
    return [found[name] for name in sorted(found)]


def head(tables: Tables, name: str) -> Head:
    """Raises BadParameter for a repository that the fleet does not have."""
    found = heads(tables, [name])
    if not found:
        raise BadParameter(f"the fleet has no repository {name!r}; `plait fleet status` lists them")
    return found[0]


def add(tables: Tables, sources: Mapping[str, str]) -> list[str]:
    """Add repositories, name -> source, and give those that are there their new source. Return the names that are new.

    Raises BadParameter for a name that cannot stand in front of a path.
    """
    for name in sources:
        parts = name.split("/")
        if (
            not name
            or any(not part or part in (".", "..") for part in parts)
            or any(c.isspace() or c == ":" for c in name)
        ):
            raise BadParameter(f"{name!r} cannot be a repository's name; use letters, digits, '-', '_', '.' and '/'")
    known = {one.name: one for one in heads(tables)}
    new = sorted(sources.keys() - known.keys())
    empty = {"generation": 0, "build": 0, "state": "", "symbols": 0, "terms": 0, "packages": [], "history": "[]"}
    rows = [{"name": name, "source": sources[name], **empty, "attempts": 0, "problem": "", "tried": ""} for name in new]
    if rows:
        tables.add(HEADS, rows)
    for name in sorted(sources.keys() & known.keys()):
        if known[name].source != sources[name]:
            _update(tables, {"source": quoted(sources[name])}, f"name = {quoted(name)}")
    return new


def begin(tables: Tables, name: str) -> int:
    """Return the number of a new build, which is noted as begun."""
    taken = set(tables.latest(BEGUN).to_table(columns=["build"])["build"].to_pylist())
    while (build := secrets.randbits(_BUILD_BITS)) in taken or not build:
        pass
    tables.add(BEGUN, [{"build": build, "name": name, "at": time.time()}])
    return build


def commit(
    tables: Tables, before: Head, build: int, state: str, symbols: int, terms: int, packages: Sequence[str]
) -> Head:
    """Make a build the one to ask. Raises Overtaken if another has been committed since `before` was read."""
    number = before.generation + 1
    history = (Generation(number, build, state, time.time()), *before.history)[:KEPT]
    listed = ", ".join(map(quoted, packages))
    values = {
        **{"generation": str(number), "build": str(build), "state": quoted(state), "symbols": str(symbols)},
        **{"terms": str(terms), "packages": f"make_array({listed})" if packages else _NONE},
        "history": quoted(json.dumps([[one.number, one.build, one.state, one.at] for one in history])),
        **{"attempts": "cast(0 as int)", "problem": "''", "tried": "''"},
    }
    where = f"name = {quoted(before.name)} AND generation = {before.generation}"
    if not _update(tables, values, where) and head(tables, before.name).build != build:
        raise Overtaken(before.name)
    return head(tables, before.name)


def failed(tables: Tables, name: str, state: str, problem: str) -> None:
    """Note that a repository could not be built."""
    values = {"attempts": "attempts + cast(1 as int)", "problem": quoted(problem[:500]), "tried": quoted(state)}
    _update(tables, values, f"name = {quoted(name)}")


def retry(tables: Tables, names: Iterable[str]) -> None:
    """Forget why repositories were set aside."""
    listed = ", ".join(map(quoted, sorted(names)))
    if listed:
        _update(tables, {"attempts": "cast(0 as int)", "problem": "''", "tried": "''"}, f"name IN ({listed})")


def sweep(tables: Tables, grace: float = GRACE) -> int:
    """Delete the rows of builds that no head names any more; return how many builds are gone."""
    begun = tables.latest(BEGUN).to_table().to_pylist()
    now = time.time()
    kept = {one.build for head in heads(tables) for one in head.history}
    old = sorted(row["build"] for row in begun if row["build"] not in kept and now - row["at"] > grace)
    for start in range(0, len(old), 500):
        where = among("build", old[start : start + 500])
        for name in (*OF_BUILDS, BEGUN):  # last the note that they were begun
            persistent(tables.uri, lambda name=name, where=where: tables.latest(name).delete(where))  # type: ignore[misc]
    return len(old)


def _update(tables: Tables, values: Mapping[str, str], where: str) -> int:
    done = persistent(tables.uri, lambda: tables.latest(HEADS).update(dict(values), where=where))
    return int(done["num_rows_updated"])
