"""Which functions that Universal Ctags lists are symbols: `python benchmarks/against_ctags.py FOLDER...`.

A function is found if a symbol of its name begins within five lines above the line that ctags gives, or spans it.
Ctags guesses, too: what it lists in macros, comments of heredocs and the like counts against us all the same.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

from plait import plugins, source
from plait.model import Skipped

KINDS = {
    "bash": ("Sh", "function"),
    "c": ("C", "function"),
    "cpp": ("C++", "function"),
    "csharp": ("C#", "method"),
    "elixir": ("Elixir", "function"),
    "go": ("Go", "func"),
    "haskell": ("Haskell", "function"),
    "java": ("Java", "method"),
    "javascript": ("JavaScript", "function method generator"),
    "kotlin": ("Kotlin", "method"),
    "lua": ("Lua", "function"),
    "php": ("PHP", "function"),
    "ruby": ("Ruby", "method singletonMethod"),
    "rust": ("Rust", "function method"),
    "typescript": ("TypeScript", "function method"),
}


def listed(path: Path, name: str) -> list[tuple[str, int, str]]:
    call = ["ctags", "--output-format=json", "--fields=*", f"--language-force={name}", "-f", "-", str(path)]
    run = subprocess.run(call, capture_output=True, text=True, check=False)
    found = []
    for line in run.stdout.splitlines():
        tag = json.loads(line)
        if tag.get("_type") == "tag" and "line" in tag:
            found.append((tag["name"], tag["line"], tag.get("kind", "")))
    return found


def main() -> None:
    for folder in (Path(one) for one in sys.argv[1:] if one != "--list"):
        right: Counter[str] = Counter()
        total: Counter[str] = Counter()
        examples: dict[str, list[str]] = {}
        for state in source.discover(folder).files:
            file = source.read(folder, state, limit=1_000_000)
            if isinstance(file, Skipped) or file.language not in KINDS:
                continue
            parsed = plugins.build("parser", file.language).parse(file)
            symbols = [] if isinstance(parsed, Skipped) else parsed.symbols[1:]
            name, kinds = KINDS[file.language]
            spans: dict[str, list[tuple[int, int]]] = {}
            for symbol in symbols:
                spans.setdefault(symbol.name.replace(" ", ""), []).append(
                    (symbol.span.start_line, symbol.span.end_line)
                )
            for tag, line, kind in listed(folder / file.path, name):
                if kind not in kinds.split() or tag.startswith(("__anon", "anonymous", "AnonymousFunction")):
                    continue
                total[file.language] += 1
                tag = tag.replace(" ", "")
                last = tag.rpartition(".")[2].rpartition("::")[2].rpartition(":")[2]
                if any(first - 5 <= line <= end for first, end in spans.get(last, spans.get(tag, []))):
                    right[file.language] += 1
                else:
                    examples.setdefault(file.language, []).append(f"{file.path}:{line} {tag} ({kind})")
        for language, count in sorted(total.items()):
            if count >= 20:
                print(f"{folder.name:18} {language:11} {right[language]:6} of {count:6}  {right[language] / count:.4f}")
                for one in examples.get(language, [])[: 6 if "--list" in sys.argv else 0]:
                    print("      ", one)


if __name__ == "__main__":
    main()
