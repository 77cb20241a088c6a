"""The command line.

Exit codes: 0 ran (also with no result), 2 could not run: one line on stderr says why and what to do. 1 is a gate
that failed: `plait doctor`, `plait verify` and `plait eval` have one.
"""

from __future__ import annotations

import io
import os
import sys
from importlib import import_module
from typing import Any

import click

from plait.doors.terminal import notice
from plait.errors import PlaitError
from plait.settings import spare_threads
from plait.version import __version__

COULD_NOT_RUN = 2
INTERRUPTED = 130
"""As a shell reports a program that Ctrl-C ended: 128 and the signal's number."""

COMMANDS = {
    "callees": "graph:callees",
    "callers": "graph:callers",
    "clear": "upkeep:clear_",
    "context": "context:context_",
    "demo": "experiment:demo",
    "doctor": "upkeep:doctor",
    "edges": "edges:edges",
    "eval": "experiment:evaluate",
    "explain": "experiment:explain",
    "export": "graph:export",
    "fleet": "fleet:fleet",
    "flows": "graph:flows",
    "hubs": "graph:hubs",
    "impact": "graph:impact",
    "index": "upkeep:index",
    "models": "models:models",
    "install": "agents:install",
    "mcp": "agents:mcp_",
    "path": "graph:path_",
    "search": "search:search",
    "serve": "serve:serve",
    "status": "upkeep:status",
    "tune": "tuning:tune_",
    "uninstall": "agents:uninstall",
    "unresolved": "graph:unresolved",
    "verify": "upkeep:verify",
    "watch": "upkeep:watch",
}
"""Where each command is; only the module of the one that runs is imported."""


class Plait(click.Group):
    """Turns every error raised on purpose into one line and exit code 2."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, _, attribute = COMMANDS[cmd_name].partition(":")
        command: click.Command = getattr(import_module(f"plait.doors.{module}"), attribute)
        return command

    def main(self, *args: Any, **extra: Any) -> Any:
        spare_threads()
        try:
            ended = super().main(*args, **extra | {"standalone_mode": False})
        except click.exceptions.NoArgsIsHelpError as error:
            click.echo(error.ctx.get_help() if error.ctx else "")
            ended = 0
        except click.ClickException as error:
            context = error.ctx if isinstance(error, click.UsageError) else None
            command = ["plait", *(context.command_path.split()[1:] if context else []), "--help"]
            notice(f"plait: {' '.join(error.format_message().split())} (see {' '.join(command)})")
            ended = COULD_NOT_RUN
        except click.Abort:
            ended = INTERRUPTED
        sys.exit(ended if isinstance(ended, int) else 0)

    def invoke(self, ctx: click.Context) -> Any:
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                # A name that the terminal's encoding lacks is shown escaped instead of ending the program.
                stream.reconfigure(errors="backslashreplace")
        try:
            return super().invoke(ctx)
        except PlaitError as error:
            notice(f"plait: {' '.join(str(error).split())}")
            ctx.exit(COULD_NOT_RUN)
        except BrokenPipeError:
            # Who reads our output has seen enough. What is still buffered must not fail once more at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            ctx.exit(0)
        except OSError as error:
            notice(f"plait: {error.strerror or error}{f': {error.filename}' if error.filename else ''}")
            ctx.exit(COULD_NOT_RUN)


@click.group(cls=Plait, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="plait")
def main() -> None:
    """Find the code that belongs to a question, and see why."""
