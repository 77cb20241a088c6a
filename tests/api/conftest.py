from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")
sys.path.insert(0, str(Path(__file__).parent.parent / "integration"))

from asking import FILES, written
from http_server import Client, serving


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """The small application as `app`, a part of it as `other`; marks are written."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PLAIT_CACHE", str(tmp_path_factory.mktemp("cache")))
        folder = tmp_path_factory.mktemp("served")
        app = written(folder / "app", FILES)
        files = {"more/store.py": FILES["app/store.py"], "b.py": "def parse_more():\n    pass\n"}
        other = written(folder / "other", files)
        (app / "secret.txt").write_text("not indexed")
        (folder / "outside.py").write_text("def outside():\n    pass\n")
        with serving({"app": app, "other": other}, write=folder / "marks") as client:
            client.wait("corpus:shop")
            yield client


@pytest.fixture(scope="module")
def app_alone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """The small application, where nothing is written."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PLAIT_CACHE", str(tmp_path_factory.mktemp("cache")))
        with serving({"app": written(tmp_path_factory.mktemp("alone") / "app", FILES)}) as client:
            yield client


@pytest.fixture
def app(tmp_path: Path) -> Path:
    return written(tmp_path / "repository", FILES)
