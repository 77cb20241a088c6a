"""One walk over a module's tree that collects its facts.

The walk keeps its own stack: `elif` chains and long sums nest deeper than the interpreter's stack. Nodes are taken in
source order, except that a definition's decorators, defaults and annotations come before its body; references and
bindings are sorted at the end.
"""

from __future__ import annotations

import ast
import re
from dataclasses import replace

from plait.facts import Binding, BindingKind, FlowFacts, Import, Mention, ParsedFile
from plait.model import Receiver, Recovered, Reference, ReferenceKind, SourceFile, Span, Symbol, SymbolId, SymbolKind
from plait.parse.depth import TOO_DEEP, shorten
from plait.parse.expressions import (
    alternatives,
    annotation,
    dotted,
    is_type_expression,
    name_position,
    receiver_form,
    root_name,
)
from plait.parse.flow import FlowWalk
from plait.parse.lines import Lines
from plait.parse.mentions import MENTIONING, kept, mentioned
from plait.parse.naming import child_id, is_test_path, module_id, module_name
from plait.parse.scopes import Scope, bound_names, owner_form, parameters
from plait.parse.signatures import class_signature, docstring, function_signature, is_abstract, is_coroutine
from plait.parse.targets import exported_names, paired

Function = ast.FunctionDef | ast.AsyncFunctionDef
Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
_MARKS = (ast.expr_context, ast.operator, ast.unaryop, ast.boolop, ast.cmpop)
_LEAVES = frozenset((ast.Name, ast.Constant, ast.Pass, *(kind for mark in _MARKS for kind in mark.__subclasses__())))
"""Children without facts: a set of types, as most nodes are leaves and `isinstance` of them all takes far longer."""
_PLAIN = frozenset(
    (
        *(ast.Attribute, ast.keyword, ast.Subscript, ast.Starred, ast.Tuple, ast.List, ast.Set, ast.Dict, ast.Slice),
        *(ast.BinOp, ast.BoolOp, ast.UnaryOp, ast.Compare, ast.IfExp, ast.JoinedStr, ast.FormattedValue),
        *(ast.Await, ast.Yield, ast.YieldFrom, ast.Expr, ast.Return, ast.If, ast.While, ast.Raise, ast.Assert),
    )
)
"""Nodes that say nothing but what their children say."""
_NAME = re.compile(r"[^\W\d]\w*")
_Frame = tuple[ast.AST, Scope, frozenset[str]]


