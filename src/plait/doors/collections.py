"""Which collection `plait eval` judges on, what another tool found on it, and what is written of it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache, wraps
from pathlib import Path
from typing import Any, TypeVar, cast

import click

from plait.doors.options import COUNT, Common, opened
from plait.doors.terminal import notice
from plait.doors.trial import Trial
from plait.engine import Engine
from plait.errors import AmbiguousSymbol, BadCollection, BadParameter, CannotWrite, UnknownSymbol
from plait.evaluate.collection import FILE, Collection, Topic, built_in, load
from plait.evaluate.files import file_id
from plait.evaluate.formats import beir, semble, trec, written
from plait.evaluate.judge import Evaluation
from plait.mining.mine import FLOWS, SOURCES, mine
from plait.mining.question import order
from plait.model import Content, Ranking, SymbolId
from plait.settings import Settings
from plait.store.folders import imported_of

Command = TypeVar("Command", bound=Callable[..., Any])

FILES = click.Path(dir_okay=False, exists=True, path_type=Path)
FOLDER = click.Path(file_okay=False, path_type=Path)


@dataclass(frozen=True, slots=True)
class Asked:
    """What the user of `plait eval` says about collections and runs."""

    mined: str | None
    """the repository to make a collection of"""
    queries: Path | None
    look: int | None
    exported: Path | None
    others: tuple[Path, ...]
    written: Path | None


def chosen(command: Command) -> Command:
    """Add the options that decide what is judged and what is written of it, given to the command as one `Asked`."""

    @wraps(command)
    def gather(**given: Any) -> Any:
        asked = Asked(**{one.name: given.pop(one.name) for one in fields(Asked)})
        return command(asked=asked, **given)

    mine = click.option(
        "--mine", "mined", is_flag=False, flag_value=".", metavar="[PATH]", help="Make the collection of a repository."
    )
    for option in reversed(
        (
            mine,
            click.option("--queries", type=FILES, help="Add questions of your own: YAML, or semble's JSON."),
            click.option("--look", type=COUNT, metavar="N", help="Only show N questions with their answers."),
            click.option("--export", "exported", type=FOLDER, help="Write the collection: TREC files, a BEIR folder."),
            click.option("--run", "others", type=FILES, multiple=True, help="Judge another tool's TREC run."),
            click.option("--runs", "written", type=FOLDER, help="Write each ranking as a TREC run into this folder."),
        )
    ):
        gather = option(gather)
    return cast(Command, gather)


@dataclass(frozen=True, slots=True)
class Chosen:
    collection: Collection
    folder: Path | None = None
    """of a mined collection"""
    content: Content | None = None
    """what must be indexed for it, if not what is asked for"""
    joined: bool = False
    """questions of a person are among those of a mined collection"""
    document: Callable[[str], SymbolId] = file_id
    """the id that stands for a file, by what a run calls it"""

    def read_with(self, common: Common) -> Common:
        """Return the settings with which the corpus is to be read."""
        return Common(common.as_json, common.settings | {"content": self.content}) if self.content else common

    def answerable(self, engine: Engine) -> Collection:
        """Leave out a person's questions of which something relevant is not in the mined state, and say which."""
        return _answerable(self.collection, engine) if self.joined else self.collection


def choose(name: str | None, asked: Asked, common: Common) -> Chosen:
    """Find the collection: by its name or folder, mined, or written questions about a folder of code."""
    queries = asked.queries
    if asked.mined is not None:
        if name is not None:
            raise BadParameter("give a COLLECTION or --mine, not both; --queries FILE adds questions to either")
        with opened(asked.mined, common) as engine:
            folder = mine(engine.root, engine.settings, engine.progress)
        return Chosen(_joined(load(folder), queries), folder, joined=queries is not None)
    if name is None and queries is None:
        raise BadParameter("give a COLLECTION, --mine for one made of a repository, or --queries FILE")
    place = Path(name or ".").expanduser()
    if name is not None and (name in built_in() or place.is_file() or (place / FILE).is_file()):
        return Chosen(_joined(load(name), queries))
    if place.is_dir() and beir.is_beir(place):
        return Chosen(beir.read(place, _documents(place, common)), content=Content.ALL, document=beir.document)
    if queries is None:
        return Chosen(load(place))
    if not place.is_dir():
        raise BadParameter(f"{place}: no folder of code for the questions of {queries}")
    if queries.suffix == ".json":
        return Chosen(semble.read(queries, place))
    nothing = Collection(place.resolve().name, f"written questions about {place}", place, "", (), ())
    return Chosen(_joined(nothing, queries))


