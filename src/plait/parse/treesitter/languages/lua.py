"""Lua (https://www.lua.org/manual/5.4/)."""

from __future__ import annotations

from functools import partial

from plait.facts import BindingKind
from plait.model import Receiver, SymbolKind
from plait.parse.treesitter.parser import TreeSitterParser
from plait.parse.treesitter.table import Call, Function, Language, Node, Variable, first, itself, named, part, text
from plait.parse.treesitter.walk import Walk

DEFAULT = "default"
"""The name under which what a file returns is found."""


def _function(walk: Walk, node: Node) -> bool:
    """`function M.f()`, `function M:f()`, `local function f()`."""
    name = part(node, "name")
    written = walk.expressions.written(name) if name is not None else "?"
    owner, _, last = written.rpartition(".")
    if not last or "?" in written or "[" in written:
        return False
    body = part(node, "body")
    kind = SymbolKind.METHOD if owner else SymbolKind.FUNCTION
    scope = walk.define(node, last, kind, body=body, owner=owner)
    walk.take_parameters(scope, part(node, "parameters"))
    return False


def _assigned(walk: Walk, node: Node) -> bool:
    names, values = first("variable_list")(node), first("expression_list")(node)
    if names is None:
        return False
    given = values.named_children if values is not None else []
    targets = names.named_children
    for place, target in enumerate(targets):
        value = given[place] if place < len(given) else None
        if value is None:
            if target.type == "identifier":
                walk.bind(walk.scope, text(target), BindingKind.OPAQUE, "?", walk.line(target))
            continue
        module, member = _required(value), None
        if value.type == "dot_index_expression" and (inner := part(value, "table")) is not None:
            module, member = _required(inner), text(part(value, "field"))
        if module and target.type == "identifier":
            walk.import_(target, module, member, text(target))
        elif (class_ := _made(value)) and target.type == "identifier":
            if class_[1]:
                walk.extend(text(target), text(class_[0]), class_[0])
            else:
                given_ = walk.expressions.written(class_[0])
                walk.bind(walk.scope, text(target), BindingKind.ASSIGNED, given_, walk.line(target))
        elif value.type == "table_constructor":
            where = walk.expressions.written(target)
            if where != "?":
                _table(walk, value, where)
                walk.assign(target, value)
        else:
            walk.assign(target, value)
    return False


def _word(node: Node | None) -> str:
    """The text of a name by itself; that of a chain is as long as the chain."""
    return text(node) if node is not None and node.type == "identifier" else ""


def _required(node: Node | None) -> str:
    if node is None or node.type != "function_call" or _word(part(node, "name")) not in ("require", "import", "dofile"):
        return ""
    arguments = part(node, "arguments")
    one = arguments.named_child(0) if arguments is not None and arguments.named_child_count else None
    return text(one).strip("\"'[]") if one is not None and one.type == "string" else ""


def _made(node: Node) -> tuple[Node, bool] | None:
    """Of `setmetatable({}, C)` C; of `setmetatable({}, { __index = C })` C, and that it is only a base."""
    if node.type != "function_call" or _word(part(node, "name")) != "setmetatable":
        return None
    arguments = part(node, "arguments")
    given = arguments.named_children if arguments is not None else []
    bases = _indexes(given[1]) if len(given) == 2 else []
    return (bases[0], given[1].type == "table_constructor") if bases else None


def _table(walk: Walk, node: Node, owner: str) -> None:
    """`{ f = function() end, g = h }`: members of the variable that it is the value of."""
    for field in node.named_children:
        name, value = part(field, "name"), part(field, "value")
        if field.type != "field" or name is None or value is None or name.type != "identifier":
            continue
        if value.type == "function_definition":
            walk.pending[value.id] = (text(name), owner, walk.line(field))
        elif value.type == "table_constructor":
            if owner.count(".") < 3:
                _table(walk, value, f"{owner}.{text(name)}")
        elif (written := walk.expressions.written(value)) != "?":
            walk.bind(walk.scope, f"{owner}.{text(name)}", BindingKind.ASSIGNED, written, walk.line(field))


