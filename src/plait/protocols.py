"""The verbs: plait's extension points. A new language, graph, embedder, store or strategy is one class with them.

Graphs, embedders and strategies can come from other packages; a language and a store are made known inside plait.

`plait.testing` holds a contract suite for each.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol, runtime_checkable

from plait.model import (
    Direction,
    Edge,
    EdgeKind,
    FileRecord,
    FileState,
    Filter,
    Graph,
    Known,
    Pool,
    Position,
    Query,
    Ranking,
    Recovered,
    Skipped,
    SnapshotInfo,
    SourceFile,
    Span,
    Symbol,
    SymbolId,
    Unresolved,
)

if TYPE_CHECKING:
    from plait.batch import Batch
    from plait.facts import Outline, ParsedFile
    from plait.links import Links
    from plait.model import Codes, Vector, Vectors

Role = Literal["document", "query"]


class Parser(Protocol):
    def parse(self, file: SourceFile) -> ParsedFile | Skipped:
        """Return the facts of one file from that file alone; Skipped if it cannot be parsed. Never raises."""
        ...


@runtime_checkable
class FlowParser(Parser, Protocol):
    """A parser that also finds how values move."""

    def without_flow(self) -> Parser:
        """Return the parser that gives the same facts but for `ParsedFile.flow`, which it leaves empty."""
        ...


class GraphBuilder(Protocol):
    def build(self, files: Sequence[ParsedFile]) -> Graph:
        """Return the same graph for the same files in any order."""
        ...


@runtime_checkable
class JoiningGraphBuilder(GraphBuilder, Protocol):
    """A builder that can take in what a SCIP index says."""

    def build_with(self, files: Sequence[ParsedFile], known: Mapping[Position, Known]) -> Graph:
        """As build, with edges of exact evidence where something is known; without anything known, the same."""
        ...


class Opened(Protocol):
    """The facts of files whose outlines are known, opened when something is asked of them."""

    def __call__(self, path: str) -> ParsedFile: ...

    def every(self, paths: Sequence[str]) -> Sequence[ParsedFile]:
        """Return the facts of each path, in order."""
        ...

    def telling(self, name: str) -> Collection[str]:
        """Return the paths of at least those files that say something of the name to others.

        What that is stands with `plait.graph.generic.told`; it is asked for in languages that have a table alone.
        """
        ...


@runtime_checkable
class RelinkingGraphBuilder(GraphBuilder, Protocol):
    """A builder that can link some files anew and leave the edges of all others as they are."""

    @property
    def in_part(self) -> frozenset[str]:
        """The languages of which `relink` gives less than `build`: what needs no other files than those imported."""
        ...

    @property
    def apart(self) -> frozenset[str]:
        """The languages whose files `relink` can link some at a time, given an outline of all others."""
        ...

    def relink(self, files: Sequence[ParsedFile], around: Sequence[Outline], opened: Opened) -> Graph:
        """Return the edges and sites of these files. `around` are all others, `opened` gives the facts of one."""
        ...


class Embedder(Protocol):
    @property
    def fingerprint(self) -> str:
        """Name and digest of the weights: equal fingerprints give equal vectors, unequal ones must not be compared."""
        ...

    @property
    def dim(self) -> int: ...

    @property
    def window(self) -> int:
        """The most tokens of one text that count; longer texts must be split into passages before."""
        ...

    def count(self, texts: Sequence[str]) -> list[int]:
        """Return the number of tokens of each text."""
        ...

    def encode(self, texts: Sequence[str], *, role: Role) -> Vectors:
        """Return shape (len(texts), dim); row i belongs to texts[i], whatever the batch around it.

        Rows have unit length; a text without a known token gives a row of zeros.
        """
        ...


@dataclass(frozen=True, slots=True)
class About:
    """What an embedder tells of itself where embedders are listed: the price of choosing it."""

    what: str
    weights: str
    """how large they are and where they come from"""
    network: str = ""
    """what goes over it and when; empty: nothing ever"""
    key: str = ""
    """the environment variables for one; empty: none is needed"""
    rate: tuple[int, int] | None = None
    """functions a second on one core, of a repository with long ones and of one with short ones
    (`benchmarks/results/embedding.txt`); None where a server decides"""
    library: str = ""
    """the module of another package that it needs"""
    extra: str = ""
    """the extra of plait that brings the library"""


class Listed(Protocol):
    """What an embedder has that can say what it costs, and whether it can be used here and now."""

    @property
    def about(self) -> About: ...

    def at_hand(self) -> str:
        """Return what was found, in words. Raises a PlaitError with the mend if something is missing.

        Nothing is downloaded or embedded; a server is asked for at most a second.
        """
        ...


@runtime_checkable
class PortableEmbedder(Embedder, Protocol):
    """An embedder that is a value: made anew in another process, it gives the same."""

    @property
    def portable(self) -> bool: ...


class Snapshot(Protocol):
    """One immutable state of an index."""

    @property
    def info(self) -> SnapshotInfo: ...

    def symbols(self, ids: Sequence[SymbolId] | None = None) -> list[Symbol]:
        """Return the symbols in the order of the ids, unknown ids left out; without ids all of them, by id."""
        ...

    def texts(self, ids: Sequence[SymbolId]) -> dict[SymbolId, str]:
        """Return Document.text of each known id."""
        ...

    def named(self, name: str) -> list[Symbol]:
        """Return the symbols whose last name is `name`, by id."""
        ...

    def containing(self, text: str) -> frozenset[SymbolId]:
        """Return the symbols in whose own text it occurs, ASCII letters of either case being the same."""
        ...

    def nearest(self, vector: Vector, k: int, where: Filter = Filter(), template: str = "plain") -> Ranking:
        """Rank symbols by the cosine of their best passage in that template; one without a passage is no candidate.

        Scores are exact and rounded to 6 places, so that equal texts tie. k counts symbols. A question without a known
        token (a vector of zeros) has no candidates.
        """
        ...

    def matching(self, terms: Sequence[str], k: int, where: Filter = Filter()) -> Ranking:
        """Rank symbols by BM25 (`plait.store.bm25`) over their terms; one without any of the terms is no candidate."""
        ...

    def pool(self, query: Query, depth: int, seeds: int, also: Collection[SymbolId] = ()) -> Pool:
        """Return the `depth` best symbols by words, by plain and by structural vectors, and those `also` asked for.

        The `seeds` best of them, by BM25 and plain cosine, each as a part of the highest, bring the symbols that they
        call and that call them. Only what the question's filter accepts is a candidate.
        """
        ...

    def edges(self, ids: Collection[SymbolId], kinds: Collection[EdgeKind], direction: Direction) -> list[Edge]:
        """Return the edges of those kinds that leave (OUT) or enter (IN) the ids, by (source, target, kind, via)."""
        ...

    def degree(
        self, ids: Collection[SymbolId], kinds: Collection[EdgeKind], direction: Direction
    ) -> dict[SymbolId, int]:
        """Return for each id how many edges of those kinds leave or enter it; 0 for an unknown id."""
        ...

    def unresolved(self, name: str | None = None, source: SymbolId | None = None) -> list[Unresolved]:
        """Return the unresolved sites that call that name and lie in that symbol (any, if None), by path and line."""
        ...

    def files(self) -> list[FileState]:
        """Return the files that were read, as they were then, by path."""
        ...

    def records(self) -> list[FileRecord]:
        """Return the same files with what is in them, by path."""
        ...

    def defined(self, paths: Collection[str]) -> list[SymbolId]:
        """Return the symbols of these files, by id."""
        ...

    def mentioning(self, terms: Collection[str]) -> list[str]:
        """Return the paths of the files in whose symbols one of the terms occurs, by path."""
        ...

    def rows(self, ids: Collection[SymbolId], template: str = "plain") -> dict[SymbolId, Codes]:
        """Return the codes of each symbol's passages in a template, in order; of shape (0, dim) for one without."""
        ...

    def skipped(self) -> list[Skipped]:
        """Return what was left out, by path."""
        ...

    def recovered(self) -> list[Recovered]:
        """Return the files that were read though something is wrong with them, by path."""
        ...

    def vectors(self, digests: Collection[str]) -> Mapping[str, Vector]:
        """Return stored passage vectors by the digest of their text, so that a rebuild does not compute them again.

        What comes back are their codes (`plait.vectors`), scaled to unit length.
        """
        ...

    def postings(self) -> Iterator[tuple[str, list[tuple[SymbolId, int]]]]:
        """Yield each term with the symbols whose documents have it and how often, by term, then by id."""
        ...

    def passages(self, template: str) -> Iterator[tuple[SymbolId, Span, bytes]]:
        """Yield the passages of a template with the codes of their vectors, by id, then in document order."""
        ...


