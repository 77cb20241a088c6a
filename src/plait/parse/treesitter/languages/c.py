"""C, and what C++ shares with it (https://en.cppreference.com/w/c/language)."""

from __future__ import annotations

from functools import partial

from plait.facts import BindingKind
from plait.model import SymbolKind
from plait.parse.treesitter.collected import Scope
from plait.parse.treesitter.parser import TreeSitterParser
from plait.parse.treesitter.table import Call, Language, Node, Part, Variable, first, named, part, text
from plait.parse.treesitter.walk import Walk

DEEPEST = 12
"""Declarators in each other."""

_WRAPPED = frozenset(
    {
        "pointer_declarator",
        "reference_declarator",
        "array_declarator",
        "parenthesized_declarator",
        "init_declarator",
        "attributed_declarator",
        "variadic_declarator",
    }
)


def inner(node: Node | None) -> Node | None:
    """The declarator without pointers, arrays and brackets: a name, or the declarator of a function."""
    for _ in range(DEEPEST):
        if node is None or node.type not in _WRAPPED:
            return node
        below = part(node, "declarator")
        node = below if below is not None else (node.named_child(0) if node.named_child_count else None)
    return None


def declared(node: Node) -> Node | None:
    """The name that a declaration or parameter declares; None for a function and where there is none."""
    found = inner(part(node, "declarator"))
    if found is not None and found.type == "function_declarator":  # `void (*f)(int)`
        pointer = part(found, "declarator")
        found = inner(pointer) if pointer is not None and pointer.type == "parenthesized_declarator" else None
    return found if found is not None and found.type in ("identifier", "field_identifier") else None


def function_of(node: Node) -> Node | None:
    """The declarator of a function, whatever it returns."""
    found = inner(part(node, "declarator"))
    if found is not None and found.type == "function_declarator":
        below = part(found, "declarator")
        # `int (*f)(int)` is a variable
        if below is not None and below.type != "parenthesized_declarator":
            return found
    return None


def _function(walk: Walk, node: Node) -> bool:
    declarator = function_of(node)
    name = part(declarator, "declarator") if declarator is not None else None
    if name is None or name.type not in ("identifier", "field_identifier"):
        return False
    scope = walk.define(node, text(name), SymbolKind.FUNCTION, body=part(node, "body"))
    walk.take_parameters(scope, part(declarator, "parameters"))
    walk.returns(scope, part(node, "type"))
    return False


def declare(walk: Walk, node: Node) -> bool:
    """Variables and fields, several in one declaration."""
    type_ = part(node, "type")
    is_field = node.type == "field_declaration"
    around = walk.class_around()
    scope = around if is_field and around is not None else walk.scope
    for child in node.children_by_field_name("declarator"):
        name = inner(child)
        if name is not None and name.type == "function_declarator" and not is_field:
            _pointer(walk, scope, name, part(child, "value") if child.type == "init_declarator" else None)
            continue
        if name is None or name.type not in ("identifier", "field_identifier"):
            continue
        value = part(child, "value") if child.type == "init_declarator" else None
        if value is not None and value.type in ("initializer_list", "argument_list"):
            value = None
        walk.set_variable(scope, name, type_, value, walk.line(child))
    return False


def _pointer(walk: Walk, scope: Scope, declarator: Node, value: Node | None) -> None:
    """`int (*f)(int) = g`: f is the function that it is given."""
    below = part(declarator, "declarator")
    name = inner(below) if below is not None and below.type == "parenthesized_declarator" else None
    if name is not None and name.type == "identifier":
        walk.set_variable(scope, name, None, value, walk.line(declarator))


def include(walk: Walk, node: Node) -> bool:
    path = part(node, "path")
    written = text(path)
    if written[:1] in '"<' and len(written) > 2:
        walk.import_(node, written[1:-1], None, "", level=1 if written.startswith('"') else 0)
    return True


def structure(walk: Walk, node: Node) -> bool:
    """A `struct` with a body is a definition; without, only a name for a type."""
    body = part(node, "body")
    name = part(node, "name")
    if body is None:
        return False
    written = text(name) or _typedef_name(walk)
    if written:
        scope = walk.define(node, written.rpartition("::")[2], SymbolKind.CLASS, body=body)
        for base in (first("base_class_clause")(node) or _NOTHING).named_children:
            if base.type not in ("access_specifier", "virtual"):
                walk.base(base, scope)
    return False


class _Nothing:
    named_children: tuple[Node, ...] = ()


_NOTHING = _Nothing()


def _typedef_name(walk: Walk) -> str:
    parent = walk.parent
    return text(inner(part(parent, "declarator"))) if parent is not None and parent.type == "type_definition" else ""


def typedef(walk: Walk, node: Node) -> bool:
    walk.visit_wrapper(node, None)
    name, type_ = part(node, "declarator"), part(node, "type")
    if name is not None and type_ is not None and name.type == "type_identifier":
        given = part(type_, "name") if type_.type.endswith("_specifier") else type_
        if given is not None and text(given) != text(name):
            walk.bind(walk.scope, text(name), BindingKind.ASSIGNED, walk.type_of(given), walk.line(node))
    return False


def macro(walk: Walk, node: Node) -> bool:
    scope = walk.define(node, text(part(node, "name")), SymbolKind.FUNCTION, body=part(node, "value"))
    walk.take_parameters(scope, part(node, "parameters"))
    return False


CALLS = {"call_expression": Call("function")}
MEMBERS = {"field_expression": ("argument", "field")}
NAMES = frozenset(
    {
        "identifier",
        "field_identifier",
        "type_identifier",
        "this",
        "namespace_identifier",
        "destructor_name",
        "operator_name",
        "primitive_type",
    }
)
TRANSPARENT: dict[str, Part] = {"parenthesized_expression": named(0), "pointer_expression": "argument"}
SUBSCRIPTS = {"subscript_expression": "argument"}
LITERALS = {
    "string_literal": "string",
    "number_literal": "number",
    "char_literal": "char",
    "concatenated_string": "string",
}
SPECIAL = {
    "preproc_include": include,
    "preproc_function_def": macro,
    "type_definition": typedef,
    "field_declaration": declare,
    "declaration": declare,
    "struct_specifier": structure,
    "union_specifier": structure,
    "enum_specifier": structure,
}

LANGUAGE = Language(
    name="c",
    grammar="c",
    calls=CALLS,
    members=MEMBERS,
    subscripts=SUBSCRIPTS,
    transparent=TRANSPARENT,
    casts={"cast_expression": "type"},
    literals=LITERALS,
    names=NAMES,
    assignments={"assignment_expression": ("left", "right")},
    parameters={
        "parameter_declaration": Variable(declared, "type"),
        "variadic_parameter": Variable(lambda node: node, many=True),
        "identifier": Variable(lambda node: node),
    },
    special={**SPECIAL, "function_definition": _function},
    self_words=frozenset(),
    super_words=frozenset(),
    by_path=True,
)
parser = partial(TreeSitterParser, LANGUAGE)
