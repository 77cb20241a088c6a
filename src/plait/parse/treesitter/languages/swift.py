"""Swift (https://docs.swift.org/swift-book/)."""

from __future__ import annotations

from functools import partial

from plait.facts import BindingKind
from plait.model import SymbolKind
from plait.parse.treesitter.parser import TreeSitterParser
from plait.parse.treesitter.table import Call, Language, Node, Variable, first, named, part, text
from plait.parse.treesitter.type_names import bare
from plait.parse.treesitter.walk import Walk


def _import(walk: Walk, node: Node) -> bool:
    walk.import_(node, text(first("identifier")(node)), None, "")
    return True


def _bases(walk: Walk, node: Node) -> list[Node]:
    return [
        type_
        for child in node.named_children
        if child.type == "inheritance_specifier" and (type_ := part(child, "inherits_from")) is not None
    ]


def _class(walk: Walk, node: Node) -> bool:
    """Classes, structures, enumerations, actors; an extension has the name of what it extends."""
    name = part(node, "name")
    if name is None:
        return False
    if any(child.type == "extension" for child in node.children):
        type_ = bare(walk.type_of(name))
        if type_ == "?":
            return False
        for base in _bases(walk, node):
            walk.extend(type_, walk.type_of(base), base)
        walk.open_block(tuple(type_.split(".")), extends=type_)
        return False
    scope = walk.define(node, text(name), SymbolKind.CLASS, body=part(node, "body"))
    for base in _bases(walk, node):
        walk.base(base, scope)
    return False


def _function(walk: Walk, node: Node) -> bool:
    name = {"init_declaration": "init", "deinit_declaration": "deinit", "subscript_declaration": "subscript"}.get(
        node.type
    )
    named_ = part(node, "name")
    name = name or text(named_)
    if not name:
        return False
    body = part(node, "body") or first("computed_property")(node)
    owner = walk.scope.extends
    kind = SymbolKind.METHOD if owner or walk.scope.kind is SymbolKind.CLASS else SymbolKind.FUNCTION
    scope = walk.define(node, name, kind, body=body, owner=owner)
    if body is None:
        walk.abstract.append(scope.id)
    _parameters(walk, node)
    result = [child for child in node.children_by_field_name("name") if child.type not in ("simple_identifier",)]
    result += node.children_by_field_name("return_type")
    if (result and node.type == "function_declaration") or (result and node.type == "protocol_function_declaration"):
        walk.returns(scope, result[-1])
    return False


def _parameters(walk: Walk, node: Node) -> None:
    """Parameters with their defaults beside them."""
    walk.take_parameters(walk.scope, node)
    defaults = len(node.children_by_field_name("default_value"))
    variadic = any(child.type == "..." for child in node.children)
    walk.relax(defaults, many=variadic)


def _property(walk: Walk, node: Node) -> bool:
    """A variable, a field, or code that is run when it is read."""
    name = part(node, "name")
    bound = part(name, "bound_identifier") if name is not None else None
    if bound is None:
        return False
    around = walk.class_around()
    in_type = around is not None and walk.scope is around
    scope = around if in_type and around is not None else walk.scope
    annotation = first("type_annotation")(node)
    type_ = part(annotation, "name") if annotation is not None else None
    value = part(node, "value")
    computed = part(node, "computed_value")
    if value is not None and value.type == "lambda_literal":
        value = None
    walk.set_variable(scope, bound, type_, value, walk.line(node))
    if computed is not None:
        owner = walk.scope.extends
        kind = SymbolKind.METHOD if owner or walk.scope.kind is SymbolKind.CLASS else SymbolKind.FUNCTION
        made = walk.define(node, text(bound), kind, body=computed, owner=owner)
        walk.returns(made, type_)
    return False


def _optional(walk: Walk, node: Node) -> bool:
    """`if let x = y`, `guard let x = y`."""
    names = node.children_by_field_name("bound_identifier")
    conditions = [
        child
        for child in node.children_by_field_name("condition")
        if child.is_named and child.type != "value_binding_pattern"
    ]
    if len(names) == 1 and conditions:
        given = walk.expressions.written(conditions[0])
        walk.bind(walk.scope, text(names[0]), BindingKind.ASSIGNED, given, walk.line(node))
    return False


def _loop(walk: Walk, node: Node) -> bool:
    item = part(node, "item")
    bound = part(item, "bound_identifier") if item is not None else None
    collection = part(node, "collection")
    if bound is not None and collection is not None:
        given = walk.expressions.written(collection)
        walk.bind(walk.scope, text(bound), BindingKind.ASSIGNED, f"{given}[]" if given != "?" else "?", walk.line(node))
    return False


def _suffix(node: Node) -> Node | None:
    suffix = part(node, "suffix")
    return part(suffix, "suffix") if suffix is not None else None


