"""Every `plait` command in the documentation is one that plait understands."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest

from plait.doors.cli import main

DOCS = Path(__file__).parents[2] / "docs"
BLOCK = re.compile(r"^```(?:sh|yaml)\n(.*?)^```", re.MULTILINE | re.DOTALL)
FOLDED = re.compile(r"- run: >\n((?: {10}.*\n)+)")
"""A block of YAML that is one line."""
COMMAND = re.compile(r"(?:^|entry: )(plait .+?)(?: > \S+)?$")


def commands(page: Path) -> list[list[str]]:
    blocks = BLOCK.findall(page.read_text(encoding="utf-8"))
    lines = [
        line.strip()
        for block in blocks
        for line in FOLDED.sub(lambda folded: " ".join(folded[1].split()) + "\n", block).splitlines()
    ]
    return [shlex.split(found[1]) for line in lines if (found := COMMAND.search(line))]


@pytest.mark.parametrize("arguments", commands(DOCS / "judging.md"), ids=" ".join)
def test_commands_of_judging(arguments: list[str]) -> None:
    name, *rest = arguments[1:]
    # With its settings, as click remembers what the options for help are called.
    plait = main.make_context("plait", [name, "--help"], resilient_parsing=True)
    command = main.get_command(plait, name)
    assert command is not None
    while isinstance(command, click.Group):
        name, *rest = rest
        command = command.commands[name]
    command.make_context(name, rest, parent=plait)


def test_none_is_overlooked() -> None:
    assert len(commands(DOCS / "judging.md")) == 12
