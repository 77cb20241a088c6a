"""Fetch the corpora of the speed benchmark, and make the synthetic ones.

    python3.11 benchmarks/speed_corpora.py FOLDER [NAME ...] [--from BASE]

Each corpus becomes FOLDER/NAME, a git work tree with one commit and nothing that is ignored; one that is there is left
as it is. Without names all but the largest are made. The standard library is that of the Python that runs this script,
which must be 3.11. The others are cloned at the tag below from BASE/OWNER/NAME, or downloaded from PyPI.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
from pathlib import Path

import speed_monorepo

CLONES = {"eslint": ("eslint/eslint", "v9.29.0"), "hugo": ("gohugoio/hugo", "v0.149.0")}
SDISTS = {"django": "django==5.2"}
SYNTHETIC = {f"synthetic-{functions}": functions for functions in (1_000, 10_000, 100_000, 1_000_000)}
NAMES = ("django", "stdlib", "eslint", "hugo", *SYNTHETIC)
LARGEST = "synthetic-1000000"
NO_SOURCE = shutil.ignore_patterns("__pycache__", "site-packages", "test", "tests", "lib2to3", "*.so", "*.a")

AUTHOR = ("-c", "user.name=benchmark", "-c", "user.email=benchmark@localhost", "-c", "commit.gpgsign=false")


def fetch(name: str, folder: Path, base: str) -> None:
    if name in CLONES:
        repository, tag = CLONES[name]
        clone = ["git", "-c", "advice.detachedHead=false", "clone", "--quiet", "--depth=1", f"--branch={tag}"]
        subprocess.run([*clone, f"{base}/{repository}", folder], check=True)
        shutil.rmtree(folder / ".git")
    elif name in SDISTS:
        with tempfile.TemporaryDirectory() as place:
            pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary=:all:"]
            subprocess.run([*pip, f"--dest={place}", SDISTS[name]], check=True)
            (archive,) = Path(place).glob("*.tar.gz")
            with tarfile.open(archive) as packed:
                packed.extractall(place, filter="data")
            (unpacked,) = (path for path in Path(place).iterdir() if path.is_dir())
            shutil.copytree(unpacked, folder)
    elif name in SYNTHETIC:
        speed_monorepo.write(folder, SYNTHETIC[name])
    elif sys.version_info[:2] == (3, 11):
        shutil.copytree(sysconfig.get_paths()["stdlib"], folder, ignore=NO_SOURCE)
    else:
        raise SystemExit("the standard library is measured as of 3.11: run this with python3.11")


def commit(folder: Path) -> None:
    for command in (("init", "--quiet"), ("add", "--all"), (*AUTHOR, "commit", "--quiet", "--message=corpus")):
        subprocess.run(["git", *command], cwd=folder, check=True)


def main() -> None:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("names", nargs="*", metavar="NAME", help=", ".join(NAMES))
    arguments.add_argument("--from", dest="base", default="https://github.com", metavar="BASE")
    given = arguments.parse_args()
    if unknown := [name for name in given.names if name not in NAMES]:
        arguments.error(f"unknown: {', '.join(unknown)}; there are {', '.join(NAMES)}")
    for name in given.names or [name for name in NAMES if name != LARGEST]:
        target = given.folder.resolve() / name
        if (target / ".git").exists():
            continue
        shutil.rmtree(target, ignore_errors=True)
        target.parent.mkdir(parents=True, exist_ok=True)
        print(target, flush=True)
        fetch(name, target, given.base)
        commit(target)


if __name__ == "__main__":
    main()
