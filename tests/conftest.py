from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest

with suppress(ImportError):  # the tests of fleets do without
    from hypothesis import settings

    # A busy machine is no fault of the code.
    settings.register_profile("unhurried", deadline=None)
    settings.load_profile("unhurried")


@pytest.fixture(autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test sees or touches the indexes and settings of the person who runs it."""
    for name in ("EMBEDDER", "GRAPH", "STRATEGY", "MAX_FILE_BYTES", "SUBMODULES", "WAIT", "CONTENT"):
        monkeypatch.delenv(f"PLAIT_{name}", raising=False)
    monkeypatch.setenv("PLAIT_CACHE", str(tmp_path_factory.mktemp("cache")))


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A copy of the small repository of `plait.testing` on disk."""
    from plait.testing import SOURCES

    root = tmp_path / "repository"
    for path, text in SOURCES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    return root
