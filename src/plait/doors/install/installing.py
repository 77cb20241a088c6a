"""What would be written into which file, and writing it."""

from __future__ import annotations

import json
import os
import tempfile
import tomllib
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path

from plait.doors.install import jsonc
from plait.doors.install.fenced import HASH, MARKDOWN
from plait.doors.install.hosts import INSTRUCTIONS, NAME, Host, servers_of
from plait.errors import CannotWrite


@dataclass(frozen=True, slots=True)
class Edit:
    """One file before and after; the same twice is nothing to do."""

    host: Host
    path: Path
    before: str | None
    """None: not there"""
    after: str | None
    problem: str = ""
    """why the file is left as it is, with what to do instead"""

    @property
    def is_needed(self) -> bool:
        return self.before != self.after

    @property
    def what(self) -> str:
        if self.problem:
            return "left alone"
        if not self.is_needed:
            return "unchanged"
        return "deleted" if self.after is None else ("made" if self.before is None else "changed")

    def difference(self) -> list[str]:
        before, after = ((text or "").splitlines() for text in (self.before, self.after))
        return [*unified_diff(before, after, str(self.path), str(self.path), lineterm="", n=0)]


def installing(host: Host, home: Path, command: Sequence[str]) -> list[Edit]:
    edits = [_edit(host, servers_of(host, home), lambda text: _with_server(host, text, command))]
    if host.instructions:
        edits.append(_edit(host, home / host.instructions, lambda text: _with_instructions(host, text)))
    return edits


def uninstalling(host: Host, home: Path) -> list[Edit]:
    edits = [_edit(host, servers_of(host, home), lambda text: _without_server(host, text))]
    if host.instructions:
        edits.append(_edit(host, home / host.instructions, lambda text: _without_instructions(host, text)))
    return edits


def apply(edit: Edit) -> None:
    """Write the file aside and rename it into place, with its permissions; a link stays one. Raises CannotWrite.

    Nothing is written if the file has changed since it was read.
    """
    path = Path(os.path.realpath(edit.path))
    try:
        if _read(path) != edit.before:
            raise CannotWrite(str(edit.path), "it has just changed", "run it again")
        if edit.after is None:
            path.unlink()
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, aside = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(edit.after.encode())
            if path.exists():
                os.chmod(aside, path.stat().st_mode & 0o7777)
            os.replace(aside, path)
        except OSError:
            with suppress(OSError):
                os.unlink(aside)
            raise
    except OSError as error:
        raise CannotWrite(
            str(edit.path), error.strerror or str(error), "mend that, or leave it out with --agent"
        ) from error


def _edit(host: Host, path: Path, change: Callable[[str | None], str | None]) -> Edit:
    try:
        before = _read(path)
    except (OSError, UnicodeDecodeError) as error:
        return Edit(host, path, None, None, f"cannot be read ({error}); add the server by hand")
    try:
        return Edit(host, path, before, change(before))
    except ValueError as error:
        return Edit(host, path, before, before, f"{error}; mend the file, or add the server by hand")


def _read(path: Path) -> str | None:
    try:
        return path.read_bytes().decode()
    except FileNotFoundError:
        return None


def _with_server(host: Host, text: str | None, command: Sequence[str]) -> str:
    if not host.at:
        return _toml(text, command)
    place, entry = _place(host, text), host.entry(command)
    there = jsonc.find(text or "", [*place, NAME])
    if there is not None:
        if not _is_ours(there):
            raise ValueError(f"{'.'.join([*place, NAME])} is there already, and not from `plait install`")
        if all(there.value.get(key) == value for key, value in entry.items()):
            return text or ""  # with what somebody has added to it
    return jsonc.put(text, place, NAME, entry)


def _without_server(host: Host, text: str | None) -> str | None:
    if text is None:
        return None
    if not host.at:
        return HASH.take(text)
    place = _place(host, text)
    return jsonc.take(text, place, NAME) if _is_ours(jsonc.find(text, [*place, NAME])) else text


def _is_ours(entry: jsonc.Node | None) -> bool:
    """Whether a server is started as `install` has it started, by whatever Python."""
    if entry is None or not isinstance(entry.value, dict):
        return False
    words: list[object] = []
    for value in (entry.value.get("command"), entry.value.get("args")):
        words += value if isinstance(value, list) else [value]
    return any(words[place : place + 3] == ["-m", "plait", "mcp"] for place in range(len(words)))


def _place(host: Host, text: str | None) -> tuple[str, ...]:
    """Version 2 of OpenCode has its servers one name deeper, and reads the older form too."""
    if host.name != "opencode" or not text or not text.strip("\ufeff \t\r\n"):
        return host.at
    value = jsonc.parse(text).value
    there = value.get("mcp") if isinstance(value, dict) else None
    servers = there.get("servers") if isinstance(there, dict) else None
    return (*host.at, "servers") if isinstance(servers, dict) and "command" not in servers else host.at


def _toml(text: str | None, command: Sequence[str]) -> str:
    """Append a table, which is right at the end of any TOML. Raises ValueError where it is not."""
    block = f"[mcp_servers.{NAME}]\ncommand = {json.dumps(command[0])}\nargs = {json.dumps([*command[1:]])}"
    bare = HASH.take(text or "") or ""
    if NAME in tomllib.loads(bare).get("mcp_servers", {}):
        raise ValueError(f"mcp_servers.{NAME} is there already, and not from `plait install`")
    made = HASH.put(text, block)
    tomllib.loads(made)
    return made


def _with_instructions(host: Host, text: str | None) -> str:
    return MARKDOWN.put(text, INSTRUCTIONS, host.front)


def _without_instructions(host: Host, text: str | None) -> str | None:
    return None if text is None else MARKDOWN.take(text, host.front)
