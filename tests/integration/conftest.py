from __future__ import annotations

from pathlib import Path

import pytest
from asking import FILES, written


@pytest.fixture
def app(tmp_path: Path) -> Path:
    return written(tmp_path / "repository", FILES)
