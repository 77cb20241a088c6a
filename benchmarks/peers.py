"""Compare plait's call graphs with those of other tools: one run, one table for each set.

    python benchmarks/peers.py --tools PYTHON [--suites FOLDER] [--cases FOLDER ...] [--only TOOL ...]

PYTHON is the interpreter of a virtual environment with the tools (benchmarks/README.md). `--suites` is what `suites.py`
has written, `--cases` are labelled sets as `callgraph.py` reads them, scored without lambdas. A tool has 10 minutes of
processor time for a package; what crashes or does not finish is shown as that. Processor seconds (user and system) and
peak memory are those of the whole process, start of the interpreter and imports included. Linux only.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from peer_tools import CPU_SECONDS, TOOLS, Edge

SINGLE = ("pycg", "jarviscg", "jarviscg flow", "pyrefly SCIP", "  and properties")
"""What needs a process for each case, because it keeps state or is a program of its own."""


@dataclass(frozen=True)
class Run:
    edges: dict[str, set[Edge]]
    """found below each root"""
    failed: dict[str, str]
    seconds: float
    megabytes: float


def run(tool: str, python: str, roots: list[Path]) -> Run:
    """Run a tool in a process of its own. plait runs by this interpreter."""
    here = Path(__file__).resolve().parent
    command = [sys.executable if tool.startswith("plait") else python, str(here / "peer_tools.py"), tool]
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "found.json"
        child = subprocess.Popen(
            [*command, str(output), *map(str, roots)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONHASHSEED": "0"},  # by the seed, pycg takes a minute for rich or more than ten
        )
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        seconds = used.ru_utime + used.ru_stime
        if not output.exists():
            late = seconds > CPU_SECONDS - 5
            reason = f"over {CPU_SECONDS} s" if late else f"ended with exit code {child.returncode}"
            return Run({}, dict.fromkeys(map(str, roots), reason), seconds, 0)
        written = json.loads(output.read_text("utf-8"))
    edges = {
        root: {((a, b), (c, d)) for (a, b), (c, d) in found}
        for root, found in written["edges"].items()
        if not isinstance(found, str)
    }
    failed = {root: found for root, found in written["edges"].items() if isinstance(found, str)}
    return Run(edges, failed, seconds, written["kilobytes"] / 1024)


def many(tool: str, python: str, roots: list[Path]) -> Run:
    if tool not in SINGLE:
        return run(tool, python, roots)
    runs = [run(tool, python, [root]) for root in roots]
    return Run(
        {root: found for one in runs for root, found in one.edges.items()},
        {root: reason for one in runs for root, reason in one.failed.items()},
        sum(one.seconds for one in runs),
        max(one.megabytes for one in runs),
    )


def packages(folder: Path, python: str, tools: list[str]) -> None:
    from scoring import TITLE, Executed
    from suites import SUITES

    for name in SUITES:
        if not (folder / name / "calls.json").exists():
            continue
        package = Executed(folder / name)
        print(f"\n{name} ({', '.join(' '.join(c) for c in SUITES[name].checkouts)}): {package}")
        print(f"  {'':<17}{'edges':>7}{TITLE}{'CPU s':>8}{'MB':>7}")
        for tool in tools:
            done = run(tool, python, [package.root])
            cost = f"{done.seconds:>8.1f}{done.megabytes:>7.0f}"
            for found in done.edges.values():
                edges = {edge for edge in found if package.functions.issuperset(edge)}
                print(f"  {tool:<17}{len(edges):>7}{package.score(edges)}{cost}", flush=True)
            for reason in done.failed.values():
                print(f"  {tool:<17}  {reason[:70]:<41}{cost}", flush=True)


def labelled(folder: Path, python: str, tools: list[str]) -> None:
    import callgraph

    from plait.testing import parsed

    cases = list(callgraph.cases(folder))
    print(f"\n{'/'.join(folder.parts[-2:])}: {len(cases)} cases, without lambdas")
    names = [callgraph.names_of(parsed(case.sources)[0]) for case in cases]
    copies = tempfile.TemporaryDirectory()
    roots = [Path(copies.name).resolve() / str(number) for number in range(len(cases))]
    for case, root in zip(cases, roots, strict=True):
        for path, text in case.sources.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text, "utf-8")
    print(f"  {'':<17}{callgraph.TITLE}{'failed':>8}{'CPU s':>8}{'MB':>7}")
    for tool in tools:
        done = many(tool, python, roots)
        scored = []
        for case, root, known in zip(cases, roots, names, strict=True):
            found = done.edges.get(str(root), set())
            dotted = {(_dotted(*caller), _dotted(*callee)) for caller, callee in found if callee[1]}
            scored.append(({edge for edge in dotted if known.issuperset(edge)}, case.labelled(known, lambdas=False)))
        cost = f"{len(done.failed):>8}{done.seconds:>8.1f}{done.megabytes:>7.0f}"
        print(f"  {tool:<17}{callgraph.summary(scored)}{cost}", flush=True)


def _dotted(path: str, name: str) -> str:
    module = path.removesuffix(".py").replace("/", ".").removesuffix("__init__").rstrip(".")
    return ".".join(filter(None, (module, name)))


def versions(python: str) -> str:
    wanted = "pycg jarviscg jedi pyrefly"
    ask = (
        f"from importlib.metadata import version; print(', '.join(f'{{n}} {{version(n)}}' for n in '{wanted}'.split()))"
    )
    tools = subprocess.run([python, "-c", ask], capture_output=True, text=True, check=True).stdout.strip()
    command = ["git", "-C", str(Path(__file__).parent), "rev-parse", "--short", "HEAD"]
    commit = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    return f"plait at {commit}, Python {sys.version.split()[0]}, {tools}; {date.today()}"


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--tools", required=True, help="python of the environment that has them")
    parser.add_argument("--suites", type=Path)
    parser.add_argument("--cases", type=Path, nargs="*", default=[])
    parser.add_argument("--only", nargs="*", default=list(TOOLS), choices=list(TOOLS))
    given = parser.parse_args()
    print(f"Call graphs side by side: {versions(given.tools)}")
    if given.suites:
        packages(given.suites.resolve(), given.tools, given.only)
    for cases in given.cases:
        labelled(cases.resolve(), given.tools, given.only)
