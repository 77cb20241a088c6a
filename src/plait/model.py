"""The nouns: frozen values that every stage passes to the next.

Conventions, everywhere: paths are POSIX and relative to the indexed root; lines are 1-based and inclusive; bytes are
0-based and half-open, counted in the UTF-8 encoding of the decoded text (equal to offsets in the file itself for UTF-8
files without a byte order mark).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, NewType, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    Vectors: TypeAlias = NDArray[np.float32]
    """Shape (n, dim), rows of unit length or all zero (a text without a known token)."""
    Vector: TypeAlias = NDArray[np.float32]
    """Shape (dim,), of unit length or all zero."""
    Codes: TypeAlias = NDArray[np.int8]
    """Shape (n, dim): vectors in eight bits (`plait.vectors`), a row's largest component +-127, or all zero."""

SymbolId = NewType("SymbolId", str)
"""`path:descriptors`, one whitespace-free token, so that it can stand in a TREC file.

The descriptors are SCIP's: `pkg/net.py:Client#send().` is a method, `pkg/net.py:Client#` a class,
`pkg/net.py:connect().` a function, `pkg/net.py:/` the module; a second definition of the same name is `connect(+1).`.
Space, `%` and `:` in a path are percent-encoded.
"""


class Content(StrEnum):
    """What an index is of. Each is an index of its own, so that none changes another's rankings."""

    CODE = "code"
    DOCS = "docs"
    """prose: Markdown, reStructuredText, plain text, the text cells of notebooks"""
    CONFIG = "config"
    """what is declared: SQL, Protobuf, Terraform, TOML, YAML, JSON, INI, Dockerfiles, Makefiles"""
    ALL = "all"
    """the three together, and any other text"""


class SymbolKind(StrEnum):
    MODULE = "module"
    CLASS = "class"
    FUNCTION = "function"
    METHOD = "method"
    FILE = "file"
    """a file that is not code; its own text is what stands outside of its blocks"""
    SECTION = "section"
    """a heading with the text below it"""
    STATEMENT = "statement"
    """of SQL"""
    MESSAGE = "message"
    """of Protobuf, its enumerations too"""
    SERVICE = "service"
    RPC = "rpc"
    BLOCK = "block"
    """of configuration: a table, a key at the top with what is below it, a stage, a rule"""
    WINDOW = "window"
    """so many lines of a text in which nothing tells parts apart"""


class EdgeKind(StrEnum):
    """CALLED_BY is not a kind: it is CALLS read from its target."""

    CALLS = "calls"
    INHERITS = "inherits"
    OVERRIDES = "overrides"
    CONTAINS = "contains"
    IMPORTS = "imports"
    REFERENCES = "references"
    """from a definition to a function or class that it names as a value, without calling it there; no annotations"""
    TESTS = "tests"


class Via(StrEnum):
    """How the source reaches the target at the edge's site."""

    CALL = "call"
    CONSTRUCT = "construct"
    PROPERTY = "property"
    DUNDER = "dunder"
    CALLBACK = "callback"
    DECORATOR = "decorator"
    OVERRIDE = "override"
    DECLARATION = "declaration"
    """named by the source and not itself run: a base, an import, an abstract method in whose place another runs"""
    NAME = "name"


class Evidence(IntEnum):
    """What an edge rests on, weakest first: comparing with `<` compares trust."""

    AMBIGUOUS = 1
    """one of several possible targets"""
    NAME = 2
    """the name matched and nothing else was checked"""
    FLOWED = 3
    """values that flow to the site from anywhere lead to exactly this target"""
    SCOPED = 4
    """lexical scope, imports and class hierarchy lead to exactly this target"""
    TYPED = 5
    """the receiver's declared or constructed type leads to exactly this target"""
    EXACT = 6
    """a compiler or an index made by one says so"""


class Direction(StrEnum):
    OUT = "out"
    """edges whose source is given (callees)"""
    IN = "in"
    """edges whose target is given (callers)"""


@dataclass(frozen=True, slots=True, order=True)
class Span:
    start_line: int
    end_line: int
    start_byte: int
    end_byte: int


@dataclass(frozen=True, slots=True)
class SourceFile:
    path: str
    language: str
    text: str
    """decoded, without a byte order mark, line ends as in the file; of a notebook, the code or the text in its cells
    (`plait.source.notebooks`)"""
    digest: str
    """of the file's bytes; of a notebook, of what is read of it"""
    cells: tuple[int, ...] = ()
    """of a notebook: the line at which each cell begins, in order, whether or not its text is part of this text"""


