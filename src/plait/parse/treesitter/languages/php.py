"""PHP (https://www.php.net/manual/en/langref.php)."""

from __future__ import annotations

import re
from functools import partial

from plait.facts import BindingKind
from plait.model import Receiver, SymbolKind
from plait.parse.treesitter.parser import TreeSitterParser
from plait.parse.treesitter.table import (
    Call,
    Class,
    Function,
    Language,
    New,
    Node,
    Test,
    Variable,
    first,
    named,
    part,
    text,
)
from plait.parse.treesitter.type_names import type_text
from plait.parse.treesitter.walk import Walk


def _path(node: Node | None) -> str:
    return "".join(text(node).split()).replace("\\", ".").strip(".")


def _use(walk: Walk, node: Node) -> bool:
    r"""`use A\B as C;`, `use function A\f;`, `use A\{B, C as D};`"""
    prefix = _path(first("namespace_name")(node))
    group = part(node, "body")
    for clause in (group or node).named_children:
        if clause.type != "namespace_use_clause":
            continue
        path = _path(clause.named_child(0)) if clause.named_child_count else ""
        module, _, name = f"{prefix}.{path}".strip(".").rpartition(".")
        walk.import_(clause, module, name, text(part(clause, "alias")) or name)
    return True


def _namespace(walk: Walk, node: Node) -> bool:
    name = _path(part(node, "name"))
    if part(node, "body") is not None:
        if name:
            walk.open_block(tuple(name.split(".")))
    else:
        walk.package = name
    return False


def _traits(walk: Walk, node: Node) -> bool:
    """`use Trait;` in a class."""
    if walk.scope.kind is SymbolKind.CLASS:
        for one in node.named_children:
            if one.type in ("name", "qualified_name"):
                walk.base(one, walk.scope)
    return False


def _documented(walk: Walk, node: Node) -> dict[str, str]:
    """What the comment before a definition says of types: by `$name`, by `@var` and `@return`."""
    before = node.prev_named_sibling
    if before is None or before.type != "comment" or before.end_byte - before.start_byte > _LONGEST_COMMENT:
        return {}
    found: dict[str, str] = {}
    for tag, type_, name in _TAG.findall(text(before)):
        written = "Self" if type_ in ("$this", "self", "static") else type_text(type_)
        if written != "?" and written not in _VAGUE:
            found.setdefault(name if tag == "@param" else tag, written)
    return found


def _taken(walk: Walk, node: Node) -> bool:
    """A function; where it declares no type, or only that it is an array, its comment's counts."""
    walk.visit_function(node, _FUNCTION)
    said = _documented(walk, node)
    if not said or walk.scope is walk.module:
        return False
    line = walk.line(node)
    for one in (part(node, "parameters") or node).named_children:
        name = text(part(one, "name"))
        if name in said and walk.type_of(part(one, "type")) in _VAGUE:
            walk.bind(walk.scope, name, BindingKind.ANNOTATED, said[name], walk.line(one))
    if "@return" in said and walk.type_of(part(node, "return_type")) in _VAGUE:
        walk.bind(walk.scope, "", BindingKind.RETURNS, said["@return"], line)
    return False


def _case(walk: Walk, node: Node) -> bool:
    around = walk.class_around()
    if around is not None:
        walk.bind(around, text(part(node, "name")), BindingKind.ANNOTATED, around.names[-1], walk.line(node))
    return False


def _called(walk: Walk, node: Node) -> bool:
    r"""`\f()` is PHP's own function, or one outside of all namespaces."""
    name = part(node, "function")
    if name is not None and name.type == "qualified_name" and first("namespace_name")(name) is None:
        walk.refer(f"\\{text(name.named_child(0))}", Receiver.NONE, walk.arity(part(node, "arguments")), name)
        return False
    if text(name) in _CALLING:
        for one in (part(node, "arguments") or node).named_children:
            _callable(walk, one.named_child(0) if one.type == "argument" and one.named_child_count else one)
    return walk.visit_call(node, CALL)


def _callable(walk: Walk, node: Node) -> None:
    """`'f'`, `[$a, 'f']`, `'A::f'` as what another function calls."""
    owner, named_ = "", node
    if node.type == "array_creation_expression" and node.named_child_count == 2:
        owner = walk.expressions.written(node.named_child(0).named_child(0) or node)
        named_ = node.named_child(1).named_child(0) or node
        if owner.startswith(("?", "<")):
            return
    if named_.type in ("string", "encapsed_string") and _NAME.fullmatch(written := text(named_).strip("'\"")):
        *classes, name = written.replace("\\", ".").strip(".").split("::")
        owner = ".".join(classes) or owner
        expression = f"{owner}.{name}" if owner else name
        walk.refer(expression, walk.expressions.receiver(owner) if owner else Receiver.NONE, -1, named_)


def _property(walk: Walk, node: Node) -> bool:
    type_ = part(node, "type")
    said = _documented(walk, node).get("@var", "?")
    around = walk.class_around()
    for element in node.named_children:
        name = part(element, "name") if element.type == "property_element" else None
        if name is not None and around is not None:
            written = walk.type_of(type_)
            if written in _VAGUE:
                written = said if said != "?" else written
            walk.bind(around, text(name).lstrip("$"), BindingKind.ANNOTATED, written, walk.line(element))
    return False


