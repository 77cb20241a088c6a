"""Builds the web page into wheels and source archives.

Where npm is absent or fails, a page that was built before is taken along, else the package is without one and
`plait serve` says so. `PLAIT_REQUIRE_PAGE=1` makes that an error: releases set it. Editable installs build nothing.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PAGE = Path("src/plait/doors/page/index.html")


class PageHook(BuildHookInterface):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        root = Path(self.root)
        if version == "editable":
            return
        problem = _build(root / "web")
        if problem and os.environ.get("PLAIT_REQUIRE_PAGE"):
            raise RuntimeError(f"the page could not be built: {problem}")
        if problem:
            there = "the page built before is taken" if (root / PAGE).exists() else "the package has no web page"
            self.app.display_warning(f"{problem}; {there}")


def _build(web: Path) -> str:
    """Build the page and return what went wrong; empty if nothing did."""
    npm = shutil.which("npm")
    if not (web / "package.json").exists():
        return "web/ is not here"
    if npm is None:
        return "Node.js with npm is needed to build the page"
    for command in ([npm, "ci", "--no-audit", "--no-fund", "--ignore-scripts"], [npm, "run", "build"]):
        ended = subprocess.run(command, cwd=web, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        if ended.returncode:
            lines = ended.stdout.decode(errors="replace").strip().splitlines()
            return f"{' '.join(['npm', *command[1:2]])} failed: {lines[-1] if lines else ended.returncode}"
    return ""
