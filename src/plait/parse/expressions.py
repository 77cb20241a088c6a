"""Expressions and annotations as the short dotted strings of `Reference` and `Binding`.

Everything that follows operands of an expression is a loop, not a recursion: `ast` returns trees deeper than the
interpreter's stack.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Set

from plait.model import Receiver

MAX_LINKS = 64
"""Links of one chain that are written out; what lies before them is `?`. Keeps a chain of n calls from taking n²."""
MAX_ALTERNATIVES = 16
_MAX_TYPE_DEPTH = 24

_LITERALS: dict[type[ast.expr], str] = {
    ast.JoinedStr: "<str>",
    ast.List: "<list>",
    ast.ListComp: "<list>",
    ast.Dict: "<dict>",
    ast.DictComp: "<dict>",
    ast.Set: "<set>",
    ast.SetComp: "<set>",
    ast.Tuple: "<tuple>",
    ast.GeneratorExp: "<generator>",
}
_TRANSPARENT_TYPES = {"Annotated", "Final", "ClassVar", "Required", "NotRequired", "ReadOnly", "InitVar"}


def dotted(node: ast.expr, hidden: Set[str] = frozenset()) -> str:
    """Write the expression as `Reference.expression` says.

    A literal or display is the name of its type in angle brackets (`<str>.join`), `await x` is `x.await`, a named value
    is the value itself, and a name in `hidden` (a parameter of a lambda, a variable of a comprehension) is `?`.
    `super(B, x)` keeps the class, if it is a plain name: `super(B)`. `getattr(x, "on_" + name)` is `x.on_*`.
    """
    links: list[str] = []
    while len(links) <= MAX_LINKS:
        if isinstance(node, ast.Attribute):
            links.append("." + node.attr)
            node = node.value
        elif isinstance(node, ast.Await):
            links.append(".await")
            node = node.value
        elif isinstance(node, ast.Call) and _is_super_of(node):
            links.append(_super_of(node, hidden))
            return "".join(reversed(links))
        elif isinstance(node, ast.Call) and (prefix := _prefix(node)) and "getattr" not in hidden:
            links.append(f".{prefix}*")
            node = node.args[0]
        elif isinstance(node, ast.Call):
            links.append("()")
            node = node.func
        elif isinstance(node, ast.NamedExpr):
            node = node.value
        else:
            links.append(_root(node, hidden))
            return "".join(reversed(links))
    return "?" + "".join(reversed(links[:MAX_LINKS]))


def _is_super_of(node: ast.Call) -> bool:
    return isinstance(node.func, ast.Name) and node.func.id == "super" and len(node.args) == 2


def _prefix(node: ast.Call) -> str:
    """How the names begin that `getattr(x, "on_" + name)`, or the same with an f-string, asks for; empty if unknown."""
    if not (isinstance(node.func, ast.Name) and node.func.id == "getattr" and len(node.args) > 1):
        return ""
    match node.args[1]:
        case ast.BinOp(left=ast.Constant(value=str(prefix)), op=ast.Add()):
            return prefix if prefix.isidentifier() else ""
        case ast.JoinedStr(values=[ast.Constant(value=str(prefix)), *_]):
            return prefix if prefix.isidentifier() else ""
    return ""


def _super_of(node: ast.Call, hidden: Set[str]) -> str:
    class_ = node.args[0]
    known = isinstance(class_, ast.Name) and not hidden & {"super", class_.id}
    return f"super({class_.id})" if known and isinstance(class_, ast.Name) else "?"


def _root(node: ast.expr, hidden: Set[str]) -> str:
    if isinstance(node, ast.Name):
        return "?" if node.id in hidden else node.id
    if isinstance(node, ast.Constant):
        return "?" if node.value is Ellipsis else f"<{_constant_type(node)}>"
    return _LITERALS.get(type(node), "?")


def _constant_type(node: ast.Constant) -> str:
    return "None" if node.value is None else type(node.value).__name__


def root_name(node: ast.expr) -> str | None:
    """The name that a chain of attributes and calls begins with; None for one that `dotted` does not write out."""
    for _ in range(MAX_LINKS):
        if isinstance(node, ast.Attribute):
            node = node.value
        elif isinstance(node, ast.Call):
            node = node.func
        elif isinstance(node, (ast.Await, ast.NamedExpr)):
            node = node.value
        else:
            return node.id if isinstance(node, ast.Name) else None
    return None


def name_position(callee: ast.expr) -> tuple[int, int]:
    """Line and byte in it of the called name; without a name, of the parenthesis: `f()()` is two sites."""
    if isinstance(callee, ast.Name):
        return callee.lineno, callee.col_offset
    line, byte = callee.end_lineno or callee.lineno, callee.end_col_offset or callee.col_offset
    return (line, byte - len(callee.attr.encode())) if isinstance(callee, ast.Attribute) else (line, byte)


def receiver_form(callee: ast.expr, own: Receiver) -> Receiver:
    """The form of what stands before the called name; `own` is the form of a plain root name."""
    if isinstance(callee, ast.Name):
        return Receiver.NONE
    if not isinstance(callee, ast.Attribute):
        return Receiver.OTHER
    node, calls = callee.value, 0
    for _ in range(MAX_LINKS):
        if isinstance(node, ast.Attribute):
            node = node.value
        elif isinstance(node, ast.Call):
            if isinstance(node.func, ast.Name) and node.func.id == "super" and not calls:
                return Receiver.SUPER
            calls += 1
            node = node.func
        elif isinstance(node, ast.Name):
            return Receiver.CALL if calls else own
        else:
            break
    return Receiver.OTHER


def alternatives(node: ast.expr) -> list[ast.expr] | None:
    """The expressions whose value this one can have, in source order; None if they are too many to follow."""
    found: list[ast.expr] = []
    stack = [node]
    while stack:
        node = stack.pop()
        if isinstance(node, ast.IfExp):
            stack += [node.orelse, node.body]
        elif isinstance(node, ast.BoolOp):
            stack += reversed(node.values)
        elif isinstance(node, ast.NamedExpr):
            stack.append(node.value)
        else:
            found.append(node)
        if len(found) + len(stack) > MAX_ALTERNATIVES:
            return None
    return found


def is_type_expression(node: ast.expr) -> bool:
    """Whether an assigned value can be an alias of a type that `dotted` would lose: `A | None`, `Union[A, "B"]`."""
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, ast.BitOr)
    return isinstance(node, ast.Subscript) and isinstance(node.value, (ast.Name, ast.Attribute))


def annotation(node: ast.expr) -> str:
    """Write a type as `Binding.expression` says: alternatives joined by `|`, each once, in source order.

    Brackets stay (`list[Pool]`, `type[Pool]`), so that a container is not taken for its element; wrappers that say
    nothing about the type (`Final[Pool]`) go. None alone is `<None>`, and what is no type is `?`.
    """
    found = list(dict.fromkeys(_types(node, 0)))
    return "|".join(name for name in found if name != "<None>") or "<None>"


def _types(node: ast.expr, depth: int) -> Iterator[str]:
    if depth > _MAX_TYPE_DEPTH:
        yield "?"
    elif isinstance(node, (ast.Name, ast.Attribute)):
        name = dotted(node)
        yield "?" if "()" in name else name
    elif isinstance(node, ast.Constant):
        yield from _constant_types(node, depth)
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        yield from _types(node.left, depth + 1)
        yield from _types(node.right, depth + 1)
    elif isinstance(node, ast.Subscript):
        yield from _subscript_types(node, depth)
    else:
        yield "?"


def _constant_types(node: ast.Constant, depth: int) -> Iterator[str]:
    if node.value is None:
        yield "<None>"
    elif isinstance(node.value, str):
        try:
            inner = ast.parse(node.value.strip(), mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            yield "?"
        else:
            yield from _types(inner, depth + 1)
    else:
        yield "?"


def _subscript_types(node: ast.Subscript, depth: int) -> Iterator[str]:
    base = dotted(node.value)
    last = base.rpartition(".")[2]
    arguments = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if last == "Union":
        for argument in arguments:
            yield from _types(argument, depth + 1)
    elif last == "Optional" or last in _TRANSPARENT_TYPES:
        yield from _types(arguments[0], depth + 1) if arguments else "?"
    elif last == "Literal":
        yield from (f"<{_constant_type(one)}>" if isinstance(one, ast.Constant) else "?" for one in arguments)
    elif last in ("type", "Type"):
        yield from (f"type[{name}]" for name in _types(node.slice, depth + 1))
    elif "?" in base or "()" in base or "<" in base:
        yield "?"
    else:
        inner = ("|".join(dict.fromkeys(_types(argument, depth + 1))) for argument in arguments)
        yield f"{base}[{','.join(inner)}]"
