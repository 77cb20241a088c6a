"""Measure plait's speed, memory and disk beside semble and ripgrep, and hold it to its bars. Linux only.

    python benchmarks/speed.py FOLDER [--tools PYTHON] [--only NAME ...]

Each folder in FOLDER is a corpus (`speed_corpora.py` makes them). PYTHON is an interpreter in whose environment semble
is installed; `rg` is taken from the path. Each is measured if it is there. Both search engines use the same table of
vectors: that of plait's own model. Everything cold, and every whole process, runs by itself, one at a time; caches are
in a folder of their own, code is byte-compiled before. Files in the page cache stay there.

A cold index is the first search of a folder; plait's then waits for the flow of values in small folders only, and
`plait index` follows it in any. For ripgrep, which has no index, a question is `rg` over the corpus for its two longest
words.
"""

from __future__ import annotations

import argparse
import compileall
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from speed_edit import edited
from speed_figures import (
    BYTES,
    CPU_MILLISECONDS,
    CPU_SECONDS,
    MILLISECONDS,
    SECONDS,
    Measured,
    Row,
    bars,
    quantiles,
    table,
)
from speed_process import Cost, Failed, run
from speed_queries import questions

HERE = Path(__file__).resolve().parent
QUESTIONS = 200
REPEAT = 5
"""Times that whole processes are run; the median counts."""

RG_QUESTIONS = 20
SEMBLE = "from semble.cli import main; main()"
COLD = "cold index, searchable"
FIRST = "first answer, whole process"
REFRESH = "one-file refresh, whole process"


@dataclass(frozen=True, slots=True)
class Tool:
    name: str
    python: str
    cold: Mapping[str, Sequence[str]]
    """arguments of the command that makes an index, by the name of the measure; the last one's index is then used"""
    search: Sequence[str]
    probe: Path
    """script that measures inside one process"""
    environment: Mapping[str, str]
    cache: Path

    def run(self, arguments: Sequence[str | Path]) -> Cost:
        return run([self.python, *arguments], self.environment)


def environment(**more: str) -> dict[str, str]:
    """This process's own, without what would keep byte code or thread counts from being as a user has them."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHONDONTWRITE", "PLAIT_"))}
    return kept | {"TOKENIZERS_PARALLELISM": "true", "HF_HUB_OFFLINE": "1"} | more


def tools(python: str | None, place: Path) -> Iterator[Tool]:
    cache = place / "plait"
    search = ["-m", "plait", "search"]
    cold = {COLD: [*search, "open"], "cold index, flow followed": ["-m", "plait", "index"]}
    probe = HERE / "speed_plait.py"
    yield Tool("plait", sys.executable, cold, search, probe, environment(PLAIT_CACHE=str(cache)), cache)
    if python:
        cache, model = place / "semble", place / "model"
        # By itself: what this process holds would count as the memory of those it starts.
        run([sys.executable, HERE / "speed_model.py", model], environment())
        search = ["-c", SEMBLE, "search", "--top-k=10"]
        made = environment(SEMBLE_CACHE_LOCATION=str(cache), SEMBLE_MODEL_NAME=str(model), PYTHONPATH=str(HERE))
        cold = {COLD: [*search, "open"]}
        yield Tool("semble", python, cold, search, HERE / "speed_semble.py", made, cache)


def compiled(python: str) -> None:
    """Byte-compile what an interpreter imports, and plait."""
    code = "import sys, compileall\nfor path in sys.path[1:]: compileall.compile_dir(path, quiet=2, workers=0)"
    subprocess.run([python, "-c", code], check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for folder in (HERE, HERE.parent / "src"):
        compileall.compile_dir(folder, quiet=2)


def size(folder: Path) -> int:
    """Bytes of the files below a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def measure(corpus: Path, asked: Sequence[str], used: Sequence[Tool], place: Path) -> Measured:
    one = Measured(corpus.name)
    found: dict[tuple[str, str], dict[str, float]] = {}

    def note(measure: str, unit: str, tool: str, value: float) -> None:
        found.setdefault((measure, unit), {})[tool] = value

    listed = place / f"{corpus.name}.json"
    listed.write_text(json.dumps(asked))
    for tool in used:
        try:
            measure_tool(tool, corpus, asked, listed, one, note)
        except Failed as error:
            one.notes.append(f"{tool.name}: {error}")
        shutil.rmtree(tool.cache, ignore_errors=True)
    if rg := shutil.which("rg"):
        measure_ripgrep(rg, corpus, asked, note)
    one.rows = [Row(name, unit, values) for (name, unit), values in found.items()]
    if len(asked) < QUESTIONS:
        one.notes.append(f"only {len(asked)} questions could be made of its docstrings")
    return one


Note = Callable[[str, str, str, float], None]


