"""C++ (https://en.cppreference.com/w/cpp/language)."""

from __future__ import annotations

import re
from functools import partial

from plait.facts import BindingKind
from plait.model import Receiver, SymbolKind
from plait.parse.treesitter.languages.c import (
    LITERALS,
    MEMBERS,
    NAMES,
    SPECIAL,
    SUBSCRIPTS,
    TRANSPARENT,
    declare,
    declared,
    function_of,
    inner,
)
from plait.parse.treesitter.parser import TreeSitterParser
from plait.parse.treesitter.table import (
    Call,
    Function,
    Language,
    Loop,
    New,
    Node,
    Variable,
    first,
    last,
    named,
    part,
    text,
)
from plait.parse.treesitter.type_names import bare
from plait.parse.treesitter.walk import Walk

_DEEPEST = 12

_NAME = rb"[A-Z][A-Z0-9_]{3,}"
MACRO = re.compile(
    rb"(?:^" + _NAME + rb"|(?<=[;{}:/\n]\n)[ \t]+" + _NAME + rb"(?:\([^()\n]*\))?)(?=[ \t]*\r?\n[ \t]*[A-Za-z\n\r/])",
    re.MULTILINE,
)
"""A macro that is a line of its own before something else, as `NAMESPACE_BEGIN` and attributes are: no grammar can tell
what it stands for, and a class behind it would be taken apart."""


def _qualified(node: Node) -> tuple[str, str]:
    """`a::B<T>::f`: the scopes, dotted and without arguments, and the last name."""
    scopes: list[str] = []
    for _ in range(_DEEPEST):
        if node.type != "qualified_identifier":
            break
        scope = part(node, "scope")
        if scope is not None:
            name = part(scope, "name") if scope.type == "template_type" else scope
            scopes.append(text(name))
        below = part(node, "name")
        if below is None:
            break
        node = below
    if node.type in ("template_function", "template_method"):
        node = part(node, "name") or node
    return ".".join(scopes), "".join(text(node).split())


def _function(walk: Walk, node: Node) -> bool:
    """A definition, in a class or out of it, or a declaration in a class."""
    declarator = function_of(node)
    name = part(declarator, "declarator") if declarator is not None else None
    if declarator is None or name is None:
        cast = inner(part(node, "declarator"))
        if cast is None or cast.type != "operator_cast":
            return False
        owner, written, declarator = "", "operator " + text(part(cast, "type")), part(cast, "declarator")
    else:
        owner, written = _qualified(name)
    body = part(node, "body") or first("field_initializer_list", "try_statement")(node)
    if not written or len(written) > 200:
        return False
    scope = walk.define(
        node, written, SymbolKind.METHOD if walk.scope.is_type else SymbolKind.FUNCTION, body=body, owner=owner
    )
    if part(node, "body") is None and node.type != "function_definition":
        walk.abstract.append(scope.id)
    if declarator is not None:
        walk.take_parameters(scope, part(declarator, "parameters"))
        trailing = first("trailing_return_type")(declarator)
        walk.returns(scope, trailing.named_child(0) if trailing is not None else part(node, "type"))
    return False


def _declaration(walk: Walk, node: Node) -> bool:
    if walk.scope.kind is SymbolKind.CLASS and function_of(node) is not None:
        return _function(walk, node)
    declare(walk, node)
    if node.type == "declaration":
        _constructs(walk, node)
    return False


def _constructs(walk: Walk, node: Node) -> None:
    """`Item a(2), b{3};` run a constructor."""
    type_ = part(node, "type")
    written = walk.type_of(type_)
    if type_ is None or written == "?" or type_.type in ("primitive_type", "placeholder_type_specifier"):
        return
    for child in node.children_by_field_name("declarator"):
        value = part(child, "value") if child.type == "init_declarator" else None
        if value is not None and value.type in ("argument_list", "initializer_list"):
            walk.construct(bare(written), type_, walk.arity(value))


