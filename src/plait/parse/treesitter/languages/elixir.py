"""Elixir (https://hexdocs.pm/elixir/syntax-reference.html): all that it defines, it defines by calls."""

from __future__ import annotations

from functools import partial

from plait.facts import BindingKind
from plait.model import Receiver, SymbolKind
from plait.parse.treesitter.parser import TreeSitterParser
from plait.parse.treesitter.table import Call, Language, Node, first, named, part, text
from plait.parse.treesitter.walk import Walk

_MODULES = frozenset({"defmodule", "defprotocol", "defimpl"})
_FUNCTIONS = frozenset(
    {"def", "defp", "defmacro", "defmacrop", "defguard", "defguardp", "defdelegate", "defn", "defnp"}
)
_USES = frozenset({"alias", "import", "use", "require"})
_NO_CALLS = frozenset(
    "case cond if unless for with fn quote unquote unquote_splicing receive try raise defstruct defexception"
    " defoverridable super test describe defcallback __MODULE__".split()
)


def _arguments(node: Node) -> list[Node]:
    arguments = first("arguments")(node)
    return list(arguments.named_children) if arguments is not None else []


def _call(walk: Walk, node: Node) -> bool:
    target = part(node, "target")
    word = text(target) if target is not None and target.type == "identifier" else ""
    if word in _MODULES:
        return _module(walk, node, word)
    if word in _FUNCTIONS:
        return _function(walk, node)
    if word in _USES:
        return _use(walk, node, word)
    if word == "test":
        return _test(walk, node)
    if word in _NO_CALLS or target is None:
        return False
    parent = walk.parent
    if parent is not None and parent.type == "unary_operator" and text(parent.child(0)) == "@":
        return _attribute(walk, node, word)
    if _is_piped(walk, node):
        walk.extra_arguments[node.id] = 1
    if target.type == "dot" and part(target, "right") is None:
        return False  # fun.(1): a value is called
    if first("do_block")(node) is not None:
        walk.extra_arguments[node.id] = walk.extra_arguments.get(node.id, 0) + 1
    return walk.visit_call(node, CALL)


def _test(walk: Walk, node: Node) -> bool:
    given = _arguments(node)
    name = text(given[0]).strip('"') if given else ""
    if name:
        walk.define(node, name[:80], SymbolKind.METHOD, body=first("do_block")(node))
    return False


def _is_piped(walk: Walk, node: Node) -> bool:
    """`x |> f()` gives f one more argument."""
    parent = walk.parent
    if parent is None or parent.type != "binary_operator" or text(part(parent, "operator")) != "|>":
        return False
    right = part(parent, "right")
    return right is not None and right.id == node.id


def _attribute(walk: Walk, node: Node, word: str) -> bool:
    """`@behaviour M` makes M a base; `@callback f(x)` declares a function; specifications call nothing."""
    given = _arguments(node)
    if word == "behaviour" and given and walk.scope.kind is SymbolKind.CLASS:
        walk.base(given[0], walk.scope)
    if word in ("callback", "macrocallback") and given:
        head = given[0]
        for _ in range(6):
            if head.type != "binary_operator":
                break
            head = part(head, "left")
        if head is not None and head.type == "call":
            _define(walk, node, head, None)
            return True
    if word in ("doc", "moduledoc", "typedoc"):
        walk.drafts.lead(walk.line(node), walk.last_line(node), "comment")
    if word in ("spec", "type", "typep", "opaque"):
        walk.drafts.lead(walk.line(node), walk.last_line(node), "")
        return True
    return word in ("doc", "moduledoc", "typedoc", "impl")


def _module(walk: Walk, node: Node, word: str) -> bool:
    given = _arguments(node)
    if not given or given[0].type not in ("alias", "identifier"):
        return False
    name = text(given[0])
    if word == "defimpl":
        target = next(
            (
                text(part(pair, "value"))
                for keywords in given[1:]
                for pair in keywords.named_children
                if text(part(pair, "key")).strip().rstrip(":") == "for"
            ),
            "",
        )
        scope = walk.define(
            node, f"{name}<{target}>" if target else name, SymbolKind.CLASS, body=first("do_block")(node)
        )
        walk.base(given[0], scope)
        return False
    outer, _, last = name.rpartition(".")
    if outer:
        walk.open_block(tuple(outer.split(".")))
    walk.define(node, last, SymbolKind.CLASS, body=first("do_block")(node))
    return False


def _function(walk: Walk, node: Node) -> bool:
    given = _arguments(node)
    if not given:
        return False
    head = given[0]
    for _ in range(4):  # `f(x) when guard`
        if head.type != "binary_operator" or text(part(head, "operator")) not in ("when", ""):
            break
        head = part(head, "left")
    if head.type not in ("call", "identifier"):
        return False
    _define(walk, node, head, first("do_block")(node))
    return False


