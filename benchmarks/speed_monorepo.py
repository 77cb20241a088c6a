"""Write a synthetic monorepo of Python: N functions in N / 20 files, the same for every run and machine.

    python benchmarks/speed_monorepo.py FOLDER FUNCTIONS

Packages of 10 folders of 20 modules. A module has two classes of six methods each and eight functions. It imports from
up to four earlier ones, mostly of its own package, and calls what it imports: functions, constructors and methods of
annotated and constructed objects, besides its own. Every function has a docstring of its own; names repeat as in real
code (`load_invoice` in many places). What a module exports follows from its number alone, so nothing is kept in memory.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from random import Random

PER_MODULE = 20
MODULES, FOLDERS = 20, 10
METHODS, FUNCTIONS = 6, 8

VERBS = """load save fetch parse render validate merge split resolve refresh schedule cancel encode decode collect count
rank filter normalize convert publish subscribe archive restore lock release verify sign compress expand index match
assign compute estimate format import export register remove update send""".split()
NOUNS = """invoice order customer payment shipment account session token report ticket message channel contract budget
article image document template schedule job worker queue event metric alert rule policy role permission audit backup
snapshot package release build branch commit review comment address currency price discount refund carrier warehouse
product category supplier catalog cart coupon subscription plan quota region cluster node route endpoint request
""".split()
QUALITIES = """pending expired archived active shared remote local encrypted partial duplicate overdue scheduled cached
verified temporary default primary secondary internal external""".split()
AREAS = """billing shipping identity messaging reporting search storage scheduling pricing inventory analytics security
deployment support marketing finance catalog gateway workflow monitoring""".split()
ENDS = """before the nightly run, for the current tenant, in the order of arrival, without touching the archive, and
report what failed, as the contract demands, unless it is locked, for later review, within the time limit, by its
external number, from the last snapshot, and notify its owner, after the retry window, using the regional settings,
one page at a time, while others read, and keep the history, for the monthly statement""".replace("\n", " ").split(", ")
ROLES = ("Store", "Service", "Registry", "Builder", "Client", "Policy", "Planner", "Reader", "Gateway", "Monitor")
FIELDS = ("status", "amount", "owner", "version", "created", "region", "priority", "reference", "limit", "label")


@dataclass(frozen=True)
class Exports:
    """What other modules can use of one."""

    name: str
    """dotted"""
    classes: tuple[str, ...]
    methods: tuple[tuple[str, ...], ...]
    """of each class"""
    functions: tuple[str, ...]


def _distinct(random: Random, count: int) -> tuple[str, ...]:
    names: dict[str, None] = {}
    while len(names) < count:
        names[f"{random.choice(VERBS)}_{random.choice(NOUNS)}"] = None
    return tuple(names)


@lru_cache(maxsize=4096)
def exports(number: int) -> Exports:
    random = Random(f"exports {number}")
    package, rest = divmod(number, MODULES * FOLDERS)
    folder, module = divmod(rest, MODULES)
    area = AREAS[package % len(AREAS)] + (f"{package // len(AREAS)}" if package >= len(AREAS) else "")
    noun = NOUNS[(folder * 7 + package) % len(NOUNS)]
    stem = f"{NOUNS[(module * 3 + folder) % len(NOUNS)]}_{ROLES[module % len(ROLES)].lower()}"
    classes = tuple(f"{random.choice(NOUNS).title()}{role}" for role in random.sample(ROLES, 2))
    methods = tuple(_distinct(random, METHODS - 1) for _ in classes)
    return Exports(f"{area}.{noun}.{stem}{module}", classes, methods, _distinct(random, FUNCTIONS))


def imported(number: int) -> list[Exports]:
    """Up to four earlier modules, three of four from the same package."""
    random = Random(f"imports {number}")
    start = number - number % (MODULES * FOLDERS)
    found: dict[int, None] = {}
    for _ in range(min(4, number)):
        low = start if start < number and random.random() < 0.75 else 0
        found[random.randrange(low, number)] = None
    return [exports(other) for other in sorted(found)]


def _docstring(random: Random, name: str) -> str:
    verb, _, noun = name.partition("_")
    return f'"""{verb.title()} every {random.choice(QUALITIES)} {noun} {random.choice(ENDS)}."""'


def _uses(random: Random, own: Exports, others: list[Exports]) -> list[str]:
    """Two statements that call something; names are imported whole or by module."""
    lines = []
    for _ in range(2):
        kind = random.randrange(4 if others else 1)
        if kind == 0:
            lines.append(f"count += {random.choice(own.functions)}(found, limit - 1)")
            continue
        other = random.choice(others)
        alias = other.name.rpartition(".")[2]
        if kind == 1:
            lines.append(f"found.extend({alias}.{random.choice(other.functions)}(found, limit) for _ in range(count))")
            continue
        place = random.randrange(len(other.classes))
        method = random.choice(other.methods[place])
        if kind == 2:
            lines.append(f"count += {alias}.{other.classes[place]}({random.choice(NOUNS)!r}).{method}(found, limit)")
        else:
            thing = other.classes[place].lower()
            lines += [f"{thing} = {alias}.{other.classes[place]}(str(limit))", f"{thing}.{method}(found, count)"]
    return lines


def _body(random: Random, own: Exports, others: list[Exports], name: str) -> list[str]:
    field, other = random.sample(FIELDS, 2)
    noun = name.partition("_")[2]
    return [
        _docstring(random, name),
        "found = []",
        "count = 0",
        f"for {noun} in items:",
        f"    if {noun} is None or getattr({noun}, {field!r}, None) == {random.choice(QUALITIES)!r}:",
        f"        continue  # {random.choice(QUALITIES)} ones belong to {random.choice(AREAS)}",
        f"    found.append(({noun}, {other!r}, len(found) + {random.randrange(100)}))",
        "    if len(found) > limit:",
        "        break",
        *_uses(random, own, others),
        f"return sorted(found, key=len)[: count + {random.randrange(1, 50)}]",
    ]


def source(number: int) -> str:
    """The text of one module: PER_MODULE functions and methods."""
    random, own, others = Random(f"source {number}"), exports(number), imported(number)
    lines = [f'"""{" and ".join(own.classes)} of {own.name}."""', "", "from __future__ import annotations", ""]
    for other in others:
        package, _, module = other.name.rpartition(".")
        lines.append(f"from {package} import {module}")
    for place, (name, methods) in enumerate(zip(own.classes, own.methods, strict=True)):
        bases = [f"{one.name.rpartition('.')[2]}.{one.classes[0]}" for one in others[:1] if place == 0]
        lines += ["", "", f"class {name}({', '.join(bases)}):" if bases else f"class {name}:"]
        lines += ["    def __init__(self, label: str, items: list | None = None) -> None:"]
        lines += [f'        """Keep a label and {random.choice(QUALITIES)} items {random.choice(ENDS)}."""']
        lines += ["        self.label = label", "        self.items = items or []"]
        for method in methods:
            lines += ["", f"    def {method}(self, items: list, limit: int = 10) -> list:"]
            body = _body(random, own, others, method)
            body.insert(-1, f"self.items.extend(self.{random.choice(methods)}(found, limit - 1))")
            lines += [f"        {line}" for line in body]
    for function in own.functions:
        lines += ["", "", f"def {function}(items: list, limit: int = 10) -> list:"]
        lines += [f"    {line}" for line in _body(random, own, others, function)]
    return "\n".join(lines) + "\n"


def write(folder: Path, functions: int) -> None:
    for number in range(functions // PER_MODULE):
        path = folder / "src" / f"{exports(number).name.replace('.', '/')}.py"
        for package in (path.parent, path.parent.parent):
            package.mkdir(parents=True, exist_ok=True)
            (package / "__init__.py").touch()
        path.write_text(source(number))


if __name__ == "__main__":
    arguments = argparse.ArgumentParser()
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("functions", type=int)
    given = arguments.parse_args()
    write(given.folder, given.functions)
