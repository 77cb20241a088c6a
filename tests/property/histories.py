"""A small application under git, and random histories of it."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

from programs import Edits

ANCHOR = "shop/anchor.py"
"""Never removed, so that there is always something to index."""

FILES = {
    ANCHOR: "from shop import total\n\n\ndef anchor():\n    return total([])\n",
    "shop/__init__.py": 'from shop.cart import Cart, total\nfrom shop.tools import *\n\n__all__ = ["Cart", "total"]\n',
    "shop/base.py": """class Base:
    rows = 0

    def save(self, row):
        return self.check(row)

    def check(self, row):
        return row


class Mixed:
    def check(self, row):
        return None
""",
    "shop/store.py": """from shop.base import Base, Mixed
from shop.tools import logged


class Store(Base):
    def save(self, row):
        return super().save(row)


class Disk(Mixed, Store):
    @logged
    def load(self):
        return self.save(write(self))

    @property
    def size(self):
        return len(self.rows)


def write(row):
    return row
""",
    "shop/tools.py": """import functools


def logged(function):
    @functools.wraps(function)
    def inner(*arguments):
        return function(*arguments)

    return inner


def parse(text):
    return split(text)


def split(text):
    return text.split()


def _hidden():
    return parse("")
""",
    "shop/cart.py": """from __future__ import annotations

from shop.store import Disk, Store
from shop.tools import logged, parse as read


class Cart:
    def __init__(self, store: Store | None = None):
        self.store = store or Disk()

    def add(self, item):
        self.store.save(read(item))
        return self.size()

    def size(self):
        return self.store.size


@logged
def total(carts):
    return sum(cart.size() for cart in carts)
""",
    "shop/web.py": """import shop.cart as cart
from shop import Cart, parse


HANDLERS = {}


def route(path):
    def put(handler):
        HANDLERS[path] = handler
        return handler

    return put


@route("/add")
def add(request):
    basket = Cart()
    basket.add(parse(request))
    return cart.total([basket])


def run(request):
    return HANDLERS[request](request)
""",
    "shop/events.py": """class Event:
    def __init__(self, name, then):
        self.name = name
        self.then = then

    def fire(self):
        return self.then(self.name)


def on(name, then):
    return Event(name, then)


def told(name):
    return name
""",
    "shop/main.py": """from shop import events
from shop.web import run
from shop.events import on, told


def main(arguments):
    for name in arguments:
        on(name, told).fire()
        events.on(name, run).fire()


if __name__ == "__main__":
    main([])
""",
    "shop/again.py": """from shop.web import *
from shop.store import Disk as Kept


def again():
    return add(Kept())
""",
    "lib/__init__.py": "",
    "lib/plain.py": "def write(row):\n    return row\n\n\ndef lonely():\n    return write(lonely)\n",
    "lib/user.py": """from . import plain
from .plain import write


def use(thing):
    thing.check(write(1))
    return plain.lonely()
