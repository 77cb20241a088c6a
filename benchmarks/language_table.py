"""One line a language: what becomes of real repositories. `python benchmarks/language_table.py LANGUAGE=FOLDER...`.

`resolved` is the share of call sites with an edge, of those whose target can be in the repository (neither external nor
of the language itself).
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from pathlib import Path

from plait import plugins, source
from plait.collector import paused
from plait.facts import ParsedFile
from plait.graph.generic.build import GenericGraph
from plait.model import EdgeKind, Evidence, ReferenceKind, Skipped


def main() -> None:
    print(
        f"{'language':11} {'repository':16} files skipped  in part  symbols   MB/s  calls  edges "
        " typed scoped  name  ambig  resolved"
    )
    for given in sys.argv[1:]:
        language, _, folder = given.partition("=")
        root = Path(folder)
        read = [source.read(root, state, limit=1_000_000) for state in source.discover(root).files]
        files = [file for file in read if not isinstance(file, Skipped) and file.language == language]
        parser = plugins.build("parser", language)
        for file in files[:3]:
            parser.parse(file)
        started = time.process_time()
        with paused():
            made = [parser.parse(file) for file in files]
        seconds = time.process_time() - started
        parsed = [one for one in made if isinstance(one, ParsedFile)]
        graph = GenericGraph().build(parsed)
        calls = [one for file in parsed for one in file.references if one.kind is ReferenceKind.CALL]
        here = sum(one.reason.could_be_here and one.reference.kind is ReferenceKind.CALL for one in graph.unresolved)
        outside = sum(not one.reason.could_be_here for one in graph.unresolved)
        edges = [edge for edge in graph.edges if edge.kind is EdgeKind.CALLS]
        by = Counter(edge.evidence for edge in edges)
        inside = len(calls) - outside
        print(
            f"{language:11} {root.name:16} {len(files):5} {len(files) - len(parsed):7}"
            f" {sum(one.recovered is not None for one in parsed):8} {sum(len(one.symbols) for one in parsed):8}"
            f" {sum(len(file.text) for file in files) / 1e6 / seconds:6.2f} {len(calls):6} {len(edges):6}"
            f" {by[Evidence.TYPED]:6} {by[Evidence.SCOPED]:6} {by[Evidence.NAME]:5} {by[Evidence.AMBIGUOUS]:6}"
            f" {1 - here / max(inside, 1):9.2f}"
        )


if __name__ == "__main__":
    main()
