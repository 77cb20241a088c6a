"""Score the call graph builders on labelled cases.

    python benchmarks/callgraph.py FOLDER [FOLDER ...]

A folder holds one of three sets, each as its authors publish it:

- cases: folders with `callgraph.json` (caller -> callees, dotted names) beside the Python files: PyCG, SWARM-CG;
- `ground_truth/micro_benchmark` of JARVIS: the Python files are in `dataset/micro_benchmark` beside it;
- `ground_truth/macro_benchmark` of JARVIS: `EA.json` for each project, whose files are in `dataset/macro_benchmark/pj`.
  Of a project are read the top-level modules that the labels name.

Compared are edges whose target is a function that the case defines; builtins and external names are left out on both
sides. plait gives the calls inside a lambda to the definition around it, so in the tables "without lambdas" the callers
`<lambdaN>` of the labels are that definition, and edges to a lambda are left out. Labels leave out most properties,
dunders and overriding methods; `core kinds` are plait's edges via call, construct and property.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from plait import plugins
from plait.facts import ParsedFile
from plait.model import SymbolKind
from plait.testing import parsed

Edges = set[tuple[str, str]]
FUNCTIONS = (SymbolKind.FUNCTION, SymbolKind.METHOD)


@dataclass(frozen=True)
class Case:
    name: str
    root: Path
    """the source root"""
    sources: dict[str, str]
    truth: Edges

    def labelled(self, names: set[str], *, lambdas: bool) -> Edges:
        edges = self.truth
        if not lambdas:
            edges = {(caller.partition(".<lambda")[0], callee) for caller, callee in edges if "<lambda" not in callee}
        return {edge for edge in edges if all(name in names or "<lambda" in name for name in edge)}


def _read(root: Path, paths: list[Path]) -> dict[str, str]:
    return {path.relative_to(root).as_posix(): path.read_text("utf-8") for path in sorted(paths)}


def _micro(labels: Path) -> Path:
    """The folder with the Python files of a case."""
    if any(labels.parent.rglob("*.py")):
        return labels.parent
    beside = Path(str(labels.parent).replace("ground_truth", "dataset"))
    spaced = beside.parent.parent / beside.parent.name.replace("new_direct_calls", "new_direct calls") / beside.name
    return beside if beside.exists() else spaced


def cases(folder: Path) -> Iterator[Case]:
    for labels in sorted([*folder.rglob("callgraph.json"), *folder.rglob("EA.json")]):
        truth = json.loads(labels.read_text("utf-8"))
        edges = {(caller, callee) for caller, callees in truth.items() for callee in callees}
        if labels.name == "EA.json":
            project = labels.parents[3] / "dataset" / "macro_benchmark" / "pj" / labels.parent.name
            root = project / "src" if (project / "src").exists() else project
            tops = {re.split(r"[.<]", caller)[0] for caller in truth} - {""}
            files = [p for p in root.rglob("*.py") if p.relative_to(root).with_suffix("").parts[0] in tops]
        else:
            root = _micro(labels)
            files = list(root.rglob("*.py"))
        yield Case(labels.parent.relative_to(folder).as_posix(), root, _read(root, files), edges)


def names_of(files: list[ParsedFile]) -> set[str]:
    """Who can call: all definitions but classes, whose bodies the labels tell apart from their modules differently."""
    return {s.qualified_name for file in files for s in file.symbols if s.kind is not SymbolKind.CLASS}


TITLE = f"{'exact':>7}{'complete':>10}{'sound':>7}{'precision':>11}{'recall':>8}{'found':>7}/labelled"


def summary(scored: list[tuple[Edges, Edges]]) -> str:
    """Sum up (found, labelled) edges of all cases; complete: none too many, sound: none missing."""
    count: Counter[str] = Counter()
    for mine, truth in scored:
        count["right"] += len(mine & truth)
        count["found"] += len(mine)
        count["truth"] += len(truth)
        count["complete"] += mine <= truth
        count["sound"] += truth <= mine
        count["exact"] += mine == truth
    precision, recall = count["right"] / max(count["found"], 1), count["right"] / max(count["truth"], 1)
    return (
        f"{count['exact']:>7}{count['complete']:>10}{count['sound']:>7}{precision:>11.3f}{recall:>8.3f}"
        f"{count['right']:>7}/{count['truth']:<8}"
    )


def main(folder: Path) -> None:
    import plait_edges

    read = [(case, parsed(case.sources)[0]) for case in cases(folder)]
    if not read:
        sys.exit(f"{folder}: no callgraph.json or EA.json below it")
    built = {
        graph: [(case, names_of(files), list(plait_edges.calls(files, graph))) for case, files in read]
        for graph in plugins.names("graph")
    }
    print("/".join(folder.resolve().parts[-2:]))
    macro = (folder / read[0][0].name / "EA.json").exists()
    for title, lambdas in ((f"{len(read)} cases", True), ("without lambdas", False)):
        print(f"{title:<24}{TITLE}")
        for graph, results in built.items():
            cuts = plait_edges.cuts([]) if graph == "flow" else {"all": []}
            for cut in cuts:
                scored = []
                for case, names, found in results:
                    chosen = plait_edges.cuts(found)[cut]
                    mine = {(f.caller.qualified_name, f.callee.qualified_name) for f in chosen}
                    functions = {f.callee.qualified_name for f in chosen if f.callee.kind in FUNCTIONS}
                    mine = {(a, b) for a, b in mine if a in names and b in functions}
                    scored.append((mine, case.labelled(names, lambdas=lambdas)))
                print(f"  {graph + ('' if cut == 'all' else f', {cut}'):<22}{summary(scored)}".rstrip())
                if macro and cut == "all" and graph == "flow":
                    for (case, *_), one in zip(results, scored, strict=True):
                        print(f"    {case.name:<20}{summary([one])}".rstrip())


if __name__ == "__main__":
    print(f"Call graphs on labelled cases, {date.today()}; see benchmarks/README.md")
    for given in sys.argv[1:]:
        print()
        main(Path(given))
