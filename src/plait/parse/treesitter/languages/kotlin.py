"""Kotlin (https://kotlinlang.org/spec/)."""

from __future__ import annotations

from functools import partial

from plait.facts import BindingKind
from plait.model import Receiver, SymbolKind
from plait.parse.treesitter.parser import TreeSitterParser
from plait.parse.treesitter.table import (
    Call,
    Language,
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

_TYPES = ("user_type", "nullable_type", "function_type", "parenthesized_type", "non_nullable_type")
_type = first(*_TYPES)


def _import(walk: Walk, node: Node) -> bool:
    path = "".join(text(first("qualified_identifier", "identifier")(node)).split())
    alias = last("identifier")(node)
    if text(node).rstrip("; \n\t").endswith(".*"):
        walk.import_(node, path, "*", "*")
    elif path:
        module, _, name = path.rpartition(".")
        walk.import_(node, module, name, text(alias) if alias is not None and node.named_child_count > 1 else name)
    return True


def _package(walk: Walk, node: Node) -> bool:
    walk.package = "".join(text(node.named_child(0)).split()) if node.named_child_count else ""
    return True


def _supertypes(walk: Walk, header: Node | None) -> None:
    """`: Base(x), Reader, W by db`; a base with arguments is constructed."""
    for one in header.named_children if header is not None else ():
        inner = one.named_child(0) if one.type == "delegation_specifier" and one.named_child_count else one
        if inner.type in ("constructor_invocation", "explicit_delegation"):
            type_ = first(*_TYPES)(inner)
            if type_ is not None and inner.type == "constructor_invocation":
                arguments = first("value_arguments")(inner)
                walk.construct(bare(walk.type_of(type_)), type_, walk.arity(arguments))
            inner = type_
        if inner is not None:
            walk.base(inner, walk.scope)


def _class(walk: Walk, node: Node) -> bool:
    name = text(part(node, "name"))
    if node.type == "companion_object":
        name = name or "Companion"
    if not name:
        return False
    walk.define(node, name, SymbolKind.CLASS, body=first("class_body", "enum_class_body")(node))
    constructor = first("primary_constructor")(node)
    parameters = first("class_parameters")(constructor) if constructor is not None else None
    if parameters is not None:
        walk.take_parameters(walk.scope, parameters, is_constructor=True)
        taken = [one for one in parameters.named_children if one.type == "class_parameter"]
        defaults = sum(child.type == "=" for one in taken for child in one.children)
        walk.relax(defaults)
    _supertypes(walk, first("delegation_specifiers")(node))
    return False


def _object(walk: Walk, node: Node) -> bool:
    """`object : Reader { }` has no name but its base's."""
    header = first("delegation_specifiers")(node)
    base = header.named_child(0) if header is not None and header.named_child_count else None
    written = bare(walk.type_of(base)).partition("(")[0] if base is not None else "?"
    walk.define(node, f"<{written if written != '?' else 'object'}>", SymbolKind.CLASS, body=first("class_body")(node))
    _supertypes(walk, header)
    return False


def _function(walk: Walk, node: Node) -> bool:
    """`fun T.f()` is a member of T for those who call it."""
    name = text(part(node, "name"))
    children = node.named_children
    at = next((place for place, child in enumerate(children) if child.type == "function_value_parameters"), None)
    if not name or at is None:
        return False
    receiver = next((child for child in children[:at] if child.type in _TYPES), None)
    result = next((child for child in children[at + 1 :] if child.type in _TYPES), None)
    owner = bare(walk.type_of(receiver)) if receiver is not None else ""
    body = first("function_body")(node)
    kind = SymbolKind.METHOD if owner or walk.scope.kind is SymbolKind.CLASS else SymbolKind.FUNCTION
    scope = walk.define(node, name, kind, body=body, owner="" if owner == "?" else owner)
    if body is None:
        walk.abstract.append(scope.id)
    walk.take_parameters(scope, children[at])
    defaults = sum(child.type == "=" for child in children[at].children)
    walk.relax(
        defaults,
        many=any("vararg" in text(one) for one in children[at].named_children if one.type == "parameter_modifiers"),
    )
    if result is not None:
        walk.returns(scope, result)
    elif body is not None and body.named_child_count and body.named_child(0).type != "block":
        given = walk.expressions.written(body.named_child(0))
        if given != "?":
            walk.bind(scope, "", BindingKind.ASSIGNED, given, walk.line(node))
    return False


def _property(walk: Walk, node: Node) -> bool:
    declared = first("variable_declaration")(node)
    if declared is None:
        return False
    name = declared.named_child(0)
    if name is not None and name.type == "identifier":
        around = walk.class_around()
        scope = around if around is not None and walk.scope is around else walk.scope
        children = node.named_children
        after = children[children.index(declared) + 1 :]
        value = next((one for one in after if one.type not in ("getter", "setter", "type_constraints")), None)
        delegate = value is not None and value.type == "property_delegate"
        walk.set_variable(scope, name, _type(declared), None if delegate else value, walk.line(node))
    return False


def _call(walk: Walk, node: Node) -> bool:
    """A block behind a call is one more argument of it, though the grammar makes a call of the call."""
    callee = node.named_child(0)
    if callee is not None and callee.type == "call_expression" and first("value_arguments")(node) is None:
        walk.extra_arguments[callee.id] = 1
        return False
    if callee is not None and first("annotated_lambda")(node) is not None:
        walk.extra_arguments[node.id] = walk.extra_arguments.get(node.id, 0) + 1
    return walk.visit_call(node, _CALL)


def _secondary(walk: Walk, node: Node) -> bool:
    scope = walk.define(node, "constructor", SymbolKind.METHOD, body=first("block")(node))
    walk.take_parameters(scope, first("function_value_parameters")(node))
    to = first("constructor_delegation_call")(node)
    if to is not None:
        word = "super" if text(to).startswith("super") else "this"
        form = Receiver.SUPER if word == "super" else Receiver.SELF
        walk.refer(word, form, walk.arity(first("value_arguments")(to)), to)
        walk.give(first("value_arguments")(to))
    return False


def _loop(walk: Walk, node: Node) -> bool:
    declared = first("variable_declaration")(node)
    if declared is not None and declared.named_child_count:
        children = node.named_children
        after = children[children.index(declared) + 1 :]
        given = walk.expressions.written(after[0]) if after else "?"
        name = declared.named_child(0)
        if (type_ := _type(declared)) is not None:
            walk.set_variable(walk.scope, name, type_, None, walk.line(name))
        else:
            walk.bind(
                walk.scope, text(name), BindingKind.ASSIGNED, f"{given}[]" if given != "?" else "?", walk.line(name)
            )
    return False


def _entry(walk: Walk, node: Node) -> bool:
    around = walk.class_around()
    name = first("identifier")(node)
    if around is not None and name is not None:
        walk.bind(around, text(name), BindingKind.ANNOTATED, around.names[-1], walk.line(node))
        if (body := first("class_body")(node)) is not None:
            scope = walk.define(node, f"<{around.names[-1]}>", SymbolKind.CLASS, body=body)
            walk.base_named(around.names[-1], node, scope)
    return False


def _alias(walk: Walk, node: Node) -> bool:
    name, type_ = first("identifier")(node), last(*_TYPES)(node)
    if name is not None:
        walk.bind(walk.scope, text(name), BindingKind.ASSIGNED, walk.type_of(type_), walk.line(node))
    return False


def _lambda(walk: Walk, node: Node) -> bool:
    """`items.map { it.f() }`, `items.map { one -> one.f() }`."""
    call = walk.around("call_expression")
    behind = walk.parent is not None and walk.parent.type == "annotated_lambda"
    callee = call.named_child(0) if call is not None and behind else None
    if callee is not None and callee.type == "call_expression":
        callee = callee.named_child(0)
    given = walk.each_of(walk.expressions.written(callee)) if callee is not None else "?"
    names = [one for one in (first("lambda_parameters")(node) or node).named_children if one.type in _LAMBDA]
    line, end = walk.line(node), walk.last_line(node)
    if not names:
        walk.bind_within("it", BindingKind.ASSIGNED, given, line, end)
    for one in names:
        name, type_ = first("identifier")(one), _type(one)
        if name is not None and type_ is not None:
            walk.bind_within(text(name), BindingKind.ANNOTATED, walk.type_of(type_), line, end)
        elif name is not None:
            walk.bind_within(text(name), BindingKind.ASSIGNED, given if len(names) == 1 else "?", line, end)
    return False


def _is(walk: Walk, node: Node) -> bool:
    """`x is T` in the condition of an if."""
    around = walk.around("if_expression", "block")
    if around is not None and around.type == "if_expression":
        body = around.named_child(1) if around.named_child_count > 1 else None
        negated = any(child.type == "!is" for child in node.children)
        walk.narrow(part(node, "left"), part(node, "right"), node, body, negated=negated)
    return False


def _type_test(walk: Walk, node: Node) -> bool:
    """`when (x) { is T -> }`"""
    when, entry = walk.around("when_expression"), walk.around("when_entry")
    subject = first("when_subject")(when) if when is not None else None
    if subject is not None and node.child_count and node.child(0).type == "is":
        walk.narrow(first("identifier")(subject), _type(node), node, entry, negated=False)
    return False


_LAMBDA = frozenset({"variable_declaration", "multi_variable_declaration"})
_CALL = Call(named(0), arguments=first("value_arguments"))
_declared = first("identifier")

LANGUAGE = Language(
    name="kotlin",
    grammar="kotlin",
    calls={"call_expression": _CALL},
    members={"navigation_expression": (0, -1), "qualified_identifier": (0, -1)},
    subscripts={"index_expression": named(0)},
    transparent={
        "parenthesized_expression": named(0),
        "unary_expression": named(0),
        "annotated_expression": named(-1),
    },
    casts={"as_expression": named(-1)},
    literals={
        "string_literal": "String",
        "number_literal": "Int",
        "float_literal": "Double",
        "character_literal": "Char",
        "multiline_string_literal": "String",
    },
    names=frozenset({"identifier", "super_expression", "this_expression"}),
    variables={"catch_block": Variable(first("identifier"), _type)},
    assignments={"assignment": (named(0), named(-1))},
    parameters={
        "parameter": Variable(_declared, _type),
        "class_parameter": Variable(_declared, _type, is_field=True),
    },
    spreads=frozenset({"spread_expression"}),
    comments=frozenset({"line_comment", "block_comment"}),
    bounds={"type_parameter": (named(0), named(1))},
    special={
        "import": _import,
        "package_header": _package,
        "class_declaration": _class,
        "object_declaration": _class,
        "companion_object": _class,
        "object_literal": _object,
        "function_declaration": _function,
        "property_declaration": _property,
        "call_expression": _call,
        "secondary_constructor": _secondary,
        "for_statement": _loop,
        "enum_entry": _entry,
        "type_alias": _alias,
        "lambda_literal": _lambda,
        "is_expression": _is,
        "type_test": _type_test,
    },
    overloads=True,
    lending=frozenset({"let", "also", "takeIf", "takeUnless"}),
)
parser = partial(TreeSitterParser, LANGUAGE)