def _initializer(walk: Walk, node: Node) -> bool:
    """`: Base(x), field(y)`: a call of the base's constructor."""
    name = first("field_identifier", "qualified_identifier", "template_method", "template_type")(node)
    if name is not None:
        written = _qualified(name)[1]
        walk.refer(written, Receiver.NONE, walk.arity(first("argument_list", "initializer_list")(node)), name)
    return False


def _using(walk: Walk, node: Node) -> bool:
    path = last("qualified_identifier", "identifier", "namespace_identifier")(node)
    written = "".join(text(path).split()).replace("::", ".").strip(".")
    if any(child.type == "namespace" for child in node.children):
        walk.import_(node, written, "*", "*")
    else:
        module, _, name = written.rpartition(".")
        walk.import_(node, module, name, name)
    return True


def _alias(walk: Walk, node: Node) -> bool:
    name = part(node, "name")
    if name is not None:
        walk.bind(walk.scope, text(name), BindingKind.ASSIGNED, walk.type_of(part(node, "type")), walk.line(node))
    return False


def _namespace(walk: Walk, node: Node) -> bool:
    name = text(part(node, "name")).replace(" ", "")
    if name:
        walk.open_block(tuple(one for one in name.split("::") if one))
    return False


def _template_argument(node: Node) -> Node | None:
    """The type in `make_unique<T>(...)`."""
    for _ in range(_DEEPEST):
        if node.type == "call_expression":
            node = part(node, "function")
        elif node.type == "qualified_identifier":
            node = part(node, "name")
        if node is None:
            return None
        if node.type == "template_function":
            if text(part(node, "name")) not in (
                "make_unique",
                "make_shared",
                "static_cast",
                "dynamic_cast",
                "reinterpret_cast",
                "const_cast",
            ):
                return None
            arguments = part(node, "arguments")
            return arguments.named_child(0) if arguments is not None and arguments.named_child_count else None
        if node.type not in ("call_expression", "qualified_identifier"):
            return None
    return None


def _lambda(node: Node) -> Node | None:
    declarator = part(node, "declarator")
    return part(declarator, "parameters") if declarator is not None else None


LANGUAGE = Language(
    name="cpp",
    overloads=True,
    blank=MACRO,
    grammar="cpp",
    closures={"lambda_expression": Function(parameters=_lambda)},
    calls={"call_expression": Call("function", types=_template_argument)},
    news={"new_expression": New("type")},
    members={**MEMBERS, "qualified_identifier": ("scope", "name")},
    subscripts=SUBSCRIPTS,
    transparent={
        **TRANSPARENT,
        "template_function": "name",
        "template_method": "name",
        "template_type": "name",
        "dependent_name": named(0),
        "co_await_expression": named(0),
    },
    casts={"cast_expression": "type", "compound_literal_expression": "type"},
    literals=LITERALS,
    names=NAMES,
    assignments={"assignment_expression": ("left", "right")},
    loops={"for_range_loop": Loop(declared, "right", "type")},
    parameters={
        "parameter_declaration": Variable(declared, "type"),
        "optional_parameter_declaration": Variable(declared, "type", optional=True),
        "variadic_parameter_declaration": Variable(declared, "type", many=True),
        "variadic_parameter": Variable(lambda node: node, many=True),
        "identifier": Variable(lambda node: node),
    },
    spreads=frozenset({"parameter_pack_expansion"}),
    wrappers=frozenset({"template_declaration"}),
    special={
        **SPECIAL,
        "class_specifier": SPECIAL["struct_specifier"],
        "function_definition": _function,
        "field_declaration": _declaration,
        "declaration": _declaration,
        "field_initializer": _initializer,
        "using_declaration": _using,
        "alias_declaration": _alias,
        "namespace_definition": _namespace,
    },
)
parser = partial(TreeSitterParser, LANGUAGE)
