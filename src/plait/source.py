"""From a folder to source files: which files there are, and their decoded text. Whatever cannot be read is Skipped."""

from __future__ import annotations

import codecs
import io
import os
import re
import stat
import tokenize
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path, PurePosixPath

from plait import git
from plait.model import FileState, Skipped, SkipReason, SourceFile

LANGUAGES = {".py": "python", ".pyw": "python"}

IGNORED_FOLDERS = frozenset(
    {"__pycache__", "__pypackages__", "build", "dist", "env", "node_modules", "site-packages", "target", "venv"}
)
"""Outside git only, where no ignore file tells; hidden folders are left out as well."""

LONGEST_LINE = 20_000
"""Characters. Longer lines are data or minified code; a tree-sitter grammar needed 1.2 s and 440 MB for 5 MB in one."""

_SNIFFED = 8_192
_LINE_END = re.compile(r"\r\n|\r|\n")


def discover(root: Path) -> tuple[list[FileState], list[Skipped]]:
    """Return the files of a supported language and everything else that was seen, each sorted by path.

    In a git work tree the files are git's (tracked, and untracked but not ignored); elsewhere all below root but hidden
    and ignored folders. Symbolic links are not followed.
    """
    found: list[FileState] = []
    skipped: list[Skipped] = []
    tracked = git.files(root)
    for entry in _walk(root) if tracked is None else tracked:
        seen = entry if isinstance(entry, Skipped) else _look(root, entry)
        if isinstance(seen, Skipped):
            skipped.append(seen)
        else:
            found.append(seen)
    return sorted(found), sorted(skipped)


def read(root: Path, state: FileState, *, limit: int) -> SourceFile | Skipped:
    """Read and decode one file of at most `limit` bytes."""
    path = state.path
    if state.size > limit:
        return Skipped(path, SkipReason.TOO_LARGE, f"{state.size:,} bytes, limit {limit:,}")
    try:
        content = (root / path).read_bytes()
    except FileNotFoundError:
        return Skipped(path, SkipReason.VANISHED)
    except OSError as error:
        return Skipped(path, SkipReason.UNREADABLE, error.strerror or str(error))
    text = decode(content)
    if text is None:
        return Skipped(path, SkipReason.BINARY)
    longest = max(map(len, _LINE_END.split(text)))
    if longest > LONGEST_LINE:
        return Skipped(path, SkipReason.GENERATED, f"a line of {longest:,} characters")
    return SourceFile(path, LANGUAGES[_suffix(path)], text, blake2b(content, digest_size=16).hexdigest())


def decode(content: bytes) -> str | None:
    """Return the text without byte order mark and with its own line ends; None for binary content.

    In this order: a UTF-8 or UTF-16 mark, a coding cookie (PEP 263), UTF-8, and for anything else Latin-1, in which
    every byte is a character.
    """
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return _decoded(content, "utf-16")
    if b"\0" in content[:_SNIFFED]:
        return None
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(content).readline)
    except SyntaxError:  # an unknown cookie, or a cookie that contradicts the mark
        encoding = "utf-8"
    text = _decoded(content, encoding)
    return _decoded(content, "latin-1") if text is None else text


def _decoded(content: bytes, encoding: str) -> str | None:
    try:
        return content.decode(encoding)
    except (UnicodeError, LookupError):
        return None


def _look(root: Path, path: str) -> FileState | Skipped:
    try:
        path.encode()
        status = os.lstat(root / path)
    except UnicodeEncodeError:
        return Skipped(os.fsencode(path).decode("utf-8", "replace"), SkipReason.UNREADABLE, "file name is not UTF-8")
    except FileNotFoundError:
        return Skipped(path, SkipReason.VANISHED)
    except OSError as error:
        return Skipped(path, SkipReason.UNREADABLE, error.strerror or str(error))
    if stat.S_ISLNK(status.st_mode):
        return Skipped(path, SkipReason.LINK)
    if not stat.S_ISREG(status.st_mode):
        return Skipped(path, SkipReason.NOT_A_FILE)
    if _suffix(path) not in LANGUAGES:
        return Skipped(path, SkipReason.UNSUPPORTED, _suffix(path) or "no suffix")
    return FileState(path, status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)


def _walk(root: Path) -> Iterator[str | Skipped]:
    waiting = [""]
    while waiting:
        folder = waiting.pop()
        try:
            entries = sorted(os.scandir(root / folder), key=lambda entry: entry.name)
        except OSError as error:
            yield Skipped(folder or ".", SkipReason.UNREADABLE, error.strerror or str(error))
            continue
        for entry in entries:
            path = f"{folder}{entry.name}"
            if not entry.is_dir(follow_symlinks=False):
                yield path
            elif entry.name.startswith(".") or entry.name in IGNORED_FOLDERS:
                yield Skipped(f"{path}/", SkipReason.IGNORED)
            else:
                waiting.append(f"{path}/")


def _suffix(path: str) -> str:
    return PurePosixPath(path).suffix.lower()
