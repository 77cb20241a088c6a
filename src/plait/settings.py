"""Settings: one frozen value, read once. Nothing below this module looks at the environment or at a settings file."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import platformdirs

from plait.errors import BadParameter, CannotWrite
from plait.model import Content

FILE = "plait.toml"
PREFIX = "PLAIT_"

_SWITCH = {"true": True, "1": True, "yes": True, "on": True, "false": False, "0": False, "no": False, "off": False}


@dataclass(frozen=True, slots=True)
class Settings:
    """Each setting comes from the first of: the call or flag, `PLAIT_<NAME>`, `plait.toml` in the root, the default."""

    embedder: str = "code"
    graph: str = "flow"
    strategy: str = "additive"
    cache: Path = Path(platformdirs.user_cache_path("plait"))
    """folder of the indexes; nothing is ever written into the indexed root but this file, and that by `plait tune`"""
    max_file_bytes: int = 1_000_000
    """larger source files are skipped"""
    submodules: bool = False
    """whether submodules and other repositories below the root are part of it"""
    wait: float = 2.0
    """seconds to wait while another process writes the index: more than a refresh takes, less than a build"""
    content: Content = Content.CODE
    """what is indexed and asked; each content is an index of its own"""

    @classmethod
    def load(cls, root: Path, given: Mapping[str, object], environment: Mapping[str, str] | None = None) -> Settings:
        """Settle all settings for a root; a given None counts as not given, no environment means the process's own.

        Raises BadParameter naming the source.
        """
        environment = os.environ if environment is None else environment
        values: dict[str, object] = {}
        names = [field.name for field in fields(cls)]
        for source, found in (
            (FILE, _from_file(root / FILE)),
            ("environment", {name: environment.get(PREFIX + name.upper()) for name in names}),
            ("call", given),
        ):
            for name, value in found.items():
                if name not in names:
                    raise BadParameter(f"{source}: no setting is called {name!r}; there are: {', '.join(names)}")
                if value is not None and value != "":
                    values[name] = _converted(source, name, value, root)
        return cls(**values)  # type: ignore[arg-type]  # _converted gives each field its type


def spare_threads() -> None:
    """Let numpy start no threads of its own, unless the environment says how many; to be called before its import.

    They are for products of matrices of floating-point numbers, of which there are none here, and starting them takes a
    third of the import.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def write_setting(path: Path, name: str, value: str) -> None:
    """Set one setting in a settings file, which may not be there; its other lines stay. Raises BadParameter,
    CannotWrite.
    """
    import json
    import tomllib

    before = _from_file(path)
    try:
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        own = [number for number, line in enumerate(lines) if line.split("=")[0].strip().strip("\"'") == name]
        # JSON's strings are strings of TOML.
        line = f"{name} = {json.dumps(value, ensure_ascii=False)}"
        lines = [*lines[: own[0]], line, *lines[own[0] + 1 :]] if own else [line, *lines]
        text = "\n".join(lines) + "\n"
        try:
            after = tomllib.loads(text)
        except ValueError:
            after = {}
        if after != before | {name: value}:
            raise BadParameter(f"{path}: cannot be edited line by line; write `{line}` into it")
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise CannotWrite(str(path), error.strerror or str(error), f"write `{line}` into it") from error


def _from_file(path: Path) -> dict[str, Any]:
    try:
        text = path.read_text(encoding="utf-8")
        import tomllib  # few folders have the file

        return tomllib.loads(text)
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:  # also what is not UTF-8 or not TOML
        raise BadParameter(f"{path}: cannot be read as TOML ({error}); mend or remove it") from error


def _converted(source: str, name: str, value: object, root: Path) -> object:
    if name == "cache":
        try:
            path = Path(str(value)).expanduser()
        except RuntimeError:  # `~name` of nobody
            raise BadParameter(f"{source}: the cache folder {value} does not exist for any user") from None
        # A relative folder is meant from where it is written down.
        path = (root / path if source == FILE else path).absolute()
        if source == FILE and path.is_relative_to(root):
            raise BadParameter(f"{source}: the cache must lie outside of {root}, into which plait writes nothing")
        return path
    if name == "max_file_bytes":
        if not str(value).isdecimal():
            raise BadParameter(f"{source}: {name} must be a number of bytes, not {value!r}")
        return int(str(value))
    if name == "wait":
        try:
            seconds = float(str(value))
        except ValueError:
            seconds = -1.0
        if not 0 <= seconds < 1e6:
            raise BadParameter(f"{source}: {name} must be a number of seconds, not {value!r}")
        return seconds
    if name == "submodules":
        found = value if isinstance(value, bool) else _SWITCH.get(str(value).lower())
        if found is None:
            raise BadParameter(f"{source}: {name} must be true or false, not {value!r}")
        return found
    if name == "content":
        if value not in tuple(Content):
            raise BadParameter(f"{source}: content must be one of {', '.join(Content)}, not {value!r}")
        return Content(str(value))
    if not isinstance(value, str):
        raise BadParameter(f"{source}: {name} must be text, not {value!r}")
    return value
