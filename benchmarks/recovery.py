"""Compare the facts of files by way of error recovery with those by way of `ast`, on files that `ast` accepts.

    python benchmarks/recovery.py FOLDER

Each file that differs is printed with the first fact that does. What `ast` refuses is counted with what became of it.
"""

from __future__ import annotations

import argparse
import ast
import dataclasses
import warnings
from collections import Counter
from pathlib import Path

from plait.facts import ParsedFile
from plait.model import SourceFile
from plait.parse.facts import Facts
from plait.parse.python import PythonParser
from plait.parse.recovery import recover
from plait.source import decode


def difference(file: SourceFile, tree: ast.Module) -> str:
    """Name the first fact that differs; empty if none does."""
    facts, found = Facts(file, flow=True).of(tree), recover(file.text)
    recovered = Facts(file, flow=True).of(found.tree)
    if found.left_out:
        return f"left out {found.left_out}"
    for field in dataclasses.fields(facts):
        one, other = getattr(facts, field.name), getattr(recovered, field.name)
        if one != other:
            return f"{field.name}: {first_difference(one, other)}"
    return ""


def first_difference(one: object, other: object) -> str:
    if isinstance(one, tuple) and isinstance(other, tuple):
        for mine, theirs in zip(one, other, strict=False):
            if mine != theirs:
                return first_difference(mine, theirs)
        return f"{len(one)} and {len(other)}"
    if dataclasses.is_dataclass(one) and type(one) is type(other):
        for field in reversed(dataclasses.fields(one)):
            mine, theirs = getattr(one, field.name), getattr(other, field.name)
            if mine != theirs:
                return f"{field.name} {first_difference(mine, theirs)}"
    return f"{one!r} and {other!r}"


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("folder", type=Path)
    folder: Path = arguments.parse_args().folder
    warnings.simplefilter("ignore")
    outcomes: Counter[str] = Counter()
    for path in sorted(folder.rglob("*.py")):
        if "site-packages" in path.parts:
            continue
        text = decode(path.read_bytes())
        if text is None:
            continue
        file = SourceFile(path.relative_to(folder).as_posix(), "python", text, "")
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            parsed = PythonParser().parse(file)
            outcome = "refused, recovered" if isinstance(parsed, ParsedFile) else "refused, skipped"
            told = parsed.recovered if isinstance(parsed, ParsedFile) else parsed
            print(f"{file.path}  {type(error).__name__}  {told}")
        else:
            differs = difference(file, tree)
            outcome = "different" if differs else "equal"
            if differs:
                print(f"{file.path}  {differs[:300]}")
        outcomes[outcome] += 1
    compared = outcomes["equal"] + outcomes["different"]
    print(", ".join(f"{outcome} {count:,}" for outcome, count in sorted(outcomes.items())))
    print(f"{outcomes['equal'] / max(compared, 1):.2%} of {compared:,} files equal")


if __name__ == "__main__":
    main()
