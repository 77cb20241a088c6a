"""The generic call graph against labelled cases: CATS (Java) and SWARM-JS, as SWARM-CG has them.

    python benchmarks/labelled_calls.py PATH/TO/SWARM-CG/benchmarks

Each case is a folder with source files and a `callgraph.json`, caller -> callees. An edge counts only between functions
that the folder defines. A function without a name belongs to the one around it: its calls count as that one's, and a
call of it can only be missed. For Java, parameter types are left out of names, so overloads are one.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from plait import plugins
from plait.facts import ParsedFile
from plait.graph.generic.build import GenericGraph
from plait.graph.generic.files import descriptors
from plait.model import EdgeKind, SourceFile, Symbol, SymbolKind, Via

Pair = tuple[str, str]
_ANONYMOUS = re.compile(r"\.<[^>]*>")


@dataclass
class Tally:
    right: int = 0
    wrong: int = 0
    missed: int = 0
    exact: int = 0
    cases: int = 0
    lines: list[str] = field(default_factory=list)

    @property
    def precision(self) -> float:
        return self.right / max(self.right + self.wrong, 1)

    @property
    def recall(self) -> float:
        return self.right / max(self.right + self.missed, 1)


def parsed(folder: Path, language: str, suffix: str) -> list[ParsedFile]:
    parser = plugins.build("parser", language)
    files = sorted(folder.rglob(f"*{suffix}"))
    made = [
        parser.parse(SourceFile(str(path.relative_to(folder)), language, path.read_text(errors="replace"), ""))
        for path in files
    ]
    return [one for one in made if isinstance(one, ParsedFile)]


def java_name(symbol: Symbol, package: str) -> str:
    """`package.Outer$Inner:method`; anonymous classes are `$1`, in order, and are named by the caller of this."""
    names, _ = descriptors(symbol.id)
    classes, method = names[:-1], names[-1]
    if classes and classes[-1] == method:
        method = "<init>"
    return f"{package}.{'$'.join(classes)}:{method}"


def java_truth(case: dict[str, list[str]]) -> set[Pair]:
    def plain(name: str) -> str:
        return name.partition("(")[0]

    return {(plain(source), plain(target)) for source, targets in case.items() for target in targets}


def script_name(symbol: Symbol, package: str) -> str:
    """Arrow functions are `<arrow1>`, ..., in the order in which they stand in what is around them.

    The labels write `Cls[Symbol.iterator]` as well as `Cls.[Symbol.iterator]`, which are taken to be the same.
    """
    names, _ = descriptors(symbol.id)
    if package.isdigit():
        names[-1] = f"<arrow{package}>"
    module = re.sub(r"(/index)?\.[mc]?js$", "", symbol.path).replace("/", ".")
    return ".".join([module, *names]).replace(".[", "[")


def script_truth(case: dict[str, list[str]]) -> set[Pair]:
    pairs = ((source, target) for source, targets in case.items() for target in targets)
    return {(_ANONYMOUS.sub("", source), target.replace(".[", "[")) for source, target in pairs}


def found(files: list[ParsedFile], name: Callable[[Symbol, str], str]) -> Iterator[Pair]:
    symbols = {symbol.id: symbol for file in files for symbol in file.symbols}
    package = {symbol.id: file.module for file in files for symbol in file.symbols}
    arrows: Counter[str] = Counter()
    for symbol in (symbol for symbol in symbols.values() if symbol.signature.endswith("=>")):
        arrows[str(symbol.parent)] += 1
        package[symbol.id] = str(arrows[str(symbol.parent)])
    for edge in GenericGraph(flow=True).build(files).edges:
        target = symbols[edge.target]
        if edge.kind is EdgeKind.CALLS and edge.via is not Via.DECLARATION and target.kind is not SymbolKind.CLASS:
            source = name(symbols[edge.source], package[edge.source])
            yield source if name is java_name else _ANONYMOUS.sub("", source), name(target, package[edge.target])


def judge(root: Path, language: str, suffix: str) -> dict[str, Tally]:
    name, truth = (java_name, java_truth) if language == "java" else (script_name, script_truth)
    tallies: dict[str, Tally] = {}
    for path in sorted(root.rglob("callgraph.json")):
        folder = path.parent
        try:
            wanted = truth(json.loads(path.read_text()))
        except (ValueError, AttributeError):
            continue
        files = parsed(folder, language, suffix)
        got = set(found(files, name))
        if language == "java":
            # A static initialiser and a default constructor are no symbols: calls between them cannot be found.
            got = {pair for pair in got if not pair[0].endswith(":")}
        tally = tallies.setdefault(folder.relative_to(root).parts[0], Tally())
        tally.cases += 1
        tally.right += len(got & wanted)
        tally.wrong += len(got - wanted)
        tally.missed += len(wanted - got)
        tally.exact += got == wanted
        for mark, pairs in (("wrong", got - wanted), ("missed", wanted - got)):
            tally.lines += [f"{folder.relative_to(root)}: {mark} {a} -> {b}" for a, b in sorted(pairs)]
    return tallies


def main() -> None:
    root = Path(sys.argv[1])
    for title, folder, language, suffix in (
        ("CATS (Java)", root / "java" / "cats", "java", ".java"),
        ("SWARM-JS (JavaScript)", root / "javascript" / "swarm_js", "javascript", ".js"),
    ):
        tallies = judge(folder, language, suffix)
        print(f"{title}\n\n{'category':28} cases  exact  precision  recall  right  wrong  missed")
        whole = Tally()
        for category, one in [*sorted(tallies.items()), ("all", whole)]:
            print(
                f"{category:28} {one.cases:5}  {one.exact:5}  {one.precision:9.3f}  {one.recall:6.3f}"
                f"  {one.right:5}  {one.wrong:5}  {one.missed:6}"
            )
            for part in ("right", "wrong", "missed", "exact", "cases"):
                setattr(whole, part, getattr(whole, part) + getattr(one, part))
            if "--list" in sys.argv:
                print("\n".join(f"    {line}" for line in one.lines))
        print()


if __name__ == "__main__":
    main()
