"""Fetch the repositories that labels are of, each at its pinned revision, into a folder by name. Needs git and network.

    python benchmarks/quality_fetch.py LABELS CORPORA [NAME ...]

LABELS is the folder of semble's set (`repos.json`) or of `knowing` (`MANIFEST.yaml`). What is there already at its
revision stays; a repository that cannot be had is told and left out, and the exit code is 1.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path


def pinned(labels: Path) -> Iterator[tuple[str, str, str]]:
    """Yield name, address and revision of each repository."""
    if (labels / "repos.json").is_file():
        for one in json.loads((labels / "repos.json").read_text()):
            yield one["name"], one["url"], one["revision"]
    else:
        import yaml

        for one in yaml.safe_load((labels / "MANIFEST.yaml").read_text())["repos"]:
            yield one["name"], one["url"], one["commit"]


def fetch(root: Path, url: str, revision: str) -> str:
    """Return why the revision could not be checked out; empty if it is."""
    git = ["git", "-C", str(root)]
    if (root / ".git").is_dir():
        head = subprocess.run([*git, "rev-parse", "HEAD"], capture_output=True, text=True).stdout.strip()
        if head == revision:
            return ""
    root.mkdir(parents=True, exist_ok=True)
    for step in (
        ["init", "--quiet"],
        ["fetch", "--quiet", "--depth", "1", url, revision],
        ["checkout", "--quiet", "--detach", "FETCH_HEAD"],
    ):
        done = subprocess.run([*git, *step], capture_output=True, text=True)
        if done.returncode:
            return done.stderr.strip().splitlines()[-1] if done.stderr.strip() else f"git {step[0]} failed"
    return ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("labels", type=Path)
    parser.add_argument("corpora", type=Path)
    parser.add_argument("names", nargs="*", metavar="NAME", help="default: all")
    given = parser.parse_args()
    failed = 0
    for name, url, revision in pinned(given.labels):
        if given.names and name not in given.names:
            continue
        problem = fetch(given.corpora / name, url, revision)
        failed += bool(problem)
        print(f"{name:24} {revision[:12]}  {problem or 'ready'}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