class Writer(Protocol):
    """Builds one snapshot: nothing is visible before `commit`, nothing remains without it."""

    def put(self, symbols: Sequence[Symbol], batch: Batch) -> None:
        """Add symbols with their documents (same length and order), by id, also from one call to the next."""
        ...

    def derive(self, template: str, codes: Codes) -> None:
        """Add rows to a template whose row i stands for the same lines as row i of `plain`.

        Rows are counted over all calls, and over all that was put.
        """
        ...

    def connect(self, links: Links) -> None:
        """Add edges, which join symbols that were put, and sites; those of one file all at once, files by path."""
        ...

    def observe(self, files: Sequence[FileRecord], skipped: Sequence[Skipped], recovered: Sequence[Recovered]) -> None:
        """Set what was read, what was left out, and what was read though something is wrong with it."""
        ...

    def commit(self, info: SnapshotInfo) -> Snapshot: ...


class ChangesWriter(Protocol):
    """Writes a snapshot as changes to another: what is not named stays. Nothing is visible before `commit`."""

    def put(self, symbols: Sequence[Symbol], batch: Batch) -> None:
        """Add symbols, or put them in the place of those with the same ids; else as Writer.put."""
        ...

    def derive(self, template: str, codes: Codes) -> None:
        """As Writer.derive, for what was put."""
        ...

    def remove(self, symbols: Iterable[SymbolId]) -> None:
        """Take symbols out; those that are put as well stay."""
        ...

    def connect(self, graph: Graph, paths: Collection[str]) -> None:
        """Put edges and sites in the place of all that lie in these files."""
        ...

    def observe(
        self,
        files: Sequence[FileRecord],
        gone: Collection[str],
        skipped: Sequence[Skipped],
        recovered: Sequence[Recovered],
    ) -> None:
        """Set files that are new or changed, those that are gone, and all that is skipped or recovered now."""
        ...

    def commit(self, info: SnapshotInfo) -> Snapshot: ...


class Strategy(Protocol):
    """A frozen dataclass whose fields are all its parameters; `str` gives `name(parameter=value, ...)`."""

    def retrieve(self, query: Query, snapshot: Snapshot) -> Ranking:
        """Return the symbols that belong in the answer, best first; the caller decides how many of them it shows."""
        ...


class Reranker(Protocol):
    """Reads the question and the best candidates of a strategy once more, which no index could do before."""

    def scores(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        """Return a finite number for each text, higher the better it answers; only their order and distances count.

        What is too long is cut at the end. Raises MissingExtra, CannotEmbed with the mend.
        """
        ...


@runtime_checkable
class Embedding(Protocol):
    """What describes a strategy that makes vectors of its own, and becomes one when it is given what makes them."""

    def over(self, embedder: Embedder) -> Strategy: ...
