"""What users and programs rely on, as committed files: the public API and the help texts."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import click
from click.testing import CliRunner
from committed import compare

import plait
from plait.doors.cli import COMMANDS, main

HERE = Path(__file__).parent / "interfaces"


def parameters(function: Callable[..., object]) -> list[str]:
    """Return the parameters, with `=` behind the optional ones; what the default is may change."""
    found = inspect.signature(function).parameters.values()
    return [f"{p.name}=" if p.default is not p.empty else str(p).split(":")[0] for p in found if p.name != "self"]


def test_public_api() -> None:
    lines: list[str] = []
    assert sorted(plait.__all__) == plait.__all__
    for name in plait.__all__:
        member = getattr(plait, name)
        lines.append(name)
        if inspect.isclass(member):
            fields = getattr(member, "__dataclass_fields__", {})
            lines += [f"    {field}" for field in fields]
            for method in sorted(vars(member)):
                found = getattr(member, method)
                if not method.startswith("_") and method not in fields and callable(found):
                    lines.append(f"    {method}({', '.join(parameters(found))})")
    compare(HERE / "public_api.txt", lines)


def commands(start: Sequence[str]) -> Iterator[list[str]]:
    """Yield a command and all commands below it, by name."""
    yield [*start]
    context = click.Context(main, info_name="plait")
    found: click.Command | None = main
    for name in start:
        assert isinstance(found, click.Group)
        found = found.get_command(context, name)
    if start and isinstance(found, click.Group):
        for name in sorted(found.list_commands(context)):
            yield from commands([*start, name])


def test_help() -> None:
    lines: list[str] = []
    for command in ([], *(one for name in sorted(COMMANDS) for one in commands([name]))):
        result = CliRunner().invoke(main, [*command, "--help"], prog_name="plait", terminal_width=100)
        lines += [f"$ plait {' '.join([*command, '--help'])}", result.output]
    compare(HERE / "help.txt", lines)
