"""A fleet behind the same operations: for each caller there is what their team may read, and nothing else."""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from starlette.datastructures import Headers

from plait import several
from plait.doors.http.board import Standing
from plait.doors.http.faults import Fault
from plait.doors.http.guard import Access, admitted, bearer, unauthorized
from plait.doors.http.served import Served
from plait.doors.mcp.schemas import OF_NAMES
from plait.engine import Engine
from plait.errors import BrokenIndex, FleetUnreachable, NoFleet
from plait.evaluate.collection import Collection
from plait.fleet.access import EVERYBODY, HOW
from plait.fleet.replica import Replica, View
from plait.freshness import Differences
from plait.model import Content, FileRecord, Filter
from plait.parse.lines import split_lines
from plait.settings import Settings
from plait.status import Indexed, Status
from plait.store.folders import Kept

REMEMBERED = 256
"""What was made from a build once and is kept for the next question, of all repositories."""

log = logging.getLogger("plait.serve")


@dataclass(frozen=True, slots=True)
class TeamAccess(Access):
    """As Access, with a token for each team. A browser's cookie is the token itself, so nothing is kept here."""

    replica: Replica | None = None
    has_tokens: bool = True

    @classmethod
    def over(
        cls, replica: Replica, address: str, hosts: Sequence[str], origins: Sequence[str], *, has_tokens: bool
    ) -> TeamAccess:
        """Raises BadParameter as `Access.of`."""
        names = admitted(address, hosts, origins, "" if has_tokens else HOW)
        return cls(*names, replica=replica, has_tokens=has_tokens)

    @property
    def needs_token(self) -> bool:
        return self.has_tokens

    @property
    def is_probed(self) -> bool:
        return True

    def is_operator(self, caller: str) -> bool:
        return self.replica is not None and self.replica.is_operator(caller)

    def caller(self, headers: Headers, cookie: str) -> str | Fault:
        if self.replica is None or not self.replica.is_ready:
            return not_ready()
        if not self.has_tokens:
            return EVERYBODY
        team = self.replica.team_of(bearer(headers) if headers.get("authorization") else cookie)
        return unauthorized("this server needs the token of a team") if team is None else team

    def session_for(self, token: str) -> str | None:
        return token if self.replica is not None and self.replica.team_of(token) is not None else None


def not_ready() -> Fault:
    return Fault(503, "not_ready", "the fleet's store does not answer now; ask again in a few seconds", retry=2)


class FleetService:
    """What a server of a fleet serves (`served.Serving`)."""

    def __init__(self, replica: Replica) -> None:
        self.replica = replica
        self._kept: OrderedDict[tuple[str, str, str], _Kept] = OrderedDict()
        self._standings: dict[str, tuple[View, Mapping[str, Standing]]] = {}
        self._lock = threading.Lock()

    @property
    def repo(self) -> str:
        return OF_NAMES

    def start(self) -> None:
        self.replica.start()

    def stop(self) -> None:
        self.replica.stop()

    @property
    def health(self) -> str:
        return "ok" if self.is_ready else "indexing"

    @property
    def is_ready(self) -> bool:
        return self.replica.is_ready

    def seen_by(self, caller: str) -> Seen:
        view = self.replica.seen_by(caller)
        known = self._standings.get(caller)
        if known is None or known[0] is not view:
            known = (view, {name: _standing(view, name) for name in view.heads})
            self._standings[caller] = known
        return Seen(self, *known)

    def remembered(self, place: tuple[str, str, str], make: Callable[[], Any]) -> Any:
        with self._lock:
            kept = self._kept.setdefault(place, _Kept())
            self._kept.move_to_end(place)
            while len(self._kept) > REMEMBERED:
                self._kept.popitem(last=False)
        with kept.lock:
            if not kept.made:
                kept.value = make()
                kept.made = True
        return kept.value


class _Kept:
    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.made = False
        self.value: Any = None


def _standing(view: View, name: str) -> Standing:
    head, info = view.heads[name], view.infos.get(name)
    is_behind = bool(head.problem) and info is not None
    return Standing(
        name,
        Path(name),
        "repository",
        ready=info is not None,
        state="" if info is None else info.state,
        files=0 if info is None else info.files,
        symbols=head.symbols,
        problem="" if is_behind else head.problem,
        notices=(f"this is its last build; a newer one failed: {head.problem}",) if is_behind else (),
        version=head.generation,
    )


