"""Which packages a repository publishes: the names by which others import it, and where in it they lead.

What is not declared by a manifest (in JVM languages: by the files themselves) is not published, so that a folder
`common` of one repository is never taken for the package `common` that another one imports.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from plait.facts import BindingKind, Import, ParsedFile
from plait.graph.outward import ECOSYSTEMS
from plait.parse.naming import is_test_path
from plait.source.denials import FOLDERS

_MANIFESTS = ("pyproject.toml", "setup.py", "setup.cfg", "go.mod", "package.json", "Cargo.toml")
_NOT_PUBLISHED = frozenset(
    "tests test testing testdata fixtures docs doc examples example benchmarks benchmark scripts tools ci".split()
)
_SOURCE_ROOTS = ("src", "lib", "python")
_DOTTED = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*\Z")


@dataclass(frozen=True, slots=True)
class Alias:
    """A name that a Python module passes on."""

    path: str
    name: str
    """`*` for a star import"""
    place: str
    """`./` and the path, without suffix, of a module here; else a dotted module; empty: this module"""
    target: str
    """dotted, what is meant there; empty for the module itself"""


@dataclass(frozen=True, slots=True)
class Published:
    packages: tuple[tuple[str, str], ...] = ()
    """each as an `Outward` names it, and its place: of Python, path of the package or module without suffix; of Go,
    npm and Rust, the folder of the manifest; of the JVM, empty. Sorted"""
    aliases: tuple[Alias, ...] = ()
    """by path, in source order"""


def published(root: Path, files: Mapping[str, ParsedFile]) -> Published:
    packages: set[tuple[str, str]] = set()
    python = sorted(path for path in files if path.endswith((".py", ".pyi")))
    for folder, names in _manifests(root):
        projects = [name for name in names if name in ("pyproject.toml", "setup.py", "setup.cfg")]
        if projects and python:
            packages.update(_python(root, folder, projects, python))
        if "go.mod" in names:
            found = re.search(r'^module\s+"?([^\s"]+)', _text(root / folder / "go.mod"), re.MULTILINE)
            packages.update({(f"go:{found[1]}", folder)} if found else ())
        if "package.json" in names:
            named = _json(root / folder / "package.json").get("name")
            packages.update({(f"npm:{named}", folder)} if isinstance(named, str) and named else ())
        if "Cargo.toml" in names:
            packages.update((f"rust:{name}", folder) for name in _crates(root / folder / "Cargo.toml"))
    stems = [place for package, place in packages if package.startswith("python:")]
    aliases: list[Alias] = []
    for path in sorted(files):
        file = files[path]
        if ECOSYSTEMS.get(file.symbols[0].language) == "jvm" and file.module and not is_test_path(path):
            packages.add((f"jvm:{file.module}", ""))
        elif path in python and any(f"{path}/".startswith((f"{one}/", f"{one}.py")) for one in stems):
            aliases += _aliases(file)
    return Published(tuple(sorted(packages)), tuple(aliases))


def _manifests(root: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield folders, relative, with the manifests in them; those of tests, examples and copied code are left out."""
    for place, folders, names in os.walk(root):
        folders[:] = sorted(
            one for one in folders if one not in FOLDERS and one not in _NOT_PUBLISHED and not one.startswith(".")
        )
        found = [name for name in _MANIFESTS if name in names]
        if found:
            relative = Path(place).relative_to(root).as_posix()
            yield "" if relative == "." else relative, found


