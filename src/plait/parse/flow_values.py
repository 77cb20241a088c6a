"""Constraints of expressions: see `plait.parse.flow` for what they mean."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import replace

from plait.facts import FlowFunction
from plait.model import SymbolId
from plait.parse.expressions import annotation, name_position
from plait.parse.frames import Frame, parameter_names, place_of
from plait.parse.lines import Lines
from plait.parse.scopes import bound_names

Located = ast.expr | ast.stmt
Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp

_COMPREHENSIONS: dict[type[ast.expr], str] = {
    ast.ListComp: "list",
    ast.SetComp: "set",
    ast.DictComp: "dict",
    ast.GeneratorExp: "generator",
}
OPERATORS: dict[type[ast.operator] | type[ast.unaryop], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "truediv",
    ast.FloorDiv: "floordiv",
    ast.Mod: "mod",
    ast.Pow: "pow",
    ast.LShift: "lshift",
    ast.RShift: "rshift",
    ast.BitOr: "or",
    ast.BitXor: "xor",
    ast.BitAnd: "and",
    ast.MatMult: "matmul",
    ast.UAdd: "__pos__",
    ast.USub: "__neg__",
    ast.Invert: "__invert__",
}
"""Binary ones without the underscores, since `__add__`, `__radd__` and `__iadd__` come from one."""
COMPARISONS: dict[type[ast.cmpop], tuple[str, ...]] = {
    ast.Eq: ("__eq__",),
    ast.NotEq: ("__ne__", "__eq__"),
    ast.Lt: ("__lt__",),
    ast.LtE: ("__le__",),
    ast.Gt: ("__gt__",),
    ast.GtE: ("__ge__",),
}
LONGEST_PART = 16
"""Elements of a slice that are told apart. Not measured: longer slices of functions are not written out."""
_DISPLAYS: dict[type[ast.expr], str] = {ast.List: "list", ast.Set: "set", ast.Tuple: "tuple"}


class ExpressionWalk:
    """Names, expressions and the parameters of functions; what binds them are the statements of FlowWalk."""

    def __init__(self, lines: Lines, module: SymbolId, ids: Mapping[ast.AST, SymbolId], *, walrus: bool) -> None:
        """`ids` holds the symbol of every definition of the tree; `walrus` says whether `:=` can be in it."""
        self._lines = lines
        self._walrus = walrus
        self._module = module
        self._ids = ids
        self._count = 0
        self._constraints: list[tuple[object, ...]] = []
        self._names: dict[tuple[SymbolId, str], int] = {}
        self._functions: list[FlowFunction] = []

    def _bind(self, target: ast.expr, source: int, frame: Frame) -> None:
        """Bind a target to the values of a node, as an assignment does."""
        raise NotImplementedError

    # Nodes and names

    def _node(self) -> int:
        self._count += 1
        return self._count - 1

    def _emit(self, *constraint: object) -> None:
        self._constraints.append(constraint)

    def _copy(self, source: int, target: int) -> None:
        if source >= 0 and target >= 0 and source != target:
            self._emit("copy", source, target)

    def _shared(self, scope: SymbolId, name: str) -> int:
        """The node of all that the name of the scope is ever bound to."""
        if (scope, name) not in self._names:
            self._names[scope, name] = self._node()
        return self._names[scope, name]

    def _lookup(self, name: str, frame: Frame) -> int:
        if name not in frame.elsewhere:
            if name in frame.versions:
                return frame.versions[name]
            if name in frame.bound:
                return self._shared(frame.scope, name)
        if frame.kind == "lambda" and frame.outer is not None and name in frame.outer.hidden:
            return self._lookup(name, frame.outer)
        owner = self._owner(name, frame)
        if owner is not None:
            return self._shared(owner.scope, name)
        node = self._node()
        self._emit("global", node, name)
        return node

    def _owner(self, name: str, frame: Frame) -> Frame | None:
        """The frame around that binds the name; classes around a function are left out, as Python does."""
        here = frame.outer
        if frame.elsewhere.get(name) == "global":
            while here is not None and here.outer is not None:
                here = here.outer
            return here
        while here is not None:
            if here.kind != "class" and name in here.bound:
                return here
            here = here.outer
        return None

    def _assign(self, name: str, node: int, frame: Frame) -> None:
        frame.rebind(name)
        if name in frame.hidden:
            frame.versions[name] = node
            return
        if name in frame.elsewhere:
            owner = self._owner(name, frame)
            self._copy(node, self._shared(owner.scope if owner else self._module, name))
            return
        frame.versions[name] = node if node >= 0 else self._node()
        self._copy(node, self._shared(frame.scope, name))

    # Expressions

    def _value(self, node: ast.expr | None, frame: Frame) -> int:
        """Return the node of the expression's value; -1 for one that holds nothing worth following."""
        match node:
            case None:
                return -1
            case ast.Name(id=name):
                return self._lookup(name, frame)
            case ast.Constant(value=value):
                return self._made("const", type(value).__name__) if value is not None and value is not ... else -1
            case ast.JoinedStr(values=values):
                for value in values:
                    self._value(value, frame)
                return self._made("const", "str")
            case ast.FormattedValue(value=value):
                methods = ("__repr__",) if node.conversion == ord("r") else ("__format__", "__str__", "__repr__")
                return self._operate(methods, self._value(value, frame), (), frame, node)
            case ast.Attribute(value=owner, attr=attribute):
                loaded, known = self._node(), self._last_stored(node, frame)
                held, at = self._value(owner, frame), (frame.scope, node.end_lineno)
                if known >= 0:
                    self._emit("reload", loaded, held, attribute, known, at)
                else:
                    self._emit("load", loaded, held, attribute, at)
                return loaded
            case ast.Subscript():
                return self._subscript(node, frame)
            case ast.Call():
                return self._call(node, frame)
            case ast.Await(value=value):
                return self._awaited(self._value(value, frame), frame, node)
            case ast.Starred(value=value):
                return self._value(value, frame)
            case ast.NamedExpr(target=target, value=value):
                source = self._value(value, frame)
                self._assign(target.id, source, frame)
                return source
            case ast.IfExp(test=test, body=body, orelse=orelse):
                self._truth(test, frame)
                return self._either([body, orelse], frame)
            case ast.BoolOp(values=values):
                joined = self._node()
                for value in values:
                    self._copy(self._truth(value, frame), joined)
                return joined
            case ast.BinOp():
                return self._binary(node, frame)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                self._truth(operand, frame)
                return -1
            case ast.UnaryOp(op=op, operand=operand):
                return self._operate((OPERATORS[type(op)],), self._value(operand, frame), (), frame, node)
            case ast.Compare():
                return self._compare(node, frame)
            case ast.Lambda():
                return self._lambda(node, frame)
            case ast.List(elts=parts) | ast.Set(elts=parts) | ast.Tuple(elts=parts):
                return self._display(_DISPLAYS[type(node)], parts, frame)
            case ast.Dict(keys=keys, values=values):
                return self._dict(keys, values, frame)
            case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                return self._comprehension(node, frame)
            case ast.Yield(value=value):
                self._yield(self._value(value, frame), frame)
                return self._node()
            case ast.YieldFrom(value=value):
                element = self._node()
                self._emit("each", element, self._value(value, frame), (frame.scope, node.lineno))
                self._yield(element, frame)
                return self._node()
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self._value(child, frame)
        return -1

    def _awaited(self, source: int, frame: Frame, at: Located) -> int:
        result = self._node()
        self._emit("await", result, source, (frame.scope, at.lineno))
        return result

    def _operate(
        self, methods: tuple[str, ...], owner: int, given: tuple[int, ...], frame: Frame, at: Located, result: int = -1
    ) -> int:
        """Call what an operator calls; return the node of its result."""
        if owner < 0:
            return result
        made = result if result >= 0 else self._node()
        self._emit("operate", made, owner, methods, given, (frame.scope, at.lineno))
        return made

    def _binary(self, node: ast.BinOp, frame: Frame) -> int:
        """Operands from the left, which is where sums of many parts nest."""
        links = [node]
        while isinstance(left := links[-1].left, ast.BinOp):
            links.append(left)
        one = self._value(links[-1].left, frame)
        for link in reversed(links):
            other, name = self._value(link.right, frame), OPERATORS[type(link.op)]
            made = self._operate((f"__{name}__",), one, (other,), frame, link)
            one = self._operate((f"__r{name}__",), other, (one,), frame, link, made)
        return one

    def _truth(self, node: ast.expr, frame: Frame) -> int:
        """Ask whether the value is true; return its node."""
        value = self._value(node, frame)
        if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript, ast.Call)):
            self._operate(("__bool__", "__len__"), value, (), frame, node)
        return value

    def _compare(self, node: ast.Compare, frame: Frame) -> int:
        left = self._value(node.left, frame)
        for operator, right in zip(node.ops, (self._value(one, frame) for one in node.comparators), strict=True):
            if isinstance(operator, (ast.In, ast.NotIn)):
                self._operate(("__contains__", "__iter__"), right, (left,), frame, node)
            elif type(operator) in COMPARISONS:
                self._operate(COMPARISONS[type(operator)], left, (right,), frame, node)
            left = right
        return -1

    def _last_stored(self, node: ast.expr, frame: Frame) -> int:
        place = place_of(node) if frame.stored else None
        return frame.stored.get(place, -1) if place is not None else -1

    def _subscript(self, node: ast.Subscript, frame: Frame) -> int:
        key, at = node.slice, (frame.scope, node.lineno)
        known = self._last_stored(node, frame)
        if known >= 0:
            return known
        if isinstance(key, ast.Slice):
            self._value(key, frame)
            return self._part(self._value(node.value, frame), key, at)
        by = self._value(key, frame)
        loaded, owner = self._node(), self._value(node.value, frame)
        if isinstance(key, ast.Name) and (frame.kind in ("module", "class") or key.id not in frame.versions):
            self._emit("get by", loaded, owner, by, at)
        else:
            self._emit("get", loaded, owner, constant(key), at)
        return loaded

    def _part(self, source: int, key: ast.Slice, at: tuple[SymbolId, int]) -> int:
        """A slice: of the same elements; under keys that are not known, unless both ends are written out."""
        start = constant(key.lower) if key.lower is not None else 0
        stop = constant(key.upper) if key.upper is not None else None
        if isinstance(start, int) and isinstance(stop, int) and 0 <= start < stop <= start + LONGEST_PART:
            made = self._node()
            self._emit("part", made, source, start, stop)
            return made
        made, element = self._made("container", "list"), self._node()
        self._emit("each", element, source, at)
        self._emit("put", made, None, element)
        return made

    def _made(self, constraint: str, type_: str) -> int:
        node = self._node()
        self._emit(constraint, node, type_)
        return node

    def _either(self, parts: Sequence[ast.expr], frame: Frame) -> int:
        node = self._node()
        for part in parts:
            self._copy(self._value(part, frame), node)
        return node

    def _yield(self, node: int, frame: Frame) -> None:
        if frame.yielded < 0:
            frame.yielded = self._node()
        self._copy(node, frame.yielded)

    def _element(self, node: ast.expr, frame: Frame) -> int:
        """As `_value`, but texts and numbers, which tables hold by the thousand and nobody calls, are left out."""
        return -1 if isinstance(node, ast.Constant) else self._value(node, frame)

    def _put(self, container: int, key: object, source: int) -> None:
        if source >= 0:
            self._emit("put", container, key, source)

    def _display(self, kind: str, parts: Sequence[ast.expr], frame: Frame) -> int:
        node = self._made("container", kind)
        exact = not any(isinstance(part, ast.Starred) for part in parts)
        for place, part in enumerate(parts):
            source = self._element(part, frame)
            if isinstance(part, ast.Starred):
                element = self._node()
                self._emit("each", element, source, (frame.scope, part.lineno))
                source = element
            self._put(node, place if exact and kind != "set" else None, source)
        return node

    def _dict(self, keys: Sequence[ast.expr | None], values: Sequence[ast.expr], frame: Frame) -> int:
        node = self._made("container", "dict")
        for key, value in zip(keys, values, strict=True):
            source = self._element(value, frame)
            if not isinstance(key, ast.Constant):
                self._value(key, frame)
            if key is None:
                merged = self._node()
                self._emit("get", merged, source, None, (frame.scope, value.lineno))
                source = merged
            self._put(node, constant(key) if key is not None else None, source)
        return node

    def _comprehension(self, node: Comprehension, frame: Frame) -> int:
        kind = {ast.ListComp: "list", ast.SetComp: "set", ast.DictComp: "dict", ast.GeneratorExp: "generator"}[
            type(node)
        ]
        made = self._made("container", kind)
        around, before, hidden = frame, frame.versions, frame.hidden
        frame.versions = dict(before)
        for generator in node.generators:
            element = self._node()
            each = "each async" if generator.is_async else "each"
            self._emit(each, element, self._value(generator.iter, frame), (frame.scope, generator.iter.lineno))
            if frame.kind == "class":
                # A namespace of its own, from which the class's is not seen.
                frame = Frame(frame.scope, "lambda", frozenset(), frame)
            frame.hidden = frame.hidden | set(bound_names(generator.target))
            self._bind(generator.target, element, frame)
            for condition in generator.ifs:
                self._value(condition, frame)
        if isinstance(node, ast.DictComp):
            self._value(node.key, frame)
        self._emit("put", made, None, self._value(node.value if isinstance(node, ast.DictComp) else node.elt, frame))
        around.versions, around.hidden = before, hidden
        return made

    def _call(self, node: ast.Call, frame: Frame) -> int:
        result = self._node()
        callee = node.func
        if isinstance(callee, ast.Name) and callee.id == "super" and frame.owner and callee.id not in frame.bound:
            if len(node.args) == 2:
                class_, given = (self._value(argument, frame) for argument in node.args)
                self._emit("super of", result, class_, given)
            else:
                self._emit("super", result, frame.owner, frame.first)
            return result
        function = self._value(callee, frame)
        positional: list[int] = []
        spread: list[int] = []
        for argument in node.args:
            source = self._element(argument, frame)
            (spread if isinstance(argument, ast.Starred) else positional).append(source)
        keywords: list[tuple[str, int]] = []
        for keyword in node.keywords:
            source = self._element(keyword.value, frame)
            if keyword.arg is None:
                spread.append(source)
            else:
                keywords.append((keyword.arg, source))
        names = tuple(
            argument.value if isinstance(argument, ast.Constant) and isinstance(argument.value, str) else None
            for argument in node.args
        )
        self._emit(
            "call",
            result,
            function,
            tuple(positional),
            tuple(keywords),
            tuple(spread),
            names,
            self._site(callee, frame),
        )
        frame.stored.clear()
        if isinstance(callee, ast.Attribute) and callee.attr == "update" and len(positional) == 1:
            self._updated(callee.value, node.args[0], positional[0], frame)
        return result

    def _updated(self, container: ast.expr, given: ast.expr, source: int, frame: Frame) -> None:
        """`d.update({"a": x})` stores as `d["a"] = x` does."""
        for key in given.keys if isinstance(given, ast.Dict) else ():
            if key is not None and constant(key) is not None:
                stored = self._node()
                self._emit("get", stored, source, constant(key), None)
                frame.store(ast.Subscript(container, key), stored)

    def _site(self, callee: ast.expr, frame: Frame) -> tuple[SymbolId, int, int]:
        line, byte = name_position(callee)
        return frame.scope, line, self._lines.column(line, byte)

    # Parameters

    def _parameters(
        self, given: ast.arguments, key: str, frame: Frame, inner: Frame, *, in_class: bool = False
    ) -> FlowFunction:
        positional: list[tuple[str, int]] = []
        plain = [*given.posonlyargs, *given.args]
        defaults = [None] * (len(plain) - len(given.defaults)) + [*given.defaults]
        keywords = zip(given.kwonlyargs, given.kw_defaults, strict=True)
        for parameter, default in [*zip(plain, defaults, strict=True), *keywords]:
            node = self._node()
            positional.append((parameter.arg, node))
            if parameter.annotation is not None:
                self._emit("declared", node, annotation(parameter.annotation), frame.scope)
            self._copy(self._value(default, frame), node)
            self._assign(parameter.arg, node, inner)
            inner.parameters[node] = parameter.annotation
        if in_class and plain:
            inner.owner, inner.first = frame.scope, positional[0][1]
        return FlowFunction(
            key=key,
            parameters=tuple(positional),
            positional=len(plain),
            required=len(positional) - len(given.defaults) - sum(one is not None for one in given.kw_defaults),
            vararg=self._collected(given.vararg, "tuple", inner),
            kwarg=self._collected(given.kwarg, "dict", inner),
            result=inner.result,
            passed=(),
            owner=frame.scope if in_class else None,
        )

    def _collected(self, parameter: ast.arg | None, kind: str, inner: Frame) -> int:
        if parameter is None:
            return -1
        node = self._node()
        self._emit("container", node, kind)
        self._assign(parameter.arg, node, inner)
        return node

    def _returned(self, value: ast.expr | None, frame: Frame) -> None:
        """Each call gets back the argument that it gave, where a parameter is returned as it came."""
        node = self._value(value, frame)
        if node not in frame.parameters:
            self._copy(node, frame.result)
            return
        frame.passed[node] = None
        declared = frame.parameters[node]
        if declared is not None and frame.outer is not None:
            self._emit("type", frame.result, annotation(declared), frame.outer.scope)

    def _finish(self, function: FlowFunction, inner: Frame, *, awaited: bool = False) -> None:
        """A generator returns an iterable of what it yields, a coroutine function what gives its result to `await`."""
        if awaited and inner.yielded < 0:
            for node in inner.passed:
                self._copy(node, inner.result)
            coroutine = self._node()
            self._emit("coroutine", coroutine, inner.result)
            self._functions.append(replace(function, result=coroutine))
            return
        self._functions.append(replace(function, passed=tuple(inner.passed)))
        if inner.yielded >= 0:
            iterable = self._node()
            self._emit("container", iterable, "generator")
            self._emit("put", iterable, None, inner.yielded)
            self._copy(iterable, inner.result)

    def _lambda(self, node: ast.Lambda, frame: Frame) -> int:
        bound = self._node()
        key = f"{frame.scope}λ{bound}"
        self._emit("function", bound, key)
        # A lambda is no symbol: what it calls belongs to the definition around it.
        inner = Frame(frame.scope, "lambda", parameter_names(node.args), frame, result=self._node())
        inner.owner, inner.first = frame.owner, frame.first
        inner.hidden = set(inner.bound)
        function = self._parameters(node.args, key, frame, inner)
        self._returned(node.body, inner)
        self._finish(function, inner)
        return bound


def constant(node: ast.expr) -> object:
    """The key that a subscript or a display names; None if it is not a literal text or number."""
    match node:
        case ast.Constant(value=str() | int() as value):
            return value
    return None
