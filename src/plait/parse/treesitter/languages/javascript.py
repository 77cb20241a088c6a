"""JavaScript, and what TypeScript shares with it (https://tc39.es/ecma262/)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from plait.facts import BindingKind, FlowFacts
from plait.model import SymbolKind
from plait.parse.script.flow import flow
from plait.parse.treesitter.parser import TreeSitterParser
from plait.parse.treesitter.table import (
    Call,
    Function,
    Language,
    New,
    Node,
    Variable,
    first,
    named,
    part,
    text,
)
from plait.parse.treesitter.walk import Walk

DEFAULT = "default"
"""The name under which a module's own value is found: `export default`, `module.exports =`."""


OBJECT = "{}"
"""The owner of functions in objects without a name."""


def _source(node: Node) -> str:
    return text(node).strip("\"'`")


def _import(walk: Walk, node: Node) -> bool:
    source = part(node, "source")
    module = _source(source)
    clause = first("import_clause", "import_require_clause")(node)
    if clause is None:
        if module:
            walk.import_(node, module, None, "")
        return True
    if clause.type == "import_require_clause":
        walk.import_(node, _source(part(clause, "source")), None, text(clause.named_child(0)))
        return True
    for child in clause.named_children:
        if child.type == "identifier":
            walk.import_(child, module, DEFAULT, text(child))
        elif child.type == "namespace_import":
            walk.import_(child, module, None, text(child.named_child(0)))
        elif child.type == "named_imports":
            for one in child.named_children:
                name = text(part(one, "name"))
                walk.import_(one, module, name, text(part(one, "alias")) or name)
    return True


def _export(walk: Walk, node: Node) -> bool:
    """Re-exports, `export { a as b }`, `export default`; a declaration in it is read by itself."""
    walk.visit_wrapper(node, None)
    source = part(node, "source")
    module = _source(source)
    clause = first("export_clause", "namespace_export")(node)
    line = walk.line(node)
    if clause is not None and clause.type == "namespace_export":
        walk.import_(node, module, None, text(clause.named_child(0)))
    elif clause is not None:
        for one in clause.named_children:
            name, alias = text(part(one, "name")), text(part(one, "alias"))
            if source is not None:
                walk.import_(one, module, name, alias or name)
            elif alias and alias != name:
                walk.bind(walk.scope, alias, BindingKind.ASSIGNED, name, line)
    elif source is not None:
        walk.import_(node, module, "*", "*")
    elif any(child.type == DEFAULT for child in node.children):
        value = part(node, "value") or part(node, "declaration")
        if value is not None:
            _default(walk, value, line)
    return False


_NAMED = frozenset(
    {
        "function_declaration",
        "generator_function_declaration",
        "function_expression",
        "class_declaration",
        "class",
        "abstract_class_declaration",
        "interface_declaration",
    }
)


def _default(walk: Walk, value: Node, line: int) -> None:
    name = text(part(value, "name")) if value.type in _NAMED else ""
    if name:
        walk.bind(walk.module, DEFAULT, BindingKind.ASSIGNED, name, line)
    elif value.type in walk.language.closures or value.type in ("class", "class_declaration"):
        walk.pending[value.id] = (DEFAULT, "", line)
    elif value.type == "object":
        _object(walk, value, "", line)
    else:
        walk.bind(walk.module, DEFAULT, BindingKind.ASSIGNED, walk.expressions.written(value), line)


def _object(walk: Walk, node: Node, owner: str, line: int) -> None:
    """The members of `{ f, g: h, k() {} }`: of `owner`, or the names that a module exports."""
    for child in node.named_children:
        if child.type == "shorthand_property_identifier" and owner:
            name = text(child)
            walk.bind(walk.scope, f"{owner}.{name}", BindingKind.ASSIGNED, name, walk.line(child))
        elif child.type == "pair":
            key, value = part(child, "key"), part(child, "value")
            if key is None or value is None or key.type not in ("property_identifier", "string"):
                continue
            name = _source(key)
            if value.type in walk.language.closures:
                walk.pending[value.id] = (name, owner, walk.line(child))
            elif value.type == "object" and owner and owner.count(".") < 3:
                _object(walk, value, f"{owner}.{name}", line)
            elif (written := walk.expressions.written(value)) != "?" and (owner or written != name):
                target = f"{owner}.{name}" if owner else name
                walk.bind(walk.scope, target, BindingKind.ASSIGNED, written, walk.line(child))
        elif child.type == "method_definition":
            walk.pending[child.id] = (text(part(child, "name")), owner, walk.line(child))


