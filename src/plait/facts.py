"""What one source file says, before anything is resolved: the nouns between the parsers and the graph."""

from __future__ import annotations

from dataclasses import dataclass, fields
from enum import StrEnum
from operator import attrgetter
from typing import Any

from plait.model import Edge, Recovered, Reference, Span, Symbol, SymbolId, Unresolved


@dataclass(frozen=True, slots=True)
class Import:
    scope: SymbolId
    """the definition in whose namespace the name is bound"""
    module: str
    """as written after the dots; empty for `from . import x`"""
    name: str | None
    """None for `import module`; `*` for a star import"""
    alias: str
    """the name bound in the scope; `import a.b` binds `a`; `*` for a star import"""
    level: int
    """leading dots of a relative import; 0 is absolute"""
    line: int


class BindingKind(StrEnum):
    ASSIGNED = "assigned"
    """`x = expression`, also with-as and the walrus"""
    ANNOTATED = "annotated"
    """`x: T`; the expression is the type"""
    PARAMETER = "parameter"
    """the same of a parameter: the type is written in the scope around the function"""
    RETURNS = "returns"
    """`-> T` of the scope, `<coroutine>[T]` of a coroutine function; target is empty"""
    OPAQUE = "opaque"
    """bound to something that facts do not describe: an unannotated parameter, a loop variable, unpacking, del"""


@dataclass(frozen=True, slots=True)
class Binding:
    scope: SymbolId
    target: str
    """a name of the scope, or `self.x` for an attribute (written so whatever the first parameter is called)"""
    kind: BindingKind
    expression: str
    """as in Reference.expression; for types, alternatives (`A | B`, Optional, Union) joined by `|`, None left out,
    brackets kept (`list[A]`, `type[A]`). The first parameter of a method is `Self` or `type[Self]`; what `with x as y`
    binds is `x.__enter__()`"""
    line: int


@dataclass(frozen=True, slots=True)
class Mention:
    """A name used as a value, once for each scope."""

    scope: SymbolId
    expression: str
    """as in Reference.expression"""
    line: int
    """the first"""


@dataclass(frozen=True, slots=True)
class FlowFunction:
    key: str
    """the symbol's id; for a lambda, which is no symbol, a text that no id equals"""
    parameters: tuple[tuple[str, int], ...]
    """name and node, keyword-only ones last"""
    positional: int
    """how many of them can be given by position"""
    required: int
    """how many have no default"""
    vararg: int
    """node of `*args`; -1 without"""
    kwarg: int
    result: int
    passed: tuple[int, ...]
    """nodes of the parameters that are returned as they came; what they hold is not in `result`"""
    owner: SymbolId | None
    """the class whose body holds the definition"""


@dataclass(frozen=True, slots=True)
class FlowFacts:
    """How values move through one file. What the constraints mean stands with the language's walk that makes them."""

    nodes: int = 0
    """nodes are numbered from 0"""
    constraints: tuple[tuple[object, ...], ...] = ()
    names: tuple[tuple[SymbolId, str, int], ...] = ()
    """scope, name and node of what other scopes and files see"""
    functions: tuple[FlowFunction, ...] = ()
    unfollowed: Recovered | None = None
    """where values are not followed"""


@dataclass(frozen=True, slots=True)
class Outline:
    """What places a file among others, without its facts."""

    path: str
    module: str
    is_package: bool


@dataclass(frozen=True, slots=True)
class Extension:
    """What a type is given outside of its definition: `impl`, `extension`, a receiver in Go, `C::f` in C++."""

    scope: SymbolId
    """the member; for a base the scope around, in which both names are looked up"""
    type: str
    """as in Binding.expression for types"""
    base: str
    """the base that it is given; empty for a member"""
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Parameters:
    """How many arguments a function takes, the receiver left out."""

    scope: SymbolId
    required: int
    most: int
    """-1 for any number"""
    names: tuple[str, ...] = ()
    """as a call writes them, empty for those that it does not; only where overloads are told apart by them"""
    types: tuple[str, ...] = ()
    """as in Binding.expression, `?` for none; only where overloads are told apart by them"""


@dataclass(frozen=True, slots=True)
class Arguments:
    """What a call gives, where overloads are told apart by it."""

    line: int
    column: int
    """of the reference"""
    expressions: tuple[str, ...]
    """as in Reference.expression"""
    names: tuple[str, ...] = ()
    """of each argument, empty for one that is given by position; none if all are"""


@dataclass(frozen=True, slots=True)
class ParsedFile:
    """All facts of one file, a pure function of its bytes and path. Sequences are in source order."""

    path: str
    module: str
    is_package: bool
    """the file is its package's `__init__`"""
    symbols: tuple[Symbol, ...]
    """the module first"""
    references: tuple[Reference, ...] = ()
    imports: tuple[Import, ...] = ()
    bindings: tuple[Binding, ...] = ()
    mentions: tuple[Mention, ...] = ()
    exports: tuple[str, ...] | None = None
    """`__all__`, when it is a literal"""
    abstract: tuple[SymbolId, ...] = ()
    """functions whose body does nothing, or only raises NotImplementedError, or that have no body"""
    flow: FlowFacts = FlowFacts()
    """empty where nobody has asked for it"""
    recovered: Recovered | None = None
    """what is wrong with a file that was read all the same"""
    extensions: tuple[Extension, ...] = ()
    parameters: tuple[Parameters, ...] = ()
    """of functions in languages in which the number of arguments tells them apart"""
    arguments: tuple[Arguments, ...] = ()


@dataclass(frozen=True, slots=True)
class Brief:
    """What a build asks of every file when its facts stay packed."""

    outline: Outline
    symbols: tuple[Symbol, ...]
    told: tuple[str, ...] | None
    """names of which it tells others, ascending (`plait.graph.generic.told`); None where its language has no table"""
    recovered: Recovered | None


def outline_of(file: ParsedFile) -> Outline:
    return Outline(file.path, file.module, file.is_package)


def _pickled_at_once(kind: type[Any]) -> None:
    """Let objects be pickled as a call with their values.

    What dataclasses do by themselves with slots (a list of values, by name, one after another) takes twice as long, and
    facts are many: they go from process to process and are kept.
    """
    values = attrgetter(*(field.name for field in fields(kind)))

    def reduced(self: Any) -> tuple[type[Any], tuple[Any, ...]]:
        return kind, values(self)

    kind.__reduce__ = reduced  # type: ignore[assignment]


for _kind in (
    *(Span, Symbol, Reference, Recovered, Import, Binding, Mention, Extension, Parameters, Arguments),
    *(FlowFunction, FlowFacts, ParsedFile, Outline, Brief, Edge, Unresolved),
):
    _pickled_at_once(_kind)
