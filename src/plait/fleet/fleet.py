"""Many repositories as one place to ask: opens a fleet, and asks of it what the caller may read."""

from __future__ import annotations

import json
import os
from collections import OrderedDict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, replace
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from plait import plugins
from plait.engine import Answer, Engine
from plait.errors import BadParameter, NotInAFleet, NotIndexed
from plait.model import Evidence, Filter, SnapshotInfo
from plait.protocols import Embedder, Snapshot
from plait.settings import Settings
from plait.store import records
from plait.store.lance import registry
from plait.store.lance.part import Parts
from plait.store.lance.registry import Head
from plait.store.lance.snapshot import LanceSnapshot, Unit
from plait.store.lance.tables import BUILDS, About, Tables, among
from plait.store.lance.wide.index import WideIndex
from plait.store.lance.wide.snapshot import WideSnapshot

if TYPE_CHECKING:
    from plait.questions import Impact
    from plait.status import Status

EXACT = 50_000
"""Symbols of the repositories that are asked up to which all of them are looked at, whatever segments there are."""

FEW = 20
"""Builds that are read one by one."""

AT_ONCE = 500
"""Builds that one reading names."""

JOINED = 16
"""Sets of repositories whose snapshot is kept: those that the callers of now may read."""


class Fleet:
    """Make it with `Fleet.create` or `Fleet.open`."""

    def __init__(self, tables: Tables, cache: Path) -> None:
        self.tables = tables
        self.cache = cache
        self.about = tables.about
        self.parts = Parts(tables, cache)
        self.exact = EXACT
        self._wide = WideIndex(tables, cache)
        self._heads: tuple[int, list[Head]] | None = None
        self._infos: dict[int, SnapshotInfo] = {}
        self._joined: OrderedDict[object, LanceSnapshot] = OrderedDict()
        self._lock = Lock()

    @classmethod
    def create(cls, uri: str, settings: Settings, options: Mapping[str, str] | None = None) -> Fleet:
        """Make an empty fleet at a folder or an address such as `s3://bucket/fleet`, whose embedder and graph builder
        are those of the settings for good. Raises BadParameter where there is one.
        """
        made: Embedder = plugins.build("embedder", settings.embedder)
        about = About(settings.embedder, made.fingerprint, settings.graph, made.dim)
        return cls(Tables.create(address(uri), about, options), settings.cache)

    @classmethod
    def open(cls, uri: str, cache: Path, options: Mapping[str, str] | None = None) -> Fleet:
        """Raises NoFleet."""
        return cls(Tables(address(uri), options or {}), cache)

    @cached_property
    def _engine(self) -> Engine:
        return _Asking(Path("/"), Settings(embedder=self.about.embedder, graph=self.about.graph, cache=self.cache))

    @cached_property
    def embedder(self) -> Embedder:
        """Raises BadParameter if the fleet was made with other weights under the same name."""
        made = self._engine.embedder
        if made.fingerprint != self.about.fingerprint:
            raise BadParameter(
                f"{self.tables.uri}: the vectors are of {self.about.fingerprint}, and the embedder "
                f"{self.about.embedder} is {made.fingerprint} now; build a new fleet"
            )
        return made

    def heads(self, may: Collection[str] | None = None) -> list[Head]:
        """Return the repositories that the caller may read (all with None), by name."""
        version = registry.version(self.tables)
        if self._heads is None or self._heads[0] != version:
            self._heads = (version, registry.heads(self.tables))
        return [one for one in self._heads[1] if may is None or one.name in may]

    def snapshot(
        self,
        repositories: Collection[str] | None = None,
        *,
        may: Collection[str] | None = None,
        generation: int | None = None,
    ) -> LanceSnapshot:
        """Return these repositories, or all, as one snapshot of what the caller `may` read (None: everything).

        What the caller may not read is as if it were not in the fleet: it is in no count, no statistic and no score,
        and to name it is the error that a name nobody has gives. With a generation, which needs one repository, as it
        was then. Raises BadParameter for a name or a generation that is not there, NotIndexed if nothing is built.
        """
        heads = self.heads(may)
        if repositories is not None:
            unknown = sorted(set(repositories) - {one.name for one in heads})
            if unknown:
                raise BadParameter(f"the fleet has no repository {unknown[0]!r}; `plait fleet status` lists them")
            heads = [one for one in heads if one.name in repositories]
        if generation is not None:
            heads = [_as_it_was(heads, generation)]
        units = [Unit(one.name, self.parts.of(one.build)) for one in heads if one.build]
        if not units:
            raise NotIndexed(self.tables.uri)
        self.look()
        return self.over(units)

    def look(self, *, ahead: bool = False) -> bool:
        """Take over the segments that there are now, with `ahead` once they are on the local disk.

        Returns whether they are other ones than before.
        """
        changed = self._wide.look(ahead=ahead)
        if changed:
            with self._lock:
                self._joined.clear()
        return changed

    def covered(self) -> frozenset[int]:
        """Return the builds that segments have, as of the last look."""
        return self._wide.covered()

    def over(self, units: Sequence[Unit]) -> LanceSnapshot:
        """Return several builds as one snapshot: over segments where they are many, exact where they are few.

        The last ones are kept until other segments are taken over.
        """
        key = (self._wide.version, self.exact, tuple((unit.repository, unit.part.build) for unit in units))
        with self._lock:
            found = self._joined.get(key)
        if found is None:
            found = self._over(units)  # not while others wait: builds of no segment may have to be read
        with self._lock:
            self._joined[key] = found
            self._joined.move_to_end(key)
            while len(self._joined) > JOINED:
                self._joined.popitem(last=False)
        return found

    def _over(self, units: Sequence[Unit]) -> LanceSnapshot:
        info = self._told_together(units)
        wide = self._wide.layout(units) if info.symbols > self.exact else None
        return LanceSnapshot(units, info) if wide is None else WideSnapshot(wide, info)

    def _told_together(self, units: Sequence[Unit]) -> SnapshotInfo:
        infos = self._told(units)
        return SnapshotInfo(
            state="+".join(one.state[:12] for one in infos) if len(infos) < 4 else f"{len(infos)} repositories",
            root=self.tables.uri,
            embedder=self.about.fingerprint,
            graph=self.about.graph,
            files=sum(one.files for one in infos),
            symbols=sum(one.symbols for one in infos),
            passages={name: sum(one.passages.get(name, 0) for one in infos) for name in infos[0].passages},
            lines=sum(one.lines for one in infos),
        )

    def asking(self, snapshot: Snapshot) -> Engine:
        """Return an engine that answers from a snapshot of the fleet. Raises BadParameter as `embedder`."""
        _ = self.embedder
        return self._engine.holding(snapshot)

    def _told(self, units: Sequence[Unit]) -> list[SnapshotInfo]:
        """Return what the builds tell of themselves: those not known yet are read at once."""
        new = [unit.part.build for unit in units if unit.part.build not in self._infos]
        if new and len(new) < FEW:
            self._infos |= {unit.part.build: unit.part.info for unit in units if unit.part.build in new}
        elif new:
            self._infos |= self.read_infos(new)
        return [self._infos[unit.part.build] for unit in units]

    def read_infos(self, builds: Sequence[int]) -> dict[int, SnapshotInfo]:
        """Read what builds tell of themselves, by build; those that are not there are left out."""
        found: dict[int, SnapshotInfo] = {}
        for start in range(0, len(builds), AT_ONCE):
            self.tables.latest(BUILDS)
            where = among("build", builds[start : start + AT_ONCE])
            for row in self.tables.read(BUILDS, where, ["build", "info"]).to_pylist():
                found[row["build"]] = records.info(json.loads(row["info"]))
        return found

    def search(
        self,
        text: str,
        *,
        k: int = 10,
        strategy: str | None = None,
        where: Filter = Filter(),
        repositories: Collection[str] | None = None,
        may: Collection[str] | None = None,
        generation: int | None = None,
    ) -> Answer:
        """Return the k best hits among what the caller may read; else as `snapshot` and `Engine.search`."""
        snapshot = self.snapshot(repositories, may=may, generation=generation)
        return self.asking(snapshot).search(text, k=k, strategy=strategy, where=where, beside=False)


