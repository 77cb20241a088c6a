"""CPU seconds for each MB of hostile text, for every grammar: parsing, walking and linking.

    python benchmarks/hostile_languages.py > benchmarks/results/hostile-languages.txt

Each text is measured in a process of its own, which is killed after LIMIT seconds. A text of less than 0.1 MB counts as
such a one, so that what a process does once does not decide.
"""

from __future__ import annotations

import multiprocessing
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "integration"))

from hostile_languages import SPEECHES, Speech, chain, nested, within

from plait import plugins
from plait.facts import ParsedFile
from plait.graph.generic.build import GenericGraph
from plait.model import SourceFile

LIMIT = 60

TEXTS: dict[str, Callable[[Speech], str]] = {
    "brackets": lambda speech: nested(speech, 100_000),
    "open": lambda speech: within(speech, speech.nest[0] + speech.nest[1] * 100_000),
    "braces": lambda speech: speech.sample + "{" * 100_000,
    "calls": lambda speech: chain(speech, 100_000),
    "line": lambda speech: within(speech, speech.nest[0] + "1 + " * 250_000 + "1"),
    "comments": lambda speech: speech.sample + f"{speech.comment} x\n" * 200_000,
    "functions": lambda speech: speech.sample * (1_000_000 // len(speech.sample)),
    "cut": lambda speech: (speech.sample * 10_000)[:300_001],
}
"""Of 100,000 steps each, or about one MB."""


def measure(language: str, name: str, answer: Any) -> None:
    speech = SPEECHES[language]
    parser = plugins.build("parser", language)
    parser.parse(SourceFile(f"b{speech.suffix}", language, speech.sample, ""))
    text = TEXTS[name](speech)
    begin = time.process_time()
    found = parser.parse(SourceFile(f"a{speech.suffix}", language, text, ""))
    if isinstance(found, ParsedFile):
        GenericGraph().build([found])
    answer.put((time.process_time() - begin) / max(len(text.encode()) / 1e6, 0.1))


def main() -> None:
    context = multiprocessing.get_context("spawn")
    print(f"{'s/MB':11}" + "".join(f"{name:>11}" for name in TEXTS))
    for language in sys.argv[1:] or SPEECHES:
        row = f"{language:11}"
        for name in TEXTS:
            answer = context.Queue()
            process = context.Process(target=measure, args=(language, name, answer))
            process.start()
            try:
                row += f"{answer.get(timeout=LIMIT):11.2f}"
            except Exception:
                row += f"{'none':>11}"
            if process.is_alive():
                process.terminate()
            process.join()
        print(row, flush=True)


if __name__ == "__main__":
    main()
