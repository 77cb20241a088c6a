"""Haskell 2010 and GHC's extensions (https://www.haskell.org/onlinereport/haskell2010/)."""

from __future__ import annotations

from functools import partial

from plait.facts import BindingKind
from plait.model import Receiver, SymbolKind
from plait.parse.treesitter.parser import TreeSitterParser
from plait.parse.treesitter.table import Language, Node, first, named, part, text
from plait.parse.treesitter.walk import Walk


def _module_name(node: Node | None) -> str:
    return "".join(text(node).split()).strip(".")


def _header(walk: Walk, node: Node) -> bool:
    walk.package = _module_name(part(node, "module"))
    return True


def _import(walk: Walk, node: Node) -> bool:
    """`import qualified M as A (f, T(..))`; what `hiding` hides is not kept out."""
    module = _module_name(part(node, "module"))
    alias = _module_name(part(node, "alias")) or module
    names = part(node, "names")
    hiding = any(child.type == "hiding" for child in node.children)
    qualified = any(child.type == "qualified" for child in node.children)
    walk.import_(node, module, None, alias)
    if not qualified:
        if names is None or hiding:
            walk.import_(node, module, "*", "*")
        else:
            for one in names.named_children:
                name = text(part(one, "variable") or part(one, "type") or part(one, "operator") or one).strip("()")
                walk.import_(one, module, name, name)
                if first("children")(one) is not None or part(one, "children") is not None:
                    walk.import_(one, module, "*", "*")
    return True


def _type(walk: Walk, node: Node) -> bool:
    name = text(part(node, "name"))
    if name:
        walk.define(
            node,
            name,
            SymbolKind.CLASS,
            body=part(node, "declarations") or part(node, "constructors") or part(node, "constructor"),
        )
    return False


def _constructor(walk: Walk, node: Node) -> bool:
    """A constructor is a name for the type."""
    name = text(part(node, "name"))
    around = walk.class_around()
    if name and around is not None and name != around.names[-1]:
        walk.bind(walk.module, name, BindingKind.ASSIGNED, around.names[-1], walk.line(node))
    return False


def _field(walk: Walk, node: Node) -> bool:
    around = walk.class_around()
    if around is not None:
        for name in node.children_by_field_name("name"):
            walk.bind(around, text(name), BindingKind.ANNOTATED, walk.type_of(part(node, "type")), walk.line(name))
    return False


def _instance(walk: Walk, node: Node) -> bool:
    """`instance Reader (Cart a)`: functions of it stand in the place of the class's."""
    class_ = text(part(node, "name"))
    patterns = part(node, "patterns")
    type_ = "".join(text(patterns).strip("()[] ").split()[:1]) if patterns is not None else ""
    if not class_:
        return False
    scope = walk.define(node, f"{class_}<{type_}>", SymbolKind.CLASS, body=part(node, "declarations"))
    walk.base_named(class_, part(node, "name"), scope)
    return False


def _signature(walk: Walk, node: Node) -> bool:
    """In a class it is a definition; elsewhere it belongs to the equations below it."""
    if walk.scope.kind is SymbolKind.CLASS and "<" not in walk.scope.names[-1]:
        for name in [
            *node.children_by_field_name("name"),
            *(c for n in node.children_by_field_name("names") for c in n.named_children),
        ]:
            scope = walk.define(node, text(name), SymbolKind.METHOD, body=None)
            walk.abstract.append(scope.id)
            walk.scope = scope.parent or walk.scope
    else:
        walk.drafts.lead(walk.line(node), walk.last_line(node), "")
    return True


def _name(node: Node) -> str:
    name = part(node, "name")
    if name is None and (infix := first("infix")(node)) is not None:
        name = part(infix, "operator")
        if name is not None and name.type == "infix_id":
            name = name.named_child(0)
    return text(name).strip("()` ")


