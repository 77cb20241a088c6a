"""The only caller of git. Every question has an answer without git, too: None."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

_SAFE = ("-c", "core.fsmonitor=false", "-c", "core.quotePath=false")
"""A repository's own configuration may name a program as file system monitor: never start it."""

_UNATTENDED = ("-c", "core.hooksPath=/dev/null", "-c", "protocol.ext.allow=never", "-c", "credential.interactive=false")
"""For repositories that nobody has looked at, where nobody is there to answer a question."""

_OF_THE_USER = ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_CEILING_DIRECTORIES")
"""Variables that say where the user's own settings are, the global ignore file among them."""

_ESCAPES = {b"a": 7, b"b": 8, b"t": 9, b"n": 10, b"v": 11, b"f": 12, b"r": 13, b'"': 34, b"\\": 92}
_HUNK = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


AT_ONCE = 500
"""Contents that one process of git is asked for, so that they need not lie in memory all together."""


@dataclass(frozen=True, slots=True)
class Change:
    """One file of a difference. Lines are 1-based, as git counts them: only a line feed ends one."""

    path: str
    old: tuple[int, ...]
    """lines of the old file that are gone or were replaced"""
    new: tuple[int, ...]
    """lines of the new file that were added or replace others"""


@dataclass(frozen=True, slots=True)
class FileEdit:
    """What a commit did to one file."""

    path: str
    status: str
    """`A` added, `D` deleted, `M` modified, `T` another type; a rename is a `D` and an `A`"""
    old: str
    """hash of the content before; zeros if there was none"""
    new: str


@dataclass(frozen=True, slots=True)
class Commit:
    hash: str
    time: int
    """of the commit, in seconds"""
    parents: int
    message: str
    edits: tuple[FileEdit, ...]
    """below root, by path; none of a merge"""


def has_work_tree(root: Path) -> bool:
    """Whether git answers for root.

    It does not if it is not installed or refuses (a folder of someone else's), if root is not in a work tree, or if
    root is itself ignored by the work tree around it (a virtual environment in a checkout, say).
    """
    found = _run(root, "rev-parse", "--is-inside-work-tree", "--show-prefix")
    if found is None or not found.startswith(b"true\n"):
        return False
    return found == b"true\n\n" or _run(root, "check-ignore", "-q", ".") is None


def listed(root: Path) -> Iterator[dict[str, bool]]:
    """Yield the paths below root in git's index, True for a submodule; then, besides, those that git would add.

    What comes first was in the index when git was asked, and may be gone from the work tree; git looks for the others
    meanwhile. What came into the index meanwhile is among the others. A repository among them has a slash behind it.
    """
    asked = ("ls-files", "-z", "-t", "--cached", "--stage", "--exclude-standard")
    with _started(root, *asked, "--others") or nullcontext() as looking:
        shown = _run(root, *asked) or b""
        tracked = _staged(shown)
        yield tracked
        found = (looking.communicate()[0] if looking else None) or b""
    if looking is None or looking.returncode:
        return
    now = _staged(found.removesuffix(shown))  # git shows the others first
    yield {path: now[path] for path in sorted(now.keys() - tracked.keys())}


def _staged(shown: bytes) -> dict[str, bool]:
    found = {}
    for entry in shown.split(b"\0"):
        if entry.startswith(b"? "):
            found[os.fsdecode(entry[2:])] = False
        elif entry:
            state, _, path = entry.partition(b"\t")
            found[os.fsdecode(path)] = state.startswith(b"160000", 2)
    return found


def ignored(root: Path) -> list[str]:
    """Return what below root git ignores, sorted: an ignored folder once, with a slash behind it."""
    listed = _run(root, "ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory") or b""
    return sorted(os.fsdecode(path) for path in listed.split(b"\0") if path)


def version() -> str | None:
    """Return git's version; None if it is not installed."""
    found = _run(Path.home(), "version")
    return None if found is None else found.decode(errors="replace").removeprefix("git version ").strip()


