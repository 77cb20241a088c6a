"""These tests need `plait[scale]` and SeaweedFS: `make test-scale` runs them, `make test` does not."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from plait.embed.hashing import HashingEmbedder
from plait.store.lance.tables import About, Tables

collect_ignore_glob = [] if os.environ.get("PLAIT_SCALE") else ["test_*.py"]


@pytest.fixture
def tables(tmp_path: Path) -> Tables:
    embedder = HashingEmbedder()
    return Tables.create(str(tmp_path / "fleet"), About("hashing", embedder.fingerprint, "scoped", embedder.dim))
