"""How fast do embedders load and embed, and how much room does the one that ships take?

    python benchmarks/embedding.py CORPUS [--embedder DESCRIPTION ...] [--wheel FILE]

CORPUS is a folder of code. One core, median of ROUNDS: each load in a process of its own in which numpy is there
already; the functions in a fresh process too, so that nothing is kept from the round before.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import zipfile
from pathlib import Path

ROUNDS = 5
MOST = 5_000
"""Functions that are embedded: the first by id."""

LOAD = """
import sys, time
import numpy
from plait import plugins
started = time.perf_counter()
embedder = plugins.build("embedder", sys.argv[1])
embedder.encode(["open a connection"], role=sys.argv[2])
print((time.perf_counter() - started) * 1000)
"""

RATE = """
import json, sys, time
import numpy
from plait import plugins
texts = json.load(sys.stdin)
embedder = plugins.build("embedder", sys.argv[1])
embedder.encode(["open a connection"], role="document")
started = time.perf_counter()
for start in range(0, len(texts), 512):
    embedder.encode(texts[start : start + 512], role="document")
print(len(texts) / (time.perf_counter() - started))
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--embedder", action="append")
    parser.add_argument("--wheel", type=Path, help="a wheel of plait, to say what of it is the model")
    given = parser.parse_args()
    texts = functions(given.corpus)
    size = sum(map(len, texts)) / len(texts)
    print(f"{len(texts):,} functions of {given.corpus.name}, {size:.0f} characters each; load {os.getloadavg()[0]:.1f}")
    print(f"{'':40}{'question, ms':>14}{'document, ms':>14}{'functions/s':>14}")
    for embedder in given.embedder or ("code", "static", "hashing"):
        asked, made = (median(LOAD, embedder, role) for role in ("query", "document"))
        rate = median(RATE, embedder, given=texts)
        print(f"{embedder.replace(str(Path.home()), '~'):40}{asked:14.0f}{made:14.0f}{rate:14,.0f}", flush=True)
    if given.wheel:
        with zipfile.ZipFile(given.wheel) as wheel:
            model = sum(one.compress_size for one in wheel.infolist() if "embed/model/" in one.filename)
        print(f"wheel {given.wheel.stat().st_size / 1e6:.1f} MB, of it the model {model / 1e6:.1f} MB")


def functions(corpus: Path) -> list[str]:
    from plait import Engine
    from plait.model import SymbolKind

    snapshot = Engine.open(corpus, embedder="hashing").snapshot()
    wanted = [one.id for one in snapshot.symbols() if one.kind in (SymbolKind.FUNCTION, SymbolKind.METHOD)][:MOST]
    return list(snapshot.texts(wanted).values())


def median(script: str, *arguments: str, given: list[str] | None = None) -> float:
    one_core = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "RAYON_NUM_THREADS"), "1")
    environment = os.environ | one_core | {"TOKENIZERS_PARALLELISM": "false"}
    text = json.dumps(given or [])
    command = [sys.executable, "-c", script, *arguments]
    took = [
        float(subprocess.run(command, input=text, capture_output=True, text=True, check=True, env=environment).stdout)
        for _ in range(ROUNDS)
    ]
    return statistics.median(took)


if __name__ == "__main__":
    main()
