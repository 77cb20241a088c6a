"""Measure semble 0.7 inside one process, as `speed_plait.py` does plait. Runs in semble's own environment.

    python benchmarks/speed_semble.py check|refresh|warm FOLDER QUESTIONS.json

Model and cache come by SEMBLE_MODEL_NAME and SEMBLE_CACHE_LOCATION. Its `lexical` and `structural` are the same search
with all weight on words and on vectors. `check` is the function by which semble decides whether its cache still holds.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from semble.cache import get_validated_cache, save_index_to_cache
from semble.index import SembleIndex
from semble.types import ContentType
from speed_clock import medians, timed
from speed_edit import edited
from speed_figures import quantiles

CONTENT = (ContentType.CODE,)
ALPHA = {"additive": None, "lexical": 0.0, "structural": 1.0}
CHECKS, REFRESHES, FOUND = 7, 3, 10


def valid(folder: Path) -> None:
    if get_validated_cache(str(folder), None, CONTENT) is None:
        raise SystemExit("the index was not fresh")


def check(folder: Path) -> dict[str, object]:
    index = SembleIndex.from_path(folder)
    stats = index.stats
    return {
        "check": medians([timed(partial(valid, folder)) for _ in range(CHECKS)]),
        "files": stats.indexed_files,
        "functions": stats.total_chunks,
    }


def find(folder: Path, name: str) -> None:
    index = SembleIndex.from_path(folder)
    save_index_to_cache(index, str(folder))
    index.search(name.replace("_", " "), top_k=FOUND)
    if not any(name in chunk.content for chunk in index.chunks):
        raise SystemExit(f"{name} was added and is not in the index")


def refresh(folder: Path) -> dict[str, object]:
    SembleIndex.from_path(folder).search("warm up")
    took = []
    for number in range(REFRESHES):
        with edited(folder, number) as name:
            took.append(timed(partial(find, folder, name)))
    return {"refresh": medians(took)}


def warm(folder: Path, questions: Sequence[str]) -> dict[str, object]:
    index = SembleIndex.from_path(folder)
    took = {}
    for strategy, alpha in ALPHA.items():
        index.search("warm up", alpha=alpha)
        walls = [timed(partial(index.search, one, top_k=FOUND, alpha=alpha))["wall"] for one in questions]
        took[f"warm {strategy}"] = quantiles(walls)
    return took


if __name__ == "__main__":
    what, where, asked = sys.argv[1], Path(sys.argv[2]), json.loads(Path(sys.argv[3]).read_text())
    result = check(where) if what == "check" else refresh(where) if what == "refresh" else warm(where, asked)
    print(json.dumps(result))
