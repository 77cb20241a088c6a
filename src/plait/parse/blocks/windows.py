"""Any other text: windows of lines alone."""

from __future__ import annotations

from plait.parse.blocks.parser import BlockParser


def parser() -> BlockParser:
    return BlockParser(lambda lines: [])
