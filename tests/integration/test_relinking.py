"""After an edit only those files are linked anew that it can reach, in whatever language."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import pytest
from asking import written

from plait import Engine
from plait.dump import dump


class Speech(NamedTuple):
    store: tuple[str, str]
    """path and text of what defines `save_row`"""
    web: tuple[str, str]
    """of what calls it"""
    other: tuple[str, str]
    """of a file that does neither; `{}` is a number"""


SPEECHES = {
    "python": Speech(
        ("store.py", "def save_row(row):\n    return row\n"),
        ("web.py", "from store import save_row\n\n\ndef handle(row):\n    return save_row(row)\n"),
        ("other{}.py", "def other{}():\n    return 1\n"),
    ),
    "c": Speech(
        ("store.c", "int save_row(int row) {\n    return row;\n}\n"),
        ("web.c", "int handle(int row) {\n    return save_row(row);\n}\n"),
        ("other{}.c", "int other{}() {{\n    return 1;\n}}\n"),
    ),
    "go": Speech(
        ("store.go", "package shop\n\nfunc save_row(row int) int {\n\treturn row\n}\n"),
        ("web.go", "package shop\n\nfunc handle(row int) int {\n\treturn save_row(row)\n}\n"),
        ("other{}.go", "package shop\n\nfunc other{}() int {{\n\treturn 1\n}}\n"),
    ),
    "java": Speech(
        ("Store.java", "class Store {\n    int save_row(int row) {\n        return row;\n    }\n}\n"),
        (
            "Web.java",
            "class Web {\n    int handle(Store store) {\n        return store.save_row(1);\n    }\n}\n",
        ),
        ("Other{}.java", "class Other{} {{\n    int other{}() {{\n        return 1;\n    }}\n}}\n"),
    ),
    "javascript": Speech(
        ("store.js", "export function save_row(row) {\n  return row\n}\n"),
        ("web.js", "import { save_row } from './store'\n\nexport function handle(row) {\n  return save_row(row)\n}\n"),
        ("other{}.js", "export function other{}() {{\n  return 1\n}}\n"),
    ),
    "php": Speech(
        ("store.php", "<?php\nfunction save_row($row) {\n    return $row;\n}\n"),
        ("web.php", "<?php\nfunction handle($row) {\n    return save_row($row);\n}\n"),
        ("other{}.php", "<?php\nfunction other{}() {{\n    return 1;\n}}\n"),
    ),
    "ruby": Speech(
        ("store.rb", "def save_row(row)\n  row\nend\n"),
        ("web.rb", "require_relative 'store'\n\ndef handle(row)\n  save_row(row)\nend\n"),
        ("other{}.rb", "def other{}\n  1\nend\n"),
    ),
    "rust": Speech(
        ("src/store.rs", "pub fn save_row(row: i32) -> i32 {\n    row\n}\n"),
        (
            "src/web.rs",
            "use crate::store::save_row;\n\npub fn handle(row: i32) -> i32 {\n    save_row(row)\n}\n",
        ),
        ("src/other{}.rs", "pub fn other{}() -> i32 {{\n    1\n}}\n"),
    ),
    "typescript": Speech(
        ("store.ts", "export function save_row(row: number) {\n  return row\n}\n"),
        ("web.ts", "import { save_row } from './store'\n\nexport function handle(row: number) { save_row(row) }\n"),
        ("other{}.ts", "export function other{}() {{\n  return 1\n}}\n"),
    ),
}

OTHERS = 20


@pytest.mark.parametrize("speech", SPEECHES.values(), ids=SPEECHES)
def test_an_edit_links_only_what_it_reaches(tmp_path: Path, speech: Speech) -> None:
    path, text = speech.other
    others = {path.format(number): text.format(*[number] * text.count("{}")) for number in range(OTHERS)}
    written(tmp_path / "code", {**others, **dict([speech.store, speech.web])})
    engine = Engine.open(tmp_path / "code", embedder="hashing", graph="scoped", cache=str(tmp_path / "cache"))
    engine.snapshot()
    calls = [one.symbol.name for one in engine.callers("save_row").reached]
    assert calls == ["handle"]
    place, before = speech.store
    for new, relinked in (
        (re.sub(r"^(\s+)((return )?\$?row)\b", r"\1log_it(row);\n\1\2", before, flags=re.MULTILINE), 1),
        (before.replace("save_row", "keep_row"), 2),
        (before, 2),
    ):
        written(engine.root, {place: new})
        found = list(dump(engine.snapshot()))
        assert engine.refreshed is not None
        assert (engine.refreshed.parsed, engine.refreshed.relinked) == (1, relinked)
        clean = Engine.open(engine.root, embedder="hashing", graph="scoped", cache=str(tmp_path / f"clean{len(new)}"))
        clean.index(force=True)
        assert found == list(dump(clean.snapshot()))
