"""`mine`: from a repository to a collection about it, kept in the cache until the repository has another commit.

The folder of a mined collection holds

- `collection.toml` with topics and qrels of the origins commit, docstring and test;
- `flows/collection.toml` with those that are derived from the call graph: a collection of their own, so that no mean in
  which a graph is judged has them in it;
- `corpus`, which both are about;
- `sources.tsv`: what each topic was made of.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path

from plait import git
from plait.engine import Engine
from plait.errors import BadCollection, CannotWrite
from plait.evaluate.collection import FILE
from plait.mining import corpus, docstrings, history, reached
from plait.mining.question import Origin, Question
from plait.model import Direction, EdgeKind, SymbolId
from plait.settings import Settings
from plait.source import language
from plait.store.folders import mined_of

VERSION = "4"
"""Of the rules: another one makes kept collections anew."""

FLOWS = "flows"
SOURCES = "sources.tsv"
EVERY_FLOW = 1_000
KINDS = 'kinds = ["function", "method"]\n'

_UNFINISHED = "new-"

_HEAD = """\
name = {name}
description = {description}
corpus = {corpus}
topics = "topics.tsv"
qrels = "qrels.txt"
language = {language}
"""

Progress = Callable[[str, int, int], None]


def mine(root: Path, settings: Settings, progress: Progress) -> Path:
    """Return the folder of the collection made of the folder `root`, made now or kept.

    Raises BadCollection if there is nothing to ask about.
    """
    head = git.commit(root, "HEAD") if git.has_work_tree(root) else None
    engine = _opened(root, settings, settings.cache, progress) if head is None else None
    state = head or (engine.snapshot().info.state if engine else "")
    of_root = mined_of(settings.cache, root)
    place = of_root / blake2b(f"{VERSION} {state} {settings.max_file_bytes}".encode(), digest_size=8).hexdigest()
    if (place / FILE).is_file():
        return place
    try:
        of_root.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=of_root, prefix=_UNFINISHED) as made:
            fresh = Path(made) / "collection"
            _mine(root, head, settings, Path(made), fresh, progress)
            for old in sorted(of_root.iterdir()):
                if not old.name.startswith(_UNFINISHED):  # another process may be at work there
                    shutil.rmtree(old, ignore_errors=True)
            fresh.rename(place)
    except OSError as error:
        raise CannotWrite(str(of_root), error.strerror or str(error), "choose another folder with --cache") from error
    return place


def _mine(root: Path, head: str | None, settings: Settings, work: Path, fresh: Path, progress: Progress) -> None:
    progress("mining", 0, 3)
    base = history.base(root) if head else None
    files = _files(root, base.commit if base else head, settings, progress)
    tree = work / "tree"
    corpus.write(tree, files)
    engine = _opened(tree, settings, work / "cache", progress)
    snapshot = engine.snapshot()
    symbols = snapshot.symbols()
    ids = [symbol.id for symbol in symbols]
    texts = snapshot.texts(ids)
    here = {symbol.id: symbol for symbol in symbols}
    progress("mining", 1, 3)
    commits = history.questions(root, base, files, symbols) if base else []
    progress("mining", 2, 3)
    tests = reached.of_tests(symbols, snapshot.edges(ids, [EdgeKind.CALLS], Direction.OUT), texts)
    flows = reached.of_flows(engine.flows(k=EVERY_FLOW).rows)
    taken = frozenset(symbol for one in commits for symbol in one.answer)
    said = docstrings.questions(symbols, texts, taken | {SymbolId(one.source) for one in flows})
    asked = [here[SymbolId(one.source)] for one in (*said, *flows)]
    written, out = corpus.bare({path: files[path] for path in sorted(files)}, asked)
    said = [one for one in said if one.source in out]
    flows = [one for one in flows if one.source in out and one.source not in taken]
    questions = [*commits, *said, *tests]
    if not questions:
        raise BadCollection(str(root), "no commit, documentation or test asks for something; write --queries FILE")
    corpus.write(fresh / "corpus", written)
    languages = Counter(symbol.language for symbol in symbols if not symbol.is_test)
    spoken = min(languages, key=lambda one: (-languages[one], one))
    around = _state(root, head, base)
    _write(fresh, f"{root.name}, mined", f"{_counted(questions)}. {around}", "corpus", spoken, questions)
    if flows:
        about = f"{_counted(flows)}, derived from the call graph: they say nothing for it. {around}"
        _write(fresh / FLOWS, f"{root.name}, flows", about, "../corpus", spoken, flows)


def _opened(folder: Path, settings: Settings, cache: Path, progress: Progress) -> Engine:
    """Open an index without vectors that cost anything: what is mined follows from texts and calls alone."""
    limit = settings.max_file_bytes
    return Engine.open(folder, progress=progress, embedder="hashing", cache=cache, max_file_bytes=limit)


def _files(root: Path, commit: str | None, settings: Settings, progress: Progress) -> dict[str, bytes]:
    """The files in a language that plait reads, of a commit or as they are now, by path."""
    if commit is None:
        snapshot = _opened(root, settings, settings.cache, progress).snapshot()
        return {path: (root / path).read_bytes() for path in (r.state.path for r in snapshot.records() if r.digest)}
    tree = {path: made for path, made in git.tree(root, commit).items() if language(path) or path == corpus.IGNORING}
    found = dict(zip(tree, git.contents(root, list(tree.values())), strict=True))
    return {path: content for path, content in found.items() if len(content) <= settings.max_file_bytes}


def _counted(questions: Sequence[Question]) -> str:
    counts = Counter(one.origin for one in questions)
    made_of = ", ".join(f"{count} from {origin}s" for origin in Origin if (count := counts[origin]))
    return f"{len(questions)} question{'s' if len(questions) != 1 else ''} ({made_of})"


def _state(root: Path, head: str | None, base: history.Base | None) -> str:
    if head is None:
        return f"The code is {root.name} as it is now, without its tests."
    commit, time = (base.commit, base.time) if base else git.line_of_first_parents(root)[0]
    day = datetime.fromtimestamp(time, UTC).date()
    before = ", before every commit that is asked about" if base else ""
    return f"The code is {root.name} as of {day} (commit {commit[:12]}){before}, without its tests."


def _write(folder: Path, name: str, told: str, around: str, spoken: str, questions: Sequence[Question]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    texts = {"name": name, "description": told, "corpus": around, "language": spoken}
    quoted = {key: json.dumps(text, ensure_ascii=False) for key, text in texts.items()}
    numbered = _numbered(questions)
    written = {
        "topics.tsv": "".join(f"{name}\t{one.text}\t{one.category}\n" for name, one in numbered),
        "qrels.txt": "".join(f"{name} 0 {symbol} 1\n" for name, one in numbered for symbol in one.answer),
        SOURCES: "".join(f"{name}\t{one.source}\n" for name, one in numbered),
        FILE: _HEAD.format(**quoted) + KINDS,
    }
    for name, content in written.items():
        (folder / name).write_text(content, encoding="utf-8")


def _numbered(questions: Sequence[Question]) -> list[tuple[str, Question]]:
    counts: Counter[Origin] = Counter()
    numbered = []
    for one in questions:
        counts[one.origin] += 1
        numbered.append((f"{one.origin}-{counts[one.origin]}", one))
    return numbered