def mined(collection: Collection, folder: Path) -> str:
    """Tell what a mined collection is, where it lies, and what is judged apart."""
    flows = folder / FLOWS
    apart = f"; questions derived from the call graph are judged apart: plait eval {flows}" if flows.is_dir() else ""
    return f"{collection.description}\nmined collection: {folder}{apart}"


def _joined(collection: Collection, queries: Path | None) -> Collection:
    if queries is None:
        return collection
    if queries.suffix == ".json":
        raise BadParameter(f"{queries}: judged by file, so it joins no collection; give the folder of the code")
    topics, qrels = written.read(queries)
    names = {topic.id for topic in collection.topics}
    if twice := [topic.id for topic in topics if topic.id in names]:
        raise BadCollection(str(queries), f"the collection has a topic {twice[0]}, too; give the question another id")
    return replace(collection, topics=(*collection.topics, *topics), qrels=(*collection.qrels, *qrels))


def _answerable(collection: Collection, engine: Engine) -> Collection:
    missing: dict[str, str] = {}
    for qrel in collection.qrels:
        try:
            engine.find(qrel.symbol)
        except (UnknownSymbol, AmbiguousSymbol) as error:
            missing.setdefault(qrel.topic, str(error))
    for topic, problem in missing.items():
        notice(f"{topic} is left out: in the state that the mined questions are about, {problem}")
    return replace(
        collection,
        topics=tuple(topic for topic in collection.topics if topic.id not in missing),
        qrels=tuple(qrel for qrel in collection.qrels if qrel.topic not in missing),
    )