@dataclass(frozen=True, slots=True, order=True)
class FileState:
    """What is compared to tell whether a file has changed since it was read."""

    path: str
    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int


@dataclass(frozen=True, slots=True, order=True)
class FileRecord:
    """A file that a snapshot depends on."""

    state: FileState
    digest: str = ""
    """of its bytes; empty for a file that has no symbols: one that was left out, or a `.plaitignore`"""
    language: str = ""
    module: str = ""
    is_package: bool = False
    lines: int = 0
    flowed: bool = False
    """the flow of values was followed since the file last changed"""


class SkipReason(StrEnum):
    UNSUPPORTED = "unsupported language"
    SYNTAX = "syntax error"
    GRAMMAR = "grammar missing"
    """the language's grammar is not installed, or of a wrong version; the detail says how to get it"""
    BINARY = "binary"
    TOO_LARGE = "too large"
    LONG_LINE = "line too long"
    ENCODING = "unknown encoding"
    UNREADABLE = "unreadable"
    VANISHED = "vanished while indexing"
    NOT_A_FILE = "not a regular file"
    LINK = "symbolic link"
    """what it leads to is indexed at its own path, left out there, or outside of the root"""
    IGNORED = "ignored"
    """by git, by a `.gitignore` where git does not answer, or by a `.plaitignore`"""
    REPOSITORY = "nested repository"
    SUBMODULE = "submodule"
    VENDORED = "vendored"
    BUILD = "build output"
    GENERATED = "generated"
    MINIFIED = "minified"
    LOCK = "lock file"
    SECRET = "may hold secrets"
    CONTENT = "other content"
    """read on request; the detail says how"""
    KERNEL = "notebook of another language"


@dataclass(frozen=True, slots=True, order=True)
class Skipped:
    path: str
    """of a file; of a folder with a slash behind it; or `*.md`, all files of a suffix that plait does not read"""
    reason: SkipReason
    detail: str = ""
    count: int = 1
    """files that it stands for; 0 for a folder that was not looked into"""


@dataclass(frozen=True, slots=True, order=True)
class Recovered:
    """A file that is indexed, though not all of it could be understood as its language says."""

    path: str
    problem: str
    """what is wrong with the file, on one line"""
    left_out: tuple[tuple[int, int], ...] = ()
    """first and last line, in order, of the regions with something in them that was mended or is left out; empty if
    everything was understood all the same (Python 2)"""


@dataclass(frozen=True, slots=True)
class Symbol:
    id: SymbolId
    name: str
    kind: SymbolKind
    path: str
    language: str
    module: str
    """dotted name of the module, from the source root (`src/` and `__init__` left out)"""
    qualified_name: str
    """module and the names around the definition, dotted; not unique (see `id`)"""
    span: Span
    """whole lines from the first decorator to the last line of the body"""
    own: tuple[Span, ...]
    """the whole lines that are this symbol's text, in order: for a function its span (functions nested in it included);
    for a class its header and the runs of class-level statements between methods; for a module the runs of
    module-level statements. Empty only for a module without any statement of its own."""
    signature: str = ""
    docstring: str = ""
    parent: SymbolId | None = None
    """the enclosing definition; None for a module"""
    is_test: bool = False
    cells: tuple[int, ...] = ()
    """of a notebook's module, as in SourceFile"""


class Receiver(StrEnum):
    """What stands before the called name."""

    NONE = "none"
    """`f()`"""
    SELF = "self"
    """`self.f()`, `self.a.f()`: rooted in the first parameter of a method"""
    CLS = "cls"
    """the same, in a class method"""
    SUPER = "super"
    """`super().f()`"""
    NAME = "name"
    """`x.f()`, `a.b.f()`: rooted in a name"""
    CALL = "call"
    """`g().f()`: rooted in the result of a call on a dotted name"""
    OTHER = "other"
    """a literal, a subscript, any other expression"""


class ReferenceKind(StrEnum):
    CALL = "call"
    DECORATOR = "decorator"
    BASE = "base"
    """a class named as a base in a class header"""
    READ = "read"
    """a member that is read: a call if it is a property or a method without brackets, else no site at all"""


@dataclass(frozen=True, slots=True)
class Reference:
    source: SymbolId
    """the innermost definition around the site; the module for module-level code"""
    kind: ReferenceKind
    name: str
    """the last name of the expression: what a definition must be called to be the target; empty if there is none"""
    expression: str
    """dotted source with calls as `()`, `await x` as `x.await`, a literal or display as its type (`<str>.join`) and
    anything else as `?`: `f`, `self.db.run`, `super().save`, `super(Pool).save` (of a class named), `Pool().get`,
    `self.on_*` (an attribute whose computed name begins so)"""
    receiver: Receiver
    arity: int
    """positional and keyword arguments at the site; -1 when `*` or `**` hides the number"""
    line: int
    column: int
    """0-based, in characters"""