def commit(root: Path, revision: str) -> str | None:
    """Return the hash of the commit that a revision names; None without git or such a commit."""
    found = _run(root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    return None if found is None else found.decode().strip()


def changes(root: Path, commit: str) -> list[Change] | None:
    """Return how the files below root differ from a commit (by its hash), by path. None if git fails.

    A renamed file is one that is gone and one that is new; files that git does not track but would add are left out
    (see `untracked`), and so are binary ones.
    """
    filters = _run(root, "config", "--name-only", "-z", "--get-regexp", r"^filter\..*\.(clean|process)$") or b""
    off: list[str] = []
    for name in filters.split(b"\0"):
        driver = os.fsdecode(name.rpartition(b".")[0])
        if "=" in driver:
            return None
        # To compare with the work tree git would start the programs that the repository's configuration names.
        if driver:
            off += ["-c", f"{driver}.clean=", "-c", f"{driver}.process=", "-c", f"{driver}.required=false"]
    shown = _run(
        root,
        *off,
        *("diff", "-U0", "--no-color", "--no-ext-diff", "--no-textconv", "--no-renames", "--ignore-submodules=all"),
        *("--src-prefix=a/", "--dst-prefix=b/", "--relative", commit, "--", "."),
    )
    return None if shown is None else sorted(_changes(shown), key=lambda change: change.path)


def untracked(root: Path) -> list[str]:
    """Return the paths below root that git does not track but would add, sorted; a repository in it with a slash."""
    listed = _run(root, "ls-files", "-z", "--others", "--exclude-standard") or b""
    return sorted(os.fsdecode(path) for path in listed.split(b"\0") if path)


def content(root: Path, commit: str, path: str) -> bytes | None:
    """Return a file below root as it was in a commit (by its hash); None if it was not there."""
    return _run(root, "cat-file", "blob", f"{commit}:./{path}")


def remote_head(address: str) -> str | None:
    """Return the hash of the commit that a repository elsewhere has as HEAD; None if it does not answer."""
    found = _run(Path.home(), *_UNATTENDED, "ls-remote", "--", address, "HEAD")
    return found.split(b"\t")[0].decode() or None if found else None


def clone(source: str, folder: Path) -> bool:
    """Check out a repository, a folder (bare or not) or an address, into a folder that is not there yet.

    Nothing is written into the source. Objects of a folder are shared with it; of an address only HEAD is fetched.
    """
    how = ("--depth=1",) if "://" in source else ("--shared",)
    made = _run(folder.parent, *_UNATTENDED, "clone", "--quiet", "--no-tags", *how, "--", source, folder.name)
    return made is not None


def history(root: Path, most: int) -> list[Commit]:
    """Return the last `most` commits that led to HEAD and touch something below root, newest first; none without git.

    Merges are among them, without edits.
    """
    shown = _run(
        root,
        *("log", f"-{most}", "--raw", "--no-abbrev", "--no-renames", "--no-show-signature", "--no-color", "-z"),
        *("--encoding=UTF-8", "--format=%x01%H%x02%ct%x02%P%x02%B%x02", "--relative", "HEAD", "--", "."),
    )
    return [_commit(told) for told in (shown or b"").split(b"\x01")[1:]]


def _commit(told: bytes) -> Commit:
    made, time, parents, message, raw = told.split(b"\x02", 4)
    parts = raw.strip(b"\0\n").split(b"\0")
    edits = [
        FileEdit(os.fsdecode(path), status.decode()[:1], old.decode(), new.decode())
        for (_, _, old, new, status), path in zip((head.split() for head in parts[::2]), parts[1::2], strict=False)
    ]
    return Commit(
        made.decode(),
        int(time),
        len(parents.split()),
        message.decode(errors="replace"),
        tuple(sorted(edits, key=lambda edit: edit.path)),
    )


def since(root: Path, commit: str) -> frozenset[str]:
    """Return the hashes of the commits that led to HEAD and did not lead to that commit."""
    shown = _run(root, "rev-list", f"{commit}..HEAD") or b""
    return frozenset(shown.decode().split())


def line_of_first_parents(root: Path) -> list[tuple[str, int]]:
    """Return hash and time of HEAD, its first parent, the first parent of that, and so on."""
    shown = _run(root, "log", "--first-parent", "--no-show-signature", "--format=%H %ct", "HEAD") or b""
    return [(made, int(time)) for made, time in (line.split() for line in shown.decode().splitlines())]


def tree(root: Path, commit: str) -> dict[str, str]:
    """Return the regular files below root in a commit: path -> hash of the content, by path."""
    shown = _run(root, "ls-tree", "-r", "-z", commit, "--", ".") or b""
    found: dict[str, str] = {}
    for entry in shown.split(b"\0"):
        about, _, path = entry.partition(b"\t")
        if about.startswith(b"100"):
            found[os.fsdecode(path)] = about.split()[2].decode()
    return dict(sorted(found.items()))


def contents(root: Path, hashes: Sequence[str]) -> Iterator[bytes]:
    """Yield the contents with those hashes, in order; empty for one that git lacks."""
    for start in range(0, len(hashes), AT_ONCE):
        asked = hashes[start : start + AT_ONCE]
        shown = _run(root, "cat-file", "--batch", given="".join(f"{one}\n" for one in asked).encode()) or b""
        place = 0
        for _ in asked:
            end = shown.find(b"\n", place)
            head = shown[place:end].split() if end >= 0 else []
            size = int(head[2]) if len(head) == 3 else -1
            yield shown[end + 1 : end + 1 + max(size, 0)]
            place = end + 1 + (size + 1 if size >= 0 else 0)


def _changes(shown: bytes) -> Iterator[Change]:
    """Read what `git diff -U0` prints. Lines of a hunk are counted off, since they can look like headers."""
    lines = iter(shown.split(b"\n"))
    path = ""
    old: list[int] = []
    new: list[int] = []
    for line in lines:
        if line.startswith(b"diff --git "):
            if path:
                yield Change(path, tuple(old), tuple(new))
            path, old, new = "", [], []
        elif line.startswith((b"--- ", b"+++ ")):
            path = _path(line[4:]) or path
        elif hunk := _HUNK.match(line):
            first_old, count_old, first_new, count_new = (1 if part is None else int(part) for part in hunk.groups())
            old += range(first_old, first_old + count_old)
            new += range(first_new, first_new + count_new)
            left = count_old + count_new
            while left:
                left -= not next(lines).startswith(b"\\")
    if path:
        yield Change(path, tuple(old), tuple(new))


def _path(written: bytes) -> str:
    """Return the path behind `a/` or `b/`, empty for /dev/null; odd ones come quoted, or with a tab behind."""
    written = written.removesuffix(b"\t")
    if written.startswith(b'"'):
        written = re.sub(rb'\\([0-7]{3}|[abtnvfr"\\])', _unescaped, written[1:-1])
    return "" if written == b"/dev/null" else os.fsdecode(written[2:])


def _unescaped(found: re.Match[bytes]) -> bytes:
    code = found[1]
    return bytes([_ESCAPES[code] if code in _ESCAPES else int(code, 8)])


def _run(root: Path, *arguments: str, given: bytes = b"") -> bytes | None:
    """Return standard output, or None if git is missing or fails."""
    with _started(root, *arguments) or nullcontext() as running:
        if running is None:
            return None
        shown, _ = running.communicate(given)
    return shown if running.returncode == 0 else None


def _started(root: Path, *arguments: str) -> subprocess.Popen[bytes] | None:
    git = shutil.which("git")
    if git is None:
        return None
    # Within a hook, git's own variables name another work tree than the folder asked about.
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("GIT_") or name in _OF_THE_USER
    }
    try:
        return subprocess.Popen(
            [git, *_SAFE, *arguments],
            cwd=root,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment | {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0"},
        )
    except OSError:
        return None
