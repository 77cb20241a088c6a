"""How values move through one file: assignments, calls, attributes and containers as constraints over numbered nodes.

A node stands for the values that a variable can hold between two assignments, or that an expression can have. Locals
have a node for each assignment, joined where branches meet and where a loop begins again; what closures, other
functions and other files see of a name is one node for all its assignments.

The constraints are tuples that begin with their name; `s`, `d` and other single letters are nodes, -1 none:

    ("function", d, key)            d holds the function
    ("class", d, id)                d holds the class
    ("const", d, type)              d holds an object of the builtin type
    ("key", d, value)               d holds this text or number, which a name of a module or a class is bound to
    ("container", d, type)          d holds a list, dict, set or tuple of its own, filled by "put"
    ("type", d, expression, scope)  d holds objects of the type written there
    ("declared", d, expression, scope)  the same, and d holds nothing else
    ("import", d, module, name, level, whole)
    ("global", d, name)             a name that this file does not bind: by star import, else builtin
    ("copy", s, d)
    ("load", d, object, attribute, at)  d = object.attribute
    ("reload", d, object, attribute, s, at)  the same, where s has just been stored unless a property took it
    ("store", object, attribute, s, at)
    ("get", d, object, key, at)     d = object[key]; key None when it is not a constant
    ("get by", d, object, k, at)    d = object[k], where k is the node of a name that a module or a class binds
    ("unpack", d, object, key, at)  d = the element under the key when the object is unpacked
    ("part", d, object, start, stop)  d = object[start:stop], both constants
    ("put", object, key, s)
    ("set item", object, key, s, at)
    ("operate", d, object, methods, arguments, at)
        d = what the first of the methods that the object's class has returns for the arguments, which are nodes
    ("each", d, object, at)         d = an element of the object, by iterating over it
    ("each async", d, object, at)   the same, by `async for`
    ("enter", d, object, method, at)  with object as d
    ("coroutine", d, s)             d = what gives s when it is awaited
    ("await", d, s, at)             d = await s
    ("super", d, class, s)          d = super() in a method of the class whose first parameter is s
    ("super of", d, c, s)           d = super(c, s)
    ("call", d, callee, positional, keywords, spread, names, site)
        positional: nodes; keywords: (name, node) pairs; spread: nodes behind * and **; names: the positional arguments
        that are literal strings, None for others
    ("decorate", d, callee, s, site)  d = callee(s), where s is defined below it
    ("raise", s, at)                a class that is raised is constructed

`site` is (source, line, column) as in the Reference. `at` is (source, line), and stands for the site of what the result
of a decorator with arguments does to the definition.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

from plait.facts import FlowFacts
from plait.parse.expressions import annotation
from plait.parse.flow_values import OPERATORS, ExpressionWalk, constant
from plait.parse.frames import Frame, bound_in, parameter_names
from plait.parse.scopes import bound_names

Function = ast.FunctionDef | ast.AsyncFunctionDef
Definition = Function | ast.ClassDef


class FlowWalk(ExpressionWalk):
    def of(self, tree: ast.Module) -> FlowFacts:
        """Return the file's constraints. Raises RecursionError where they nest deeper than the interpreter's stack."""
        frame = Frame(self._module, "module", bound_in(tree.body, walrus=self._walrus), None)
        self._block(tree.body, frame)
        names = tuple((scope, name, node) for (scope, name), node in self._names.items())
        return FlowFacts(self._count, tuple(self._constraints), names, tuple(self._functions))

    # Statements

    def _block(self, body: Sequence[ast.stmt], frame: Frame) -> bool:
        """Walk statements; return whether control never comes out at the end."""
        ended = False
        for statement in body:
            ended = self._statement(statement, frame) or ended
        return ended

    def _statement(self, node: ast.stmt, frame: Frame) -> bool:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self._assign(node.name, self._function(node, frame), frame)
            case ast.ClassDef():
                self._assign(node.name, self._class(node, frame), frame)
            case ast.Return(value=value):
                self._returned(value, frame)
                return True
            case ast.Raise():
                if node.exc is not None:
                    self._emit("raise", self._value(node.exc, frame), (frame.scope, node.lineno))
                self._value(node.cause, frame)
                return True
            case ast.Break() | ast.Continue():
                return True
            case ast.Assign(targets=targets, value=value):
                if constant(value) is not None and frame.kind in ("module", "class"):
                    self._emit("key", source := self._node(), constant(value))
                else:
                    source = self._value(value, frame)
                for target in targets:
                    self._bind(target, source, frame)
            case ast.AnnAssign():
                self._annotated(node, frame)
            case ast.AugAssign(target=target, value=value):
                joined, held, given = self._node(), self._value(_as_load(target), frame), self._value(value, frame)
                self._copy(held, joined)
                self._copy(given, joined)
                methods = tuple(f"__{prefix}{OPERATORS[type(node.op)]}__" for prefix in ("i", ""))
                self._operate(methods, held, (given,), frame, node, joined)
                self._bind(target, joined, frame)
            case ast.For() | ast.AsyncFor():
                return self._loop(node, frame)
            case ast.While(test=test):
                self._truth(test, frame)
                return self._loop(node, frame)
            case ast.If():
                return self._branches(self._alternatives(node, frame), frame)
            case ast.Match(subject=subject, cases=cases):
                self._match(self._value(subject, frame), cases, frame)
            case ast.With() | ast.AsyncWith():
                method = "__enter__" if isinstance(node, ast.With) else "__aenter__"
                for item in node.items:
                    entered, manager = self._node(), self._value(item.context_expr, frame)
                    self._emit("enter", entered, manager, method, (frame.scope, node.lineno))
                    if isinstance(node, ast.AsyncWith):
                        entered = self._awaited(entered, frame, node)
                    self._operate((method.replace("enter", "exit"),), manager, (), frame, node)
                    if item.optional_vars is not None:
                        self._bind(item.optional_vars, entered, frame)
                return self._block(node.body, frame)
            case ast.Global(names=names):
                frame.elsewhere.update(dict.fromkeys(names, "global"))
            case ast.Nonlocal(names=names):
                frame.elsewhere.update(dict.fromkeys(names, "nonlocal"))
            case ast.Import() | ast.ImportFrom():
                self._import(node, frame)
            case ast.Delete(targets=targets):
                for target in targets:
                    if isinstance(target, ast.Name) and target.id not in frame.elsewhere:
                        frame.versions[target.id] = self._node()
                    elif isinstance(target, ast.Subscript):
                        self._operate(("__delitem__",), self._value(target.value, frame), (), frame, target)
            case ast.Expr(value=value):
                self._value(value, frame)
            case ast.Assert(test=test, msg=message):
                self._value(test, frame)
                self._value(message, frame)
            case _ if isinstance(node, ast.Try) or type(node).__name__ == "TryStar":
                return self._try(node, frame)  # type: ignore[arg-type]  # TryStar has the same fields
        return False

    def _alternatives(self, node: ast.If, frame: Frame) -> list[Sequence[ast.stmt]]:
        """The bodies of an `if` with all its `elif`, which nest in the tree, and the last `else`."""
        bodies: list[Sequence[ast.stmt]] = []
        while True:
            self._truth(node.test, frame)
            bodies.append(node.body)
            match node.orelse:
                case [ast.If() as node]:
                    continue
                case rest:
                    return [*bodies, rest]

    def _branches(self, bodies: Iterable[Sequence[ast.stmt]], frame: Frame) -> bool:
        before = frame.versions
        ends: list[dict[str, int]] = []
        for body in bodies:
            frame.versions = dict(before)
            frame.stored.clear()
            if not self._block(body, frame):
                ends.append(frame.versions)
        frame.stored.clear()
        frame.versions = self._joined(ends) if ends else before
        return not ends

    def _joined(self, ends: Sequence[dict[str, int]]) -> dict[str, int]:
        """One node for each name, fed by all branches where they differ; a name that a branch lacks may be unbound."""
        first, *others = ends
        if not others:
            return first
        joined: dict[str, int] = {}
        for name in dict.fromkeys(name for end in ends for name in end):
            nodes = list(dict.fromkeys(end[name] for end in ends if name in end))
            if len(nodes) == 1:
                joined[name] = nodes[0]
                continue
            joined[name] = self._node()
            for node in nodes:
                self._copy(node, joined[name])
        return joined

    def _loop(self, node: ast.For | ast.AsyncFor | ast.While, frame: Frame) -> bool:
        """What a turn of the loop binds, the next one can see."""
        iterated = self._value(node.iter, frame) if not isinstance(node, ast.While) else -1
        changed = bound_in(node.body, walrus=self._walrus) | (
            frozenset() if isinstance(node, ast.While) else frozenset(bound_names(node.target))
        )
        entry: dict[str, int] = {}
        for name in sorted(changed - frame.elsewhere.keys()):
            entry[name] = self._node()
            self._copy(frame.versions.get(name, -1), entry[name])
        frame.versions = frame.versions | entry
        frame.stored.clear()
        if not isinstance(node, ast.While):
            element = self._node()
            each = "each async" if isinstance(node, ast.AsyncFor) else "each"
            self._emit(each, element, iterated, (frame.scope, node.lineno))
            self._bind(node.target, element, frame)
        self._block(node.body, frame)
        for name, start in entry.items():
            self._copy(frame.versions.get(name, -1), start)
        frame.versions = frame.versions | entry
        frame.stored.clear()
        self._block(node.orelse, frame)
        return False

    def _try(self, node: ast.Try, frame: Frame) -> bool:
        before = dict(frame.versions)
        ended = self._block(node.body, frame)
        if not ended:
            ended = self._block(node.orelse, frame)
        ends = [] if ended else [frame.versions]
        broken = self._joined([before, frame.versions])
        for handler in node.handlers:
            frame.versions = dict(broken)
            frame.stored.clear()
            self._value(handler.type, frame)
            if handler.name:
                exception = self._node()
                if handler.type is not None:
                    self._emit("type", exception, annotation(handler.type), frame.scope)
                self._assign(handler.name, exception, frame)
            if not self._block(handler.body, frame):
                ends.append(frame.versions)
        frame.versions = self._joined(ends) if ends else broken
        frame.stored.clear()
        return self._block(node.finalbody, frame) or not ends

    def _match(self, subject: int, cases: Sequence[ast.match_case], frame: Frame) -> None:
        before = frame.versions
        ends = [before]
        for case in cases:
            frame.versions = dict(before)
            frame.stored.clear()
            for part in ast.walk(case.pattern):
                if isinstance(part, ast.MatchAs) and part.name:
                    bound = self._node()
                    if isinstance(part.pattern, ast.MatchClass):
                        self._emit("type", bound, annotation(part.pattern.cls), frame.scope)
                    elif part is case.pattern:
                        self._copy(subject, bound)
                    self._assign(part.name, bound, frame)
                elif isinstance(part, (ast.MatchStar, ast.MatchMapping)):
                    name = part.name if isinstance(part, ast.MatchStar) else part.rest
                    if name:
                        self._assign(name, self._node(), frame)
            self._value(case.guard, frame)
            if not self._block(case.body, frame):
                ends.append(frame.versions)
        frame.stored.clear()
        frame.versions = self._joined(ends)

    def _bind(self, target: ast.expr, source: int, frame: Frame) -> None:
        match target:
            case ast.Name(id=name):
                self._assign(name, source, frame)
            case ast.Attribute(value=owner, attr=attribute):
                self._emit("store", self._value(owner, frame), attribute, source, (frame.scope, target.end_lineno))
                frame.store(target, source)
            case ast.Subscript(value=owner, slice=key):
                self._value(key, frame)
                held, at = self._value(owner, frame), (frame.scope, target.lineno)
                self._emit("set item", held, constant(key), source, at)
                frame.store(target, source)
            case ast.Starred(value=inner):
                self._bind(inner, source, frame)
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                self._unpack(parts, source, frame)

    def _unpack(self, parts: Sequence[ast.expr], source: int, frame: Frame) -> None:
        star = next((place for place, part in enumerate(parts) if isinstance(part, ast.Starred)), len(parts))
        for place, part in enumerate(parts):
            node = self._node()
            if place < star:
                self._emit("unpack", node, source, place, (frame.scope, part.lineno))
            elif place == star:
                self._emit("container", node, "list")
                element = self._node()
                self._emit("each", element, source, (frame.scope, part.lineno))
                self._emit("put", node, None, element)
            else:
                self._emit("unpack", node, source, None, (frame.scope, part.lineno))
            self._bind(part, node, frame)

    def _annotated(self, node: ast.AnnAssign, frame: Frame) -> None:
        declared = self._node()
        self._emit("declared", declared, annotation(node.annotation), frame.scope)
        self._copy(self._value(node.value, frame), declared)
        self._bind(node.target, declared, frame)

    def _import(self, node: ast.Import | ast.ImportFrom, frame: Frame) -> None:
        for name in node.names:
            if name.name == "*":
                continue
            bound = self._node()
            if isinstance(node, ast.Import):
                self._emit("import", bound, name.name, None, 0, name.asname is not None)
                self._assign(name.asname or name.name.partition(".")[0], bound, frame)
            else:
                self._emit("import", bound, node.module or "", name.name, node.level, False)
                self._assign(name.asname or name.name, bound, frame)

    # Definitions

    def _function(self, node: Function, frame: Frame) -> int:
        key = self._ids[node]
        bound = self._node()
        self._emit("function", bound, key)
        inner = Frame(
            key,
            "function",
            bound_in(node.body, walrus=self._walrus) | parameter_names(node.args),
            frame,
            result=self._node(),
        )
        for parameter in _annotations(node):
            self._value(parameter, frame)
        function = self._parameters(node.args, key, frame, inner, in_class=frame.kind == "class")
        if node.returns is not None:
            self._emit("type", inner.result, annotation(node.returns), frame.scope)
        self._block(node.body, inner)
        self._finish(function, inner, awaited=isinstance(node, ast.AsyncFunctionDef))
        return self._decorated(node, bound, frame)

    def _decorated(self, node: Definition, bound: int, frame: Frame) -> int:
        for decorator in reversed(node.decorator_list):
            callee = self._value(decorator, frame)
            wrapped = self._node()
            applied = isinstance(decorator, ast.Call)
            site = (frame.scope, decorator.lineno) if applied else self._site(decorator, frame)
            self._emit("decorate", wrapped, callee, bound, site)
            bound = wrapped
        return bound

    def _class(self, node: ast.ClassDef, frame: Frame) -> int:
        bound = self._node()
        self._emit("class", bound, self._ids[node])
        for base in [*node.bases, *(keyword.value for keyword in node.keywords)]:
            self._value(base, frame)
        inner = Frame(self._ids[node], "class", bound_in(node.body, walrus=self._walrus), frame)
        self._block(node.body, inner)
        return self._decorated(node, bound, frame)


def _annotations(node: Function) -> list[ast.expr]:
    given = node.args
    every = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
    found = [parameter.annotation for parameter in every if parameter is not None and parameter.annotation is not None]
    return [*found, *([node.returns] if node.returns is not None else [])]


def _as_load(target: ast.expr) -> ast.expr:
    match target:
        case ast.Name(id=name):
            return ast.copy_location(ast.Name(name, ast.Load()), target)
        case ast.Attribute(value=owner, attr=attribute):
            return ast.copy_location(ast.Attribute(owner, attribute, ast.Load()), target)
        case ast.Subscript(value=owner, slice=key):
            return ast.copy_location(ast.Subscript(owner, key, ast.Load()), target)
    return target