def _define(walk: Walk, node: Node, head: Node, body: Node | None) -> None:
    """Clauses of one function stand together and are one definition, as long as they take equally many arguments."""
    name = text(part(head, "target")) if head.type == "call" else text(head)
    given = _arguments(head) if head.type == "call" else []
    if not name or len(name) > 100:
        return
    defaults = sum(one.type == "binary_operator" and text(part(one, "operator")) == "\\\\" for one in given)
    clause = (walk.scope.prefix, name, len(given))
    kind = SymbolKind.METHOD if walk.scope.kind is SymbolKind.CLASS else SymbolKind.FUNCTION
    before = walk.clauses.get(clause)
    if before is not None and before[1].last + 3 >= walk.line(node):
        walk.join(node, before)
        scope = walk.scope
    else:
        scope = walk.define(node, name, kind, body=body)
        walk.parameters_are(scope, len(given) - defaults, len(given))
        walk.clauses[clause] = (scope, walk.drafts.found[-1])
    declared = node.type == "call" and text(part(node, "target")) not in _FUNCTIONS
    if declared or (body is None and _in_protocol(walk)):
        walk.abstract.append(scope.id)
    walk.handled.add(head.id)
    for one in given:
        _pattern(walk, one)


def _in_protocol(walk: Walk) -> bool:
    """Whether the module around is a protocol, whose functions have no bodies."""
    words = (text(part(one, "target")) for one in reversed(walk.path) if one.type == "call")
    return next((one for one in words if one in _MODULES), "") == "defprotocol"


def _pattern(walk: Walk, node: Node) -> None:
    """Parameters: `%Cart{} = cart` says what cart is, any other name can be anything."""
    waiting = [node]
    for _ in range(60):
        if not waiting:
            break
        one = waiting.pop()
        if one.type == "identifier":
            walk.bind(walk.scope, text(one), BindingKind.OPAQUE, "?", walk.line(one))
        elif one.type == "binary_operator" and text(part(one, "operator")) == "=":
            left, right = part(one, "left"), part(one, "right")
            if left is not None and right is not None:
                for value, name in ((left, right), (right, left)):
                    if (
                        name.type == "identifier"
                        and value.type == "map"
                        and (made := first("struct")(value)) is not None
                    ):
                        walk.bind(walk.scope, text(name), BindingKind.ANNOTATED, text(made), walk.line(name))
                waiting += [left, right]
        elif one.type not in ("call", "keyword", "struct"):
            waiting += one.named_children


def _use(walk: Walk, node: Node, word: str) -> bool:
    given = _arguments(node)
    if not given:
        return False
    one = given[0]
    paths: list[str] = []
    if one.type == "alias":
        paths = [text(one)]
    elif one.type == "dot" and part(one, "right") is not None:
        inside = part(one, "right")
        names = inside.named_children if inside is not None else []
        paths = [f"{text(part(one, 'left'))}.{text(inner)}" for inner in names]
    alias = next(
        (
            text(part(pair, "value"))
            for keywords in given[1:]
            for pair in keywords.named_children
            if text(part(pair, "key")).strip().rstrip(":") == "as"
        ),
        "",
    )
    for path in paths:
        module, _, name = path.rpartition(".")
        if word in ("alias", "require"):
            walk.import_(node, module, name, alias or name)
        else:
            walk.import_(node, path, "*", "*")
            if word == "use" and walk.scope.kind is SymbolKind.CLASS:
                walk.base(one, walk.scope)
    return True


def _match(walk: Walk, node: Node) -> bool:
    """`x = value`, and `f/2` as a value after `&`."""
    left, right = part(node, "left"), part(node, "right")
    operator = text(part(node, "operator"))
    if operator == "=" and left is not None and left.type == "identifier" and right is not None:
        walk.bind(walk.scope, text(left), BindingKind.ASSIGNED, _value(walk, right), walk.line(left))
    elif operator == "/" and left is not None and right is not None and right.type == "integer":
        parent = walk.parent
        if parent is not None and parent.type == "unary_operator" and text(parent.child(0)) == "&":
            if left.type == "call" and (target := part(left, "target")) is not None:  # `&A.f/1`
                walk.handled.add(left.id)
                left = target
            written = walk.expressions.written(left)
            if written != "?":
                arity = int(text(right)) if text(right).isdigit() and len(text(right)) < 3 else -1
                walk.refer(
                    written,
                    walk.expressions.receiver(written.rpartition(".")[0]) if "." in written else Receiver.NONE,
                    arity,
                    left,
                )
    return False


def _value(walk: Walk, node: Node) -> str:
    """The last step of a chain of pipes, or a struct that is made."""
    if node.type == "binary_operator" and text(part(node, "operator")) == "|>":
        node = part(node, "right") or node
    if node.type == "map" and (made := first("struct")(node)) is not None:
        return f"{text(made)}()"
    return walk.expressions.written(node)


CALL = Call("target", arguments=first("arguments"))

LANGUAGE = Language(
    name="elixir",
    grammar="elixir",
    calls={"call": CALL},
    members={"dot": ("left", "right")},
    transparent={"block": named(0)},
    literals={"string": "String", "integer": "Integer", "list": "List", "map": "Map", "atom": "Atom"},
    names=frozenset({"identifier", "alias"}),
    special={"call": _call, "binary_operator": _match},
    self_words=frozenset(),
    class_words=frozenset({"__MODULE__"}),
    super_words=frozenset(),
)
parser = partial(TreeSitterParser, LANGUAGE)
