"""What a fleet needs beyond plait: one line with the next step for whoever has not installed it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from plait.doors.cli import main

FLEET = ["--fleet", "there-is-none"]
LANCE = "plait: a fleet needs pylance, which is not installed; run: pip install 'plait[scale]'\n"
SERVE = "plait: plait fleet serve needs ray[serve], which is not installed; run: pip install 'plait[scale]'\n"
ACCESS = "plait: say in which file the tokens are kept, with --access FILE or PLAIT_FLEET_ACCESS\n"


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["serve", *FLEET], SERVE),
        (["serve", *FLEET, "--access", "there-is-none"], SERVE),
        (["search", "x", *FLEET], LANCE),
        (["status", *FLEET], LANCE),
        (["build", *FLEET], LANCE),
        (["optimize", *FLEET], LANCE),
        (["callers", "x", *FLEET], LANCE),
        (["token", "new", "team"], ACCESS),
    ],
)
def test_each_command_says_in_one_line_what_to_install(
    arguments: list[str], line: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("ray", "ray.serve", "lance", "pyarrow"):
        monkeypatch.setitem(sys.modules, name, None)
    found = CliRunner().invoke(main, ["fleet", *arguments])
    assert (found.exit_code, found.output) == (2, line)


def test_tokens_are_made_and_listed_without_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("ray", "lance", "pyarrow"):
        monkeypatch.setitem(sys.modules, name, None)
    access = ["--access", str(tmp_path / "access.toml")]
    made = CliRunner().invoke(main, ["fleet", "token", "new", "mine", "--repo", "org/*", *access])
    assert made.exit_code == 0
    assert made.stdout.startswith("plait_")
    listed = CliRunner().invoke(main, ["fleet", "token", "list", *access])
    assert listed.stdout.splitlines()[0] == "mine  org/*"
    assert made.stdout.strip() not in listed.stdout
