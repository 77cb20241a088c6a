"""Small programs in every language with a table, and random edits of their text."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from random import Random

PAGES = Path(__file__).parent.parent / "golden" / "calls" / "languages"
LANGUAGES = tuple(sorted(page.stem for page in PAGES.glob("*.md")))

_BLOCK = re.compile(r"^```\w+ path=([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_SAID = re.compile(r"[ \t]*(//|#|--|/\*)?#>.*")
_WORD = re.compile(r"[^\W\d]\w*")


def cases(language: str) -> list[dict[str, str]]:
    """The programs that specify the calls of a language: path -> text."""
    text = (PAGES / f"{language}.md").read_text(encoding="utf-8")
    parts = re.split(r"^(?=## )", text, flags=re.MULTILINE)
    found = [{path: _SAID.sub("", body) for path, body in _BLOCK.findall(part)} for part in parts]
    return [files for files in found if files]


def program(language: str, random: Random) -> dict[str, str]:
    """Some of them in one folder: files of one path stand behind each other in it."""
    every = cases(language)
    made: dict[str, str] = {}
    for files in random.sample(every, min(len(every), random.randint(2, 5))):
        for path, text in files.items():
            made[path] = made.get(path, "") + text
    return made


class Edits:
    def __init__(self, language: str, random: Random) -> None:
        self.random = random
        self.files = program(language, random)
        self.first = dict(self.files)
        self.words = sorted({word for text in self.files.values() for word in _WORD.findall(text)})

    def step(self) -> None:
        self.random.choice(_STEPS)(self)

    def _path(self) -> str:
        return self.random.choice(sorted(self.files))

    def _lines(self, path: str) -> list[str]:
        return self.files[path].split("\n")

    def _put(self, path: str, lines: list[str]) -> None:
        self.files[path] = "\n".join(lines)

    # What someone does in an editor

    def change_a_word(self) -> None:
        path = self._path()
        found = list(_WORD.finditer(self.files[path]))
        if found:
            one, text = self.random.choice(found), self.files[path]
            self.files[path] = text[: one.start()] + self.random.choice(self.words) + text[one.end() :]

    def rename(self) -> None:
        old, new = self.random.choice(self.words), self.random.choice(self.words)
        for path in self.random.choice([[self._path()], sorted(self.files)]):
            self.files[path] = re.sub(rf"\b{old}\b", new, self.files[path])

    def remove_a_line(self) -> None:
        path = self._path()
        lines = self._lines(path)
        del lines[self.random.randrange(len(lines))]
        self._put(path, lines)

    def copy_a_line(self) -> None:
        path = self._path()
        line = self.random.choice(self._lines(self._path()))
        lines = self._lines(path)
        lines.insert(self.random.randrange(len(lines) + 1), line)
        self._put(path, lines)

    def swap_lines(self) -> None:
        path = self._path()
        lines = self._lines(path)
        one, other = self.random.randrange(len(lines)), self.random.randrange(len(lines))
        lines[one], lines[other] = lines[other], lines[one]
        self._put(path, lines)

    def copy_a_block(self) -> None:
        path = self._path()
        source = self._lines(self._path())
        begin = self.random.randrange(len(source))
        lines = self._lines(path)
        at = self.random.choice([len(lines), self.random.randrange(len(lines) + 1)])
        self._put(path, lines[:at] + source[begin : begin + self.random.randint(2, 8)] + lines[at:])

    # What happens to files

    def move_a_file(self) -> None:
        path = self._path()
        other = PurePosixPath(self._path())
        names = [PurePosixPath(path).name, other.name, f"{other.stem}2{other.suffix}", f"index{other.suffix}"]
        folders = [str(other.parent), "new", "new/deep", "src", "."]
        self.files[str(PurePosixPath(self.random.choice(folders)) / self.random.choice(names))] = self.files.pop(path)

    def copy_a_file(self) -> None:
        other = PurePosixPath(self._path())
        self.files[str(other.with_name(f"{other.stem}2{other.suffix}"))] = self.files[self._path()]

    def remove_a_file(self) -> None:
        if len(self.files) > 1:
            del self.files[self._path()]

    def restore_a_file(self) -> None:
        path = self.random.choice(sorted(self.first))
        self.files[path] = self.first[path]

    def restore_all(self) -> None:
        self.files = dict(self.first)


_OFTEN = (Edits.change_a_word, Edits.rename, Edits.copy_a_line, Edits.remove_a_line, Edits.copy_a_block)
_STEPS: tuple[Callable[[Edits], None], ...] = (
    *_OFTEN,
    *_OFTEN,
    Edits.change_a_word,
    Edits.swap_lines,
    Edits.move_a_file,
    Edits.copy_a_file,
    Edits.remove_a_file,
    Edits.restore_a_file,
    Edits.restore_all,
)