def _python(root: Path, folder: str, manifests: Sequence[str], files: Sequence[str]) -> Iterator[tuple[str, str]]:
    project = _project(root / folder, manifests)
    if project is None:
        return
    first = re.split(r"[-_.]", project)[0].lower()
    alike = re.sub(r"[-_.]+", "_", project).lower()
    bases = dict.fromkeys([folder, *(_joined(folder, one) for one in (*_SOURCE_ROOTS, *_where(root / folder)))])
    for base in bases:
        for path in files:
            if base and not path.startswith(f"{base}/"):
                continue
            parts = path[len(base) + 1 if base else 0 :].split("/")
            if len(parts) == 1:
                name = parts[0].rpartition(".")[0]
                if name.lower() == alike or (base != folder and name not in ("__init__", "setup", "conftest")):
                    yield f"python:{name}", _joined(base, name)
            elif parts[-1].startswith("__init__.py") and not _NOT_PUBLISHED & set(parts) and len(parts) <= 4:
                *around, package = parts[:-1]
                spaces = [_joined(base, "/".join(around[: end + 1])) for end in range(len(around))]
                is_space = not any(f"{one}/__init__.py" in files for one in spaces)
                meant = not around or base != folder or around[0].lower() == first
                if is_space and meant and _joined(base, around[0] if around else package) not in bases:
                    yield f"python:{'.'.join([*around, package])}", _joined(base, "/".join([*around, package]))


def _project(folder: Path, manifests: Sequence[str]) -> str | None:
    """Return the name of the distribution, empty if it is not written down; None if there is none."""
    name: str | None = None
    if "pyproject.toml" in manifests:
        told = _toml(folder / "pyproject.toml")
        tools = told.get("tool", {})
        for table in (told.get("project"), tools.get("poetry"), tools.get("flit", {}).get("metadata")):
            if isinstance(table, dict):
                return str(table.get("name") or table.get("module") or "")
        name = "" if "build-system" in told else None
    for one in ("setup.cfg", "setup.py"):
        if one in manifests:
            text = _text(folder / one)
            found = re.search(r"""^\s*name\s*=\s*["']?([\w.-]+)""", text, re.MULTILINE)
            if found:
                return found[1]
            if "setup(" in text or "[metadata]" in text:
                name = ""
    return name


def _where(folder: Path) -> list[str]:
    tools = _toml(folder / "pyproject.toml").get("tool", {}).get("setuptools", {})
    find = tools.get("packages", {}) if isinstance(tools, dict) else {}
    where = find.get("find", {}).get("where", []) if isinstance(find, dict) else []
    places = [*where, *tools.get("package-dir", {}).values()] if isinstance(where, list) else []
    return [one.strip("./") for one in places if isinstance(one, str) and one.strip("./")]


def _crates(manifest: Path) -> list[str]:
    told = _toml(manifest)
    package = told.get("package", {}).get("name", "")
    names = [told.get("lib", {}).get("name", ""), package] if package else []
    return [one.replace("-", "_") for one in names[:1] if one] or [one.replace("-", "_") for one in names if one]


def _aliases(file: ParsedFile) -> Iterator[Alias]:
    module = file.symbols[0].id
    defined = {symbol.name for symbol in file.symbols if symbol.parent == module}
    for imported in file.imports:
        if imported.scope == module and (imported.alias not in defined or imported.alias == "*"):
            yield _alias(file, imported)
    assigned = [one for one in file.bindings if one.scope == module]
    targets = [one.target for one in assigned]
    for one in assigned:
        plain = one.kind is BindingKind.ASSIGNED and _DOTTED.match(one.expression)
        if plain and targets.count(one.target) == 1 and one.target not in defined and one.target != one.expression:
            yield Alias(file.path, one.target, "", one.expression)


def _alias(file: ParsedFile, imported: Import) -> Alias:
    name = imported.name or ""
    place = imported.module
    if imported.level:
        folders = file.path.split("/")[:-1]
        around = folders[: len(folders) - imported.level + 1]
        place = "./" + "/".join([*around, *(imported.module.split(".") if imported.module else [])])
    elif not name and imported.alias == imported.module.partition(".")[0]:
        place = imported.alias  # `import a.b` binds `a`
    return Alias(file.path, imported.alias, place, "" if name == "*" else name)


def _joined(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _toml(path: Path) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(_text(path))
    except tomllib.TOMLDecodeError:
        return {}


def _json(path: Path) -> dict[str, Any]:
    try:
        told = json.loads(_text(path))
    except ValueError:
        return {}
    return told if isinstance(told, dict) else {}
