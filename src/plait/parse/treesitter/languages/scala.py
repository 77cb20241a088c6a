"""Scala 2 and 3 (https://scala-lang.org/files/archive/spec/)."""

from __future__ import annotations

from functools import partial

from plait.facts import BindingKind
from plait.model import Receiver, SymbolKind
from plait.parse.treesitter.parser import TreeSitterParser
from plait.parse.treesitter.table import Call, Language, New, Node, Variable, first, inside, named, part, text
from plait.parse.treesitter.type_names import bare
from plait.parse.treesitter.walk import Walk


def _import(walk: Walk, node: Node) -> bool:
    path = ".".join(text(child) for child in node.children_by_field_name("path") if child.is_named)
    wildcard = first("namespace_wildcard")(node)
    selectors = first("namespace_selectors")(node)
    if wildcard is not None:
        walk.import_(node, path, "*", "*")
    elif selectors is not None:
        for one in selectors.named_children:
            name, alias = text(part(one, "name")), text(part(one, "alias"))
            if one.type in ("namespace_wildcard", "given"):
                walk.import_(one, path, "*", "*")
            elif name:
                if alias != "_":
                    walk.import_(one, path, name, alias or name)
            else:
                walk.import_(one, path, text(one), text(one))
    else:
        module, _, name = path.rpartition(".")
        walk.import_(node, module, name, name)
    return True


def _package(walk: Walk, node: Node) -> bool:
    """Packages in a file follow one another or are nested; the last one around counts."""
    name = "".join(text(part(node, "name")).split())
    if part(node, "body") is not None:
        walk.open_block(tuple(name.split(".")))
    else:
        walk.package = f"{walk.package}.{name}" if walk.package else name
    return False


def _class(walk: Walk, node: Node) -> bool:
    name = text(part(node, "name"))
    if not name and node.type == "given_definition":
        name = f"<{bare(walk.type_of(part(node, 'return_type')))}>"
    if not name or name == "<?>":
        return False
    scope = walk.define(node, name, SymbolKind.CLASS, body=part(node, "body"))
    extend = part(node, "extend")
    for base in extend.children_by_field_name("type") if extend is not None else ():
        for one in base.named_children if base.type == "compound_type" else [base]:
            if one.is_named:
                walk.base(one, scope)
    arguments = part(extend, "arguments") if extend is not None else None
    if arguments is not None and extend is not None:
        walk.construct(bare(walk.type_of(part(extend, "type"))), part(extend, "type"), walk.arity(arguments))
    for parameters in node.children_by_field_name("class_parameters"):
        walk.take_parameters(scope, parameters)
    return False


def _function(walk: Walk, node: Node) -> bool:
    name = text(part(node, "name"))
    if not name:
        return False
    body = part(node, "body")
    owner = walk.scope.extends
    kind = SymbolKind.METHOD if owner or walk.scope.kind is SymbolKind.CLASS else SymbolKind.FUNCTION
    scope = walk.define(node, name, kind, body=body, owner=owner)
    if node.type == "function_declaration":
        walk.abstract.append(scope.id)
    lists = node.children_by_field_name("parameters")
    for place, parameters in enumerate(lists):
        if place:
            walk.take_parameters(scope, parameters, is_closure=True)
        else:
            walk.take_parameters(scope, parameters)
        if any("*" in text(part(one, "type"))[-1:] for one in parameters.named_children):
            walk.relax(0, many=True)
    result = part(node, "return_type")
    if result is not None:
        walk.returns(scope, result)
    elif body is not None:
        inside = reversed(body.named_children) if body.type in ("block", "indented_block") else iter((body,))
        last = next((one for one in inside if one.type not in ("comment", "block_comment")), None)
        given = walk.expressions.written(last) if last is not None else "?"
        if given != "?":
            walk.bind(scope, "", BindingKind.ASSIGNED, given, walk.line(node))
    return False


def _value(walk: Walk, node: Node) -> bool:
    pattern = part(node, "pattern") or part(node, "name")
    if pattern is None:
        return False
    walk.set_variable(walk.scope, pattern, part(node, "type"), part(node, "value"), walk.line(node))
    return False


def _lambda(walk: Walk, node: Node) -> bool:
    """`items.map(one => one.f())`"""
    parameters = part(node, "parameters")
    for _ in range(2):
        if parameters is not None and parameters.type != "identifier" and parameters.named_child_count == 1:
            parameters = parameters.named_child(0)
    if parameters is not None and parameters.type == "identifier":
        given, last = _each(walk), walk.last_line(node)
        walk.bind_within(text(parameters), BindingKind.ASSIGNED, given, walk.line(node), last)
    return False


def _each(walk: Walk) -> str:
    call = walk.around("call_expression")
    function = part(call, "function") if call is not None else None
    return walk.each_of(walk.expressions.written(function)) if function is not None else "?"