def _return(walk: Walk, node: Node) -> bool:
    """What a file returns is the value of `require`."""
    values = first("expression_list")(node)
    if walk.scope is not walk.module:
        value, scope = _returned(node), walk.function_around()
        made = _made(value) if value is not None else None
        if made is not None and scope is not None:
            walk.bind(scope, "", BindingKind.ASSIGNED, walk.expressions.written(made[0]), walk.line(node))
            return False
        return walk.visit_return(node, _returned)
    if walk.scope is walk.module and values is not None and values.named_child_count:
        value = values.named_child(0)
        if value.type == "table_constructor":
            _table(walk, value, DEFAULT)
        elif value.type == "function_definition":
            walk.pending[value.id] = (DEFAULT, "", walk.line(node))
        else:
            walk.bind(walk.module, DEFAULT, BindingKind.ASSIGNED, walk.expressions.written(value), walk.line(node))
    return False


def _returned(node: Node) -> Node | None:
    values = first("expression_list")(node)
    return values.named_child(0) if values is not None and values.named_child_count else None


def _call(walk: Walk, node: Node) -> bool:
    """`setmetatable(A, { __index = B })` makes B a base of A; `require("m").f()` calls f of m."""
    name = part(node, "name")
    if _word(name) == "setmetatable":
        arguments = part(node, "arguments")
        given = arguments.named_children if arguments is not None else []
        if len(given) == 2 and given[0].type == "identifier":
            for base in _indexes(given[1]):
                if walk.scope is walk.module:
                    walk.extend(text(given[0]), text(base), base)
                else:
                    written = walk.expressions.written(base)
                    walk.bind(walk.scope, text(given[0]), BindingKind.ASSIGNED, written, walk.line(node))
    if name is not None and name.type in ("function_call", "dot_index_expression", "method_index_expression"):
        member = part(name, "field") or part(name, "method")
        module = _required(name if member is None else part(name, "table"))
        if module:
            alias = f"require {module.replace('.', '/')}"
            walk.import_(node, module, None, alias)
            arity = walk.arity(part(node, "arguments"))
            if member is None:
                walk.refer(alias, Receiver.NONE, arity, name)
            else:
                walk.refer(f"{alias}.{text(member)}", Receiver.NAME, arity, member)
            return False
    return walk.visit_call(node, CALL)


def _indexes(node: Node) -> list[Node]:
    if node.type == "table_constructor":
        return [
            value
            for field in node.named_children
            if text(part(field, "name")) == "__index"
            and (value := part(field, "value")) is not None
            and value.type == "identifier"
        ]
    return [node] if node.type == "identifier" else []


def _field(walk: Walk, node: Node) -> bool:
    """A function in a table that no variable has: an argument, or what is given back."""
    name, value = part(node, "name"), part(node, "value")
    if name is not None and value is not None and value.type == "function_definition" and name.type == "identifier":
        walk.pending.setdefault(value.id, (text(name), "{}", walk.line(node)))
    return False


def _loop(walk: Walk, node: Node) -> bool:
    names = first("variable_list")(node)
    for one in names.named_children if names is not None else ():
        if one.type == "identifier":
            walk.bind(walk.scope, text(one), BindingKind.OPAQUE, "?", walk.line(one))
    return False


def _constant(node: Node) -> Node | None:
    """The name in `t["name"]`."""
    field = part(node, "field")
    inside = first("string_content")(field) if field is not None and field.type == "string" else None
    return inside if inside is not None and text(inside).isidentifier() else None


CALL = Call("name")

LANGUAGE = Language(
    name="lua",
    grammar="lua",
    closures={"function_definition": Function()},
    calls={"function_call": CALL},
    members={
        "dot_index_expression": ("table", "field"),
        "method_index_expression": ("table", "method"),
        "bracket_index_expression": ("table", _constant),
    },
    subscripts={"bracket_index_expression": "table"},
    transparent={"parenthesized_expression": named(0)},
    literals={"string": "string", "number": "number"},
    names=frozenset({"identifier", "string_content"}),
    parameters={"identifier": Variable(itself), "vararg_expression": Variable(lambda node: None, many=True)},
    spreads=frozenset({"vararg_expression"}),
    special={
        "function_declaration": _function,
        "assignment_statement": _assigned,
        "return_statement": _return,
        "function_call": _call,
        "field": _field,
        "for_generic_clause": _loop,
    },
    self_words=frozenset({"self"}),
    super_words=frozenset(),
    by_path=True,
)
parser = partial(TreeSitterParser, LANGUAGE)
