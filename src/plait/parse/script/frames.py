"""Scopes of a script, and the nodes of what its names hold."""

from __future__ import annotations

from dataclasses import dataclass, field

from plait.model import SymbolId


@dataclass(slots=True, eq=False)
class Frame:
    """One function's body, or the file's: what runs from the first statement to the last."""

    scope: SymbolId
    """of the symbol that calls in it belong to"""
    this: int = -1
    home: str = ""
    """the class or object whose member it is, for `super`"""
    is_static: bool = False
    result: int = -1
    yielded: int = -1
    is_async: bool = False
    versions: dict[int, int] = field(default_factory=dict)
    """a name's node -> the node of what it holds now; where it is missing, the name's own"""
    stored: dict[str, int] = field(default_factory=dict)
    """a member, as written -> the node of what has just been stored there"""
    parameters: dict[int, int] = field(default_factory=dict)
    """a parameter's node -> its place"""
    passed: dict[int, None] = field(default_factory=dict)
    """nodes of the parameters that are returned as they came"""


@dataclass(slots=True, eq=False)
class Block:
    """One block's names. `frame` is the function that the block is in."""

    frame: Frame
    outer: Block | None = None
    names: dict[str, int] = field(default_factory=dict)
    is_body: bool = False
    """of a function or the file: `var` declares here"""

    def find(self, name: str) -> tuple[int, Frame] | None:
        here: Block | None = self
        while here is not None:
            if name in here.names:
                return here.names[name], here.frame
            here = here.outer
        return None

    def body(self) -> Block:
        here = self
        while not here.is_body and here.outer is not None:
            here = here.outer
        return here
