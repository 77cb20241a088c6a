"""The only caller of git. Every question has an answer without git, too: None."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

_SAFE = ("-c", "core.fsmonitor=false", "-c", "core.quotePath=false")
"""A repository's own configuration may name a program as file system monitor: never start it."""


def files(root: Path) -> list[str] | None:
    """Return the paths below root that git tracks or would add (`ls-files -co --exclude-standard`), sorted.

    Tracked files that are gone from the work tree are left out. None if git is not installed, root is not in a work
    tree, or root itself is ignored by the work tree around it (a virtual environment in a checkout, say).
    """
    if _run(root, "rev-parse", "--is-inside-work-tree") != b"true\n":
        return None
    if _run(root, "check-ignore", "-q", ".") is not None:
        return None
    listed = _run(root, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate")
    if listed is None:
        return None
    paths = (os.fsdecode(path) for path in listed.split(b"\0") if path)
    return sorted(path for path in paths if os.path.lexists(root / path))


def _run(root: Path, *arguments: str) -> bytes | None:
    """Return standard output, or None if git is missing or fails."""
    git = shutil.which("git")
    if git is None:
        return None
    # Within a hook, git's own variables name another work tree than the folder asked about.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        done = subprocess.run(
            [git, *_SAFE, *arguments],
            cwd=root,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment | {"GIT_OPTIONAL_LOCKS": "0"},
            check=False,
        )
    except OSError:
        return None
    return done.stdout if done.returncode == 0 else None
