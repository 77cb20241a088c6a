"""Any other text: windows of lines alone."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from plait.parse.blocks.parser import Block, BlockParser


def nothing(lines: Sequence[str]) -> list[Block]:
    return []


parser = partial(BlockParser, nothing)