def _promoted(walk: Walk, node: Node) -> bool:
    """`__construct(private Db $db)` declares a field."""
    around = walk.class_around()
    name = part(node, "name")
    if around is not None and name is not None:
        written = walk.type_of(part(node, "type"))
        walk.bind(around, text(name).lstrip("$"), BindingKind.ANNOTATED, written, walk.line(node))
    return False


def _each(walk: Walk, node: Node) -> bool:
    """`foreach ($xs as $k => $x)`."""
    if node.named_child_count < 2:
        return False
    source, target = node.named_child(0), node.named_child(1)
    if target.type == "pair" and target.named_child_count:
        target = target.named_child(target.named_child_count - 1)
    if target.type == "variable_name":
        given = walk.expressions.written(source)
        walk.bind(
            walk.scope, text(target), BindingKind.ASSIGNED, f"{given}[]" if given != "?" else "?", walk.line(target)
        )
    return False


def _require(walk: Walk, node: Node) -> bool:
    literal = node.named_child(0) if node.named_child_count else None
    for _ in range(8):
        if literal is None or literal.type in ("string", "encapsed_string"):
            break
        literal = literal.named_child(literal.named_child_count - 1) if literal.named_child_count else None
    if literal is not None:
        walk.import_(node, text(literal).strip("\"'").lstrip("/"), None, "", level=1)
    return False


def _new(walk: Walk, node: Node) -> bool:
    if (body := first("anonymous_class")(node)) is not None:
        base = first("base_clause", "class_interface_clause")(body)
        written = walk.type_of(base.named_child(0)) if base is not None and base.named_child_count else "class"
        walk.pending[body.id] = (written, "", walk.line(node))
        return False
    return walk.visit_new(node, NEW)


def _anonymous(walk: Walk, node: Node) -> bool:
    given = walk.pending.pop(node.id, None)
    name = given[0] if given is not None else "class"
    scope = walk.define(node, f"<{name}>", SymbolKind.CLASS, body=part(node, "body"))
    for kind in ("base_clause", "class_interface_clause"):
        if (clause := first(kind)(node)) is not None:
            for base in clause.named_children:
                walk.base(base, scope)
    return False


_LONGEST_COMMENT = 20_000
_TAG = re.compile(r"(@param|@var|@return)\s+((?:[\w\\|?$-]|\[\]|<[^>\n]*>)+)(?:\s+(?:\.\.\.)?(\$\w+))?")
_VAGUE = frozenset(("?", "array", "iterable", "mixed", "object", "Traversable"))
_NAME = re.compile(r"[A-Za-z_\\][\w\\]*(?:::\w+)?")
_CALLING = frozenset(
    "array_filter array_map array_reduce array_walk call_user_func call_user_func_array preg_replace_callback"
    " register_shutdown_function uasort uksort usort".split()
)
"""Functions that call what they are given."""
_FUNCTION = Function(result="return_type")
CALL = Call("function")
NEW = New(named(0), arguments=first("arguments"))
SCOPED = Call(object="scope", name="name")
MEMBER = Call(object="object", name="name")

LANGUAGE = Language(
    name="php",
    grammar="php",
    closures={
        "anonymous_function": Function(result="return_type"),
        "arrow_function": Function(result="return_type"),
    },
    classes={
        "class_declaration": Class(bases=(first("base_clause"), first("class_interface_clause"))),
        "interface_declaration": Class(bases=(first("base_clause"),)),
        "trait_declaration": Class(),
        "enum_declaration": Class(bases=(first("class_interface_clause"),)),
    },
    calls={
        "function_call_expression": CALL,
        "member_call_expression": MEMBER,
        "nullsafe_member_call_expression": MEMBER,
        "scoped_call_expression": SCOPED,
    },
    news={"object_creation_expression": NEW},
    members={
        "member_access_expression": ("object", "name"),
        "nullsafe_member_access_expression": ("object", "name"),
        "scoped_property_access_expression": ("scope", "name"),
        "class_constant_access_expression": (0, -1),
        "qualified_name": (first("namespace_name"), -1),
        "namespace_name": (named(-2), named(-1)),
    },
    subscripts={"subscript_expression": named(0)},
    transparent={"parenthesized_expression": named(0), "clone_expression": named(0)},
    literals={"string": "string", "encapsed_string": "string", "integer": "int", "array_creation_expression": "array"},
    names=frozenset({"name", "variable_name", "relative_scope"}),
    assignments={"assignment_expression": ("left", "right")},
    variables={"catch_clause": Variable("name", "type")},
    parameters={
        "simple_parameter": Variable("name", "type", "default_value"),
        "property_promotion_parameter": Variable("name", "type", "default_value"),
        "variadic_parameter": Variable("name", "type", many=True),
    },
    spreads=frozenset({"variadic_unpacking"}),
    returns={"return_statement": named(0)},
    special={
        "namespace_use_declaration": _use,
        "namespace_definition": _namespace,
        "use_declaration": _traits,
        "property_declaration": _property,
        "property_promotion_parameter": _promoted,
        "foreach_statement": _each,
        "require_once_expression": _require,
        "require_expression": _require,
        "include_expression": _require,
        "include_once_expression": _require,
        "object_creation_expression": _new,
        "anonymous_class": _anonymous,
        "method_declaration": _taken,
        "function_definition": _taken,
        "enum_case": _case,
        "function_call_expression": _called,
    },
    tests={"binary_expression": Test("left", "right", operator="instanceof")},
    self_words=frozenset({"$this"}),
    class_words=frozenset({"self", "static"}),
    super_words=frozenset({"parent"}),
)
parser = partial(TreeSitterParser, LANGUAGE)
