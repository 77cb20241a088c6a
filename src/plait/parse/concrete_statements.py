"""Statements of a concrete tree as those of `ast`, with Python 2's told in Python 3's nodes."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar

from plait.parse.concrete import Node, Steps, at, between, with_context
from plait.parse.concrete_expressions import OPERATORS
from plait.parse.concrete_patterns import PatternConversion


class StatementConversion(PatternConversion):
    def module(self, nodes: Sequence[Node]) -> Steps:
        return ast.Module((yield self._statements(nodes)), [])

    def _statements(self, nodes: Sequence[Node]) -> Steps:
        found: list[ast.stmt] = []
        for node in nodes:
            if node.is_extra and not node.is_error:
                continue
            if node.is_error:
                found += yield self._salvaged(node)
            elif node.is_named:
                found += yield self._statement(node)
        return found

    def _statement(self, node: Node) -> Steps:
        """Convert one statement to a list of none, one or more."""
        if self._is_too_deep(node):
            return []
        convert = self._STATEMENTS.get(node.type)
        if convert is not None:
            found = yield convert(self, node)
            return found if isinstance(found, list) else [found]
        if self._is_expression(node):
            return [at(ast.Expr((yield self._expression(node))), node)]
        self._leave_out(node)
        return []

    def _salvaged(self, node: Node) -> Steps:
        """What is whole inside of a part that is not: statements and expressions, each by itself."""
        self._leave_out(node)
        found: list[ast.stmt] = []
        for part in node.children:
            if part.is_error:
                found += yield self._salvaged(part)
            elif part.type in self._STATEMENTS or part.type in ("call", "list", "dictionary", "attribute"):
                found += yield self._statement(part)
            elif part.type in ("block", "argument_list", "expression_list", "parameters"):
                found += yield self._statements(part.children)
        return found

    def _body(self, node: Node | None, *before: Node) -> Steps:
        """A block's statements; one without any gets a `pass`, as no node of `ast` has an empty body."""
        found = (yield self._statements(node.children)) if node is not None else []
        return found or [at(ast.Pass(), node if node is not None else before[0])]

    # Simple statements

    def _expression_statement(self, node: Node) -> Steps:
        parts = self._parts(node)
        if len(parts) == 1 and parts[0].type == "assignment":
            return (yield self._assignment(parts[0]))
        if len(parts) == 1 and parts[0].type == "augmented_assignment":
            return (yield self._augmented(parts[0]))
        values = yield self._each(parts)
        if len(values) == 1 and not any(child.type == "," for child in node.children):
            return at(ast.Expr(values[0]), node)
        return at(ast.Expr(at(ast.Tuple(values, ast.Load()), node)), node)

    def _assignment(self, node: Node) -> Steps:
        targets: list[ast.expr] = []
        inner: Node | None = node
        while inner is not None and inner.type == "assignment":
            targets.append(with_context((yield self._expression(inner.child_by_field_name("left"))), ast.Store()))
            annotation = inner.child_by_field_name("type")
            for child in inner.children if inner.has_error else ():
                if child.is_error:
                    self._leave_out(child)
            inner = inner.child_by_field_name("right")
            if annotation is not None:
                type_ = yield self._expression(annotation)
                value = yield self._optional(inner)
                target: Any = targets[-1]
                return at(ast.AnnAssign(target, type_, value, int(isinstance(target, ast.Name))), node)
        if inner is None:
            return [at(ast.Expr(with_context(target, ast.Load())), node) for target in targets]
        return at(ast.Assign(targets, (yield self._expression(inner))), node)

    def _augmented(self, node: Node) -> Steps:
        target = with_context((yield self._expression(node.child_by_field_name("left"))), ast.Store())
        value = yield self._expression(node.child_by_field_name("right"))
        if not isinstance(target, (ast.Name, ast.Attribute, ast.Subscript)):
            return at(ast.Expr(value), node)
        operator = node.child_by_field_name("operator")
        sign = operator.type[:-1] if operator is not None else "+"
        return at(ast.AugAssign(target, OPERATORS[sign](), value), node)

    def _return(self, node: Node) -> Steps:
        parts = self._parts(node)
        return at(ast.Return((yield self._expression(parts[0])) if parts else None), node)

    def _delete(self, node: Node) -> Steps:
        parts = self._parts(node)
        if len(parts) == 1 and parts[0].type == "expression_list":
            parts = self._parts(parts[0])
        targets = yield self._each(parts)
        return at(ast.Delete([with_context(target, ast.Del()) for target in targets]), node)

    def _raise(self, node: Node) -> Steps:
        """Of Python 2's `raise E, message, traceback` the exception is raised, the rest evaluated before."""
        cause = node.child_by_field_name("cause")
        others = [part for part in self._parts(node) if cause is None or part.start_byte != cause.start_byte]
        if others and others[0].type == "expression_list":
            others = self._parts(others[0])
        values = yield self._each(others)
        reason = yield self._optional(cause)
        found: list[ast.stmt] = [at(ast.Expr(value), node) for value in values[1:]]
        return [*found, at(ast.Raise(values[0] if values else None, reason if values else None), node)]

    def _assert(self, node: Node) -> Steps:
        values = yield self._each(self._parts(node)[:2])
        return at(ast.Assert(*values), node) if values else at(ast.Pass(), node)

    def _pass(self, node: Node) -> Steps:
        kinds: dict[str, type[ast.stmt]] = {"break_statement": ast.Break, "continue_statement": ast.Continue}
        return at(kinds.get(node.type, ast.Pass)(), node)
        yield

    def _names(self, node: Node) -> Steps:
        names = [self._name(part) for part in self._parts(node) if part.type == "identifier"]
        kind = ast.Global if node.type == "global_statement" else ast.Nonlocal
        return at(kind(names), node)
        yield

    def _evaluated(self, node: Node) -> Steps:
        """Python 2's print and exec: what they are given is evaluated."""
        parts = [self._parts(part)[-1] if part.type == "chevron" else part for part in self._parts(node)]
        values = yield self._each(parts)
        return [at(ast.Expr(value), node) for value in values]

    def _alias(self, node: Node) -> Steps:
        left = yield self._expression(node.child_by_field_name("left"))
        right = yield self._expression(node.child_by_field_name("right"))
        if self._source[node.children[0].end_byte : node.children[0].end_byte + 1] == b"(":
            target = _called(left, node.children[0])
            return at(ast.Assign([with_context(target, ast.Store())], right), node)
        name = left.value if isinstance(left, ast.Subscript) else left
        if not isinstance(name, ast.Name):
            return at(ast.Expr(right), node)
        with_context(name, ast.Store())
        kind: Any = getattr(ast, "TypeAlias", None)
        made: ast.stmt = at(kind(name, [], right) if kind else ast.Assign([name], right), node)
        return made

    # Imports

    def _import(self, node: Node) -> Steps:
        return at(ast.Import(self._imported(node)), node)
        yield

    def _import_from(self, node: Node) -> Steps:
        module = node.child_by_field_name("module_name")
        if node.type == "future_import_statement":
            return at(ast.ImportFrom("__future__", self._imported(node), 0), node)
        level, name = 0, self._dotted(module)
        if module is not None and module.type == "relative_import":
            level = len("".join(self._text(module.children[0]).split()))
            name = self._dotted(next((part for part in module.children if part.type == "dotted_name"), None))
        names = self._imported(node)
        if any(part.type == "wildcard_import" for part in node.children):
            names = [at(ast.alias("*", None), node)]
        return at(ast.ImportFrom(name or None, names, level), node) if names and (name or level) else []
        yield

    def _imported(self, node: Node) -> list[ast.alias]:
        found: list[ast.alias] = []
        for part in node.children_by_field_name("name"):
            if not part.is_named:
                continue
            if part.has_error:
                self._leave_out(part)
            alias = part.child_by_field_name("alias")
            name = self._dotted(part.child_by_field_name("name") if alias is not None else part)
            if name:
                found.append(at(ast.alias(name, self._name(alias) if alias is not None else None), part))
        for child in node.children if node.has_error else ():
            if child.is_error:
                self._leave_out(child)
        return found

    # Compound statements

    def _if(self, node: Node) -> Steps:
        """`elif` is an `if` in the alternative: made from the last to the first."""
        branches: list[tuple[Node, ast.expr, list[ast.stmt]]] = []
        orelse: list[ast.stmt] = []
        lost: list[ast.stmt] = []
        for branch in (node, *self._parts(node)):
            if branch is node or branch.type == "elif_clause":
                test = yield self._expression(branch.child_by_field_name("condition"))
                branches.append((branch, test, (yield self._body(branch.child_by_field_name("consequence"), branch))))
            elif branch.type == "else_clause":
                orelse = yield self._body(branch.child_by_field_name("body"), branch)
        for branch in node.children if node.has_error else ():
            if branch.is_error:
                lost += yield self._salvaged(branch)
        end = (orelse or branches[-1][2])[-1]
        for branch, test, body in reversed(branches):
            orelse = [between(ast.If(test, body, orelse), branch.start_point, _end(end))]
        return [*lost, *orelse]

    def _loop(self, node: Node) -> Steps:
        target = yield self._optional(node.child_by_field_name("left"))
        source = yield self._optional(node.child_by_field_name("right"))
        test = yield self._optional(node.child_by_field_name("condition"))
        body = yield self._body(node.child_by_field_name("body"), node)
        orelse: list[ast.stmt] = []
        lost: list[ast.stmt] = []
        for part in node.children:
            if part.type == "else_clause":
                orelse = yield self._body(part.child_by_field_name("body"), part)
            elif part.is_error:
                lost += yield self._salvaged(part)
        end = _end((orelse or body)[-1])
        if node.type == "while_statement":
            return [*lost, between(ast.While(test, body, orelse), node.start_point, end)]
        kind = ast.AsyncFor if node.children[0].type == "async" else ast.For
        return [*lost, between(kind(with_context(target, ast.Store()), source, body, orelse), node.start_point, end)]

    def _try(self, node: Node) -> Steps:
        body = yield self._body(node.child_by_field_name("body"), node)
        handlers: list[ast.ExceptHandler] = []
        orelse: list[ast.stmt] = []
        final: list[ast.stmt] = []
        lost: list[ast.stmt] = []
        kind: Any = ast.Try
        for part in node.children:
            if part.type in ("except_clause", "except_group_clause"):
                if any(child.type in ("*", "except*") for child in part.children):
                    kind = getattr(ast, "TryStar", ast.Try)
                handlers.append((yield self._handler(part)))
            elif part.type == "else_clause":
                orelse = yield self._body(part.child_by_field_name("body"), part)
            elif part.type == "finally_clause":
                final = yield self._body(_block(part), part)
            elif part.is_error:
                lost += yield self._salvaged(part)
        last: ast.stmt = (final or orelse or (handlers[-1].body if handlers else None) or body)[-1]
        made: ast.stmt = between(kind(body, handlers, orelse, final), node.start_point, _end(last))
        return [*lost, made]

    def _handler(self, node: Node) -> Steps:
        """`except E, e` is Python 2's; `except A, B` Python 3.14's, told from it by the second name's first letter."""
        values = [value for value in node.children_by_field_name("value") if value.is_named]
        name: str | None = None
        alias = node.child_by_field_name("alias")
        if values and values[-1].type == "as_pattern":
            alias = values[-1].child_by_field_name("alias")
            values[-1] = self._parts(values[-1])[0]
        if alias is not None:
            name = self._name(alias)
        elif len(values) == 2 and values[1].type == "identifier" and not self._text(values[1])[:1].isupper():
            name = self._name(values.pop())
        types = yield self._each(values)
        type_ = types[0] if len(types) == 1 else at(ast.Tuple(types, ast.Load()), values[0]) if types else None
        body = yield self._body(_block(node), node)
        return between(ast.ExceptHandler(type_, name, body), node.start_point, _end(body[-1]))

    def _with(self, node: Node) -> Steps:
        items: list[ast.withitem] = []
        lost: list[ast.stmt] = []
        clauses = [part for part in node.children if part.type == "with_clause"]
        for item in self._with_items(clauses):
            target = None
            if item.type == "as_pattern":
                alias = item.child_by_field_name("alias")
                value, *_ = self._parts(item)
                if alias is not None:
                    target = with_context((yield self._expression(alias)), ast.Store())
                item = value
            items.append(ast.withitem((yield self._expression(item)), target))
        for part in node.children if node.has_error else ():
            if part.is_error:
                lost += yield self._salvaged(part)
        body = yield self._body(node.child_by_field_name("body"), node)
        if not items:
            return [*lost, *body]
        kind = ast.AsyncWith if node.children[0].type == "async" else ast.With
        return [*lost, between(kind(items, body), node.start_point, _end(body[-1]))]

    def _with_items(self, clauses: Sequence[Node]) -> Iterator[Node]:
        """`with (a as b, c):` has items, though the grammar takes them for a tuple."""
        for clause in clauses:
            for item in self._parts(clause):
                parts = self._parts(item)
                inside = self._parts(parts[0]) if len(parts) == 1 else []
                if parts and parts[0].type == "tuple" and not any(part.type == "list_splat" for part in inside):
                    yield from inside
                elif parts and parts[0].type == "parenthesized_expression" and inside[0].type == "as_pattern":
                    yield inside[0]
                else:
                    yield from parts[:1]

    def _match(self, node: Node) -> Steps:
        subjects = yield self._each([one for one in node.children_by_field_name("subject") if one.is_named])
        several = len(subjects) != 1 or any(child.type == "," for child in node.children)
        subject = at(ast.Tuple(subjects, ast.Load()), node) if several else subjects[0]
        cases: list[ast.match_case] = []
        lost: list[ast.stmt] = []
        block = node.child_by_field_name("body")
        for part in block.children if block is not None else ():
            if part.type == "case_clause":
                cases.append((yield self._case(part)))
            elif part.is_error:
                lost += yield self._salvaged(part)
        if not cases:
            return [at(ast.Expr(subject), node), *lost]
        end = _end(cases[-1].body[-1])
        return [between(ast.Match(subject, cases), node.start_point, end), *lost]

    def _case(self, node: Node) -> Steps:
        patterns: list[ast.pattern] = []
        for part in node.children:
            if part.type == "case_pattern":
                patterns.append((yield self._pattern(part)))
        several = len(patterns) != 1 or any(child.type == "," for child in node.children)
        pattern = at(ast.MatchSequence(patterns), node) if several or not patterns else patterns[0]
        guard = node.child_by_field_name("guard")
        test = (yield self._expression(self._parts(guard)[0])) if guard is not None else None
        return ast.match_case(pattern, test, (yield self._body(node.child_by_field_name("consequence"), node)))

    # Definitions

    def _function(self, node: Node) -> Steps:
        lost = (yield self._lost(node)) if node.has_error else []
        given, unpacked = yield self._parameters(node.child_by_field_name("parameters"))
        returns = yield self._optional(node.child_by_field_name("return_type"))
        body = yield self._body(node.child_by_field_name("body"), node)
        first = int(bool(unpacked) and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant))
        body[first:first] = unpacked
        name = node.child_by_field_name("name")
        if name is None or name.is_missing:
            return [*lost, *body]
        kind = ast.AsyncFunctionDef if node.children[0].type == "async" else ast.FunctionDef
        made: Any = kind(self._name(name), given, [*lost, *body] if first == 0 else [*body, *lost], [], returns)
        made.type_params = yield self._type_parameters(node)
        return between(made, node.start_point, max(_end(one) for one in made.body))

    def _class(self, node: Node) -> Steps:
        lost = (yield self._lost(node)) if node.has_error else []
        bases, keywords = yield self._arguments(node.child_by_field_name("superclasses"))
        body = yield self._body(node.child_by_field_name("body"), node)
        name = node.child_by_field_name("name")
        if name is None or name.is_missing:
            return [*lost, *body]
        made: Any = ast.ClassDef(self._name(name), bases, keywords, [*lost, *body] if lost else body, [])
        made.type_params = yield self._type_parameters(node)
        return between(made, node.start_point, max(_end(one) for one in made.body))

    def _lost(self, node: Node) -> Steps:
        found: list[ast.stmt] = []
        for part in node.children:
            if part.is_error:
                found += yield self._salvaged(part)
        return found

    def _type_parameters(self, node: Node) -> Steps:
        """None before Python 3.12, whose `ast` has no node for them."""
        given = node.child_by_field_name("type_parameters")
        variable: Any = getattr(ast, "TypeVar", None)
        if given is None or variable is None:
            return []
        found: list[ast.AST] = []
        for part in self._parts(given):
            inner = self._parts(part)[0] if part.type == "type" and self._parts(part) else part
            if inner.type == "splat_type":
                kind: Any = getattr(ast, "TypeVarTuple" if inner.children[0].type == "*" else "ParamSpec")
                found.append(at(kind(self._name(inner.children[-1])), inner))
            elif inner.type == "constrained_type":
                name, bound = self._parts(inner)[:2]
                found.append(at(variable(self._text(name), (yield self._expression(bound))), inner))
            else:
                found.append(at(variable(self._text(inner), None), inner))
        return found

    def _decorated(self, node: Node) -> Steps:
        decorators: list[ast.expr] = []
        made: list[ast.stmt] = []
        for part in node.children:
            if part.type == "decorator":
                decorators += yield self._each(self._parts(part)[:1])
            elif part.type in ("function_definition", "class_definition"):
                made += yield self._statement(part)
            elif part.is_error:
                made += yield self._salvaged(part)
        if made and isinstance(made[-1], (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            made[-1].decorator_list = decorators
            return made
        return [*(at(ast.Expr(one), node) for one in decorators), *made]

    _STATEMENTS: ClassVar[dict[str, Callable[[StatementConversion, Node], Steps]]] = {
        "expression_statement": _expression_statement,
        "return_statement": _return,
        "delete_statement": _delete,
        "raise_statement": _raise,
        "assert_statement": _assert,
        "pass_statement": _pass,
        "break_statement": _pass,
        "continue_statement": _pass,
        "global_statement": _names,
        "nonlocal_statement": _names,
        "print_statement": _evaluated,
        "exec_statement": _evaluated,
        "type_alias_statement": _alias,
        "import_statement": _import,
        "import_from_statement": _import_from,
        "future_import_statement": _import_from,
        "if_statement": _if,
        "for_statement": _loop,
        "while_statement": _loop,
        "try_statement": _try,
        "with_statement": _with,
        "match_statement": _match,
        "function_definition": _function,
        "class_definition": _class,
        "decorated_definition": _decorated,
    }


def _called(target: ast.expr, function: Node) -> ast.expr:
    """The target of `type(x).y = z`, which the grammar takes for an alias of the type `(x).y`."""
    outer: ast.Attribute | ast.Subscript | ast.Call | None = None
    inner = target
    while isinstance(inner, (ast.Attribute, ast.Subscript, ast.Call)):
        between(inner, function.start_point, _end(inner))
        outer, inner = inner, inner.func if isinstance(inner, ast.Call) else inner.value
    given = inner.elts if isinstance(inner, ast.Tuple) else [inner]
    row, column = _end(inner)
    call = ast.Call(at(ast.Name("type", ast.Load()), function), given, [])
    between(call, function.start_point, (row, column + 1))
    if isinstance(outer, ast.Call):
        outer.func = call
    elif outer is not None:
        outer.value = call
    return call if outer is None else target


def _block(node: Node) -> Node | None:
    return next((child for child in node.children if child.type == "block"), None)


def _end(node: ast.stmt | ast.expr) -> tuple[int, int]:
    return (node.end_lineno or node.lineno) - 1, node.end_col_offset or 0