def _arguments(node: Node) -> Node | None:
    suffix = first("call_suffix")(node)
    return first("value_arguments")(suffix) if suffix is not None else None


def _call(walk: Walk, node: Node) -> bool:
    """A closure behind a call is one more argument; brackets with an index are no call."""
    suffix = first("call_suffix")(node)
    if suffix is None:
        return False
    if _indexed(node) is not None:
        return False
    blocks = sum(child.type == "lambda_literal" for child in suffix.named_children)
    if blocks:
        walk.extra_arguments[node.id] = blocks
    return walk.visit_call(node, _CALL)


def _alias(walk: Walk, node: Node) -> bool:
    names = node.children_by_field_name("name")
    if len(names) > 1:
        walk.bind(walk.scope, text(names[0]), BindingKind.ASSIGNED, walk.type_of(names[-1]), walk.line(node))
    return False


def _case(walk: Walk, node: Node) -> bool:
    around = walk.class_around()
    for name in node.children_by_field_name("name"):
        if around is not None and name.type == "simple_identifier":
            walk.bind(around, text(name), BindingKind.ANNOTATED, around.names[-1], walk.line(name))
    return False


def _label(node: Node) -> Node | None:
    outside = part(node, "external_name")
    return part(node, "name") if outside is None else None if text(outside) == "_" else outside


def _parameter_type(node: Node) -> Node | None:
    names = node.children_by_field_name("name")
    return names[-1] if len(names) > 1 else part(node, "type")


def _lambda(walk: Walk, node: Node) -> bool:
    """`items.map { $0.f() }`, `items.map { one in one.f() }`."""
    call = walk.around("call_expression")
    callee = call.named_child(0) if call is not None else None
    given = walk.each_of(walk.expressions.written(callee)) if callee is not None else "?"
    type_ = part(node, "type")
    parameters = first("lambda_function_type_parameters")(type_) if type_ is not None else None
    line, last = walk.line(node), walk.last_line(node)
    if parameters is None:
        walk.bind_within("$0", BindingKind.ASSIGNED, given, line, last)
    for one in parameters.named_children if parameters is not None else ():
        name = part(one, "name") if one.type == "lambda_parameter" else None
        if name is not None:
            alone = parameters is not None and parameters.named_child_count == 1
            walk.bind_within(text(name), BindingKind.ASSIGNED, given if alone else "?", line, last)
    return False


def _indexed(node: Node) -> Node | None:
    """What stands before `[...]`, which the grammar takes for a call."""
    suffix = first("call_suffix")(node)
    arguments = first("value_arguments")(suffix) if suffix is not None else None
    return node.named_child(0) if arguments is not None and arguments.child(0).type == "[" else None


_CALL = Call(named(0), arguments=_arguments)

LANGUAGE = Language(
    name="swift",
    grammar="swift",
    overloads=True,
    reads=frozenset({"navigation_expression"}),
    closures={},
    calls={"call_expression": _CALL},
    members={"navigation_expression": ("target", _suffix)},
    indexed=lambda node: _indexed(node) if node.type == "call_expression" else None,
    transparent={
        "postfix_expression": "target",
        "try_expression": named(-1),
        "await_expression": named(-1),
        "tuple_expression": named(0),
        "optional_chaining_expression": named(0),
        "directly_assignable_expression": named(0),
        "prefix_expression": named(-1),
        "user_type": named(0),
        "constructor_expression": named(0),
    },
    casts={"as_expression": named(-1)},
    literals={
        "line_string_literal": "String",
        "integer_literal": "Int",
        "real_literal": "Double",
        "boolean_literal": "Bool",
    },
    names=frozenset({"simple_identifier", "type_identifier", "self_expression", "super_expression"}),
    assignments={"assignment": ("target", "result")},
    parameters={"parameter": Variable("name", _parameter_type, label=_label)},
    comments=frozenset({"comment", "multiline_comment"}),
    bounds={"type_parameter": (named(0), "name")},
    special={
        "import_declaration": _import,
        "class_declaration": _class,
        "protocol_declaration": _class,
        "function_declaration": _function,
        "protocol_function_declaration": _function,
        "init_declaration": _function,
        "deinit_declaration": _function,
        "subscript_declaration": _function,
        "property_declaration": _property,
        "protocol_property_declaration": _property,
        "call_expression": _call,
        "if_statement": _optional,
        "guard_statement": _optional,
        "for_statement": _loop,
        "typealias_declaration": _alias,
        "enum_entry": _case,
        "lambda_literal": _lambda,
    },
    self_words=frozenset({"self"}),
    class_words=frozenset({"Self"}),
)
parser = partial(TreeSitterParser, LANGUAGE)
