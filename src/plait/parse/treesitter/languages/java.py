"""Java (https://docs.oracle.com/javase/specs/)."""

from __future__ import annotations

from functools import partial

from plait.facts import BindingKind
from plait.model import Receiver, SymbolKind
from plait.parse.treesitter.parser import TreeSitterParser
from plait.parse.treesitter.table import (
    Call,
    Class,
    Function,
    Language,
    Loop,
    New,
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


def _import(walk: Walk, node: Node) -> bool:
    names = [text(child) for child in node.named_children if child.type in ("scoped_identifier", "identifier")]
    path = "".join(names[0].split()) if names else ""
    if any(child.type == "asterisk" for child in node.named_children):
        walk.import_(node, path, "*", "*")
    elif path:
        module, _, name = path.rpartition(".")
        walk.import_(node, module, name, name)
    return True


def _package(walk: Walk, node: Node) -> bool:
    walk.package = "".join(text(first("scoped_identifier", "identifier")(node)).split())
    return True


def _declared(walk: Walk, node: Node) -> bool:
    """`T a = b, c;`"""
    type_ = part(node, "type")
    scope = walk.class_around() if node.type == "field_declaration" else walk.scope
    for declarator in node.children_by_field_name("declarator"):
        name = part(declarator, "name")
        if name is not None and scope is not None:
            walk.set_variable(scope, name, type_, part(declarator, "value"), walk.line(declarator))
    return False


def _anonymous(walk: Walk, node: Node) -> bool:
    """The body of a class without a name, of an object or of a constant of an enumeration."""
    given = walk.pending.pop(node.id, None)
    if given is not None and given[0] != "?":
        scope = walk.define(node, f"<{given[0].partition('[')[0]}>", SymbolKind.CLASS, body=node, first=given[2])
        walk.base_named(given[0], node, scope)
    return False


def _enum_constant(walk: Walk, node: Node) -> bool:
    around = walk.class_around()
    name = part(node, "name")
    if around is not None and name is not None:
        walk.bind(around, text(name), BindingKind.ANNOTATED, around.names[-1], walk.line(node))
        if (body := part(node, "body")) is not None:
            walk.pending[body.id] = (around.names[-1], "", walk.line(node))
    return False


def _delegation(walk: Walk, node: Node) -> bool:
    """`super(x)`, `this(x)`."""
    to = part(node, "constructor")
    if to is not None:
        receiver = Receiver.SUPER if to.type == "super" else Receiver.SELF
        walk.refer(text(to), receiver, walk.arity(part(node, "arguments")), to)
        walk.give(part(node, "arguments"))
    return False


def _method_reference(walk: Walk, node: Node) -> bool:
    """`this::add`, `Cart::new`: called by whoever takes it."""
    children = node.named_children
    if not children:
        return False
    owner = walk.expressions.written(children[0])
    if len(children) == 1 and text(node).endswith("new"):
        walk.refer(owner, Receiver.NONE, -1, children[0])
    elif len(children) > 1 and owner != "?":
        form = Receiver.SELF if owner == "this" else Receiver.SUPER if owner == "super" else Receiver.NAME
        walk.refer(f"{owner}.{text(children[-1])}", form, -1, children[-1])
    return False


LANGUAGE = Language(
    name="java",
    named_closures=False,
    overloads=True,
    grammar="java",
    functions={
        "method_declaration": Function(result="type"),
        "constructor_declaration": Function(),
        "compact_constructor_declaration": Function(),
        "annotation_type_element_declaration": Function(result="type"),
    },
    closures={"lambda_expression": Function()},
    classes={
        "class_declaration": Class(bases=("superclass", "interfaces")),
        "interface_declaration": Class(bases=(first("extends_interfaces"),)),
        "enum_declaration": Class(bases=("interfaces",)),
        "record_declaration": Class(bases=("interfaces",), fields="parameters"),
        "annotation_type_declaration": Class(),
    },
    calls={"method_invocation": Call(object="object", name="name")},
    news={"object_creation_expression": New("type", body=first("class_body"))},
    members={
        "field_access": ("object", "field"),
        "scoped_identifier": ("scope", "name"),
        "scoped_type_identifier": (0, -1),
    },
    subscripts={"array_access": "array"},
    transparent={"parenthesized_expression": named(0), "generic_type": named(0)},
    tests={"instanceof_expression": Test("left", "right", bound="name")},
    casts={"cast_expression": "type"},
    literals={
        "string_literal": "String",
        "character_literal": "char",
        "decimal_integer_literal": "int",
        "hex_integer_literal": "int",
        "decimal_floating_point_literal": "double",
        "class_literal": "Class",
        "true": "boolean",
        "false": "boolean",
    },
    names=frozenset({"identifier", "type_identifier"}),
    loops={"enhanced_for_statement": Loop("name", "value", "type")},
    variables={
        "resource": Variable("name", "type", "value"),
        "type_pattern": Variable(named(1), named(0)),
        "catch_formal_parameter": Variable("name", first("catch_type")),
    },
    assignments={"assignment_expression": ("left", "right")},
    parameters={
        "formal_parameter": Variable("name", "type"),
        "spread_parameter": Variable(
            lambda node: (
                part(first("variable_declarator")(node), "name") if first("variable_declarator")(node) else None
            ),
            first("type_identifier", "generic_type", "integral_type", "array_type", "scoped_type_identifier"),
            many=True,
        ),
    },
    comments=frozenset({"line_comment", "block_comment"}),
    bounds={"type_parameter": (named(0), inside(first("type_bound"), named(0)))},
    special={
        "import_declaration": _import,
        "package_declaration": _package,
        "field_declaration": _declared,
        "local_variable_declaration": _declared,
        "constant_declaration": _declared,
        "class_body": _anonymous,
        "enum_constant": _enum_constant,
        "explicit_constructor_invocation": _delegation,
        "method_reference": _method_reference,
    },
)
parser = partial(TreeSitterParser, LANGUAGE)
