"""Ruby (https://docs.ruby-lang.org/en/master/syntax_rdoc.html)."""

from __future__ import annotations

from functools import partial

from plait.facts import BindingKind
from plait.model import Receiver, SymbolKind
from plait.parse.treesitter.parser import TreeSitterParser
from plait.parse.treesitter.table import Call, Language, Node, Variable, itself, named, part, text
from plait.parse.treesitter.walk import Walk

_MIXINS = frozenset({"include", "extend", "prepend"})
_ATTRIBUTES = frozenset({"attr_accessor", "attr_reader", "attr_writer"})
_NO_CALLS = frozenset(
    {"private", "public", "protected", "module_function", "private_constant", "raise", "lambda", "proc"}
)


def _call(walk: Walk, node: Node) -> bool:
    method = part(node, "method")
    name = text(method)
    receiver = part(node, "receiver")
    arguments = part(node, "arguments")
    if receiver is None and arguments is not None:
        given = arguments.named_children
        if name in ("require", "require_relative", "load") and given and given[0].type == "string":
            walk.import_(node, text(given[0]).strip("\"'"), None, "", level=int(name == "require_relative"))
            return True
        if name == "autoload" and len(given) > 1:
            walk.import_(node, text(given[1]).strip("\"'"), None, "")
            return True
        if name in _MIXINS and walk.scope.kind is SymbolKind.CLASS:
            for one in given:
                if one.type in ("constant", "scope_resolution"):
                    walk.base(one, walk.scope)
            return True
        if name in _ATTRIBUTES:
            for one in given if walk.scope.kind is SymbolKind.CLASS else ():
                walk.bind(walk.scope, f"self.{text(one).lstrip(':')}", BindingKind.OPAQUE, "?", walk.line(one))
            return True
        if name in _BY_NAME and given and given[0].type == "simple_symbol":
            walk.refer(f"self.{text(given[0]).lstrip(':')}", Receiver.SELF, -1, given[0])
            return False
        if name in ("define_method", "define_singleton_method") and given:
            _defined(walk, node, given[0])
            return False
        if name in ("alias_method",) and len(given) > 1 and (around := walk.class_around()):
            walk.bind(
                around,
                text(given[0]).lstrip(":"),
                BindingKind.ASSIGNED,
                f"self.{text(given[1]).lstrip(':')}",
                walk.line(node),
            )
            return True
    if receiver is not None and name in _BY_NAME and arguments is not None and arguments.named_child_count:
        symbol = arguments.named_child(0)
        if symbol.type == "simple_symbol" and (owner := walk.expressions.written(receiver)) != "?":
            walk.refer(f"{owner}.{text(symbol).lstrip(':')}", walk.expressions.receiver(owner), -1, symbol)
            return False
    if name in _NO_CALLS and receiver is None:
        return False
    block = part(node, "block")
    if block is not None and block.type == "block_argument":
        walk.extra_arguments[node.id] = 1
    if method is not None and method.type == "super":
        walk.refer("super", Receiver.SUPER, walk.arity(arguments), method)
        return False
    return walk.visit_call(node, CALL)


def _defined(walk: Walk, node: Node, name: Node) -> None:
    block = part(node, "block")
    if block is not None and name.type == "simple_symbol":
        scope = walk.define(node, text(name).lstrip(":"), SymbolKind.METHOD, body=block)
        walk.take_parameters(scope, part(block, "parameters"))


def _method(walk: Walk, node: Node) -> bool:
    kind = SymbolKind.METHOD if walk.scope.kind is SymbolKind.CLASS else SymbolKind.FUNCTION
    name = text(part(node, "name"))
    if not name:
        return False
    owner = ""
    object_ = part(node, "object")
    if object_ is not None and object_.type == "constant" and text(object_) != (walk.scope.names or ("",))[-1]:
        owner = text(object_)
    body = part(node, "body")
    scope = walk.define(node, name, kind, body=body, owner=owner)
    walk.take_parameters(scope, part(node, "parameters"))
    _given_back(walk, body)
    return False


def _given_back(walk: Walk, body: Node | None) -> None:
    """A method gives back its last expression."""
    last = next((one for one in reversed(body.named_children) if one.type != "comment"), None) if body else None
    if last is not None and last.type in ("assignment", "operator_assignment"):
        last = part(last, "right")
    if last is not None and last.type in _VALUES and (given := walk.expressions.written(last)) != "?":
        walk.bind(walk.scope, "", BindingKind.ASSIGNED, given, walk.line(last))


def _class(walk: Walk, node: Node) -> bool:
    """`class A::B < C`, `module A`."""
    written = text(part(node, "name")).removeprefix("::")
    if not written:
        return False
    outer, _, name = written.rpartition("::")
    if outer:
        walk.open_block(tuple(outer.split("::")))
    scope = walk.define(node, name, SymbolKind.CLASS, body=part(node, "body"))
    superclass = part(node, "superclass")
    if superclass is not None and superclass.named_child_count:
        walk.base(superclass.named_child(0), scope)
    return False