def _call(walk: Walk, node: Node) -> bool:
    """`f(1)(x => x)` is one call with two lists of arguments; `_.f()` is called on what a lambda is given."""
    function = part(node, "function")
    if function is not None and function.type == "call_expression" and node.type == "call_expression":
        return False
    if function is not None and (root := part(function, "value")) is not None and root.type == "wildcard":
        given = _each(walk) if walk.parent is not None and walk.parent.type == "arguments" else "?"
        name, arity = part(function, "field"), walk.arity(part(node, "arguments"))
        if given != "?" and name is not None:
            walk.refer(f"{given}.{text(name)}", Receiver.OTHER, arity, name)
            return False
    return walk.visit_call(node, _CALL)


_CALL = Call("function")


def _enumerator(walk: Walk, node: Node) -> bool:
    """`for (a <- list)`."""
    if node.named_child_count >= 2:
        name, source = node.named_child(0), node.named_child(1)
        if name.type == "identifier":
            given = walk.expressions.written(source)
            walk.bind(
                walk.scope, text(name), BindingKind.ASSIGNED, f"{given}[]" if given != "?" else "?", walk.line(name)
            )
    return False


def _infix(walk: Walk, node: Node) -> bool:
    """`a op b` calls a's method; signs are left to the library."""
    left, operator = part(node, "left"), part(node, "operator")
    if left is not None and operator is not None and operator.type == "identifier":
        owner = walk.expressions.written(left)
        walk.refer(f"{owner}.{text(operator)}", walk.expressions.receiver(owner), 1, operator)
    return False


def _extension(walk: Walk, node: Node) -> bool:
    parameters = part(node, "parameters")
    one = parameters.named_child(0) if parameters is not None and parameters.named_child_count else None
    type_ = bare(walk.type_of(part(one, "type"))) if one is not None else "?"
    if type_ != "?":
        walk.open_block(tuple(type_.split(".")), extends=type_)
    return False


def _name(walk: Walk, node: Node) -> bool:
    """A name by itself can be a method without brackets."""
    parent = walk.parent
    if parent is None or parent.type not in _READS:
        return False
    if field := _READS[parent.type]:
        one = part(parent, field)
        if one is not None and one.id == node.id:
            return False
    walk.unsure.append(len(walk.references))
    walk.read(text(node), Receiver.NONE, node)
    return False


_READS = {
    "infix_expression": "operator",
    "val_definition": "pattern",
    "var_definition": "pattern",
    "function_definition": "name",
    "field_expression": "field",
    "case_clause": "pattern",
    "assignment_expression": "left",
} | dict.fromkeys(
    "block indented_block arguments if_expression tuple_expression return_expression interpolation match_expression"
    " prefix_expression parenthesized_expression while_expression guard".split(),
    "",
)
"""Where a name is read, and the part there that is none that is read."""


def _alias(walk: Walk, node: Node) -> bool:
    name, type_ = part(node, "name"), part(node, "type")
    if name is not None and type_ is not None:
        walk.bind(walk.scope, text(name), BindingKind.ASSIGNED, walk.type_of(type_), walk.line(node))
    return False


LANGUAGE = Language(
    name="scala",
    grammar="scala",
    overloads=True,
    reads=frozenset({"field_expression"}),
    closures={},
    calls={"call_expression": _CALL},
    news={"instance_expression": New(named(0))},
    members={"field_expression": ("value", "field"), "stable_identifier": (0, -1), "stable_type_identifier": (0, -1)},
    transparent={"parenthesized_expression": named(0), "generic_function": "function", "generic_type": "type"},
    casts={"ascription_expression": named(-1)},
    literals={
        "string": "String",
        "integer_literal": "Int",
        "floating_point_literal": "Double",
        "character_literal": "Char",
        "boolean_literal": "Boolean",
        "interpolated_string_expression": "String",
    },
    names=frozenset({"identifier", "type_identifier", "this", "super", "operator_identifier"}),
    variables={"typed_pattern": Variable("pattern", "type")},
    assignments={"assignment_expression": ("left", "right")},
    parameters={
        "parameter": Variable("name", "type", "default_value"),
        "class_parameter": Variable("name", "type", "default_value", is_field=True),
    },
    comments=frozenset({"comment", "block_comment"}),
    bounds={"type_parameters": ("name", inside("bound", "type"))},
    special={
        "import_declaration": _import,
        "package_clause": _package,
        "class_definition": _class,
        "trait_definition": _class,
        "object_definition": _class,
        "enum_definition": _class,
        "given_definition": _class,
        "full_enum_case": _class,
        "function_definition": _function,
        "function_declaration": _function,
        "val_definition": _value,
        "var_definition": _value,
        "val_declaration": _value,
        "enumerator": _enumerator,
        "infix_expression": _infix,
        "extension_definition": _extension,
        "type_definition": _alias,
        "lambda_expression": _lambda,
        "identifier": _name,
        "call_expression": _call,
    },
)
parser = partial(TreeSitterParser, LANGUAGE)
