"""Zig (https://ziglang.org/documentation/master/)."""

from __future__ import annotations

from functools import partial

from plait.facts import BindingKind
from plait.model import SymbolKind
from plait.parse.treesitter.parser import TreeSitterParser
from plait.parse.treesitter.table import (
    Call,
    Function,
    Language,
    New,
    Node,
    Variable,
    first,
    itself,
    last,
    named,
    part,
    text,
)
from plait.parse.treesitter.walk import Walk

_TYPES = frozenset({"struct_declaration", "enum_declaration", "union_declaration", "opaque_declaration"})


def _variable(walk: Walk, node: Node) -> bool:
    """`const C = struct { }` is a type, `const m = @import("m.zig")` an import, anything else a variable."""
    names = [child for child in node.named_children if child.type == "identifier"]
    if not names:
        return False
    name = names[0]
    type_ = part(node, "type")
    value = node.named_child(node.named_child_count - 1)
    if value.id == name.id or (type_ is not None and value.id == type_.id):
        value = None
    if value is not None and value.type in _TYPES:
        walk.pending[value.id] = (text(name), "", walk.line(node))
        return False
    imported, member = _imported(value)
    if imported:
        walk.import_(node, imported, member, text(name))
    elif value is not None and value.type == "builtin_function" and text(first("builtin_identifier")(value)) == "@This":
        around = walk.class_around()
        if around is None:
            walk.import_(node, walk.file.path.rpartition("/")[2], None, text(name))  # the file is the structure
        else:
            walk.bind(walk.scope, text(name), BindingKind.ASSIGNED, around.names[-1], walk.line(node))
    else:
        around = walk.class_around()
        scope = around if around is not None and walk.scope is around else walk.scope
        walk.set_variable(scope, name, type_, value, walk.line(node))
    return False


def _imported(value: Node | None) -> tuple[str, str | None]:
    """`@import("a.zig")`, and a member of it."""
    member = None
    if value is not None and value.type == "field_expression":
        member = text(part(value, "member"))
        value = part(value, "object")
    if value is None or value.type != "builtin_function" or text(first("builtin_identifier")(value)) != "@import":
        return "", None
    arguments = first("arguments")(value)
    one = arguments.named_child(0) if arguments is not None and arguments.named_child_count else None
    return text(one).strip('"'), member


def _type(walk: Walk, node: Node) -> bool:
    """A type has the name of its constant; one that a function returns, that of the function."""
    given = walk.pending.pop(node.id, None)
    function = walk.function_around()
    name = given[0] if given is not None else function.names[-1] if function is not None else ""
    if name:
        walk.define(node, name, SymbolKind.CLASS, body=named(0)(node), first=given[2] if given is not None else 0)
    return False


def _field(walk: Walk, node: Node) -> bool:
    name, type_ = part(node, "name"), part(node, "type")
    scope = walk.class_around() or walk.module
    if name is not None:
        is_case = walk.parent is not None and walk.parent.type == "enum_declaration"
        written = scope.names[-1] if is_case and scope.names else walk.type_of(type_)
        walk.bind(scope, text(name), BindingKind.ANNOTATED, written, walk.line(node))
    return False


def _test(walk: Walk, node: Node) -> bool:
    name = first("string", "identifier")(node)
    written = text(name).strip('"') if name is not None else ""
    if written:
        walk.define(node, written[:80], SymbolKind.FUNCTION, body=last("block")(node))
    return False


def _loop(walk: Walk, node: Node) -> bool:
    """`for (xs) |x|`."""
    payload = first("payload")(node)
    source = node.named_child(0) if node.named_child_count else None
    if payload is not None and source is not None and payload.named_child_count:
        given = walk.expressions.written(source)
        written = "?" if given == "?" else f"{given}[]" if node.type == "for_statement" else given
        name = payload.named_child(0)
        walk.bind(walk.scope, text(name), BindingKind.ASSIGNED, written, walk.line(name))
    return False


def _assigned(walk: Walk, node: Node) -> bool:
    """`.x = y` in an initialiser sets no variable."""
    if walk.parent is not None and walk.parent.type == "initializer_list":
        return False
    return walk.visit_assignment(node, ("left", "right"))


def _call(walk: Walk, node: Node) -> bool:
    walk.extra_arguments[node.id] = -1
    return walk.visit_call(node, CALL)


CALL = Call("function", arguments=itself)
"""Arguments are children of the call itself, beside what is called."""

LANGUAGE = Language(
    name="zig",
    grammar="zig",
    functions={"function_declaration": Function(parameters=first("parameters"), result="type")},
    calls={"call_expression": CALL},
    news={"struct_initializer": New(named(0), silent=True)},
    members={"field_expression": ("object", "member")},
    subscripts={"index_expression": named(0)},
    transparent={
        "try_expression": named(0),
        "parenthesized_expression": named(0),
        "dereference_expression": named(0),
        "null_coercion_expression": named(0),
        "catch_expression": named(0),
        "binary_expression": lambda node: part(node, "left") if text(part(node, "operator")) == "orelse" else None,
    },
    literals={"string": "string", "integer": "int"},
    names=frozenset({"identifier"}),
    parameters={"parameter": Variable("name", "type")},
    special={
        "variable_declaration": _variable,
        "struct_declaration": _type,
        "enum_declaration": _type,
        "union_declaration": _type,
        "opaque_declaration": _type,
        "assignment_expression": _assigned,
        "container_field": _field,
        "test_declaration": _test,
        "for_statement": _loop,
        "if_statement": _loop,
        "call_expression": _call,
    },
    self_words=frozenset(),
    super_words=frozenset(),
    by_path=True,
)
parser = partial(TreeSitterParser, LANGUAGE)
