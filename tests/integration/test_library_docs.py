"""The examples of docs/library.md, run as they stand there."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest
from asking import written

from plait.testing import SOURCES

PAGE = Path(__file__).parents[2] / "docs/library.md"


def test_the_examples_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(tmp_path / "shop-repository", dict(SOURCES))
    written(tmp_path / "tools-repository", {"dates.py": "def parse_date(text):\n    return text.split('-')\n"})
    monkeypatch.chdir(tmp_path)
    found = doctest.testfile(str(PAGE), module_relative=False, optionflags=doctest.IGNORE_EXCEPTION_DETAIL)
    assert found.failed == 0
    assert found.attempted > 15
