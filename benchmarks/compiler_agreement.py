"""plait's own edges beside what a compiler says about the same sites.

    python benchmarks/compiler_agreement.py FOLDER INDEX.scip
    javac -d OUT benchmarks/javac/Calls.java && java -cp OUT Calls FOLDER CALLS.tsv
    python benchmarks/compiler_agreement.py FOLDER CALLS.tsv

Judged are the call sites at which the index names a function or a class, in the folder or outside. An edge is right if
it leads to a definition that the index names there; edges to what overrides that are left out, as the index names what
is declared; the constructor that a class inherits is right where the index names the class. A site is found if some
edge of it is right.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

from plait import plugins, source
from plait.facts import ParsedFile
from plait.graph.generic.build import Linker
from plait.graph.generic.dialects import DIALECTS
from plait.model import Known, Position, ReferenceKind, Skipped, Symbol, SymbolKind, Unknown, Via
from plait.scip import files as scip_files
from plait.scip.join import join


def judge(parsed: list[ParsedFile], known: dict[Position, Known], *, flow: bool) -> None:
    linker = Linker(parsed, flow=flow)
    count: Counter[str] = Counter()
    by: dict[str, Counter[bool]] = {}
    for file in parsed:
        for site in file.references:
            said = known.get((file.path, site.line, site.column))
            if said is None or site.kind is not ReferenceKind.CALL:
                continue
            found = [one for one in linker.site(site).targets if one.via not in (Via.OVERRIDE, Via.CALLBACK)]
            wanted = {linker.files.symbols[one].parent if _constructs(linker, one) else one for one in said.targets}
            above = {
                base
                for one in wanted
                if one is not None and linker.files.symbols[one].kind is SymbolKind.CLASS
                for base in linker.sites.inference.members.order(one)
            }
            right = [
                one.id in wanted or (_constructs(linker, one.id) and linker.files.symbols[one.id].parent in above)
                for one in found
            ]
            count["here" if wanted else "outside"] += 1
            count["found"] += any(right)
            for one, fits in zip(found, right, strict=True):
                by.setdefault(one.evidence.name.lower(), Counter())[fits] += 1
    right_, all_ = sum(one[True] for one in by.values()), sum(one.total() for one in by.values())
    print(
        f"{'flow' if flow else 'declared'}: sites {count['here']} here, {count['outside']} outside;"
        f" found {count['found']} ({count['found'] / max(count['here'], 1):.3f});"
        f" edges {all_}, right {right_} ({right_ / max(all_, 1):.3f}): "
        + ", ".join(f"{name} {one[True]}/{one.total()}" for name, one in sorted(by.items()))
    )


def listed(text: str, parsed: list[ParsedFile]) -> dict[Position, Known]:
    """What a list of calls says: path, line and column of a site; path, line and name of what it calls, `-` outside."""
    symbols: dict[tuple[str, str], list[Symbol]] = {}
    for file in parsed:
        for symbol in file.symbols[1:]:
            symbols.setdefault((file.path, symbol.name), []).append(symbol)
    found: dict[Position, Known] = {}
    for row in text.splitlines():
        path, line, column, where, begin, name = row.split("\t")
        site = (path, int(line), int(column))
        if where == "-":
            found[site] = Known(outside=(Unknown.EXTERNAL, name))
            continue
        is_class, name = name.startswith("class "), name.removeprefix("class ")
        there = [
            one
            for one in symbols.get((where, name), ())
            if one.span.start_line <= int(begin) <= one.span.end_line and (one.kind is SymbolKind.CLASS) == is_class
        ]
        if there:
            found[site] = Known((max(there, key=lambda one: one.span.start_line).id,))
    return found


def _constructs(linker: Linker, symbol: object) -> bool:
    return linker.files.symbols[symbol].name == "constructor"  # type: ignore[index]


def main() -> None:
    root = Path(sys.argv[1])
    read = [source.read(root, state, limit=1_000_000) for state in source.discover(root).files]
    files = {one.path: one for one in read if not isinstance(one, Skipped) and one.language in DIALECTS}
    made = [plugins.build("parser", one.language).parse(one) for one in files.values()]
    parsed = [one for one in made if isinstance(one, ParsedFile)]
    if sys.argv[2].endswith(".tsv"):
        known = listed(Path(sys.argv[2]).read_text(), parsed)
    else:
        index = scip_files.read(Path(sys.argv[2]))
        known, tallies = join([(sys.argv[2], index.index)], files, parsed, root)
        for tally in tallies:
            print(f"{tally.tool}:", ", ".join(f"{outcome} {number}" for outcome, number in tally.counts.items()))
    for flow in (False, True):
        judge(parsed, known, flow=flow)


if __name__ == "__main__":
    main()
