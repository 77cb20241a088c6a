"""Coding agents and editors: how to tell that one is here, where it reads MCP servers and instructions, in which form.

All are the files of a user, not of a repository. Sources: code.claude.com/docs/en/mcp; developers.openai.com/codex/mcp;
docs.cursor.com/context/mcp; code.visualstudio.com/docs/agents/reference/mcp-configuration;
opencode.ai/docs/mcp-servers and opencode.ai/v2/docs/mcp-servers; geminicli.com/docs/tools/mcp-server;
zed.dev/docs/ai/mcp; docs.windsurf.com/windsurf/cascade/mcp; kiro.dev/docs/mcp/configuration. Cursor and Zed keep a
user's instructions in no file that is documented.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

NAME = "plait"
"""of the server in every list"""

Entry = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Host:
    name: str
    """as `--agent` takes it"""
    title: str
    signs: tuple[str, ...]
    """paths from the home folder; one that is there shows that the agent is"""
    servers: str
    """the file with its servers"""
    at: tuple[str, ...] = ("mcpServers",)
    """names around the entry; empty for TOML"""
    entry: Callable[[Sequence[str]], Entry] = lambda command: {"command": command[0], "args": [*command[1:]]}
    instructions: str = ""
    """the file of the user's instructions; empty where there is none"""
    front: str = ""
    """lines that a file of instructions which is made here must begin with"""


def _typed(command: Sequence[str]) -> Entry:
    return {"type": "stdio", "command": command[0], "args": [*command[1:]]}


def _in_workspace(command: Sequence[str]) -> Entry:
    return {"type": "stdio", "command": command[0], "args": [*command[1:], "${workspaceFolder}"]}


def _local(command: Sequence[str]) -> Entry:
    return {"type": "local", "command": [*command]}


_CODE = {
    "darwin": "Library/Application Support/Code/User",
    "win32": "AppData/Roaming/Code/User",
}.get(sys.platform, ".config/Code/User")
_ZED = {"win32": "AppData/Roaming/Zed"}.get(sys.platform, ".config/zed")

HOSTS = (
    Host(
        "claude-code",
        "Claude Code",
        (".claude.json", ".claude"),
        ".claude.json",
        entry=_typed,
        instructions=".claude/CLAUDE.md",
    ),
    Host("codex", "Codex", (".codex",), ".codex/config.toml", at=(), instructions=".codex/AGENTS.md"),
    Host("cursor", "Cursor", (".cursor",), ".cursor/mcp.json", entry=_in_workspace),
    Host(
        "vscode",
        "VS Code",
        (_CODE,),
        f"{_CODE}/mcp.json",
        at=("servers",),
        entry=_in_workspace,
        instructions=f"{_CODE}/prompts/plait.instructions.md",
        front="---\napplyTo: '**'\n---\n",
    ),
    Host(
        "opencode",
        "OpenCode",
        (".config/opencode",),
        ".config/opencode/opencode.json",
        at=("mcp",),
        entry=_local,
        instructions=".config/opencode/AGENTS.md",
    ),
    Host("gemini", "Gemini CLI", (".gemini",), ".gemini/settings.json", instructions=".gemini/GEMINI.md"),
    Host("zed", "Zed", (_ZED,), f"{_ZED}/settings.json", at=("context_servers",)),
    Host(
        "windsurf",
        "Windsurf",
        (".codeium/windsurf",),
        ".codeium/windsurf/mcp_config.json",
        instructions=".codeium/windsurf/memories/global_rules.md",
    ),
    Host("kiro", "Kiro", (".kiro",), ".kiro/settings/mcp.json", instructions=".kiro/steering/plait.md"),
)

INSTRUCTIONS = """\
## Code search with plait

For "how does X work", "where is X done" and before a change, call the MCP tool `context` of the server `plait` first,
with the task in plain words: it returns the functions that belong together, with their code. `search` finds places,
`symbol` shows callers and callees, `impact` tells what may break and which tests to run. Give `repo`, the absolute path
of the repository, if an answer asks for it. Use grep for literal strings and for files that are not code.
"""


def found(home: Path) -> list[Host]:
    """Return the hosts that are here, in the order of the table."""
    return [host for host in HOSTS if any((home / sign).exists() for sign in host.signs)]


def servers_of(host: Host, home: Path) -> Path:
    """The file with its servers: OpenCode reads a `.jsonc` where there is one."""
    path = home / host.servers
    other = path.with_suffix(".jsonc")
    return other if host.name == "opencode" and other.exists() and not path.exists() else path