class Facts:
    def __init__(self, file: SourceFile, *, flow: bool) -> None:
        self._file = file
        self._with_flow = flow
        self._lines = Lines(file.text)
        self._module = module_name(file.path)
        self._is_test = is_test_path(file.path)
        self._stack: list[_Frame] = []
        self._symbols: list[Symbol] = []
        self._definitions: dict[SymbolId, list[Span]] = {}
        self._references: list[Reference] = []
        self._imports: list[Import] = []
        self._bindings: list[Binding] = []
        self._mentions: list[tuple[SymbolId, str, int]] = []
        self._owners: set[str] = set()
        self._types: set[ast.AST] = set()
        self._elsewhere: list[tuple[Scope, Binding]] = []
        self._abstract: list[SymbolId] = []
        self._ids: dict[ast.AST, SymbolId] = {}

    def of(self, tree: ast.Module) -> ParsedFile:
        root = Scope(module_id(self._file.path), SymbolKind.MODULE, self._module)
        self._define(root, self._module.rpartition(".")[2], self._lines.span(1, len(self._lines)), tree)
        self._push(tree.body, root, frozenset())
        while self._stack:
            node, scope, hidden = self._stack.pop()
            self._visit(node, scope, hidden)
        self._bind_elsewhere()
        self._references.sort(key=lambda one: (one.line, one.column, one.expression, one.kind, one.arity))
        self._bindings.sort(key=lambda one: one.line)
        return ParsedFile(
            path=self._file.path,
            module=self._module,
            is_package=self._file.path.rpartition("/")[2].partition(".")[0] == "__init__",
            symbols=tuple(self._with_own_lines(symbol) for symbol in self._symbols),
            references=tuple(self._references),
            imports=tuple(self._imports),
            bindings=tuple(self._bindings),
            mentions=self._kept_mentions(root.id),
            exports=exported_names(tree),
            abstract=tuple(self._abstract),
            flow=self._flow(tree, root.id) if self._with_flow else FlowFacts(),
        )

    def _kept_mentions(self, module: SymbolId) -> tuple[Mention, ...]:
        bound = {(one.scope, one.target) for one in self._bindings}
        bound |= {(module, one.alias) for one in self._imports} | {(module, one.name) for one in self._symbols[1:]}
        return kept(sorted(self._mentions, key=lambda one: one[2]), bound, module, self._owners)

    def _flow(self, tree: ast.Module, root: SymbolId) -> FlowFacts:
        """Follow values; in a file deeper than the interpreter's stack, without what lies deep in an expression."""
        walrus = ":=" in self._file.text
        try:
            return FlowWalk(self._lines, root, self._ids, walrus=walrus).of(tree)
        except RecursionError:
            lines = shorten(tree)
        try:
            found = FlowWalk(self._lines, root, self._ids, walrus=walrus).of(tree)
        except RecursionError:
            found, lines = FlowFacts(), ((1, len(self._lines)),)
        return replace(found, unfollowed=Recovered(self._file.path, TOO_DEEP, lines))

    def _push(self, nodes: list[ast.stmt] | list[ast.expr], scope: Scope, hidden: frozenset[str]) -> None:
        self._stack += [(node, scope, hidden) for node in reversed(nodes)]

    def _visit(self, node: ast.AST, scope: Scope, hidden: frozenset[str]) -> None:
        if type(node) in MENTIONING:
            self._mentions += [(scope.id, *one) for one in mentioned(node, hidden, self._types)]
        if type(node) in _PLAIN:
            self._stack += [(child, scope, hidden) for child in reversed(_children(node))]
            return None
        match node:
            case ast.Call():
                self._refer(ReferenceKind.CALL, node.func, _arity(node), scope, hidden)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                return self._function(node, scope, hidden)
            case ast.ClassDef():
                return self._class(node, scope, hidden)
            case ast.Lambda():
                names = {parameter.arg for parameter in parameters(node.args)}
                self._stack.append((node.body, scope, hidden | scope.unseen() | names))
                return self._push(_defaults(node.args), scope, hidden)
            case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                return self._comprehension(node, scope, hidden)
            case ast.Import() | ast.ImportFrom():
                return self._import(node, scope)
            case ast.Global():
                scope.globals.update(node.names)
            case ast.Nonlocal():
                scope.nonlocals.update(node.names)
            case ast.stmt() | ast.NamedExpr() | ast.ExceptHandler() | ast.pattern():
                self._bindings_of(node, scope, hidden)
        self._stack += [(child, scope, hidden) for child in reversed(_children(node))]
        return None

    # Definitions

    def _function(self, node: Function, scope: Scope, hidden: frozenset[str]) -> None:
        is_method = scope.kind is SymbolKind.CLASS
        form = owner_form(node) if is_method else None
        given = parameters(node.args)
        first = given[0] if form and given and given[0] not in node.args.kwonlyargs else None
        inner = Scope(
            self._child(scope, node.name, is_class=False),
            SymbolKind.METHOD if is_method else SymbolKind.FUNCTION,
            _join(scope.name, node.name),
            scope,
            parameters=frozenset(parameter.arg for parameter in given),
            owner=first.arg if first else None,
            owner_form=form or Receiver.NAME,
        )
        if first is not None:
            self._owners.add(first.arg)
        self._define(inner, node.name, self._span(node), node, function_signature(node), scope)
        if is_abstract(node):
            self._abstract.append(inner.id)
        self._parameters(node, inner, first)
        self._push(node.body, inner, frozenset())
        self._evaluated_outside(node, scope, hidden)

    def _parameters(self, node: Function, inner: Scope, first: ast.arg | None) -> None:
        own_type = annotation(first.annotation) if first and first.annotation else ""
        self._type_parameters(node, inner)
        for parameter in parameters(node.args):
            line = parameter.lineno
            if parameter is first:
                own = "Self" if inner.owner_form is Receiver.SELF else "type[Self]"
                self._bind(inner, parameter.arg, BindingKind.PARAMETER, own, line)
            elif parameter is node.args.vararg:
                self._bind(inner, parameter.arg, BindingKind.PARAMETER, "tuple", line)
            elif parameter is node.args.kwarg:
                self._bind(inner, parameter.arg, BindingKind.PARAMETER, "dict", line)
            elif parameter.annotation:
                kind = BindingKind.PARAMETER
                self._bind(inner, parameter.arg, kind, annotation(parameter.annotation), line)
            else:
                self._bind(inner, parameter.arg, BindingKind.OPAQUE, "?", line)
        result = annotation(node.returns) if node.returns else "?"
        if own_type and own_type in (result, f"type[{result}]"):
            result = "Self"  # `def open(self: T) -> T` says it in the older way
        result = f"<coroutine>[{result}]" if is_coroutine(node) else result
        if result != "?":
            self._bind(inner, "", BindingKind.RETURNS, result, (node.returns or node).lineno)

    def _class(self, node: ast.ClassDef, scope: Scope, hidden: frozenset[str]) -> None:
        inner = Scope(
            self._child(scope, node.name, is_class=True), SymbolKind.CLASS, _join(scope.name, node.name), scope
        )
        inner.body = node.body
        self._define(inner, node.name, self._span(node), node, class_signature(node), scope)
        for base in node.bases:
            named = base.value if isinstance(base, ast.Subscript) else base
            if not isinstance(base, ast.Starred):
                self._refer(ReferenceKind.BASE, named, -1, inner, hidden)
        self._type_parameters(node, inner)
        self._push(node.body, inner, frozenset())
        self._push([keyword.value for keyword in node.keywords], scope, hidden)
        self._push(node.bases, scope, hidden)
        self._decorators(node, scope, hidden)

    def _evaluated_outside(self, node: Function, scope: Scope, hidden: frozenset[str]) -> None:
        """What runs in the scope around when the definition is executed, not when the function is called."""
        given = [one.annotation for one in parameters(node.args) if one.annotation]
        self._push([*given, *([node.returns] if node.returns else [])], scope, hidden)
        self._push(_defaults(node.args), scope, hidden)
        self._decorators(node, scope, hidden)

    def _decorators(self, node: Function | ast.ClassDef, scope: Scope, hidden: frozenset[str]) -> None:
        for decorator in node.decorator_list:
            if isinstance(decorator, ast.Call):
                self._refer(ReferenceKind.DECORATOR, decorator.func, _arity(decorator), scope, hidden)
                inside = [decorator.func, *decorator.args, *(keyword.value for keyword in decorator.keywords)]
                self._push(inside, scope, hidden)
            else:
                self._refer(ReferenceKind.DECORATOR, decorator, 1, scope, hidden)
                self._push([decorator], scope, hidden)

    def _type_parameters(self, node: Function | ast.ClassDef, inner: Scope) -> None:
        for parameter in getattr(node, "type_params", ()):
            self._bind(inner, parameter.name, BindingKind.OPAQUE, "?", parameter.lineno)

    def _child(self, scope: Scope, name: str, *, is_class: bool) -> SymbolId:
        repetition = scope.children[name, is_class]
        scope.children[name, is_class] += 1
        return child_id(scope.id, name, is_class=is_class, repetition=repetition)

    def _define(
        self,
        scope: Scope,
        name: str,
        span: Span,
        node: Function | ast.ClassDef | ast.Module,
        signature: str = "",
        around: Scope | None = None,
    ) -> None:
        self._ids[node] = scope.id
        if around:
            self._definitions.setdefault(around.id, []).append(span)
        self._symbols.append(
            Symbol(
                id=scope.id,
                name=name,
                kind=scope.kind,
                path=self._file.path,
                language=self._file.language,
                module=self._module,
                qualified_name=scope.name,
                span=span,
                own=(span,),
                signature=signature,
                docstring=docstring(node),
                parent=around.id if around else None,
                is_test=self._is_test,
            )
        )

    def _span(self, node: Function | ast.ClassDef) -> Span:
        first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
        return self._lines.span(first, node.end_lineno or node.lineno)

    def _with_own_lines(self, symbol: Symbol) -> Symbol:
        if symbol.kind not in (SymbolKind.CLASS, SymbolKind.MODULE):
            return symbol
        inside = self._definitions.get(symbol.id, [])
        own = self._lines.runs(symbol.span.start_line, symbol.span.end_line, inside)
        return replace(symbol, own=own)

    # References

    def _refer(self, kind: ReferenceKind, callee: ast.expr, arity: int, scope: Scope, hidden: frozenset[str]) -> None:
        expression = dotted(callee, hidden)
        name = expression.rpartition(".")[2] if not isinstance(callee, ast.Await) else ""
        line, byte = name_position(callee)
        if isinstance(callee, ast.Attribute):
            name = callee.attr
        root = root_name(callee)
        own = scope.own_form(root) if root and root not in hidden else Receiver.NAME
        self._references.append(
            Reference(
                source=scope.id,
                kind=kind,
                name=name if name.isidentifier() else "",
                expression=expression,
                receiver=receiver_form(callee, own),
                arity=arity,
                line=line,
                column=self._lines.column(line, byte),
            )
        )

    def _comprehension(self, node: Comprehension, scope: Scope, hidden: frozenset[str]) -> None:
        inside = hidden.union(scope.unseen(), *(bound_names(generator.target) for generator in node.generators))
        results = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        self._push(results, scope, inside)
        for generator in reversed(node.generators):
            self._push(generator.ifs, scope, inside)
            first = generator is node.generators[0]
            self._stack.append((generator.iter, scope, hidden if first else inside))

    # Names

    def _import(self, node: ast.Import | ast.ImportFrom, scope: Scope) -> None:
        for name in node.names:
            if isinstance(node, ast.Import):
                bound, module, imported, level = name.asname or name.name.partition(".")[0], name.name, None, 0
            else:
                bound, module, imported, level = name.asname or name.name, node.module or "", name.name, node.level
            owner = scope.module if bound in scope.globals else scope
            self._imports.append(Import(owner.id, module, imported, bound, level, node.lineno))

    def _bindings_of(self, node: ast.AST, scope: Scope, hidden: frozenset[str]) -> None:
        match node:
            case ast.Assign():
                for target in node.targets:
                    self._assign(target, node.value, scope, hidden, node.lineno)
            case ast.AnnAssign():
                self._annotate(node, scope, hidden)
            case ast.NamedExpr():
                self._assign(node.target, node.value, scope, hidden, node.lineno)
            case ast.For() | ast.AsyncFor():
                self._opaque(node.target, scope, node.lineno)
            case ast.With() | ast.AsyncWith():
                self._with(node, scope, hidden)
            case ast.Delete():
                for target in node.targets:
                    self._opaque(target, scope, node.lineno)
            case ast.ExceptHandler(name=str(name), type=type_):
                self._bind(scope, name, BindingKind.ANNOTATED, _exception_types(type_), node.lineno)
            case ast.MatchAs(name=str(name), pattern=ast.MatchClass(cls=class_)):
                self._bind(scope, name, BindingKind.ANNOTATED, annotation(class_), node.lineno)
            case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)) | ast.MatchMapping(rest=str(name)):
                self._bind(scope, name, BindingKind.OPAQUE, "?", node.lineno)
            case _ if type(node).__name__ == "TypeAlias":  # a statement of Python 3.12
                alias, value = getattr(node, "name"), getattr(node, "value")  # noqa: B009
                self._bind(scope, alias.id, BindingKind.ASSIGNED, annotation(value), alias.lineno)

    def _with(self, node: ast.With | ast.AsyncWith, scope: Scope, hidden: frozenset[str]) -> None:
        """`with x as y` binds y to what `x.__enter__()` returns, and is written so."""
        enter = "__enter__" if isinstance(node, ast.With) else "__aenter__"
        for item in node.items:
            match item.optional_vars:
                case None:
                    pass
                case ast.Name() | ast.Attribute() as target:
                    entered = f"{dotted(item.context_expr, hidden)}.{enter}()"
                    self._bind_target(target, BindingKind.ASSIGNED, entered, scope, node.lineno)
                case target:
                    self._opaque(target, scope, node.lineno)

    def _assign(self, target: ast.expr, value: ast.expr, scope: Scope, hidden: frozenset[str], line: int) -> None:
        """`a = b`, `a = b = c`, `a, b = c, d`; any other unpacking is opaque. `a += b` keeps what `a` is bound to."""
        for part, source in paired(target, value):
            values = alternatives(source) if source else None
            if values is None:
                self._opaque(part, scope, line)
                continue
            for one in values:
                written = annotation(one) if is_type_expression(one) else dotted(one, hidden)
                kind = BindingKind.OPAQUE if written == "?" else BindingKind.ASSIGNED
                self._bind_target(part, kind, written, scope, line)

    def _annotate(self, node: ast.AnnAssign, scope: Scope, hidden: frozenset[str]) -> None:
        written = annotation(node.annotation)
        if written.rpartition(".")[2] in ("Final", "ClassVar"):
            if node.value:
                self._assign(node.target, node.value, scope, hidden, node.lineno)
        elif written.rpartition(".")[2] == "TypeAlias":
            if node.value:
                self._bind_target(node.target, BindingKind.ASSIGNED, annotation(node.value), scope, node.lineno)
        else:
            self._bind_target(node.target, BindingKind.ANNOTATED, written, scope, node.lineno)

    def _opaque(self, target: ast.expr, scope: Scope, line: int) -> None:
        stack = [target]
        while stack:
            node = stack.pop()
            if isinstance(node, (ast.Tuple, ast.List)):
                stack += reversed(node.elts)
            elif isinstance(node, ast.Starred):
                stack.append(node.value)
            else:
                self._bind_target(node, BindingKind.OPAQUE, "?", scope, line)

    def _bind_target(self, target: ast.expr, kind: BindingKind, expression: str, scope: Scope, line: int) -> None:
        match target:
            case ast.Name(id=name):
                self._bind(scope, name, kind, expression, line)
            case ast.Attribute(value=ast.Name(id=name), attr=attribute):
                if scope.own_form(name) in (Receiver.SELF, Receiver.CLS):
                    self._bindings.append(Binding(scope.id, f"self.{attribute}", kind, expression, line))

    def _bind(self, scope: Scope, target: str, kind: BindingKind, expression: str, line: int) -> None:
        binding = Binding(scope.id, target, kind, expression, line)
        if target in scope.globals or target in scope.nonlocals:
            self._elsewhere.append((scope, binding))
        else:
            self._bindings.append(binding)

    def _bind_elsewhere(self) -> None:
        """Move bindings of `global` and `nonlocal` names to the scope that has the name.

        That is the module, or the nearest function around that binds the name, wherever in its body it does. What is
        assigned may name things which that scope cannot see: then it is opaque.
        """
        bound = {(binding.scope, binding.target) for binding in self._bindings}
        bound |= {(imported.scope, imported.alias) for imported in self._imports}
        for scope, binding in self._elsewhere:
            owner = scope.owner_of(binding.target, bound)
            passed = scope.up_to(owner)
            names = _NAME.findall(binding.expression)
            hidden = any((one.id, name) in bound for one in passed for name in names)
            kind, expression = (BindingKind.OPAQUE, "?") if hidden else (binding.kind, binding.expression)
            self._bindings.append(Binding(owner.id, binding.target, kind, expression, binding.line))


def _children(node: ast.AST) -> list[ast.AST]:
    """The child nodes in the order of the fields, those without facts (names, constants, operators) left out."""
    found: list[ast.AST] = []
    for name in node._fields:
        value = getattr(node, name, None)
        if type(value) is list:
            found += [child for child in value if type(child) not in _LEAVES and isinstance(child, ast.AST)]
        elif type(value) not in _LEAVES and isinstance(value, ast.AST):
            found.append(value)
    return found


def _join(prefix: str, name: str) -> str:
    return f"{prefix}.{name}"


def _arity(node: ast.Call) -> int:
    if any(isinstance(argument, ast.Starred) for argument in node.args):
        return -1
    if any(keyword.arg is None for keyword in node.keywords):
        return -1
    return len(node.args) + len(node.keywords)


def _defaults(arguments: ast.arguments) -> list[ast.expr]:
    return [*arguments.defaults, *(default for default in arguments.kw_defaults if default)]


def _exception_types(node: ast.expr | None) -> str:
    if node is None:
        return "?"
    return "|".join(annotation(one) for one in (node.elts if isinstance(node, ast.Tuple) else [node])) or "?"
