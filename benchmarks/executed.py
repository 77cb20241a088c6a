"""Score plait's call graphs against the calls that packages' own tests execute.

    python benchmarks/executed.py FOLDER [NAME ...]

FOLDER is what `suites.py` has written; what the columns mean is said in `scoring.py`. If there is an index of
FOLDER/NAME/source as FOLDER/NAME/index.scip, the graphs are also measured with it. The last table is for the confidence
of edges (`plait/graph/confidence.py`): of the edges judged, as for the column `direct`, those executed. It sums up the
packages that the resolver was made with; jinja and attrs are left out, so that they stay a test.
"""

from __future__ import annotations

import sys
from collections import Counter
from datetime import date
from pathlib import Path

import plait_edges
from plait_edges import Found
from scoring import TITLE, Edge, Executed
from suites import SUITES

from plait import plugins
from plait.model import Evidence

KNOWN = ("requests", "flask+werkzeug", "rich")
Row = tuple[str, str, str, int]
"""graph, via, evidence, candidates"""


def score(name: str, folder: Path) -> Counter[tuple[Row, bool]]:
    """Print a package's table; return how many judged edges of each kind were executed and how many not."""
    package = Executed(folder / name)
    tags = ", ".join(f"{repository} {tag}" for repository, tag in SUITES[name].checkouts)
    print(f"\n{name} ({tags}): {package}\n{'':<27}{'edges':>7}{TITLE}")
    sources = plait_edges.read(package.root)
    files = plait_edges.parse(sources)
    graphs: dict[str, tuple[str, object]] = {graph: (graph, None) for graph in plugins.names("graph")}
    index = folder / name / "index.scip"
    if index.exists():
        from plait.scip.join import join
        from plait.scip.schema import decode

        known, _ = join(
            [(str(index), decode(index.read_bytes()))], {file.path: file for file in sources}, files, package.root
        )
        graphs |= {f"{graph} + SCIP": (graph, known) for graph in ("scoped", "flow")}
    counts: Counter[tuple[Row, bool]] = Counter()
    before: set[Edge] = set()
    for graph, (builder, known) in graphs.items():
        edges: list[tuple[Edge, Found]] = []
        for one in plait_edges.calls(files, builder, known):
            caller, callee = (package.name.get((s.path, s.span.start_line)) for s in (one.caller, one.callee))
            if caller and callee:
                edges.append(((caller, callee), one))
        named = {id(one): edge for edge, one in edges}
        found = [one for _, one in edges]
        for title, chosen in (plait_edges.cuts(found) if graph == "flow" else {"all": found}).items():
            pairs = {named[id(one)] for one in chosen}
            row = graph + ("" if title == "all" else f", {title}")
            print(f"  {row:<25}{len(pairs):>7}{package.score(pairs)}", flush=True)
        for edge, one in edges:
            told = graph == builder or one.edge.evidence is Evidence.EXACT
            if told and edge[0] in package.whole and edge not in package.indirect:
                part = "flow beyond scoped" if graph == "flow" and edge not in before else graph
                kind = (part, str(one.edge.via), one.edge.evidence.name.lower(), min(one.edge.candidates, 4))
                counts[kind, edge in package.calls] += 1
        before = set(named.values())
        vias = Counter((str(one.edge.via), edge in package.calls) for edge, one in edges if edge[0] in package.whole)
        ways = sorted({via for via, _ in vias})
        by_via = ", ".join(f"{via} {vias[via, True]}/{vias[via, True] + vias[via, False]}" for via in ways)
        print(f"    by kind: {by_via}")
    return counts


def main(folder: Path, chosen: list[str]) -> None:
    print(f"Calls executed by the packages' own tests, {date.today()}; see benchmarks/README.md")
    pooled: Counter[tuple[Row, bool]] = Counter()
    for suite in chosen or SUITES:
        if (folder / suite / "calls.json").exists():
            counts = score(suite, folder)
            if suite in KNOWN:
                pooled += counts
        else:
            print(f"\n{suite}: no {suite}/calls.json, run suites.py")
    print(f"\n{', '.join(KNOWN)} together\n{'':<34}{'evidence':<11}{'targets':>8}{'executed':>12}{'share':>7}")
    for row in sorted({row for row, _ in pooled}):
        graph, via, evidence, candidates = row
        right, judged = pooled[row, True], pooled[row, True] + pooled[row, False]
        targets = "4 or more" if candidates == 4 else str(candidates)
        print(f"  {graph:<20}{via:<12}{evidence:<10}{targets:>9}{f'{right}/{judged}':>12}{right / judged:>7.2f}")


if __name__ == "__main__":
    where, *names = sys.argv[1:]
    main(Path(where), names)
