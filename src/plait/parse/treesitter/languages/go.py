"""Go (https://go.dev/ref/spec)."""

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
    named,
    part,
    text,
)
from plait.parse.treesitter.type_names import bare
from plait.parse.treesitter.walk import Walk


def _receiver(walk: Walk, node: Node) -> bool:
    """`func (c *Cart) Add()`: a method of Cart, and c is one."""
    receiver = part(node, "receiver")
    parameter = receiver.named_child(0) if receiver is not None and receiver.named_child_count else None
    type_ = walk.type_of(part(parameter, "type")) if parameter is not None else "?"
    name = text(part(node, "name"))
    if not name:
        return False
    owner = bare(type_) if type_ != "?" else ""
    body = part(node, "body")
    scope = walk.define(node, name, SymbolKind.METHOD, body=body, owner=owner)
    if parameter is not None and (own := part(parameter, "name")) is not None:
        walk.bind(scope, text(own), BindingKind.ANNOTATED, type_, walk.line(own))
    walk.take_parameters(scope, part(node, "parameters"))
    _results(walk, node)
    return False


def _results(walk: Walk, node: Node) -> None:
    """The first of several results is what an assignment to several names gives to the first of them."""
    result = part(node, "result")
    if result is not None and result.type == "parameter_list":
        one = next(iter(result.named_children), None)
        result = part(one, "type") if one is not None else None
    walk.returns(walk.scope, result)


def _function(walk: Walk, node: Node) -> bool:
    walk.visit_function(node, Function())
    _results(walk, node)
    return False


def _type(walk: Walk, node: Node) -> bool:
    type_ = part(node, "type")
    scope = walk.define(node, text(part(node, "name")), SymbolKind.CLASS, body=type_ if type_ is not None else None)
    if type_ is not None and type_.type not in ("struct_type", "interface_type"):
        walk.bind(scope, "", BindingKind.RETURNS, walk.type_of(type_), walk.line(node))
    return False


def _field(walk: Walk, node: Node) -> bool:
    """Fields; one without a name is embedded, and its members are the struct's own."""
    around = walk.class_around()
    names = node.children_by_field_name("name")
    type_ = part(node, "type")
    written = walk.type_of(type_)
    if around is None or type_ is None or walk.scope is not around:
        return False
    for name in names:
        walk.bind(around, text(name), BindingKind.ANNOTATED, written, walk.line(name))
    if not names:
        walk.base(type_, around)
        walk.bind(around, bare(written).rpartition(".")[2], BindingKind.ANNOTATED, written, walk.line(node))
    return False


def _embedded(walk: Walk, node: Node) -> bool:
    """`interface { Closer }`."""
    if walk.scope.kind is SymbolKind.CLASS and node.named_child_count == 1:
        walk.base(node.named_child(0), walk.scope)
    return False


def _import(walk: Walk, node: Node) -> bool:
    path = text(part(node, "path")).strip('"`')
    name = part(node, "name")
    if name is not None and name.type == "dot":
        walk.import_(node, path, "*", "*")
    elif name is None or name.type != "blank_identifier":
        # `v2` at the end of a path is a version, and `go-` or `.v2` are no part of a package's name.
        parts = [one for one in path.split("/") if not (one[:1] == "v" and one[1:].isdigit())] or [path]
        alias = text(name) if name is not None else parts[-1].partition(".")[0].removeprefix("go-").rpartition("-")[2]
        walk.import_(node, path, None, alias)
    return False


def _package(walk: Walk, node: Node) -> bool:
    walk.package = text(node.named_child(0)) if node.named_child_count else ""
    return True


def _assigned(walk: Walk, node: Node) -> bool:
    left, right = part(node, "left"), part(node, "right")
    if left is None or right is None:
        return False
    targets, values = left.named_children, right.named_children
    for place, target in enumerate(targets):
        value = values[place] if len(values) == len(targets) else values[0] if len(values) == 1 and not place else None
        if value is not None:
            walk.assign(target, value)
        elif target.type == "identifier":
            walk.bind(walk.scope, text(target), BindingKind.OPAQUE, "?", walk.line(target))
    return False


def _variables(walk: Walk, node: Node) -> bool:
    names = node.children_by_field_name("name")
    type_ = part(node, "type")
    value = part(node, "value")
    values = value.named_children if value is not None else []
    for place, name in enumerate(names):
        given = values[place] if len(values) == len(names) else values[0] if len(values) == 1 and not place else None
        walk.set_variable(walk.scope, name, type_, given, walk.line(node))
    return False


def _range(walk: Walk, node: Node) -> bool:
    """`for i, x := range xs`: x is an element."""
    left, right = part(node, "left"), part(node, "right")
    if left is None or right is None:
        return False
    given = walk.expressions.written(right)
    for place, name in enumerate(left.named_children):
        element = f"{given}[]" if place == 1 and given != "?" else "?"
        walk.bind(walk.scope, text(name), BindingKind.ASSIGNED, element, walk.line(name))
    return False


def _made(node: Node) -> Node | None:
    """`new(T)` and `make(T)` take a type in the place of an argument."""
    arguments = part(node, "arguments")
    return arguments.named_child(0) if arguments is not None and arguments.named_child_count else None


def _call(walk: Walk, node: Node) -> bool:
    return walk.visit_call(node, CALL)


CALL = Call("function")


def _type_case(walk: Walk, node: Node) -> bool:
    """`switch y := x.(type) { case *T: }`"""
    switch = walk.around("type_switch_statement")
    alias, type_ = part(switch, "alias") if switch is not None else None, part(node, "type")
    if alias is not None and alias.named_child_count == 1 and len(node.children_by_field_name("type")) == 1:
        line, last = walk.line(node), walk.last_line(node)
        walk.bind_within(text(alias.named_child(0)), BindingKind.ANNOTATED, walk.type_of(type_), line, last)
    return False


LANGUAGE = Language(
    name="go",
    grammar="go",
    functions={"method_elem": Function(result="result", is_member=True)},
    closures={"func_literal": Function()},
    calls={"call_expression": CALL, "type_conversion_expression": Call("type")},
    news={"composite_literal": New("type", silent=True)},
    members={
        "selector_expression": ("operand", "field"),
        "qualified_type": ("package", "name"),
    },
    subscripts={"index_expression": "operand"},
    transparent={
        "parenthesized_expression": named(0),
        "unary_expression": "operand",
        "generic_type": "type",
        "type_instantiation_expression": "type",
        "expression_list": named(0),
    },
    casts={"type_assertion_expression": "type"},
    literals={"interpreted_string_literal": "string", "raw_string_literal": "string", "int_literal": "int"},
    names=frozenset({"identifier", "field_identifier", "type_identifier", "package_identifier"}),
    parameters={
        "parameter_declaration": Variable("name", "type"),
        "variadic_parameter_declaration": Variable("name", "type", many=True),
    },
    spreads=frozenset({"variadic_argument"}),
    wrappers=frozenset({"type_declaration"}),
    bounds={"type_parameter_declaration": ("name", "type")},
    special={
        "method_declaration": _receiver,
        "function_declaration": _function,
        "type_spec": _type,
        "type_alias": _type,
        "type_case": _type_case,
        "field_declaration": _field,
        "type_elem": _embedded,
        "import_spec": _import,
        "package_clause": _package,
        "short_var_declaration": _assigned,
        "assignment_statement": _assigned,
        "var_spec": _variables,
        "const_spec": _variables,
        "range_clause": _range,
    },
    self_words=frozenset(),
    super_words=frozenset(),
    by_path=True,
)
parser = partial(TreeSitterParser, LANGUAGE)