def _variable(walk: Walk, node: Node) -> bool:
    name, value = part(node, "name"), part(node, "value")
    if name is None:
        return False
    if value is not None and value.type == "await_expression" and value.named_child_count:
        value = value.named_child(0)
    module = _required(value)
    if module:
        _bind_required(walk, name, module)
    elif value is not None and value.type == "object" and name.type == "identifier":
        _object(walk, value, text(name), walk.line(node))
        walk.bind(walk.scope, text(name), BindingKind.OPAQUE, "?", walk.line(node))
    elif value is not None and value.type == "class" and name.type == "identifier":
        walk.pending[value.id] = (text(name), "", walk.line(node))
    else:
        walk.set_variable(walk.scope, name, part(node, "type"), value, walk.line(node))
    return False


def _required(value: Node | None) -> str:
    """The module of `require("x")` and `import("x")`, with a member behind it left alone."""
    if value is None or value.type != "call_expression":
        return ""
    function, arguments = part(value, "function"), part(value, "arguments")
    if function is None or text(function) not in ("require", "import") or arguments is None:
        return ""
    one = arguments.named_child(0) if arguments.named_child_count == 1 else None
    return _source(one) if one is not None and one.type == "string" else ""


def _bind_required(walk: Walk, name: Node, module: str) -> None:
    if name.type == "identifier":
        walk.import_(name, module, None, text(name))
        return
    for child in name.named_children:
        if child.type == "shorthand_property_identifier_pattern":
            walk.import_(child, module, text(child), text(child))
        elif child.type == "pair_pattern":
            walk.import_(child, module, text(part(child, "key")), text(part(child, "value")))


def _assigned(walk: Walk, node: Node) -> bool:
    target, value = part(node, "left"), part(node, "right")
    if target is None or value is None:
        return False
    where = walk.expressions.written(target)
    line = walk.line(node)
    if where in ("module.exports", "exports"):
        if module := _required(value):
            walk.import_(node, module, "*", "*")
        elif value.type == "assignment_expression":
            return False
        else:
            _default(walk, value, line)
            if value.type == "class":
                walk.pending[value.id] = (text(part(value, "name")) or DEFAULT, "", line)
    elif where.startswith(("module.exports.", "exports.")):
        name = where.rpartition(".")[2]
        if value.type in walk.language.closures:
            walk.pending[value.id] = (name, "", line)
        elif module := _required(value):
            walk.import_(node, module, None, name)
        elif (written := walk.expressions.written(value)) not in ("?", name):
            walk.bind(walk.module, name, BindingKind.ASSIGNED, written, line)
    elif value.type == "object" and "." in where and not where.startswith("this.") and where != "?":
        _object(walk, value, where.removesuffix(".prototype"), line)
    elif value.type == "object" and where.isidentifier():
        _object(walk, value, where, line)
    elif value.type == "class" and where.isidentifier():
        walk.pending[value.id] = (where, "", line)
    elif target.type in walk.language.patterns:
        walk.bind_name(walk.scope, target, "?", BindingKind.OPAQUE)
    else:
        if where.startswith("this.") and value.type in walk.language.closures and where.count(".") == 1:
            around = walk.class_around()
            if around is not None:
                walk.pending[value.id] = (where[5:], ".".join(around.names), line)
                return False
        walk.assign(target, value)
    return False


def _class(walk: Walk, node: Node) -> bool:
    """A class expression has the name of its variable."""
    given = walk.pending.pop(node.id, None)
    name = given[0] if given is not None else text(part(node, "name"))
    if name:
        scope = walk.define(node, name, SymbolKind.CLASS, body=part(node, "body"), first=given[2] if given else 0)
        heritage = first("class_heritage")(node)
        for base in _bases(heritage):
            walk.base(base, scope)
    return False


def _bases(heritage: Node | None) -> list[Node]:
    found: list[Node] = []
    for child in heritage.named_children if heritage is not None else ():
        if child.type in ("extends_clause", "implements_clause"):
            found += [one for one in child.named_children if one.type != "type_arguments"]
        else:
            found.append(child)
    return found


