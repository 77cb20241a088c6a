"""Rust (https://doc.rust-lang.org/reference/)."""

from __future__ import annotations

from functools import partial

from plait.facts import BindingKind
from plait.model import Receiver
from plait.parse.treesitter.parser import TreeSitterParser
from plait.parse.treesitter.table import (
    Call,
    Class,
    Extension,
    Function,
    Language,
    Loop,
    New,
    Node,
    Variable,
    first,
    itself,
    named,
    part,
    text,
)
from plait.parse.treesitter.walk import Walk


def _use(walk: Walk, node: Node) -> bool:
    """`use a::{b, c::d as e, f::*}`, flattened."""
    argument = part(node, "argument")
    waiting = [("", argument)] if argument is not None else []
    for _ in range(500):
        if not waiting:
            break
        prefix, one = waiting.pop()
        kind = one.type
        if kind == "scoped_use_list":
            inside = part(one, "list")
            path = _path(prefix, part(one, "path"))
            waiting += [(path, child) for child in reversed(inside.named_children)] if inside is not None else []
        elif kind == "use_list":
            waiting += [(prefix, child) for child in reversed(one.named_children)]
        elif kind == "use_as_clause":
            module, _, name = _path(prefix, part(one, "path")).rpartition(".")
            walk.import_(one, module, name, text(part(one, "alias")))
        elif kind == "use_wildcard":
            walk.import_(one, _path(prefix, named(0)(one)), "*", "*")
        elif kind == "self":
            module, _, name = prefix.rpartition(".")
            walk.import_(one, module, name, name)
        elif kind in ("identifier", "scoped_identifier", "crate", "super"):
            module, _, name = _path(prefix, one).rpartition(".")
            walk.import_(one, module, name, name)
    return True


def _path(prefix: str, node: Node | None) -> str:
    written = "".join(text(node).split()).replace("::", ".").strip(".")
    return f"{prefix}.{written}" if prefix and written else prefix or written


def _module(walk: Walk, node: Node) -> bool:
    """`mod a { }` is a namespace, `mod a;` a file beside this one."""
    name = text(part(node, "name"))
    if part(node, "body") is not None:
        walk.open_block((name,))
    elif name:
        walk.import_(node, "self", name, name)
    return False


def _let_condition(walk: Walk, node: Node) -> bool:
    """`if let Some(x) = value`: x is what is inside of the value."""
    pattern, value = part(node, "pattern"), part(node, "value")
    if pattern is not None and value is not None:
        _bind_pattern(walk, pattern, walk.expressions.written(value))
    return False


def _arm(walk: Walk, node: Node) -> bool:
    """`match value { Some(x) => ... }`"""
    match, pattern = walk.around("match_expression"), part(node, "pattern")
    inner = pattern.named_child(0) if pattern is not None and pattern.named_child_count else None
    value = part(match, "value") if match is not None else None
    if inner is not None and value is not None:
        _bind_pattern(walk, inner, walk.expressions.written(value))
    return False


_INSIDE = frozenset({"Some", "Ok"})


def _bind_pattern(walk: Walk, pattern: Node, given: str) -> None:
    if (
        pattern.type == "tuple_struct_pattern"
        and text(part(pattern, "type")) in _INSIDE
        and pattern.named_child_count == 2
    ):
        name = pattern.named_child(1)
        if name.type in ("ref_pattern", "mut_pattern") and name.named_child_count:
            name = name.named_child(name.named_child_count - 1)
        if name.type == "identifier":
            walk.bind(walk.scope, text(name), BindingKind.ASSIGNED, given, walk.line(name))


def _macro(walk: Walk, node: Node) -> bool:
    """Arguments of a macro are tokens: a name with brackets behind it is a call, whatever stands before it."""
    tokens = first("token_tree")(node)
    waiting = [tokens] if tokens is not None else []
    seen = 0
    while waiting and seen < 2_000:
        here = waiting.pop()
        children = here.children
        seen += len(children)
        for place, child in enumerate(children):
            if child.type != "token_tree":
                continue
            waiting.append(child)
            if place and children[place - 1].type == "identifier" and child.child_count and text(child.child(0)) == "(":
                _token_call(walk, children, place - 1, child)
    return True


