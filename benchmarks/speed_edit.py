"""The edit that the speed benchmark makes: one function at the end of a file in the middle of the corpus."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

NAMES = ("quorum_zeppelin", "marzipan_oracle", "gossamer_turbine", "lapis_nocturne")
"""Not words of any corpus, so that a search finds nothing else first."""

FUNCTIONS = {
    ".py": '\n\ndef {name}(items):\n    """Return the {words}."""\n    return len(items)\n',
    ".js": "\n\n/** Return the {words}. */\nfunction {name}(items) {{\n  return items.length;\n}}\n",
    ".go": "\n\n// {name} returns the {words}.\nfunc {name}(items []string) int {{\n\treturn len(items)\n}}\n",
}
MOST_BYTES = 100_000
"""A file of ordinary size is edited."""


@contextmanager
def edited(folder: Path, number: int) -> Iterator[str]:
    """Add a function and yield its name; the file is cut to its old size behind it."""
    path = victim(folder)
    name = NAMES[number % len(NAMES)]
    size = path.stat().st_size
    try:
        with path.open("a", encoding="utf-8") as file:
            file.write(FUNCTIONS[path.suffix].format(name=name, words=name.replace("_", " ")))
        yield name
    finally:
        with path.open("r+b") as file:
            file.truncate(size)


def victim(folder: Path) -> Path:
    """The file in the middle, by path, of those in the corpus's most frequent language."""
    of = {suffix: sorted(folder.rglob(f"*{suffix}")) for suffix in FUNCTIONS}
    found = max(of.values(), key=len)
    found = [path for path in found if path.is_file() and 500 < path.stat().st_size < MOST_BYTES]
    return found[len(found) // 2]