""",
    "tests/test_shop.py": "from shop.web import run\n\n\ndef test_run():\n    assert run('/add')\n",
}

NAMES = (
    "save check load size write logged parse split total add run route on told again lonely use Base Store Disk".split()
)
"""What is called, defined and renamed to: mostly names that are there already, so that links break and come again."""

MODULES = "shop shop.base shop.store shop.tools shop.cart shop.web shop.events lib.plain lib.user".split()

_DEFINITION = re.compile(r"^(?P<indent> *)(?P<kind>def|class) (?P<name>\w+)", re.MULTILINE)
_BODY = re.compile(r"^(?P<indent> +)return .*\n", re.MULTILINE)
_CLASS = re.compile(r"^class (\w+)(\(.*\))?:$", re.MULTILINE)
_IMPORT = re.compile(r"^(from|import) .*\n", re.MULTILINE)
_BLOCK = re.compile(r"^(@.*\n)*(def|class) .*\n((?:[ ].*)?\n)*", re.MULTILINE)

BROKEN = "\n\ndef broken(:\n    return ((\n"


class History:
    """A repository, changed step by step. What git refuses to do is left undone; every state that results counts."""

    @property
    def steps(self) -> Mapping[str, Callable[[Any, Random], None]]:
        return STEPS

    def __init__(self, root: Path, files: Mapping[str, str] = FILES) -> None:
        self.root = root
        self.worktrees: list[Path] = []
        for path, text in files.items():
            self._put(path, text)
        self.git("init", "-q", "-b", "main")
        self.commit()

    def git(self, *arguments: str) -> bool:
        settings = {"user.name": "a", "user.email": "a@b", "commit.gpgsign": "false", "core.autocrlf": "false"}
        given = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        done = subprocess.run(["git", *given, *arguments], cwd=self.root, capture_output=True, check=False)
        return done.returncode == 0

    def paths(self) -> list[str]:
        """All Python files but the anchor, whether git knows or ignores them."""
        found = (path.relative_to(self.root).as_posix() for path in self.root.rglob("*.py"))
        return sorted(path for path in found if path != ANCHOR and not path.startswith(".git/"))

    def commit(self) -> None:
        self.git("add", "-A")
        self.git("commit", "-qm", "step", "--allow-empty")

    def step(self, name: str, seed: int) -> None:
        self.steps[name](self, Random(seed))

    def text(self, path: str) -> str:
        return (self.root / path).read_text(encoding="utf-8")

    def _put(self, path: str, text: str) -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def _pick(self, random: Random) -> str:
        return random.choice(self.paths() or [ANCHOR])

    def _replaced(self, random: Random, pattern: re.Pattern[str], new: Callable[[re.Match[str]], str]) -> None:
        """Change one match of a pattern in some file that has one."""
        found = [path for path in self.paths() if pattern.search(self.text(path))]
        if found:
            path = random.choice(found)
            text = self.text(path)
            match = random.choice(list(pattern.finditer(text)))
            self._put(path, text[: match.start()] + new(match) + text[match.end() :])

    # What someone does in an editor

    def edit_a_body(self, random: Random) -> None:
        called = random.choice(NAMES)
        call = random.choice([f"{called}()", f"self.{called}()", f"x.{called}(1)", f"{called}({random.choice(NAMES)})"])
        self._replaced(random, _BODY, lambda body: f"{body['indent']}kept = {call}\n{body[0]}")

    def rename_a_definition(self, random: Random) -> None:
        name = random.choice(NAMES)
        self._replaced(random, _DEFINITION, lambda found: f"{found['indent']}{found['kind']} {name}")

    def rename_everywhere(self, random: Random) -> None:
        old, new = random.sample(NAMES, 2)
        for path in self.paths():
            self._put(path, re.sub(rf"\b{old}\b", new, self.text(path)))

    def add_a_function(self, random: Random) -> None:
        path = self._pick(random)
        name, called = random.choice(NAMES), random.choice(NAMES)
        self._put(path, self.text(path) + f"\n\ndef {name}(one):\n    return {called}(one)\n")

    def add_a_class(self, random: Random) -> None:
        path = self._pick(random)
        name, base, method = random.choice(NAMES).title(), random.choice(NAMES), random.choice(NAMES)
        self._put(
            path,
            self.text(path) + f"\n\nclass {name}({base}):\n    def {method}(self):\n        return self.{method}()\n",
        )

    def remove_a_definition(self, random: Random) -> None:
        self._replaced(random, _BLOCK, lambda found: "")

    def change_a_base(self, random: Random) -> None:
        bases = random.choice(["", "(Base)", "(Store)", "(Mixed, Base)", "(Disk)"])
        self._replaced(random, _CLASS, lambda found: f"class {found[1]}{bases}:")

    def add_an_import(self, random: Random) -> None:
        module, name = random.choice(MODULES), random.choice(NAMES)
        ways = ("from {} import {}", "from {} import *", "import {}", "import {} as {}", "from . import {1}")
        line = random.choice(ways).format(module, name)
        path = self._pick(random)
        self._put(path, f"{line}\n{self.text(path)}")

    def remove_an_import(self, random: Random) -> None:
        self._replaced(random, _IMPORT, lambda found: "")

    def break_the_syntax(self, random: Random) -> None:
        path = self._pick(random)
        self._put(path, self.text(path) + BROKEN)

    def mend_the_syntax(self, random: Random) -> None:
        for path in self.paths():
            if BROKEN in self.text(path):
                self._put(path, self.text(path).replace(BROKEN, ""))

    def edit_with_the_same_size_and_time(self, random: Random) -> None:
        path = self._pick(random)
        file = self.root / path
        before = file.stat()
        content = file.read_text(encoding="utf-8").replace(*random.sample("aeiou", 2))
        with file.open("r+", encoding="utf-8") as opened:
            opened.write(content)
        os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))

    # What happens to files

    def add_a_file(self, random: Random) -> None:
        folder, name = random.choice(["shop", "lib", "new", "."]), random.choice(NAMES)
        module = random.choice(MODULES)
        called = random.choice(NAMES)
        self._put(f"{folder}/{name}.py", f"from {module} import *\n\n\ndef {name}():\n    return {called}()\n")

    def move_a_file(self, random: Random) -> None:
        path = self._pick(random)
        folder = random.choice(["shop", "lib", "new/deep", "."])
        name = random.choice([Path(path).name, "moved.py", "store.py"])
        (self.root / folder).mkdir(parents=True, exist_ok=True)
        if f"{folder}/{name}" != ANCHOR and path != ANCHOR:
            (self.root / path).replace(self.root / folder / name)

    def delete_a_file(self, random: Random) -> None:
        path = self._pick(random)
        if path != ANCHOR:
            (self.root / path).unlink()

    def restore_what_is_gone(self, random: Random) -> None:
        self.git("checkout", "-q", "--", ".")

    def touch(self, random: Random) -> None:
        os.utime(self.root / self._pick(random))

    def ignore_a_file(self, random: Random) -> None:
        path = self._pick(random)
        with (self.root / ".gitignore").open("a", encoding="utf-8") as rules:
            rules.write(f"/{path}\n")
        self.git("rm", "-q", "--cached", path)

    def ignore_nothing(self, random: Random) -> None:
        (self.root / ".gitignore").unlink(missing_ok=True)

    # What git does

    def commit_all(self, random: Random) -> None:
        self.commit()

    def switch_branch(self, random: Random) -> None:
        self.commit()
        name = random.choice(["main", "one", "two"])
        if not self.git("checkout", "-q", name):
            self.git("checkout", "-q", "-b", name)

    def stash(self, random: Random) -> None:
        if not self.git("stash", "pop", "-q"):
            self.git("stash", "-q", "-u")

    def rebase(self, random: Random) -> None:
        self.commit()
        if not self.git("rebase", "-q", random.choice(["main", "one", "two"])):
            self.git("rebase", "--abort")

    def reset(self, random: Random) -> None:
        self.git("reset", "-q", "--hard", "HEAD~1")

    def add_a_worktree(self, random: Random) -> None:
        self.commit()
        place = self.root.with_name(f"worktree{len(self.worktrees)}")
        if len(self.worktrees) < 2 and self.git("worktree", "add", "-q", "--detach", str(place), "HEAD"):
            self.worktrees.append(place)


STEPS: dict[str, Callable[[History, Random], None]] = {
    name: step
    for name, step in vars(History).items()
    if not name.startswith("_") and name not in ("git", "paths", "commit", "step", "steps", "text")
}


class Polyglot(History):
    """The same with programs in several languages, each in a folder of its own, and edits of their text."""

    def __init__(self, root: Path, languages: Sequence[str], seed: int) -> None:
        random = Random(seed)
        self.edits = {language: Edits(language, random) for language in languages}
        every = {f"{name}/{path}": text for name, made in self.edits.items() for path, text in made.files.items()}
        super().__init__(root, {**FILES, **every})

    @property
    def steps(self) -> Mapping[str, Callable[[Any, Random], None]]:
        return POLYGLOT_STEPS

    def paths(self) -> list[str]:
        found = (self.root / language for language in self.edits)
        return sorted(one.relative_to(self.root).as_posix() for folder in found for one in folder.rglob("*.*"))

    def edit(self, random: Random) -> None:
        """Change a file as it is on the disk, whatever git has done to it."""
        language = random.choice(sorted(self.edits))
        edits = self.edits[language]
        own = [path for path in self.paths() if path.startswith(f"{language}/")]
        before = {path.removeprefix(f"{language}/"): self.text(path) for path in own}
        edits.files, edits.random = dict(before) or dict(edits.first), random
        edits.step()
        for path in before.keys() - edits.files.keys():
            (self.root / language / path).unlink()
        for path, text in edits.files.items():
            if before.get(path) != text:
                self._put(f"{language}/{path}", text)


POLYGLOT_STEPS: dict[str, Callable[[Polyglot, Random], None]] = {
    "edit": Polyglot.edit,
    **{
        name: STEPS[name]
        for name in (
            *("touch", "ignore_a_file", "ignore_nothing", "restore_what_is_gone"),
            *("commit_all", "switch_branch", "stash", "rebase", "reset", "add_a_worktree"),
        )
    },
}


def read(root: Path, path: str, first: int, last: int) -> str:
    """Return lines first to last of a file."""
    lines: Sequence[str] = (root / path).read_text(encoding="utf-8").split("\n")
    return "\n".join(lines[first - 1 : last])
