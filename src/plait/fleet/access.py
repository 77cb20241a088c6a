"""Who may read what: teams with patterns of repositories, and the digests of their tokens, in one TOML file.

    [team.payments]
    repositories = ["org/pay-*", "org/lib", "!org/pay-keys"]

    [[token]]
    team = "payments"
    digest = "sha256:..."
    label = "ci"

A token is 32 random bytes, so its plain SHA-256 tells nothing of it and needs no salt.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
import tempfile
import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from hashlib import sha256
from pathlib import Path
from typing import Any

from plait.errors import BadParameter, CannotWrite

EVERYBODY = ""
"""The team of whoever asks where no tokens are kept: it may read everything."""

HOW = "say who may with --access FILE; `plait fleet token new` makes one"

_TEAM = re.compile(r"[A-Za-z0-9_-]{1,64}")
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Team:
    name: str
    repositories: tuple[str, ...] = ()
    """patterns in which `*` also crosses `/`; one that begins with `!` takes away, wherever it stands. None: nothing"""
    operator: bool = False
    """may read what is told of the server itself, which counts everybody's requests"""

    def may(self, repository: str) -> bool:
        taken = any(fnmatchcase(repository, one[1:]) for one in self.repositories if one.startswith("!"))
        return not taken and any(fnmatchcase(repository, one) for one in self.repositories if not one.startswith("!"))


@dataclass(frozen=True, slots=True)
class Token:
    team: str
    digest: str
    label: str = ""
    made: str = ""
    """the day, as 2026-12-03"""


@dataclass(frozen=True, slots=True)
class Permissions:
    teams: Mapping[str, Team]
    tokens: tuple[Token, ...]

    def team_of(self, token: str) -> str | None:
        """Return the team that a token is of; None for one that is not known. The time tells only of its digest."""
        wanted = digest(token)
        return next((one.team for one in self.tokens if one.digest == wanted), None)


ALL = Permissions({EVERYBODY: Team(EVERYBODY, ("*",), operator=True)}, ())


def digest(token: str) -> str:
    return f"sha256:{sha256(token.encode(errors='replace')).hexdigest()}"


def load(path: Path) -> Permissions:
    """Raises BadParameter for a file that is not there or that cannot be understood: none of it counts then."""
    try:
        told = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise BadParameter(f"{path}: cannot be read ({error}); `plait fleet token new TEAM` makes one") from error
    unknown = sorted(told.keys() - {"team", "token"})
    if unknown:
        raise BadParameter(f"{path}: there is no `{unknown[0]}`; there are [team.NAME] and [[token]]")
    teams = {name: _team(path, name, one) for name, one in _table(path, told.get("team", {}), "team").items()}
    listed = told.get("token", [])
    tokens = tuple(_token(path, one, teams) for one in (listed if isinstance(listed, list) else [listed]))
    return Permissions(teams, tokens)


def _table(path: Path, value: object, name: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise BadParameter(f"{path}: `{name}` must be a table")
    return value


def _team(path: Path, name: str, value: object) -> Team:
    told = _table(path, value, f"team.{name}")
    repositories, operator = told.get("repositories", []), told.get("operator", False)
    is_list = isinstance(repositories, list) and all(isinstance(one, str) and one.strip("!") for one in repositories)
    if not _TEAM.fullmatch(name) or not is_list or not isinstance(operator, bool):
        raise BadParameter(f"{path}: team.{name} needs a name of letters and `repositories`, a list of patterns")
    unknown = sorted(told.keys() - {"repositories", "operator"})
    if unknown:
        raise BadParameter(f"{path}: team.{name} has no `{unknown[0]}`; there are repositories and operator")
    return Team(name, tuple(repositories), operator)


def _token(path: Path, value: object, teams: Collection[str]) -> Token:
    told = _table(path, value, "token")
    unknown = sorted(told.keys() - {"team", "digest", "label", "made"})
    texts = {name: str(told.get(name, "")) for name in ("team", "digest", "label", "made")}
    if unknown or texts["team"] not in teams or not _DIGEST.fullmatch(texts["digest"]):
        raise BadParameter(f"{path}: a [[token]] needs `team`, one of the file's, and `digest`, as sha256:...")
    return Token(**texts)


def made(path: Path, team: str, repositories: Sequence[str] = (), label: str = "", *, operator: bool = False) -> str:
    """Add a token to a file, and the team if it is new; return the token, which is kept nowhere.

    The file is replaced at once and stays as it is otherwise. Raises BadParameter for a new team without patterns, for
    patterns of a team that is there, and for a file that cannot be understood; CannotWrite.
    """
    known = load(path) if path.exists() else Permissions({}, ())
    if not _TEAM.fullmatch(team):
        raise BadParameter(f"{team!r} cannot be a team's name; use up to 64 letters, digits, '-' and '_'")
    if team in known.teams and (repositories or operator):
        raise BadParameter(f"{path}: there is a team {team} already; edit its `repositories` in the file")
    if team not in known.teams and not repositories:
        raise BadParameter(f"{path}: {team} is a new team; say what it may read with --repo PATTERN")
    token = f"plait_{secrets.token_urlsafe(32)}"
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    if team not in known.teams:
        text += f"\n[team.{team}]\nrepositories = {json.dumps(list(repositories), ensure_ascii=False)}\n"
        text += "operator = true\n" if operator else ""
    text += f'\n[[token]]\nteam = "{team}"\ndigest = "{digest(token)}"\nmade = "{datetime.now(UTC):%Y-%m-%d}"\n'
    text += f"label = {json.dumps(label, ensure_ascii=False)}\n" if label else ""
    _replace(path, text.lstrip("\n"))
    return token


def _replace(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, aside = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}")  # mode 600
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        if path.exists():
            shutil.copymode(path, aside)
        os.replace(aside, path)
    except OSError as error:
        raise CannotWrite(str(path), error.strerror or str(error), "choose another file with --access") from error