@dataclass(frozen=True, slots=True)
class Edge:
    source: SymbolId
    target: SymbolId
    kind: EdgeKind
    via: Via
    evidence: Evidence
    confidence: float
    """0 to 1: how often an edge of this kind, via and evidence is right where that was measured"""
    path: str
    line: int
    """the first site; one edge stands for all sites of the same source, target, kind and via"""
    candidates: int = 1
    """how many targets the site could have"""


class Unknown(StrEnum):
    """Why a reference has no edge."""

    EXTERNAL = "external"
    """an import leads out of the repository; the detail says where to, calls as `()`: in Python the full name
    (`requests.get().json`), elsewhere the package and, behind a blank, the name in it as far as it is known"""
    BUILTIN = "builtin"
    RECEIVER = "unknown receiver"
    NAME = "unknown name"
    MEMBER = "no such member"
    """the receiver's class is known and neither it nor a base in the repository defines the name"""
    DYNAMIC = "dynamic"
    """the called value is computed (getattr, a subscript, the result of a call)"""

    @property
    def could_be_here(self) -> bool:
        """Whether the target may still be a symbol of this repository."""
        return self not in (Unknown.EXTERNAL, Unknown.BUILTIN)


@dataclass(frozen=True, slots=True)
class Unresolved:
    reference: Reference
    path: str
    reason: Unknown
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Known:
    """What an index made by a compiler or type checker says about one site."""

    targets: tuple[SymbolId, ...] = ()
    """the definitions in the repository that are declared for it"""
    outside: tuple[Unknown, str] | None = None
    """reason and detail, as in Unresolved; set exactly when there is no target"""


Position: TypeAlias = tuple[str, int, int]
"""path, line and column of a site, as in its Reference"""


@dataclass(frozen=True, slots=True)
class Graph:
    """Edges sorted by (source, target, kind, via), each combination once; unresolved sites in file and source order."""

    edges: tuple[Edge, ...]
    unresolved: tuple[Unresolved, ...]


@dataclass(frozen=True, slots=True)
class Passage:
    """What is embedded as one text."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Document:
    symbol: SymbolId
    text: str
    """the symbol's own lines, exactly as in the file; runs that are apart are joined by a line end"""
    passages: Mapping[str, tuple[Passage, ...]]
    """template name -> the passages, in order, that cover all of the text"""
    terms: tuple[str, ...]
    """lexical terms in order of occurrence, repeats kept"""


@dataclass(frozen=True, slots=True)
class Filter:
    """Which symbols may be candidates; every part that is set must hold."""

    path: str | None = None
    """glob in which `*` also crosses folders"""
    language: str | None = None
    kinds: frozenset[SymbolKind] | None = None
    module: str | None = None
    """this module and all below it"""
    tests: bool | None = None
    """True: tests only; False: no tests"""
    ids: frozenset[SymbolId] | None = None

    @property
    def is_empty(self) -> bool:
        return self == Filter()

    def accepts(self, symbol: Symbol) -> bool:
        return (
            (self.ids is None or symbol.id in self.ids)
            and (self.language is None or symbol.language == self.language)
            and (self.kinds is None or symbol.kind in self.kinds)
            and (self.tests is None or symbol.is_test == self.tests)
            and self.accepts_place(symbol.path, symbol.module)
        )

    def accepts_place(self, path: str, module: str) -> bool:
        """Whether the parts about path and module hold."""
        return (self.module is None or module == self.module or module.startswith(f"{self.module}.")) and (
            self.path is None or fnmatchcase(path, self.path)
        )


@dataclass(frozen=True, slots=True)
class Query:
    text: str
    vector: Vector
    terms: tuple[str, ...]
    where: Filter = Filter()


class Source(StrEnum):
    """What a reason speaks for."""

    LEXICAL = "lexical"
    DENSE = "dense"
    STRUCTURE = "structure"
    EDGE = "edge"
    NAME = "name"
    PATH = "path"
    PRIOR = "prior"
    PENALTY = "penalty"
    FILE = "file"
    """what else is in its file"""
    RERANK = "rerank"
    """what a reranker says, who reads the first candidates once more"""