def _token_call(walk: Walk, children: list[Node], place: int, arguments: Node) -> None:
    steps = [text(children[place])]
    at = place - 1
    while at > 0 and text(children[at]) in (".", "::") and len(steps) < 6:
        before = children[at - 1]
        if before.type not in ("identifier", "self", "crate", "super"):
            steps.append("?")
            break
        steps.append(text(before))
        at -= 2
    inside = arguments.named_child_count
    commas = sum(child.type == "," for child in arguments.children)
    steps.reverse()
    root = steps[0]
    receiver = Receiver.NONE
    if len(steps) > 1:
        receiver = Receiver.SELF if root == "self" else Receiver.CLS if root == "Self" else Receiver.NAME
        receiver = Receiver.OTHER if root == "?" else receiver
    walk.refer(".".join(steps), receiver, commas + 1 if inside else 0, children[place])


def _type_alias(walk: Walk, node: Node) -> bool:
    name = part(node, "name")
    if name is not None:
        walk.bind(walk.scope, text(name), BindingKind.ASSIGNED, walk.type_of(part(node, "type")), walk.line(node))
    return False


def _pattern(node: Node) -> Node | None:
    name = part(node, "pattern")
    while (
        name is not None and name.type in ("mut_pattern", "ref_pattern", "reference_pattern") and name.named_child_count
    ):
        name = name.named_child(name.named_child_count - 1)
    return name


LANGUAGE = Language(
    name="rust",
    grammar="rust",
    functions={
        "function_item": Function(result="return_type"),
        "function_signature_item": Function(result="return_type"),
        "macro_definition": Function(body=named(1)),
    },
    closures={"closure_expression": Function()},
    classes={
        "struct_item": Class(),
        "enum_item": Class(),
        "union_item": Class(),
        "trait_item": Class(bases=("bounds",)),
    },
    extensions={"impl_item": Extension("type", base="trait")},
    calls={"call_expression": Call("function")},
    news={"struct_expression": New("name", silent=True)},
    members={
        "field_expression": ("value", "field"),
        "scoped_identifier": ("path", "name"),
        "scoped_type_identifier": ("path", "name"),
    },
    subscripts={"index_expression": named(0)},
    transparent={
        "parenthesized_expression": named(0),
        "try_expression": named(0),
        "await_expression": named(0),
        "reference_expression": "value",
        "unary_expression": named(-1),
        "generic_function": "function",
        "generic_type": "type",
        "generic_type_with_turbofish": "type",
        "bracketed_type": named(0),
        "qualified_type": "type",
    },
    casts={"type_cast_expression": "type"},
    literals={"string_literal": "str", "integer_literal": "int", "boolean_literal": "bool"},
    names=frozenset(
        {"identifier", "field_identifier", "type_identifier", "self", "super", "crate", "shorthand_field_identifier"}
    ),
    variables={
        "let_declaration": Variable(_pattern, "type", "value"),
        "static_item": Variable("name", "type", "value"),
        "const_item": Variable("name", "type", "value"),
        "field_declaration": Variable("name", "type", is_field=True),
    },
    assignments={"assignment_expression": ("left", "right")},
    loops={"for_expression": Loop("pattern", "value")},
    parameters={"parameter": Variable(_pattern, "type"), "identifier": Variable(itself)},
    leading=frozenset({"attribute_item"}),
    comments=frozenset({"line_comment", "block_comment"}),
    bounds={"type_parameter": ("name", "bounds"), "where_predicate": ("left", "bounds")},
    special={
        "use_declaration": _use,
        "mod_item": _module,
        "let_condition": _let_condition,
        "match_arm": _arm,
        "macro_invocation": _macro,
        "type_item": _type_alias,
        "associated_type": _type_alias,
    },
    self_words=frozenset({"self"}),
    class_words=frozenset({"Self"}),
    super_words=frozenset(),
    by_path=True,
)
parser = partial(TreeSitterParser, LANGUAGE)
