"""TypeScript and TSX (https://www.typescriptlang.org/docs/handbook/)."""

from __future__ import annotations

from functools import partial

from plait.facts import BindingKind
from plait.model import SymbolKind
from plait.parse.treesitter.languages.javascript import COMMON, EACH, FIELD, SPECIAL
from plait.parse.treesitter.parser import TreeSitterParser
from plait.parse.treesitter.table import (
    Class,
    Function,
    Language,
    Node,
    Test,
    Variable,
    first,
    inside,
    named,
    part,
    text,
)
from plait.parse.treesitter.walk import Walk


def _alias(walk: Walk, node: Node) -> bool:
    """`type A = B`: a name for a type, whose members are those of B."""
    scope = walk.define(node, text(part(node, "name")), SymbolKind.CLASS, body=part(node, "value"))
    value = part(node, "value")
    walk.returns(scope, value)
    return False


def _signature(walk: Walk, node: Node) -> bool:
    """One of several headers of a function is no definition; one in a declaration of what is elsewhere is."""
    if walk.parent is not None and walk.parent.type == "ambient_declaration":
        walk.visit_function(node, Function(result="return_type"))
    return False


def _method_signature(walk: Walk, node: Node) -> bool:
    """In a class it is one of several headers; in an interface the definition."""
    if walk.scope.kind is SymbolKind.CLASS and walk.parent is not None and walk.parent.type != "class_body":
        walk.visit_function(node, Function(result="return_type"))
    return False


def _property(walk: Walk, node: Node) -> bool:
    name = part(node, "name")
    if name is not None and walk.scope.kind is SymbolKind.CLASS:
        walk.bind(walk.scope, text(name), BindingKind.ANNOTATED, walk.type_of(part(node, "type")), walk.line(node))
    return False


def _module(walk: Walk, node: Node) -> bool:
    name = part(node, "name")
    if name is not None and name.type != "string" and part(node, "body") is not None:
        walk.open_block(tuple(text(name).replace(" ", "").split(".")))
    return False


def _cast(node: Node) -> Node | None:
    """The type of `a as T`; `a as const` names none."""
    return named(-1)(node) if node.named_child_count > 1 else None


def _parameter_name(node: Node) -> Node | None:
    name = part(node, "pattern")
    if name is not None and name.type == "rest_pattern":
        return name.named_child(0)
    return None if name is not None and name.type == "this" else name


def _is_field(node: Node) -> bool:
    return any(
        child.type in ("accessibility_modifier", "override_modifier") or child.type == "readonly"
        for child in node.children
    )


def _parameter(walk: Walk, node: Node) -> bool:
    """`constructor(private db: Db)` declares a field."""
    around = walk.class_around()
    name = part(node, "pattern")
    if around is not None and name is not None and _is_field(node):
        walk.bind(around, text(name), BindingKind.ANNOTATED, walk.type_of(part(node, "type")), walk.line(node))
    return False


LANGUAGE = Language(
    name="typescript",
    grammar="typescript",
    functions={**COMMON["functions"], "abstract_method_signature": Function(result="return_type")},
    classes={
        "interface_declaration": Class(bases=(first("extends_type_clause"),)),
        "enum_declaration": Class(),
    },
    members={**COMMON["members"], "nested_type_identifier": ("module", "name")},
    transparent={
        **COMMON["transparent"],
        "non_null_expression": named(0),
        "satisfies_expression": named(0),
        "instantiation_expression": named(0),
        "generic_type": "name",
    },
    casts={"as_expression": _cast, "type_assertion": named(0)},
    tests={"binary_expression": Test("left", "right", operator="instanceof")},
    bounds={"type_parameter": ("name", inside("constraint", named(0)))},
    parameters={
        "required_parameter": Variable(_parameter_name, "type", "value"),
        "optional_parameter": Variable(_parameter_name, "type", optional=True),
        "identifier": Variable(lambda node: node),
    },
    special={
        **SPECIAL,
        "abstract_class_declaration": SPECIAL["class_declaration"],
        "public_field_definition": FIELD,
        "for_in_statement": EACH,
        "type_alias_declaration": _alias,
        "function_signature": _signature,
        "method_signature": _method_signature,
        "property_signature": _property,
        "internal_module": _module,
        "module": _module,
        "required_parameter": _parameter,
        "optional_parameter": _parameter,
    },
    wrappers=frozenset({"ambient_declaration"}),
    **{key: value for key, value in COMMON.items() if key not in ("functions", "members", "transparent")},
)
parser = partial(TreeSitterParser, LANGUAGE)
