"""C# (https://learn.microsoft.com/dotnet/csharp/language-reference/)."""

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
    itself,
    last,
    named,
    part,
    text,
)
from plait.parse.treesitter.walk import Walk


def _using(walk: Walk, node: Node) -> bool:
    """`using A.B;`, `using static A.B;`, `using X = A.B;`"""
    path = last("qualified_name", "identifier", "alias_qualified_name")(node)
    name = part(node, "name")
    module = "".join(text(path).split()).removeprefix("global::")
    if name is not None and path is not None and name.id != path.id:
        owner, _, last_name = module.rpartition(".")
        walk.import_(node, owner, last_name, text(name))
    elif module:
        walk.import_(node, module, "*", "*")
    return True


def _file_namespace(walk: Walk, node: Node) -> bool:
    walk.package = "".join(text(part(node, "name")).split())
    return False


def _namespace(walk: Walk, node: Node) -> bool:
    names = tuple("".join(text(part(node, "name")).split()).split("."))
    if names != ("",):
        walk.open_block(names)
    return False


def _declared(walk: Walk, node: Node) -> bool:
    """`T a = b, c;`"""
    type_ = part(node, "type")
    around = walk.class_around()
    scope = around if around is not None and walk.scope is around else walk.scope
    for declarator in node.named_children:
        if declarator.type != "variable_declarator":
            continue
        name = part(declarator, "name")
        value = declarator.named_child(declarator.named_child_count - 1) if declarator.named_child_count > 1 else None
        if value is not None and value.type == "implicit_object_creation_expression":
            walk.construct(walk.type_of(type_), value, walk.arity(first("argument_list")(value)))
        if name is not None:
            walk.set_variable(scope, name, type_, value, walk.line(declarator))
    return False


def _property(walk: Walk, node: Node) -> bool:
    """A property is a field by its type, and a method by the code that computes it."""
    around = walk.class_around()
    name = part(node, "name")
    if name is None or around is None:
        return False
    written = walk.type_of(part(node, "type"))
    walk.bind(around, text(name), BindingKind.ANNOTATED, written, walk.line(node))
    accessors = part(node, "accessors")
    value = part(node, "value")
    runs = accessors is not None and any(part(one, "body") is not None for one in accessors.named_children)
    if runs or (value is not None and value.type == "arrow_expression_clause"):
        body = accessors if runs else value
        walk.returns(walk.define(node, text(name), SymbolKind.METHOD, body=body), part(node, "type"))
    if value is not None and value.type == "implicit_object_creation_expression":
        walk.construct(written, value, walk.arity(first("argument_list")(value)))
    return False


def _initializer(walk: Walk, node: Node) -> bool:
    """`: base(x)`, `: this(x)`."""
    word = next((text(child) for child in node.children if text(child) in ("base", "this")), "")
    if word:
        form = Receiver.SUPER if word == "base" else Receiver.SELF
        walk.refer(word, form, walk.arity(first("argument_list")(node)), node)
    return False


def _operator(walk: Walk, node: Node) -> bool:
    sign = text(part(node, "operator")) or text(part(node, "type"))
    name = f"operator{sign}" if node.type == "operator_declaration" else f"conversion:{sign}"
    body = part(node, "body")
    walk.take_parameters(walk.define(node, name, SymbolKind.METHOD, body=body), part(node, "parameters"))
    return False


_FUNCTION = Function(result="returns")
_CLASS = Class(bases=(first("base_list"),), fields=first("parameter_list"))

LANGUAGE = Language(
    name="csharp",
    grammar="csharp",
    overloads=True,
    reads=frozenset({"member_access_expression"}),
    functions={
        "method_declaration": _FUNCTION,
        "constructor_declaration": Function(),
        "destructor_declaration": Function(),
        "local_function_statement": Function(result="type"),
        "indexer_declaration": Function(called="this[]", result="type", body="value"),
        "delegate_declaration": Function(result="type"),
    },
    closures={"lambda_expression": Function(), "anonymous_method_expression": Function()},
    classes={
        "class_declaration": _CLASS,
        "interface_declaration": _CLASS,
        "struct_declaration": _CLASS,
        "record_declaration": _CLASS,
        "enum_declaration": Class(),
    },
    calls={"invocation_expression": Call("function")},
    news={"object_creation_expression": New("type")},
    members={
        "member_access_expression": (0, "name"),
        "conditional_access_expression": (
            "condition",
            last("member_binding_expression", "identifier", "invocation_expression"),
        ),
        "qualified_name": ("qualifier", "name"),
        "alias_qualified_name": ("alias", "name"),
    },
    subscripts={"element_access_expression": "expression"},
    transparent={
        "parenthesized_expression": named(0),
        "await_expression": named(0),
        "postfix_unary_expression": named(0),
        "member_binding_expression": "name",
        "generic_name": named(0),
        "checked_expression": named(0),
    },
    casts={"cast_expression": "type", "as_expression": "right"},
    literals={
        "string_literal": "string",
        "interpolated_string_expression": "string",
        "integer_literal": "int",
        "real_literal": "double",
        "character_literal": "char",
        "boolean_literal": "bool",
    },
    names=frozenset({"identifier", "base", "this", "predefined_type"}),
    loops={"foreach_statement": Loop("left", "right", "type")},
    variables={
        "declaration_pattern": Variable("name", "type"),
        "declaration_expression": Variable("name", "type"),
        "catch_declaration": Variable("name", "type"),
        "recursive_pattern": Variable("name", "type"),
    },
    assignments={"assignment_expression": ("left", "right")},
    parameters={
        "array_type": Variable(lambda node: None, itself, many=True),
        "parameter": Variable(
            "name",
            "type",
            lambda node: node.child(node.child_count - 1) if any(c.type == "=" for c in node.children) else None,
        ),
    },
    namespaces={},
    leading=frozenset(),
    spreads=frozenset(),
    super_words=frozenset({"base"}),
    tests={
        "is_pattern_expression": Test("expression", inside("pattern", first("identifier", "generic_name"))),
        "is_expression": Test("left", "right"),
    },
    bounds={"type_parameter_constraints_clause": (named(0), inside(named(1), "type"))},
    special={
        "using_directive": _using,
        "file_scoped_namespace_declaration": _file_namespace,
        "namespace_declaration": _namespace,
        "variable_declaration": _declared,
        "property_declaration": _property,
        "constructor_initializer": _initializer,
        "operator_declaration": _operator,
        "conversion_operator_declaration": _operator,
    },
)
parser = partial(TreeSitterParser, LANGUAGE)