def _method(walk: Walk, node: Node) -> bool:
    """A method of a class, or of an object that is the value of something."""
    given = walk.pending.pop(node.id, None)
    name = text(part(node, "name")).strip("\"'")
    if given is None and walk.scope.kind is not SymbolKind.CLASS:
        given = name, OBJECT, walk.line(node)
    if not name:
        return False
    owner = given[1] if given is not None else ""
    body = part(node, "body")
    kind = SymbolKind.METHOD if owner or walk.scope.kind is SymbolKind.CLASS else SymbolKind.FUNCTION
    scope = walk.define(node, name, kind, body=body, owner=owner)
    if body is None:
        walk.abstract.append(scope.id)
    walk.take_parameters(scope, part(node, "parameters"))
    walk.returns(scope, part(node, "return_type"))
    return False


def _pair(walk: Walk, node: Node) -> bool:
    """A function in an object that no variable has: found by search, and by `this` in its like, by no bare name."""
    key, value = part(node, "key"), part(node, "value")
    if key is not None and value is not None and value.type in walk.language.closures:
        name = _source(key)
        if key.type in ("property_identifier", "string") and name.isidentifier():
            walk.pending.setdefault(value.id, (name, OBJECT, walk.line(node)))
    return False


def _field(walk: Walk, node: Node) -> bool:
    around = walk.class_around()
    name = part(node, "name") or part(node, "property")
    value = part(node, "value")
    if value is not None and value.type == "class" and name is not None:
        walk.pending[value.id] = (text(name), "", walk.line(node))
    elif around is not None and name is not None:
        walk.set_variable(around, name, part(node, "type"), part(node, "value"), walk.line(node))
    return False


NAMES = frozenset(
    {
        "identifier",
        "property_identifier",
        "private_property_identifier",
        "shorthand_property_identifier",
        "shorthand_property_identifier_pattern",
        "type_identifier",
        "this",
        "super",
        "import",
    }
)


def _flow(walk: Walk, root: Node) -> FlowFacts:
    return flow(walk.file.path, root, walk.module.id, walk.defined, walk.sites)


COMMON: Mapping[str, Any] = {
    "functions": {
        "function_declaration": Function(result="return_type"),
        "generator_function_declaration": Function(result="return_type"),
    },
    "closures": {
        "arrow_function": Function(result="return_type"),
        "function_expression": Function(result="return_type"),
        "generator_function": Function(result="return_type"),
    },
    "calls": {"call_expression": Call("function")},
    "news": {"new_expression": New("constructor")},
    "members": {"member_expression": ("object", "property"), "nested_identifier": ("object", "property")},
    "subscripts": {"subscript_expression": "object"},
    "transparent": {"parenthesized_expression": named(0), "await_expression": named(0)},
    "literals": {
        "string": "string",
        "template_string": "string",
        "number": "number",
        "array": "Array",
        "regex": "RegExp",
    },
    "names": NAMES,
    "loops": {},
    "returns": {"return_statement": named(0)},
    "patterns": frozenset({"object_pattern", "array_pattern"}),
    "spreads": frozenset({"spread_element"}),
    "leading": frozenset({"decorator"}),
    "comments": frozenset({"comment"}),
    "class_words": frozenset(),
    "by_path": True,
    "flow": _flow,
}
SPECIAL = {
    "import_statement": _import,
    "export_statement": _export,
    "variable_declarator": _variable,
    "assignment_expression": _assigned,
    "class_declaration": _class,
    "class": _class,
    "method_definition": _method,
    "pair": _pair,
}


def _each(walk: Walk, node: Node) -> bool:
    """`for (const x of xs)`; with `in` x is a key."""
    left, right = part(node, "left"), part(node, "right")
    if left is not None and right is not None and left.type == "identifier":
        given = walk.expressions.written(right) if text(part(node, "operator")) == "of" else "?"
        walk.bind(walk.scope, text(left), BindingKind.ASSIGNED, f"{given}[]" if given != "?" else "?", walk.line(left))
    return False


LANGUAGE = Language(
    name="javascript",
    grammar="javascript",
    classes={},
    parameters={
        "identifier": Variable(lambda node: node),
        "assignment_pattern": Variable("left", optional=True),
        "object_pattern": Variable(lambda node: node),
        "array_pattern": Variable(lambda node: node),
        "rest_pattern": Variable(named(0), many=True),
    },
    special={**SPECIAL, "field_definition": _field, "for_in_statement": _each},
    **COMMON,
)
parser = partial(TreeSitterParser, LANGUAGE)
FIELD, EACH = _field, _each
