"""Whether plait has what it needs on this machine. Nothing is written or mended."""

from __future__ import annotations

import os
import platform
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

from plait import git, plugins
from plait.errors import PlaitError
from plait.protocols import Embedder
from plait.settings import Settings
from plait.store.folders import folders, kept
from plait.version import __version__


@dataclass(frozen=True, slots=True)
class Check:
    name: str
    ok: bool
    found: str
    mend: str = ""
    """what to do if it is not"""
    needed: bool = True
    """whether plait cannot do without"""


def examine(settings: Settings) -> list[Check]:
    """Return all checks in a fixed order."""
    return [
        Check("plait", True, f"{__version__}, {Path(__file__).parent}"),
        Check("python", True, f"{platform.python_version()}, {platform.platform()}"),
        *_libraries(),
        _git(),
        _cache(settings.cache),
        _embedder(settings.embedder),
    ]


def _libraries() -> Iterator[Check]:
    """What the package needs, and for each extra what it adds, by the package's own metadata."""
    wanted: dict[str, list[str]] = {"": []}
    try:
        declared = requires("plait") or []
    except PackageNotFoundError:
        yield Check("libraries", False, "plait is not installed, only importable", "pip install plait")
        return
    for line in declared:
        name = re.match(r"[\w.-]+", line)
        extra = re.search(r"extra == ['\"]([\w-]+)['\"]", line)
        group = wanted.setdefault(extra[1] if extra else "", [])
        if name and name[0] not in group:
            group.append(name[0])
    for group_name, names in wanted.items():
        found = {name: _version(name) for name in names}
        missing = [name for name, one in found.items() if one is None]
        shown = ", ".join(f"{name} {one or 'missing'}" for name, one in found.items())
        label, package = (f"extra {group_name}", f"'plait[{group_name}]'") if group_name else ("libraries", "plait")
        yield Check(label, not missing, shown, f"pip install {package}", needed=not group_name)


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _git() -> Check:
    found = git.version()
    mend = "install git; without it plait reads the ignore files itself and knows no commits"
    return Check("git", found is not None, found or "not installed", mend, needed=False)


def _cache(cache: Path) -> Check:
    there = next((path for path in (cache, *cache.parents) if path.exists()), cache)
    ok = there.is_dir() and os.access(there, os.W_OK | os.X_OK)
    files = [one for folder in folders(cache) for one in kept(folder)]
    indexes = sum(one.is_index for one in files)
    free = shutil.disk_usage(there).free if there.exists() else 0
    found = f"{cache}: {indexes:,} indexes, {megabytes(sum(one.size for one in files))}, {megabytes(free)} free"
    return Check("cache", ok, found, "choose a folder that can be written with --cache or PLAIT_CACHE")


def _embedder(name: str) -> Check:
    try:
        embedder: Embedder = plugins.build("embedder", name)
        embedder.encode(["open a connection"], role="query")
    except PlaitError as error:
        return Check("embedder", False, f"{name}: {error}", "install what it says, or choose --embedder hashing")
    return Check("embedder", True, f"{name}: {embedder.fingerprint}, {embedder.dim} dimensions")


def megabytes(size: int) -> str:
    return f"{size / 1_000_000:,.1f} MB"
