"""A small application, and how the tests ask about it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

from plait.doors.cli import main

FILES = {
    "app/store.py": """class Store:
    def __init__(self):
        self.rows = []

    def save(self, row):
        return row


class DiskStore(Store):
    def save(self, row):
        return write(row)


def write(row):
    return len(row)
""",
    "app/web.py": """from app.store import DiskStore, Store, write


def handle(request, store: Store):
    return store.save(parse(request))


def parse(request):
    return parse(request[1:]) if request else request.body()


def main(plugins):
    store = DiskStore()
    plugins.run(store)


def ping():
    return pong()


def pong():
    return ping()
""",
    "app/other.py": """def write(row):
    return row


def lonely():
    return 1
""",
    "tests/test_web.py": """from app.web import handle


def test_handle():
    handle("x", None)
""",
}


def written(root: Path, files: dict[str, str]) -> Path:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    return root


def plait(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, [*map(str, arguments), "--embedder", "hashing"], catch_exceptions=False)


def lines(*arguments: str | Path) -> list[str]:
    result = plait(*arguments)
    assert (result.exit_code, result.stderr) == (0, "")
    return result.stdout.splitlines()


def as_json(*arguments: str | Path) -> dict[str, Any]:
    result = plait(*arguments, "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def names(rows: list[dict[str, Any]]) -> list[str]:
    return [row["symbol"] for row in rows]
