"""Builds one repository of a fleet: what has not changed since the last build costs a look."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import astuple, dataclass
from hashlib import blake2b
from pathlib import Path

from plait import git, source
from plait.errors import BadSource, FleetUnreachable, Overtaken, PlaitError
from plait.facts import ParsedFile
from plait.fleet.fleet import Fleet
from plait.fleet.published import published
from plait.indexing import build
from plait.kept import code_state
from plait.settings import Settings
from plait.store.facts import FactsCache
from plait.store.folders import facts_of
from plait.store.lance import registry
from plait.store.lance.snapshot import LanceSnapshot, Unit
from plait.store.lance.writer import LanceWriter

ATTEMPTS = 3
"""Failures after which a repository is set aside until its source changes or somebody asks to retry."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one repository."""

    name: str
    problem: str = ""
    """why it could not be built; empty if it was, or had not changed"""
    built: bool = False
    set_aside: bool = False
    """another try would fail in the same way"""
    symbols: int = 0
    parsed: int = 0
    """files; the others' facts were at hand"""
    embedded: int = 0
    """texts; the others' vectors were at hand"""
    seconds: float = 0.0


def build_repository(fleet: Fleet, name: str) -> Outcome:
    """Build a repository if its source has changed. Never raises on account of the repository.

    Raises FleetUnreachable, and BadParameter for a name that the fleet does not have.
    """
    started = time.perf_counter()
    head = registry.head(fleet.tables, name)
    state = ""
    try:
        state = state_of(head.source)
        if head.build and head.state == state:
            if head.problem:
                registry.retry(fleet.tables, [name])
            return Outcome(name, symbols=head.symbols)
        if head.attempts >= ATTEMPTS and head.tried == state:
            return Outcome(name, head.problem, set_aside=True)
        with checked_out(head.source) as root:
            part = fleet.parts.of(head.build) if head.build else None
            defaults = Settings()
            writer = LanceWriter(fleet.tables, fleet.parts, name, state)

            def noticed(files: Mapping[str, ParsedFile], root: Path = root, writer: LanceWriter = writer) -> None:
                found = published(root, files)
                writer.publish(found.packages, [astuple(one) for one in found.aliases])

            _, report = build(
                root,
                writer,
                fleet.embedder,
                graph=fleet.about.graph,
                max_file_bytes=defaults.max_file_bytes,
                before=None if part is None else LanceSnapshot([Unit("", part)], part.info),
                facts=FactsCache(facts_of(fleet.cache)),
                code_state=code_state(),
                noticed=noticed,
            )
    except Overtaken:
        return Outcome(name)
    except FleetUnreachable:
        raise
    except PlaitError as error:
        for _ in range(ATTEMPTS):  # it would be the same the next time
            registry.failed(fleet.tables, name, state, str(error))
        return Outcome(name, str(error), set_aside=True)
    except Exception as error:  # whatever a repository does to a parser is that repository's problem
        problem = f"{type(error).__name__}: {error}"
        registry.failed(fleet.tables, name, state, problem)
        return Outcome(name, problem, set_aside=head.attempts + 1 >= ATTEMPTS)
    return Outcome(
        name,
        built=True,
        symbols=report.info.symbols,
        parsed=report.parsed,
        embedded=report.embedded,
        seconds=time.perf_counter() - started,
    )


def state_of(place: str) -> str:
    """Return what tells whether a source has changed: of git's HEAD its commit. Raises BadSource."""
    commit = _commit(place)
    if commit is not None:
        return commit
    if "://" in place:
        raise BadSource(place, "does not answer, or has no commit; try `git ls-remote` with it on the node")
    if not Path(place).is_dir():
        raise BadSource(place, "is not there, or not on this node; mirrors must lie where each node sees them")
    if _is_repository(Path(place)):
        raise BadSource(place, "a git repository that is empty or damaged; try `git -C` with it and `rev-parse HEAD`")
    told = [(one.path, one.size, one.mtime_ns) for one in source.discover(Path(place).resolve()).files]
    return blake2b(repr(told).encode(), digest_size=16).hexdigest()


@contextmanager
def checked_out(place: str) -> Iterator[Path]:
    """Yield a folder with the code of a source: of a git repository, bare or not, at HEAD; of another folder itself.

    Raises BadSource.
    """
    if _commit(place) is None:
        yield Path(place).resolve()
        return
    with tempfile.TemporaryDirectory(prefix="plait-") as folder:
        root = Path(folder).resolve() / "code"
        if not git.clone(place, root):
            raise BadSource(place, "git cannot check HEAD out; `git clone` with it tells why")
        yield root


def sources_in(folder: Path) -> dict[str, str]:
    """Return the git repositories below a folder, bare or not, name -> source: the name is the path, without `.git`.

    What lies in a repository is not looked at.
    """
    found: dict[str, str] = {}
    for place, folders, files in os.walk(folder):
        folders.sort()
        path = Path(place)
        is_bare = "HEAD" in files and "objects" in folders and "refs" in folders
        if is_bare or ".git" in folders or ".git" in files:
            folders.clear()
            name = path.relative_to(folder).as_posix().removesuffix(".git")
            found[path.name.removesuffix(".git") if name == "." else name] = str(path.resolve())
    return found


def _commit(place: str) -> str | None:
    """Return HEAD of a repository that begins at the place; None if none does, or without a commit."""
    if "://" in place:
        return git.remote_head(place)
    path = Path(place)
    return git.commit(path, "HEAD") if _is_repository(path) else None


def _is_repository(path: Path) -> bool:
    return (path / ".git").exists() or ((path / "HEAD").is_file() and (path / "objects").is_dir())
