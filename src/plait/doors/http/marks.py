"""Judgements that people make while they look: collections in a folder that was named for it, in the usual files."""

from __future__ import annotations

import json
import os
import re
import tempfile
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from plait.doors.http.faults import Fault, bad
from plait.errors import BadCollection, CannotWrite
from plait.evaluate.collection import FILE, Collection, Topic, load
from plait.model import SymbolId

NAME = r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}"
"""Of a collection; it is the name of its folder, so it begins with no dot."""

MOST = 5_000
"""Topics of a collection."""


@dataclass(frozen=True, slots=True)
class Marked:
    collection: str
    repository: str
    topics: tuple[Topic, ...]
    judged: Mapping[str, Mapping[str, int]]
    """topic id -> symbol -> relevance"""


class Marks:
    """Safe to be used by several threads; other programs may read the files at any time."""

    def __init__(self, folder: Path, roots: Mapping[str, Path]) -> None:
        """`roots` are the repositories that can be judged, by name."""
        self.folder = folder.expanduser().resolve()
        self._roots = dict(roots)
        self._lock = threading.Lock()

    def names(self) -> list[str]:
        """Return the collections that are there and about a repository that is served, by name."""
        try:
            found = sorted(entry.name for entry in os.scandir(self.folder) if entry.is_dir(follow_symlinks=False))
        except OSError:
            return []
        return [name for name in found if re.fullmatch(NAME, name) and self._repository(name)]

    def read(self, name: str) -> Marked | None:
        """Return a collection; None if there is none of that name. Raises Fault for one that cannot be read."""
        if not re.fullmatch(NAME, name):
            raise bad(f"a collection's name has letters, digits, `-`, `_` and `.`, at most 64, not {name[:40]!r}")
        with self._lock:
            return self._read(name)

    def collection(self, name: str) -> Collection | None:
        """Return a collection to be evaluated; None if there is none or nothing is judged in it."""
        marked = self.read(name)
        if marked is None or not marked.topics:
            return None
        return load(self.folder / name)

    def mark(self, name: str, repository: str, query: str, symbol: SymbolId, relevance: int | None) -> Marked:
        """Judge a symbol for a question, or take its judgement away; a topic without any goes, too.

        Raises Fault for a collection about another repository, CannotWrite.
        """
        text = " ".join(query.split())
        with self._lock:
            before = self._read(name) or Marked(name, repository, (), {})
            if before.repository != repository:
                told = f"the collection {name} is about {before.repository}; choose another name for {repository}"
                raise Fault(409, "bad_request", told)
            judged = {topic: dict(symbols) for topic, symbols in before.judged.items()}
            topics = list(before.topics)
            topic = next((one for one in topics if one.text == text), None)
            if topic is None:
                if len(topics) >= MOST:
                    raise bad(f"{name} has {MOST:,} questions; begin another collection")
                topic = Topic(f"q{_next(topics)}", text)
                topics.append(topic)
            symbols = judged.setdefault(topic.id, {})
            if relevance is None:
                symbols.pop(symbol, None)
            else:
                symbols[symbol] = relevance
            if not symbols:
                topics.remove(topic)
                del judged[topic.id]
            made = Marked(name, repository, tuple(topics), judged)
            self._write(made, shrinking=len(topics) < len(before.topics))
            return made

    def _repository(self, name: str) -> str:
        """Return the repository that a collection is about; empty if that is none that is served."""
        try:
            text = (self.folder / name / FILE).read_text(encoding="utf-8")
        except (OSError, ValueError):
            return ""
        found = re.search(r"^corpus = (\".*\")$", text, re.MULTILINE)
        try:
            corpus = json.loads(found[1]) if found else ""
        except ValueError:
            return ""
        return next((one for one, root in self._roots.items() if str(root) == corpus), "")

    def _read(self, name: str) -> Marked | None:
        folder = self.folder / name
        if not (folder / FILE).is_file():
            return None
        repository = self._repository(name)
        if not repository:
            raise Fault(409, "bad_request", f"the collection {name} is about no repository that is served")
        try:
            if not (folder / "topics.tsv").read_text(encoding="utf-8").strip():
                return Marked(name, repository, (), {})
            found = load(folder)
        except (OSError, ValueError, BadCollection) as error:
            raise Fault(409, "bad_request", f"the collection {name} cannot be read: {error}") from error
        judged: dict[str, dict[str, int]] = {topic.id: {} for topic in found.topics}
        for qrel in found.qrels:
            judged[qrel.topic][qrel.symbol] = qrel.relevance
        return Marked(name, repository, found.topics, judged)

    def _write(self, marked: Marked, *, shrinking: bool) -> None:
        folder = self.folder / marked.collection
        settings = {
            "name": marked.collection,
            "description": f"Judged while searching {marked.repository}.",
            "corpus": str(self._roots[marked.repository]),
            "topics": "topics.tsv",
            "qrels": "qrels.txt",
            "language": "any",
        }
        topics = [f"{topic.id}\t{topic.text}" for topic in marked.topics]
        qrels = [
            f"{topic.id} 0 {symbol} {relevance}"
            for topic in marked.topics
            for symbol, relevance in sorted(marked.judged[topic.id].items())
        ]
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if not folder.resolve().is_relative_to(self.folder):
                raise Fault(403, "outside_roots", f"{marked.collection} is a link out of the folder for collections")
            files = [("topics.tsv", topics), ("qrels.txt", qrels)]
            # Whoever reads meanwhile must find no qrel without its topic.
            for file, lines in reversed(files) if shrinking else files:
                _replace(folder / file, "".join(f"{line}\n" for line in lines))
            _replace(folder / FILE, "".join(f"{key} = {_quoted(value)}\n" for key, value in settings.items()))
        except OSError as error:
            told = "give another folder to --write"
            raise CannotWrite(str(folder), error.strerror or str(error), told) from error


def _next(topics: list[Topic]) -> int:
    numbers = [int(one.id[1:]) for one in topics if re.fullmatch(r"q[0-9]{1,9}", one.id)]
    return max(numbers, default=0) + 1


def _quoted(value: str) -> str:
    """Return a TOML string that JSON reads as well."""
    return json.dumps(value).replace("\x7f", "\\u007f")


def _replace(path: Path, text: str) -> None:
    handle, aside = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with open(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        os.replace(aside, path)
    except BaseException:
        Path(aside).unlink(missing_ok=True)
        raise
