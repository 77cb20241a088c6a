"""The packages that the model is trained on: names, pinned versions, licences; how they are fetched and unpacked.

Fetching goes through the registries' ordinary clients: pip for PyPI (wheels only, so that nothing of a package is run),
apt-get for Debian's source packages. A package whose licence is not in PERMISSIVE is left out, whatever the list says.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from email.parser import HeaderParser
from pathlib import Path

HERE = Path(__file__).parent
LIST = HERE / "packages.toml"
RELEASES = ("bookworm", "trixie")
"""Of Debian: a package is taken from the one that has the pinned version."""

PERMISSIVE = re.compile(
    r"\b(MIT|Expat|X11|BSD|BSD3|ISC|Apache|PSF|Python Software Foundation|Go|Zlib|HPND)\b|Apache-?2|BSD-|PSF-|Python-2",
    re.IGNORECASE,
)
OTHER = re.compile(
    r"\b(A?GPL|LGPL|MPL|EPL|CDDL|GNU|Mozilla|Eclipse|Artistic|Proprietary|Commercial|CC-BY|Ruby|WTFPL|EUPL)",
    re.IGNORECASE,
)
HELD_OUT = 26
"""Of 256: packages whose name's digest begins below it are kept out of training and judged on."""


@dataclass(frozen=True, slots=True)
class Package:
    registry: str
    name: str
    version: str
    licence: str

    @property
    def held_out(self) -> bool:
        return hashlib.blake2b(self.name.encode(), digest_size=1).digest()[0] < HELD_OUT

    def folder(self, work: Path) -> Path:
        return work / "src" / self.registry / self.name


def packages() -> list[Package]:
    """Return all packages, by registry, then by name."""
    listed = tomllib.loads(LIST.read_text())
    return [
        Package(registry, name, entry["version"], entry["licence"])
        for registry in tuple(_FETCH)
        for name, entry in sorted(listed.get(registry, {}).items())
    ]


def never() -> frozenset[str]:
    """Return the names of what plait is judged on, in lower case: no package or folder of these names is read."""
    return frozenset(tomllib.loads(LIST.read_text())["never"]["names"])


def fetch(work: Path) -> None:
    """Download and unpack every package into work/src; what is there already stays."""
    for package in packages():
        if not package.folder(work).exists():
            archives = list(_FETCH[package.registry](package, work))
            found = licence(archives)
            if not permissive(found):
                print(f"left out, licence {found!r}: {package.name}", file=sys.stderr)
                continue
            unpack(archives, package.folder(work))


def _pypi(package: Package, work: Path) -> Iterator[Path]:
    into = work / "archives" / package.name
    into.mkdir(parents=True, exist_ok=True)
    what = f"{package.name}=={package.version}"
    pip = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary", ":all:", "-d", str(into), what]
    subprocess.run(pip, check=True)
    yield from into.iterdir()


def _debian(package: Package, work: Path) -> Iterator[Path]:
    yield from (path for path in _apt(["source", "--download-only"], package, work) if ".tar." in path.name)


def _deb(package: Package, work: Path) -> Iterator[Path]:
    yield from _apt(["download"], package, work)


def _apt(command: list[str], package: Package, work: Path) -> Iterator[Path]:
    into, apt = work / "archives" / package.name, work / "apt"
    into.mkdir(parents=True, exist_ok=True)
    options = [
        "-qq",
        f"-oDir::Etc::SourceList={apt}/sources.list",
        "-oDir::Etc::SourceParts=/dev/null",
        f"-oDir::State::Lists={apt}/lists",
        f"-oDir::Cache={apt}/cache",
    ]
    if not apt.exists():
        for folder in ("lists/partial", "cache/archives/partial"):
            (apt / folder).mkdir(parents=True)
        kinds = [(kind, release) for kind in ("deb", "deb-src") for release in RELEASES]
        lines = [f"{kind} http://deb.debian.org/debian {release} main\n" for kind, release in kinds]
        (apt / "sources.list").write_text("".join(lines))
        subprocess.run(["apt-get", *options, "update"], check=True)
    what = f"{package.name}={package.version}"
    subprocess.run(["apt-get", *options, *command, what], check=True, cwd=into)
    yield from into.iterdir()


_FETCH = {"pypi": _pypi, "debian": _debian, "deb": _deb}
"""By registry: wheels of PyPI, source packages of Debian, binary packages of Debian that hold source code."""


@contextmanager
def _tar_of_deb(archive: Path) -> Iterator[tarfile.TarFile]:
    """Open the tree of files in a Debian package, as a stream: members are read in order."""
    command = ["dpkg-deb", "--fsys-tarfile", str(archive)]
    with (
        subprocess.Popen(command, stdout=subprocess.PIPE) as process,
        tarfile.open(fileobj=process.stdout, mode="r|") as file,
    ):
        yield file


def licence(archives: list[Path]) -> str:
    """Return what the archives say: a wheel's expression, classifiers or field; debian/copyright's stanza of `*`."""
    for archive in archives:
        if archive.suffix == ".whl":
            with zipfile.ZipFile(archive) as file:
                name = next(one for one in file.namelist() if one.endswith(".dist-info/METADATA"))
                head = HeaderParser().parsestr(file.read(name).decode(errors="replace"))
            classified = [
                one.rpartition("::")[2].strip() for one in head.get_all("Classifier", []) if one.startswith("License")
            ]
            stated = head.get("License-Expression") or ", ".join(one for one in classified if one != "OSI Approved")
            return stated or (head.get("License") or "").strip().partition("\n")[0][:80]
        if archive.suffix == ".deb":
            with _tar_of_deb(archive) as file:
                for member in file:
                    if member.name.endswith("/copyright") and (content := file.extractfile(member)):
                        return _debian_licence(content.read().decode(errors="replace"))
        elif re.search(r"\.debian\.tar\.|\d\.tar\.", archive.name):
            with tarfile.open(archive) as file:
                for member in file:
                    if member.name.endswith("debian/copyright") and (content := file.extractfile(member)):
                        return _debian_licence(content.read().decode(errors="replace"))
    return ""


def _debian_licence(text: str) -> str:
    for stanza in re.split(r"\n\s*\n", text):
        found = re.search(r"^License:\s*(.+)", stanza, re.MULTILINE)
        if found and re.search(r"^Files:\s*(?:\n\s*)?\*", stanza, re.MULTILINE):
            return found.group(1).strip()
    return ""


def permissive(stated: str) -> bool:
    """Say whether a licence may be trained on; of alternatives (`or`) one is enough."""
    return any(PERMISSIVE.search(one) and not OTHER.search(one) for one in re.split(r"\s+(?:or|OR)\s+|/", stated))


def unpack(archives: list[Path], folder: Path) -> None:
    """Unpack what is source code into the folder; packaging (debian/) is not."""
    part = folder.with_name(folder.name + ".part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    for archive in archives:
        if archive.suffix == ".whl":
            with zipfile.ZipFile(archive) as file:
                file.extractall(part, [name for name in file.namelist() if name.endswith(".py")])
        elif archive.suffix == ".deb":
            with _tar_of_deb(archive) as file:
                for member in file:
                    if member.isfile() and member.size < 1_000_000:
                        file.extract(member, part, filter="data")
        elif ".orig" in archive.name or not re.search(r"\.debian\.tar\.", archive.name):
            with tarfile.open(archive) as file:
                members = [member for member in file if member.isfile() and member.size < 1_000_000]
                file.extractall(part, members, filter="data")
    part.rename(folder)