def _documents(folder: Path, common: Common) -> Path:
    """Write the documents of a BEIR folder as files into the cache, anew each time: they may have changed."""
    place = imported_of(Settings.load(folder, common.settings).cache) / order(str(folder.resolve()))
    try:
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        for path, text in beir.documents(folder).items():
            (place / path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise CannotWrite(str(place), error.strerror or str(error), "choose another folder with --cache") from error
    return place


def other_runs(files: Sequence[Path], chosen: Chosen, engine: Engine) -> dict[str, Mapping[str, Ranking]]:
    """Read other tools' rankings, each by the name of its file."""
    known = {file_id(symbol.path) for symbol in engine.snapshot().symbols()} if files else set()

    @cache
    def find(name: str) -> SymbolId:
        if chosen.collection.by_file and (file := chosen.document(name)) in known:
            return file
        return engine.find(name).id

    found: dict[str, Mapping[str, Ranking]] = {}
    for file in files:
        if file.stem in found:
            raise BadParameter(f"two runs are called {file.stem}; give one of the files another name")
        scores = trec.read_run(file)
        found[file.stem], unknown = trec.rankings(scores, find)
        every = sum(map(len, scores.values()))
        if unknown:
            notice(f"{file}: {unknown} of {every} results name no symbol of the corpus and count as irrelevant")
    return found


def look(chosen: Chosen, count: int) -> tuple[dict[str, Any], Iterator[str]]:
    """Return some questions, as if by chance, as JSON and as lines for a person to judge."""
    collection = chosen.collection
    shown = sorted(collection.topics, key=lambda topic: order(f"{topic.id} {topic.text}"))[:count]
    answers: dict[str, list[str]] = {topic.id: [] for topic in collection.topics}
    for qrel in collection.qrels:
        if qrel.relevance > 0:
            answers[qrel.topic].append(qrel.symbol)
    found = {
        "schema": "plait.look.v1",
        "collection": collection.name,
        "description": collection.description,
        "total": len(collection.topics),
        "questions": [
            {"id": topic.id, "category": topic.category, "text": topic.text, "relevant": answers[topic.id]}
            for topic in shown
        ],
    }
    return found, _look_text(chosen, shown, answers)


def _look_text(chosen: Chosen, shown: Sequence[Topic], answers: Mapping[str, Sequence[str]]) -> Iterator[str]:
    sources: dict[str, str] = {}
    if chosen.folder is not None:
        rows = (chosen.folder / SOURCES).read_text(encoding="utf-8").splitlines()
        sources = {topic: source for topic, _, source in (row.partition("\t") for row in rows)}
    yield chosen.collection.description
    yield ""
    for topic in shown:
        yield f"{topic.id}  [{topic.category or 'no category'}]"
        yield f"    {topic.text}"
        yield from (f"    -> {symbol}" for symbol in answers[topic.id])
        made = sources.get(topic.id)
        if made and made not in answers[topic.id]:
            yield f"    from {made}"
    yield ""
    every = len(chosen.collection.topics)
    yield f"{len(shown)} of {every} questions; a bad one is one to which the answer is no answer"


def write(asked: Asked, chosen: Chosen, trial: Trial) -> None:
    """Write the collection and the runs, as far as somebody asked for it. Raises CannotWrite."""
    if asked.exported:
        export(asked.exported, trial.evaluation.collection, chosen.folder, trial.evaluation, trial.engine)
        notice(f"collection written to {asked.exported}")
    if asked.written:
        write_runs(asked.written, trial.runs, trial.short)
        notice(f"runs written to {asked.written}")


def export(folder: Path, collection: Collection, mined: Path | None, evaluation: Evaluation, engine: Engine) -> None:
    """Write a collection as a folder that plait, BEIR's readers and trec_eval read; a mined one with its code."""
    snapshot = engine.snapshot()
    symbols = [one for one in snapshot.symbols() if collection.where.accepts(one)]
    texts: Mapping[SymbolId, str] = snapshot.texts([one.id for one in symbols])
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise CannotWrite(str(folder), "it is not empty", "give another folder to --export")
        corpus = str(collection.corpus.resolve())
        if mined is not None:
            shutil.copytree(mined, folder, dirs_exist_ok=True)
            corpus = "corpus"
        _write_collection(folder, collection, corpus, evaluation)
        if not collection.by_file:
            beir.write(folder, evaluation.topics, evaluation.judgements, symbols, texts)
    except OSError as error:
        raise CannotWrite(str(folder), error.strerror or str(error), "give another folder to --export") from error


def _write_collection(folder: Path, collection: Collection, corpus: str, evaluation: Evaluation) -> None:
    texts = {"name": collection.name, "description": collection.description, "corpus": corpus}
    texts |= {"topics": "topics.tsv", "qrels": "qrels.txt", "language": collection.language}
    kinds = sorted(collection.where.kinds or ())
    rows = [f"{key} = {_quoted(value)}\n" for key, value in texts.items()]
    rows += ['documents = "files"\n'] if collection.by_file else []
    rows += [f"kinds = [{', '.join(map(_quoted, kinds))}]\n"] if kinds else []
    (folder / FILE).write_text("".join(rows), encoding="utf-8")
    topics = ("\t".join(part for part in (one.id, one.text, one.category) if part) for one in evaluation.topics)
    (folder / "topics.tsv").write_text("".join(f"{row}\n" for row in topics), encoding="utf-8")
    (folder / "qrels.txt").write_text("".join(trec.qrel_lines(evaluation.judgements)), encoding="utf-8")


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def write_runs(folder: Path, runs: Mapping[str, Mapping[str, Ranking]], short: Mapping[str, str]) -> None:
    """Write each ranking as a TREC run, in a file by the short name of its label."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for label, run in runs.items():
            name = "".join(c if c.isalnum() or c in "-_=." else "-" for c in short[label]).strip("-")
            (folder / f"{name}.run").write_text("".join(trec.run_lines(run, short[label])), encoding="utf-8")
    except OSError as error:
        raise CannotWrite(str(folder), error.strerror or str(error), "give another folder to --runs") from error