def _function(walk: Walk, node: Node) -> bool:
    """Equations of one function stand together and are one definition."""
    name = _name(node)
    inside = walk.scope.kind in (SymbolKind.FUNCTION, SymbolKind.METHOD)
    patterns = part(node, "patterns")
    if node.type == "bind" and (patterns is not None or part(node, "pattern") is not None):
        return _patterns(walk, node)
    if not name or len(name) > 100:
        return False
    if node.type == "bind" and inside:
        walk.bind(walk.scope, name, BindingKind.OPAQUE, "?", walk.line(node))
        return False
    clause = (walk.scope.prefix, name, 0)
    before = walk.clauses.get(clause)
    if before is not None and before[1].last + 3 >= walk.line(node):
        walk.join(node, before)
        scope = walk.scope
    else:
        kind = SymbolKind.METHOD if walk.scope.kind is SymbolKind.CLASS else SymbolKind.FUNCTION
        scope = walk.define(node, name, kind, body=part(node, "match"))
        walk.clauses[clause] = (scope, walk.drafts.found[-1])
    waiting = list(patterns.named_children) if patterns is not None else []
    if (infix := first("infix")(node)) is not None and patterns is None:
        waiting = [one for one in (part(infix, "left_operand"), part(infix, "right_operand")) if one is not None]
    for _ in range(60):
        if not waiting:
            break
        one = waiting.pop()
        if one.type == "variable":
            walk.bind(scope, text(one), BindingKind.OPAQUE, "?", walk.line(one))
        elif one.type not in ("view_pattern",):
            waiting += one.named_children
    walk.skip.update(one.id for one in (patterns, infix if patterns is None else None) if one is not None)
    return False


def _skipped(walk: Walk, node: Node) -> bool:
    """Variables in patterns are no calls."""
    return node.id in walk.skip


def _patterns(walk: Walk, node: Node) -> bool:
    """A variable that a pattern binds hides the function of that name."""
    pattern = part(node, "pattern")
    waiting = [pattern] if pattern is not None else []
    for _ in range(60):
        if not waiting:
            break
        one = waiting.pop()
        if one.type == "variable":
            walk.bind(walk.scope, text(one), BindingKind.OPAQUE, "?", walk.line(one))
        else:
            waiting += one.named_children
    if pattern is not None:
        walk.skip.add(pattern.id)
    return False


def _operator(walk: Walk, node: Node) -> bool:
    """An operator between its operands is a function that is called."""
    parent = walk.parent
    if parent is None or walk.scope.kind in (SymbolKind.MODULE, SymbolKind.CLASS):
        return True
    name = text(node)
    is_used = parent.type in ("infix", "left_section", "right_section", "prefix_id")
    if is_used and not any(one.id in walk.skip for one in walk.path[-8:]) and "." not in name and len(name) < 20:
        walk.maybe(name, node)
    return True


def _variable(walk: Walk, node: Node) -> bool:
    """Whatever names a function runs it, now or later: arguments are passed on, and evaluated when needed."""
    parent = walk.parent
    if parent is None or walk.scope.kind in (SymbolKind.MODULE, SymbolKind.CLASS):
        return False
    kind = parent.type
    if kind in _BINDING or any(one.id in walk.skip for one in walk.path[-8:]):
        return False
    name = text(node)
    if kind == "qualified":
        module = _module_name(part(parent, "module"))
        walk.refer(f"{module}.{name}", Receiver.NAME, -1, node)
    elif len(name) <= 100:
        walk.maybe(name, node)
    return True


_BINDING = frozenset(
    {
        "patterns",
        "field_name",
        "type_params",
        "function",
        "bind",
        "signature",
        "field_update",
        "lambda",
        "as",
        "import_name",
        "export",
        "pattern",
        "field_pattern",
    }
)


LANGUAGE = Language(
    name="haskell",
    grammar="haskell",
    members={"qualified": ("module", "id")},
    transparent={"parens": named(0)},
    names=frozenset({"variable", "name", "constructor", "module"}),
    comments=frozenset({"comment", "haddock"}),
    leading=frozenset({"pragma"}),
    special={
        "header": _header,
        "import": _import,
        "data_type": _type,
        "newtype": _type,
        "type_synonym": _type,
        "class": _type,
        "data_constructor": _constructor,
        "field": _field,
        "instance": _instance,
        "signature": _signature,
        "function": _function,
        "bind": _function,
        "alternative": _patterns,
        "generator": _patterns,
        "patterns": _skipped,
        "infix": _skipped,
        "variable": _variable,
        "operator": _operator,
    },
    self_words=frozenset(),
    super_words=frozenset(),
)
parser = partial(TreeSitterParser, LANGUAGE)
