"""Run the test suites of released packages under `trace_calls`, so that call graphs can be compared with what ran.

    python3.12 benchmarks/suites.py FOLDER [--from BASE] [NAME ...]

For each name FOLDER/NAME/ gets `source` (the packages, as installed), `calls.json` (what ran), `suite.txt` (what pytest
printed). A folder that has calls.json is left as it is. Packages are cloned at the tag below from BASE/OWNER/NAME,
installed into a virtual environment in FOLDER/NAME and tested there; the network is needed for their dependencies.
"""

from __future__ import annotations

import argparse
import inspect
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import CodeType


@dataclass(frozen=True)
class Suite:
    checkouts: tuple[tuple[str, str], ...]
    """repository and tag"""
    packages: tuple[str, ...]
    requirements: tuple[str, ...]


SUITES = {
    "requests": Suite(
        (("psf/requests", "v2.34.2"),),
        ("requests",),
        ("pytest<9", "pytest-httpbin==2.1.0", "pytest-mock", "PySocks", "trustme", "httpbin~=0.10.0", "werkzeug<3.1"),
    ),
    "flask+werkzeug": Suite(
        (("pallets/flask", "3.1.3"), ("pallets/werkzeug", "3.1.8")),
        ("flask", "werkzeug"),
        ("pytest<8.4", "asgiref", "python-dotenv", "cryptography", "ephemeral-port-reserve", "pytest-timeout",
         "pytest-xprocess"),
    ),
    "rich": Suite((("Textualize/rich", "v14.3.3"),), ("rich",), ("pytest<9", "attrs")),
    "jinja": Suite((("pallets/jinja", "3.1.6"),), ("jinja2",), ("pytest<9", "trio")),
    "attrs": Suite(
        (("python-attrs/attrs", "26.1.0"),),
        ("attr", "attrs"),
        ("pytest<9", "cloudpickle", "hypothesis", "pympler", "pytest-xdist[psutil]"),
    ),
}  # fmt: skip


def run(command: list[str | Path], **more: object) -> int:
    print("+", *command, flush=True)
    return subprocess.run([str(part) for part in command], check=False, **more).returncode  # type: ignore[call-overload]


def trace(name: str, base: str, folder: Path) -> None:
    suite, here = SUITES[name], folder / name
    shutil.rmtree(here, ignore_errors=True)
    here.mkdir(parents=True)
    run([sys.executable, "-m", "venv", here / "venv"])
    python = here / "venv" / "bin" / "python"
    checkouts = [here / repository.rpartition("/")[2] for repository, _ in suite.checkouts]
    for (repository, tag), checkout in zip(suite.checkouts, checkouts, strict=True):
        run(["git", "clone", "--quiet", "--depth=1", f"--branch={tag}", f"{base}/{repository}", checkout])
    run([python, "-m", "pip", "install", "--quiet", *checkouts, *suite.requirements])
    installed = next((here / "venv" / "lib").glob("python*")) / "site-packages"
    for package in suite.packages:
        shutil.copytree(installed / package, here / "source" / package, ignore=shutil.ignore_patterns("__pycache__"))

    plugin = Path(__file__).resolve().parent
    traces = []
    for checkout in checkouts:
        traces.append(here / f"{checkout.name}.json")
        environment = {
            **os.environ,
            "PYTHONPATH": f"{here / 'source'}{os.pathsep}{plugin}",
            "TRACED": str(here / "source"),
            "TRACE": str(traces[-1]),
        }
        shutil.rmtree(checkout / "src", ignore_errors=True)
        for package in suite.packages:
            shutil.rmtree(checkout / package, ignore_errors=True)
        with (here / "suite.txt").open("a") as output:
            command: list[str | Path] = [python, "-m", "pytest", "-q", "-p", "trace_calls", "-p", "no:cacheprovider"]
            run([*command, "tests"], cwd=checkout, env=environment, stdout=output, stderr=output)
    if all(path.exists() for path in traces):
        merge(traces, here / "source", here / "calls.json")
    print((here / "suite.txt").read_text().strip().splitlines()[-1])


def statements(code: CodeType) -> Iterator[tuple[str, int, list[int]]]:
    """Qualified name, first line and lines of each function, those of what is nested in it included."""
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            if inner.co_flags & inspect.CO_OPTIMIZED:
                yield inner.co_qualname, inner.co_firstlineno, sorted(_lines(inner))
            yield from statements(inner)


def _lines(code: CodeType) -> set[int]:
    own = {line for _, _, line in code.co_lines() if line}
    return own.union(*(_lines(inner) for inner in code.co_consts if isinstance(inner, CodeType)))


def merge(traces: list[Path], source: Path, target: Path) -> None:
    """Join traces and add which lines each function has, by the interpreter that ran them."""
    lines: dict[str, set[int]] = {}
    calls: dict[str, set[str]] = {"calls": set(), "through": set()}
    for path in traces:
        one = json.loads(path.read_text("utf-8"))
        for kind, pairs in calls.items():
            pairs.update(map(json.dumps, one[kind]))
        for file, ran in one["lines"].items():
            lines.setdefault(file, set()).update(ran)
    files = {path.relative_to(source).as_posix(): path for path in sorted(source.rglob("*.py"))}
    written = {
        **{kind: [json.loads(pair) for pair in sorted(pairs)] for kind, pairs in calls.items()},
        "lines": {file: sorted(ran) for file, ran in sorted(lines.items())},
        "statements": [
            (file, *found)
            for file, path in files.items()
            for found in statements(compile(path.read_bytes(), file, "exec"))
        ],
    }
    target.write_text(json.dumps(written), encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--from", dest="base", default="https://github.com", help="where OWNER/NAME can be cloned")
    parser.add_argument("names", nargs="*", help=", ".join(SUITES))
    given = parser.parse_intermixed_args()
    for chosen in given.names or SUITES:
        if not (given.folder / chosen / "calls.json").exists():
            trace(chosen, given.base, given.folder.resolve())
