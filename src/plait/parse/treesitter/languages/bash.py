"""Bash (https://www.gnu.org/software/bash/manual/)."""

from __future__ import annotations

import re
from functools import partial

from plait.model import Receiver
from plait.parse.treesitter.parser import TreeSitterParser
from plait.parse.treesitter.table import Function, Language, Node, part, text
from plait.parse.treesitter.walk import Walk

_NAME = re.compile(r"[^\W\d][\w.:+-]*")
_FILE = re.compile(r"[\w./+-]+$")
_CALLS_ARGUMENT = frozenset({"trap", "run", "eval", "time"})
"""Commands whose first argument is what they run, be it a function; `run` is of bats. `command`, `exec` and the like
run programs only."""


def _command(walk: Walk, node: Node) -> bool:
    name = part(node, "name")
    written = text(name)
    arguments = node.children_by_field_name("argument")
    if written in (".", "source", "load") and arguments:
        # `$DIR/lib.sh`: what stands behind the last variable
        found = _FILE.search(text(arguments[0]).strip("\"'"))
        if found:
            walk.import_(node, found[0].lstrip("/"), None, "", level=1)
    elif _NAME.fullmatch(written):
        walk.refer(written, Receiver.NONE, len(arguments), name)
        if written in _CALLS_ARGUMENT and arguments:
            called = text(arguments[0]).strip("\"'").partition(" ")[0]
            if _NAME.fullmatch(called):
                walk.refer(called, Receiver.NONE, -1, arguments[0])
    return False


LANGUAGE = Language(
    name="bash",
    grammar="bash",
    functions={"function_definition": Function(parameters=lambda node: None)},
    special={"command": _command},
    names=frozenset({"word", "variable_name"}),
    self_words=frozenset(),
    super_words=frozenset(),
    by_path=True,
)
parser = partial(TreeSitterParser, LANGUAGE)
