"""What one process that answers for a fleet knows of it: the repositories as they stand, and who may read which.

It keeps nothing that another process would need, so that any of them can answer and any of them can go.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from plait import several
from plait.asking import asked
from plait.engine import Answer, Engine, within
from plait.errors import BadParameter
from plait.finding import hits, related
from plait.fleet.access import ALL, Permissions, load
from plait.fleet.fleet import Fleet
from plait.model import Edge, Filter, Hit, Reason, Related, SnapshotInfo, Symbol, SymbolId
from plait.store.lance import registry
from plait.store.lance.registry import Head
from plait.store.lance.snapshot import SEPARATOR, LanceSnapshot, Unit

EVERY = 2.0
"""Seconds between two looks at the fleet and at the permissions."""

OPEN = 256
"""Builds that are kept open; others are read from the local disk again."""

SYMBOLS = 1_000_000
"""Symbols that one question may go through one by one, those that no segment has: the time grows with them."""

log = logging.getLogger("plait.serve")


@dataclass(frozen=True, slots=True)
class View:
    """The repositories that one team may read. Nothing in it depends on the others."""

    heads: Mapping[str, Head] = field(default_factory=dict)
    """by name, in its order"""
    infos: Mapping[str, SnapshotInfo] = field(default_factory=dict)
    """of those that are built"""

    @property
    def built(self) -> list[str]:
        return [name for name, head in self.heads.items() if head.build]


@dataclass(frozen=True, slots=True)
class _Heads:
    version: int
    listed: Sequence[Head]
    infos: Mapping[int, SnapshotInfo]
    """by build"""

    def seen(self, may: Callable[[str], bool]) -> View:
        mine = {one.name: one for one in self.listed if may(one.name)}
        return View(mine, {name: self.infos[one.build] for name, one in mine.items() if one.build in self.infos})


@dataclass(frozen=True, slots=True)
class _State:
    permissions: Permissions
    views: Mapping[str, View]
    """by team"""


class Replica:
    """Safe to be used by several threads."""

    def __init__(self, fleet: Fleet, access: Path | None = None, *, most: int = SYMBOLS) -> None:
        """Without a file of permissions everybody may read everything. `most`: symbols for one question."""
        self.fleet = fleet
        self._access = access
        self._most = most
        self._state: _State | None = None
        self._permissions: Permissions | None = None
        self._stamp: object = None
        self._heads: _Heads | None = None
        self._renewing = threading.Lock()
        self._used: OrderedDict[int, None] = OrderedDict()
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._problems: set[str] = set()

    def start(self) -> None:
        """Begin to look; `is_ready` says when a first look has ended well."""
        for look in (self.look_at_permissions, self.look_at_fleet):  # a store that hangs must not keep a token alive
            threading.Thread(target=self._watch, args=(look,), name=look.__name__, daemon=True).start()

    def stop(self) -> None:
        self._ended.set()

    @property
    def is_ready(self) -> bool:
        return self._state is not None

    def team_of(self, token: str) -> str | None:
        return None if self._state is None else self._state.permissions.team_of(token)

    def is_operator(self, team: str) -> bool:
        return self._state is not None and team in (known := self._state.permissions.teams) and known[team].operator

    def seen_by(self, team: str) -> View:
        """Return what a team may read, nothing for a team that is not known any more."""
        return View() if self._state is None else self._state.views.get(team, View())

    # Looking

    def _watch(self, look: Callable[[], None]) -> None:
        while not self._ended.is_set():
            started = time.monotonic()
            look()
            self._ended.wait(max(EVERY, 5 * (time.monotonic() - started)))

    def look(self) -> None:
        """Take over what has changed. What cannot be reached or understood is noted once, and what was known stays."""
        self.look_at_permissions()
        self.look_at_fleet()

    def look_at_permissions(self) -> None:
        if self._tried("the permissions", self._permitted):
            self._renew()

    def look_at_fleet(self) -> None:
        if self._tried("the fleet", self._listed):
            self._renew()
        self._let_go()

    def _renew(self) -> None:
        with self._renewing:
            permissions, heads = self._permissions, self._heads
            if permissions is not None and heads is not None:
                views = {name: heads.seen(team.may) for name, team in permissions.teams.items()}
                self._state = _State(permissions, views)

    def _tried(self, what: str, work: Callable[[], bool]) -> bool:
        try:
            done = work()
        except Exception as error:  # the next look may find it mended
            if what not in self._problems:
                log.error("%s: %s", what, error)
            self._problems.add(what)
            return False
        self._problems.discard(what)
        return done

    def _permitted(self) -> bool:
        """Read the permissions if they have changed, and return whether they have."""
        if self._access is None:
            before, self._permissions = self._permissions, ALL
            return before is None
        found = self._access.stat()
        stamp = (found.st_mtime_ns, found.st_size, found.st_ino)
        if stamp == self._stamp:
            return False
        self._permissions = load(self._access)
        self._stamp = stamp
        return True

    def _listed(self) -> bool:
        """Read the repositories if they have changed, and return whether they have."""
        version = registry.version(self.fleet.tables)
        self.fleet.look(ahead=True)
        if self._heads is not None and version == self._heads.version:
            return False
        heads = self.fleet.heads()
        _ = self.fleet.embedder
        known = {} if self._heads is None else self._heads.infos
        infos = {one.build: known[one.build] for one in heads if one.build in known}
        new = sorted(one.build for one in heads if one.build and one.build not in known)
        self._heads = _Heads(version, heads, infos | self.fleet.read_infos(new))
        return True

    def _let_go(self) -> None:
        with self._lock:
            while len(self._used) > OPEN:
                self._used.popitem(last=False)
            kept = set(self._used)
        self.fleet.parts.keep(kept)

    # Asking

    def engine(self, view: View, names: Sequence[str], *, named: bool) -> Engine:
        """Return an engine over the last builds of these repositories, all of them of the view, at least one.

        With `named` their names stand before ids and paths. Raises BadParameter for more symbols than are gone through.
        """
        heads = [view.heads[name] for name in names if view.heads[name].build]
        covered = self.fleet.covered()
        symbols = sum(one.symbols for one in heads if one.build not in covered)
        if len(heads) > 1 and symbols > self._most:
            told = f"{symbols:,} of these symbols are in no segment, and one question goes through {self._most:,} such"
            raise BadParameter(f"{told}; name fewer with repo=NAME")
        units = [Unit(one.name if named else "", self.fleet.parts.of(one.build)) for one in heads]
        with self._lock:
            for one in heads:
                self._used[one.build] = None
                self._used.move_to_end(one.build)
        if not named:
            ((unit),) = units
            return self.fleet.asking(LanceSnapshot(units, unit.part.info))
        return self.fleet.asking(self.fleet.over(units))

    def search(
        self,
        view: View,
        names: Sequence[str],
        text: str,
        *,
        k: int,
        strategy: str | None = None,
        where: Filter = Filter(),
        beside: bool = False,
    ) -> several.Gathered:
        """Return the k best hits of several repositories in one ranking, as `Fleet.search` does.

        Each hit is as its own repository has it, without a name before ids and paths; globs mean paths without one.
        `answers` are of those repositories alone that have a candidate, of the first one if none has.
        """
        engine = self.engine(view, names, named=True)
        chosen, question = engine.strategy(strategy), asked(text, where)
        if question.where.path is not None:  # no name of a repository and no path has two slashes
            question = replace(question, where=replace(question.where, path=f"*{SEPARATOR}{question.where.path}"))
        query = engine.query(question.text, question.where)
        snapshot = engine.snapshot()
        ranking = chosen.retrieve(within(query, question, snapshot), snapshot)
        found = hits(snapshot, ranking.candidates, k)
        beside_them = related(snapshot, found) if beside else ()
        totals: dict[str, int] = {}
        for one in ranking.candidates:
            name = one.symbol.partition(SEPARATOR)[0]
            totals[name] = totals.get(name, 0) + 1
        answers = {
            name: Answer(
                query=text,
                strategy=str(chosen),
                state=view.infos[name].state,
                total=totals.get(name, 0),
                hits=tuple(_inside(hit, name) for hit in found if _is_in(hit.symbol, name)),
                related=tuple(_related(one, name) for one in beside_them if _is_in(one.symbol, name)),
            )
            for name in names
            if name in totals or (not totals and name == names[0])
        }
        places = [several.Found(hit.symbol.path.partition(SEPARATOR)[0], hit) for hit in found]
        inside = tuple(several.Found(one.repository, _inside(one.hit, one.repository)) for one in places)
        return several.Gathered(text, answers, inside, {})


def _is_in(symbol: Symbol, repository: str) -> bool:
    return symbol.path.startswith(f"{repository}{SEPARATOR}")


def _inside(hit: Hit, repository: str) -> Hit:
    """Take the repository's name away; from a copy that is in another one it is not taken."""
    reasons = tuple(_reason(one, repository) for one in hit.reasons)
    copies = tuple(_symbol(one, repository) for one in hit.copies)
    return replace(hit, symbol=_symbol(hit.symbol, repository), reasons=reasons, copies=copies)


def _related(one: Related, repository: str) -> Related:
    return replace(one, symbol=_symbol(one.symbol, repository), edge=_edge(one.edge, repository))


def _symbol(symbol: Symbol, repository: str) -> Symbol:
    prefix = f"{repository}{SEPARATOR}"
    return replace(
        symbol,
        id=SymbolId(symbol.id.removeprefix(prefix)),
        path=symbol.path.removeprefix(prefix),
        parent=None if symbol.parent is None else SymbolId(symbol.parent.removeprefix(prefix)),
    )


def _reason(reason: Reason, repository: str) -> Reason:
    edge = None if reason.edge is None else _edge(reason.edge, repository)
    return replace(reason, detail=reason.detail.replace(f"{repository}{SEPARATOR}", ""), edge=edge)


def _edge(edge: Edge, repository: str) -> Edge:
    prefix = f"{repository}{SEPARATOR}"
    source, target = (SymbolId(one.removeprefix(prefix)) for one in (edge.source, edge.target))
    return replace(edge, source=source, target=target, path=edge.path.removeprefix(prefix))
