"""Collections: topics and qrels in TREC words, and the corpus they are about.

A collection is a folder with a `collection.toml`:

    name = "shop"
    description = "What it is."
    corpus = "corpus"          # folder, relative to this file or absolute
    topics = "topics.tsv"      # id<TAB>text, or id<TAB>text<TAB>category
    qrels = "qrels.txt"        # TREC: topic 0 symbol relevance
    language = "python"
    kinds = ["function", "method"]   # optional: only such symbols are documents of the collection
    documents = "files"        # optional: files are judged, each by its first symbol; a qrel's symbol is `path:/`

A qrel's symbol is a full id or any suffix of a qualified name that is unique in the corpus. Relevance is a whole
number; 0 and below is judged and not relevant. Blank lines and lines that begin with `#` are ignored.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from plait.errors import AmbiguousSymbol, BadCollection, UnknownSymbol
from plait.model import Filter, SymbolId, SymbolKind

FILE = "collection.toml"


@dataclass(frozen=True, slots=True)
class Topic:
    id: str
    text: str
    category: str = ""
    """what kind of question it is; empty if nothing is said"""


@dataclass(frozen=True, slots=True)
class Qrel:
    topic: str
    symbol: str
    """as written in the file"""
    relevance: int
    where: str
    """file:line"""


@dataclass(frozen=True, slots=True)
class Collection:
    name: str
    description: str
    corpus: Path
    language: str
    topics: tuple[Topic, ...]
    """in file order"""
    qrels: tuple[Qrel, ...]
    """in file order"""
    where: Filter = Filter()
    """which symbols of the corpus are its documents"""
    by_file: bool = False
    """files are judged, each by the first of its symbols; a qrel names a file by its module's id"""

    def topic(self, wanted: str) -> Topic:
        """Return the topic with that id, else in another case; BadCollection with all ids if there is none."""
        for topic in sorted(self.topics, key=lambda topic: topic.id != wanted):
            if topic.id.lower() == wanted.lower():
                return topic
        raise BadCollection(self.name, f"no topic {wanted!r}; there are: {', '.join(t.id for t in self.topics)}")


Judgements = Mapping[str, Mapping[SymbolId, int]]
"""topic id -> symbol -> relevance, for judged topics only, in topic order"""


def built_in() -> list[str]:
    """Return the names of the collections that come with plait."""
    folder = files("plait") / "collections"
    return sorted(entry.name for entry in folder.iterdir() if (entry / FILE).is_file())


def load(name: str | Path) -> Collection:
    """Read a collection from its folder, from its toml file, or one of plait's own by name.

    Raises BadCollection, naming file and line.
    """
    try:
        path = Path(name).expanduser()
        there = path.exists()
    except (OSError, RuntimeError, ValueError):
        raise BadCollection(str(name), "no such path") from None
    if not there and str(name) in built_in():
        path = Path(str(files("plait") / "collections" / str(name)))
    if path.is_dir():
        path = path / FILE
    if not path.is_file():
        raise BadCollection(
            str(name), f"no collection; give a folder with a {FILE}, or one of plait's own: {', '.join(built_in())}"
        )
    keys = ("name", "description", "corpus", "topics", "qrels", "language")
    settings = _settings(path, keys)
    topics = tuple(_topics(path.parent / settings["topics"]))
    qrels = tuple(_qrels(path.parent / settings["qrels"], {topic.id for topic in topics}))
    corpus = path.parent / settings["corpus"]
    if not corpus.is_dir():
        raise BadCollection(str(path), f"the corpus folder {corpus} does not exist")
    return Collection(
        name=settings["name"],
        description=settings["description"],
        corpus=corpus,
        language=settings["language"],
        topics=topics,
        qrels=qrels,
        where=Filter(kinds=_kinds(path, settings.get("kinds"))),
        by_file=_by_file(path, settings.get("documents")),
    )


def resolve(collection: Collection, find: Callable[[str], SymbolId]) -> Judgements:
    """Turn the qrels' symbols into ids.

    `find` raises UnknownSymbol or AmbiguousSymbol; this becomes BadCollection, naming file and line.
    """
    judged: dict[str, dict[SymbolId, int]] = {}
    if collection.by_file:
        # A file that is not indexed is one that nobody can find.
        find = SymbolId
    for qrel in collection.qrels:
        try:
            symbol = find(qrel.symbol)
        except (UnknownSymbol, AmbiguousSymbol) as error:
            raise BadCollection(qrel.where, str(error)) from error
        if symbol in judged.setdefault(qrel.topic, {}):
            raise BadCollection(qrel.where, f"{symbol} is judged twice for {qrel.topic}")
        judged[qrel.topic][symbol] = qrel.relevance
    return {topic.id: judged[topic.id] for topic in collection.topics if topic.id in judged}


def _kinds(path: Path, given: object) -> frozenset[SymbolKind] | None:
    if given is None:
        return None
    known = [str(kind) for kind in SymbolKind]
    if not isinstance(given, list) or not given or any(kind not in known for kind in given):
        raise BadCollection(str(path), f"kinds must be a list of some of {', '.join(known)}, not {given!r}")
    return frozenset(map(SymbolKind, given))


def _by_file(path: Path, given: object) -> bool:
    if given not in (None, "files", "symbols"):
        raise BadCollection(str(path), f"documents must be 'files' or 'symbols', not {given!r}")
    return given == "files"


def _settings(path: Path, keys: tuple[str, ...]) -> dict[str, Any]:
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise BadCollection(str(path), f"cannot be read as TOML ({error})") from error
    for key in keys:
        if not isinstance(found.get(key), str):
            raise BadCollection(str(path), f"the key {key!r} is missing or not text")
    return found


def _topics(path: Path) -> Iterator[Topic]:
    seen: set[str] = set()
    for where, line in lines(path):
        columns = [column.strip() for column in line.split("\t")]
        if len(columns) not in (2, 3) or not all(columns):
            raise BadCollection(where, "a topic is an id, a tab and a text, and perhaps a tab and a category")
        topic, text, *category = columns
        if len(topic.split()) > 1:
            raise BadCollection(where, f"a topic's id is one word, as qrels have it, not {topic!r}")
        if topic in seen:
            raise BadCollection(where, f"topic {topic} stands here twice")
        seen.add(topic)
        yield Topic(topic, text, *category)
    if not seen:
        raise BadCollection(str(path), "holds no topic")


def _qrels(path: Path, topics: set[str]) -> Iterator[Qrel]:
    empty = True
    for where, line in lines(path):
        columns = line.split()
        if len(columns) != 4:
            raise BadCollection(where, f"a qrel has 4 columns (topic 0 symbol relevance), this one {len(columns)}")
        topic, _, symbol, relevance = columns
        if topic not in topics:
            raise BadCollection(where, f"no topic is called {topic}")
        if not re.fullmatch(r"-?[0-9]{1,9}", relevance):
            raise BadCollection(where, f"relevance must be a whole number, not {relevance!r}")
        empty = False
        yield Qrel(topic, symbol, int(relevance), where)
    if empty:
        raise BadCollection(str(path), "holds no qrel")


def lines(path: Path) -> Iterator[tuple[str, str]]:
    """Yield file:line and the line, without blank lines and comments."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        raise BadCollection(str(path), f"cannot be read ({error})") from error
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip() and not line.startswith("#"):
            yield f"{path}:{number}", line