class _Asking(Engine):
    """Answers from the snapshot that it holds: there are no files behind it."""

    def impact_of_diff(self, revision: str, *, weakest: Evidence = Evidence.AMBIGUOUS) -> Impact:
        raise NotInAFleet("a fleet has no work tree to compare with; ask `plait impact --diff` in a checkout")

    def status(self) -> Status:
        raise NotInAFleet("a fleet has no files to compare with; `plait fleet status` tells what is built")


def address(uri: str) -> str:
    """Return an address as it is, a folder as an absolute path."""
    return uri.rstrip("/") if "://" in uri else os.path.abspath(os.path.expanduser(uri))


def _as_it_was(heads: list[Head], generation: int) -> Head:
    if len(heads) != 1:
        raise BadParameter("a generation is one of one repository; name that with --repo")
    (head,) = heads
    for one in head.history:
        if one.number == generation:
            return replace(head, generation=one.number, build=one.build, state=one.state)
    kept = ", ".join(str(one.number) for one in head.history) or "none"
    raise BadParameter(f"{head.name}: generation {generation} is not kept; there are: {kept}")


def head_json(head: Head) -> dict[str, object]:
    """Return what is told of a repository."""
    told = asdict(head)
    told["history"] = [{"generation": one.number, "state": one.state, "at": one.at} for one in head.history]
    return {
        name: told[name]
        for name in ("name", "source", "generation", "state", "symbols", "packages", "history", "problem")
    }