@dataclass(frozen=True, slots=True)
class Reason:
    source: Source
    value: float
    """the addend"""
    detail: str = ""
    """for people: rank or raw score behind the addend"""
    edge: Edge | None = None
    span: Span | None = None
    """where in the symbol the evidence lies"""

    def __str__(self) -> str:
        return f"{self.value:+.4f} {self.source}" + (f" ({self.detail})" if self.detail else "")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A symbol with the reasons for it; nothing but its reasons makes its score."""

    symbol: SymbolId
    reasons: tuple[Reason, ...]

    @property
    def score(self) -> float:
        if len(self.reasons) == 1:
            return self.reasons[0].value
        return math.fsum(reason.value for reason in self.reasons)


@dataclass(frozen=True, slots=True)
class Step:
    """One edge walked during expansion."""

    edge: Edge
    direction: Direction
    """OUT: from source to target"""
    hop: int
    """1 for edges at a seed"""

    @property
    def reached(self) -> SymbolId:
        return self.edge.target if self.direction is Direction.OUT else self.edge.source


@dataclass(frozen=True, slots=True)
class Trace:
    """How a strategy came to its ranking."""

    seeds: tuple[SymbolId, ...] = ()
    steps: tuple[Step, ...] = ()


@dataclass(frozen=True, slots=True)
class Ranking:
    """Candidates in the total order (-score, symbol id)."""

    candidates: Sequence[Candidate]
    pool: Sequence[Candidate] = ()
    """every candidate that was scored, in the same order, before the strategy cut; starts with `candidates`"""
    trace: Trace = Trace()


@dataclass(frozen=True, slots=True, eq=False)
class Pool:
    """Candidates of one question with what the index says about each: row i of every column is the same symbol's."""

    ids: Sequence[SymbolId]
    """ascending"""
    seeds: Sequence[SymbolId]
    """the best candidates, whose callers and callees joined them, by id"""
    names: Sequence[str]
    kinds: Sequence[SymbolKind]
    paths: Sequence[str]
    tests: NDArray[np.bool_]
    lengths: NDArray[np.int64]
    """terms of the document"""
    rarity: NDArray[np.float64]
    """inverse document frequency of each of the question's terms"""
    lexical: NDArray[np.float64]
    """shape (candidates, terms): what each term adds to BM25"""
    dense: Mapping[str, NDArray[np.float64]]
    """template -> cosine of the best passage; 0 for a symbol without one, and where it is lower"""
    calls: Sequence[Edge]
    """of the best candidates, both ways; both ends are candidates"""
    callers: NDArray[np.int64]
    """how many symbols call it; 0 for one that no edge of `calls` leads to"""
    callees: NDArray[np.int64]
    """how many symbols it calls; 0 for one that no edge of `calls` comes from"""
    span: Callable[[int], Span | None]
    """where the best plain passage of a row lies"""


@dataclass(frozen=True, slots=True)
class Hit:
    rank: int
    symbol: Symbol
    span: Span
    """what to read: a function's whole span; for a class or module the own lines that matched best"""
    score: float
    reasons: tuple[Reason, ...]
    text: str
    """the lines of `span`, exactly as they were when the snapshot was made"""
    cell: int = 0
    """of a notebook: the number, from 1, of the cell in which the span begins, all cells counted; else 0"""
    cell_line: int = 0
    """the line within that cell, from 1"""
    copies: tuple[Symbol, ...] = ()
    """those further down whose text is the same or nearly (`plait.finding.alike`), best first; they are no hits"""


@dataclass(frozen=True, slots=True)
class Related:
    """A neighbour on the graph of hits, none itself."""

    symbol: Symbol
    edge: Edge
    """to or from the best hit beside it"""
    rank: int
    """of that hit"""


@dataclass(frozen=True, slots=True)
class ScipInput:
    """A SCIP index that was to be joined with the graph."""

    state: FileState
    """the path is absolute; the size is -1 for a file that was not there"""
    problem: str = ""
    """why nothing of it was joined; empty if it was"""


@dataclass(frozen=True, slots=True)
class SnapshotInfo:
    state: str
    """digest of everything indexed: equal states give equal answers"""
    root: str
    embedder: str
    """fingerprint of the embedder that made the vectors"""
    graph: str
    """name of the graph builder"""
    files: int
    symbols: int
    passages: Mapping[str, int] = field(default_factory=dict)
    """template -> number of vectors"""
    scip: tuple[ScipInput, ...] = ()
    commit: str = ""
    """what git had checked out; empty without git or before the first commit"""
    edges: Mapping[str, int] = field(default_factory=dict)
    """kind of edge -> how many"""
    unresolved: int = 0
    lines: int = 0
    """of the files"""
    pending: int = 0
    """files whose calls are linked by scopes, imports and types only: the flow of values has not followed yet"""