def _identifier(walk: Walk, node: Node) -> bool:
    """A name that no variable has is a call; whether it has one is seen when all of the function is known."""
    parent = walk.parent
    if parent is None or (parent.type not in _READS and not _is_receiver(parent, node)):
        return False
    name = text(node)
    if name not in _NO_CALLS and len(name) <= 100:
        walk.maybe(name, node)
    return False


def _is_receiver(call: Node, node: Node) -> bool:
    receiver = part(call, "receiver") if call.type == "call" else None
    return receiver is not None and receiver.id == node.id


_BY_NAME = frozenset({"send", "public_send", "__send__", "method"})
_VALUES = frozenset({"call", "identifier", "instance_variable", "self", "constant", "scope_resolution"})
_READS = frozenset(
    {
        "program",
        "body_statement",
        "block_body",
        "then",
        "else",
        "ensure",
        "argument_list",
        "binary",
        "unary",
        "if",
        "unless",
        "if_modifier",
        "unless_modifier",
        "while_modifier",
        "conditional",
        "return",
        "interpolation",
        "array",
        "pair",
        "begin",
        "parenthesized_statements",
        "case",
        "when",
        "while",
        "until",
        "rescue_modifier",
        "yield",
        "hash_splat_argument",
        "splat_argument",
        "do",
        "element_reference",
    }
)


def _assigned(walk: Walk, node: Node) -> bool:
    target, value = part(node, "left"), part(node, "right")
    if target is None:
        return False
    if target.type in ("left_assignment_list", "destructured_left_assignment"):
        for one in target.named_children:
            if one.type == "identifier":
                walk.bind(walk.scope, text(one), BindingKind.OPAQUE, "?", walk.line(one))
        return False
    if value is not None and target.type in ("identifier", "constant"):
        walk.bind(walk.scope, text(target), BindingKind.ASSIGNED, walk.expressions.written(value), walk.line(target))
    elif value is not None and target.type in ("instance_variable", "class_variable"):
        name = text(target).lstrip("@")
        walk.bind(walk.scope, f"self.{name}", BindingKind.ASSIGNED, walk.expressions.written(value), walk.line(target))
    return False


def _block_parameters(walk: Walk, node: Node) -> bool:
    for one in node.named_children:
        if one.type == "identifier":
            walk.bind(walk.scope, text(one), BindingKind.OPAQUE, "?", walk.line(one))
    return False


def _super(walk: Walk, node: Node) -> bool:
    if walk.parent is not None and walk.parent.type != "call":
        walk.refer("super", Receiver.SUPER, -1, node)
    return False


def _alias(walk: Walk, node: Node) -> bool:
    around = walk.class_around()
    new, old = part(node, "name"), part(node, "alias")
    if around is not None and new is not None and old is not None:
        walk.bind(around, text(new).lstrip(":"), BindingKind.ASSIGNED, f"self.{text(old).lstrip(':')}", walk.line(node))
    return True


CALL = Call(object="receiver", name="method")

LANGUAGE = Language(
    name="ruby",
    grammar="ruby",
    calls={"call": CALL},
    members={"scope_resolution": ("scope", "name")},
    subscripts={"element_reference": "object"},
    transparent={"parenthesized_statements": named(0)},
    literals={
        "string": "String",
        "integer": "Integer",
        "array": "Array",
        "hash": "Hash",
        "simple_symbol": "Symbol",
        "regex": "Regexp",
    },
    names=frozenset(
        {"identifier", "constant", "instance_variable", "class_variable", "self", "super", "global_variable"}
    ),
    parameters={
        "identifier": Variable(itself),
        "optional_parameter": Variable("name", optional=True),
        "keyword_parameter": Variable("name", optional=True),
        "splat_parameter": Variable("name", many=True),
        "hash_splat_parameter": Variable("name", many=True),
        "block_parameter": Variable("name", optional=True),
        "forward_parameter": Variable(lambda node: None, many=True),
    },
    spreads=frozenset({"splat_argument", "hash_splat_argument", "forward_argument", "block_argument"}),
    special={
        "call": _call,
        "method": _method,
        "singleton_method": _method,
        "class": _class,
        "module": _class,
        "identifier": _identifier,
        "assignment": _assigned,
        "operator_assignment": _assigned,
        "block_parameters": _block_parameters,
        "super": _super,
        "alias": _alias,
    },
    self_words=frozenset({"self"}),
    returns={"return": lambda node: named(0)(node.named_child(0)) if node.named_child_count else None},
    attribute_sign="@",
)
parser = partial(TreeSitterParser, LANGUAGE)
