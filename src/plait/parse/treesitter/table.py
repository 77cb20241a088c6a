"""What a language's data file says: which nodes of its grammar mean what.

A part of a node is given by its field's name, by its place among all children (negative from the end), or by a
function.
A row may name a function of its own (`special`) where a grammar fits no column.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from plait.facts import FlowFacts
    from plait.parse.treesitter.walk import Walk

Node = Any
"""A node of tree-sitter, whose types come with an optional import."""

Part = str | int | Callable[[Any], Any]
Special = Callable[["Walk", Any], bool]
"""Takes a node in; True if nothing in it is to be looked at any more."""


def part(node: Node, which: Part) -> Node | None:
    if isinstance(which, str):
        return node.child_by_field_name(which)
    if isinstance(which, int):
        count = node.child_count
        place = which if which >= 0 else count + which
        return node.child(place) if 0 <= place < count else None
    return which(node)


def itself(node: Node) -> Node:
    return node


def first(*types: str) -> Callable[[Node], Node | None]:
    """The first child of one of the types."""

    def find(node: Node) -> Node | None:
        return next((child for child in node.named_children if child.type in types), None)

    return find


def last(*types: str) -> Callable[[Node], Node | None]:
    def find(node: Node) -> Node | None:
        return next((child for child in reversed(node.named_children) if child.type in types), None)

    return find


def named(place: int) -> Callable[[Node], Node | None]:
    """A child by its place among the named ones, negative from the end."""

    def find(node: Node) -> Node | None:
        count = node.named_child_count
        at = place if place >= 0 else count + place
        return node.named_child(at) if 0 <= at < count else None

    return find


def inside(outer: Part, inner: Part) -> Callable[[Node], Node | None]:
    """A part of a part."""

    def find(node: Node) -> Node | None:
        between = part(node, outer)
        return part(between, inner) if between is not None else None

    return find


def text(node: Node | None) -> str:
    return "" if node is None else node.text.decode(errors="replace")


@dataclass(frozen=True, slots=True)
class Function:
    name: Part = "name"
    parameters: Part = "parameters"
    result: Part | None = None
    body: Part = "body"
    called: str = ""
    """its name where it has none of its own: `init`"""
    owner: Callable[[Node], str] | None = None
    """the type that it is a member of, as written, when that is not the definition around it; empty for none"""
    is_member: bool = False
    """a method wherever it stands"""


@dataclass(frozen=True, slots=True)
class Class:
    name: Part = "name"
    bases: tuple[Part, ...] = ()
    """nodes whose named children are its bases"""
    body: Part = "body"
    fields: Part | None = None
    """parameters of the header, which are fields of it"""
    constructed: bool = False
    """those are the parameters of its constructor"""
    called: str = ""


@dataclass(frozen=True, slots=True)
class Namespace:
    name: Part = "name"
    body: Part = "body"


@dataclass(frozen=True, slots=True)
class Extension:
    """A block that gives members, and perhaps bases, to a type that is defined elsewhere."""

    type: Part
    bases: tuple[Part, ...] = ()
    base: Part | None = None
    """a node that is one base"""


@dataclass(frozen=True, slots=True)
class Call:
    """A call is on one expression (`function`), or on a name with an object before it."""

    function: Part | None = None
    object: Part | None = None
    name: Part | None = None
    arguments: Part = "arguments"
    types: Part | None = None
    """type arguments; a call that has no argument but them constructs: `make_unique<T>()`"""


@dataclass(frozen=True, slots=True)
class New:
    """An expression that makes an object of a named type."""

    type: Part
    arguments: Part = "arguments"
    body: Part | None = None
    """of an anonymous class"""
    silent: bool = False
    """it runs no code of the type (a struct literal), so it is no site"""


@dataclass(frozen=True, slots=True)
class Variable:
    name: Part = "name"
    type: Part | None = None
    value: Part | None = None
    is_field: bool = False
    """belongs to the class around, wherever it stands"""
    label: Part | None = None
    """what a call writes before it, where that is not the name"""
    optional: bool = False
    """a parameter that need not be given"""
    many: bool = False
    """takes any number of arguments"""


@dataclass(frozen=True, slots=True)
class Loop:
    name: Part
    iterable: Part
    type: Part | None = None


@dataclass(frozen=True, slots=True)
class Test:
    """`x instanceof T`: in the branch behind it x is a T."""

    subject: Part
    type: Part
    bound: Part | None = None
    """a name that is given the value"""
    operator: str = ""
    """where other operators have the same node"""


@dataclass(frozen=True, slots=True)
class Language:
    name: str
    """as in `source.languages`, and of its plug-in"""
    grammar: str
    functions: Mapping[str, Function] = field(default_factory=dict)
    closures: Mapping[str, Function] = field(default_factory=dict)
    """functions without a name; one that is the value of a variable is a function of that name"""
    classes: Mapping[str, Class] = field(default_factory=dict)
    namespaces: Mapping[str, Namespace] = field(default_factory=dict)
    extensions: Mapping[str, Extension] = field(default_factory=dict)
    calls: Mapping[str, Call] = field(default_factory=dict)
    news: Mapping[str, New] = field(default_factory=dict)
    members: Mapping[str, tuple[Part, Part]] = field(default_factory=dict)
    """`a.b`: the object and the name"""
    subscripts: Mapping[str, Part] = field(default_factory=dict)
    """`a[b]`: the object"""
    indexed: Callable[[Node], Node | None] | None = None
    """the object of `a[b]`, where the grammar takes that for a call"""
    transparent: Mapping[str, Part] = field(default_factory=dict)
    """what has the value of a part of it: brackets, `await`, `!`"""
    bounds: Mapping[str, tuple[Part, Part]] = field(default_factory=dict)
    """type parameters: the name, and the type that stands for it"""
    tests: Mapping[str, Test] = field(default_factory=dict)
    casts: Mapping[str, Part] = field(default_factory=dict)
    """the type that the value has"""
    literals: Mapping[str, str] = field(default_factory=dict)
    """literals and the type of each"""
    names: frozenset[str] = frozenset()
    variables: Mapping[str, Variable] = field(default_factory=dict)
    assignments: Mapping[str, tuple[Part, Part]] = field(default_factory=dict)
    loops: Mapping[str, Loop] = field(default_factory=dict)
    parameters: Mapping[str, Variable] = field(default_factory=dict)
    patterns: frozenset[str] = frozenset()
    """what binds several names at once"""
    spreads: frozenset[str] = frozenset()
    """arguments that stand for any number of them"""
    wrappers: frozenset[str] = frozenset()
    """what a definition can stand in, alone, and begins with: `export`, `template`"""
    leading: frozenset[str] = frozenset()
    """what stands before a definition as a node of its own and belongs to it: attributes"""
    comments: frozenset[str] = frozenset({"comment"})
    special: Mapping[str, Special] = field(default_factory=dict)
    self_words: frozenset[str] = frozenset({"this"})
    class_words: frozenset[str] = frozenset()
    super_words: frozenset[str] = frozenset({"super"})
    attribute_sign: str = ""
    """begins names that are attributes of the object: `@`"""
    by_path: bool = False
    """names of modules follow from paths, there is no declaration for it"""
    comment_marks: str = "/*!#-;%\"' \t"
    """characters that decorate documentation"""
    blank: re.Pattern[bytes] | None = None
    """what the grammar must not see: replaced by as many spaces"""
    named_closures: bool = True
    """a function that is the value of a variable is called by the variable's name"""
    flow: Callable[[Walk, Any], FlowFacts] | None = None
    """finds how values move through the tree, once the walk has seen it all"""
    reads: frozenset[str] = frozenset()
    """members whose reading can run code"""
    overloads: bool = False
    """functions of one name are told apart by types or names of arguments"""
    lending: frozenset[str] = frozenset()
    """methods that give a block the object itself, not what is in it: `let`"""
    returns: Mapping[str, Part] = field(default_factory=dict)
    """statements whose value the function gives back, where no type says what that is"""