def measure_tool(tool: Tool, corpus: Path, asked: Sequence[str], listed: Path, one: Measured, note: Note) -> None:
    for name, arguments in tool.cold.items():
        shutil.rmtree(tool.cache, ignore_errors=True)
        cost = tool.run([*arguments, corpus])
        progress(tool, corpus, name, cost.wall)
        note(name, SECONDS, tool.name, cost.wall)
        note(name, CPU_SECONDS, tool.name, cost.cpu)
        note(name, BYTES, tool.name, cost.peak / 1e6)
    note("disk", BYTES, tool.name, size(tool.cache) / 1e6)
    tool.run([*tool.search, "warm up", corpus])

    first = [tool.run([*tool.search, question, corpus]) for question in asked[:REPEAT]]
    note(FIRST, MILLISECONDS, tool.name, 1000 * quantiles([cost.wall for cost in first])[0])
    note(FIRST, CPU_MILLISECONDS, tool.name, 1000 * quantiles([cost.cpu for cost in first])[0])
    note(FIRST, BYTES, tool.name, max(cost.peak for cost in first) / 1e6)

    checked = tool.run([tool.probe, "check", corpus, listed])
    told = json.loads(checked.output)
    note("no change, whole process", MILLISECONDS, tool.name, 1000 * checked.wall)
    note("no change, in process", MILLISECONDS, tool.name, told["check"]["wall"])
    note("no change, in process", CPU_MILLISECONDS, tool.name, told["check"]["cpu"])
    if tool.name == "plait":
        one.files, one.functions = told["files"], told["functions"]
    else:
        one.chunks = told["functions"]

    for name, values in json.loads(tool.run([tool.probe, "warm", corpus, listed]).output).items():
        note(f"{name} p50", MILLISECONDS, tool.name, values[0])
        note(f"{name} p99", MILLISECONDS, tool.name, values[1])
    progress(tool, corpus, "warm", 0)

    refreshed = json.loads(tool.run([tool.probe, "refresh", corpus, listed]).output)["refresh"]
    note("one-file refresh, in process", MILLISECONDS, tool.name, refreshed["wall"])
    note("one-file refresh, in process", CPU_MILLISECONDS, tool.name, refreshed["cpu"])
    tool.run([*tool.search, "warm up", corpus])
    with edited(corpus, -1) as name:
        cost = tool.run([*tool.search, name.replace("_", " "), corpus])
    if name not in cost.output:
        one.notes.append(f"{tool.name}: the function that was added is not among the first results")
    note(REFRESH, MILLISECONDS, tool.name, 1000 * cost.wall)
    note(REFRESH, CPU_MILLISECONDS, tool.name, 1000 * cost.cpu)
    progress(tool, corpus, "refresh", cost.wall)


def measure_ripgrep(rg: str, corpus: Path, asked: Sequence[str], note: Note) -> None:
    costs = []
    for question in asked[:: max(len(asked) // RG_QUESTIONS, 1)]:
        words = sorted(set(question.split()), key=lambda word: (-len(word), word))[:2]
        patterns = [part for word in words for part in ("-e", word)]
        costs.append(run([rg, "--ignore-case", "--fixed-strings", *patterns, corpus], environment(), codes=(0, 1)))
    walls = quantiles([1000 * cost.wall for cost in costs]) if costs else (0.0, 0.0)
    if costs:
        for name in (FIRST, REFRESH):
            note(name, MILLISECONDS, "rg", walls[0])
            note(name, CPU_MILLISECONDS, "rg", 1000 * quantiles([cost.cpu for cost in costs])[0])
        note(FIRST, BYTES, "rg", max(cost.peak for cost in costs) / 1e6)
        note("warm additive p50", MILLISECONDS, "rg", walls[0])
        note("warm additive p99", MILLISECONDS, "rg", walls[1])


def progress(tool: Tool, corpus: Path, what: str, seconds: float) -> None:
    print(f"{corpus.name}: {tool.name}: {what} {seconds:.1f} s", file=sys.stderr, flush=True)


def stamp(folder: Path) -> str:
    told = subprocess.run(
        ["git", "describe", "--always", "--dirty", "--abbrev=10"], cwd=HERE, capture_output=True, text=True, check=False
    )
    version = f"Python {sys.version_info.major}.{sys.version_info.minor}"
    load = os.getloadavg()[0]
    return f"plait {told.stdout.strip()}, {date.today()}, {os.cpu_count()} cores, load before {load:.1f}, {version}"


def main() -> None:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--tools", metavar="PYTHON", help="an interpreter with semble; without, plait and rg alone")
    arguments.add_argument("--only", nargs="*", metavar="NAME", help="corpora, by the names of their folders")
    given = arguments.parse_args()
    corpora = [path for path in sorted(given.folder.resolve().iterdir()) if path.is_dir()]
    corpora = [path for path in corpora if not given.only or path.name in given.only]
    print(stamp(given.folder), flush=True)
    with tempfile.TemporaryDirectory(prefix="plait-speed-") as temporary:
        place = Path(temporary)
        used = list(tools(given.tools, place))
        for tool in used:
            compiled(tool.python)
        measured = []
        for corpus in corpora:
            one = measure(corpus, questions(corpus, QUESTIONS), used, place)
            measured.append(one)
            print()
            print("\n".join(table(one, [*(tool.name for tool in used), "rg"])), flush=True)
    print("\nBars\n" + "\n".join(bars(measured)))


if __name__ == "__main__":
    main()