class Seen(Served):
    """The repositories that one caller may read."""

    marks = None
    collections: Mapping[str, Collection] = MappingProxyType({})
    corpora: Mapping[str, str] = MappingProxyType({})
    default = Settings().strategy

    def __init__(self, service: FleetService, view: View, standings: Mapping[str, Standing]) -> None:
        self._service, self._view, self._standings = service, view, standings
        self._replica = service.replica

    @property
    def standings(self) -> Mapping[str, Standing]:
        return self._standings

    @contextmanager
    def reading(self, name: str) -> Iterator[Engine]:
        with _reaching():
            yield self.alone(name)

    def alone(self, name: str) -> Engine:
        return self._replica.engine(self._view, self._built([name]), named=False)

    @contextmanager
    def reading_one_or_all(self, repo: str | None) -> Iterator[tuple[str, Engine]]:
        """Of several, names stand before ids and paths."""
        names = self._built([self.named(repo)] if repo else [])
        with _reaching():
            if len(names) == 1:
                yield names[0], self.alone(names[0])
            else:
                yield "", self._replica.engine(self._view, names, named=True)

    def remembered(self, name: str, key: str, engine: Engine, make: Callable[[], Any]) -> Any:
        return self._service.remembered((name, key, engine.snapshot().info.state), make)

    def search(
        self, names: Sequence[str], text: str, *, k: int, strategy: str | None, where: Filter, beside: bool
    ) -> several.Gathered:
        asked = self._built(names)
        with _reaching():
            if len(asked) > 1:
                return self._replica.search(
                    *(self._view, asked, text), k=k, strategy=strategy, where=where, beside=beside
                )
            engines = {asked[0]: self.alone(asked[0])}
            return several.search(engines, text, k=k, strategy=strategy, where=where, beside=beside)

    def _built(self, names: Sequence[str]) -> list[str]:
        """Return those of these repositories, or of all, that can be asked. Raises Fault if none can."""
        known = set(self._view.built)
        if not names and known:
            return self._view.built
        if not names and self._view.heads:
            raise Fault(503, "not_ready", "none of your repositories is built yet", retry=10)
        if not names:
            raise Fault(404, "unknown_repository", "there is no repository that you may read")
        for name in names:
            if name not in known:
                problem = self._standings[name].problem
                raise Fault(503, "not_ready", f"{name}: {problem or 'it is not built yet'}", retry=10)
        return list(names)

    def status(self, name: str) -> Status:
        """As it was built: there is nothing to compare with."""
        with self.reading(name) as engine:
            snapshot = engine.snapshot()
            head, info = self._view.heads[name], snapshot.info
            return Status(
                root=Path(name),
                settings=engine.settings,
                index=Kept(Path(name), 0, head.history[0].at if head.history else 0.0),
                info=info,
                others=(),
                files=info.files,
                contents=(Indexed(Content.CODE, info.files, info),),
                by_git=bool(info.commit),
                commit=info.commit,
                changed=Differences(0, 0, 0),
                scip_changed=False,
                skipped=tuple(snapshot.skipped()),
                recovered=tuple(snapshot.recovered()),
            )

    def text_of(self, engine: Engine, record: FileRecord) -> tuple[list[str], bool]:
        """Put a file together from its symbols, to one of which each line belongs."""
        snapshot = engine.snapshot()
        symbols = snapshot.symbols(snapshot.defined([record.state.path]))
        texts = snapshot.texts([one.id for one in symbols])
        found: dict[int, str] = {}
        for one in symbols:
            content, start = texts[one.id].encode(), 0
            for span in one.own:
                length = span.end_byte - span.start_byte
                lines = split_lines(content[start : start + length].decode(errors="replace"))
                found |= dict(enumerate(lines[: span.end_line - span.start_line + 1], start=span.start_line))
                start += length + 1
        every = [found.get(line, "") for line in range(1, record.lines + 1)]
        return every[:-1] if every and not every[-1] else every, False  # an end of line at the end begins no line

    def refresh(self, name: str, *, full: bool) -> None:
        raise Fault(501, "not_in_a_fleet", "a fleet is renewed by `plait fleet build`, and a new build answers at once")


@contextmanager
def _reaching() -> Iterator[None]:
    """What the store's errors tell is for the log alone: their words are of addresses and builds."""
    try:
        yield
    except (FleetUnreachable, BrokenIndex, NoFleet) as error:
        log.error("%s", error)
        raise not_ready() from None
